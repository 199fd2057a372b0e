#include "tools/catalog/older_gobs.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "patterns/rules/rule_json.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace tilewise {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::array<uint32_t, 2>, 14> astc_blocks = {{{4, 4},
                                                                  {5, 4},
                                                                  {5, 5},
                                                                  {6, 5},
                                                                  {6, 6},
                                                                  {8, 5},
                                                                  {8, 6},
                                                                  {8, 8},
                                                                  {10, 5},
                                                                  {10, 6},
                                                                  {10, 8},
                                                                  {10, 10},
                                                                  {12, 10},
                                                                  {12, 12}}};

/// Since Turing, bits 4 to 7 of a byte's offset in a GOB are y0, y1, x, y2: replaces them with the older order.
void use_older_order(Json& equation, bool is_tegra) {
    const std::string y0 = equation.at(4), y1 = equation.at(5), x = equation.at(6), y2 = equation.at(7);
    if (y0 != "y0" || y1 != "y1" || !x.starts_with('x') || y2 != "y2")
        throw Error("the rule's blocks do not begin with a GOB as it is since Turing");
    equation[5] = is_tegra ? x : fmt::format("{}^{}", x, y1);
    equation[6] = is_tegra ? y1 : fmt::format("{}^{}", x, y2);
}

/// On Tegra, block formats have the bounds for level 0 that elements of one texel have: tegra_swizzle's
/// block_height_mip0() counts rows of blocks, and half as many more.
void add_bounds_of_level_0(Json& rule) {
    constexpr std::array<std::array<uint32_t, 2>, 4> rows = {{{65, 86}, {33, 43}, {17, 22}, {9, 11}}};
    for (Json& choice : rule.at("choices")) {
        Json& bounds = choice.at("bounds");
        if (bounds.size() != 1 || bounds[0].at("feature") != "height") continue;
        const auto known =
            std::ranges::find(rows, bounds[0].at("min").get<uint32_t>(), [](const auto& row) { return row[0]; });
        if (known == rows.end()) throw Error("the rule's blocks of texels have another height than is known of Tegra");
        bounds.push_back({{"feature", "height0"}, {"min", (*known)[1]}});
    }
}

/// In the rules of an H100, blocks of one GOB are for images that are no higher than a GOB, so that nothing shows how
/// wide it is. With bounds for level 0, such an image may be two GOBs high.
void use_whole_gobs(Json& mode) {
    constexpr uint32_t gob_row_B = 64;
    for (const char* length : {"row", "span"}) mode.at(length)["unit"] = gob_row_B;
}

/// On Tegra, a 3D image that is one slice deep has the blocks of a 2D image: tegra_swizzle's swizzle_surface() looks at
/// the depth alone. `flat` is the rule for 2D images with such elements.
void add_blocks_of_depth_1(Json& rule, const Json& flat) {
    Json& modes = rule.at("modes");
    Json choices = flat.at("choices");
    for (Json& choice : choices) {
        choice["mode"] = choice.at("mode").get<size_t>() + modes.size();
        choice.at("bounds").push_back({{"feature", "depth0"}, {"max", 1U}});
    }
    for (const Json& choice : rule.at("choices")) choices.push_back(choice);
    rule["choices"] = std::move(choices);
    for (const Json& mode : flat.at("modes")) modes.push_back(mode);
}

Json of_older_chip(Json rule, bool is_tegra) {
    const Json& element = rule.at("element");
    if (is_tegra && rule.at("image_type") == "2D" && element.value("height", 1) > 1) add_bounds_of_level_0(rule);
    // A Tegra's image has room for its own levels alone: tegra_swizzle's swizzled_surface_size() adds up those.
    if (is_tegra) rule.erase("whole_chain");
    for (Json& mode : rule.at("modes")) {
        use_whole_gobs(mode);
        use_older_order(mode.at("block").at("equation"), is_tegra);
        mode["block"]["constant"] = is_tegra ? 0U : 32U;
        mode["alignment"] = 512U;
    }
    rule["usage"] = "";
    rule["probes"] = 0U;
    return rule;
}

/// Whether the rule is for color images of one sample that kernels read and, unless their format has blocks, write.
bool is_usual(const db::ImageRuleRow& row) {
    const Rule& read = row.fact.rule.as<Rule>(rule_from_json);
    const std::string usage = read.element.width > 1 ? "host-transfer,sampled,transfer-dst,transfer-src"
                                                     : "host-transfer,sampled,storage,transfer-dst,transfer-src";
    return row.fact.usage == usage && row.fact.flags.empty() && read.samples == 1 && read.aspect == Aspect::color;
}

/// The rule for 2D images with such elements.
const Json& flat_rule(const std::vector<db::ImageRuleRow>& rules, const Json& element) {
    const auto found = std::ranges::find_if(rules, [&](const db::ImageRuleRow& row) {
        const Json& rule = row.fact.rule;
        return row.fact.image_type == ImageType::two_d && rule.at("element") == element;
    });
    if (found == rules.end()) throw Error("there are rules for 3D images of some elements, but none for 2D images");
    return found->fact.rule;
}

}  // namespace

std::vector<db::ImageRuleRow> rules_before_turing(const std::vector<db::ImageRuleRow>& h100,
                                                  const std::vector<CatalogFact>& documented) {
    std::vector<db::ImageRuleRow> usual, rules;
    std::ranges::copy_if(h100, std::back_inserter(usual), is_usual);
    std::set<std::string> told;
    for (const CatalogFact& chip : documented) {
        if (!told.insert(chip.device.name).second) continue;
        const bool is_tegra = chip.device.name.find("Tegra") != std::string::npos;
        const auto add = [&](const std::string& formats, ImageType type, const Json& rule) {
            db::ImageRuleRow row;
            row.device = chip.device;
            row.driver = chip.driver;
            row.fact.formats = formats;
            row.fact.image_type = type;
            row.fact.provenance = "documented";
            row.fact.time = chip.fact.time;
            row.fact.rule = rule;
            rules.push_back(std::move(row));
        };
        for (const db::ImageRuleRow& row : usual) {
            Json rule = of_older_chip(row.fact.rule, is_tegra);
            const Json& element = rule.at("element");
            if (is_tegra && row.fact.image_type == ImageType::three_d)
                add_blocks_of_depth_1(rule, of_older_chip(flat_rule(usual, element), is_tegra));
            add(row.fact.formats, row.fact.image_type, rule);
            const bool is_block = element.value("width", 1) > 1;
            if (!is_block || element.at("bytes") != 16 || row.fact.image_type != ImageType::two_d) continue;
            for (const auto& [width, height] : astc_blocks) {
                Json of_astc = rule;
                of_astc["element"]["width"] = width;
                of_astc["element"]["height"] = height;
                add(fmt::format("ASTC_{0}x{1}_SRGB_BLOCK,ASTC_{0}x{1}_UNORM_BLOCK", width, height), ImageType::two_d,
                    of_astc);
            }
        }
    }
    return rules;
}

}  // namespace tilewise
