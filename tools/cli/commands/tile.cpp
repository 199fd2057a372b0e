// tilewise tile, tilewise detile: convert a whole image between rows (raw, or in a KTX2 or DDS file) and its memory.
#include "patterns/convert/image.h"
#include "patterns/convert/whole_image.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/text.h"
#include "tools/answers/image/observed_image.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/mapped_file.h"
#include "tools/cli/files/texture_file.h"
#include "tools/cli/options/image_options.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/cli/texts/assumptions.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

namespace tilewise {

namespace {

struct ConvertOptions {
    std::string in, out;
    ImageQuestion image;
    std::string container;
    std::optional<Aspect> aspect;
    unsigned jobs = std::max(std::thread::hardware_concurrency(), 1U);
};

void check_input(const InputBytes& in, uint64_t needs, const char* what) {
    if (in.bytes().size() < needs)
        throw Error(fmt::format("{} has {} bytes, but the {} need {}; check extent, format and levels", in.name(),
                                in.bytes().size(), what, needs));
}

/// The size of raw rows is not stated in the file: a longer file must be of another image.
void check_rows(const InputBytes& in, uint64_t needs) {
    check_input(in, needs, "image's rows");
    if (in.bytes().size() > needs)
        throw Error(
            fmt::format("{} has {} bytes, {} more than the image's rows; check extent, format, levels and layers",
                        in.name(), in.bytes().size(), in.bytes().size() - needs));
}

/// Files with these names hold pictures or textures in formats of their own, not raw rows.
void check_is_no_picture(const std::string& path) {
    constexpr std::string_view pictures[] = {".png",  ".jpg",  ".jpeg", ".bmp",  ".tga", ".gif",  ".tif",
                                             ".tiff", ".webp", ".avif", ".exr",  ".hdr", ".ppm",  ".pgm",
                                             ".qoi",  ".ktx",  ".pvr",  ".astc", ".vtf", ".basis"};
    const std::string name = to_lower(path);
    for (const std::string_view ending : pictures)
        if (name.ends_with(ending))
            throw UsageError(
                fmt::format("{}: rows are raw, KTX2 or DDS, and not {}; name the file .dds or .ktx2, or give "
                            "--container raw",
                            path, ending.substr(1)));
}

/// Throws UsageError if the image's memory is to be written under the name of a file of rows.
void check_output(const ConvertOptions& options, ConvertDirection direction) {
    const std::string name = to_lower(options.out);
    if (direction == ConvertDirection::tile && (name.ends_with(".ktx2") || name.ends_with(".dds")))
        throw UsageError(
            fmt::format("{}: tile writes the image's memory, and KTX2 and DDS files hold rows: name the file .raw; "
                        "tilewise detile writes rows",
                        options.out));
}

nlohmann::ordered_json summary_json(const ConvertOptions& options, const FoundImage& found,
                                    const ImageConversion& conversion, uint64_t written) {
    const std::vector<ImagePart>& parts = conversion.parts;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (size_t i = 0; i < parts.size(); i++) {
        const ImagePart& part = parts[i];
        list.push_back({{"aspect", aspect_name(part.aspect)},
                        {"level", part.level},
                        {"layer", part.layer},
                        {"pattern", pattern_id(part.layout.pattern)},
                        {"elements", {part.extent[axis_x], part.extent[axis_y], part.extent[axis_z]}},
                        {"rows_offset", conversion.rows_at_B[i]},
                        {"layout", to_json(part.layout)}});
    }
    return {{"in", options.in},
            {"out", options.out},
            {"bytes", written},
            {"source", layout_source_name(found.image.source)},
            {"evidence", found.image.evidence},
            {"assumed", found.assumed},
            {"tiled_bytes", tiled_bytes(parts)},
            {"rows_bytes", rows_bytes(parts)},
            {"subresources", list}};
}

/// Takes from the file what the options leave out; if both say something, they must agree.
void take_from(const TextureImage& file, const std::string& name, ImageQuestion& image) {
    const auto differs = [&](const auto& option, const auto& value) { return option && *option != value; };
    require_known(image.about.format);
    const bool other_format = !image.about.format.name.empty() && image.about.format.name != file.format;
    if (differs(image.about.extent, file.extent_px) || other_format || differs(image.levels, file.levels) ||
        differs(image.layers, file.layers) || differs(image.samples, 1U) || differs(image.type, file.type))
        throw UsageError(fmt::format("{} is of another image: {} {}, {}, {}, {}", name, file.format,
                                     sides_text(file.extent_px), image_type_name(file.type),
                                     counted(file.levels, "level"), counted(file.layers, "layer")));
    image.about.format = asked_format(file.format);
    image.about.extent = file.extent_px;
    image.type = file.type;
    image.levels = file.levels;
    image.layers = file.layers;
}

TextureFile read_texture(Container container, const InputBytes& in) {
    return container == Container::ktx2 ? read_ktx2(in.bytes(), in.name()) : read_dds(in.bytes(), in.name());
}

TextureFile make_texture(Container container, const ImageLayout& image) {
    if (image.format.empty()) throw UsageError("such a file names the format of its texels: give --format");
    if (image.samples > 1) throw Error("KTX2 and DDS files have one sample a texel; write raw rows");
    TextureImage texture = {image};
    texture.is_cube = image.layers % faces_of_cube == 0 && has_names(image.flags, "cube-compatible");
    return container == Container::ktx2 ? make_ktx2(texture) : make_dds(texture);
}

/// The offset of each part's rows in the file.
std::vector<uint64_t> rows_in(const TextureFile& file, const std::vector<ImagePart>& parts) {
    std::vector<uint64_t> at;
    for (const ImagePart& part : parts) {
        if (level_bytes(file.image, part.level) != rows_bytes(part.layout.pattern.element, part.extent))
            throw Error(fmt::format("the layout has elements of {} bytes, and {} has others",
                                    part.layout.pattern.element.bytes, file.image.format));
        const LevelRows& rows = file.levels[part.level];
        at.push_back(rows.at_B + part.layer * rows.layer_stride_B);
    }
    return at;
}

void convert(const ConvertOptions& options, const Globals& globals, ConvertDirection direction) {
    const bool to_rows = direction == ConvertDirection::detile;
    if (options.out == "-" && globals.json)
        throw UsageError("image and JSON would both go to standard output: write the image to a file");
    const std::string& rows_file = to_rows ? options.out : options.in;
    check_output(options, direction);
    if (options.container.empty()) check_is_no_picture(rows_file);
    const Container container = container_of(options.container, rows_file);
    std::optional<InputBytes> in;
    std::optional<TextureFile> texture;
    ImageQuestion choice = options.image;
    if (!to_rows && container != Container::raw) {
        in.emplace(options.in);
        texture = read_texture(container, *in);
        take_from(texture->image, in->name(), choice);
    }
    FoundImage found = find_asked_image(choice, globals);
    require_allowed(found, choice.assume);
    if (options.aspect) found.image = only_aspect(found.image, *options.aspect);
    const bool one_aspect = aspects_of(found.image) == aspects_of_format(found.image.format);
    if (container != Container::raw && (!one_aspect || aspects_of(found.image).size() > 1))
        throw Error(
            "KTX2 and DDS files hold formats of one aspect; name the file .raw: rows are converted aspect by aspect");
    ImageConversion conversion = {parts_of(found.image), {}, direction, {}, {}};
    if (to_rows && container != Container::raw) texture = make_texture(container, found.image);
    if (texture) {
        conversion.rows_at_B = rows_in(*texture, conversion.parts);
    } else {
        for (const ImagePart& part : conversion.parts) conversion.rows_at_B.push_back(part.rows_at_B);
    }
    if (!in) in.emplace(options.in);
    if (to_rows)
        check_input(*in, tiled_bytes(conversion.parts), "image's tiles");
    else if (texture)
        check_input(*in, texture->bytes, "image's rows");
    else
        check_rows(*in, rows_bytes(conversion.parts));
    tell_assumptions(found);

    const uint64_t rows_side = texture ? texture->bytes : rows_bytes(conversion.parts);
    // The image's full size in memory, if that is known; the planes of disjoint images have memories of their own.
    const bool is_plane_alone = options.aspect && has_names(found.image.flags, "disjoint");
    const uint64_t image_bytes = std::max(found.image.bytes, found.whole_bytes);
    const uint64_t image_end = is_plane_alone ? 0 : choice.base.value_or(0) + image_bytes;
    const uint64_t tiled_side = std::max(whole_tiles_bytes(conversion.parts), image_end);
    OutputBytes out(options.out, to_rows ? rows_side : tiled_side);
    if (to_rows && texture) std::ranges::copy(std::as_bytes(std::span(texture->header)), out.bytes().begin());
    conversion.in = in->bytes();
    conversion.out = out.bytes();
    {
        Progress progress("bands");
        convert_image(conversion, options.jobs, progress.listener());
    }
    const uint64_t written = out.bytes().size();
    out.keep();
    if (globals.json) print_json(summary_json(options, found, conversion, written));
}

void add_command(CLI::App& app, const Globals& globals, const char* name, const char* what,
                 ConvertDirection direction) {
    const bool to_rows = direction == ConvertDirection::detile;
    auto* command = app.add_subcommand(name, what);
    auto options = std::make_shared<ConvertOptions>();
    command
        ->add_option(
            "in", options->in,
            to_rows
                ? "the memory of the image; - reads standard input"
                : "rows without gaps, layer by layer, level by level, or a KTX2 or DDS file; - reads standard input")
        ->required();
    command->add_option("out", options->out, "the file to write; - is standard output")->required();
    add_image_options(*command, options->image);
    command->add_option("--container", options->container,
                        "container of the rows: raw, ktx2, dds; default: by the end of the file's name");
    add_aspect_option(*command, options->aspect, "one aspect only: depth, stencil, plane0, plane1, plane2");
    command->add_option("--jobs", options->jobs, "threads; default: one per core")->check(CLI::Range(1U, 1024U));
    command->callback([options, &globals, direction] { convert(*options, globals, direction); });
}

}  // namespace

void add_tile_commands(CLI::App& app, const Globals& globals) {
    add_command(app, globals, "tile", "lay out rows of texels as a device does", ConvertDirection::tile);
    add_command(app, globals, "detile", "turn the memory of a tiled image into rows", ConvertDirection::detile);
}

}  // namespace tilewise
