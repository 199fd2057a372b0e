#include "tests/support/paths.h"
#include <cstdlib>

namespace tilewise {

std::string source_dir() { return TILEWISE_SOURCE_DIR; }
std::string program_path() {
    const char* other = std::getenv("TILEWISE_TEST_PROGRAM");
    return other ? other : TILEWISE_PROGRAM;
}

std::string image_bytes_path() { return TILEWISE_IMAGE_BYTES; }

}  // namespace tilewise
