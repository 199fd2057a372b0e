// tilewise layout: where each texel of a whole image lies.
#include "patterns/model/error.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/model/text.h"
#include "patterns/picture/picture.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/layout_check.h"
#include "tools/cli/files/files.h"
#include "tools/cli/options/image_options.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/cli/texts/assumptions.h"
#include "tools/cli/texts/modifier_text.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <memory>

namespace tilewise {

namespace {

using Json = nlohmann::ordered_json;

Coord parse_texel(const std::string& text) {
    const std::vector<std::string> fields = split_fields(text);
    Coord at = {};
    bool good = fields.size() == 2 || fields.size() == 3;
    for (size_t i = 0; good && i < fields.size(); i++) {
        const char* const end = fields[i].data() + fields[i].size();
        const auto [last, error] = std::from_chars(fields[i].data(), end, at[i]);
        good = error == std::errc() && last == end;
    }
    if (!good) throw UsageError(fmt::format("--at {}: not a texel; write 77,133, or 77,133,5 with depth", text));
    return at;
}

struct LayoutOptions {
    ImageQuestion image;
    std::vector<Coord> at;  ///< texels
    std::string table;      ///< the file to write
    std::optional<uint32_t> level, layer, sample;
    std::optional<Aspect> aspect;
    LayoutCheck check;  ///< in place of all that: checks this many images
};

constexpr uint32_t first_or(const std::optional<uint32_t>& given) { return given.value_or(0); }

/// The usages with which the same image has another size, and so another layout.
Json other_usages_json(const FoundImage& found) {
    Json others = Json::array();
    for (const OtherUsage& other : found.other_usages)
        others.push_back({{"usage", other.usage}, {"bytes", other.size.bytes}, {"alignment", other.size.alignment}});
    return others;
}

void print_image(const FoundImage& found) {
    const ImageLayout& image = found.image;
    std::vector<Row> rows = {{"image", image_text(image)}};
    if (!image.usage.empty()) rows.push_back({"usage", image.usage});
    for (const OtherUsage& other : found.other_usages)
        rows.push_back({"not so with", fmt::format("{}: {} bytes, aligned to {}", other.usage, other.size.bytes,
                                                   other.size.alignment)});
    if (!image.flags.empty()) rows.push_back({"flags", image.flags});
    if (image.bytes != 0)
        rows.push_back({"bytes", fmt::format("{}, {}", image.bytes,
                                             image.alignment == 0 ? "alignment not known"
                                                                  : fmt::format("aligned to {}", image.alignment))});
    for (const auto& [aspect, blocks] : image.sparse)
        rows.push_back({"sparse", fmt::format("{}: {}", aspect_name(aspect), describe(blocks))});
    rows.push_back({"source", fmt::format("{}, {}", layout_source_name(image.source), image.evidence)});
    print_columns(rows);
    print_text("\n");
    rows = {{"aspect", "level", "layers", "texels", "base", "layer stride", "strides", "pattern"}};
    const bool has_constants =
        std::ranges::any_of(image.subresources, [](const Subresource& part) { return part.layout.constant != 0; });
    if (has_constants) rows.front().insert(rows.front().end() - 1, "xor");
    for (const Subresource& part : image.subresources) {
        const Layout& layout = part.layout;
        std::string strides;
        for (Axis a : all_axes)
            if (layout.stride[a] != 0)
                strides += fmt::format("{}{} {}", strides.empty() ? "" : ", ", axis_name(a), layout.stride[a]);
        const uint32_t last = part.layer + part.layers - 1;
        rows.push_back({std::string(aspect_name(part.aspect)), std::to_string(part.level),
                        last == part.layer ? std::to_string(last) : fmt::format("{}..{}", part.layer, last),
                        extent_text(part.extent_px), std::to_string(layout.base),
                        part.layers == 1 ? "-" : std::to_string(part.layer_stride_B), strides.empty() ? "-" : strides,
                        fmt::format("{}  {}", pattern_id(layout.pattern), pattern_title(layout.pattern))});
        if (has_constants) rows.back().insert(rows.back().end() - 1, std::to_string(layout.constant));
    }
    print_table(rows);
}

Aspect aspect_of(const LayoutOptions& options, const ImageLayout& image) {
    if (options.aspect) return *options.aspect;
    const std::vector<Aspect> aspects = aspects_of(image);
    if (aspects.size() == 1) return aspects.front();
    std::string names;
    for (Aspect aspect : aspects) names += fmt::format("{}{}", names.empty() ? "" : ", ", aspect_name(aspect));
    throw UsageError(fmt::format("the image has several aspects; give --aspect: {}", names));
}

/// Prints the byte offset of each texel, one per line.
void print_addresses(const LayoutOptions& options, const ImageLayout& image, const Globals& globals) {
    const Aspect aspect = aspect_of(options, image);
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    std::string text;
    for (const Coord& at : options.at) {
        TexelAt texel = {aspect, first_or(options.level), first_or(options.layer), at};
        texel.at_px[axis_s] = first_or(options.sample);
        const uint64_t offset = address_of(image, texel);
        text += fmt::format("{}\n", offset);
        json.push_back({{"aspect", aspect_name(aspect)},
                        {"level", texel.level},
                        {"layer", texel.layer},
                        {"sample", texel.at_px[axis_s]},
                        {"texel", {texel.at_px[axis_x], texel.at_px[axis_y], texel.at_px[axis_z]}},
                        {"byte_offset", offset}});
    }
    if (!globals.json) return print_text(text);
    print_json({{"source", layout_source_name(image.source)}, {"evidence", image.evidence}, {"texels", json}});
}

/// The columns that tell the image's elements apart; aspect, level and layer only if the table has several of them.
struct TableColumns {
    bool aspect, level, layer, z, s;
};

void append_rows(const ImageLayout& image, const Subresource& part, uint32_t layer, const TableColumns& columns,
                 const std::function<void(std::string_view)>& write,
                 const std::function<void(uint64_t elements)>& advance) {
    const Coord extent = extent_el(image, part);
    const AxisTables tables(layout_of_layer(part, layer), extent);
    std::string before;
    if (columns.aspect) before += fmt::format("{},", aspect_name(part.aspect));
    if (columns.level) before += fmt::format("{},", part.level);
    if (columns.layer) before += fmt::format("{},", layer);
    std::vector<uint64_t> offsets(extent[axis_x]);
    for (uint32_t s = 0; s < extent[axis_s]; s++)
        for (uint32_t z = 0; z < extent[axis_z]; z++)
            for (uint32_t y = 0; y < extent[axis_y]; y++) {
                tables.row(y, z, s, offsets.data());
                std::string behind = fmt::format(",{}", y);
                if (columns.z) behind += fmt::format(",{}", z);
                if (columns.s) behind += fmt::format(",{}", s);
                std::string row;
                for (uint32_t x = 0; x < extent[axis_x]; x++)
                    fmt::format_to(std::back_inserter(row), "{}{}{},{}\n", before, x, behind, offsets[x]);
                write(row);
                advance(((uint64_t{s} * extent[axis_z] + z) * extent[axis_y] + y + 1) * extent[axis_x]);
            }
}

/// Writes every element's offset: as solve reads it if there is one subresource; otherwise with columns that name the
/// subresource.
void write_table(const LayoutOptions& options, const ImageLayout& image) {
    struct Chosen {
        const Subresource* part;
        uint32_t layer;
    };
    if (options.level || options.layer || options.aspect) {
        const Aspect aspect = options.aspect ? *options.aspect : aspects_of(image).front();
        address_of(image, {aspect, first_or(options.level), first_or(options.layer)});  // throws if there is none
    }
    std::vector<Chosen> chosen;
    for (const Subresource& part : image.subresources)
        for (uint32_t layer = part.layer; layer < part.layer + part.layers; layer++)
            if (part.level == options.level.value_or(part.level) && layer == options.layer.value_or(layer) &&
                part.aspect == options.aspect.value_or(part.aspect))
                chosen.push_back({&part, layer});
    const Chosen& first = chosen.front();
    const auto varies = [&](const auto& value) {
        return std::ranges::any_of(chosen, [&](const Chosen& c) { return value(c) != value(first); });
    };
    const auto element_bytes = [](const Chosen& c) { return c.part->layout.pattern.element.bytes; };
    const TableColumns columns = {.aspect = varies([](const Chosen& c) { return c.part->aspect; }),
                                  .level = varies([](const Chosen& c) { return c.part->level; }),
                                  .layer = varies([](const Chosen& c) { return c.layer; }),
                                  .z = image.extent_px[2] > 1,
                                  .s = image.samples > 1};
    std::string head = printable(fmt::format("# {} {}: {}, {}", image.format, extent_text(image.extent_px),
                                             layout_source_name(image.source), image.evidence)) +
                       "\n";
    if (!varies(element_bytes)) head += fmt::format("# bytes_per_texel: {}\n", element_bytes(first));
    head += fmt::format("{}{}{}x,y{}{},byte_offset\n", columns.aspect ? "aspect," : "", columns.level ? "level," : "",
                        columns.layer ? "layer," : "", columns.z ? ",z" : "", columns.s ? ",s" : "");
    uint64_t total = 0, before = 0;
    for (const Chosen& c : chosen)
        if (__builtin_add_overflow(total, element_count(extent_el(image, *c.part)), &total)) total = ~uint64_t{0};
    constexpr uint64_t most = uint64_t{1} << 32;
    if (total > most)
        throw Error(
            fmt::format("a table of {} elements: at most {} are written; choose with --level and --layer, or "
                        "ask for one texel: --at",
                        total, most));
    Progress progress("elements");
    const Advance listener = progress.listener();
    write_file(options.table, [&](const auto& write) {
        write(head);
        for (const Chosen& c : chosen) {
            append_rows(image, *c.part, c.layer, columns, write,
                        [&](uint64_t done) { tell(listener, before + done, total); });
            before += element_count(extent_el(image, *c.part));
        }
    });
}

void tell_layout(const LayoutOptions& options, const Globals& globals) {
    if (!options.table.empty() && !options.at.empty())
        throw UsageError("--at and --table ask for different things: give one of them");
    if (options.table == "-" && globals.json)
        throw UsageError("table and JSON would both go to standard output: write the table to a file");
    if (!options.table.empty() && options.sample)
        throw UsageError("--sample chooses a texel, and a table has all samples: give --at, or leave it out");
    if (options.table.empty() && options.at.empty() &&
        (options.level || options.layer || options.sample || options.aspect))
        throw UsageError("--aspect, --level, --layer and --sample choose a texel or a table: give --at or --table");
    const FoundImage found = find_asked_image(options.image, globals);
    tell_assumptions(found);
    if (!options.table.empty()) return write_table(options, found.image);
    if (!options.at.empty()) return print_addresses(options, found.image, globals);
    const std::optional<uint64_t>& modifier = options.image.about.modifier;
    if (!globals.json) {
        print_image(found);
        if (modifier) print_text("\n");
        if (modifier) print_modifier(decode_modifier(*modifier));
        return;
    }
    Json json = to_json(found.image);
    if (modifier) json["modifier"] = to_json(decode_modifier(*modifier));
    if (!found.other_usages.empty()) json["other_usages"] = other_usages_json(found);
    print_json(json);
}

}  // namespace

void add_layout_command(CLI::App& app, const Globals& globals) {
    auto* command =
        app.add_subcommand("layout", "show where each texel of a whole image lies: all levels, layers, aspects");
    auto options = std::make_shared<LayoutOptions>();
    add_image_options(*command, options->image);
    command->add_option_function<std::vector<std::string>>(
        "--at",
        [options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) options->at.push_back(parse_texel(text));
        },
        "print the byte offset of texel x,y or x,y,z; may be given several times");
    auto* verify =
        command
            ->add_option("--verify", options->check.count,
                         "draw this many random images for the device here, then predict, probe and compare them")
            ->check(CLI::Range(1U, 1'000'000U));
    command->add_option("--seed", options->check.seed, "random seed for --verify")
        ->capture_default_str()
        ->needs(verify);
    command->add_option("--max-side", options->check.max_side, "largest side for --verify, in texels")
        ->check(CLI::Range(1U, 16384U))
        ->capture_default_str()
        ->needs(verify);
    command->add_option("--jobs", options->check.jobs, "worker processes for --verify")
        ->check(CLI::Range(1, 64))
        ->capture_default_str()
        ->needs(verify);
    command->add_option("--route", options->check.route, "route for --verify: alias, alias-map or host-copy")
        ->needs(verify);
    command->add_option("--table", options->table, "write every element's offset as CSV; - is standard output");
    command->add_option("--level", options->level, "level for --at (default: 0) or --table (default: all)");
    command->add_option("--layer", options->layer, "layer for --at (default: 0) or --table (default: all)");
    command->add_option("--sample", options->sample, "sample for --at; default: 0");
    add_aspect_option(*command, options->aspect, "color, depth, stencil, plane0, plane1, plane2");
    // The images of --verify are random: only their type, samples, format and usage can be chosen.
    for (const char* of_one_image :
         {"--at",     "--table",         "--level",    "--layer",    "--sample",   "--aspect",
          "--extent", "--levels",        "--layers",   "--flags",    "--pattern",  "--equation",
          "--layout", "--element-bytes", "--mode",     "--modifier", "--param",    "--base",
          "--pitch",  "--stride-x",      "--stride-y", "--stride-z", "--constant", "--layer-stride"})
        verify->excludes(command->get_option(of_one_image));
    command->callback([options, &globals] {
        if (options->check.count > 0)
            check_layouts(options->check, options->image, globals);
        else
            tell_layout(*options, globals);
    });
}

}  // namespace tilewise
