// Questions to the database.
#pragma once
#include "db/database.h"
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::db {

/// What an observation must be to be asked for; an empty member asks for nothing. (The members have initializers so that
/// a caller can name the ones it means.)
struct Filter {
    std::string vendor =
        {};  ///< "NVIDIA", "AMD", "Intel", "ARM", "Qualcomm", "Apple", "Mesa", ..., or an id ("0x10de")
    std::string device = {};  ///< part of the device's name, in any case; whole words go before parts of words
    std::string driver = {};  ///< part of the driver's name, info or version, in any case
    std::string format = {};  ///< e.g. "R8G8B8A8_UNORM", in any case, with or without VK_FORMAT_
    std::string usage = {};   ///< e.g. "storage,sampled": observations of images with at least these usages
    std::optional<std::array<uint32_t, 3>> extent = {};  ///< of level 0
    std::string result = {};                             ///< e.g. "opaque"
    std::string pattern = {};                            ///< a full id
    std::string provenance = {};                         ///< e.g. "hardware"
    bool operator==(const Filter&) const = default;
};

struct DeviceUse {
    DeviceFact device;
    DriverFact driver;
    std::vector<std::string> provenance;  ///< each once
    uint64_t observations = 0;
};

/// A pattern and what it rests on.
struct PatternSummary {
    std::string id, title;
    Layout layout;  ///< the pattern in an image of no particular size: base and constant 0, representative strides
    uint64_t observations = 0;
    std::vector<DeviceUse> devices;                             ///< that match the filter
    std::vector<DeviceUse> also_devices;                        ///< that share the pattern and do not match
    std::vector<std::string> formats, usages, extents, routes;  ///< of the matching observations, each once, sorted
    std::string first_time, last_time;
};

/// One observation with all that it refers to.
struct ObservationRow {
    int64_t row = 0;
    DeviceFact device;
    DriverFact driver;
    ObservationFact fact;
    std::string pattern;  ///< id; "" unless the result is exact
};

struct DisagreementRow {
    DisagreementFact fact;
    ObservationRow first, second;
};

/// The name of a vendor id ("NVIDIA"), or the id as "0x1234" where it is unknown.
std::string vendor_name(uint32_t vendor_id);

/// The patterns of which a matching observation exists, most observed first. Throws UsageError for an unknown vendor.
std::vector<PatternSummary> find_patterns(const Database& db, const Filter& filter);

/// All that match, oldest first, whatever their result.
std::vector<ObservationRow> find_observations(const Database& db, const Filter& filter);

/// The full id for a prefix of it. Throws Error: unknown (how to list them), or ambiguous (the choices).
std::string resolve_pattern(const Database& db, std::string_view prefix);

/// Everything about one pattern (a full id).
PatternSummary pattern_summary(const Database& db, const std::string& id);

/// Disagreements between routes that were seen while probing.
std::vector<DisagreementRow> find_disagreements(const Database& db);

/// For a filter that found nothing: one line that names the member that no observation matches and what exists
/// instead ("no observation of a device named \"2080 Ti\": there are ...").
std::string why_nothing(const Database& db, const Filter& filter);

/// The same as JSON, as `query`, `show` and bundles print them.
nlohmann::ordered_json to_json(const DeviceFact& device);
nlohmann::ordered_json to_json(const DriverFact& driver);
nlohmann::ordered_json to_json(const PatternSummary& summary);
nlohmann::ordered_json to_json(const ObservationRow& observation);

}  // namespace tilewise::db
