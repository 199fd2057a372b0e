#include "tools/cli/texts/images_text.h"
#include "tools/cli/terminal/print.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace tilewise {

namespace {

/// Describes the image, without level and layer, but with the aspect.
std::string whole_image_text(const db::ObservationFact& fact) {
    std::string text = extent_text({fact.extent_px[0], fact.extent_px[1], fact.extent_px[2], fact.samples});
    if (fact.type == ImageType::one_d) text += " 1D";
    if (!fact.flags.empty()) text += " " + fact.flags;
    if (fact.aspect != "color") text += " " + fact.aspect;
    return text;
}

/// " levels 0-3,5"; empty if the image has just one.
std::string ranges_text(const char* name, const std::set<uint32_t>& numbers, uint32_t of) {
    if (of == 1) return "";
    std::string text;
    for (auto at = numbers.begin(); at != numbers.end();) {
        const uint32_t first = *at;
        uint32_t last = first;
        while (++at != numbers.end() && *at == last + 1) last = *at;
        text += fmt::format("{}{}", text.empty() ? "" : ",", first);
        if (last > first) text += fmt::format("-{}", last);
    }
    return fmt::format(" {}{} {}", name, numbers.size() > 1 ? "s" : "", text);
}

}  // namespace

std::string image_text(const db::ObservationFact& fact) {
    return whole_image_text(fact) + ranges_text("level", {fact.level}, fact.levels) +
           ranges_text("layer", {fact.layer}, fact.layers);
}

std::string images_text(const std::vector<const db::ObservationFact*>& facts) {
    struct Image {
        std::string text;
        const db::ObservationFact* first;
        std::map<uint32_t, std::set<uint32_t>> layers_of_level;
    };
    std::vector<Image> images;
    for (const db::ObservationFact* fact : facts) {
        const std::string text = whole_image_text(*fact);
        auto image = std::ranges::find_if(images, [&](const Image& other) {
            return other.text == text && other.first->levels == fact->levels && other.first->layers == fact->layers;
        });
        if (image == images.end()) image = images.insert(images.end(), {text, fact, {}});
        image->layers_of_level[fact->level].insert(fact->layer);
    }
    std::vector<std::string> texts;
    for (const Image& image : images) {
        std::map<std::set<uint32_t>, std::set<uint32_t>> levels_with;  // these layers
        for (const auto& [level, layers] : image.layers_of_level) levels_with[layers].insert(level);
        std::vector<std::string> parts;
        for (const auto& [layers, levels] : levels_with)
            parts.push_back(ranges_text("level", levels, image.first->levels) +
                            ranges_text("layer", layers, image.first->layers));
        texts.push_back(image.text + fmt::format("{}", fmt::join(parts, ";")));
    }
    return fmt::format("{}", fmt::join(texts, " "));
}

}  // namespace tilewise
