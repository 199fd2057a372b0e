// What a shell needs to complete commands and options, generated from the parser's table.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tilewise {

/// The words that may follow some options.
struct CompletedValues {
    std::string name;  ///< of the shell function
    /// "--gpu" of any command; "advise/--code" only of that command.
    std::vector<std::string> options;
    std::vector<std::string> words;
};

/// The script for bash, zsh or fish; if two lists are for one option, the first counts. Throws UsageError for any other
/// shell.
std::string completion_script(const CLI::App& app, std::string_view shell, const std::vector<CompletedValues>& values);

}  // namespace tilewise
