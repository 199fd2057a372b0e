// The data of a page of `tilewise report`, unpacked and packed by Python's zlib.
#pragma once
#include <string>

namespace tilewise {

/// The JSON that the page holds.
std::string data_of_page(const std::string& page);
/// The page with other JSON in its place.
std::string with_data(std::string page, const std::string& json);

}  // namespace tilewise
