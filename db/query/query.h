// Questions to the database.
#pragma once
#include "db/query/filter.h"
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::db {

struct DeviceUse {
    std::shared_ptr<const DeviceFact> device;  ///< one for all uses in an answer
    std::shared_ptr<const DriverFact> driver;
    std::vector<std::string> provenance;  ///< each once
    uint64_t observations = 0;
};

/// The summary is of a pattern and what it rests on.
struct PatternSummary {
    std::string id, title;
    Layout layout;  ///< the pattern in an image of no particular size: base and constant 0, representative strides
    uint64_t observations = 0;
    std::vector<DeviceUse> devices;                    ///< that match the filter
    std::vector<DeviceUse> also_devices;               ///< that share the pattern and do not match
    std::vector<std::string> formats, usages, routes;  ///< of the matching observations, each once, sorted
    std::vector<std::array<uint32_t, 3>> extents;      ///< likewise
    std::string first_time, last_time;
};

/// Returns the patterns of which a matching observation exists, most observed first. Throws UsageError for an unknown
/// vendor.
std::vector<PatternSummary> find_patterns(const Database& db, const Filter& filter);

/// Returns all that match, oldest first, whatever their result.
std::vector<ObservationRow> find_observations(const Database& db, const Filter& filter);

/// Returns how many observations the whole database has. Whoever goes through them says how far it is after each
/// `observations_between_words`.
uint64_t observation_count(const Database& db);
constexpr uint64_t observations_between_words = 256;

/// Returns the devices and drivers of which a matching observation exists, or a rule where the filter asks for no
/// image, in the order in which they were first seen.
std::vector<std::pair<DeviceFact, DriverFact>> origins_of(const Database& db, const Filter& filter);

struct ListedDevice {
    int64_t row = 0;
    DeviceFact fact;
    bool published_only = false;   ///< its observations are all of published tables, and there are some
    bool documented_only = false;  ///< likewise, of what texts say
};
/// Returns all devices, by name.
std::vector<ListedDevice> list_devices(const Database& db);

/// Returns the drivers with which these devices (ids) were probed, by name and version.
std::vector<DriverFact> drivers_of(const Database& db, const std::vector<int64_t>& devices);

/// Returns the full id for a prefix of it. Throws Error: unknown (how to list them), or ambiguous (the choices).
std::string resolve_pattern(const Database& db, std::string_view prefix);

/// Returns everything about one pattern (a full id).
PatternSummary pattern_summary(const Database& db, const std::string& id);

/// Returns, for a filter that found nothing, one line that names the member that no observation matches and what exists
/// instead ("no observation of a device named \"2080 Ti\": there are ...").
std::string why_nothing(const Database& db, const Filter& filter);

/// Returns whether it is, as the filter's member `device` compares.
bool is_part_of_a_device_name(const Database& db, const std::string& text);

/// The object is what `query` and `show` print.
nlohmann::ordered_json to_json(const PatternSummary& summary);

}  // namespace tilewise::db
