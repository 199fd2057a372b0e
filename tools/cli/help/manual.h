// Man pages, generated from the parser's table.
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace tilewise {

/// The page of a command of the program, in roff; of the program itself if both arguments are the same.
std::string manual_page(const CLI::App& program, const CLI::App& command);

}  // namespace tilewise
