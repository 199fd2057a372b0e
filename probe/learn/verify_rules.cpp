#include "probe/learn/verify_rules.h"
#include "patterns/model/text.h"
#include "patterns/rules/learn.h"
#include "probe/learn/learn_rules.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

Verification verify_rules(const ImageSource& source, const std::vector<Rule>& rules, size_t count, uint64_t seed,
                          uint32_t max_side, const std::function<void(size_t)>& done) {
    constexpr uint64_t max_elements = 16 << 20;
    constexpr size_t chunk = 16, max_differences = 20;
    std::mt19937_64 random(seed);
    Verification verified;
    verified.drawn = count;
    for (size_t begin = 0; begin < count; begin += chunk) {
        std::vector<WantedImage> wanted;
        std::vector<const Rule*> of;
        for (size_t i = begin; i < std::min(begin + chunk, count); i++) {
            const Rule& rule = rules[random() % rules.size()];
            const std::string& format = rule.formats[random() % rule.formats.size()];
            const WantedImage kind = kind_of(rule, format);
            const uint32_t longest = std::min(max_side, longest_side(source, kind.type));
            wanted.push_back(draw_image(random, kind, longest, max_elements));
            wanted.back().levels = std::min(wanted.back().levels, rule.max_levels);
            wanted.back().layers = std::min(wanted.back().layers, rule.max_layers);
            of.push_back(&rule);
        }
        const std::vector<ImageRead> probed = source.read(wanted);
        for (size_t i = 0; i < probed.size(); i++) {
            const auto tell = [&](const std::string& what) {
                const WantedImage& w = wanted[i];
                if (verified.differences.size() < max_differences)
                    verified.differences.push_back(
                        fmt::format("{} {}x{}x{}, {}, {}{}: {}", w.format, w.extent_px[0], w.extent_px[1],
                                    w.extent_px[2], counted(w.levels, "level"), counted(w.layers, "layer"),
                                    w.samples > 1 ? fmt::format(", {} samples", w.samples) : "", what));
            };
            if (!probed[i].image) {
                verified.unread++;
                tell("not read: " + probed[i].why_not);
                continue;
            }
            const Prediction prediction = predict(*of[i], *probed[i].image);
            if (!prediction.image) {
                verified.refused++;
                tell("refused: " + prediction.why_not);
                continue;
            }
            const std::string why = difference(*prediction.image, *probed[i].image);
            (why.empty() ? verified.exact : verified.different)++;
            if (!why.empty()) tell(why);
        }
        if (done) done(std::min(begin + chunk, count));
    }
    return verified;
}

}  // namespace tilewise
