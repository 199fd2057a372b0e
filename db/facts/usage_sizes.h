// How much memory a device's driver asks for, by an image's usage (patterns/model/usage_sizes.h).
#pragma once
#include "db/facts/observation.h"
#include "db/facts/shared_json.h"
#include "db/facts/stored.h"
#include "patterns/model/image_kind.h"
#include "patterns/model/usage_sizes.h"
#include <string>

namespace tilewise::db {

struct UsageSizesFact {
    std::string formats;  ///< formats that all have these sizes
    ImageType image_type = ImageType::two_d;
    std::string provenance = "hardware";
    std::string time = {};  ///< UTC, as utc_now() writes it
    std::string tool_version = {};
    SharedJson sizes = {};

    static constexpr const char* table = "usage_sizes";
    static constexpr const char* title = "sizes by usage";
    static constexpr const char* bundle_list = "usage_sizes";
    static constexpr const char* row_order = "image_type, formats, time DESC, sizes, usage_sizes.id";
    static constexpr auto members() {
        using enum Presence;
        using F = UsageSizesFact;
        return std::tuple(member("formats", &F::formats, required, rule::name_list),
                          member("image_type", &F::image_type, required, rule::anything),
                          member("provenance", &F::provenance, required, rule::one_of(provenance_names)),
                          member("time", &F::time, required, rule::utc_time),
                          member("tool_version", &F::tool_version, optional, rule::line),
                          member("sizes", &F::sizes, required, rule::shared_json_object, "content"));
    }
};
static_assert(members_are_complete<UsageSizesFact>());

/// Returns the fact's sizes, with images of the fact's type.
UsageSizes sizes_of(const UsageSizesFact& fact);

/// Returns 16 hexadecimal digits that identify the content of the sizes.
std::string sizes_id(const nlohmann::json& sizes);

/// Throws Error if the sizes cannot be read.
void require_consistent(const UsageSizesFact& fact);

using UsageSizesRow = Stored<UsageSizesFact>;

}  // namespace tilewise::db
