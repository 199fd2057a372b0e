#include "tests/prove/prove.h"
#include "db/catalog.h"
#include "patterns/model/bits.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/model/layout_json.h"
#include "patterns/solve/solve.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/ranges.h>
#include <set>

namespace tilewise::prove {

namespace {

std::vector<KnownLayout> some_layouts(Share of_catalog) {
    const char* wanted = std::getenv("TILEWISE_PROVE");
    if (wanted && std::string_view(wanted) == "all") of_catalog = {};
    std::vector<KnownLayout> known;
    std::set<std::pair<std::string, uint64_t>> seen;
    const auto add = [&](const std::string& name, const Layout& layout) {
        if (seen.emplace(pattern_id(layout.pattern), layout.constant).second) known.push_back({name, layout});
    };
    std::vector<std::string> tables;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/tests/data/layouts"))
        if (entry.path().extension() == ".xz") tables.push_back(entry.path().stem().stem().string());
    std::ranges::sort(tables);
    for (const std::string& table : tables) add(table, solve(parse_table_csv(layout_table(table))).layout);
    unsigned index = 0;
    for (const db::CatalogFile& file : db::embedded_catalog()) {
        const nlohmann::json bundle = nlohmann::json::parse(file.text);
        for (const auto& pattern : bundle.at("patterns"))
            if (index++ % of_catalog.one_in == of_catalog.first)
                add(fmt::format("{} {}", file.name, pattern.at("id").get<std::string>()),
                    layout_from_json(pattern.at("layout")));
    }
    return known;
}

}  // namespace

std::vector<KnownLayout> known_layouts() { return some_layouts({}); }

std::array<uint64_t, axis_count> strides(const Pattern& pattern, const Coord& extent, uint64_t gap) {
    std::array<uint64_t, axis_count> stride = {};
    uint64_t span = pattern.tile_bytes, changed = 0;
    for (const Axis axis : pattern.order) {
        const uint64_t tiles = ceil_div(extent[axis], pattern.tile[axis]);
        // What F changes must lie below the strides of the axes that it reads, and of those outside of them.
        for (const uint64_t column : pattern.index_xor.columns[axis]) changed |= column;
        const uint64_t step = pattern.tile_bytes << std::bit_width(changed);
        if (tiles == 1) continue;
        span = round_up(span, step) + gap * step;
        stride[axis] = span;
        span *= tiles;
    }
    return stride;
}

namespace {

/// Whole images, as drivers lay them out, and one that none does: samples, layers inside levels, one layer at no
/// constant distance.
std::vector<std::pair<std::string, ImageLayout>> known_images() {
    std::vector<std::pair<std::string, ImageLayout>> images;
    const std::string folder = source_dir() + "/tests/data/images";
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
    std::ranges::sort(paths);
    images.reserve(paths.size());
    for (const auto& path : paths)
        images.emplace_back(path.stem().string(), image_layout_from_json(nlohmann::json::parse(read_text(path))));
    return images;
}

/// The image with a number of whole tiles along each axis and a rest of the last one.
Coord extent_of(const Pattern& pattern, const std::array<uint32_t, 3>& tiles, uint32_t rest) {
    Coord extent = unit_extent;
    for (const Axis axis : {axis_x, axis_y, axis_z})
        extent[axis] = tiles[axis] * pattern.tile[axis] + std::min(rest, pattern.tile[axis] - 1);
    extent[axis_s] = pattern.tile[axis_s];
    for (uint32_t& n : extent) n = std::max(n, 1u);
    return extent;
}

/// Whole images of odd sizes that cover several tiles, less than one tile, and one tile many times along each axis, for
/// what XORs the high bits of the tiles' coordinates; then places scattered over an image as large as can be.
std::vector<Claim::Call> image_calls(const Layout& layout, unsigned offset_bits) {
    const Pattern& pattern = layout.pattern;
    const bool deep = snippet_dimensions(layout) > 2;
    const uint32_t z = deep, many = pattern.is_linear() ? 301 : 9;
    std::vector<Claim::Call> calls;
    // The first image whole; of the others, where they are large, as many places as show every bit many times.
    const auto add = [&](const Coord& extent, uint64_t gap, bool scattered = false) {
        constexpr uint64_t large = 1 << 16;
        scattered |= !calls.empty() && element_count(extent) > large;
        calls.push_back({extent, strides(pattern, extent, gap), scattered});
    };
    add(extent_of(pattern, {2, 3, 2 * z}, 5), 0);
    add(extent_of(pattern, {3, 2, z}, 1), 3);
    add(extent_of(pattern, {0, 0, 0}, 7), 0);
    add(extent_of(pattern, {many, 0, 0}, 3), 1);
    add(extent_of(pattern, {0, many, 0}, 3), 0);
    if (deep) add(extent_of(pattern, {0, 0, many}, 3), 1);

    std::array<uint32_t, 3> tiles = {1, 1, z};
    Coord largest = extent_of(pattern, tiles, 1);
    for (bool grown = true; grown;) {
        grown = false;
        for (const Axis axis : {axis_x, axis_y, axis_z}) {
            if (axis == axis_z && !deep) continue;
            std::array<uint32_t, 3> more = tiles;
            more[axis] = more[axis] * 2 + 1;
            const Coord extent = extent_of(pattern, more, 1);
            const auto stride = strides(pattern, extent, 1);
            uint64_t span = pattern.tile_bytes;
            for (const Axis a : {axis_x, axis_y, axis_z}) span += (more[a] + 1) * stride[a];
            if (more[axis] > 0xffff || std::bit_width(span) > std::min(offset_bits, 60u)) continue;
            tiles = more;
            largest = extent;
            grown = true;
        }
    }
    add(largest, 1, true);
    return calls;
}

std::vector<Claim::Call> grid_calls() {
    std::vector<Claim::Call> calls;
    for (const Coord& groups : {Coord{1, 1, 1, 1}, Coord{1, 37, 1, 1}, Coord{41, 1, 1, 1}, Coord{16, 16, 1, 1},
                                Coord{37, 23, 1, 1}, Coord{7, 5, 3, 1}, Coord{8, 3, 1, 1}, Coord{129, 67, 2, 1}})
        calls.push_back({groups, {groups[0], groups[1], groups[2], 1}});
    return calls;
}

}  // namespace

std::string emit(const Claim& claim, Language language) {
    SnippetRequest request = claim.request;
    request.language = language;
    // Names from outside, in what may end a comment's line or upset a compiler.
    request.provenance =
        "a fault\r\x1b[2J\x7f\xff\u0085fault\u2028fault\u2029fault \u202e\u2066\u200b\ufeff */ /* \"fault\n"
        "#fault ?\?/\nfault \\\nfault \\ \t\r\n";
    return emit_snippet(request);
}

std::string call_text(const Claim& claim, const MakeVector& vector) {
    const auto values = [&](const char* name) {
        std::vector<std::string> all;
        for (unsigned i = 0; i < claim.dimensions; ++i) all.push_back(name + std::to_string(i));
        return all;
    };
    if (claim.request.image) {
        const bool address = claim.request.kind == SnippetKind::address;
        std::string call =
            address ? "tilewise_address(" + vector(values("a"), false) : std::string("tilewise_texel(a0");
        for (unsigned k = 0; k < claim.parameters(); ++k) call += fmt::format(", p{}", k);
        return call + ")";
    }
    switch (claim.request.kind) {
        case SnippetKind::remap:
            return "tilewise_remap(a0)";
        case SnippetKind::group_order:
            return fmt::format("tilewise_group(a0, {})", vector(values("p"), false));
        case SnippetKind::texel:
            return fmt::format("tilewise_texel(a0, {})", vector(values("p"), true));
        case SnippetKind::address:
        case SnippetKind::convert:  // test_convert.cpp and test_kernel.cpp have these
        case SnippetKind::kernel:
            break;
    }
    return fmt::format("tilewise_address({}, {})", vector(values("a"), false), vector(values("p"), true));
}

std::vector<Claim> all_claims(unsigned offset_bits, Share of_catalog) {
    std::vector<Claim> claims;
    std::set<std::string> seen;
    const auto add = [&](Claim&& claim, const std::string& subject) {
        if (seen.insert(subject).second) claims.push_back(std::move(claim));
    };
    const auto add_remap = [&](const std::string& name, const Remap& remap) {
        Claim claim = {name, {}, remap.shape[axis_z] > 1 ? 3u : 2u, {{remap.shape}}};
        claim.request.kind = SnippetKind::remap;
        claim.request.remap = remap;
        add(std::move(claim), fmt::format("remap {} {}", remap.shape, remap.columns));
    };
    const auto add_group_order = [&](const std::string& name, const GroupOrder& order) {
        Claim claim = {name, {}, 3, grid_calls()};
        claim.request.kind = SnippetKind::group_order;
        claim.request.group_order = order;
        add(std::move(claim), fmt::format("group {} {} {} {}", static_cast<int>(order.kind), order.strip_width,
                                          order.tile_groups, order.tile_order));
    };

    for (const Coord& shape : {Coord{16, 16, 1, 1}, Coord{32, 8, 1, 1}, Coord{8, 4, 2, 1}, Coord{64, 1, 1, 1}}) {
        add_remap(fmt::format("row order {}", fmt::join(shape, "x")), row_order(shape));
        add_remap(fmt::format("Morton order {}", fmt::join(shape, "x")), morton_order(shape));
    }
    add_remap("rotated 8x8", rdna_order());
    for (const uint32_t width : {1u, 2u, 5u, 8u, 16u})
        add_group_order(fmt::format("strips of {}", width), {GroupOrderKind::strips, width, unit_extent});
    add_group_order("linear", {});

    for (const auto& [name, image] : known_images()) {
        for (const SnippetKind kind : {SnippetKind::address, SnippetKind::texel}) {
            const char* what = kind == SnippetKind::address ? "address" : "texel";
            Claim claim = {fmt::format("{} {}", name, what), {}, snippet_dimensions(image), {}};
            claim.request.kind = kind;
            claim.request.image = image;
            for (uint32_t level = 0; level < image.levels; ++level)
                for (uint32_t layer = 0; layer < image.layers; ++layer) {
                    const Subresource* part = find_subresource(image, Aspect::color, level, layer);
                    Claim::Call call = {extent_el(image, *part), {}};
                    unsigned p = 0;
                    if (image.levels > 1) call.parameters[p++] = level;
                    if (image.layers > 1) call.parameters[p++] = layer;
                    claim.calls.push_back(call);
                }
            claims.push_back(std::move(claim));
        }
    }

    constexpr RemapRequest remaps[] = {{64, 32, 0, {}}, {256, 32, 0, {}}, {256, 64, 3, {}}, {1024, 32, 1, {}}};
    for (const KnownLayout& known : some_layouts(of_catalog)) {
        for (const SnippetKind kind : {SnippetKind::address, SnippetKind::texel}) {
            const char* what = kind == SnippetKind::address ? "address" : "texel";
            Claim claim = {known.name + " " + what, {}, snippet_dimensions(known.layout), {}};
            claim.request.kind = kind;
            claim.request.layout = known.layout;
            claim.calls = image_calls(known.layout, offset_bits);
            claims.push_back(std::move(claim));
        }
        if (known.layout.pattern.is_linear()) continue;
        for (const RemapRequest& request : remaps) {
            const Remap remap = derive_remap(known.layout.pattern, request).remap;
            add_remap(fmt::format("{} remap of {}, subgroup {}, radius {}", known.name, request.invocations,
                                  request.subgroup_size, request.radius),
                      remap);
            for (const GroupOrderKind kind : {GroupOrderKind::strips, GroupOrderKind::tiles})
                add_group_order(known.name + " group order", derive_group_order(known.layout.pattern, remap, kind));
        }
    }
    return claims;
}

namespace {

/// Offsets of the whole image (x fastest, then y, z, s), or of the places.
std::vector<uint64_t> offsets(const Layout& layout, const Claim::Call& call, const std::vector<Coord>& places) {
    std::vector<uint64_t> all(places.size());
    if (call.scattered) {
        std::ranges::transform(places, all.begin(), [&](const Coord& at) { return offset_of(layout, at); });
        return all;
    }
    const AxisTables tables(layout, call.extent);
    for (size_t i = 0; i < all.size(); i += call.extent[axis_x])
        tables.row(places[i][axis_y], places[i][axis_z], places[i][axis_s], &all[i]);
    return all;
}

std::vector<Coord> places(const Claim::Call& call) {
    std::vector<Coord> all;
    if (call.scattered) {
        all.resize(20000);
        for (size_t i = 0; i < all.size(); ++i)
            for (const Axis axis : all_axes)
                all[i][axis] = static_cast<uint32_t>(mix(4 * i + axis + 1) % call.extent[axis]);
        return all;
    }
    all.reserve(element_count(call.extent));
    const auto [width, height, depth, samples] = call.extent;
    for (uint32_t s = 0; s < samples; ++s)
        for (uint32_t z = 0; z < depth; ++z)
            for (uint32_t y = 0; y < height; ++y)
                for (uint32_t x = 0; x < width; ++x) all.push_back({x, y, z, s});
    return all;
}

void append(std::vector<uint64_t>& values, const Coord& at, unsigned width) {
    values.insert(values.end(), at.begin(), at.begin() + width);
}

}  // namespace

uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

Question question(const Claim& claim, const Claim::Call& call) {
    Question result;
    const SnippetRequest& request = claim.request;
    const std::vector<Coord> all = places(call);
    result.invocations = all.size();
    result.in.reserve(all.size() * claim.in_width());
    result.expected.reserve(all.size() * claim.out_width());
    if (request.kind == SnippetKind::remap || request.kind == SnippetKind::group_order) {
        for (uint64_t i = 0; i < all.size(); ++i) {
            result.in.push_back(i);
            append(result.expected,
                   request.kind == SnippetKind::remap ? request.remap(static_cast<uint32_t>(i))
                                                      : group_position(request.group_order, call.extent, i),
                   claim.out_width());
        }
        return result;
    }
    Layout layout = request.layout;
    layout.base = 0;
    layout.stride = call.parameters;
    if (const auto& image = request.image) {
        const auto level = static_cast<uint32_t>(image->levels > 1 ? call.parameters[0] : 0);
        const auto layer = static_cast<uint32_t>(image->layers > 1 ? call.parameters[image->levels > 1] : 0);
        layout = layout_of_layer(*find_subresource(*image, Aspect::color, level, layer), layer);
    }
    std::vector<uint64_t> offset = offsets(layout, call, all);
    std::vector<uint64_t>&from = result.in, &to = result.expected;
    if (request.kind == SnippetKind::address) {
        for (const Coord& at : all) append(from, at, claim.dimensions);
        to = std::move(offset);
    } else {
        for (const Coord& at : all) append(to, at, claim.dimensions);
        from = std::move(offset);
        // Any byte of the element will do; each takes its turn.
        for (uint64_t i = 0; i < from.size(); ++i) from[i] += i % layout.pattern.element.bytes;
    }
    return result;
}

bool Proof::compare(const Claim& claim, const Claim::Call& call, const Question& asked, std::span<const uint64_t> got) {
    if (&call == &claim.calls.front()) ++snippets;
    values += asked.invocations;
    if (std::ranges::equal(got, asked.expected)) return true;
    ++wrong_snippets;
    const auto first = static_cast<size_t>(std::ranges::mismatch(got, asked.expected).in1 - got.begin());
    const size_t i = first / claim.out_width();
    const auto text = [](std::span<const uint64_t> all, size_t index, unsigned width) {
        return index * width < all.size() ? fmt::format("({})", fmt::join(all.subspan(index * width, width), ", "))
                                          : "nothing";
    };
    FAIL_CHECK(fmt::format("{}, {}, extent {}, parameters {}: invocation {} of {}: of {} came {}, expected {}",
                           language, claim.name, fmt::join(call.extent, "x"), fmt::join(call.parameters, " "), i,
                           asked.invocations, text(asked.in, i, claim.in_width()), text(got, i, claim.out_width()),
                           text(asked.expected, i, claim.out_width())));
    return false;
}

void Proof::does_not_compile(const Claim& claim, const std::string& why) {
    ++snippets;
    ++wrong_snippets;
    FAIL_CHECK(fmt::format("{}, {}: does not compile: {}", language, claim.name, why));
}

void Proof::summary(const std::string& how, size_t claims) const {
    fmt::print("{}: {} snippets, {} values, {} wrong ({})\n", language, snippets, values, wrong_snippets, how);
    std::fflush(stdout);
    CHECK(snippets == claims);
    CHECK(wrong_snippets == 0);
}

}  // namespace tilewise::prove
