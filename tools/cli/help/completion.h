// What a shell needs to complete commands and options: made from the table that the parser has.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tilewise {

/// Words of which one may stand behind some options.
struct CompletedValues {
    std::string name;  ///< of the shell's function
    /// "--gpu" of any command; "advise/--code" of that one alone.
    std::vector<std::string> options;
    std::vector<std::string> words;
};

/// The script for bash, zsh or fish; of two lists for an option the first counts. Throws UsageError for any other shell.
std::string completion_script(const CLI::App& app, std::string_view shell, const std::vector<CompletedValues>& values);

}  // namespace tilewise
