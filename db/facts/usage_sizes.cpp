#include "db/facts/usage_sizes.h"
#include "db/facts/identity.h"

namespace tilewise::db {

UsageSizes sizes_of(const UsageSizesFact& fact) {
    UsageSizes sizes = fact.sizes.as<UsageSizes>(usage_sizes_from_json);
    for (ImageShape& image : sizes.images) image.type = fact.image_type;
    return sizes;
}

std::string sizes_id(const nlohmann::json& sizes) {
    Identity identity;
    identity.add(sizes.dump());
    return identity.hash().substr(0, 16);
}

void require_consistent(const UsageSizesFact& fact) {
    if (fact.formats.empty()) throw Error("formats: must name a format");
    fact.sizes.as<UsageSizes>(usage_sizes_from_json);
}

}  // namespace tilewise::db
