// Learns a device's rules: probes images until those seen are explained and the last ones were predicted.
#pragma once
#include "patterns/rules/learn.h"
#include "probe/learn/image_source.h"
#include <functional>
#include <random>

namespace tilewise {

/// Formats whose images are laid out alike, with their rule or why there is none.
struct LearnedKind {
    /// The first format is the one that was learned.
    std::vector<std::string> formats;
    ImageType type = ImageType::two_d;
    uint32_t samples = 1;
    std::optional<Rule> rule;
    std::string why_not;
    size_t probes = 0;
    /// All probed images are laid out as a rule learned from others says.
    bool is_known = false;
};

/// Learns the rule for one kind of images. `known` are rules of any device for elements of the same size, which are
/// tried first: on random images, and on both sides of their bounds. If a rule does not explain all images, or covers one that no image layout expresses, learning is
/// tried again for those of one level, and then for those of one level and one layer. `kind` gives the images' format, type, samples and usage.
LearnedKind learn_kind(const ImageSource& source, const WantedImage& kind, uint64_t seed, std::span<const Rule> known);

/// The rules in `known`, from any device, that may hold for images like this one, each once, adapted to such images.
/// Rules that were learned from such images come first.
std::vector<Rule> rules_for(std::span<const Rule> known, const ImageLayout& image);

/// What a device's rules are to cover.
struct LearnedImages {
    std::vector<std::string> formats;
    std::vector<ImageType> types;
    /// The sample counts to learn; counts above one are for 2D images only. Empty: one, and all that can be read here.
    std::vector<uint32_t> samples;
    std::string usage = {}, flags = {};  ///< as of a WantedImage
};

/// Learns one format of each size, class and type; other formats are checked to follow it. `done` receives each kind as
/// soon as its formats are known. A rule learned for one kind is a known rule for the next.
void learn_device(const ImageSource& source, const LearnedImages& wanted, uint64_t seed, std::vector<Rule> known,
                  const std::function<void(const LearnedKind&)>& done);

/// The longest side, in texels, that images of the type can have on the device.
uint32_t longest_side(const ImageSource& source, ImageType type);

/// A random image of that kind: extents log-uniform up to max_side, with at most max_elements elements (samples count).
WantedImage draw_image(std::mt19937_64& random, const WantedImage& kind, uint32_t max_side, uint64_t max_elements);

/// The images that the rule is about, with one of its formats.
WantedImage kind_of(const Rule& rule, const std::string& format);

/// The same image in the form that predict() takes.
ImageLayout image_of(const Rule& rule, const WantedImage& drawn);

}  // namespace tilewise
