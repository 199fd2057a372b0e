#include "patterns/snippet/snippet.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/text.h"
#include "patterns/snippet/comment.h"
#include "patterns/snippet/convert_kernel.h"
#include "patterns/snippet/cute.h"
#include "patterns/snippet/function.h"
#include "patterns/snippet/kernel.h"
#include "patterns/snippet/print.h"
#include "patterns/snippet/triton.h"
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

namespace {

constexpr EnumNames<Language, 10> languages = {
    "language", {"glsl", "hlsl", "wgsl", "msl", "cuda", "cpp", "rust", "c-pdep", "triton", "cute"}};
/// Alternative names. HIP compiles the text that is printed for CUDA.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"metal", "msl"}, {"hip", "cuda"}, {"cu", "cuda"}, {"c++", "cpp"}, {"cxx", "cpp"}, {"rs", "rust"}};
constexpr EnumNames<SnippetKind, 6> kinds = {"kind of snippet",
                                             {"remap", "group-order", "address", "texel", "convert", "kernel"}};
constexpr EnumNames<ConvertDirection, 2> directions = {"direction", {"tile", "detile"}};

/// The language's name for the invocation's index, with a comma; empty if it has none.
const char* index_name(Language language) {
    switch (language) {
        case Language::glsl:
            return "gl_LocalInvocationIndex, ";
        case Language::hlsl:
            return "SV_GroupIndex, ";
        case Language::wgsl:
            return "local_invocation_index, ";
        case Language::msl:
            return "thread_index_in_threadgroup, ";
        case Language::cuda:
            return "threadIdx.x of a row of threads, ";
        default:
            return "";
    }
}

std::string remap_comment(const SnippetRequest& request) {
    const Remap& remap = request.remap;
    std::vector<std::string> bits;
    for (const Coord& column : remap.columns) bits.push_back(coordinate_bits(column));
    return fmt::format(
        "index ({}0 to {}) -> texel in a workgroup of {}; where the index's bits go, from the lowest:\n  {}\n",
        index_name(request.language), element_count(remap.shape) - 1, shape_text(remap.shape), fmt::join(bits, " "));
}

/// What remains for the caller of the function; a kernel does it itself.
std::string call_comment(const Remap& remap) {
    return fmt::format("add the workgroup's position * ({}, {}{})\n", remap.shape[axis_x], remap.shape[axis_y],
                       remap.shape[axis_z] > 1 ? fmt::format(", {}", remap.shape[axis_z]) : "");
}

std::string group_comment(const GroupOrder& order) {
    const std::string what =
        order.kind == GroupOrderKind::strips
            ? fmt::format("column strips of {} groups, each row by row", order.strip_width)
        : order.kind == GroupOrderKind::tiles
            ? fmt::format("the image's tiles one by one, {} groups in each", shape_text(order.tile_groups))
            : "row by row";
    return fmt::format(
        "id (0 to groups.x * groups.y * groups.z - 1) -> position of that workgroup:\n  {}\n"
        "groups: workgroups along x, y and z; any numbers\n",
        what);
}

std::string rows_text(const LinearMap& map, const char* prefix, unsigned bits, const char* what) {
    std::string text;
    for (unsigned bit = 0; bit < bits; bit++) {
        const std::string row = equation_row(map, bit, prefix);
        if (row != "0") text += fmt::format("{}{}{}={}", text.empty() ? "" : " ", what, bit, row);
    }
    return text;
}

/// The equation as the address bits in a tile, and the contribution of the tile's coordinates.
std::string equation_comment(const Layout& layout) {
    const Pattern& pattern = layout.pattern;
    const auto bits = static_cast<unsigned>(std::bit_width(pattern.tile_bytes / pattern.offset_unit() - 1));
    std::string text;
    if (!pattern.equation.is_zero())
        text += fmt::format("{} in a tile:\n  {}\n",
                            pattern.counts_elements() ? "bits of the element's index" : "address bits",
                            rows_text(pattern.equation, "", bits, "a"));
    if (!pattern.outer_xor.is_zero())
        text += fmt::format("XORed with bits of the tile's coordinates:\n  {}\n",
                            rows_text(pattern.outer_xor, "t", bits, "a"));
    if (!pattern.index_xor.is_zero())
        text += fmt::format("bits of the tile's index XORed with bits of its coordinates:\n  {}\n",
                            rows_text(pattern.index_xor, "t", 64, "i"));
    if (layout.constant != 0) text += fmt::format("XORed with the constant {:#x}\n", layout.constant);
    return text;
}

std::string layout_comment(const SnippetRequest& request) {
    const Pattern& pattern = request.layout.pattern;
    const bool blocks = pattern.element.width * pattern.element.height > 1;
    std::string text =
        request.kind == SnippetKind::address
            ? "texel -> byte offset from the base of the image (its level and layer)\n"
            : "byte offset from the base of the image (its level and layer) -> the texel that lies there\n";
    if (blocks)
        text += fmt::format("texels here are blocks of {}x{} texels\n", pattern.element.width, pattern.element.height);
    text += fmt::format("stride: bytes from one tile ({} texels, {} bytes) to the next along each axis;{}\n",
                        shape_text(pattern.tile), pattern.tile_bytes,
                        request.kind == SnippetKind::texel ? " 0 where there is only one tile" : " any extent will do");
    return text + equation_comment(request.layout);
}

std::string image_comment(const SnippetRequest& request) {
    const ImageLayout& image = *request.image;
    const Element& element = image.subresources.front().layout.pattern.element;
    std::string which, call;
    if (image.levels > 1) which += ", level", call += fmt::format(", level (0 to {})", image.levels - 1);
    if (image.layers > 1) which += ", layer", call += fmt::format(", layer (0 to {})", image.layers - 1);
    std::string text =
        request.kind == SnippetKind::address
            ? fmt::format("texel{} -> byte offset from the start of the image's memory\n", call)
            : fmt::format("byte offset from the start of the image's memory{} -> the texel{} that lies there\n", call,
                          which.empty() ? "" : " of that" + which.substr(1));
    if (element.width * element.height > 1)
        text += fmt::format("texels here are blocks of {}x{} texels\n", element.width, element.height);
    if (image.samples > 1) text += fmt::format("w is the sample, 0 to {}\n", image.samples - 1);
    return text;
}

}  // namespace

Language language_from_name(std::string_view name) {
    for (const auto& [other, own] : other_names)
        if (to_lower(name) == other) return languages.parse(own);
    return languages.parse(name);
}
SnippetKind snippet_kind_from_name(std::string_view name) { return kinds.parse(name); }
std::string_view language_name(Language language) { return languages[language]; }
std::string_view snippet_kind_name(SnippetKind kind) { return kinds[kind]; }
ConvertDirection convert_direction_from_name(std::string_view name) { return directions.parse(name); }
std::string_view convert_direction_name(ConvertDirection direction) { return directions[direction]; }

std::string emit_snippet(const SnippetRequest& request) {
    if (request.kind == SnippetKind::convert) {
        if (!request.image) throw UsageError("a convert kernel is of a whole image");
        return emit_convert_kernel({.language = request.language,
                                    .direction = request.direction,
                                    .parts = convert_parts(*request.image),
                                    .provenance = request.provenance})
            .code;
    }
    const std::string provenance = request.provenance + (request.provenance.ends_with('\n') ? "" : "\n");
    if (request.kind == SnippetKind::kernel && !request.image)
        return emit_kernel(request, provenance + (request.remap.is_row_order() ? "" : remap_comment(request)));
    if (request.language == Language::triton || request.language == Language::cute) {
        const std::string comment =
            provenance +
            (request.kind == SnippetKind::remap ? remap_comment(request) : equation_comment(request.layout));
        return request.language == Language::triton ? emit_triton(request, comment) : emit_cute(request, comment);
    }
    const bool wide = has_wide_offsets(request.language);
    const std::string code =
        request.image
            ? print_image_functions(image_functions(request, wide),
                                    fmt::format("tilewise_{}", snippet_kind_name(request.kind)), request.language)
            : print_function(snippet_function(request, wide), request.language);
    const std::string comment =
        provenance + (request.image                              ? image_comment(request)
                      : request.kind == SnippetKind::remap       ? remap_comment(request) + call_comment(request.remap)
                      : request.kind == SnippetKind::group_order ? group_comment(request.group_order)
                                                                 : layout_comment(request));
    return comment_lines(comment) + code;
}

std::vector<SnippetCode> emit_in_all_languages(SnippetRequest request) {
    std::vector<SnippetCode> all;
    for (size_t i = 0; i < languages.names.size(); i++) {
        request.language = static_cast<Language>(i);
        try {
            all.push_back({request.language, emit_snippet(request)});
        } catch (const Error&) {
            continue;  // the language cannot express the pattern
        }
    }
    return all;
}

}  // namespace tilewise
