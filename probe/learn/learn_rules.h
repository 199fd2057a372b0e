// Learns a device's rules: asks for images until what they show is explained and what was asked last is predicted.
#pragma once
#include "patterns/rules/learn.h"
#include "probe/learn/image_prober.h"
#include <functional>
#include <random>

namespace tilewise {

/// Images of formats that lie alike, or why there is no rule of them.
struct LearnedKind {
    /// The first is the one that was learned.
    std::vector<std::string> formats;
    ImageType type = ImageType::two_d;
    uint32_t samples = 1;
    std::optional<Rule> rule;
    std::string why_not;
    size_t probes = 0;
    /// All images that were asked for lie as a rule of others says.
    bool is_known = false;
};

/// `known`: rules of whatever device, and of elements as large, which are tried first: at images at random, and on both
/// sides of their bounds.
/// A rule that does not explain all images is tried again for those of one level.
/// `kind`: the images' format, type, samples and usage.
LearnedKind learn_kind(const ImageProber& prober, const WantedImage& kind, uint64_t seed, std::span<const Rule> known);

/// Of rules of whatever device, those that may hold for images like this one, each once, as rules of such images; first
/// those that were learned from such.
std::vector<Rule> rules_for(std::span<const Rule> known, const ImageLayout& image);

/// What a device's rules are to be of.
struct LearnedImages {
    std::vector<std::string> formats;
    std::vector<ImageType> types;
    /// The numbers of samples to learn, of 2D images alone where there are several; empty: one, and all that can be
    /// read here.
    std::vector<uint32_t> samples;
    std::string usage = {}, flags = {};  ///< as of a WantedImage
};

/// One format of each size, class and type is learned, others are seen to follow it. `done`: with each kind, as soon as
/// it is known which formats are of it. What is learned of one is known for the next.
void learn_device(const ImageProber& prober, const LearnedImages& wanted, uint64_t seed, std::vector<Rule> known,
                  const std::function<void(const LearnedKind&)>& done);

/// In texels, that images of the type can have on the device.
uint32_t longest_side(const ImageProber& prober, ImageType type);

/// An image at random, of that kind: extents log-uniform up to max_side, so many elements (samples count) at most.
WantedImage draw_image(std::mt19937_64& random, const WantedImage& kind, uint32_t max_side, uint64_t max_elements);

/// Images that the rule is of, of one of its formats.
WantedImage kind_of(const Rule& rule, const std::string& format);

/// That image as predict() is asked for it.
ImageLayout image_of(const Rule& rule, const WantedImage& drawn);

}  // namespace tilewise
