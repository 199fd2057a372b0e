// The options that say which images a question is about, and whose.
#pragma once
#include "tools/answers/question.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tilewise {

/// Adds --gpu, --vendor, --device, --driver, --format, --extent, --usage, --mode, --modifier and --param.
void add_filter_options(CLI::App& command, Question& question);

/// Adds --extent; a text that is no extent throws UsageError when options are read.
CLI::Option* add_extent_option(CLI::App& command, std::optional<Extent_px>& extent, const std::string& description);

/// Adds an option of that name for a GPU.
void add_gpu_option(CLI::App& command, const std::string& name, AskedGpu& gpu, const std::string& description);

/// Adds --format.
CLI::Option* add_format_option(CLI::App& command, AskedFormat& format, const std::string& description);

}  // namespace tilewise
