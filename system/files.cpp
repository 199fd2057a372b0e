#include "system/files.h"
#include <array>
#include <cstdio>
#include <random>

namespace tilewise::system {

std::string unguessable_name(const std::string& path) {
    std::random_device random;
    std::array<char, 32> number = {};
    std::snprintf(number.data(), number.size(), ".%08x%08x.part", random(), random());
    return path + number.data();
}

}  // namespace tilewise::system
