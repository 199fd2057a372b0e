// The data in a page of `tilewise report`, unpacked and packed with Python's zlib.
#pragma once
#include <string>

namespace tilewise {

/// The JSON in the page.
std::string data_of_page(const std::string& page);
/// The page with other JSON in place of its own.
std::string with_data(std::string page, const std::string& json);

}  // namespace tilewise
