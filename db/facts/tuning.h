// A tune result: the order and workgroup that a search found to be best for one kernel over one image, at one time.
#pragma once
#include "db/facts/stored.h"
#include "patterns/remap/remap.h"
#include <array>
#include <cstdint>
#include <string>

namespace tilewise::db {

struct TuningFact {
    std::string kernel;                       ///< "box", ...
    std::string method;                       ///< "direct", ...
    std::string order;                        ///< row, morton, learned, permutation, matrix
    std::string format;                       ///< without VK_FORMAT_
    std::string pattern;                      ///< id of the images' pattern
    std::array<uint32_t, 2> extent = {1, 1};  ///< texels of the image
    uint32_t radius = 0;
    std::array<uint32_t, 2> shape = {1, 1};  ///< texels of a workgroup: the remap's box, or several boxes
    std::string columns;                     ///< the remap, as columns_text() writes it
    std::string group_order = "linear";      ///< as group_order_text() writes it
    uint32_t candidates = 1;                 ///< number of orders and shapes that were timed
    uint32_t samples = 0;                    ///< samples that count
    uint32_t discarded = 0;                  ///< samples discarded because they were disturbed
    double median_ms = 0;
    std::array<double, 2> interval_ms = {0, 0};  ///< with 95% confidence; both 0: too few samples
    /// How many times as fast it is as row order in 16x16, or in the squares that a method divides the work into; 0 if
    /// that was not timed, or is this one.
    double over_row = 0;
    std::array<double, 2> over_row_interval = {0, 0};      ///< likewise
    double over_morton = 0;                                ///< times as fast as Morton order in 16x16
    std::array<double, 2> over_morton_interval = {0, 0};   ///< likewise
    double over_derived = 0;                               ///< times as fast as the derived order
    std::array<double, 2> over_derived_interval = {0, 0};  ///< likewise
    double over_best = 0;  ///< times as fast as the fastest, which is less simple; 0: this is the fastest
    std::array<double, 2> over_best_interval = {0, 0};  ///< likewise
    std::string time;                                   ///< UTC, as utc_now() writes it
    std::string tool_version;
    bool operator==(const TuningFact&) const = default;

    static constexpr const char* table = "tuning";
    static constexpr const char* title = "tune result";
    static constexpr const char* bundle_list = "tunings";
    static constexpr const char* row_order = "time, kernel, format, radius, method, width, height, tuning.id";
    static constexpr auto members() {
        using enum Presence;
        using F = TuningFact;
        constexpr std::array<std::string_view, 5> orders = {"row", "morton", "learned", "permutation", "matrix"};
        return std::tuple(
            member("kernel", &F::kernel, required, rule::non_empty_line),
            member("method", &F::method, required, rule::non_empty_line),
            member("order", &F::order, required, rule::one_of(orders), "kernel_order"),
            member("format", &F::format, required, rule::format_name),
            member("pattern", &F::pattern, optional, rule::line),
            member("extent", &F::extent, required, rule::positive_integer, "width,height"),
            member("radius", &F::radius, optional, rule::anything),
            member("shape", &F::shape, required, rule::positive_integer, "group_width,group_height"),
            member("columns", &F::columns, required, rule::line),
            member("group_order", &F::group_order, optional, rule::group_order),
            member("candidates", &F::candidates, required, rule::positive_integer),
            member("samples", &F::samples, required, rule::positive_integer),
            member("discarded", &F::discarded, optional, rule::anything),
            member("median_ms", &F::median_ms, required, rule::positive_number),
            member("interval_ms", &F::interval_ms, unknown, rule::interval, "interval_low_ms,interval_high_ms"),
            member("over_row", &F::over_row, unknown, rule::number_or_0),
            member("over_row_interval", &F::over_row_interval, unknown, rule::interval, "over_row_low,over_row_high"),
            member("over_morton", &F::over_morton, unknown, rule::number_or_0),
            member("over_morton_interval", &F::over_morton_interval, unknown, rule::interval,
                   "over_morton_low,over_morton_high"),
            member("over_derived", &F::over_derived, unknown, rule::number_or_0),
            member("over_derived_interval", &F::over_derived_interval, unknown, rule::interval,
                   "over_derived_low,over_derived_high"),
            member("over_best", &F::over_best, unknown, rule::number_or_0),
            member("over_best_interval", &F::over_best_interval, unknown, rule::interval,
                   "over_best_low,over_best_high"),
            member("time", &F::time, required, rule::utc_time),
            member("tool_version", &F::tool_version, optional, rule::line));
    }
};
static_assert(members_are_complete<TuningFact>());

/// Throws Error unless the columns are a remap whose box divides the shape, the group order is valid, and each interval
/// contains its figure.
void require_consistent(const TuningFact& fact);

/// Returns the remap that a consistent fact describes.
Remap remap_of(const TuningFact& fact);

using TuningRow = Stored<TuningFact>;

}  // namespace tilewise::db
