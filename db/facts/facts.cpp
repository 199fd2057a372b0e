#include "db/facts/facts.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tilewise::db {

namespace {

constexpr std::array<std::string_view, 7> results = {"exact",       "no-fit",  "opaque",   "nothing-written",
                                                     "unsupported", "crashed", "timed-out"};
constexpr std::array<std::string_view, 4> provenances = {"hardware", "driver without hardware", "published table",
                                                         "documented"};
constexpr std::array<std::string_view, 6> device_types = {"", "discrete", "integrated", "virtual", "cpu", "other"};
constexpr std::array<std::string_view, 3> image_types = {"1D", "2D", "3D"};

void require_one_of(std::span<const std::string_view> choices, std::string_view value, const char* member) {
    if (std::ranges::find(choices, value) == choices.end())
        throw Error(fmt::format("{}: \"{}\" is none of \"{}\"", member, value, fmt::join(choices, "\", \"")));
}

// Drivers write these texts: names with a trailing newline have been seen.
std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    const size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string sorted_names(const std::string& names) {
    std::vector<std::string> parts;
    for (size_t at = 0; at <= names.size();) {
        const size_t end = std::min(names.find(',', at), names.size());
        if (std::string part = one_line(names.substr(at, end - at)); !part.empty()) parts.push_back(std::move(part));
        at = end + 1;
    }
    std::ranges::sort(parts);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return fmt::format("{}", fmt::join(parts, ","));
}

void require_utc(const std::string& time) {
    const std::string_view shape = "0000-00-00T00:00:00";
    bool good = time.size() > shape.size() && time.back() == 'Z';
    for (size_t i = 0; good && i < shape.size(); ++i) {
        const bool is_digit = time[i] >= '0' && time[i] <= '9';
        good = shape[i] == '0' ? is_digit : time[i] == shape[i];
    }
    if (!good) throw Error(fmt::format("time: \"{}\" is not like 2025-03-01T12:34:56.789Z", time));
}

}  // namespace

std::span<const std::string_view> result_names() { return results; }

std::span<const std::string_view> provenance_names() { return provenances; }

DeviceFact canonical(DeviceFact fact) {
    fact.name = one_line(fact.name);
    if (fact.name.empty()) throw Error("name: a device must have one");
    require_one_of(device_types, fact.type, "type");
    return fact;
}

DriverFact canonical(DriverFact fact) {
    for (std::string* text : {&fact.name, &fact.info, &fact.id, &fact.version, &fact.api_version})
        *text = one_line(*text);
    return fact;
}

ObservationFact canonical(ObservationFact fact) {
    if (fact.format.starts_with("VK_FORMAT_")) fact.format.erase(0, 10);
    fact.format = one_line(fact.format);
    if (fact.format.empty()) throw Error("format: is missing");
    fact.usage = sorted_names(fact.usage);
    fact.memory_flags = sorted_names(fact.memory_flags);
    fact.reason = one_line(fact.reason);
    require_one_of(image_types, fact.image_type, "image_type");
    require_one_of(results, fact.result, "result");
    require_one_of(provenances, fact.provenance, "provenance");
    require_utc(fact.time);
    if (std::ranges::count(fact.extent, 0u) != 0) throw Error("extent: must be three positive integers");
    if (fact.levels == 0 || fact.layers == 0 || fact.samples == 0)
        throw Error("levels, layers, samples: must be positive integers");
    if (fact.level >= fact.levels) throw Error(fmt::format("level: {} of {}", fact.level, fact.levels));
    if (fact.layer >= fact.layers) throw Error(fmt::format("layer: {} of {}", fact.layer, fact.layers));
    if (fact.aspect.empty()) throw Error("aspect: is missing");
    if (fact.route.empty()) throw Error("route: is missing");
    if (fact.memory_type < -1) throw Error("memory_type: must be an index, or -1");
    if (fact.layout.has_value() != (fact.result == "exact"))
        throw Error(fmt::format("layout: {} with the result \"{}\"", fact.layout ? "must not be there" : "is missing",
                                fact.result));
    return fact;
}

LaneOrderFact canonical(LaneOrderFact fact) {
    constexpr std::array<std::string_view, 2> built_ins = {"index", "id"};
    fact.note = one_line(fact.note);
    require_one_of(built_ins, fact.built_in, "built_in");
    require_utc(fact.time);
    if (std::ranges::count(fact.shape, 0u) != 0) throw Error("shape: must be three positive integers");
    if (!fact.matrix && fact.note.empty()) throw Error("note: must say why there is no matrix");
    const uint64_t invocations = uint64_t{fact.shape[0]} * fact.shape[1] * fact.shape[2];
    if (fact.matrix && uint64_t{1} << fact.matrix->size() != invocations)
        throw Error(fmt::format("matrix: has {} rows for {} invocations", fact.matrix->size(), invocations));
    return fact;
}

StartOrderFact canonical(StartOrderFact fact) {
    constexpr std::array<std::string_view, 5> visits = {"row", "column", "morton", "mixed", "not visible"};
    fact.note = one_line(fact.note);
    require_one_of(visits, fact.visit, "visit");
    require_utc(fact.time);
    if (std::ranges::count(fact.grid, 0u) != 0) throw Error("grid: must be two positive integers");
    if (!fact.statistics.is_object()) throw Error("statistics: must be an object");
    return fact;
}

ValidationFact canonical(ValidationFact fact) {
    constexpr std::array<std::string_view, 4> verdicts = {"faster", "slower", "no difference", "baseline"};
    if (fact.format.starts_with("VK_FORMAT_")) fact.format.erase(0, 10);
    for (std::string* text : {&fact.kernel, &fact.method, &fact.order, &fact.format}) *text = one_line(*text);
    if (fact.kernel.empty()) throw Error("kernel: is missing");
    if (fact.format.empty()) throw Error("format: is missing");
    require_one_of(verdicts, fact.verdict, "verdict");
    require_utc(fact.time);
    if (std::ranges::count(fact.extent, 0u) != 0) throw Error("extent: must be two positive integers");
    if (std::ranges::count(fact.shape, 0u) != 0) throw Error("shape: must be two positive integers");
    if (fact.memory_type < -1) throw Error("memory_type: must be an index, or -1");
    if (fact.samples == 0) throw Error("samples: must be a positive integer");
    const auto is_time = [](double value) { return std::isfinite(value) && value >= 0; };
    if (!is_time(fact.median_ms) || fact.median_ms == 0) throw Error("median_ms: must be a positive number");
    const auto [low, high] = fact.interval_ms;
    if (!is_time(low) || !is_time(high) || (high > 0 && (low > fact.median_ms || high < fact.median_ms)))
        throw Error("interval_ms: must hold the median");
    const auto [least, most] = fact.ratio_interval;
    if (!is_time(fact.ratio)) throw Error("ratio: must be a positive number, or 0");
    if (!is_time(least) || !is_time(most) || least > most) throw Error("ratio_interval: must be two rising numbers");
    if (!is_time(fact.floor_ms)) throw Error("floor_ms: must be a positive number, or 0");
    return fact;
}

std::string identity_of(const DeviceFact& device, const DriverFact& driver, const ObservationFact& fact) {
    std::vector<std::string> parts = {fmt::format("{:x} {:x}", device.vendor_id, device.device_id),
                                      device.name,
                                      device.type,
                                      device.uuid,
                                      driver.name,
                                      driver.info,
                                      driver.id,
                                      driver.version,
                                      driver.api_version,
                                      driver.uuid,
                                      driver.pipeline_uuid,
                                      driver.tiling_layout_uuid,
                                      fact.format,
                                      fact.usage,
                                      fact.image_type,
                                      fmt::format("{} {} {} {} {} {}", fmt::join(fact.extent, " "), fact.levels,
                                                  fact.layers, fact.samples, fact.level, fact.layer),
                                      fact.aspect,
                                      fact.route,
                                      fmt::to_string(fact.memory_type),
                                      fact.memory_flags,
                                      fact.result,
                                      fact.reason,
                                      fmt::format("{} {}", fact.elements, fact.mismatches),
                                      fact.time,
                                      fact.tool_version,
                                      fact.provenance};
    // Not the layout's JSON: what this hash covers must not depend on how a number is printed.
    if (fact.layout) {
        const Layout& layout = *fact.layout;
        parts.push_back(fmt::format("{} {} {} {} {} {}", pattern_id(layout.pattern), layout.pattern.element.width,
                                    layout.pattern.element.height, fmt::join(layout.stride, " "), layout.constant,
                                    layout.base));
    }
    const std::string text = fmt::format("{}", fmt::join(parts, "\x1f"));
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Layout bare_layout(const Pattern& pattern) {
    Layout layout{.pattern = pattern};
    layout.pattern.element.width = layout.pattern.element.height = 1;
    // A stride of 0 leaves an axis at its own place, which is where z and s nearly always are.
    size_t ordered = axis_count;
    while (ordered > 2 && pattern.order[ordered - 1] == all_axes[ordered - 1]) --ordered;
    // 1024 tiles a row, from strides that leave F its bits.
    uint64_t changed = 0;
    for (const std::vector<uint64_t>& columns : pattern.index_xor.columns)
        for (uint64_t column : columns) changed |= column;
    const auto changed_bits = static_cast<size_t>(std::bit_width(changed));
    const auto stride_of = [&](size_t bits) {
        uint64_t stride = 0;
        if (bits > 63 || __builtin_mul_overflow(pattern.tile_bytes, uint64_t{1} << bits, &stride))
            throw Error(fmt::format("a tile of {} bytes: images of many of them are beyond 64 bits of address",
                                    pattern.tile_bytes));
        return stride;
    };
    for (size_t place = 0; place < ordered; ++place)
        layout.stride[pattern.order[place]] = stride_of(place == 0 ? 0 : changed_bits + 10 * place);
    if (!index_xor_is_one_to_one(layout)) layout.stride[pattern.order[0]] = stride_of(changed_bits);
    return layout;
}

std::string layout_text(const Layout& layout) { return to_json(layout).dump(); }

Layout layout_from_text(const std::string& text) { return layout_from_json(nlohmann::json::parse(text)); }

}  // namespace tilewise::db
