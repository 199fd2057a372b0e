// What a shell needs to complete commands and options: made from the table that the parser has.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tilewise {

/// What may stand behind options, whatever the command.
struct CompletedValues {
    std::vector<std::string> gpus, formats, languages, kernels;
};

/// The script for bash, zsh or fish. Throws UsageError for any other shell.
std::string completion_script(const CLI::App& app, std::string_view shell, const CompletedValues& values);

}  // namespace tilewise
