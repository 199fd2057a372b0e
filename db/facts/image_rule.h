// A device's and driver's rule: how they choose the image layout for images of some formats (patterns/rules/rule.h).
#pragma once
#include "db/facts/observation.h"
#include "db/facts/shared_json.h"
#include <nlohmann/json.hpp>
#include <string>

namespace tilewise::db {

struct ImageRuleFact {
    std::string formats;  ///< formats that were seen to follow the rule
    std::string usage = {}, flags = {};
    ImageType image_type = ImageType::two_d;
    std::string provenance = "hardware";
    std::string time = {};  ///< UTC, as utc_now() writes it
    std::string tool_version = {};
    SharedJson rule = {};  ///< as in patterns/rules/rule_json.h

    static constexpr const char* table = "rule";
    static constexpr const char* title = "rule";
    static constexpr const char* bundle_list = "rules";
    static constexpr const char* row_order = "image_type, formats, usage, flags, time DESC, rule, rule.id";
    static constexpr auto members() {
        using enum Presence;
        using F = ImageRuleFact;
        return std::tuple(member("formats", &F::formats, required, rule::name_list),
                          member("usage", &F::usage, optional, rule::name_list),
                          member("flags", &F::flags, optional, rule::name_list),
                          member("image_type", &F::image_type, required, rule::anything),
                          member("provenance", &F::provenance, required, rule::one_of(provenance_names)),
                          member("time", &F::time, required, rule::utc_time),
                          member("tool_version", &F::tool_version, optional, rule::line),
                          member("rule", &F::rule, required, rule::shared_json_object, "content"));
    }
};
static_assert(members_are_complete<ImageRuleFact>());

/// Returns 16 hexadecimal digits that identify everything in the rule except the number of probes that it took.
std::string content_id(nlohmann::json rule);

/// Returns the number of samples per texel in the images that the rule is about.
uint32_t samples_of(const ImageRuleFact& fact);

/// Throws Error if the rule cannot be read, or if it is about other images than the other members say.
void require_consistent(const ImageRuleFact& fact);

using ImageRuleRow = Stored<ImageRuleFact>;

}  // namespace tilewise::db
