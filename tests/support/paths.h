// Where tests find the source tree (tests/data, tools/) and the program whose command line they drive.
#pragma once
#include <string>

namespace tilewise {

std::string source_dir();
std::string program_path();

}  // namespace tilewise
