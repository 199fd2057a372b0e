// Where tests find the source tree (tests/data, tools/) and the program whose command line they drive.
#pragma once
#include <string>

namespace tilewise {

std::string source_dir();
std::string program_path();      ///< or $TILEWISE_TEST_PROGRAM, such as what runs tilewise.exe by wine
std::string image_bytes_path();  ///< tests/support/image_bytes.cpp

}  // namespace tilewise
