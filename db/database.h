// The database file: open it, add facts to it. Queries are in db/query.h, bundles in db/bundle.h, checks in db/check.h.
//
// A fact is plain strings and numbers: nothing here knows Vulkan. Every function throws tilewise::Error with one line
// that names the file; a write that fails, or is interrupted, leaves the file as it was before that call.
#pragma once
#include "db/catalog.h"
#include "db/sqlite/sqlite.h"
#include "patterns/model/layout.h"
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tilewise::db {

enum class Access {
    read_only,   ///< the file must exist; no fact is added (a file of an older schema is brought up to date)
    read_write,  ///< the file and its folders are created if they are missing; it gets what it lacks of the catalog
};

struct Database {
    Connection sqlite;
    std::string path;                              ///< for messages; "the catalog" for open_catalog()
    std::shared_ptr<struct Inserts> inserts = {};  ///< the statements that add_observation() prepared
};

/// $TILEWISE_DB, else $XDG_DATA_HOME/tilewise/tilewise.db, else ~/.local/share/tilewise/tilewise.db. Creates nothing.
std::filesystem::path default_path();

/// Throws where the file is missing (read_only), unreadable, damaged, no database of Tilewise, or of a newer schema.
/// A catalog that the file has not seen yet (all of it in a new file) is imported by read_write.
Database open_database(const std::filesystem::path& path, Access access,
                       std::span<const CatalogFile> catalog = embedded_catalog());

/// The shipped catalog alone, in memory: for a query on a machine that has no database yet. Its writes are not kept.
Database open_catalog(std::span<const CatalogFile> catalog = embedded_catalog());

/// 2025-03-01T12:34:56.789Z
std::string utc_now();

/// A device is the same device when all its members are equal.
struct DeviceFact {
    uint32_t vendor_id = 0;  ///< as Vulkan gives it: a PCI id, or a Khronos one (0x10005 is Mesa)
    uint32_t device_id = 0;
    std::string name = {};
    std::string type = {};  ///< discrete, integrated, virtual, cpu, other; "" where unknown
    std::string uuid = {};  ///< deviceUUID as 32 hexadecimal digits; "" where unknown
    bool operator==(const DeviceFact&) const = default;
};

/// A driver is the same driver when all its members are equal.
struct DriverFact {
    std::string name = {};                ///< driverName, e.g. "radv"
    std::string info = {};                ///< driverInfo, e.g. "Mesa 26.1.0-1"
    std::string id = {};                  ///< driverID by name, e.g. "MESA_RADV"; "" where unknown
    std::string version = {};             ///< driverVersion as the vendor writes it, e.g. "580.159.04"
    std::string api_version = {};         ///< e.g. "1.4.312"
    std::string uuid = {};                ///< driverUUID, 32 hexadecimal digits; "" where unknown
    std::string pipeline_uuid = {};       ///< pipelineCacheUUID
    std::string tiling_layout_uuid = {};  ///< optimalTilingLayoutUUID of host image copy; "" without that extension
    bool operator==(const DriverFact&) const = default;
};

/// One probe of one subresource of one image by one route.
struct ObservationFact {
    std::string format;             ///< without VK_FORMAT_, e.g. "R8G8B8A8_UNORM"
    std::string usage;              ///< names joined by commas, e.g. "sampled,storage"; their order does not matter
    std::string image_type = "2D";  ///< 1D, 2D, 3D
    std::array<uint32_t, 3> extent = {1, 1, 1};  ///< texels of level 0
    uint32_t levels = 1, layers = 1, samples = 1;
    uint32_t level = 0, layer = 0;  ///< the one that was probed
    std::string aspect = "color";   ///< color, depth, stencil, plane0..2
    std::string route;              ///< alias, alias-map, host-copy; table or document for facts that nobody probed
    int32_t memory_type = -1;       ///< index; -1 where it does not apply
    std::string memory_flags;       ///< e.g. "DEVICE_LOCAL,HOST_VISIBLE"
    std::string result;             ///< exact no-fit opaque nothing-written unsupported crashed timed-out
    std::string reason;             ///< one line: why not exact; or where a fact is from that nobody probed; else ""
    std::optional<Layout> layout;   ///< with exact, and only then
    uint64_t elements = 0;          ///< that were examined
    uint64_t mismatches = 0;
    std::string time;  ///< UTC, as utc_now() writes it
    std::string tool_version;
    std::string provenance = "hardware";  ///< hardware, driver without hardware, published table, documented
};

struct Added {
    int64_t observation = 0;       ///< its row: what a disagreement refers to
    std::string pattern;           ///< id; "" without a layout
    bool new_observation = false;  ///< false: the very same fact (its time and tool version too) was there already
    bool new_pattern = false, new_device = false, new_driver = false;
};

/// Adds the observation, and the device, the driver and the pattern if they are new: in one transaction.
Added add_observation(Database& db, const DeviceFact& device, const DriverFact& driver, const ObservationFact& fact);

/// Two observations of one image that give different places to the same elements: kept, never averaged away.
struct DisagreementFact {
    int64_t first = 0, second = 0;                        ///< rows of observations (Added::observation)
    uint64_t differing = 0;                               ///< elements
    Coord element = {};                                   ///< the first that differs
    std::optional<uint64_t> first_offset, second_offset;  ///< bytes; none where that observation did not find it
    std::string text;                                     ///< one line for people
};

/// False: it was there already.
bool add_disagreement(Database& db, const DisagreementFact& fact);

}  // namespace tilewise::db
