#include "tests/support/paths.h"

namespace tilewise {

std::string source_dir() { return TILEWISE_SOURCE_DIR; }
std::string program_path() { return TILEWISE_PROGRAM; }

std::string image_bytes_path() { return TILEWISE_IMAGE_BYTES; }

}  // namespace tilewise
