// docs/catalog.md: which chips the catalog has, what their facts rest on, and what is missing.
#include "db/names/names.h"
#include "patterns/model/names.h"
#include "patterns/rules/rule_json.h"
#include "tools/catalog/facts.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace tilewise {

namespace {

/// One device with one driver.
struct Entry {
    std::string device, chip, products, driver;
    std::set<std::string> provenance, formats, modes, kinds;
    std::map<std::string, std::set<uint32_t>> rules;  ///< the kind of images -> the sizes of elements in bytes
    uint64_t observations = 0;
};

/// The kinds of image that the page lists as read or not read.
constexpr const char* kinds[] = {"depth or stencil", "BC", "ASTC", "levels", "layers", "3D", "samples"};

std::set<std::string> kinds_of(const db::ObservationFact& fact) {
    std::set<std::string> found;
    if (fact.format.starts_with("D16") || fact.format.starts_with("D32") || fact.format.starts_with("S8") ||
        fact.aspect == "depth" || fact.aspect == "stencil")
        found.insert("depth or stencil");
    if (fact.format.starts_with("BC")) found.insert("BC");
    if (fact.format.starts_with("ASTC")) found.insert("ASTC");
    if (fact.levels > 1) found.insert("levels");
    if (fact.layers > 1) found.insert("layers");
    if (fact.extent_px[2] > 1) found.insert("3D");
    if (fact.samples > 1) found.insert("samples");
    return found;
}

std::string chip_text(const db::Chip& chip) {
    return fmt::format("{}{}{}", chip.name, chip.name.empty() ? "" : ", ", chip.architecture);
}

std::string products_text(const db::Chip& chip) {
    constexpr size_t told = 3;
    const std::vector<std::string> products = db::products_with(chip);
    const size_t count = std::min(products.size(), told);
    std::string text =
        fmt::format("{}", fmt::join(products.begin(), products.begin() + static_cast<long>(count), ", "));
    return products.size() > told ? fmt::format("{}, {} more", text, products.size() - told) : text;
}

/// "2D up to 16384x16384, 15 levels, 4 layers"
std::string images_of(const Rule& rule) {
    std::string text = rule.aspect == Aspect::color ? "" : fmt::format("{} ", aspect_name(rule.aspect));
    text +=
        fmt::format("{} up to {}x{}", image_type_name(rule.image_type), rule.max_extent_px[0], rule.max_extent_px[1]);
    if (rule.image_type == ImageType::three_d) text += fmt::format("x{}", rule.max_extent_px[2]);
    if (rule.max_levels > 1) text += fmt::format(", {} levels", rule.max_levels);
    if (rule.max_layers > 1) text += fmt::format(", {} layers", rule.max_layers);
    if (rule.samples > 1) text += fmt::format(", {} samples", rule.samples);
    return text;
}

std::string rules_text(const Entry& entry) {
    std::vector<std::string> parts;
    for (const auto& [images, bytes] : entry.rules)
        parts.push_back(fmt::format("{}: elements of {} bytes", images, fmt::join(bytes, ", ")));
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string missing_text(const Entry& entry) {
    std::vector<std::string> missing;
    for (const char* kind : kinds)
        if (!entry.kinds.contains(kind)) missing.emplace_back(kind);
    return fmt::format("{}", fmt::join(missing, ", "));
}

}  // namespace

std::string catalog_page(const std::vector<CatalogFact>& facts, const std::vector<db::ImageRuleRow>& rules) {
    std::map<std::pair<std::string, std::string>, Entry> entries;
    std::set<std::string> devices;
    for (const CatalogFact& row : facts) {
        const std::string driver = driver_text(row.driver);
        Entry& entry = entries[{row.device.name, driver}];
        if (entry.observations++ == 0) {
            entry.device = row.device.name;
            entry.driver = driver;
            if (const auto gpu = db::gpu_of_device(row.device)) {
                entry.chip = chip_text(gpu->chip);
                entry.products = products_text(gpu->chip);
            }
        }
        entry.provenance.insert(row.fact.provenance);
        entry.formats.insert(row.fact.format);
        entry.kinds.merge(kinds_of(row.fact));
        if (row.fact.layout)
            if (const std::string mode = mode_of(row.fact.layout->pattern).name; !mode.empty())
                entry.modes.insert(mode);
        devices.insert(row.device.name);
    }
    for (const db::ImageRuleRow& row : rules) {
        const Rule rule = rule_from_json(row.fact.rule);
        entries[{row.device.name, driver_text(row.driver)}].rules[images_of(rule)].insert(rule.element.bytes);
    }
    std::string page = fmt::format(
        "# The catalog, chip by chip\n\n"
        "Made by `tools/make-catalog page` from the files of [db/catalog](../db/catalog/README.md), which says where "
        "each is from: {} devices, {}\n"
        "with their drivers' versions. Which products have a chip: [names](names.md); `tilewise query --gpu \"RX 6800 "
        "XT\"` tells.\n\n"
        "A mode is named by the equation ([how](address-model.md#modes)). Rules ([how](rules.md)) predict images that "
        "nobody read, within\n"
        "what the column says. \"Not read\" is the boundary of what is known beside them: kinds of images that the "
        "driver does not offer, or not by host\n"
        "copy, or that the source did not show. Every layout here reproduces each element of its image.\n\n"
        "| device | chip | products | driver | evidence | formats | modes | rules | not read |\n"
        "|---|---|---|---|---|---|---|---|---|\n",
        devices.size(), entries.size());
    for (const auto& [key, entry] : entries)
        page += fmt::format("| {} | {} | {} | {} | {}, {} | {} | {} | {} | {} |\n", entry.device, entry.chip,
                            entry.products, entry.driver, fmt::join(entry.provenance, ", "), entry.observations,
                            entry.formats.size(), fmt::join(entry.modes, "; "), rules_text(entry), missing_text(entry));
    return page;
}

}  // namespace tilewise
