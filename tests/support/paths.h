// Where tests find the source tree (tests/data, tools/) and the program whose command line they test.
#pragma once
#include <string>

namespace tilewise {

std::string source_dir();
std::string program_path();      ///< or $TILEWISE_TEST_PROGRAM, such as a script that runs tilewise.exe with wine
std::string image_bytes_path();  ///< the program of tests/support/image_bytes.cpp

}  // namespace tilewise
