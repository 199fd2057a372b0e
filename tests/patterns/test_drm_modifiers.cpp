// Our names of DRM format modifiers, against those that libdrm has for the same numbers.
#include "db/catalog.h"
#include "db/facts/pattern_mode.h"
#include "db/sqlite/open.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/text.h"
#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#ifdef TILEWISE_HAS_LIBDRM
#include <xf86drm.h>
#endif

using namespace tilewise;

#ifdef TILEWISE_HAS_LIBDRM
TEST_CASE("no modifier of the catalog's patterns has another name or vendor in libdrm") {
    // What libdrm calls those whose names in drm_fourcc.h begin so.
    const std::map<std::string, std::string> vendors = {{"LINEAR", "NONE"}, {"AMD", "AMD"},    {"NVIDIA", "NVIDIA"},
                                                        {"I915", "INTEL"},  {"ARM", "ARM"},    {"BROADCOM", "BROADCOM"},
                                                        {"QCOM", "QCOM"},   {"APPLE", "APPLE"}};
    const auto text_of = [](char* text) {
        const std::unique_ptr<char, decltype(&std::free)> owned(text, std::free);
        return std::string(text ? text : "");
    };
    std::set<std::string> modifiers, compared;
    for (const auto& [id, mode] : db::modes_of_patterns(db::open_catalog()))
        if (!mode.modifier.empty()) modifiers.insert(mode.modifier);
    for (const std::string& modifier : modifiers) {
        CAPTURE(modifier);
        const std::optional<uint64_t> number = drm_modifier_number(modifier);
        if (!number) continue;
        const std::string vendor = text_of(drmGetFormatModifierVendor(*number));
        std::string name = text_of(drmGetFormatModifierName(*number));
        // An older libdrm does not know all of them, which contradicts nothing.
        if (vendor.empty() || name.empty()) continue;
        const std::string maker = split(modifier, '_').front();
        REQUIRE(vendors.contains(maker));
        CHECK(vendors.at(maker) == vendor);
        std::string ours = modifier;
        constexpr std::string_view block_linear = "NVIDIA_BLOCK_LINEAR_2D(";
        if (modifier.starts_with(block_linear)) {
            const std::vector<std::string> fields = split(
                std::string_view(modifier).substr(block_linear.size(), modifier.size() - block_linear.size() - 1));
            REQUIRE(fields.size() == 5);
            const auto field = [&](size_t i) { return std::stoul(fields[i], nullptr, 0); };
            // It reads the lowest bit alone of what says how sectors lie.
            ours = fmt::format("BLOCK_LINEAR_2D,HEIGHT={},KIND={},GEN={},SECTOR={},COMPRESSION={}", field(4), field(3),
                               field(2), field(1) & 1, field(0));
        } else {
            name = (modifier == name ? "" : "_") + name;
        }
        CHECK(ours.ends_with(name));
        compared.insert(vendor);
    }
    for (const char* vendor : {"NVIDIA", "INTEL", "ARM", "BROADCOM", "QCOM"}) {
        CAPTURE(vendor);
        CHECK(compared.contains(vendor));
    }
}
#else
TEST_CASE("no modifier of the catalog's patterns has another name or vendor in libdrm") {
    MESSAGE("SKIPPED: libdrm-dev was not installed when the tests were built (tools/deps --test)");
}
#endif
