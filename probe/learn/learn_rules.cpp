#include "probe/learn/learn_rules.h"
#include "patterns/rules/learn/placing.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace tilewise {

namespace {

/// The longest images that are probed, even if the device takes longer ones.
constexpr uint32_t max_side_3d = 2048;
constexpr uint32_t max_side_2d = 16384;

uint32_t log_uniform(std::mt19937_64& random, uint32_t max) {
    std::uniform_real_distribution<double> exponent(0, std::log2(static_cast<double>(max) + 1));
    return std::clamp(static_cast<uint32_t>(std::exp2(exponent(random))), 1U, max);
}

uint32_t chain_of(const Extent_px& extent) {
    return static_cast<uint32_t>(std::bit_width(std::max({extent[0], extent[1], extent[2]})));
}

/// An image of several samples has one level.
uint32_t most_levels(const WantedImage& kind) { return kind.samples > 1 ? 1 : max_image_levels; }

/// The elements of level 0.
uint64_t elements_in(const WantedImage& image) {
    const Element& element = probe::format_named(image.format).element;
    return element_count(elements_of(image.extent_px, element, image.samples)) * image.layers;
}

/// The longest row that is asked about, in elements. What depends on a row's bytes shows at the same number of bytes
/// whatever the element size, so rows of small elements are as many bytes long as those of large ones.
uint32_t longest_row(const Element& element) {
    constexpr uint32_t row_B = 65536, least = 4096;
    return std::clamp(row_B / element.bytes, least, max_side_2d);
}

/// Images that show the large patterns, and layers.
std::vector<WantedImage> first_images(const WantedImage& kind) {
    const ImageType type = kind.type;
    const Element& element = probe::format_named(kind.format).element;
    std::vector<WantedImage> images;
    const auto add = [&](Extent_px extent, uint32_t levels, uint32_t layers = 1) {
        WantedImage image = kind;
        image.extent_px = extent;
        image.layers = layers;
        for (unsigned a = 0; a < 2; a++) image.extent_px[a] *= a == 0 ? element.width : element.height;
        image.levels = std::min({levels, chain_of(image.extent_px), most_levels(kind)});
        if (kind.samples > 1 && std::ranges::find(images, image) != images.end()) return;  // differed only in levels
        images.push_back(image);
    };
    constexpr uint32_t whole = 32;
    // Sides that are halved to just a block's side, and one more.
    constexpr uint32_t sides_of_one_more[] = {129, 257, 513, 1025};
    if (type == ImageType::three_d) {
        for (const Extent_px extent :
             {Extent_px{128, 128, 64}, Extent_px{70, 70, 70}, Extent_px{16, 200, 24}, Extent_px{33, 20, 100},
              Extent_px{300, 20, 9}, Extent_px{9, 300, 20}, Extent_px{16, 16, 16}})
            for (const uint32_t levels : {1U, whole}) add(extent, levels);
        // Long chains of levels that are halved to odd numbers of blocks early, late or never.
        for (const uint32_t width : {128U, 512U})
            for (const uint32_t height : {48U, 180U, 256U, 360U}) add({width, height, width == 128 ? 2U : 1U}, whole);
        for (const uint32_t width : {256U, 512U, 1024U, 2048U}) add({width, 40, 2}, 1);  // rows of many tiles
        for (const uint32_t width : sides_of_one_more) add({width, 1, 3}, whole);        // linear on some devices
        // Deep and narrow images, with as many levels as a shared block may have room for, and more.
        for (const uint32_t depth : {600U, 1024U, 1500U, 2048U})
            for (const uint32_t side : {1U, 3U, 16U}) add({side, side, depth}, whole);
        // Blocks of every height and depth, two of them in a row: random images show few of them.
        const uint32_t width = std::max(130 / element.bytes, 3U);
        for (uint32_t height = 6; height < 500; height *= 2)
            for (uint32_t depth = 1; depth < 100 && height * depth < 10000; depth += (depth + 1) / 2) {
                add({width, height, depth}, 1);
                if (height > 20 && depth > 4) add({width, height, depth}, whole);
            }
        return images;
    }
    if (type == ImageType::one_d) {
        for (const uint32_t width : {1U, 15U, 64U, 1000U, 4096U}) add({width, 1, 1}, whole, 3);
        return images;
    }
    for (const uint32_t side : {16U, 40U, 64U, 100U, 128U, 200U, 256U, 300U, 512U, 1030U}) {
        add({side, side, 1}, 1);
        if (side < 1000) add({side, side, 1}, whole);
        if (side < 400) add({side, side, 1}, whole, 3);
    }
    for (const uint32_t side : sides_of_one_more) {
        add({side, 1, 1}, whole);  // linear on some devices
        add({side, side, 1}, whole);
        add({side, side + side / 3, 1}, whole);
    }
    // Shorter than a block along one axis, and not a power of two of blocks along the other.
    for (const uint32_t side : {12U, 24U, 50U, 100U, 200U}) {
        add({side, 3 * side - 5, 1}, 1);
        add({3 * side - 5, side, 1}, 1);
        add({side, 5 * side + 7, 1}, 1);
        add({5 * side + 7, side, 1}, 1);
    }
    // Halved to a block's side along one axis, and several blocks along the other.
    for (const uint32_t side : {31U, 32U, 63U, 64U, 127U, 128U, 255U, 256U}) {
        add({side, 5 * side - 3, 1}, whole);
        add({5 * side - 3, side, 1}, whole);
    }
    add({520, 2050, 1}, 1);
    for (const uint32_t width : {500U, 1020U, 2040U, 3060U, 4090U}) add({width, 150, 1}, 1);  // rows of many tiles
    for (uint32_t width = 8192; width <= longest_row(element); width *= 2) add({width - 6, 150, 1}, 1);
    add({2050, 520, 1}, whole);
    add({64, 64, 1}, 1, 40);
    for (const uint32_t side : {24U, 130U, 300U}) add({side, side, 1}, 1, 17);
    add({300, 200, 1}, 1, 17);
    add({4096, 9, 1}, whole);
    add({9, 4096, 1}, whole);
    return images;
}

}  // namespace

uint32_t longest_side(const ImageSource& source, ImageType type) {
    return type == ImageType::three_d ? source.max_side_3d : source.max_side_2d;
}

WantedImage draw_image(std::mt19937_64& random, const WantedImage& kind, uint32_t max_side, uint64_t max_elements) {
    const ImageType type = kind.type;
    for (;;) {
        WantedImage image = kind;
        image.extent_px[0] = log_uniform(random, max_side);
        if (type != ImageType::one_d) image.extent_px[1] = log_uniform(random, max_side);
        if (type == ImageType::three_d) {
            for (uint32_t& side : image.extent_px) side = std::min(side, max_side_3d);
            image.extent_px[2] = log_uniform(random, std::min(max_side, max_side_3d));
        }
        if (most_levels(kind) > 1 && random() % 2) {
            const uint32_t chain = chain_of(image.extent_px);
            image.levels = random() % 2 ? chain : 1 + static_cast<uint32_t>(random() % chain);
        }
        if (type != ImageType::three_d && random() % 3 == 0) image.layers = 2 + log_uniform(random, 14);
        if (elements_in(image) <= max_elements) return image;
    }
}

WantedImage kind_of(const Rule& rule, const std::string& format) {
    WantedImage kind;
    kind.format = format;
    kind.type = rule.image_type;
    kind.samples = rule.samples;
    kind.flags = rule.flags;
    if (rule.usage.empty()) return kind;  // documents do not say
    // The usages that the plan chooses by itself, as far as the format allows, and those that the route adds.
    static const uint32_t usual = probe::usage_named("sampled,storage,transfer-src,transfer-dst,host-transfer");
    const uint32_t usage = probe::usage_named(rule.usage);
    if (usage & ~usual) kind.usage = probe::usage_names(usage & ~probe::usage_named("host-transfer"));
    return kind;
}

ImageLayout image_of(const Rule& rule, const WantedImage& drawn) {
    ImageLayout image;
    static_cast<ImageKind&>(image) = drawn;
    image.type = rule.image_type;
    image.usage = rule.usage;
    image.flags = rule.flags;
    image.samples = rule.samples;
    return image;
}

namespace {

/// Images whose rows are rounded up to a power of two of blocks, or to three of them, however wide a block is.
void ask_about_rows(const WantedImage& kind, std::mt19937_64& random, std::vector<WantedImage>& wanted) {
    const Element& element = probe::format_named(kind.format).element;
    const uint32_t max = longest_row(element);
    for (uint32_t width = 8; width <= max; width *= 2)
        for (const uint32_t odd : {1U, 3U}) {
            WantedImage image = kind;
            // Shorter by less than the unit to which rows are rounded, whatever that is.
            const uint32_t shorter = log_uniform(random, width / 4) - 1;
            image.extent_px[0] = (width * odd - shorter) * element.width;
            image.extent_px[1] = static_cast<uint32_t>(1 + random() % 300) * element.height;
            image.levels = random() % 2 ? 1 : std::min(chain_of(image.extent_px), most_levels(kind));
            if (width * odd <= max) wanted.push_back(image);
        }
}

/// Images whose levels have the values in a gap, and those beside them.
void ask_about(const Learned::Gap& gap, const WantedImage& kind, std::mt19937_64& random,
               std::vector<WantedImage>& wanted) {
    const Element& element = probe::format_named(kind.format).element;
    static const std::map<Feature, unsigned> axes = {
        {Feature::width0, 0},     {Feature::height0, 1},     {Feature::depth0, 2},
        {Feature::width, 0},      {Feature::height, 1},      {Feature::depth, 2},
        {Feature::ceil_width, 0}, {Feature::ceil_height, 1}, {Feature::ceil_depth, 2}};
    if (gap.feature == Feature::row_multiple) return ask_about_rows(kind, random, wanted);
    const auto axis = axes.find(gap.feature);
    if (axis == axes.end() || (axis->second == 1 && kind.type == ImageType::one_d)) return;
    const uint32_t max = axis->second == 2 ? 256 : 4096;
    std::vector<uint64_t> values = {gap.below, std::min<uint64_t>(gap.above, max)};
    values.push_back((values[0] + values[1]) / 2);
    values.push_back(values[0] + 1);
    values.push_back(values[1] - 1);
    for (const uint64_t value : {std::bit_floor(values[1]), std::bit_floor(values[1]) + 1})
        if (value > values[0] + 1 && value < values[1] - 1) values.push_back(value);
    const auto is_any_of = [&](std::initializer_list<Feature> features) {
        return std::ranges::find(features, gap.feature) != features.end();
    };
    const bool of_level0 = is_any_of({Feature::width0, Feature::height0, Feature::depth0});
    // What bounds tails: levels that are as long in the other direction, in images that may have large blocks.
    const bool of_tail = is_any_of({Feature::ceil_width, Feature::ceil_height});
    const uint32_t blocks[] = {element.width, element.height, 1};
    for (const uint64_t value : values) {
        if (value == 0 || value > max) continue;
        for (unsigned i = 0; i < (of_tail ? 4 : 2); i++) {
            WantedImage image = draw_image(random, kind, i % 2 ? 2000 : 300, 1 << 14);
            uint32_t level = of_level0 || most_levels(kind) == 1 ? 0 : static_cast<uint32_t>(random() % 3);
            if (of_tail) {
                level = 1 + static_cast<uint32_t>(random() % 2);
                image.layers = 1;
                const unsigned other = 1 - axis->second;
                image.extent_px[other] = static_cast<uint32_t>(1 + random() % (2 * value)) * blocks[other] << level;
            }
            // A side of level 0 that becomes the feature's value when halved and rounded.
            const uint64_t rest = random() % (1u << level), length = value * blocks[axis->second];
            uint64_t side = of_tail ? (length << level) - rest : (length << level) + rest;
            if (side > max) side = length, level = 0;
            image.extent_px[axis->second] = static_cast<uint32_t>(side);
            image.levels =
                std::min({chain_of(image.extent_px), most_levels(kind), of_tail || random() % 2 ? 32U : level + 1});
            if (elements_in(image) <= (1 << 19)) wanted.push_back(image);
        }
    }
}

/// Keeps a random selection if there are more.
void keep_at_most(size_t count, std::vector<WantedImage>& wanted, std::mt19937_64& random) {
    if (wanted.size() <= count) return;
    std::ranges::shuffle(wanted, random);
    wanted.resize(count);
}

bool misses(const Rule& rule, const ImageLayout& image) {
    const Prediction prediction = predict(rule, image);
    return !prediction.image || !difference(*prediction.image, image).empty();
}

/// Learns, probes images that decide what the rule leaves open as well as random ones, and learns again from its
/// mistakes.
struct Inquiry {
    const ImageSource& source;
    const WantedImage& kind;
    std::mt19937_64 random;
    Element element;
    std::vector<ImageLayout> images = {};
    Learned learned = {};
    bool is_known = false;
    /// Images already left something unexplained before.
    bool again = false;
    size_t probes = 0;
    std::string why_unread = {};
    /// Images that were read and that no image layout expresses. A rule that covers one of them predicts it wrongly.
    std::vector<WantedImage> unfit = {};

    bool is_deep() const { return kind.type == ImageType::three_d; }
    uint32_t longest_side() const { return tilewise::longest_side(source, kind.type); }
    std::vector<ImageLayout> ask(std::vector<WantedImage> wanted) {
        // Samples cost more than their number suggests: they are written one by one.
        constexpr uint64_t most_samples = 1 << 20;
        std::erase_if(wanted, [&](const WantedImage& image) {
            return std::ranges::max(image.extent_px) > longest_side() ||
                   (image.samples > 1 && elements_in(image) > most_samples);
        });
        for (WantedImage& image : wanted) {
            image.levels = std::min(image.levels, source.max_levels);
            image.layers = std::min(image.layers, source.max_layers);
        }
        std::vector<ImageLayout> read;
        std::vector<ImageRead> told = source.read(wanted);
        for (size_t i = 0; i < told.size(); i++) {
            probes++;
            if (told[i].image)
                read.push_back(std::move(*told[i].image));
            else
                why_unread = told[i].why_not;
            if (told[i].why_not.starts_with("no-fit")) unfit.push_back(wanted[i]);
        }
        return read;
    }
    size_t count_missed(const std::vector<ImageLayout>& asked) const {
        return static_cast<size_t>(
            std::ranges::count_if(asked, [&](const ImageLayout& image) { return misses(learned.rule, image); }));
    }
    /// Random images with sides up to that many elements, if the device takes images that long.
    void draw(size_t count, uint32_t max_side, std::vector<WantedImage>& wanted) {
        for (size_t i = 0; i < count; i++)
            wanted.push_back(draw_image(random, kind, std::min(max_side * element.width, longest_side()),
                                        i % 10 == 0 ? 1 << 19 : 1 << 15));
    }
    void keep(std::vector<ImageLayout> asked) { std::ranges::move(asked, std::back_inserter(images)); }
    bool explained() const { return learned.unexplained.empty(); }
    /// Whether the rule explains what was read, and covers nothing that could not be expressed.
    bool holds() const {
        return explained() && std::ranges::none_of(unfit, [&](const WantedImage& image) {
                   return image.levels <= learned.rule.max_levels && image.layers <= learned.rule.max_layers;
               });
    }
    WantedImage draw_of_many_blocks(unsigned i);
    void ask_about_fractions(std::vector<WantedImage>& wanted);
    void ask_about_bounds_of_budget(std::vector<WantedImage>& wanted);
    void add_large_images(std::vector<WantedImage>& wanted) const;
    void ask_about_layers(std::vector<WantedImage>& wanted) const;
    bool holds_here(Rule known);
    void run(std::span<const Rule> known);
};

/// The i-th random image for deciding about a budget; with few blocks, hardly any fraction is possible. Some images are
/// as deep as others are wide.
WantedImage Inquiry::draw_of_many_blocks(unsigned i) {
    constexpr uint64_t large_B = 1 << 22;
    const uint64_t most = is_deep() ? std::max(large_B / element.bytes, uint64_t{1} << 17) : 1 << 17;
    WantedImage image = draw_image(random, kind, std::min(i % 2 ? 4096U : 600U, longest_side()), most);
    if (is_deep() && i % 3 == 0) std::swap(image.extent_px[2], image.extent_px[i % 2]);
    return image;
}

constexpr unsigned drawn_of_many_blocks = 3000, asked_of_many_blocks = 10;

/// Probes images whose bytes lie between a fraction that was taken and one that was not: random ones, so that a few
/// rounds leave little between the two.
void Inquiry::ask_about_fractions(std::vector<WantedImage>& wanted) {
    for (const Learned::FractionGap& gap : learned.fraction_gaps) {
        unsigned found = 0;
        for (unsigned i = 0; i < drawn_of_many_blocks && found < asked_of_many_blocks; i++) {
            const WantedImage image = draw_of_many_blocks(i);
            const std::optional<double> fraction =
                fraction_of(learned.rule, gap.candidate, image_of(learned.rule, image));
            if (!fraction || *fraction <= gap.taken || *fraction >= gap.refused) continue;
            wanted.push_back(image);
            found++;
        }
    }
}

/// The rule with each bound of the budget's candidates removed, with each side of its tails halved and doubled, and
/// with tails of one more level.
std::vector<Rule> with_other_bounds(const Rule& rule) {
    std::vector<Rule> others;
    for (size_t c = 0; c < rule.budget.candidates.size(); c++) {
        if (rule.budget.candidates[c].bounds.empty()) continue;
        others.push_back(rule);
        others.back().budget.candidates[c].bounds.clear();
    }
    for (size_t m = 0; m < rule.modes.size(); m++) {
        if (!rule.modes[m].tail) continue;
        others.push_back(rule);
        others.back().modes[m].tail->constants.push_back(0);
        for (size_t b = 0; b < rule.modes[m].tail->bounds.size(); b++) {
            const uint64_t max = rule.modes[m].tail->bounds[b].max;
            if (max == UINT64_MAX) continue;
            for (const uint64_t other : {max / 2, max * 2}) {
                others.push_back(rule);
                others.back().modes[m].tail->bounds[b].max = other;
            }
        }
    }
    return others;
}

bool lie_alike(const PlacedImage& a, const PlacedImage& b) {
    return a.why_not == b.why_not && a.bytes == b.bytes &&
           std::ranges::equal(a.levels, b.levels, [](const PlacedLevel& x, const PlacedLevel& y) {
               return x.mode == y.mode && x.base == y.base && x.constant == y.constant;
           });
}

/// If a budget chooses the mode, few deep random images have the large blocks: images are probed about which a bound
/// decides.
void Inquiry::ask_about_bounds_of_budget(std::vector<WantedImage>& wanted) {
    if (!is_deep() || learned.rule.budget.candidates.empty()) return;
    constexpr unsigned of_each = 4, asked = 60;
    const std::vector<Rule> others = with_other_bounds(learned.rule);
    std::vector<unsigned> found(others.size());
    std::vector<WantedImage> deciding;
    for (unsigned i = 0; i < drawn_of_many_blocks; i++) {
        const WantedImage image = draw_of_many_blocks(i);
        const ImageLayout layout = image_of(learned.rule, image);
        const PlacedImage placed = place(learned.rule, layout);
        bool decides = false;
        for (size_t o = 0; o < others.size(); o++) {
            if (found[o] == of_each || lie_alike(place(others[o], layout), placed)) continue;
            found[o]++;
            decides = true;
        }
        if (decides) deciding.push_back(image);
    }
    keep_at_most(asked, deciding, random);
    std::ranges::move(deciding, std::back_inserter(wanted));
}

/// Shows the high bits of a block's index: many blocks, flat and deep. Sides are multiples of AMD's blocks; otherwise
/// other blocks are chosen.
void Inquiry::add_large_images(std::vector<WantedImage>& wanted) const {
    if (!is_deep()) return;
    for (const Extent_px& extent : {Extent_px{1030, 1030, 1}, Extent_px{320, 160, 32}, Extent_px{192, 96, 288}}) {
        wanted.push_back(kind);
        wanted.back().extent_px = {extent[0] * element.width, extent[1] * element.height, extent[2]};
    }
}

/// Layers of the smallest image in each mode: enough to show that another bit of their index changes nothing more.
void Inquiry::ask_about_layers(std::vector<WantedImage>& wanted) const {
    constexpr uint32_t usual = 64, most = 1024;
    const Rule& rule = learned.rule;
    struct Coverage {
        const ImageLayout* smallest = nullptr;
        uint32_t layers = 1;
    };
    std::vector<Coverage> seen(rule.modes.size());
    for (const ImageLayout& image : images) {
        const auto modes = modes_of(rule, image);
        if (!modes) continue;
        Coverage& of = seen[modes->front()];
        of.layers = std::max(of.layers, image.layers);
        const auto texels = [](const ImageLayout& i) { return uint64_t{i.extent_px[0]} * i.extent_px[1]; };
        if (image.levels == 1 && (!of.smallest || texels(image) < texels(*of.smallest))) of.smallest = &image;
    }
    for (size_t m = 0; m < seen.size(); m++) {
        const uint32_t known = layers_known(rule.modes[m]);
        const uint32_t layers =
            std::min(known == max_image_layers ? usual : std::min(known * 4, most), source.max_layers);
        if (!seen[m].smallest || seen[m].layers >= layers) continue;
        WantedImage image = kind;
        image.extent_px = seen[m].smallest->extent_px;
        image.layers = layers;
        if (elements_in(image) <= (1 << 22)) wanted.push_back(image);
    }
}

/// Whether a rule that was learned elsewhere predicts the images probed so far, however large, further random ones, and
/// those on both sides of each of its bounds. It is then this device's rule, too, as far as these images reach.
bool Inquiry::holds_here(Rule known) {
    known.max_extent_px = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    known.max_levels = max_image_levels;
    known.max_layers = max_image_layers;
    const auto missed = [&](const ImageLayout& image) { return misses(known, image); };
    if (std::ranges::any_of(images, missed)) return false;
    learned.rule = known;
    std::vector<WantedImage> wanted;
    const auto ask_about_bound = [&](const Bound& bound) {
        if (bound.min > 1) ask_about({bound.feature, bound.min - 1, bound.min}, kind, random, wanted);
        if (bound.max < UINT64_MAX) ask_about({bound.feature, bound.max, bound.max + 1}, kind, random, wanted);
    };
    for (const Choice& choice : known.choices) std::ranges::for_each(choice.bounds, ask_about_bound);
    for (const BlockMode& mode : known.modes)
        if (mode.tail) std::ranges::for_each(mode.tail->bounds, ask_about_bound);
    keep_at_most(80, wanted, random);
    ask_about_bounds_of_budget(wanted);
    if (!is_deep()) ask_about_layers(wanted);
    draw(100, 600, wanted);
    draw(100, 4096, wanted);
    keep(ask(std::move(wanted)));
    if (std::ranges::any_of(images, missed)) return false;
    if (!is_deep()) {  // Layers in the modes that only now have an image.
        std::vector<WantedImage> layered;
        ask_about_layers(layered);
        keep(ask(std::move(layered)));
        if (std::ranges::any_of(images, missed)) return false;
    }
    rest_on(learned.rule, images);
    learned.unexplained.clear();
    return holds();
}

/// Whether two rules say the same, whatever they were learned from.
bool are_alike(Rule a, const Rule& b) {
    a.formats = b.formats;
    a.max_extent_px = b.max_extent_px;
    a.max_levels = b.max_levels;
    a.max_layers = b.max_layers;
    a.probes = b.probes;
    return a == b;
}

/// The rule adapted to images like this one, if their elements have the same size: most drivers consider only the
/// element size, no usage or flag; and a 1D image may be a 2D image of height 1.
std::optional<Rule> adapted(const Rule& known, const ImageLayout& image) {
    const Subresource& part = image.subresources.front();
    const Element& element = part.layout.pattern.element;
    const bool of_height_1 = image.type == ImageType::one_d && known.image_type == ImageType::two_d;
    if (known.element.bytes != element.bytes || known.samples != image.samples ||
        (known.image_type != image.type && !of_height_1))
        return std::nullopt;
    Rule rule = known;
    rule.image_type = image.type;
    rule.element = element;
    for (BlockMode& mode : rule.modes) mode.pattern.element = element;
    rule.aspect = part.aspect;
    rule.usage = image.usage;
    rule.flags = image.flags;
    return rule;
}

}  // namespace

std::vector<Rule> rules_for(std::span<const Rule> known, const ImageLayout& image) {
    std::vector<Rule> same, other;
    for (const Rule& rule : known) {
        std::optional<Rule> tried = adapted(rule, image);
        if (tried) (are_alike(*tried, rule) ? same : other).push_back(std::move(*tried));
    }
    std::ranges::move(other, std::back_inserter(same));
    std::vector<Rule> some;
    for (Rule& rule : same)
        if (std::ranges::none_of(some, [&](const Rule& earlier) { return are_alike(earlier, rule); }))
            some.push_back(std::move(rule));
    return some;
}

namespace {

void Inquiry::run(std::span<const Rule> known) {
    std::vector<WantedImage> wanted = first_images(kind);
    keep(ask({wanted.front()}));
    if (images.empty()) return;
    wanted.erase(wanted.begin());
    if (again) add_large_images(wanted);
    draw(90, 1200, wanted);
    // A few images refute most rules that do not hold here.
    if (!known.empty()) {
        std::vector<WantedImage> few, rest;
        for (size_t i = 0; i < wanted.size(); i++) (i % 8 == 0 ? few : rest).push_back(wanted[i]);
        keep(ask(std::move(few)));
        wanted = std::move(rest);
    }
    for (const Rule& rule : rules_for(known, images.front()))
        if (holds_here(rule)) {
            is_known = true;
            return;
        }
    keep(ask(std::move(wanted)));
    if (images.size() < 20) return;
    learned = learn(images);
    // Counts of rounds.
    unsigned clean = 0, stuck = 0;
    constexpr unsigned max_rounds = 18, hopeless = 6, clean_rounds = 4;
    // Tails are rare among random images: no misses do not say much about where tails end.
    const auto tail_is_open = [&] {
        return std::ranges::any_of(learned.gaps, [](const Learned::Gap& gap) {
            const bool of_tail = gap.feature == Feature::ceil_width || gap.feature == Feature::ceil_height;
            return of_tail && gap.above - gap.below > 1;
        });
    };
    for (unsigned round = 0; round < max_rounds && (clean < clean_rounds || tail_is_open()); round++) {
        if (round == hopeless && learned.unexplained.size() * 10 > images.size()) return;
        stuck = explained() ? 0 : stuck + 1;
        if (stuck > hopeless) return;
        wanted.clear();
        for (const Learned::Gap& gap : learned.gaps)
            if (gap.above - gap.below > 1) ask_about(gap, kind, random, wanted);
        keep_at_most(60, wanted, random);
        const size_t without_fractions = wanted.size();
        ask_about_fractions(wanted);
        const bool narrows = wanted.size() > without_fractions;
        ask_about_bounds_of_budget(wanted);
        if (!is_deep()) ask_about_layers(wanted);
        draw(size_t{40} << std::min(clean, 3U), round % 2 ? 4096 : 600, wanted);
        std::vector<ImageLayout> asked = ask(std::move(wanted));
        const size_t missed = count_missed(asked);
        keep(std::move(asked));
        // Deep images that a budget decides about are many, and take the longest: they are probed again only if they
        // are informative.
        const bool is_many = is_deep() && !learned.rule.budget.candidates.empty();
        const bool tells = is_many ? narrows : !learned.gaps.empty() || !learned.fraction_gaps.empty();
        if (missed > 0 || tells || !explained())
            learned = learn(images, &learned.rule);
        else
            rest_on(learned.rule, images);
        clean = missed == 0 && explained() ? clean + 1 : 0;
    }
}

/// A few long images, far beyond what the rule was learned from, show whether the formulas hold.
void widen(Inquiry& inquiry) {
    const bool deep = inquiry.is_deep(), flat = inquiry.kind.type == ImageType::one_d;
    const Rule learned = inquiry.learned.rule;
    const uint32_t side =
        deep ? std::min(max_side_3d, inquiry.source.max_side_3d) : std::min(max_side_2d, inquiry.source.max_side_2d);
    const uint32_t less = side - side / 13, high = flat ? 1 : 5, depth = deep ? 3 : 1;
    std::vector<Extent_px> extents = {{side, high, depth}, {less, flat ? 1 : 2 * high, depth}};
    if (!flat) extents.insert(extents.end(), {{high, side, depth}, {2 * high, less, depth}});
    if (deep) extents.insert(extents.end(), {{high, depth, side}, {2 * high, depth, less}});
    std::vector<WantedImage> wanted;
    for (const Extent_px& extent : extents)
        for (const uint32_t levels : {1U, 32U}) {
            wanted.push_back(inquiry.kind);
            wanted.back().extent_px = extent;
            wanted.back().levels = std::min({levels, chain_of(extent), learned.max_levels});
        }
    if (!deep && !flat) {  // many rows of tiles, because an XOR may mix them in long rows alone
        wanted.push_back(inquiry.kind);
        wanted.back().extent_px = {side, 150 * inquiry.element.height, 1};
    }
    Rule& rule = inquiry.learned.rule;
    rule.max_extent_px = {side, flat ? 1 : side, deep ? side : 1};
    if (learned.max_levels > 1) rule.max_levels = chain_of(rule.max_extent_px);
    const std::vector<ImageLayout> asked = inquiry.ask(std::move(wanted));
    if (asked.size() < 4 || inquiry.count_missed(asked) > 0) rule = learned;
}

/// Whether a few images of the format are laid out as the rule says.
bool follows(const ImageSource& source, const Rule& rule, const WantedImage& kind) {
    std::vector<WantedImage> wanted;
    const bool deep = kind.type == ImageType::three_d;
    for (const Extent_px extent :
         {Extent_px{300, 200, 1}, Extent_px{70, 45, 1}, Extent_px{17, 500, 1}, Extent_px{12, 9, 1}}) {
        WantedImage image = kind;
        image.extent_px = extent;
        if (deep) image.extent_px = {extent[0] / 4 + 1, extent[1] / 4 + 1, 11};
        if (kind.type == ImageType::one_d) image.extent_px[1] = 1;
        image.levels = std::min(chain_of(image.extent_px), rule.max_levels);
        image.layers = deep || extent[0] != 70 ? 1 : std::min(3U, rule.max_layers);
        wanted.push_back(image);
    }
    const std::vector<ImageRead> probed = source.read(wanted);
    return std::ranges::all_of(probed, [&](const ImageRead& p) {
        return p.image && p.image->subresources.front().aspect == rule.aspect && !misses(rule, *p.image);
    });
}

}  // namespace

LearnedKind learn_kind(const ImageSource& source, const WantedImage& kind, uint64_t seed, std::span<const Rule> known) {
    LearnedKind out = {{kind.format}, kind.type, kind.samples, std::nullopt, {}, 0};
    const auto inquire = [&](bool again) {
        Inquiry asked = {.source = source,
                         .kind = kind,
                         .random = std::mt19937_64(again ? seed + 1 : seed),
                         .element = probe::format_named(kind.format).element,
                         .again = again};
        asked.run(known);
        return asked;
    };
    Inquiry first = inquire(false);
    // What random images leave unexplained, others may explain.
    std::optional<Inquiry> second;
    if (first.images.size() >= 20 && !first.explained()) second.emplace(inquire(true));
    Inquiry& inquiry = second && second->explained() ? *second : first;
    const auto probes = [&] { return first.probes + (second ? second->probes : 0); };
    if (inquiry.images.size() < 20) {
        out.why_not = inquiry.why_unread.empty() ? "too few images could be read" : inquiry.why_unread;
        out.probes = probes();
        return out;
    }
    const auto unexplained = [&] {
        if (inquiry.explained())
            return fmt::format("{} of {} images have layouts that cannot be expressed, {}", inquiry.unfit.size(),
                               inquiry.unfit.size() + inquiry.images.size(), inquiry.why_unread);
        return fmt::format("{} of {} images are not explained, {}", inquiry.learned.unexplained.size(),
                           inquiry.images.size(), inquiry.learned.why);
    };
    if (!inquiry.holds()) out.why_not = unexplained();
    for (const auto number : {&ImageLayout::levels, &ImageLayout::layers}) {
        if (inquiry.holds()) break;
        std::erase_if(inquiry.images, [&](const ImageLayout& image) { return image.*number > 1; });
        if (!inquiry.images.empty()) inquiry.learned = learn(inquiry.images);
    }
    if (inquiry.holds()) {
        widen(inquiry);
        out.rule = inquiry.learned.rule;
        out.rule->formats = {kind.format};
    } else {
        out.why_not += "; of one level and layer, " + unexplained();
    }
    out.probes = probes();
    out.is_known = inquiry.is_known;
    return out;
}

namespace {

/// Learns the rules for formats of one size and class. At most four kinds of images are tried, because many formats
/// have none that can be read.
std::vector<LearnedKind> learn_class(const ImageSource& source, std::span<const std::string> formats, WantedImage kind,
                                     uint64_t seed, std::span<const Rule> known) {
    constexpr size_t max_kinds = 4;
    std::vector<LearnedKind> kinds;
    for (const std::string& name : formats) {
        kind.format = name;
        const auto followed = std::ranges::find_if(
            kinds, [&](const LearnedKind& learned) { return learned.rule && follows(source, *learned.rule, kind); });
        if (followed != kinds.end()) {
            followed->formats.push_back(name);
            followed->rule->formats = followed->formats;
        } else if (kinds.size() < max_kinds) {
            kinds.push_back(learn_kind(source, kind, seed, known));
        }
    }
    return kinds;
}

struct FormatClass {
    Element element;
    probe::FormatKind kind;
    std::vector<std::string> formats;
};

/// Whether an image of any of these formats can be read: queues without hardware read none of several samples, and
/// devices support few sample counts.
bool can_be_read(const ImageSource& source, const std::vector<FormatClass>& classes, WantedImage kind) {
    kind.extent_px = {64, 64, 1};
    return std::ranges::any_of(classes, [&](const FormatClass& of) {
        kind.format = of.formats.front();
        return source.read({kind}).front().image.has_value();
    });
}

}  // namespace

void learn_device(const ImageSource& source, const LearnedImages& wanted, uint64_t seed, std::vector<Rule> known,
                  const std::function<void(const LearnedKind&)>& done) {
    std::vector<FormatClass> classes;
    for (const std::string& name : wanted.formats) {
        const probe::Format& format = probe::format_named(name);
        const auto same = std::ranges::find_if(
            classes, [&](const FormatClass& of) { return of.element == format.element && of.kind == format.kind; });
        if (same == classes.end())
            classes.push_back({format.element, format.kind, {name}});
        else
            same->formats.push_back(name);
    }
    const auto learn_all = [&](const WantedImage& kind) {
        for (const FormatClass& of : classes)
            for (const LearnedKind& learned : learn_class(source, of.formats, kind, seed, known)) {
                if (learned.rule) known.insert(known.begin(), *learned.rule);
                done(learned);
            }
    };
    const std::vector<uint32_t> all = {1, 2, 4, 8, 16};
    for (const ImageType type : wanted.types)
        for (const uint32_t samples : wanted.samples.empty() ? all : wanted.samples) {
            WantedImage kind;
            kind.type = type;
            kind.samples = samples;
            kind.usage = wanted.usage;
            kind.flags = wanted.flags;
            if (samples > 1 && type != ImageType::two_d) continue;
            if (samples == 1 || !wanted.samples.empty() || can_be_read(source, classes, kind)) learn_all(kind);
        }
}

}  // namespace tilewise
