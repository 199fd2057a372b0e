// What people type in of a pattern: equations, modifiers, modes with their parameters.
#include "patterns/convert/convert.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/equation_text.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/layout_text.h"
#include "patterns/model/one_to_one.h"
#include "patterns/model/text.h"
#include "patterns/modes/defined_modes.h"
#include "tests/fuzz/targets.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

namespace tilewise::fuzz {

namespace {

constexpr uint64_t most_typed_elements = 1 << 12;

/// Every element of an image, or of its first rows, has bytes of its own.
void require_apart(const Layout& layout, Coord extent) {
    require(why_not_one_to_one(layout, extent) == nullptr, "what a text defines is one-to-one");
    for (Axis a : all_axes) extent[a] = static_cast<uint32_t>(std::min<uint64_t>(extent[a], 64));
    while (element_count(extent) > most_typed_elements) *std::ranges::max_element(extent) /= 2;
    std::vector<uint64_t> offsets;
    for (uint64_t i = 0; i < element_count(extent); i++)
        offsets.push_back(offset_of(layout, element_at_index(extent, i)));
    std::ranges::sort(offsets);
    for (size_t i = 1; i < offsets.size(); i++)
        require(offsets[i] - offsets[i - 1] >= layout.pattern.element.bytes, "no two elements share a byte");
}

/// Numbers at the head of the input: what kind of image is asked about.
struct Asked {
    Element element;
    Coord extent = unit_extent;
};

bool take_asked(Input& input, Asked& asked) {
    constexpr size_t head = 4;
    if (input.size() < head) return false;
    constexpr std::array<uint32_t, 8> sizes = {1, 2, 4, 8, 16, 12, 3, 6};
    asked.element = {sizes[input[0] % sizes.size()], input[0] & 64 ? 4U : 1U, input[0] & 64 ? 4U : 1U};
    // Up to the largest sides that there are.
    asked.extent = {1U << (input[1] % 25), 1U << (input[2] % 25), input[3] % 8 == 0 ? 5U : 1U, 1};
    for (Axis a : {axis_x, axis_y}) asked.extent[a] -= asked.extent[a] > 7 ? input[3] / 8 % 4 : 0;
    input = input.subspan(head);
    return true;
}

void require_defined(const ModeRequest& request, const Asked& asked) {
    accepted([&] {
        describe(request);
        const Layout layout = defined_layout(request, asked.element, asked.extent);
        require_apart(layout, asked.extent);
        require(layout_from_json(to_json(layout)).pattern.tile == layout.pattern.tile, "it is written and read back");
        defined_layout(request, asked.element);
    });
}

}  // namespace

void equations(Input input) {
    Asked asked;
    if (!take_asked(input, asked)) return;
    accepted([&] {
        const Layout layout = layout_by_equation(text_of(input), asked.element, input.size() % 2 == 0);
        require(layout_from_json(to_json(layout)) == layout, "a layout that was written is read back");
        require_apart(layout, layout.pattern.tile);
        accepted([&] {
            const Layout dense = dense_layout(layout.pattern, asked.extent);
            accepted([&] { tiled_bytes(dense, {{}, asked.extent}); });
            if (why_not_one_to_one(dense, asked.extent) == nullptr) require_apart(dense, asked.extent);
        });
        // What an equation is shown as can be typed in again.
        std::string shown;
        for (unsigned bit = 0; uint64_t{1} << bit < layout.pattern.tile_bytes / layout.pattern.offset_unit(); bit++) {
            const std::string inner = equation_row(layout.pattern.equation, bit),
                              outer = equation_row(layout.pattern.outer_xor, bit, "t");
            shown += (bit == 0 ? "" : " ") + (outer == "0" ? inner : inner == "0" ? outer : inner + "^" + outer);
        }
        require(shown.empty() || layout_by_equation(shown, asked.element).pattern.equation == layout.pattern.equation,
                "an equation that was shown is typed in as it was");
    });
}

void modifiers(Input input) {
    Asked asked;
    if (!take_asked(input, asked)) return;
    const std::string_view text = text_of(input);
    accepted([&] { parse_modifier(text); });
    uint64_t number = 0;
    if (input.size() >= sizeof number) std::memcpy(&number, input.data(), sizeof number);
    for (const uint64_t one : {number, drm_modifier_number(text).value_or(0)}) {
        const DrmModifier decoded = decode_modifier(one);
        to_json(decoded).dump();
        // libdrm's name leaves out what it does not print: bits of no field, the packers of modes without an XOR.
        if (!decoded.name.empty())
            for (const std::string& name : {decoded.name, drm_modifier_text(one)})
                if (const auto again = drm_modifier_number(name))
                    require(decode_modifier(*again).name == decoded.name, "a modifier's name is its own");
        require(parse_modifier(drm_modifier_text(one)) == one, "a modifier that was written is read back");
        accepted([&] { require_defined(request_of_modifier(one), asked); });
    }
    // "block_linear gobs=16 kind=fermi"
    const std::vector<std::string> words = split(text, ' ');
    if (words.empty()) return;
    ModeRequest request = {words.front(), {}};
    for (size_t i = 1; i < words.size(); i++) {
        const size_t equals = words[i].find('=');
        if (equals != std::string::npos) request.parameters[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    }
    if (is_defined_mode(request.mode)) require_defined(request, asked);
}

}  // namespace tilewise::fuzz
