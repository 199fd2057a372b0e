// Tilewise as it is installed, in a folder that goes with the process.
#pragma once
#include <string>

namespace tilewise {

/// The prefix, which holds bin/tilewise, lib/cmake/tilewise and so on.
std::string installed();

}  // namespace tilewise
