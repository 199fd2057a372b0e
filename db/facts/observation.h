// An observation: one probe of one subresource of one image by one route.
#pragma once
#include "db/facts/identity.h"
#include "db/facts/stored.h"
#include "patterns/model/image_kind.h"
#include "patterns/model/layout.h"
#include "patterns/model/sparse_blocks.h"
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::db {

inline constexpr std::array<std::string_view, 8> result_names = {
    "exact", "no-fit", "opaque", "nothing-written", "unsupported", "out-of-memory", "crashed", "timed-out"};
/// The provenance `shared`: somebody else read it on hardware and sent it (docs/share.md).
inline constexpr std::string_view shared_provenance = "shared";
inline constexpr std::array<std::string_view, 5> provenance_names = {
    "hardware", shared_provenance, "driver without hardware", "published table", "documented"};

/// A table and a document are the routes of facts that nobody probed.
inline constexpr std::array<std::string_view, 5> route_names = {"alias", "alias-map", "host-copy", "table", "document"};

struct ObservationFact : ImageKind {
    uint32_t level = 0, layer = 0;  ///< of the subresource that was probed
    std::string aspect = "color";   ///< color, depth, stencil, plane0..2
    std::string route;              ///< one of route_names
    int32_t memory_type = -1;       ///< index; -1 if it does not apply
    std::string memory_flags;       ///< e.g. "device-local,host-visible"
    std::string result;             ///< one of result_names
    std::string reason;             ///< one line: why not exact; for a fact that nobody probed, its origin; else ""
    uint64_t elements = 0;          ///< number examined
    uint64_t mismatches = 0;
    /// The memory that the image, or a disjoint image's plane, needs; 0: not known.
    uint64_t bytes = 0, alignment = 0;
    std::string time;  ///< UTC, as utc_now() writes it
    std::string tool_version;
    std::string provenance = "hardware";  ///< one of provenance_names
    std::optional<SparseBlocks> sparse;   ///< of the aspect, if the image has sparse residency
    std::optional<Layout> layout;         ///< present exactly if the result is exact

    static constexpr const char* table = "observation";
    static constexpr const char* title = "observation";
    static constexpr const char* row_order =
        "format, usage, flags, width, height, depth, levels, layers, samples, level, layer, aspect, route, "
        "memory_type, "
        "time, identity";
    /// The list has everything but the layout, which is stored as its difference from its pattern's.
    static constexpr auto members() {
        using enum Presence;
        using F = ObservationFact;
        return std::tuple(member<F>("format", &F::format, required, rule::format_name),
                          member<F>("usage", &F::usage, optional, rule::name_list),
                          member<F>("flags", &F::flags, later, rule::name_list),
                          member<F>("image_type", &F::type, optional, rule::anything),
                          member<F>("extent", &F::extent_px, required, rule::positive_integer, "width,height,depth"),
                          member<F>("levels", &F::levels, optional, rule::positive_integer),
                          member<F>("layers", &F::layers, optional, rule::positive_integer),
                          member<F>("samples", &F::samples, optional, rule::positive_integer),
                          member("level", &F::level, optional, rule::anything),
                          member("layer", &F::layer, optional, rule::anything),
                          member("aspect", &F::aspect, optional, rule::non_empty_line),
                          member("route", &F::route, required, rule::one_of(route_names)),
                          member("memory_type", &F::memory_type, optional, rule::memory_index),
                          member("memory_flags", &F::memory_flags, optional, rule::name_list),
                          member("result", &F::result, required, rule::one_of(result_names)),
                          member("reason", &F::reason, optional, rule::line),
                          member("elements", &F::elements, required, rule::anything),
                          member("mismatches", &F::mismatches, optional, rule::anything),
                          member("bytes", &F::bytes, later, rule::anything),
                          member("alignment", &F::alignment, later, rule::power_of_2_or_0),
                          member("time", &F::time, required, rule::utc_time),
                          member("tool_version", &F::tool_version, optional, rule::line),
                          member("provenance", &F::provenance, required, rule::one_of(provenance_names)),
                          member("sparse", &F::sparse, later, rule::anything));
    }
};
static_assert(members_are_complete<ObservationFact, std::optional<Layout>>());

void require_consistent(const ObservationFact& fact);

/// One observation with everything that it refers to.
struct ObservationRow {
    int64_t row = 0;
    DeviceFact device;
    DriverFact driver;
    ObservationFact fact;
    std::string pattern;  ///< id; "" unless the result is exact
};

struct Added {
    int64_t observation = 0;       ///< its row, to which disagreements refer
    std::string pattern;           ///< id; "" without a layout
    bool new_observation = false;  ///< false: the very same fact (also in time and tool version) was there already
    bool new_pattern = false, new_device = false, new_driver = false;
};

/// Adds the observation and, if they are new, the device, the driver and the pattern, in one transaction.
Added add_observation(Database& db, const DeviceFact& device, const DriverFact& driver, const ObservationFact& fact);
/// Adds all of them or none: this is many times faster than adding them one by one.
std::vector<Added> add_observations(Database& db, const DeviceFact& device, const DriverFact& driver,
                                    std::span<const ObservationFact> facts);
/// Adds one within the caller's transaction, which must be rolled back on an error.
Added add_observation_within(Database& db, const DeviceFact& device, const DriverFact& driver,
                             const ObservationFact& fact);

/// An observation that is canonical and has everything that is stored about it apart from its device, driver and
/// pattern: everything that needs no database.
struct ReadyObservation {
    ObservationFact fact;
    std::string pattern;                   ///< id of its layout's pattern; "" without a layout
    std::string identity;                  ///< hash of everything that these facts say
    std::optional<std::string> placement;  ///< of its layout, as stored in a row
};
/// `so_far` is the identity of its device and driver.
ReadyObservation made_ready(const Identity& so_far, ObservationFact canonical_fact, std::string pattern);
Identity identity_of(const DeviceFact& canonical_device, const DriverFact& canonical_driver);
/// Adds it within the caller's transaction, which must contain its pattern. The result does not report whether the
/// device, driver or pattern is new, and counting the use of the pattern is left to the caller
/// (db/facts/pattern_use.h).
Added add_ready_observation(Database& db, const Origin& origin, const ReadyObservation& ready);

/// Returns a hash of everything that the canonical facts say; `pattern` is the id of the layout's pattern, "" without
/// one.
std::string identity_of(const DeviceFact& device, const DriverFact& driver, const ObservationFact& fact,
                        const std::string& pattern);

/// Returns SELECT and FROM for an ObservationReader, with `others` (", identity") as further columns; conditions and an
/// order may follow.
std::string select_observations(std::string_view others = "");

/// Reads many observations, but each of their patterns only once.
class ObservationReader {
public:
    explicit ObservationReader(const Database& db);
    /// Throws Error if a value does not fit into the struct, or if the layout does not match its pattern.
    ObservationRow read(const Statement& row);
    ObservationRow read(const Statement& row, int& column);  ///< advances `column` past its columns
    ObservationRow at(int64_t row);                          ///< throws Error if there is no such row

private:
    struct PatternReading {
        std::optional<Pattern> pattern;
        std::string why_not;
    };
    const Pattern& pattern(const std::string& id);

    std::string path_;
    Statement by_row_, layout_of_;
    std::map<std::string, PatternReading> known_;
};

/// The object that `query` prints.
nlohmann::ordered_json to_json(const ObservationRow& row);

}  // namespace tilewise::db
