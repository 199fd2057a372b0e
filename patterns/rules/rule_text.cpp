#include "patterns/rules/rule_text.h"
#include "patterns/model/names.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

namespace {

std::string mode_label(size_t mode) {
    const char letter = static_cast<char>('A' + mode % 26);
    return mode < 26 ? std::string(1, letter) : fmt::format("{}{}", letter, mode / 26);
}

const char* minify_text(Minify minify) {
    switch (minify) {
        case Minify::floor:
            return "";
        case Minify::ceil:
            return " (halved, rounded up)";
        case Minify::pow2:
            return " (level 0's power of two, halved)";
        case Minify::shifted:
            return " (level 0's multiple, halved)";
        case Minify::below:
            return " (powers of two below the largest block)";
        case Minify::shifted_pow2:
            return " (of several levels, level 0's power of two, halved)";
        case Minify::own_pow2:
            return " (of several levels, the level's power of two)";
    }
    return "";
}

std::string length_text(const Length& length, const char* what, const char* unit) {
    const std::string first = length.first > 1 ? fmt::format("a multiple of {}, then ", length.first) : "";
    return fmt::format("{} {}a multiple of {}{}{}", what, first, length.unit, unit, minify_text(length.minify));
}

std::string bounds_text(const std::vector<Bound>& bounds) {
    std::vector<std::string> texts;
    for (const Bound& bound : bounds) {
        const char* name = feature_names[bound.feature];
        if (bound.min > 0 && bound.max < UINT64_MAX)
            texts.push_back(fmt::format("{} is {} to {}", name, bound.min, bound.max));
        else if (bound.min > 0)
            texts.push_back(fmt::format("{} is {} or more", name, bound.min));
        else
            texts.push_back(fmt::format("{} is at most {}", name, bound.max));
    }
    return fmt::format("{}", fmt::join(texts, " and "));
}

std::string choices_text(const Rule& rule) {
    std::string text =
        "A level has the first mode whose condition holds (lengths in elements; those with a 0 are level 0's):\n";
    for (const Choice& choice : rule.choices)
        text += fmt::format("  {}  {}\n", mode_label(choice.mode),
                            choice.bounds.empty() ? "otherwise" : "where " + bounds_text(choice.bounds));
    const Budget& budget = rule.budget;
    if (budget.candidates.empty()) return text;
    text += fmt::format("  otherwise all levels have one mode, by the bytes of the whole image in each{}:\n",
                        budget.halved
                            ? " (level 0 in whole blocks, of several levels rounded up to powers of two; "
                              "then halves of it, up to the first that takes half a block or less with all layers)"
                            : "");
    for (size_t i = 0; i < budget.candidates.size(); i++) {
        const Candidate& candidate = budget.candidates[i];
        std::vector<std::string> conditions;
        if (!candidate.bounds.empty()) conditions.push_back(bounds_text(candidate.bounds));
        if (i > 0)
            conditions.push_back(fmt::format("that takes at most {}/{} of the bytes of {}", candidate.numerator,
                                             candidate.denominator,
                                             candidate.of_texels ? "the texels alone" : "the one taken so far"));
        text += fmt::format("    {}{}{}\n", mode_label(candidate.mode), conditions.empty() ? "" : ", where ",
                            fmt::join(conditions, " and "));
    }
    return text;
}

std::string mode_text(const Rule& rule, size_t index) {
    const BlockMode& mode = rule.modes[index];
    const Pattern& pattern = mode.pattern;
    const std::string name = pattern_name(pattern);
    const Coord& tile = pattern.tile;
    std::string text = fmt::format("  {}  {}x{}{} elements{}, {} bytes{}\n", mode_label(index), tile[axis_x],
                                   tile[axis_y], tile[axis_z] > 1 ? fmt::format("x{}", tile[axis_z]) : "",
                                   tile[axis_s] > 1 ? fmt::format(" of {} samples", tile[axis_s]) : "",
                                   pattern.tile_bytes, name.empty() ? "" : ": " + name);
    text += fmt::format(
        "     {}; {}{}; {}{}{}{}\n", length_text(mode.row, "a row takes", " bytes"),
        length_text(mode.rows, "rows are", ""),
        tile[axis_z] > 1 || rule.image_type == ImageType::three_d ? "; " + length_text(mode.slices, "slices are", "")
                                                                  : "",
        mode.quartered ? "a level's blocks are level 0's, quartered; " : "",
        mode.grown_slice > 1 ? fmt::format("a row grows until a slice is a multiple of {} bytes; ", mode.grown_slice)
                             : "",
        mode.slice_unit > 1 ? fmt::format("a slice is a multiple of {} bytes; ", mode.slice_unit) : "",
        fmt::format("a level is a multiple of {} bytes", mode.level_unit));
    text += fmt::format(
        "     images whose level 0 has it: aligned to {}, a multiple of {} bytes; layers a multiple of {}\n",
        mode.alignment, mode.image_unit, mode.layer_unit);
    if (mode.constant != 0)
        text += fmt::format("     every element's place in its block is XORed with {}\n", mode.constant);
    if (mode.tail)
        text += fmt::format(
            "     levels share one block, the tail, from the first on where {}; its level constants are {}\n",
            bounds_text(mode.tail->bounds), fmt::join(mode.tail->constants, ", "));
    if (!mode.layer_xor.empty())
        text += fmt::format("     the bits of {} change the place in a block by {}\n",
                            mode.layer_factor == 1 ? "the layer" : fmt::format("the layer times {}", mode.layer_factor),
                            fmt::join(mode.layer_xor, ", "));
    return text;
}

}  // namespace

std::string rule_text(const Rule& rule) {
    const Extent_px& max = rule.max_extent_px;
    std::string text =
        fmt::format("{} images of {}-byte elements, {}, up to {}x{}x{} texels, {}, {}; {}\n",
                    image_type_name(rule.image_type), rule.element.bytes, counted(rule.samples, "sample"), max[0],
                    max[1], max[2], counted(rule.max_levels, "level"), counted(rule.max_layers, "layer"),
                    rule.probes == 0 ? "as texts describe it" : "learned from " + counted(rule.probes, "image"));
    text += "Modes:\n";
    for (size_t m = 0; m < rule.modes.size(); m++) text += mode_text(rule, m);
    text += choices_text(rule);
    text += fmt::format(
        "In memory: the {} level first; {}.{}{}\n", rule.smallest_first ? "smallest" : "largest",
        rule.layers_inside ? "each level has all its layers" : "each layer has all its levels",
        rule.whole_chain ? " There is room for all levels that the extent allows." : "",
        rule.last_rows > 1 ? fmt::format(" The last level's rows are a multiple of {}.", rule.last_rows) : "");
    if (rule.samples_outside) text += "Each sample has all of that, one after the other.\n";
    if (rule.bare_end)
        text +=
            "Of an image of one layer, the last of several levels ends with its last row, and a single level's rows "
            "are as far apart as a level's bytes count them.\n";
    if (rule.padded_layers) text += "In an image of several levels, a level has room for a power of two of layers.\n";
    if (rule.quarter_slices)
        text +=
            "Behind a level whose rows are an even number of units, a slice takes at least a quarter of one there; "
            "behind the first "
            "level that does not, or takes more, as much as one of that level.\n";
    return text;
}

}  // namespace tilewise
