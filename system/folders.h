// Where a user's files lie, and what the environment says.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace tilewise::system {

/// "" where there is none.
std::string environment(const char* name);

/// For what this program keeps; none where nothing says where that is.
std::optional<std::filesystem::path> data_folder();
/// For what it can make anew.
std::optional<std::filesystem::path> cache_folder();
/// What messages say where data_folder() or cache_folder() is none: the variable to set.
extern const char* const data_variable;
extern const char* const cache_variable;

/// Shows the file in the program that the user has for such files. Whether there is one.
bool open_for_user(const std::filesystem::path& file);

}  // namespace tilewise::system
