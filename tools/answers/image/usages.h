// Whether an image with one usage lies as the image that somebody probed with another usage: judged by the sizes that
// the driver asks for (patterns/model/usage_sizes.h).
#pragma once
#include "db/facts/usage_sizes.h"
#include "db/query/filter.h"
#include "db/sqlite/database.h"
#include "patterns/model/image_layout.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

/// VkImageUsageFlags by name; 0 for none, and if a database names a usage that is not known here.
uint32_t usage_bits(const std::string& usage);

/// Drivers are asked for the sizes of images with every combination of these usages (the last only if they copy on the
/// host). An attachment, "color" or "depth-stencil", may be added to each, and "input" to each attachment, for shaders
/// that read it.
extern const std::array<const char*, 5> sized_usages;

/// The newest sizes of images of the format and type, for each device and driver that the filter names.
std::vector<db::UsageSizesRow> find_usage_sizes(const db::Database& database, const db::Filter& filter,
                                                const ImageKind& image);

/// How the sizes with one usage compare with those with another.
struct UsageComparison {
    size_t asked = 0, equal = 0;            ///< images that are offered with both usages
    bool is_offered = true;                 ///< false: no image of the format has the first usage
    std::optional<ImageSize> size, beside;  ///< of this very image, if the driver was asked about it
};

/// None if no sizes of such images are known, or if none of the images is offered with both usages. If several drivers
/// answer, the counts cover all of them together.
std::optional<UsageComparison> compare_usages(const std::vector<db::UsageSizesRow>& rows, const ImageKind& image,
                                              const std::string& usage, const std::string& beside);

/// A usage with which this very image has another size than with its own usage.
struct OtherUsage {
    std::string usage;
    ImageSize size;
};

/// The most usual usages with which this very image has another size, if its sizes are known.
std::vector<OtherUsage> usages_that_differ(const std::vector<db::UsageSizesRow>& rows, const ImageLayout& image);

}  // namespace tilewise
