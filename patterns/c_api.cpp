#include "patterns/c_api.h"
#include "patterns/convert/checked.h"
#include "patterns/convert/convert.h"
#include "patterns/model/error.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/model/json_limits.h"
#include "patterns/model/layout_json.h"
#include "patterns/remap/remap.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

struct tilewise_layout {
    tilewise::Layout layout;
};

struct tilewise_image {
    tilewise::ImageLayout image;
};

namespace {

using namespace tilewise;

/// Terminated by a zero. Not a std::string: mingw-w64 destroys thread_local objects after their memory was freed.
thread_local std::array<char, 4096> last_error = {};

void remember(std::string_view what) noexcept {
    const size_t length = what.copy(last_error.data(), last_error.size() - 1);
    last_error[length] = 0;
}

/// Runs code that may throw, and turns exceptions into a result.
template <class Work>
tilewise_result guarded(const Work& work) noexcept {
    try {
        return work();
    } catch (const Error& error) {
        remember(error.what());
    } catch (const std::bad_alloc&) {
        remember("out of memory");
    } catch (const std::length_error&) {
        remember("out of memory");
    } catch (...) {
        remember("an unexpected error");
    }
    return TILEWISE_ERROR;
}

template <class... Pointers>
void check_given(Pointers... pointers) {
    const bool any_missing = (!pointers || ...);
    if (any_missing) throw Error("a pointer that must be given is NULL");
}

Coord coord_of(const uint32_t values[3], uint32_t samples) { return {values[0], values[1], values[2], samples}; }

Coord extent_of(const uint32_t extent[3]) {
    if (std::find(extent, extent + 3, 0U) != extent + 3) throw Error("an extent has a side of 0");
    return coord_of(extent, 1);
}

Box box_of(const tilewise_box& box) {
    for (int a = 0; a < 3; a++)
        if (box.extent[a] > std::numeric_limits<uint32_t>::max() - box.from[a]) throw Error(beyond_32_bits);
    return {coord_of(box.from, 0), extent_of(box.extent)};
}

Pitch pitch_of(const tilewise_pitch* pitch) {
    return pitch == nullptr ? Pitch{} : Pitch{.row = pitch->row, .slice = pitch->slice};
}

Aspect aspect_of(tilewise_aspect aspect) {
    if (static_cast<unsigned>(aspect) >= aspect_count) throw Error("there is no such aspect");
    return static_cast<Aspect>(aspect);
}

void write(const Coord& coord, uint32_t out[3]) { std::copy_n(coord.begin(), 3, out); }

/// Returns the layout itself, also from what `tilewise solve --json` prints. For a whole image, as
/// `tilewise layout --json` prints it, throws Error that says where its layouts are.
const nlohmann::json& layout_in(const nlohmann::json& json) {
    if (json.contains("layout")) return json["layout"];
    if (json.contains("subresources"))
        throw Error(
            "this is a whole image: each of its \"subresources\" has a \"layout\"; give one of these, or read all by "
            "tilewise_image_from_json()");
    return json;
}

}  // namespace

const char* tilewise_error() { return last_error.data(); }

tilewise_layout* tilewise_layout_from_json(const char* text, size_t length) {
    tilewise_layout* made = nullptr;
    guarded([&] {
        check_given(text);
        const auto json = parse_json({text, length}, "the layout");
        made = new tilewise_layout{layout_from_json(layout_in(json))};
        return TILEWISE_OK;
    });
    return made;
}

tilewise_layout* tilewise_layout_dense(const tilewise_layout* layout, const uint32_t extent[3]) {
    tilewise_layout* made = nullptr;
    guarded([&] {
        check_given(layout, extent);
        made = new tilewise_layout{dense_layout(layout->layout, extent_of(extent))};
        return TILEWISE_OK;
    });
    return made;
}

void tilewise_layout_free(tilewise_layout* layout) { delete layout; }

tilewise_result tilewise_pattern_id(const tilewise_layout* layout, char id[17]) {
    return guarded([&] {
        check_given(layout, id);
        std::strcpy(id, pattern_id(layout->layout.pattern).c_str());
        return TILEWISE_OK;
    });
}

tilewise_result tilewise_layout_describe(const tilewise_layout* layout, tilewise_layout_info* info) {
    return guarded([&] {
        check_given(layout, info);
        const Layout& from = layout->layout;
        const Element& element = from.pattern.element;
        *info = {element.bytes, element.width, element.height, {}, from.pattern.tile_bytes, {},
                 from.base,     from.constant};
        std::copy_n(from.pattern.tile.begin(), 3, info->tile);
        std::copy_n(from.stride.begin(), 3, info->stride);
        return TILEWISE_OK;
    });
}

tilewise_result tilewise_offset_of(const tilewise_layout* layout, const uint32_t element[3], uint64_t* offset) {
    return guarded([&] {
        check_given(layout, element, offset);
        *offset = offset_of(layout->layout, coord_of(element, 0));
        return TILEWISE_OK;
    });
}

tilewise_result tilewise_element_of(const tilewise_layout* layout, const uint32_t extent[3], uint64_t offset,
                                    uint32_t element[3]) {
    return guarded([&] {
        check_given(layout, extent, element);
        const std::optional<Coord> found = element_of(layout->layout, extent_of(extent), offset);
        if (!found) return TILEWISE_NOTHING;
        write(*found, element);
        return TILEWISE_OK;
    });
}

tilewise_result tilewise_offsets_of(const tilewise_layout* layout, const uint32_t* elements, size_t count,
                                    uint64_t* offsets) {
    return guarded([&] {
        check_given(layout);
        if (count > 0) check_given(elements, offsets);
        for (size_t i = 0; i < count; i++) offsets[i] = offset_of(layout->layout, coord_of(elements + 3 * i, 0));
        return TILEWISE_OK;
    });
}

tilewise_result tilewise_elements_of(const tilewise_layout* layout, const uint32_t extent[3], const uint64_t* offsets,
                                     size_t count, uint32_t* elements) {
    return guarded([&] {
        check_given(layout, extent);
        if (count > 0) check_given(offsets, elements);
        const ElementFinder find(layout->layout, extent_of(extent));
        for (size_t i = 0; i < count; i++) {
            const std::optional<Coord> found = find(offsets[i]);
            if (found)
                write(*found, elements + 3 * i);
            else
                std::fill_n(elements + 3 * i, 3, TILEWISE_NOWHERE);
        }
        return TILEWISE_OK;
    });
}

tilewise_result tilewise_tiled_bytes(const tilewise_layout* layout, const tilewise_box* box, uint64_t* bytes) {
    return guarded([&] {
        check_given(layout, box, bytes);
        *bytes = tiled_bytes(layout->layout, box_of(*box));
        return TILEWISE_OK;
    });
}

tilewise_result tilewise_rows_bytes(const tilewise_layout* layout, const tilewise_box* box, const tilewise_pitch* pitch,
                                    uint64_t* bytes) {
    return guarded([&] {
        check_given(layout, box, bytes);
        *bytes = rows_bytes(layout->layout.pattern.element, box_of(*box).extent, pitch_of(pitch));
        return TILEWISE_OK;
    });
}

tilewise_result tilewise_detile(const tilewise_layout* layout, const tilewise_box* box, const void* tiled,
                                uint64_t tiled_bytes, void* rows, uint64_t rows_bytes, const tilewise_pitch* pitch) {
    return guarded([&] {
        check_given(layout, box, tiled, rows);
        detile(layout->layout, box_of(*box), {static_cast<const std::byte*>(tiled), tiled_bytes},
               {static_cast<std::byte*>(rows), rows_bytes}, pitch_of(pitch));
        return TILEWISE_OK;
    });
}

tilewise_result tilewise_tile(const tilewise_layout* layout, const tilewise_box* box, const void* rows,
                              uint64_t rows_bytes, const tilewise_pitch* pitch, void* tiled, uint64_t tiled_bytes) {
    return guarded([&] {
        check_given(layout, box, rows, tiled);
        tile(layout->layout, box_of(*box), {static_cast<const std::byte*>(rows), rows_bytes},
             {static_cast<std::byte*>(tiled), tiled_bytes}, pitch_of(pitch));
        return TILEWISE_OK;
    });
}

tilewise_image* tilewise_image_from_json(const char* text, size_t length) {
    tilewise_image* made = nullptr;
    guarded([&] {
        check_given(text);
        made = new tilewise_image{image_layout_from_json(parse_json({text, length}, "the image layout"))};
        return TILEWISE_OK;
    });
    return made;
}

char* tilewise_image_to_json(const tilewise_image* image) {
    char* made = nullptr;
    guarded([&] {
        check_given(image);
        const std::string text = to_json(image->image).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        made = static_cast<char*>(std::malloc(text.size() + 1));
        if (!made) throw std::bad_alloc();
        std::memcpy(made, text.c_str(), text.size() + 1);
        return TILEWISE_OK;
    });
    return made;
}

void tilewise_text_free(char* text) { std::free(text); }

void tilewise_image_free(tilewise_image* image) { delete image; }

tilewise_result tilewise_image_describe(const tilewise_image* image, tilewise_image_info* info) {
    return guarded([&] {
        check_given(image, info);
        const ImageLayout& from = image->image;
        *info = {{}, from.levels, from.layers, from.samples, 0, from.bytes, from.alignment};
        std::ranges::copy(from.extent_px, info->extent);
        for (Aspect aspect : aspects_of(from)) info->aspects |= 1U << static_cast<unsigned>(aspect);
        return TILEWISE_OK;
    });
}

tilewise_result tilewise_image_address(const tilewise_image* image, const tilewise_texel* texel, uint64_t* offset) {
    return tilewise_image_addresses(image, texel, 1, offset);
}

tilewise_result tilewise_image_addresses(const tilewise_image* image, const tilewise_texel* texels, size_t count,
                                         uint64_t* offsets) {
    return guarded([&] {
        check_given(image);
        if (count > 0) check_given(texels, offsets);
        for (size_t i = 0; i < count; i++) {
            const tilewise_texel& texel = texels[i];
            offsets[i] = address_of(
                image->image, {aspect_of(texel.aspect), texel.level, texel.layer, coord_of(texel.at, texel.sample)});
        }
        return TILEWISE_OK;
    });
}

tilewise_layout* tilewise_image_layout(const tilewise_image* image, tilewise_aspect aspect, uint32_t level,
                                       uint32_t layer, uint32_t extent[3]) {
    tilewise_layout* made = nullptr;
    guarded([&] {
        check_given(image, extent);
        const Subresource* part = find_subresource(image->image, aspect_of(aspect), level, layer);
        if (!part) throw Error("the image has no such aspect, level or layer");
        write(extent_el(image->image, *part), extent);
        made = new tilewise_layout{layout_of_layer(*part, layer)};
        return TILEWISE_OK;
    });
    return made;
}

tilewise_result tilewise_derive_workgroup(const tilewise_layout* layout, uint32_t invocations, uint32_t subgroup_size,
                                          uint32_t radius, tilewise_workgroup* workgroup) {
    return guarded([&] {
        check_given(layout, workgroup);
        const Remap remap =
            derive_remap(
                layout->layout.pattern,
                {.invocations = invocations, .subgroup_size = subgroup_size, .radius = radius, .lane_order = {}})
                .remap;
        *workgroup = {};
        write(remap.shape, workgroup->shape);
        if (remap.columns.size() > std::size(workgroup->column))
            throw Error("a workgroup of more than 4096 invocations");
        for (const Coord& column : remap.columns) write(column, workgroup->column[workgroup->bits++]);
        return TILEWISE_OK;
    });
}

void tilewise_workgroup_texel(const tilewise_workgroup* workgroup, uint32_t invocation, uint32_t texel[3]) {
    if (texel == nullptr) return remember("a pointer that must be given is NULL");
    std::fill_n(texel, 3, 0U);
    if (workgroup == nullptr) return remember("a pointer that must be given is NULL");
    if (workgroup->bits > std::size(workgroup->column)) return remember("a workgroup has at most 12 bits");
    for (int a = 0; a < 3; a++)
        for (uint32_t bit = 0; bit < workgroup->bits; bit++)
            if (invocation >> bit & 1) texel[a] ^= workgroup->column[bit][a];
}
