// A figure about how a device and driver run kernels, measured separately (kernels/figures/figures.h).
#pragma once
#include "db/facts/stored.h"
#include <array>
#include <string>

namespace tilewise::db {

struct FigureFact {
    std::string name;                         ///< what was measured, with its unit: docs/lanes.md lists the names
    std::string format = {};                  ///< of the texels, without VK_FORMAT_; empty: texels do not matter
    double value = 0;                         ///< in the unit of the name
    std::array<double, 2> interval = {0, 0};  ///< with 95% confidence; both 0: not known
    std::string time;                         ///< UTC, as utc_now() writes it
    std::string tool_version;
    bool operator==(const FigureFact&) const = default;

    static constexpr const char* table = "figure";
    static constexpr const char* title = "figure";
    static constexpr const char* bundle_list = "figures";
    static constexpr const char* row_order = "figure.name, format, time, figure.id";
    static constexpr auto members() {
        using enum Presence;
        using F = FigureFact;
        constexpr std::array<std::string_view, 14> names = {"group_starts_per_us",
                                                            "texels_2x2_per_us",
                                                            "texels_4x1_per_us",
                                                            "texels_1x4_per_us",
                                                            "first_level_bytes",
                                                            "first_level_ns",
                                                            "first_level_caches",
                                                            "second_level_ns",
                                                            "miss_bytes",
                                                            "resident_invocations",
                                                            "resident_invocations_32_values",
                                                            "resident_invocations_64_values",
                                                            "resident_invocations_128_values",
                                                            "registers_at_full_occupancy"};
        return std::tuple(member("name", &F::name, required, rule::one_of(names)),
                          member("format", &F::format, optional, rule::line),
                          member("value", &F::value, required, rule::positive_number),
                          member("interval", &F::interval, unknown, rule::interval, "interval_low,interval_high"),
                          member("time", &F::time, required, rule::utc_time),
                          member("tool_version", &F::tool_version, optional, rule::line));
    }
};
static_assert(members_are_complete<FigureFact>());

/// Throws Error if the value lies outside the interval.
void require_consistent(const FigureFact& fact);

using FigureRow = Stored<FigureFact>;

/// Returns the newest figure of each name and format for this device model with this driver version; if several are
/// equally old, the one added last.
std::vector<FigureFact> newest_figures(const Database& database, const DeviceFact& device, const DriverFact& driver);

}  // namespace tilewise::db
