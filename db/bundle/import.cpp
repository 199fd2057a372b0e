#include "db/bundle/bundle.h"
#include "db/bundle/members.h"
#include "db/facts/disagreement.h"
#include "db/facts/figure.h"
#include "db/facts/image_rule.h"
#include "db/facts/launch_order.h"
#include "db/facts/pattern.h"
#include "db/facts/pattern_use.h"
#include "db/facts/tuning.h"
#include "db/facts/usage_sizes.h"
#include "db/facts/validation.h"
#include "patterns/model/json_limits.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/layout_text.h"
#include "patterns/model/parallel.h"
#include "patterns/rules/rule_json.h"
#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <set>
#include <string_view>

namespace tilewise::db {

namespace {

using Json = nlohmann::json;

constexpr uint64_t bundle_version = 7;

Object object_at(const Json& json, std::string path) {
    if (!json.is_object()) throw Error(fmt::format("{}: must be an object", path.empty() ? "the document" : path));
    return {json, std::move(path)};
}

std::vector<Object> objects_of(Object& document, const char* name, Presence presence = Presence::required) {
    const Json* found = document.find(name, presence);
    if (!found) return {};
    const Json& array = *found;
    if (!array.is_array()) document.fail(name, "must be an array");
    std::vector<Object> objects;
    for (size_t i = 0; i < array.size(); ++i) objects.push_back(object_at(array[i], fmt::format("{}[{}]", name, i)));
    return objects;
}

/// Reads all members, and refuses any others.
template <typename Fact>
Fact read_fact(Object& object) {
    Fact fact;
    read_members(object, fact);
    object.refuse_unknown();
    return at(object, "", [&] { return canonical(fact); });
}

template <typename Fact>
std::vector<Fact> read_list(Object& document, const char* name) {
    std::vector<Fact> facts;
    for (Object& object : objects_of(document, name)) facts.push_back(read_fact<Fact>(object));
    return facts;
}

struct KnownPattern {
    Layout layout;
    Json json;       ///< the layout's, rebuilt: anything else in it would be copied for each observation
    Json placement;  ///< the part of it in which images of one pattern differ
};

std::map<std::string, KnownPattern> read_patterns(const std::vector<Object>& objects) {
    std::map<std::string, KnownPattern> patterns;
    for (Object object : objects) {
        std::string id;
        read_value(object, "id", id, Presence::required);
        const Json& layout = *object.find("layout", Presence::required);
        object.refuse_unknown();
        const Layout read = at(object, "layout", [&] { return layout_from_json(layout); });
        const std::string computed = pattern_id(read.pattern);
        if (computed != id)
            object.fail("id", fmt::format("is \"{}\", but the layout's pattern has the id {}", id, computed));
        const Json json = tilewise::to_json(read);
        Json placement = {{"element", json["element"]},
                          {"stride", json["stride"]},
                          {"constant", json["constant"]},
                          {"base", json["base"]}};
        if (!patterns.emplace(id, KnownPattern{read, json, std::move(placement)}).second)
            object.fail("id", fmt::format("{} is there twice", id));
    }
    return patterns;
}

/// Whether the merge patch changes only the placement.
bool keeps_equation(const Json& changes) {
    if (!changes.is_object()) return false;
    for (const auto& [key, value] : changes.items()) {
        const bool is_placement =
            key == "constant" || key == "base" || ((key == "stride" || key == "element") && value.is_object());
        if (!is_placement || value.contains("xor") || value.contains("bytes")) return false;
    }
    return true;
}

template <typename Fact>
const Fact& referred(Object& object, const char* name, const std::vector<Fact>& facts) {
    uint64_t position = 0;
    read_value(object, name, position, Presence::required);
    if (position >= facts.size()) object.fail(name, fmt::format("is {}, but there are {}", position, facts.size()));
    return facts[position];
}

/// The lists of a bundle to which its facts refer.
struct BundleLists {
    std::vector<DeviceFact> devices;
    std::vector<DriverFact> drivers;
    std::map<std::string, KnownPattern> patterns;  ///< by their ids
};

/// A device and a driver of the bundle.
using OriginFacts = std::pair<const DeviceFact*, const DriverFact*>;

OriginFacts read_origin(Object& object, const BundleLists& known) {
    const DeviceFact& device = referred(object, "device", known.devices);
    return {&device, &referred(object, "driver", known.drivers)};
}

struct ObservationItem {
    OriginFacts origin;
    ReadyObservation ready;
};

ObservationItem read_observation(Object& object, const BundleLists& known,
                                 std::map<OriginFacts, Identity>& identities) {
    const OriginFacts origin = read_origin(object, known);
    ObservationFact fact;
    read_members(object, fact);
    std::string id;
    read_value(object, "pattern", id, Presence::optional);
    const Json* changes = object.find("layout", Presence::optional);
    object.refuse_unknown();
    if (id.empty() != (changes == nullptr)) object.fail(changes ? "pattern" : "layout", "is missing");
    if (changes) {
        const auto found = known.patterns.find(id);
        if (found == known.patterns.end()) object.fail("pattern", fmt::format("\"{}\" is not in \"patterns\"", id));
        const KnownPattern& pattern = found->second;
        const bool is_placement = keeps_equation(*changes);
        Json layout = is_placement ? pattern.placement : pattern.json;
        layout.merge_patch(*changes);
        fact.layout = at(object, "layout", [&] {
            return is_placement ? layout_from_json(layout, pattern.layout.pattern) : layout_from_json(layout);
        });
        if (!is_placement || fact.layout->pattern.order != pattern.layout.pattern.order)
            if (const std::string computed = pattern_id(fact.layout->pattern); computed != id)
                object.fail("layout", fmt::format("has the pattern {}, not {}", computed, id));
    }
    auto so_far = identities.find(origin);
    if (so_far == identities.end())
        so_far = identities.emplace(origin, identity_of(*origin.first, *origin.second)).first;
    return {origin, made_ready(so_far->second, at(object, "", [&] { return canonical(fact); }), std::move(id))};
}

/// Reads the observations from `first` up to `end`.
std::vector<ObservationItem> read_observations(std::span<const std::string_view> items, size_t first, size_t end,
                                               const BundleLists& known) {
    std::vector<ObservationItem> list;
    list.reserve(end - first);
    std::map<OriginFacts, Identity> identities;
    for (size_t i = first; i < end; i++) {
        const Json item = Json::parse(items[i]);
        Object object = object_at(item, fmt::format("observations[{}]", i));
        list.push_back(read_observation(object, known, identities));
    }
    return list;
}

DisagreementFact read_disagreement(Object& object, const std::vector<int64_t>& observation_rows) {
    DisagreementFact fact;
    fact.first = referred(object, "first", observation_rows);
    fact.second = referred(object, "second", observation_rows);
    read_members(object, fact);
    object.refuse_unknown();
    return at(object, "", [&] { return canonical(fact); });
}

/// The contents of rules, which refer to them by id and have the number of probes.
class RuleContents {
public:
    explicit RuleContents(Object& document) {
        for (Object& object : objects_of(document, "rule_contents", Presence::optional)) {
            std::string id;
            read_value(object, "id", id, Presence::required);
            Json rule = *object.find("rule", Presence::required);
            object.refuse_unknown();
            if (!rule.is_object()) object.fail("rule", "must be an object");
            rule = with_usual_members(std::move(rule));
            if (const std::string computed = content_id(rule); computed != id)
                object.fail("id", fmt::format("is \"{}\", but the rule has the id {}", id, computed));
            if (!contents_.emplace(id, Content{std::move(rule)}).second)
                object.fail("id", fmt::format("{} is there twice", id));
        }
    }

    /// None if the rule does not refer to a content: then it contains the rule itself.
    std::optional<SharedJson> of(Object& rule) {
        if (!rule.json.contains("content")) return {};
        std::string id;
        uint32_t probes = 0;
        read_value(rule, "content", id, Presence::required);
        read_value(rule, "probes", probes, Presence::required);
        const auto found = contents_.find(id);
        if (found == contents_.end()) rule.fail("content", fmt::format("\"{}\" is not in \"rule_contents\"", id));
        if (rule.json.contains("rule")) rule.fail("rule", "is there beside \"content\"");
        const auto [by_probes, is_new] = found->second.by_probes.try_emplace(probes);
        if (is_new) {
            Json whole = found->second.rule;
            whole["probes"] = probes;
            by_probes->second = SharedJson(std::move(whole));
        }
        return by_probes->second;
    }

    void refuse_unused(const Object& document) const {
        for (const auto& [id, content] : contents_)
            if (content.by_probes.empty())
                document.fail("rule_contents", fmt::format("no rule has the content {}", id));
    }

private:
    struct Content {
        Json rule;
        std::map<uint32_t, SharedJson> by_probes = {};
    };
    std::map<std::string, Content> contents_;
};

/// The contents of sizes by usage, which refer to them by id.
class SizesContents {
public:
    explicit SizesContents(Object& document) {
        for (Object& object : objects_of(document, "usage_sizes_contents", Presence::optional)) {
            std::string id;
            read_value(object, "id", id, Presence::required);
            const Json& sizes = *object.find("sizes", Presence::required);
            object.refuse_unknown();
            if (!sizes.is_object()) object.fail("sizes", "must be an object");
            if (const std::string computed = sizes_id(sizes); computed != id)
                object.fail("id", fmt::format("is \"{}\", but the sizes have the id {}", id, computed));
            if (!contents_.emplace(id, SharedJson(sizes)).second)
                object.fail("id", fmt::format("{} is there twice", id));
        }
    }

    /// None if the fact does not refer to a content: then it contains the sizes itself.
    std::optional<SharedJson> of(Object& fact) {
        if (!fact.json.contains("content")) return {};
        std::string id;
        read_value(fact, "content", id, Presence::required);
        const auto found = contents_.find(id);
        if (found == contents_.end())
            fact.fail("content", fmt::format("\"{}\" is not in \"usage_sizes_contents\"", id));
        if (fact.json.contains("sizes")) fact.fail("sizes", "is there beside \"content\"");
        used_.insert(id);
        return found->second;
    }

    void refuse_unused(const Object& document) const {
        for (const auto& [id, content] : contents_)
            if (!used_.contains(id))
                document.fail("usage_sizes_contents", fmt::format("no fact has the content {}", id));
    }

private:
    std::map<std::string, SharedJson> contents_;
    std::set<std::string> used_;
};

/// The rows of those devices and drivers in the bundle that have facts, each looked up once.
class OriginRows {
public:
    OriginRows(Database& db, Imported& imported) : db_(db), imported_(imported) {}

    const Origin& of(const OriginFacts& facts) {
        const auto [place, is_first] = known_.try_emplace(facts);
        if (is_first) {
            place->second = find_or_add_origin(db_, *facts.first, *facts.second);
            imported_.devices += place->second.new_device;
            imported_.drivers += place->second.new_driver;
        }
        return place->second;
    }

private:
    Database& db_;
    Imported& imported_;
    std::map<OriginFacts, Origin> known_;
};

/// For facts that have no list of contents.
struct NoContents {
    static std::optional<SharedJson> of(const Object&) { return {}; }
};

template <typename Fact, typename Contents = const NoContents>
void import_facts(Database& db, Object& document, const BundleLists& known, OriginRows& origins, uint64_t& count,
                  Contents& contents = {}) {
    for (Object& object : objects_of(document, Fact::bundle_list, Presence::optional)) {
        object.shared = contents.of(object);
        const OriginFacts origin = read_origin(object, known);
        const Fact fact = read_fact<Fact>(object);
        count += add_canonical_fact(db, origins.of(origin), fact);
    }
}

void require_format(Object& document) {
    std::string format;
    read_value(document, "format", format, Presence::optional);
    if (format != "tilewise-bundle")
        document.fail("format", "is not \"tilewise-bundle\": this is not a bundle of tilewise");
    uint64_t version = 0;
    read_value(document, "version", version, Presence::required);
    if (version > bundle_version)
        document.fail("version", fmt::format("was written by a newer tilewise (bundle version {}, this one knows {}): "
                                             "update tilewise",
                                             version, bundle_version));
    if (version == 0) document.fail("version", fmt::format("must be from 1 to {}", bundle_version));
}

/// Most of a bundle's text is its list of observations. Its items are parsed one by one, separately from the rest: this
/// takes half the time of parsing all at once, and little memory.
struct SplitBundle {
    std::string rest;
    std::vector<std::string_view> observations;
};

/// Whether the text between quotes is this name, even if it has escapes.
bool is_name(std::string_view quoted, const char* name) {
    if (quoted.find('\\') == quoted.npos) return quoted.size() > 2 && quoted.substr(1, quoted.size() - 2) == name;
    const Json value = Json::parse(quoted, nullptr, false);
    return value.is_string() && value.get_ref<const std::string&>() == name;
}

/// Splits any text: if it is not valid JSON, then the rest or one of the items is not valid either.
SplitBundle split_bundle(std::string_view text) {
    SplitBundle split;
    std::string_view name;  // the last text, if it is the name or value of a member of the document itself
    size_t kept = 0, item = 0, text_begin = 0;
    int depth = 0;
    bool in_text = false, in_list = false;
    for (size_t i = 0; i < text.size(); i++) {
        const char c = text[i];
        if (in_text) {
            if (c == '\\') i++;
            if (c != '"') continue;
            in_text = false;
            if (depth == 1) name = text.substr(text_begin, i + 1 - text_begin);
        } else if (c == '"') {
            in_text = true;
            text_begin = i;
        } else if (c == '{' || c == '[') {
            if (++depth != 2 || c != '[' || !is_name(name, "observations")) continue;
            in_list = true;
            item = i + 1;
            split.rest += text.substr(kept, item - kept);
            split.observations.clear();  // as everywhere in JSON, the last member of a name counts
        } else if (c == '}' || c == ']') {
            if (depth-- != 2 || !in_list) continue;
            in_list = false;
            kept = i;
            const std::string_view last = text.substr(item, i - item);
            const bool is_empty = last.find_first_not_of(" \t\r\n") == last.npos;
            if (!is_empty || !split.observations.empty()) split.observations.push_back(last);
        } else if (c == ',' && depth == 2 && in_list) {
            split.observations.push_back(text.substr(item, i - item));
            item = i + 1;
        }
    }
    if (!in_list) split.rest += text.substr(kept);
    return split;
}

/// Adding observations needs none of their indexes. If more are added than there are, the indexes are dropped and
/// rebuilt from all rows at the end, which is faster than an insertion per row. This happens within the caller's
/// transaction, which must be rolled back on an error.
class ObservationIndexes {
public:
    explicit ObservationIndexes(Database& db)
        : db_(db), rows_(Statement(db.sqlite, "SELECT count(*) FROM observation").only_integer().value()) {}

    void drop_for(int64_t new_rows) {
        if (new_rows <= rows_ || !made_by_.empty()) return;
        Statement indexes(db_.sqlite,
                          "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND "
                          "tbl_name = 'observation' AND sql IS NOT NULL");
        std::vector<std::string> names;
        while (indexes.step()) {
            names.push_back(indexes.text(0));
            made_by_.push_back(indexes.text(1));
        }
        indexes.reset();
        for (const std::string& name : names) execute(db_.sqlite, fmt::format("DROP INDEX {}", name).c_str());
    }

    void make() const {
        for (const std::string& sql : made_by_) execute(db_.sqlite, sql.c_str());
    }

private:
    Database& db_;
    int64_t rows_;
    std::vector<std::string> made_by_;
};

/// Adds the new facts to the counts.
void import_document(Database& db, const Json& json, std::span<const std::string_view> observations,
                     const std::function<void(const ObservationFact&)>& require, PatternUses& uses,
                     ObservationIndexes& indexes, Imported& imported, const Advance& advance) {
    Object document = object_at(json, "");
    require_format(document);
    RuleContents contents(document);
    const std::vector<Object> pattern_objects = objects_of(document, "patterns");
    const BundleLists known = {read_list<DeviceFact>(document, "devices"), read_list<DriverFact>(document, "drivers"),
                               read_patterns(pattern_objects)};

    std::vector<int64_t> rows;
    std::set<std::string> used_patterns;
    OriginRows origins(db, imported);
    objects_of(document, "observations");
    // While some are being stored, the next are parsed.
    constexpr size_t at_once = 1000;
    const auto read_from = [&](size_t first) {
        return on_another_thread([&known, observations, first] {
            return read_observations(observations, first, std::min(first + at_once, observations.size()), known);
        });
    };
    std::future<std::vector<ObservationItem>> next = read_from(0);
    for (size_t first = 0; first < observations.size(); first += at_once) {
        const std::vector<ObservationItem> some = next.get();
        if (first + at_once < observations.size()) next = read_from(first + at_once);
        indexes.drop_for(static_cast<int64_t>(imported.observations + some.size()));
        for (const ObservationItem& read : some) {
            const ReadyObservation& ready = read.ready;
            try {
                if (require) require(ready.fact);
            } catch (const Error& error) {
                throw Error(fmt::format("observations[{}]: {}", rows.size(), error.what()));
            }
            const Origin& origin = origins.of(read.origin);
            if (ready.fact.layout && used_patterns.insert(ready.pattern).second)
                imported.patterns += add_pattern(db, ready.pattern, ready.fact.layout->pattern);
            const Added added = add_ready_observation(db, origin, ready);
            if (added.new_observation) count_use(uses, origin, ready.fact, ready.pattern, added.observation);
            (added.new_observation ? imported.observations : imported.known_observations) += 1;
            rows.push_back(added.observation);
        }
        tell(advance, rows.size(), observations.size());
    }
    for (const Object& object : pattern_objects)
        if (const std::string id = object.json["id"]; !used_patterns.contains(id))
            object.fail("id", fmt::format("{}: no observation rests on it", id));
    for (Object& object : objects_of(document, "disagreements"))
        imported.disagreements += add_disagreement(db, read_disagreement(object, rows));
    import_facts<LaneOrderFact>(db, document, known, origins, imported.lane_orders);
    import_facts<LaunchOrderFact>(db, document, known, origins, imported.launch_orders);
    import_facts<ImageRuleFact>(db, document, known, origins, imported.rules, contents);
    contents.refuse_unused(document);
    import_facts<ValidationFact>(db, document, known, origins, imported.validations);
    import_facts<TuningFact>(db, document, known, origins, imported.tunings);
    import_facts<FigureFact>(db, document, known, origins, imported.figures);
    SizesContents sizes(document);
    import_facts<UsageSizesFact>(db, document, known, origins, imported.usage_sizes, sizes);
    sizes.refuse_unused(document);
    document.refuse_unknown();
}

/// The pairs in `now` that are not in `before`.
template <typename Pair>
std::vector<Pair> fresh(std::vector<Pair> now, const std::vector<Pair>& before) {
    std::erase_if(now, [&](const Pair& pair) {
        return std::ranges::any_of(before, [&](const Pair& known) {
            return known.first.row == pair.first.row && known.second.row == pair.second.row;
        });
    });
    return now;
}

}  // namespace

Imported import_bundles(Database& db, std::span<const Bundle> bundles, const Advance& advance) {
    Transaction transaction(db.sqlite);
    const std::vector<Contradiction> before = find_contradictions(db);
    const std::vector<LaneContradiction> lanes_before = find_lane_contradictions(db);
    Imported imported;
    PatternUses uses;
    ObservationIndexes indexes(db);
    for (const Bundle& bundle : bundles) {
        const std::string text = bundle.read();
        require_json_limits(text, bundle.name);
        try {
            const SplitBundle split = split_bundle(text);
            import_document(db, Json::parse(split.rest), split.observations, bundle.require, uses, indexes, imported,
                            advance);
        } catch (const Json::exception&) {
            parse_json(text, bundle.name);  // reports the place in the whole text
            throw;
        } catch (const Error& error) {
            throw Error(fmt::format("{}: {}", bundle.name, error.what()));
        }
    }
    indexes.make();
    add_uses(db, uses);
    imported.contradictions = fresh(find_contradictions(db), before);
    imported.lane_contradictions = fresh(find_lane_contradictions(db), lanes_before);
    transaction.commit();
    return imported;
}

Imported import_bundle(Database& db, std::string_view text, const std::string& name) {
    return import_bundles(db, std::array{Bundle{name, [&] { return std::string(text); }}});
}

Imported load_catalog(Database& db, std::span<const CatalogFile> files) {
    std::vector<Bundle> bundles;
    for (const CatalogFile& file : files)
        bundles.push_back({fmt::format("catalog/{}", file.name), [&file] { return std::string(file.text); }});
    return import_bundles(db, bundles);
}

}  // namespace tilewise::db
