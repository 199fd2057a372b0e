// tilewise tile, tilewise detile: a raw file between rows and a layout.
#include "patterns/convert/image.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "tools/commands/commands.h"
#include "tools/files/mapped_file.h"
#include "tools/lookup/image_layout.h"
#include "tools/terminal/print.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace tilewise {

namespace {

struct ConvertOptions {
    std::string in, out;
    ImageOptions image;
};

void check_input(const InputBytes& in, uint64_t needs, const char* what) {
    if (in.bytes().size() < needs)
        throw Error(fmt::format("{} has {} bytes, but the {} need {}; check extent, format and levels", in.name(),
                                in.bytes().size(), what, needs));
}

nlohmann::ordered_json summary_json(const ConvertOptions& options, const FoundImage& found,
                                    const std::vector<ImagePart>& parts, uint64_t written) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ImagePart& part : parts)
        list.push_back({{"aspect", aspect_name(part.aspect)},
                        {"level", part.level},
                        {"layer", part.layer},
                        {"pattern", pattern_id(part.layout.pattern)},
                        {"elements", {part.extent[axis_x], part.extent[axis_y], part.extent[axis_z]}},
                        {"rows_offset", part.rows_at_B},
                        {"layout", to_json(part.layout)}});
    return {{"in", options.in},
            {"out", options.out},
            {"bytes", written},
            {"source", found.image.evidence},
            {"assumed", found.assumed},
            {"tiled_bytes", tiled_bytes(parts)},
            {"rows_bytes", rows_bytes(parts)},
            {"subresources", list}};
}

void convert(const ConvertOptions& options, const Globals& globals, bool to_rows) {
    if (options.out == "-" && globals.json)
        throw UsageError("image and JSON would both go to standard output: write the image to a file");
    const FoundImage found = find_image(globals, options.image);
    require_allowed(found, options.image);
    const std::vector<ImagePart> parts = parts_of(found.image);
    const InputBytes in(options.in);
    if (to_rows)
        check_input(in, tiled_bytes(parts), "image's tiles");
    else
        check_input(in, rows_bytes(parts), "image's rows");
    tell_assumptions(found);

    OutputBytes out(options.out, to_rows ? rows_bytes(parts) : whole_tiles_bytes(parts));
    for (const ImagePart& part : parts) {
        const Box box = {{}, part.extent};
        const uint64_t size = rows_bytes(part.layout.pattern.element, part.extent);
        if (to_rows)
            detile(part.layout, box, in.bytes(), out.bytes().subspan(part.rows_at_B, size));
        else
            tile(part.layout, box, in.bytes().subspan(part.rows_at_B, size), out.bytes());
    }
    const uint64_t written = out.bytes().size();
    out.keep();
    if (globals.json) print_json(summary_json(options, found, parts, written));
}

void add_command(CLI::App& app, const Globals& globals, const char* name, const char* what, bool to_rows) {
    auto* command = app.add_subcommand(name, what);
    auto options = std::make_shared<ConvertOptions>();
    command
        ->add_option("in", options->in,
                     to_rows ? "the memory of the image; - reads standard input"
                             : "rows without gaps, layer by layer, level by level; - reads standard input")
        ->required();
    command->add_option("out", options->out, "the file to write; - is standard output")->required();
    add_image_options(*command, options->image);
    command->callback([options, &globals, to_rows] { convert(*options, globals, to_rows); });
}

}  // namespace

void add_tile_commands(CLI::App& app, const Globals& globals) {
    add_command(app, globals, "tile", "lay out rows of texels as a device does", false);
    add_command(app, globals, "detile", "turn the memory of a tiled image into rows", true);
}

}  // namespace tilewise
