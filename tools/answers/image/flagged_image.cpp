#include "tools/answers/image/flagged_image.h"
#include "db/query/query.h"
#include "patterns/model/text.h"
#include "patterns/rules/learn.h"
#include "tools/answers/gpu/origins.h"
#include "tools/answers/image/observed_image.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

ImageKind without_flags(ImageKind image) {
    image.flags.clear();
    return image;
}

/// The number of probed images with exactly these flags; none if one of them does not lie as the rules say for the
/// image without flags.
std::optional<size_t> count_alike(const std::vector<ObservedImage>& observed,
                                  const std::vector<db::ImageRuleRow>& rules, const std::string& flags) {
    size_t alike = 0;
    for (const ObservedImage& each : observed) {
        if (each.image.flags != flags) continue;
        ImageKind kind = without_flags(each.image);
        std::optional<ImageLayout> plain = only_prediction(rules, kind);
        if (!plain) {  // each rule is for the usage of one probing route, which may differ from this image's
            kind.usage.clear();
            plain = only_prediction(rules, kind);
        }
        if (!plain) continue;
        if (plain->bytes != each.image.bytes || !misplaced_element(*plain, each.image).empty()) return {};
        alike++;
    }
    return alike;
}

}  // namespace

std::optional<FoundImage> image_as_without_flags(const db::Database& database, const db::Filter& filter,
                                                 const ImageKind& asked) {
    if (asked.flags.empty()) return {};
    const db::Filter all = of_any_image(filter);
    const std::vector<db::ImageRuleRow> rules = find_rules(database, all);
    std::optional<ImageLayout> plain = only_prediction(rules, without_flags(asked));
    if (!plain) return {};
    const std::vector<db::ObservationRow> rows = db::find_observations(database, all);
    std::vector<const db::ObservationRow*> with_flags;
    for (const db::ObservationRow& row : rows)
        if (!row.fact.flags.empty() && row.fact.layout) with_flags.push_back(&row);
    const std::vector<ObservedImage> observed = observed_images(with_flags);

    FoundImage found = {*std::move(plain)};
    ImageLayout& image = found.image;
    image.flags = asked.flags;
    image.source = LayoutSource::predicted;
    const std::optional<size_t> of_all = count_alike(observed, rules, asked.flags);
    if (!of_all) return {};
    if (*of_all > 0) {
        image.evidence += fmt::format("; with the flags {} {} as without them", asked.flags,
                                      *of_all == 1 ? "the image that was probed lies"
                                                   : fmt::format("all {} images that were probed lie", *of_all));
        return found;
    }
    for (const std::string& flag : split(asked.flags)) {
        const std::optional<size_t> of_one = count_alike(observed, rules, flag);
        if (!of_one || *of_one == 0) return {};
    }
    found.assumed.push_back(
        fmt::format("nobody has probed such images with all of the flags {}; with each of them alone images are laid "
                    "out as without it",
                    asked.flags));
    return found;
}

}  // namespace tilewise
