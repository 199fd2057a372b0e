#include "system/files.h"
#include <array>
#include <cstdio>
#include <random>

namespace tilewise::system {

std::filesystem::path path_of(const std::string& name) { return std::u8string(name.begin(), name.end()); }

std::string text_of(const std::filesystem::path& path) {
    const std::u8string name = path.u8string();
    return {name.begin(), name.end()};
}

std::string unguessable_name(const std::string& path) {
    std::random_device random;
    std::array<char, 32> number = {};
    std::snprintf(number.data(), number.size(), ".%08x%08x.part", random(), random());
    return path + number.data();
}

}  // namespace tilewise::system
