#include "patterns/rules/rule_json.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr EnumNames<Minify, 7> minify_names = {
    "way to halve", {"floor", "ceil", "pow2", "shifted", "below", "shifted_pow2", "own_pow2"}};
constexpr uint64_t max_unit = uint64_t{1} << 24, max_entries = 64;

ordered_json to_json(const Length& length) {
    return {{"minify", minify_names[length.minify]}, {"first", length.first}, {"unit", length.unit}};
}

ordered_json to_json(const std::vector<Bound>& bounds) {
    ordered_json list = ordered_json::array();
    for (const Bound& bound : bounds) {
        ordered_json one = {{"feature", feature_names[bound.feature]}};
        if (bound.min > 0) one["min"] = bound.min;
        if (bound.max != UINT64_MAX) one["max"] = bound.max;
        list.push_back(std::move(one));
    }
    return list;
}

[[noreturn]] void fail(const char* name, const char* what) { throw Error(fmt::format("rule: \"{}\" {}", name, what)); }

const json& at(const json& object, const char* name) {
    if (!object.is_object() || !object.contains(name)) fail(name, "is missing");
    return object[name];
}

uint64_t number(const json& object, const char* name, uint64_t min, uint64_t max) {
    const json& value = at(object, name);
    if (!value.is_number_unsigned() || value.get<uint64_t>() < min || value.get<uint64_t>() > max)
        fail(name, "is not a whole number, or is out of range");
    return value.get<uint64_t>();
}

bool truth(const json& object, const char* name) {
    if (!at(object, name).is_boolean()) fail(name, "must be true or false");
    return object[name].get<bool>();
}

std::string text(const json& object, const char* name) {
    if (!at(object, name).is_string()) fail(name, "must be a string");
    return object[name].get<std::string>();
}

ImageType image_type(const json& object, const char* name) {
    try {
        return image_type_from_name(text(object, name));
    } catch (const UsageError&) {
        fail(name, "must be 1D, 2D or 3D");
    }
}

const json& list(const json& object, const char* name) {
    if (!at(object, name).is_array() || object[name].size() > max_entries) fail(name, "must be a short list");
    return object[name];
}

/// Earlier versions had more names, and what they stored still uses them.
template <typename Enum, size_t count>
Enum named(const json& object, const char* member, const EnumNames<Enum, count>& names) {
    const std::string name = text(object, member);
    const auto found = std::ranges::find(names.names, name);
    if (found == names.names.end())
        throw Error(fmt::format("rule: \"{}\" is \"{}\", and must be one of {}; learn the rule again", member,
                                printable(name, 40), fmt::join(names.names, ", ")));
    return static_cast<Enum>(found - names.names.begin());
}

Length length_from(const json& object, const char* name) {
    const json& from = at(object, name);
    return {named(from, "minify", minify_names), number(from, "first", 1, max_unit), number(from, "unit", 1, max_unit)};
}

std::vector<Bound> bounds_from(const json& object) {
    std::vector<Bound> bounds;
    for (const json& from : list(object, "bounds")) {
        Bound bound;
        bound.feature = named(from, "feature", feature_names);
        if (from.contains("min")) bound.min = number(from, "min", 0, UINT64_MAX);
        if (from.contains("max")) bound.max = number(from, "max", 0, UINT64_MAX);
        bounds.push_back(bound);
    }
    return bounds;
}

std::vector<uint64_t> numbers_from(const json& object, const char* name, uint64_t max) {
    std::vector<uint64_t> numbers;
    for (const json& from : list(object, name)) {
        if (!from.is_number_unsigned() || from.get<uint64_t>() > max) fail(name, "must be whole numbers");
        numbers.push_back(from.get<uint64_t>());
    }
    return numbers;
}

BlockMode mode_from(const json& from) {
    BlockMode mode;
    const Layout block = layout_from_json(at(from, "block"));
    mode.pattern = block.pattern;
    mode.constant = block.constant;
    mode.row = length_from(from, "row");
    mode.span = length_from(from, "span");
    mode.rows = length_from(from, "rows");
    mode.slices = length_from(from, "slices");
    mode.quartered = truth(from, "quartered");
    if (from.contains("grown_slice")) mode.grown_slice = number(from, "grown_slice", 1, max_unit);
    if (from.contains("slice_unit")) mode.slice_unit = number(from, "slice_unit", 1, max_unit);
    mode.level_unit = number(from, "level_unit", 1, max_unit);
    mode.alignment = number(from, "alignment", 1, max_unit);
    mode.layer_unit = number(from, "layer_unit", 1, max_unit);
    mode.image_unit = number(from, "image_unit", 1, max_unit);
    mode.layer_xor = numbers_from(from, "layer_xor", max_unit);
    if (uint64_t{1} << std::min<size_t>(mode.layer_xor.size(), 63) > max_image_layers)
        fail("layer_xor", "has more numbers than there are bits of a layer");
    if (from.contains("layer_factor")) mode.layer_factor = number(from, "layer_factor", 1, max_image_layers);
    if (from.contains("tail"))
        mode.tail = Tail{bounds_from(from["tail"]), numbers_from(from["tail"], "constants", max_unit)};
    return mode;
}

/// The usual values of a rule's members.
const json& usual_members() {
    static const json members = json::parse(R"({
        "aspect": "color", "flags": "", "samples": 1,
        "budget": {"candidates": [], "level0_only": false, "against_smallest": false},
        "smallest_first": false, "last_rows": 1, "layers_inside": false})");
    return members;
}

/// The usual values of a mode's members; a block's element is the rule's.
json usual_mode(const json& rule) {
    static const json members = json::parse(R"({
        "block": {"outer_xor": {}, "stride": {"x": 0, "y": 0, "z": 0, "xor": {}}, "constant": 0, "base": 0},
        "row": {"minify": "floor", "first": 1, "unit": 1}, "span": {"minify": "floor", "first": 1, "unit": 1},
        "rows": {"minify": "floor", "first": 1, "unit": 1}, "slices": {"minify": "floor", "first": 1, "unit": 1},
        "quartered": false, "level_unit": 1, "alignment": 1, "layer_unit": 1, "image_unit": 1, "layer_xor": []})");
    json mode = members;
    if (rule.contains("element")) mode["block"]["element"] = rule["element"];
    return mode;
}

void leave_out(json& object, const json& usual) {
    for (const auto& [name, value] : usual.items()) {
        const auto found = object.find(name);
        if (found == object.end()) continue;
        if (*found == value)
            object.erase(found);
        else if (found->is_object() && value.is_object())
            leave_out(*found, value);
    }
}

void fill_in(json& object, const json& usual) {
    for (const auto& [name, value] : usual.items()) {
        const auto found = object.find(name);
        if (found == object.end())
            object[name] = value;
        else if (found->is_object() && value.is_object())
            fill_in(*found, value);
    }
}

template <typename Change>
json changed(json rule, Change change) {
    if (!rule.is_object()) return rule;
    if (const auto modes = rule.find("modes"); modes != rule.end() && modes->is_array()) {
        const json usual = usual_mode(rule);
        for (json& mode : *modes)
            if (mode.is_object()) change(mode, usual);
    }
    change(rule, usual_members());
    return rule;
}

}  // namespace

json without_usual_members(json rule) { return changed(std::move(rule), leave_out); }

json with_usual_members(json rule) { return changed(std::move(rule), fill_in); }

ordered_json to_json(const Rule& rule) {
    ordered_json modes = ordered_json::array(), choices = ordered_json::array(), candidates = ordered_json::array();
    for (const BlockMode& mode : rule.modes) {
        Layout layout;
        layout.pattern = mode.pattern;
        layout.constant = mode.constant;
        ordered_json one = {
            {"block", to_json(layout)},      {"row", to_json(mode.row)},       {"span", to_json(mode.span)},
            {"rows", to_json(mode.rows)},    {"slices", to_json(mode.slices)}, {"quartered", mode.quartered},
            {"level_unit", mode.level_unit}, {"alignment", mode.alignment},    {"layer_unit", mode.layer_unit},
            {"image_unit", mode.image_unit}, {"layer_xor", mode.layer_xor}};
        if (mode.grown_slice > 1) one["grown_slice"] = mode.grown_slice;
        if (mode.slice_unit > 1) one["slice_unit"] = mode.slice_unit;
        if (mode.layer_factor > 1) one["layer_factor"] = mode.layer_factor;
        if (mode.tail) one["tail"] = {{"bounds", to_json(mode.tail->bounds)}, {"constants", mode.tail->constants}};
        modes.push_back(std::move(one));
    }
    for (const Choice& choice : rule.choices)
        choices.push_back({{"mode", choice.mode}, {"bounds", to_json(choice.bounds)}});
    for (const Candidate& c : rule.budget.candidates) {
        candidates.push_back({{"mode", c.mode}, {"numerator", c.numerator}, {"denominator", c.denominator}});
        if (!c.bounds.empty()) candidates.back()["bounds"] = to_json(c.bounds);
        if (c.of_texels) candidates.back()["of_texels"] = true;
    }
    // Two members of the budget are false in every rule, since no driver needs what they meant. But rules are
    // identified by a hash of their JSON, which includes them.
    ordered_json out = {
        {"element", {{"bytes", rule.element.bytes}, {"width", rule.element.width}, {"height", rule.element.height}}},
        {"aspect", aspect_name(rule.aspect)},
        {"image_type", rule.image_type},
        {"usage", rule.usage},
        {"flags", rule.flags},
        {"samples", rule.samples},
        {"modes", modes},
        {"choices", choices},
        {"budget", {{"candidates", candidates}, {"level0_only", false}, {"against_smallest", false}}},
        {"smallest_first", rule.smallest_first},
        {"last_rows", rule.last_rows},
        {"layers_inside", rule.layers_inside},
        {"max_extent", rule.max_extent_px},
        {"max_levels", rule.max_levels},
        {"max_layers", rule.max_layers},
        {"probes", rule.probes}};
    if (rule.budget.halved) out["budget"]["halved"] = true;
    if (rule.bare_end) out["bare_end"] = true;
    if (rule.whole_chain) out["whole_chain"] = true;
    if (rule.padded_layers) out["padded_layers"] = true;
    if (rule.quarter_slices) out["quarter_slices"] = true;
    if (rule.samples_outside) out["samples_outside"] = true;
    return out;
}

Rule rule_from_json(const json& from) {
    Rule rule;
    const json& element = at(from, "element");
    rule.element = {static_cast<uint32_t>(number(element, "bytes", 1, max_element_bytes)),
                    static_cast<uint32_t>(number(element, "width", 1, 16)),
                    static_cast<uint32_t>(number(element, "height", 1, 16))};
    rule.aspect = aspect_from_name(text(from, "aspect"));
    rule.image_type = image_type(from, "image_type");
    rule.usage = text(from, "usage");
    rule.flags = text(from, "flags");
    rule.samples = static_cast<uint32_t>(number(from, "samples", 1, max_image_samples));
    for (const json& mode : list(from, "modes")) {
        rule.modes.push_back(mode_from(mode));
        rule.modes.back().pattern.element = rule.element;
    }
    if (rule.modes.empty()) fail("modes", "is empty");
    const auto mode_of = [&](const json& one) {
        return static_cast<uint32_t>(number(one, "mode", 0, rule.modes.size() - 1));
    };
    for (const json& choice : list(from, "choices")) rule.choices.push_back({mode_of(choice), bounds_from(choice)});
    const json& budget = at(from, "budget");
    for (const json& c : list(budget, "candidates"))
        rule.budget.candidates.push_back({mode_of(c), number(c, "numerator", 1, 4096),
                                          number(c, "denominator", 1, 4096),
                                          c.contains("bounds") ? bounds_from(c) : std::vector<Bound>(),
                                          c.contains("of_texels") && truth(c, "of_texels")});
    for (const char* name : {"level0_only", "against_smallest"})
        if (truth(budget, name)) fail(name, "must be false; learn the rule again");
    rule.budget.halved = budget.contains("halved") && truth(budget, "halved");
    rule.smallest_first = truth(from, "smallest_first");
    rule.last_rows = number(from, "last_rows", 1, 4096);
    rule.layers_inside = truth(from, "layers_inside");
    rule.whole_chain = from.contains("whole_chain") && truth(from, "whole_chain");
    rule.bare_end = from.contains("bare_end") && truth(from, "bare_end");
    rule.samples_outside = from.contains("samples_outside") && truth(from, "samples_outside");
    rule.padded_layers = from.contains("padded_layers") && truth(from, "padded_layers");
    rule.quarter_slices = from.contains("quarter_slices") && truth(from, "quarter_slices");
    const json& extent = list(from, "max_extent");
    if (extent.size() != 3) fail("max_extent", "must be three numbers");
    for (unsigned a = 0; a < 3; a++) {
        if (!extent[a].is_number_unsigned() || extent[a] < 1 || extent[a] > max_rule_side_px)
            fail("max_extent", "is wrong");
        rule.max_extent_px[a] = extent[a].get<uint32_t>();
    }
    rule.max_levels = static_cast<uint32_t>(number(from, "max_levels", 1, max_image_levels));
    rule.max_layers = static_cast<uint32_t>(number(from, "max_layers", 1, max_image_layers));
    rule.probes = static_cast<uint32_t>(number(from, "probes", 0, UINT32_MAX));
    return rule;
}

}  // namespace tilewise
