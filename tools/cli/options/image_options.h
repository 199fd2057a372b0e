// The options that say which image is meant, and where its layout comes from.
#pragma once
#include "tools/answers/image/find_image.h"
#include "tools/cli/options/globals.h"

namespace CLI {
class App;
}

namespace tilewise {

/// Adds --gpu, --pattern, --equation, --layout, --format, --extent, --levels, --layers, --samples, --image-type,
/// --base, --pitch, --stride-x, ..
void add_image_options(CLI::App& command, ImageQuestion& question);

/// Adds --equation and --element-bytes.
void add_equation_options(CLI::App& command, ImageQuestion& question);

/// Adds --layout with that description: its file is read while options are parsed.
void add_layout_option(CLI::App& command, ImageQuestion& question, const std::string& description);

/// Adds --assume.
void add_assume_option(CLI::App& command, bool& assume);

/// Adds --aspect with that description.
void add_aspect_option(CLI::App& command, std::optional<Aspect>& aspect, const std::string& description);

/// read_said_pattern(), including a pattern that was kept in the command's database.
ImageQuestion read_said_question(ImageQuestion question, const Globals& globals);

/// The answer to the question. The command's database is opened only if the question does not give the layout itself.
FoundImage find_asked_image(const ImageQuestion& question, const Globals& globals);

}  // namespace tilewise
