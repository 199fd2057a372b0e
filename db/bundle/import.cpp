#include "db/bundle/bundle.h"
#include "db/bundle/members.h"
#include "db/facts/facts.h"
#include "db/facts/rows.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>

namespace tilewise::db {

namespace {

using Json = nlohmann::json;

constexpr uint64_t bundle_version = 1;

// One object of the bundle, its place in the document, and which of its members were asked for.
struct Object {
    const Json& json;
    std::string path;  ///< "observations[3]"
    std::set<std::string> asked = {};

    [[noreturn]] void fail(const std::string& member, const std::string& what) const {
        throw Error(fmt::format("{}{}{}: {}", path, path.empty() || member.empty() ? "" : ".", member, what));
    }
    const Json* find(const char* name, Presence presence) {
        asked.insert(name);
        const auto found = json.find(name);
        if (found != json.end()) return &*found;
        if (presence == Presence::required) fail(name, "is missing");
        return nullptr;
    }
    // A misspelt member would otherwise be lost without a word.
    void refuse_unknown() const {
        for (const auto& [key, value] : json.items())
            if (!asked.contains(key)) fail(key, "is no member of this object");
    }
};

Object object_at(const Json& json, std::string path) {
    if (!json.is_object()) throw Error(fmt::format("{}: must be an object", path.empty() ? "the document" : path));
    return {json, std::move(path)};
}

uint64_t unsigned_number(Object& object, const char* name, uint64_t most, Presence presence, uint64_t otherwise) {
    const Json* value = object.find(name, presence);
    if (!value) return otherwise;
    if (!value->is_number_unsigned() || value->get<uint64_t>() > most)
        object.fail(name, fmt::format("must be an integer from 0 to {}", most));
    return value->get<uint64_t>();
}

void read(Object& object, const char* name, std::string& member, Presence presence) {
    const Json* value = object.find(name, presence);
    if (!value) return;
    if (!value->is_string()) object.fail(name, "must be a string");
    member = value->get<std::string>();
}

void read(Object& object, const char* name, uint32_t& member, Presence presence) {
    member =
        static_cast<uint32_t>(unsigned_number(object, name, std::numeric_limits<uint32_t>::max(), presence, member));
}

void read(Object& object, const char* name, uint64_t& member, Presence presence) {
    member = unsigned_number(object, name, uint64_t{std::numeric_limits<int64_t>::max()}, presence, member);
}

void read(Object& object, const char* name, int32_t& member, Presence presence) {
    const Json* value = object.find(name, presence);
    if (!value) return;
    if (!value->is_number_integer() || value->get<int64_t>() < -1 || value->get<int64_t>() > 31)
        object.fail(name, "must be the index of a memory type, or -1");
    member = value->get<int32_t>();
}

void read(Object& object, const char* name, double& member, Presence presence) {
    const Json* value = object.find(name, presence);
    if (!value) return;
    if (!value->is_number()) object.fail(name, "must be a number");
    member = value->get<double>();
}

void read(Object& object, const char* name, std::array<double, 2>& member, Presence presence) {
    const Json* value = object.find(name, presence);
    if (!value) return;
    if (!value->is_array() || value->size() != 2 || !(*value)[0].is_number() || !(*value)[1].is_number())
        object.fail(name, "must be two numbers");
    member = value->get<std::array<double, 2>>();
}

template <size_t count>
void read(Object& object, const char* name, std::array<uint32_t, count>& member, Presence presence) {
    const Json* value = object.find(name, presence);
    if (!value) return;
    bool good = value->is_array() && value->size() == count;
    for (size_t i = 0; good && i < count; ++i) {
        const Json& number = (*value)[i];
        good = number.is_number_unsigned() && number.get<uint64_t>() <= std::numeric_limits<uint32_t>::max();
        if (good) member[i] = number.get<uint32_t>();
    }
    if (!good) object.fail(name, fmt::format("must be {} integers from 0 to 4294967295", count));
}

uint32_t vulkan_id(Object& object, const char* name) {
    std::string text;
    read(object, name, text, Presence::required);
    uint32_t id = 0;
    const char* end = text.data() + text.size();
    const bool has_prefix = text.starts_with("0x");
    const auto [stop, error] = std::from_chars(text.data() + (has_prefix ? 2 : 0), end, id, 16);
    if (!has_prefix || error != std::errc() || stop != end) object.fail(name, "must be a string such as \"0x10de\"");
    return id;
}

// The place in the document before a message of canonical() or of layout_from_json().
template <typename Work>
auto at(const Object& object, const char* member, Work work) {
    try {
        return work();
    } catch (const Error& error) {
        object.fail(member, error.what());
    } catch (const Json::exception& error) {
        object.fail(member, error.what());
    }
}

DeviceFact read_device(Object object) {
    DeviceFact fact;
    fact.vendor_id = vulkan_id(object, "vendor_id");
    fact.device_id = vulkan_id(object, "device_id");
    each_device_member([&](const char* name, auto member, Presence presence) {
        if constexpr (std::is_same_v<decltype(member), std::string DeviceFact::*>)
            read(object, name, fact.*member, presence);
    });
    object.refuse_unknown();
    return at(object, "", [&] { return canonical(fact); });
}

DriverFact read_driver(Object object) {
    DriverFact fact;
    each_driver_member(
        [&](const char* name, auto member, Presence presence) { read(object, name, fact.*member, presence); });
    object.refuse_unknown();
    return canonical(fact);
}

// id -> the JSON of its layout, whose id was computed anew.
std::map<std::string, Json> read_patterns(const std::vector<Object>& objects) {
    std::map<std::string, Json> patterns;
    for (Object object : objects) {
        std::string id;
        read(object, "id", id, Presence::required);
        const Json& layout = *object.find("layout", Presence::required);
        object.refuse_unknown();
        const std::string computed = at(object, "layout", [&] { return pattern_id(layout_from_json(layout).pattern); });
        if (computed != id)
            object.fail("id", fmt::format("is \"{}\", but the layout's pattern has the id {}", id, computed));
        if (!patterns.emplace(id, layout).second) object.fail("id", fmt::format("{} is there twice", id));
    }
    return patterns;
}

template <typename Fact>
const Fact& referred(Object& object, const char* name, const std::vector<Fact>& facts) {
    uint64_t position = 0;
    read(object, name, position, Presence::required);
    if (position >= facts.size()) object.fail(name, fmt::format("is {}, but there are {}", position, facts.size()));
    return facts[position];
}

ObservationFact read_observation_fact(Object& object, const std::map<std::string, Json>& patterns,
                                      std::set<std::string>& used_patterns) {
    ObservationFact fact;
    each_observation_member(
        [&](const char* name, auto member, Presence presence) { read(object, name, fact.*member, presence); });
    std::string id;
    read(object, "pattern", id, Presence::optional);
    const Json* changes = object.find("layout", Presence::optional);
    object.refuse_unknown();
    if (id.empty() != (changes == nullptr)) object.fail(changes ? "pattern" : "layout", "is missing");
    if (changes) {
        const auto pattern = patterns.find(id);
        if (pattern == patterns.end()) object.fail("pattern", fmt::format("\"{}\" is not in \"patterns\"", id));
        used_patterns.insert(id);
        Json layout = pattern->second;
        layout.merge_patch(*changes);
        fact.layout = at(object, "layout", [&] { return layout_from_json(layout); });
        if (const std::string computed = pattern_id(fact.layout->pattern); computed != id)
            object.fail("layout", fmt::format("has the pattern {}, not {}", computed, id));
    }
    return at(object, "", [&] { return canonical(fact); });
}

std::optional<uint64_t> read_offset(Object& object, const char* name) {
    const Json* value = object.find(name, Presence::required);
    if (value->is_null()) return std::nullopt;
    uint64_t offset = 0;
    read(object, name, offset, Presence::required);
    return offset;
}

DisagreementFact read_disagreement(Object object, const std::vector<int64_t>& observation_rows) {
    DisagreementFact fact;
    fact.first = referred(object, "first", observation_rows);
    fact.second = referred(object, "second", observation_rows);
    if (fact.first == fact.second) object.fail("second", "must be another observation than \"first\"");
    read(object, "differing", fact.differing, Presence::required);
    if (fact.differing == 0) object.fail("differing", "must be positive");
    read(object, "element", fact.element, Presence::required);
    fact.first_offset = read_offset(object, "first_offset");
    fact.second_offset = read_offset(object, "second_offset");
    read(object, "text", fact.text, Presence::required);
    object.refuse_unknown();
    return fact;
}

LaneOrderFact read_lane_order(Object& object) {
    LaneOrderFact fact;
    each_lane_order_member(
        [&](const char* name, auto member, Presence presence) { read(object, name, fact.*member, presence); });
    if (const Json* matrix = object.find("matrix", Presence::optional))
        fact.matrix = at(object, "matrix", [&] { return lanes_from_names(matrix->get<std::vector<std::string>>()); });
    object.refuse_unknown();
    return at(object, "", [&] { return canonical(fact); });
}

StartOrderFact read_start_order(Object& object) {
    StartOrderFact fact;
    each_start_order_member(
        [&](const char* name, auto member, Presence presence) { read(object, name, fact.*member, presence); });
    fact.statistics = *object.find("statistics", Presence::required);
    object.refuse_unknown();
    return at(object, "", [&] { return canonical(fact); });
}

ValidationFact read_validation(Object& object) {
    ValidationFact fact;
    each_validation_member(
        [&](const char* name, auto member, Presence presence) { read(object, name, fact.*member, presence); });
    object.refuse_unknown();
    return at(object, "", [&] { return canonical(fact); });
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

Json parse_document(std::string_view text) {
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& error) {
        std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        if (const size_t end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
        throw Error("is no JSON: " + what);
    }
}

void require_format(Object& document) {
    std::string format;
    read(document, "format", format, Presence::optional);
    if (format != "tilewise-bundle")
        document.fail("format", "is not \"tilewise-bundle\": this is no bundle of tilewise");
    uint64_t version = 0;
    read(document, "version", version, Presence::required);
    if (version > bundle_version)
        document.fail("version", fmt::format("was written by a newer tilewise (bundle version {}, this one knows {}): "
                                             "update tilewise",
                                             version, bundle_version));
    if (version == 0) document.fail("version", "must be 1");
}

Imported import_document(Database& db, const Json& json) {
    Object document = object_at(json, "");
    require_format(document);
    std::vector<DeviceFact> devices;
    std::vector<DriverFact> drivers;
    for (const Object& object : objects_of(document, "devices")) devices.push_back(read_device(object));
    for (const Object& object : objects_of(document, "drivers")) drivers.push_back(read_driver(object));
    const std::vector<Object> pattern_objects = objects_of(document, "patterns");
    const std::map<std::string, Json> patterns = read_patterns(pattern_objects);

    Imported imported;
    std::vector<int64_t> rows;
    std::set<std::string> used_patterns;
    for (Object& object : objects_of(document, "observations")) {
        const DeviceFact& device = referred(object, "device", devices);
        const DriverFact& driver = referred(object, "driver", drivers);
        const Added added = add_observation(db, device, driver, read_observation_fact(object, patterns, used_patterns));
        imported.devices += added.new_device;
        imported.drivers += added.new_driver;
        imported.patterns += added.new_pattern;
        (added.new_observation ? imported.observations : imported.known_observations) += 1;
        rows.push_back(added.observation);
    }
    for (const Object& object : pattern_objects)
        if (const std::string id = object.json["id"]; !used_patterns.contains(id))
            object.fail("id", fmt::format("{}: no observation rests on it", id));
    for (const Object& object : objects_of(document, "disagreements"))
        imported.disagreements += add_disagreement(db, read_disagreement(object, rows));
    const auto count = [&](const auto& added, uint64_t& facts) {
        imported.devices += added.new_device;
        imported.drivers += added.new_driver;
        facts += added.is_new;
    };
    for (Object& object : objects_of(document, "lane_orders", Presence::optional)) {
        const DeviceFact& device = referred(object, "device", devices);
        const DriverFact& driver = referred(object, "driver", drivers);
        count(add_lane_order(db, device, driver, read_lane_order(object)), imported.lane_orders);
    }
    for (Object& object : objects_of(document, "start_orders", Presence::optional)) {
        const DeviceFact& device = referred(object, "device", devices);
        const DriverFact& driver = referred(object, "driver", drivers);
        count(add_start_order(db, device, driver, read_start_order(object)), imported.start_orders);
    }
    for (Object& object : objects_of(document, "validations", Presence::optional)) {
        const DeviceFact& device = referred(object, "device", devices);
        const DriverFact& driver = referred(object, "driver", drivers);
        count(add_validation(db, device, driver, read_validation(object)), imported.validations);
    }
    document.refuse_unknown();
    return imported;
}

/// Those of `now` that are not in `before`.
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

Imported import_bundle(Database& db, std::string_view text, const std::string& name) {
    Transaction transaction(db.sqlite);
    const std::vector<Contradiction> before = find_contradictions(db);
    const std::vector<LaneContradiction> lanes_before = find_lane_contradictions(db);
    Imported imported;
    try {
        imported = import_document(db, parse_document(text));
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", name, error.what()));
    }
    imported.contradictions = fresh(find_contradictions(db), before);
    imported.lane_contradictions = fresh(find_lane_contradictions(db), lanes_before);
    transaction.commit();
    return imported;
}

Imported load_catalog(Database& db, std::span<const CatalogFile> files) {
    Transaction transaction(db.sqlite);
    Imported sum;
    for (const CatalogFile& file : files) {
        Imported one = import_bundle(db, file.text, fmt::format("catalog/{}", file.name));
        sum.devices += one.devices;
        sum.drivers += one.drivers;
        sum.patterns += one.patterns;
        sum.observations += one.observations;
        sum.disagreements += one.disagreements;
        sum.lane_orders += one.lane_orders;
        sum.start_orders += one.start_orders;
        sum.validations += one.validations;
        sum.known_observations += one.known_observations;
        std::ranges::move(one.contradictions, std::back_inserter(sum.contradictions));
        std::ranges::move(one.lane_contradictions, std::back_inserter(sum.lane_contradictions));
    }
    transaction.commit();
    return sum;
}

}  // namespace tilewise::db
