#include "db/query/contradiction.h"
#include "patterns/model/extent_text.h"
#include <algorithm>
#include <fmt/ranges.h>
#include <map>
#include <unordered_map>
#include <utility>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tilewise::db {

namespace {

constexpr size_t max_contradictions = 10'000;

void require_few(size_t count) {
    if (count > max_contradictions)
        throw Error(
            fmt::format("there are more than {} contradictions: these facts are not measurements", max_contradictions));
}

/// "NVIDIA H100 (NVIDIA 580.159.04)"
std::string device_text(const DeviceFact& device, const DriverFact& driver) {
    std::string text = driver.name;
    for (const std::string& part : {driver.info, driver.info.empty() ? driver.version : std::string()})
        if (!part.empty()) text += (text.empty() ? "" : " ") + part;
    return text.empty() ? device.name : fmt::format("{} ({})", device.name, text);
}

std::string contradiction_text(const ObservationRow& first, const ObservationRow& second) {
    const ObservationFact& fact = first.fact;
    const auto placement = [](const ObservationRow& row) {
        const Layout& layout = *row.fact.layout;
        return fmt::format("strides {} and base {}", fmt::join(layout.stride, ", "), layout.base);
    };
    const auto said = [&](const ObservationRow& row) -> std::string {
        if (first.pattern != second.pattern) return "pattern " + row.pattern;
        if (placement(first) != placement(second)) return placement(row);
        return fmt::format("{} bytes aligned to {}", row.fact.bytes, row.fact.alignment);
    };
    return fmt::format("{} {} for {}, level {} layer {}, by {} on {}: {} on {}, {} on {}", fact.format,
                       extent_text(fact.extent_px), fact.usage.empty() ? "any usage" : fact.usage, fact.level,
                       fact.layer, fact.route, device_text(first.device, first.driver), said(first), first.fact.time,
                       said(second), second.fact.time);
}

/// Hashed like identities: equal hashes mean equal texts.
using TextHash = std::pair<uint64_t, uint64_t>;

TextHash hash_of(std::string_view text) {
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    return {hash.high64, hash.low64};
}

struct LowBits {
    size_t operator()(const TextHash& hash) const { return hash.second; }
};

/// An observed layout of an image, and the first observation with it.
struct SeenLayout {
    TextHash layout;
    int64_t bytes = 0, alignment = 0;  ///< 0: not known
    int64_t row = 0;

    bool contradicts(const SeenLayout& other) const {
        const auto differ = [](int64_t a, int64_t b) { return a != 0 && b != 0 && a != b; };
        return layout != other.layout || differ(bytes, other.bytes) || differ(alignment, other.alignment);
    }
};

/// The pattern and the text of its placement in the image, without the constant, which some drivers choose anew for
/// each allocation.
std::string comparable(std::string_view pattern, std::string_view placement) {
    std::string text(pattern);
    constexpr std::string_view constant = "\"constant\":";
    const size_t from = std::min(placement.find(constant), placement.size());
    const size_t to = std::min(placement.find(',', from), placement.size());
    text.append(placement.substr(0, from)).append(placement.substr(to));
    return text;
}

}  // namespace

std::vector<Contradiction> find_contradictions(const Database& db) {
    // Two boards of one model, and one driver installed twice, differ only in their UUIDs, which are left out.
    Statement rows(db.sqlite, R"sql(
        WITH model AS MATERIALIZED (
            SELECT id, min(id) OVER (PARTITION BY vendor_id, device_id, name) AS first FROM device),
        version AS MATERIALIZED (
            SELECT id, min(id) OVER (PARTITION BY name, info, version) AS first FROM driver)
        SELECT observation.id, pattern,
            model.first, version.first, width, height, depth, levels, layers, samples, level, layer,
            format, usage, flags, image_type, aspect, route, layout, bytes, alignment
        FROM observation JOIN model ON model.id = device JOIN version ON version.id = driver
        WHERE pattern IS NOT NULL ORDER BY observation.id)sql");
    constexpr int first_number = 2, first_text = 12, placement = 18, bytes = 19, alignment = 20;
    std::unordered_map<TextHash, std::vector<SeenLayout>, LowBits> images;
    std::vector<std::pair<int64_t, int64_t>> pairs;
    std::string image;
    while (rows.step()) {
        image.clear();
        for (int column = first_number; column < first_text; column++) {
            const int64_t number = rows.integer(column);
            image.append(reinterpret_cast<const char*>(&number), sizeof number);
        }
        for (int column = first_text; column < placement; column++) {
            image += rows.text_view(column);
            image += '\x1f';
        }
        std::vector<SeenLayout>& seen = images[hash_of(image)];
        const SeenLayout now = {hash_of(comparable(rows.text_view(1), rows.text_view(placement))), rows.integer(bytes),
                                rows.integer(alignment), rows.integer(0)};
        if (std::ranges::any_of(seen, [&](const SeenLayout& before) { return !before.contradicts(now); })) continue;
        for (const SeenLayout& before : seen) pairs.emplace_back(before.row, now.row);
        seen.push_back(now);
        require_few(pairs.size());
    }
    std::ranges::sort(pairs);
    ObservationReader reader(db);
    std::vector<Contradiction> list;
    for (const auto& [first, second] : pairs) {
        Contradiction contradiction{reader.at(first), reader.at(second), {}};
        contradiction.text = contradiction_text(contradiction.first, contradiction.second);
        list.push_back(std::move(contradiction));
    }
    return list;
}

std::vector<LaneContradiction> find_lane_contradictions(const Database& db) {
    std::map<std::string, std::vector<LaneOrderRow>> by_subject;
    for (LaneOrderRow& row : find_facts<LaneOrderFact>(db)) {
        const nlohmann::json subject = {row.device.vendor_id, row.device.device_id, row.device.name,   row.driver.name,
                                        row.driver.info,      row.driver.version,   row.fact.built_in, row.fact.shape};
        by_subject[subject.dump()].push_back(std::move(row));
    }
    std::vector<LaneContradiction> list;
    for (const auto& [subject, rows] : by_subject)
        for (size_t second = 0; second < rows.size(); ++second)
            for (size_t first = 0; first < second; ++first) {
                const LaneOrderRow &a = rows[first], &b = rows[second];
                if (a.fact.matrix == b.fact.matrix && a.fact.subgroup_size == b.fact.subgroup_size) continue;
                list.push_back(
                    {a, b,
                     fmt::format("lane order of {} by {} on {}: {} (subgroups of {}) on {}, {} (of {}) on {}",
                                 fmt::join(a.fact.shape, "x"), a.fact.built_in, device_text(a.device, a.driver),
                                 lane_order_text(a.fact), a.fact.subgroup_size, a.fact.time, lane_order_text(b.fact),
                                 b.fact.subgroup_size, b.fact.time)});
                require_few(list.size());
            }
    return list;
}

}  // namespace tilewise::db
