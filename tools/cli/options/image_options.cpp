#include "tools/cli/options/image_options.h"
#include "db/query/query.h"
#include "patterns/model/json_limits.h"
#include "probe/formats/names.h"
#include "tools/answers/image/image_by_modifier.h"
#include "tools/cli/files/files.h"
#include "tools/cli/options/filter_options.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

// A larger value is a mistake, and sums of values below do not overflow.
constexpr uint64_t most_bytes = uint64_t{1} << 48;

/// Adds the devices on which images with the same pattern were read.
void tell_where_seen(FoundImage& found, const db::Database& database) {
    const std::string id = pattern_id(found.image.subresources.front().layout.pattern);
    std::vector<std::string> names;
    for (const db::PatternSummary& pattern : db::find_patterns(database, {.pattern = id}))
        for (const db::DeviceUse& use : pattern.devices)
            if (std::ranges::find(names, use.device->name) == names.end()) names.push_back(use.device->name);
    found.image.evidence += names.empty()
                                ? "; no image with this pattern was read"
                                : fmt::format("; images with this pattern were read on {}", some_of(names, 2));
}

}  // namespace

void add_layout_option(CLI::App& command, ImageQuestion& question, const std::string& description) {
    command.add_option_function<std::string>(
        "--layout",
        [&question](const std::string& path) {
            question.layout = layout_file(path, parse_json(read_whole_file(path), path));
        },
        description);
}

void add_equation_options(CLI::App& command, ImageQuestion& question) {
    command.add_option(
        "--equation", question.equation,
        "in place of a device: address bits from 0 up, each an XOR of coordinate bits: \"x0 x1 y0 x2^y1\"");
    command
        .add_option("--element-bytes", question.element_bytes,
                    "bytes per element for --equation and --mode, if no --format is given")
        ->check(CLI::Range(1U, max_element_bytes));
}

void add_image_options(CLI::App& command, ImageQuestion& question) {
    add_filter_options(command, question.about);
    command.add_option("--pattern", question.pattern,
                       "a pattern's id or a prefix of it, or linear; in place of a device");
    add_layout_option(command, question,
                      "a file that tilewise layout --json or solve --json printed; in place of a device or pattern");
    add_equation_options(command, question);
    command.add_option("--levels", question.levels, "mip levels of the image")
        ->check(CLI::Range(1U, max_image_levels))
        ->default_str("1");
    command.add_option("--layers", question.layers, "array layers of the image")
        ->check(CLI::Range(1U, max_image_layers))
        ->default_str("1");
    command.add_option("--samples", question.samples, "samples per texel")
        ->check(CLI::Range(1U, max_image_samples))
        ->default_str("1");
    command.add_option_function<std::string>(
        "--image-type", [&question](const std::string& text) { question.type = image_type_from_name(text); },
        "1D, 2D or 3D; default: 3D for an extent with a depth");
    command.add_option_function<std::string>(
        "--flags", [&question](const std::string& text) { question.flags = probe::flags_as_stored(text); },
        "images created with these flags: mutable-format,cube-compatible");
    const auto add_bytes = [&](const char* name, std::optional<uint64_t>& value, const std::string& what) {
        command.add_option(name, value, what)->check(CLI::Range(uint64_t{0}, most_bytes));
    };
    add_bytes("--base", question.base, "bytes before the image in the tiled file");
    add_bytes("--pitch", question.strides.pitch,
              "bytes per row of texels, as APIs report it; sets the distance between rows of tiles");
    for (Axis a : {axis_x, axis_y, axis_z})
        add_bytes(stride_options[a], question.strides.tile[a],
                  fmt::format("bytes from one tile to the next along {}", axis_name(a)));
    add_bytes("--constant", question.strides.constant, "c of the address model, XORed into every offset in a tile");
    add_bytes("--layer-stride", question.strides.layer, "bytes from one layer to the next");
    add_assume_option(command, question.assume);
}

void add_assume_option(CLI::App& command, bool& assume) {
    command.add_flag("--assume", assume,
                     "answer for an image that was never observed from what is known of others; stderr says how");
}

void add_aspect_option(CLI::App& command, std::optional<Aspect>& aspect, const std::string& description) {
    command.add_option_function<std::string>(
        "--aspect", [&aspect](const std::string& name) { aspect = aspect_from_name(name); }, description);
}

ImageQuestion read_said_question(ImageQuestion question, const Globals& globals) {
    if (!question.pattern.empty() && question.pattern != "linear") take_kept_pattern(question, open_if_there(globals));
    return read_said_pattern(std::move(question));
}

FoundImage find_asked_image(const ImageQuestion& asked, const Globals& globals) {
    const ImageQuestion question = read_said_question(asked, globals);
    require_one_way(question);
    if (question.is_given()) {
        FoundImage found = or_throw(find_image(question, DeviceKnowledge{}));
        if (question.said) tell_where_seen(found, open_if_there(globals));
        return found;
    }
    asked_kind(question);  // wrong usage is reported before a database is opened
    const db::Database database = open_to_read(globals);
    Answer<FoundImage> answer = find_image(question, database);
    if (answer.index() != 0 && question.about.modifier)
        if (std::optional<FoundImage> defined = image_by_modifier_alone(database, question)) return *std::move(defined);
    return or_throw(std::move(answer));
}

}  // namespace tilewise
