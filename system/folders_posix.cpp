#include "system/folders.h"
#include <array>
#include <cstdlib>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewise::system {

const char* const data_variable = "HOME";
const char* const cache_variable = "XDG_CACHE_HOME or HOME";

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

namespace {

std::optional<std::filesystem::path> folder_of(const char* variable, const char* below_home) {
    const std::filesystem::path own = "tilewise";
    // The XDG specification: a path that is relative is to be ignored.
    if (const std::filesystem::path folder = environment(variable); folder.is_absolute()) return folder / own;
    if (const std::string home = environment("HOME"); !home.empty())
        return std::filesystem::path(home) / below_home / own;
    return {};
}

}  // namespace

std::optional<std::filesystem::path> data_folder() { return folder_of("XDG_DATA_HOME", ".local/share"); }
std::optional<std::filesystem::path> cache_folder() { return folder_of("XDG_CACHE_HOME", ".cache"); }

bool open_for_user(const std::filesystem::path& file) {
    std::string program = "xdg-open", name = file.string();
    std::array<char*, 3> words = {program.data(), name.data(), nullptr};
    pid_t process = 0;
    int status = 0;
    return posix_spawnp(&process, program.c_str(), nullptr, nullptr, words.data(), environ) == 0 &&
           waitpid(process, &status, 0) == process && status == 0;
}

}  // namespace tilewise::system
