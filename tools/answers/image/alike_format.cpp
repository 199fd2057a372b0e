#include "tools/answers/image/alike_format.h"
#include "db/query/query.h"
#include "patterns/model/text.h"
#include "tools/answers/add_once.h"
#include "tools/answers/gpu/origins.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace tilewise {

namespace {

/// The filter for any image of the format.
db::Filter of_format(const db::Filter& asked) {
    db::Filter filter = of_any_image(asked);
    filter.format = asked.format;
    return filter;
}

/// Whether the format has a single aspect, and elements of known size.
bool can_be_alike(const AskedFormat& format) { return format.element.bytes != 0 && format.aspects.size() == 1; }

/// Rules for images without flags may hold with flags, too (flagged_image.h); rules for other flags say nothing.
bool is_of_kind(const db::ImageRuleRow& row, const ImageKind& image) {
    return row.fact.image_type == image.type && (row.fact.flags.empty() || row.fact.flags == image.flags);
}

bool has_depth_or_stencil(const std::string& format) {
    const auto is_either = [](Aspect aspect) { return aspect == Aspect::depth || aspect == Aspect::stencil; };
    return std::ranges::any_of(asked_format(format).aspects, is_either);
}

/// The number of texels of the largest observed image that has a layout; 0 if there is none.
uint64_t largest_observed(const db::Database& database, const Scope& asked) {
    uint64_t largest = 0;
    for (const db::ObservationRow& row : db::find_observations(database, of_format(asked.filter))) {
        const Extent_px& extent = row.fact.extent_px;
        if (row.fact.layout) largest = std::max(largest, uint64_t{extent[0]} * extent[1] * extent[2]);
    }
    return largest;
}

}  // namespace

bool is_unknown_there(const db::Database& database, const Scope& asked, const AskedFormat& format,
                      const ImageKind& image) {
    if (!can_be_alike(format)) return false;
    const db::Filter filter = of_format(asked.filter);
    const auto names_it = [&](const db::ImageRuleRow& row) {
        return is_of_kind(row, image) && has_names(row.fact.formats, format.name);
    };
    // A format without a layout in one image type is not known to have one in other types.
    const auto says_something = [&](const db::ObservationRow& row) {
        return row.fact.type == image.type || !row.fact.layout;
    };
    return std::ranges::none_of(db::find_observations(database, filter), says_something) &&
           std::ranges::none_of(find_rules(database, filter), names_it);
}

AlikeFormats formats_alike(const db::Database& database, const Scope& asked, const AskedFormat& format,
                           const ImageKind& image) {
    AlikeFormats alike;
    const auto is_alike = [&](const std::string& name) {
        const AskedFormat other = asked_format(name);
        return name != format.name && other.element == format.element && other.aspects == format.aspects;
    };
    const db::Filter filter = of_any_image(asked.filter);
    std::vector<db::ImageRuleRow> rules;
    size_t of_most = 0;
    for (db::ImageRuleRow& row : find_rules(database, filter)) {
        if (!is_of_kind(row, image)) continue;
        std::vector<std::string> of_rule = split(row.fact.formats);
        std::erase_if(of_rule, std::not_fn(is_alike));
        of_most = std::max(of_most, of_rule.size());
        for (const std::string& name : of_rule) add_once(alike.names, name);
        if (!of_rule.empty()) rules.push_back(std::move(row));
    }
    alike.any_rule = !rules.empty();
    // A driver with two different rules for such elements chooses by format.
    alike.of_one_rule = of_most > 1 && std::ranges::all_of(rules, [&](const db::ImageRuleRow& one) {
                            return std::ranges::all_of(rules, [&](const db::ImageRuleRow& other) {
                                return one.driver != other.driver || one.device != other.device ||
                                       one.fact.usage != other.fact.usage || one.fact.flags != other.fact.flags ||
                                       db::samples_of(one.fact) != db::samples_of(other.fact) ||
                                       say_the_same(one, other);
                            });
                        });
    for (const db::ObservationRow& row : db::find_observations(database, filter))
        if (row.fact.layout && row.fact.type == image.type && is_alike(row.fact.format))
            add_once(alike.names, row.fact.format);
    std::ranges::stable_sort(alike.names, {},
                             [&](const std::string& name) { return edit_distance(name, format.name); });
    return alike;
}

bool is_of_one_family(const std::string& format, const std::string& other) {
    // Vulkan's features for compressed formats: textureCompressionBC, ETC2 (with EAC), ASTC_LDR.
    const auto family = [](const std::string& name) {
        for (const char* each : {"BC", "ETC2", "EAC", "ASTC", "PVRTC"})
            if (name.starts_with(each)) return std::string(each == std::string_view("EAC") ? "ETC2" : each);
        return std::string();
    };
    return family(format) == family(other);
}

std::string alike_text(const AskedFormat& format, const std::string& name) {
    return fmt::format("nobody has probed {} there; this is the layout of {}, whose elements have the same size",
                       format.name, name);
}

std::string take_alike_format(const db::Database& database, Scope& asked, const AskedFormat& format) {
    if (!asked.filter.pattern.empty() || !can_be_alike(format) ||
        !db::find_observations(database, of_format(asked.filter)).empty())
        return "";
    // If a rule names the format, only formats that the same rule names are like it.
    std::vector<db::ImageRuleRow> rules = find_rules(database, of_any_image(asked.filter));
    std::erase_if(rules, [&](const db::ImageRuleRow& row) {
        return !is_of_kind(row, {}) || !has_names(row.fact.formats, format.name);
    });
    Scope of_other = asked;
    of_other.filter.format.clear();
    // Small images may have smaller tiles: without an extent, only a format with an image as large as the largest one
    // read there can answer.
    const uint64_t enough = asked.filter.extent ? 1 : largest_observed(database, of_other);
    std::vector<std::string> names = formats_alike(database, asked, format, {}).names;
    if (!rules.empty())
        std::erase_if(names, [&](const std::string& name) {
            return std::ranges::none_of(rules,
                                        [&](const db::ImageRuleRow& row) { return has_names(row.fact.formats, name); });
        });
    for (const std::string& name : names) {
        of_other.filter.format = name;
        if (largest_observed(database, of_other) < enough) continue;
        asked.filter.format = name;
        return alike_text(format, name);
    }
    if (asked.filter.extent || (names.empty() && rules.empty())) return "";
    if (!rules.empty())
        throw Error(fmt::format("nobody has probed {} there, but its rule is known: give --extent", format.name));
    throw Error(fmt::format(
        "nobody has probed {} there; with --extent, the layout of {}, whose elements have the same size, may answer",
        format.name, names.front()));
}

std::string why_not_observed(const db::Database& database, const db::Filter& filter) {
    const std::string& wanted = filter.format;
    if (wanted.empty() || !has_depth_or_stencil(wanted)) return db::why_nothing(database, filter);
    if (!db::find_observations(database, of_format(filter)).empty()) return db::why_nothing(database, filter);
    const std::vector<db::ObservationRow> rows = db::find_observations(database, of_any_image(filter));
    if (rows.empty()) return db::why_nothing(database, filter);
    std::vector<std::string> near;
    for (const db::ObservationRow& row : rows)
        if (has_depth_or_stencil(row.fact.format)) add_once(near, row.fact.format);
    const std::string way_out = fmt::format("tilewise probe --formats {} on such a GPU reads it", wanted);
    return near.empty()
               ? fmt::format("nobody has read {}, nor another depth or stencil format, there; {}", wanted, way_out)
               : fmt::format("nobody has read {} there; the depth and stencil formats that were read: {}; {}", wanted,
                             fmt::join(near, ", "), way_out);
}

}  // namespace tilewise
