// Queries on the database.
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
    std::shared_ptr<const DeviceFact> device;  ///< shared by all uses in an answer
    std::shared_ptr<const DriverFact> driver;
    std::vector<std::string> provenance;  ///< each once
    uint64_t observations = 0;
};

/// A pattern and the evidence for it.
struct PatternSummary {
    std::string id, title;
    Layout layout;  ///< the pattern in an image of no particular size: base and constant 0, representative strides
    uint64_t observations = 0;
    std::vector<DeviceUse> devices;                    ///< devices that match the filter
    std::vector<DeviceUse> also_devices;               ///< devices that share the pattern but do not match
    std::vector<std::string> formats, usages, routes;  ///< of the matching observations, each once, sorted
    std::vector<std::array<uint32_t, 3>> extents;      ///< likewise
    std::string first_time, last_time;
};

/// Returns the patterns that have a matching observation, the most observed first. Throws UsageError for an unknown
/// vendor.
std::vector<PatternSummary> find_patterns(const Database& db, const Filter& filter);

/// Returns all matching observations, the oldest first, whatever their result.
std::vector<ObservationRow> find_observations(const Database& db, const Filter& filter);

/// Returns the number of observations in the whole database. Code that goes through them reports its progress after
/// each `observations_between_words`.
uint64_t observation_count(const Database& db);
constexpr uint64_t observations_between_words = 256;

/// Returns the devices and drivers that have a matching observation or, if the filter selects by nothing about an
/// image, a rule. They are in the order in which they were first seen.
std::vector<std::pair<DeviceFact, DriverFact>> origins_of(const Database& db, const Filter& filter);

struct ListedDevice {
    int64_t row = 0;
    DeviceFact fact;
    bool published_only = false;   ///< it has observations, and all are from published tables
    bool documented_only = false;  ///< likewise, from documents
};
/// Returns all devices, by name.
std::vector<ListedDevice> list_devices(const Database& db);

/// Returns the drivers with which these devices (ids) were probed, by name and version.
std::vector<DriverFact> drivers_of(const Database& db, const std::vector<int64_t>& devices);

/// Returns the full id for a prefix. Throws Error if it is unknown (saying how to list ids) or ambiguous (listing the
/// choices).
std::string resolve_pattern(const Database& db, std::string_view prefix);

/// Returns everything about one pattern (a full id).
PatternSummary pattern_summary(const Database& db, const std::string& id);

/// For a filter that found nothing: returns one line that names the member that no observation matches and what exists
/// instead ("no observation of a device named \"2080 Ti\": there are ...").
std::string why_nothing(const Database& db, const Filter& filter);

/// Returns whether the text is part of a device's name, compared as the filter's member `device` is.
bool is_part_of_a_device_name(const Database& db, const std::string& text);

/// The object that `query` and `show` print.
nlohmann::ordered_json to_json(const PatternSummary& summary);

}  // namespace tilewise::db
