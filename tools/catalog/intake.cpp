#include "tools/catalog/intake.h"
#include "db/bundle/bundle.h"
#include "db/facts/image_rule.h"
#include "db/facts/usage_sizes.h"
#include "db/names/names.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "patterns/rules/learn.h"
#include "patterns/rules/rule_json.h"
#include "probe/formats/formats.h"
#include "probe/learn/learn_rules.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/observed_image.h"
#include "tools/answers/image/plausible.h"
#include "tools/answers/image/predicted_image.h"
#include "tools/cli/files/files.h"
#include "tools/cli/files/shared_text.h"
#include "tools/cli/terminal/print.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>

namespace tilewise {

namespace {

using Rows = std::vector<db::ObservationRow>;

/// "300x200, 9 levels"
std::string shape_of(const ImageKind& image) {
    return fmt::format("{}{}{}", extent_text(image.extent_px),
                       image.levels > 1 ? fmt::format(", {} levels", image.levels) : "",
                       image.layers > 1 ? fmt::format(", {} layers", image.layers) : "");
}

std::string words_of(const ImageKind& image) { return fmt::format("{} {}", image.format, shape_of(image)); }

/// Throws Error unless the device's owner read the images on it, or ran its driver without it.
void require_provenance(const std::string& provenance) {
    if (provenance != "hardware" && provenance != "driver without hardware")
        throw Error(fmt::format("a fact has the provenance \"{}\", and what is shared was read", provenance));
}

void require_plausible(const db::ObservationFact& fact) {
    if (!probe::find_format(fact.format))
        throw Error(fmt::format("{}: this program knows no such format", words_of(fact)));
    if (const std::string why = why_implausible(fact); !why.empty()) throw Error(why);
}

/// All images with every subresource read; each is checked as a whole: no parts may overlap.
std::vector<ImageLayout> proved_images(const Rows& rows) {
    std::vector<const db::ObservationRow*> all;
    for (const db::ObservationRow& row : rows) all.push_back(&row);
    std::vector<ImageLayout> images;
    for (ObservedImage& observed : observed_images(all)) {
        ImageLayout& image = observed.image;
        if (image.subresources.empty())
            throw Error(fmt::format("{}: its readings contradict one another", words_of(image)));
        try {
            require_apart(image);
        } catch (const Error& error) {
            throw Error(fmt::format("{}: {}", words_of(image), error.what()));
        }
        images.push_back(std::move(image));
    }
    return images;
}

struct Agreement {
    size_t compared = 0, alike = 0;
    std::string first_other;   ///< the first that differs, with what differs
    size_t other_aligned = 0;  ///< those of the alike ones with another alignment
};

/// What is wrong with a prediction; empty if nothing is. 0 bytes or an alignment of 0 mean: not known.
std::string miss(const ImageLayout& predicted, ImageLayout probed) {
    if (probed.bytes == 0) probed.bytes = predicted.bytes;
    if (probed.alignment == 0) probed.alignment = predicted.alignment;
    return difference(predicted, probed);
}

/// How the rules' predictions for images with the same usage agree; if `any_usage`, rules of other usages may predict,
/// too.
Agreement agreement_with(const std::vector<db::ImageRuleRow>& rules, const std::vector<ImageLayout>& images,
                         bool any_usage) {
    Agreement agreement;
    for (const ImageLayout& image : images) {
        ImageKind kind = image;
        std::optional<ImageLayout> predicted = only_prediction(rules, kind);
        kind.usage.clear();
        if (!predicted && any_usage) predicted = only_prediction(rules, kind);
        if (!predicted) continue;
        agreement.compared++;
        ImageLayout probed = image;
        probed.alignment = predicted->alignment;  // compared separately below
        const std::string other = miss(*predicted, std::move(probed));
        agreement.alike += other.empty();
        agreement.other_aligned += other.empty() && image.alignment != 0 && image.alignment != predicted->alignment;
        if (!other.empty() && agreement.first_other.empty())
            agreement.first_other = fmt::format("{}: {}", words_of(image), other);
    }
    return agreement;
}

std::string agreement_text(const std::string& whose, const Agreement& agreement) {
    return fmt::format(
        "{}: {} of {} images lie as its rules say{}{}", whose, agreement.alike, agreement.compared,
        agreement.other_aligned == 0 ? "" : fmt::format(", {} with another alignment", agreement.other_aligned),
        agreement.first_other.empty() ? "" : "; " + agreement.first_other);
}

/// The rules of each chip of the device's architecture, for the newest version of its driver.
std::map<std::string, std::vector<db::ImageRuleRow>> rules_of_architecture(const db::Database& catalog,
                                                                           const db::DeviceFact& device) {
    std::map<std::string, std::vector<db::ImageRuleRow>> rules;
    const auto gpu = db::gpu_of_device(device);
    if (!gpu) return rules;
    for (const db::ListedDevice& known : db::list_devices(catalog)) {
        const auto of_known = db::gpu_of_device(known.fact);
        if (!of_known || of_known->chip.architecture != gpu->chip.architecture) continue;
        db::Filter filter;
        filter.devices = {known.row};
        filter.driver = newest_driver(catalog, {known.row});
        std::vector<db::ImageRuleRow> found = find_rules(catalog, filter);
        if (!found.empty())
            rules[fmt::format("{} ({})", known.fact.name, driver_text(found.front().driver))] = std::move(found);
    }
    return rules;
}

/// What is wrong with the rule's first misprediction among these images; empty if there is none.
std::string first_miss(const Rule& rule, const std::vector<ImageLayout>& images) {
    for (const ImageLayout& image : images) {
        const Prediction prediction = predict(rule, image);
        const std::string why = prediction.image ? miss(*prediction.image, image) : prediction.why_not;
        if (!why.empty()) return fmt::format("{}: {}", shape_of(image), why);
    }
    return {};
}

Rule without_ends(Rule rule) {
    rule.max_extent_px = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    rule.max_levels = max_image_levels;
    rule.max_layers = max_image_layers;
    return rule;
}

struct Taught {
    std::optional<Rule> rule;
    std::string why;  ///< why it holds, or why there is none
};

/// A known rule that predicts all of the images; or a rule that is learned from them, if each fifth of them is
/// predicted by a rule learned from the others. Such a rule says nothing about images beyond those that it was learned
/// from.
Taught taught_by(const std::vector<ImageLayout>& images, std::span<const Rule> known) {
    constexpr size_t enough_to_confirm = 6, enough_to_learn = 20, parts = 5;
    const std::string count = counted(images.size(), "image");
    if (images.size() < enough_to_confirm) return {{}, "too few: " + count};
    std::string missed;
    for (const Rule& rule : rules_for(known, images.front())) {
        Rule tried = without_ends(rule);
        if (const std::string why = first_miss(tried, images); !why.empty()) {
            if (missed.empty()) missed = why;
            continue;
        }
        rest_on(tried, images);
        return {tried, fmt::format("a known rule predicts all {}", count)};
    }
    if (!missed.empty()) missed = fmt::format("; a known rule misses {}", missed);
    if (images.size() < enough_to_learn) return {{}, fmt::format("too few to learn from: {}{}", count, missed)};
    for (size_t part = 0; part < parts; part++) {
        std::vector<ImageLayout> others, held;
        for (size_t i = 0; i < images.size(); i++) (i % parts == part ? held : others).push_back(images[i]);
        if (const std::string why = first_miss(without_ends(learn(others).rule), held); !why.empty())
            return {{}, fmt::format("what is learned from some of {} misses {}{}", count, why, missed)};
    }
    Learned learned = learn(images);
    if (!learned.unexplained.empty()) return {{}, fmt::format("{}{}", learned.why, missed)};
    rest_on(learned.rule, images);
    return {learned.rule, fmt::format("learned from {}, each fifth of them predicted by the others", count)};
}

/// Adds the rules for which the images suffice. Returns one line for formats that are laid out alike.
std::vector<std::string> learn_rules(db::Database& given, const db::ObservationRow& of,
                                     const std::vector<ImageLayout>& images, const db::Database& catalog) {
    std::vector<Rule> known;
    for (const auto& [whose, rules] : rules_of_architecture(catalog, of.device))
        for (const db::ImageRuleRow& row : rules) known.push_back(rule_from_json(row.fact.rule));
    const auto kind_of = [](const ImageLayout& image) {
        return std::tuple(image.format, image.type, image.samples, image.usage, image.flags);
    };
    std::map<decltype(kind_of(images.front())), std::vector<ImageLayout>> kinds;
    for (const ImageLayout& image : images)
        if (aspects_of(image).size() == 1) kinds[kind_of(image)].push_back(image);
    std::map<std::string, std::set<std::string>> told;
    for (const auto& [kind, of_kind] : kinds) {
        const ImageLayout& first = of_kind.front();
        Taught taught = taught_by(of_kind, known);
        told[fmt::format("{}: {}", taught.rule ? "rule" : "no rule", taught.why)].insert(
            fmt::format("{} {}", first.format, image_type_name(first.type)));
        if (!taught.rule) continue;
        taught.rule->formats = {first.format};
        db::ImageRuleFact fact = rule_fact(*taught.rule, taught.rule->formats);
        fact.provenance = of.fact.provenance;
        db::add_fact(given, of.device, of.driver, fact);
    }
    std::vector<std::string> lines;
    lines.reserve(told.size());
    for (const auto& [outcome, formats] : told)
        lines.push_back(
            fmt::format("{} ({})", outcome, some_of(std::vector<std::string>(formats.begin(), formats.end()), 6)));
    return lines;
}

/// The same bundle, with the provenance `shared` for what its owner read on hardware.
std::string as_shared(const std::string& bundle) {
    nlohmann::json json = nlohmann::json::parse(bundle);
    for (const char* list : {"observations", "rules", "usage_sizes"}) {
        if (!json.contains(list)) continue;
        for (nlohmann::json& fact : json[list])
            if (fact.at("provenance") == "hardware") fact["provenance"] = db::shared_provenance;
    }
    json["version"] = 7;
    return json.dump();
}

Intake intake_of(const std::string& bundle, const std::string& name, const db::Database& catalog, bool learn) {
    db::Database given = db::open_catalog({});
    db::import_bundle(given, bundle, name);
    Rows rows = db::find_observations(given, {.result = "exact"});
    if (rows.empty()) throw Error("has no image that was read");
    const db::ObservationRow first = rows.front();
    for (const db::ListedDevice& device : db::list_devices(given))
        if (!is_same_model(device.fact, first.device))
            throw Error(fmt::format("is of several devices ({}, {}): share one at a time", first.device.name,
                                    device.fact.name));
    for (const db::ObservationRow& row : db::find_observations(given, {})) require_provenance(row.fact.provenance);
    for (const auto& row : db::find_facts<db::ImageRuleFact>(given)) require_provenance(row.fact.provenance);
    for (const auto& row : db::find_facts<db::UsageSizesFact>(given)) require_provenance(row.fact.provenance);
    for (const db::ObservationRow& row : rows) require_plausible(row.fact);
    const std::vector<ImageLayout> images = proved_images(rows);

    Intake intake;
    intake.file = file_name_of(first.device.name) + ".json";
    intake.remarks.push_back(fmt::format("{}, {}: {}, {}, each one-to-one", first.device.name,
                                         driver_text(first.driver), counted(rows.size(), "reading"),
                                         counted(images.size(), "image")));
    if (const std::vector<db::ImageRuleRow> own = db::find_facts<db::ImageRuleFact>(given); !own.empty()) {
        const Agreement agreement = agreement_with(newest_rules(own), images, false);
        if (agreement.alike < agreement.compared)
            throw Error(fmt::format("its rules contradict what was read: {}", agreement.first_other));
        intake.remarks.push_back(agreement_text("its own rules", agreement));
    }
    const auto of_architecture = rules_of_architecture(catalog, first.device);
    for (const auto& [whose, rules] : of_architecture)
        if (const Agreement agreement = agreement_with(rules, images, true); agreement.compared > 0)
            intake.remarks.push_back(agreement_text(whose, agreement));
    const auto gpu = db::gpu_of_device(first.device);
    if (of_architecture.empty())
        intake.remarks.push_back(gpu ? fmt::format("no rule of {} is known", gpu->chip.architecture)
                                     : "no list has this device: its chip wants a line in db/names/products.txt");
    if (learn)
        for (std::string& line : learn_rules(given, first, images, catalog)) intake.remarks.push_back(std::move(line));
    intake.bundle = as_shared(db::export_bundle(given));
    return intake;
}

}  // namespace

db::Database catalog_of_folder(const std::string& folder) {
    std::vector<std::string> names, texts;
    for (const std::string& part : {folder, folder + "/shared"}) {
        if (!std::filesystem::is_directory(part)) continue;
        for (const auto& entry : std::filesystem::directory_iterator(part))
            if (entry.path().extension() == ".json") names.push_back(entry.path().string());
    }
    std::ranges::sort(names);
    texts.reserve(names.size());
    std::vector<db::CatalogFile> files;
    files.reserve(names.size());
    for (const std::string& file : names) files.push_back({file, texts.emplace_back(read_whole_file(file))});
    return db::open_catalog(files);
}

Intake checked_intake(const std::string& text, const std::string& name, const db::Database& catalog, bool learn) {
    const std::string bundle = bundle_in(text, name);
    try {
        return intake_of(bundle, name, catalog, learn);
    } catch (const Error& error) {
        const std::string what = error.what();
        throw Error(what.starts_with(name) ? what : fmt::format("{}: {}", name, what));
    }
}

}  // namespace tilewise
