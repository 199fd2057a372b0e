#include "system/folders.h"
#include "system/wide.h"
#include <array>
// Behind the header that they need.
#include <shellapi.h>

namespace tilewise::system {

const char* const data_variable = "LOCALAPPDATA";
const char* const cache_variable = "LOCALAPPDATA";

std::string environment(const char* name) {
    std::wstring value(32768, L'\0');
    value.resize(GetEnvironmentVariableW(wide(name).c_str(), value.data(), static_cast<DWORD>(value.size())));
    return utf8(value);
}

namespace {

std::optional<std::filesystem::path> folder_of(const char* variable, const char* below) {
    const std::string own = environment(variable), local = environment("LOCALAPPDATA");
    if (const std::filesystem::path folder = wide(own); folder.is_absolute()) return folder / "tilewise";
    if (!local.empty()) return std::filesystem::path(wide(local)) / "tilewise" / below;
    return {};
}

}  // namespace

std::optional<std::filesystem::path> data_folder() { return folder_of("XDG_DATA_HOME", ""); }
std::optional<std::filesystem::path> cache_folder() { return folder_of("XDG_CACHE_HOME", "cache"); }

bool open_for_user(const std::filesystem::path& file) {
    const auto result = reinterpret_cast<intptr_t>(
        ShellExecuteW(nullptr, L"open", std::filesystem::absolute(file).c_str(), nullptr, nullptr, SW_SHOWNORMAL));
    constexpr intptr_t last_error = 32;
    return result > last_error;
}

}  // namespace tilewise::system
