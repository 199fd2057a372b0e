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

Json of_older_chip(Json rule, bool is_tegra) {
    const Json& element = rule.at("element");
    if (is_tegra && rule.at("image_type") == "2D" && element.value("height", 1) > 1) add_bounds_of_level_0(rule);
    for (Json& mode : rule.at("modes")) {
        use_older_order(mode.at("block").at("equation"), is_tegra);
        mode["block"]["constant"] = is_tegra ? 0U : 32U;
        mode["alignment"] = 512U;
    }
    rule["usage"] = "";
    rule["probes"] = 0U;
    return rule;
}

}  // namespace

std::vector<db::ImageRuleRow> rules_before_turing(const std::vector<db::ImageRuleRow>& h100,
                                                  const std::vector<CatalogFact>& documented) {
    std::vector<db::ImageRuleRow> rules;
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
            row.fact.rule = of_older_chip(rule, is_tegra);
            rules.push_back(std::move(row));
        };
        for (const db::ImageRuleRow& row : h100) {
            const Rule& read = row.fact.rule.as<Rule>(rule_from_json);
            const bool is_block = read.element.width > 1;
            const std::string usual = is_block ? "host-transfer,sampled,transfer-dst,transfer-src"
                                               : "host-transfer,sampled,storage,transfer-dst,transfer-src";
            if (row.fact.usage != usual || !row.fact.flags.empty() || read.samples != 1 || read.aspect != Aspect::color)
                continue;
            const Json& rule = row.fact.rule;
            add(row.fact.formats, row.fact.image_type, rule);
            if (!is_block || read.element.bytes != 16 || row.fact.image_type != ImageType::two_d) continue;
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
