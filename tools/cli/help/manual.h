// Man pages: made from the table that the parser has.
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace tilewise {

/// The page of a command of the program, in roff; of the program itself where both are the same.
std::string manual_page(const CLI::App& program, const CLI::App& command);

}  // namespace tilewise
