#include "tools/answers/image/usages.h"
#include "db/query/query.h"
#include "patterns/model/error.h"
#include "probe/formats/names.h"
#include "tools/answers/gpu/origins.h"
#include <algorithm>

namespace tilewise {

const std::array<const char*, 5> sized_usages = {"transfer-src", "transfer-dst", "sampled", "storage", "host-transfer"};

uint32_t usage_bits(const std::string& usage) {
    try {
        return usage.empty() ? 0 : probe::usage_named(usage);
    } catch (const UsageError&) {
        return 0;
    }
}

/// Whether drivers are asked for the sizes of images with such a usage. They may also offer usages that they were not
/// asked about.
bool is_asked_about(const std::string& usage) {
    static const uint32_t drawn = usage_bits("color,depth-stencil"), input = usage_bits("input");
    uint32_t others = usage_bits(usage);
    for (const char* each : sized_usages) others &= ~usage_bits(each);
    return !(others & ~(drawn | input)) && (!(others & input) || (others & drawn));
}

std::vector<db::UsageSizesRow> find_usage_sizes(const db::Database& database, const db::Filter& filter,
                                                const ImageKind& image) {
    if (!image.flags.empty()) return {};
    std::vector<db::UsageSizesRow> found;
    for (const auto& [device, driver] : distinct_origins(database, filter)) {
        std::vector<db::UsageSizesRow> rows = db::find_facts<db::UsageSizesFact>(database, device, driver);
        std::erase_if(rows, [&](const db::UsageSizesRow& row) {
            return row.fact.image_type != image.type || !has_names(row.fact.formats, image.format);
        });
        const auto newest =
            std::ranges::max_element(rows, {}, [](const db::UsageSizesRow& row) { return row.fact.time; });
        if (newest != rows.end()) found.push_back(*newest);
    }
    return found;
}

std::optional<UsageComparison> compare_usages(const std::vector<db::UsageSizesRow>& rows, const ImageKind& image,
                                              const std::string& usage, const std::string& beside) {
    if (!is_asked_about(usage)) return {};
    UsageComparison comparison;
    comparison.is_offered = false;
    bool is_compared = false;
    for (const db::UsageSizesRow& row : rows) {
        const UsageSizes sizes = sizes_of(row.fact);
        const UsageClass* const of_usage = sizes.class_of(usage_bits(usage));
        const UsageClass* const of_other = sizes.class_of(usage_bits(beside));
        if (!of_other) continue;
        is_compared = true;
        if (!of_usage) continue;
        comparison.is_offered = true;
        for (size_t i = 0; i < sizes.images.size(); i++) {
            if (of_usage->sizes[i].bytes == 0 || of_other->sizes[i].bytes == 0) continue;
            comparison.asked++;
            comparison.equal += of_usage->sizes[i] == of_other->sizes[i];
        }
        // If several drivers answer, one with which the image's sizes differ counts.
        const bool is_known_to_differ = comparison.size && comparison.size != comparison.beside;
        if (const auto position = sizes.position_of(image); position && !is_known_to_differ) {
            comparison.size = of_usage->sizes[*position];
            comparison.beside = of_other->sizes[*position];
        }
    }
    if (!is_compared || (comparison.is_offered && comparison.asked == 0)) return {};
    return comparison;
}

std::vector<OtherUsage> usages_that_differ(const std::vector<db::UsageSizesRow>& rows, const ImageLayout& image) {
    std::vector<OtherUsage> others;
    for (const char* usage : {"sampled,transfer-dst", "sampled,transfer-dst,transfer-src", "color,sampled",
                              "color,sampled,transfer-src", "depth-stencil,sampled", "sampled,storage",
                              "sampled,storage,transfer-dst,transfer-src", "host-transfer,sampled"}) {
        const std::optional<UsageComparison> compared = compare_usages(rows, image, usage, image.usage);
        if (compared && compared->size && compared->beside && compared->size->bytes != 0 &&
            *compared->size != *compared->beside)
            others.push_back({usage, *compared->size});
    }
    return others;
}

}  // namespace tilewise
