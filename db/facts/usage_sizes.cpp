#include "db/facts/usage_sizes.h"

namespace tilewise::db {

UsageSizes sizes_of(const UsageSizesFact& fact) {
    UsageSizes sizes = fact.sizes.as<UsageSizes>(usage_sizes_from_json);
    for (ImageShape& image : sizes.images) image.type = fact.image_type;
    return sizes;
}

void require_consistent(const UsageSizesFact& fact) {
    if (fact.formats.empty()) throw Error("formats: must name a format");
    fact.sizes.as<UsageSizes>(usage_sizes_from_json);
}

}  // namespace tilewise::db
