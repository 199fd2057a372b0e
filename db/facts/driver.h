// A driver as a fact: its name, version and the UUIDs that Vulkan gives.
#pragma once
#include "db/facts/rules.h"
#include <string>

namespace tilewise::db {

/// Two drivers are the same if all their members are equal.
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

    static constexpr const char* table = "driver";
    static constexpr auto members() {
        using enum Presence;
        using F = DriverFact;
        return std::tuple(member("name", &F::name, required, rule::line),
                          member("info", &F::info, optional, rule::line),
                          member("id", &F::id, optional, rule::line, "driver_id"),
                          member("version", &F::version, optional, rule::line),
                          member("api_version", &F::api_version, optional, rule::line),
                          member("uuid", &F::uuid, optional, rule::line),
                          member("pipeline_uuid", &F::pipeline_uuid, optional, rule::line),
                          member("tiling_layout_uuid", &F::tiling_layout_uuid, optional, rule::line));
    }
};
static_assert(members_are_complete<DriverFact>());

/// Returns the driver's name and its own description: "NVIDIA 580.159.04".
std::string driver_text(const DriverFact& driver);

}  // namespace tilewise::db
