// A validation: the measured time of one kernel, in one order, over one image, at one time.
#pragma once
#include "db/facts/stored.h"
#include <array>
#include <cstdint>
#include <string>

namespace tilewise::db {

struct ValidationFact {
    std::string kernel;                       ///< "box", ...
    std::string method;                       ///< "direct", ...
    std::string order;                        ///< row, morton, rdna, learned; "" if the method has its own
    std::string format;                       ///< without VK_FORMAT_
    std::string pattern;                      ///< id of the pattern from which the order was learned; "" if none was
    std::array<uint32_t, 2> extent = {1, 1};  ///< texels of the image
    uint32_t radius = 0;
    std::array<uint32_t, 2> shape = {1, 1};  ///< texels of a workgroup
    uint32_t invocations = 0;                ///< of a workgroup
    std::string group_order = "linear";      ///< as group_order_text() writes it
    int32_t memory_type = -1;                ///< of the image that is read; index
    uint32_t samples = 0;                    ///< samples that count
    uint32_t discarded = 0;                  ///< samples discarded because they were disturbed
    double median_ms = 0;
    std::array<double, 2> interval_ms = {0, 0};     ///< with 95% confidence; both 0: one sample, so there is none
    double ratio = 0;                               ///< times as fast as the baseline; 0: there was none
    std::array<double, 2> ratio_interval = {0, 0};  ///< likewise
    std::string verdict = "baseline";               ///< faster, slower, no difference; baseline
    double floor_ms = 0;  ///< time to move the kernel's bytes once on that device; 0: not measured
    std::string time;     ///< UTC, as utc_now() writes it
    std::string tool_version;
    bool operator==(const ValidationFact&) const = default;

    static constexpr const char* table = "validation";
    static constexpr const char* title = "validation";
    static constexpr const char* bundle_list = "validations";
    static constexpr const char* row_order =
        "time, kernel, format, radius, method, kernel_order, width, height, group_width, group_height, group_order, "
        "validation.id";
    static constexpr auto members() {
        using enum Presence;
        using F = ValidationFact;
        constexpr std::array<std::string_view, 4> verdicts = {"faster", "slower", "no difference", "baseline"};
        return std::tuple(
            member("kernel", &F::kernel, required, rule::non_empty_line),
            member("method", &F::method, optional, rule::line),
            member("order", &F::order, optional, rule::line, "kernel_order"),
            member("format", &F::format, required, rule::format_name),
            member("pattern", &F::pattern, optional, rule::line),
            member("extent", &F::extent, required, rule::positive_integer, "width,height"),
            member("radius", &F::radius, optional, rule::anything),
            member("shape", &F::shape, required, rule::positive_integer, "group_width,group_height"),
            member("invocations", &F::invocations, optional, rule::anything),
            member("group_order", &F::group_order, optional, rule::group_order),
            member("memory_type", &F::memory_type, optional, rule::memory_index),
            member("samples", &F::samples, required, rule::positive_integer),
            member("discarded", &F::discarded, optional, rule::anything),
            member("median_ms", &F::median_ms, required, rule::positive_number),
            member("interval_ms", &F::interval_ms, unknown, rule::interval, "interval_low_ms,interval_high_ms"),
            member("ratio", &F::ratio, unknown, rule::number_or_0),
            member("ratio_interval", &F::ratio_interval, unknown, rule::interval, "ratio_low,ratio_high"),
            member("verdict", &F::verdict, required, rule::one_of(verdicts)),
            member("floor_ms", &F::floor_ms, unknown, rule::number_or_0),
            member("time", &F::time, required, rule::utc_time),
            member("tool_version", &F::tool_version, optional, rule::line));
    }
};
static_assert(members_are_complete<ValidationFact>());

void require_consistent(const ValidationFact& fact);

using ValidationRow = Stored<ValidationFact>;

}  // namespace tilewise::db
