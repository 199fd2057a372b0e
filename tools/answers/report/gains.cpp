#include "tools/answers/report/gains.h"
#include "db/facts/validation.h"
#include "patterns/model/extent_text.h"
#include "patterns/remap/workgroup.h"
#include "tools/answers/add_once.h"
#include "tools/answers/advice/advice.h"
#include "tools/answers/advice/advice_text.h"
#include "tools/answers/advice/measured.h"
#include "tools/answers/gpu/gpu.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace tilewise {

namespace {

using CellTimings = std::map<std::tuple<std::string, std::string, std::string, std::string, uint32_t,
                                        std::array<uint32_t, 2>, std::string, std::array<uint32_t, 2>>,
                             const db::ValidationFact*>;

/// The newest timing for each device, driver, format, kernel, radius, extent, order and shape, of methods in which each
/// invocation reads its own texels, in workgroups in launch order.
CellTimings newest_direct(const std::vector<db::ValidationRow>& rows) {
    CellTimings newest;
    for (const db::ValidationRow& row : rows) {
        const db::ValidationFact& f = row.fact;
        if (is_direct(f) && is_as_launched(f))
            newest[{row.device.name, driver_text(row.driver), f.format, f.kernel, f.radius, f.extent, f.order,
                    f.shape}] = &f;
    }
    return newest;
}

TimedRange join(const TimedRange& a, const TimedRange& b) {
    TimedRange all = a;
    for (const double ratio : {b.low, b.high}) {
        all.widen(ratio, b.radii[0], b.smallest);
        all.widen(ratio, b.radii[1], b.largest);
    }
    return all;
}

std::string times_text(const TimedRange& range) {
    const std::string low = fmt::format("{:.2f}", range.low), high = fmt::format("{:.2f}", range.high);
    return low == high ? low : fmt::format("{} to {}", low, high);
}

}  // namespace

std::vector<ReportGain> find_gains(const db::Database& database) {
    const std::vector<db::ValidationRow> rows = db::find_facts<db::ValidationFact>(database);
    const CellTimings newest = newest_direct(rows);
    // The fastest in memory order for each device, driver, format, kernel, radius and extent.
    std::map<std::tuple<std::string, std::string, std::string, std::string, uint32_t, std::array<uint32_t, 2>>,
             const db::ValidationFact*>
        fastest_learned;
    for (const auto& [key, fact] : newest) {
        const auto& [device, driver, format, kernel, radius, extent, order, shape] = key;
        if (order != "learned") continue;
        const db::ValidationFact*& best = fastest_learned[{device, driver, format, kernel, radius, extent}];
        if (!best || fact->median_ms < best->median_ms) best = fact;
    }
    std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, ReportGain> gains;
    const auto in_order = [&](const auto& key, const std::string& order) -> const db::ValidationFact* {
        const auto found = newest.find(std::tuple_cat(key, std::tuple(order, usual_shape)));
        return found == newest.end() ? nullptr : found->second;
    };
    for (const auto& [key, learned] : fastest_learned) {
        const auto& [device, driver, format, kernel, radius, extent] = key;
        const db::ValidationFact *row = in_order(key, "row"), *morton = in_order(key, "morton");
        if (!row) continue;
        ReportGain& gain = gains[{device, driver, format, kernel, learned->pattern}];
        gain.device = device, gain.driver = driver, gain.format = format, gain.kernel = kernel;
        gain.pattern = learned->pattern;
        gain.over_row.widen(times_as_fast(*learned, *row).value, radius, extent);
        if (!morton) continue;
        if (!gain.over_morton) gain.over_morton.emplace();
        gain.over_morton->widen(times_as_fast(*learned, *morton).value, radius, extent);
    }
    std::vector<ReportGain> found;
    found.reserve(gains.size());
    for (auto& [key, gain] : gains) found.push_back(std::move(gain));
    return found;
}

std::vector<std::string> measured_sentences(const std::vector<const ReportGain*>& gains) {
    std::map<std::string, TimedRange> by_kernel;
    TimedRange all;
    std::array<uint32_t, 2> radii = {0, 0};  // of the kernels that have a radius
    std::optional<TimedRange> over_morton;
    std::vector<std::string> devices;
    for (const ReportGain* gain : gains) {
        const auto [least, largest] = gain->over_row.radii;
        if (least > 0) radii = {radii[0] == 0 ? least : std::min(radii[0], least), std::max(radii[1], largest)};
        const auto [known, is_new] = by_kernel.try_emplace(gain->kernel, gain->over_row);
        if (!is_new) known->second = join(known->second, gain->over_row);
        all = all.high == 0 ? gain->over_row : join(all, gain->over_row);
        if (gain->over_morton) over_morton = over_morton ? join(*over_morton, *gain->over_morton) : *gain->over_morton;
        add_once(devices, fmt::format("{} ({})", gain->device, gain->driver));
    }
    std::vector<std::pair<std::string, TimedRange>> kernels(by_kernel.begin(), by_kernel.end());
    std::ranges::stable_sort(kernels, std::greater(), [](const auto& of) { return of.second.high; });
    std::vector<std::string> parts;
    parts.reserve(kernels.size());
    for (const auto& [kernel, range] : kernels) parts.push_back(fmt::format("{} {}", kernel, times_text(range)));
    std::vector<std::string> sentences = {
        fmt::format("Reading in memory order is up to {:.2f} times as fast as row order in 16x16: {}.", all.high,
                    fmt::join(parts, ", "))};
    if (over_morton)
        sentences.push_back(
            fmt::format("Compared with Morton order in 16x16, it is {} times as fast.", times_text(*over_morton)));
    const std::string extents =
        all.smallest == all.largest
            ? extent_text(Extent_px{all.largest[0], all.largest[1], 1})
            : fmt::format("{} to {}", extent_text(Extent_px{all.smallest[0], all.smallest[1], 1}),
                          extent_text(Extent_px{all.largest[0], all.largest[1], 1}));
    const std::string radius = radii[1] == 0          ? ""
                               : radii[0] == radii[1] ? fmt::format("radius {}, ", radii[1])
                                                      : fmt::format("radius {} to {}, ", radii[0], radii[1]);
    sentences.push_back(fmt::format("Measured on {}: {}images of {}; each invocation reads its own texels.",
                                    fmt::join(devices, " and "), radius, extents));
    return sentences;
}

std::string whose_images(const std::vector<const ReportGain*>& gains) {
    std::vector<std::string> formats, devices;
    for (const ReportGain* gain : gains) {
        add_once(formats, gain->format);
        add_once(devices, gain->device);
    }
    return fmt::format("Images of {} on {}", fmt::join(formats, " and "), fmt::join(devices, " and "));
}

std::string touched_sentence(const ReportPattern& pattern, const std::string& format) {
    const Derivation& derived = *pattern.remap;
    const OrderCost& learned = derived.orders.back();
    std::string text =
        fmt::format("{} invocations that read one {} each, as in a copy, touch {} segments of 64 bytes in memory order",
                    derived.request.invocations, element_words(format), learned.segments_64);
    const auto segments_in = [&](std::string_view order) {
        const auto found = std::ranges::find(derived.orders, order, &OrderCost::name);
        return found == derived.orders.end() ? std::optional<uint64_t>() : found->segments_64;
    };
    if (const auto row = segments_in("row"))
        text += fmt::format("; in row order in {} it is {}", shape_text(derived.orders.front().remap.shape), *row);
    if (const auto morton = segments_in("morton")) text += fmt::format(", in Morton order {}", *morton);
    return text + ". This follows from the pattern; it was not timed.";
}

}  // namespace tilewise
