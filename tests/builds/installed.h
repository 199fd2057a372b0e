// Tilewise installed in a folder that is removed at the end of the process.
#pragma once
#include <string>

namespace tilewise {

/// The installation prefix, which contains bin/tilewise, lib/cmake/tilewise and so on.
std::string installed();

}  // namespace tilewise
