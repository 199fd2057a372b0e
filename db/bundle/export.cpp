#include "db/bundle/bundle.h"
#include "db/bundle/members.h"
#include "db/facts/disagreement.h"
#include "db/facts/figure.h"
#include "db/facts/image_rule.h"
#include "db/facts/launch_order.h"
#include "db/facts/pattern.h"
#include "db/facts/tuning.h"
#include "db/facts/usage_sizes.h"
#include "db/facts/validation.h"
#include "db/query/query.h"
#include "patterns/model/layout_json.h"
#include "patterns/rules/rule_json.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <sqlite3.h>

namespace tilewise::db {

namespace {

using OrderedJson = nlohmann::ordered_json;

// The patch that must be merged into `from` (RFC 7396) to get `to`.
OrderedJson merge_patch_between(const OrderedJson& from, const OrderedJson& to) {
    OrderedJson patch = OrderedJson::object();
    for (const auto& [key, value] : from.items())
        if (!to.contains(key)) patch[key] = nullptr;
    for (const auto& [key, value] : to.items()) {
        const bool known = from.contains(key);
        if (known && from[key] == value) continue;
        const bool both_objects = known && value.is_object() && from[key].is_object();
        patch[key] = both_objects ? merge_patch_between(from[key], value) : value;
    }
    return patch;
}

template <typename Fact>
std::vector<OrderedJson> written(const std::vector<Fact>& facts) {
    std::vector<OrderedJson> list;
    for (const Fact& fact : facts) write_members(list.emplace_back(), fact);
    return list;
}

// The position of the fact among those written so far; it is added if it is not there.
template <typename Fact>
size_t position_of(std::vector<Fact>& facts, const Fact& fact) {
    const auto found = std::ranges::find(facts, fact);
    if (found != facts.end()) return static_cast<size_t>(found - facts.begin());
    facts.push_back(fact);
    return facts.size() - 1;
}

void append_array(std::string& text, const char* name, const std::vector<OrderedJson>& items) {
    text += fmt::format(",\n\"{}\": [", name);
    const char* separator = "\n";
    for (const OrderedJson& item : items) {
        text += separator + item.dump(-1, ' ', true, OrderedJson::error_handler_t::replace);
        separator = ",\n";
    }
    text += items.empty() ? "]" : "\n]";
}

std::vector<OrderedJson> disagreements_between(const Database& db, const std::map<int64_t, size_t>& exported) {
    std::vector<OrderedJson> list;
    for (const DisagreementRow& row : find_disagreements(db)) {
        const auto first = exported.find(row.fact.first), second = exported.find(row.fact.second);
        if (first == exported.end() || second == exported.end()) continue;
        OrderedJson json = {{"first", first->second}, {"second", second->second}};
        write_members(json, row.fact);
        list.push_back(std::move(json));
    }
    return list;
}

bool is_wanted(Facts which, const std::string& time) { return which == Facts::all || !is_dated_to_the_day(time); }

/// The facts whose device and driver are listed; with `all`, also those of others, which are then added to the lists.
template <typename Fact>
std::vector<OrderedJson> facts_of_origins(const Database& db, bool all, Facts which, std::vector<DeviceFact>& devices,
                                          std::vector<DriverFact>& drivers, const WriteShared& write_shared = {}) {
    std::vector<OrderedJson> list;
    for (const Stored<Fact>& stored : find_facts<Fact>(db)) {
        if (!is_wanted(which, stored.fact.time)) continue;
        const bool listed = std::ranges::find(devices, stored.device) != devices.end() &&
                            std::ranges::find(drivers, stored.driver) != drivers.end();
        if (!listed && !all) continue;
        OrderedJson json = {{"device", position_of(devices, stored.device)},
                            {"driver", position_of(drivers, stored.driver)}};
        write_members(json, stored.fact, write_shared);
        list.push_back(std::move(json));
    }
    return list;
}

/// The contents of rules, each once by its id; a rule in the bundle has the id instead.
class WrittenRules {
public:
    void write(OrderedJson& fact, const SharedJson& rule) {
        const auto [known, is_new] = known_.try_emplace(&rule.value(), Known{rule});
        if (is_new) keep(known->second);
        if (known->second.id.empty()) {
            fact["rule"] = rule.value();
            return;
        }
        fact["content"] = known->second.id;
        fact["probes"] = rule.value().at("probes");
    }

    std::vector<OrderedJson> written() const {
        std::vector<OrderedJson> list;
        list.reserve(contents_.size());
        for (const auto& [id, content] : contents_) list.push_back({{"id", id}, {"rule", content}});
        return list;
    }

private:
    struct Known {
        SharedJson rule;
        std::string id = {};  ///< empty if somebody wrote the rule in another form: it stays as it is
    };
    void keep(Known& known) {
        nlohmann::json content = without_usual_members(known.rule);
        if (with_usual_members(content) != known.rule.value()) return;
        known.id = content_id(known.rule);
        content.erase("probes");
        contents_.emplace(known.id, std::move(content));
    }

    std::map<const nlohmann::json*, Known> known_;
    std::map<std::string, nlohmann::json> contents_;
};

/// The contents of sizes by usage, in the same way.
class WrittenSizes {
public:
    void write(OrderedJson& fact, const SharedJson& sizes) {
        const auto [known, is_new] = known_.try_emplace(&sizes.value(), Known{sizes});
        if (is_new) contents_.emplace(known->second.id = sizes_id(sizes), sizes);
        fact["content"] = known->second.id;
    }

    std::vector<OrderedJson> written() const {
        std::vector<OrderedJson> list;
        list.reserve(contents_.size());
        for (const auto& [id, sizes] : contents_) list.push_back({{"id", id}, {"sizes", sizes.value()}});
        return list;
    }

private:
    struct Known {
        SharedJson sizes;
        std::string id = {};
    };
    std::map<const nlohmann::json*, Known> known_;
    std::map<std::string, SharedJson> contents_;
};

/// While it lives, the database is read in the state of one moment: facts that another process adds meanwhile must not
/// be referred to.
class Snapshot {
public:
    explicit Snapshot(const Connection& connection) : connection_(connection) {
        execute(connection_, "SAVEPOINT bundle");
    }
    ~Snapshot() { sqlite3_exec(connection_.get(), "RELEASE bundle", nullptr, nullptr, nullptr); }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

private:
    const Connection& connection_;
};

}  // namespace

std::string export_bundle(const Database& db, const Filter& filter, const Advance& advance, Facts which) {
    std::vector<DeviceFact> devices;
    std::vector<DriverFact> drivers;
    std::map<std::string, OrderedJson> patterns;
    std::vector<OrderedJson> observations;
    std::map<int64_t, size_t> exported;

    const Snapshot snapshot(db.sqlite);
    const Condition condition = condition_of(db, filter);
    const uint64_t total = advance ? observation_count(db) : 0;  // with a filter there may be fewer
    Statement rows(db.sqlite, fmt::format("{} WHERE {} {}{}", select_observations(), condition.sql, by_origin,
                                          ObservationFact::row_order));
    bind(rows, condition);
    ObservationReader reader(db);
    Statement pattern_layout(db.sqlite, "SELECT layout FROM pattern WHERE id = ?");
    uint64_t read = 0;
    bool any_shared = false;
    while (rows.step()) {
        const ObservationRow row = reader.read(rows);
        tell(advance, ++read, total, observations_between_words);
        if (!is_wanted(which, row.fact.time)) continue;
        any_shared = any_shared || row.fact.provenance == shared_provenance;
        OrderedJson json = {{"device", position_of(devices, row.device)}, {"driver", position_of(drivers, row.driver)}};
        write_members(json, row.fact);
        if (row.fact.layout) {
            auto known = patterns.find(row.pattern);
            if (known == patterns.end()) {
                pattern_layout.bind(row.pattern).step();
                known =
                    patterns
                        .emplace(row.pattern,
                                 tilewise::to_json(layout_from_text(pattern_layout.text(0), "pattern " + row.pattern)))
                        .first;
            }
            json["pattern"] = row.pattern;
            json["layout"] = merge_patch_between(known->second, tilewise::to_json(*row.fact.layout));
        }
        exported[row.row] = observations.size();
        observations.push_back(std::move(json));
    }
    const std::vector<OrderedJson> disagreements = disagreements_between(db, exported);
    const bool all = filter == Filter{};
    const std::vector<OrderedJson> lanes = facts_of_origins<LaneOrderFact>(db, all, which, devices, drivers);
    const std::vector<OrderedJson> launches = facts_of_origins<LaunchOrderFact>(db, all, which, devices, drivers);
    WrittenRules rule_contents;
    const std::vector<OrderedJson> rules = facts_of_origins<ImageRuleFact>(
        db, all, which, devices, drivers,
        [&](OrderedJson& fact, const SharedJson& rule) { rule_contents.write(fact, rule); });
    const std::vector<OrderedJson> validations = facts_of_origins<ValidationFact>(db, all, which, devices, drivers);
    const std::vector<OrderedJson> tunings = facts_of_origins<TuningFact>(db, all, which, devices, drivers);
    const std::vector<OrderedJson> figures = facts_of_origins<FigureFact>(db, all, which, devices, drivers);
    WrittenSizes size_contents;
    const std::vector<OrderedJson> sizes = facts_of_origins<UsageSizesFact>(
        db, all, which, devices, drivers,
        [&](OrderedJson& fact, const SharedJson& said) { size_contents.write(fact, said); });

    std::vector<OrderedJson> pattern_list;
    pattern_list.reserve(patterns.size());
    for (const auto& [id, layout] : patterns) pattern_list.push_back({{"id", id}, {"layout", layout}});

    const bool in_blocks =
        std::ranges::any_of(validations, [](const OrderedJson& fact) { return fact.contains("group_order"); });
    for (const std::vector<OrderedJson>* list : {&rules, &sizes})
        for (const OrderedJson& fact : *list) any_shared = any_shared || fact.at("provenance") == shared_provenance;
    const int version = any_shared         ? 7
                        : !sizes.empty()   ? 6
                        : in_blocks        ? 5
                        : !figures.empty() ? 4
                        : !tunings.empty() ? 3
                        : !rules.empty()   ? 2
                                           : 1;
    std::string text = fmt::format("{{\n\"format\": \"tilewise-bundle\",\n\"version\": {}", version);
    append_array(text, "devices", written(devices));
    append_array(text, "drivers", written(drivers));
    append_array(text, "patterns", pattern_list);
    append_array(text, "observations", observations);
    append_array(text, "disagreements", disagreements);
    if (!lanes.empty()) append_array(text, LaneOrderFact::bundle_list, lanes);
    if (!launches.empty()) append_array(text, LaunchOrderFact::bundle_list, launches);
    if (const auto contents = rule_contents.written(); !contents.empty()) append_array(text, "rule_contents", contents);
    if (!rules.empty()) append_array(text, ImageRuleFact::bundle_list, rules);
    if (!validations.empty()) append_array(text, ValidationFact::bundle_list, validations);
    if (!tunings.empty()) append_array(text, TuningFact::bundle_list, tunings);
    if (!figures.empty()) append_array(text, FigureFact::bundle_list, figures);
    if (const auto contents = size_contents.written(); !contents.empty())
        append_array(text, "usage_sizes_contents", contents);
    if (!sizes.empty()) append_array(text, UsageSizesFact::bundle_list, sizes);
    return text + "\n}\n";
}

}  // namespace tilewise::db
