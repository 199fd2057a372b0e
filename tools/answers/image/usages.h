// Whether an image with one usage lies as the image with another does that somebody probed: by the sizes that the driver
// asks for (patterns/model/usage_sizes.h).
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

/// VkImageUsageFlags by name; 0 for none, and where a database names one that is not known here.
uint32_t usage_bits(const std::string& usage);

/// Drivers are asked the sizes of images with every combination of these (the last where they copy on the host), and
/// with an attachment beside them, "color" or "depth-stencil", that shaders read as "input" or do not.
extern const std::array<const char*, 5> sized_usages;

/// The newest sizes of images of the format and type, of each device and driver that the filter names.
std::vector<db::UsageSizesRow> find_usage_sizes(const db::Database& database, const db::Filter& filter,
                                                const ImageKind& image);

/// What the sizes say of one usage beside another.
struct UsageComparison {
    size_t asked = 0, equal = 0;            ///< images that are offered with both usages
    bool is_offered = true;                 ///< false: no image of the format has the first usage
    std::optional<ImageSize> size, beside;  ///< of this very image, where it was asked about
};

/// None where no sizes are of such images, or none of the images is offered with both usages. Where several drivers
/// answer, the numbers are of all of them together.
std::optional<UsageComparison> compare_usages(const std::vector<db::UsageSizesRow>& rows, const ImageKind& image,
                                              const std::string& usage, const std::string& beside);

/// A usage with which the very image has another size than with its own.
struct OtherUsage {
    std::string usage;
    ImageSize size;
};

/// Of the usages that are most usual, those with which this very image has another size, where sizes are known of it.
std::vector<OtherUsage> usages_that_differ(const std::vector<db::UsageSizesRow>& rows, const ImageLayout& image);

}  // namespace tilewise
