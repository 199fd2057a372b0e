#include "tools/answers/identify/smoothness.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

namespace tilewise {

namespace {

constexpr uint64_t scale_pairs = 2000;
constexpr uint64_t most_pairs = 10000;        ///< drawn at random
constexpr uint64_t most_border_pairs = 2000;  ///< across the borders of one size
constexpr uint64_t most_texels = 1 << 16;     ///< visited to tell two readings apart
/// After this many texels, and each time their number has doubled, a clear result is final.
constexpr uint64_t first_texels = 1 << 10;
constexpr double plain_standard_errors = 15;
constexpr uint64_t min_pairs = 50;  ///< fewer pairs say nothing
constexpr std::array<Axis, 3> directions = {axis_x, axis_y, axis_z};

uint64_t below(std::mt19937_64& random, uint64_t limit) { return random() % limit; }

Coord random_texel(std::mt19937_64& random, const Coord& extent) {
    Coord at{};
    for (const Axis a : directions) at[a] = static_cast<uint32_t>(below(random, extent[a]));
    return at;
}

/// A reading whose texels can be looked up one by one.
struct PictureReading {
    const TiledPicture& picture;
    AxisTables tables;

    explicit PictureReading(const TiledPicture& of) : picture(of), tables(of.layout, of.extent) {}
    const Coord& extent() const { return picture.extent; }
    uint64_t offset(const Coord& at) const { return tables.at(at); }
};

/// Scales differences by those of random pairs of a reading.
class Scale {
public:
    explicit Scale(const PictureReading& reading) : reading_(reading), factors_(reading.picture.channels.size()) {
        std::mt19937_64 random(1);
        const auto random_offset = [&] { return reading.offset(random_texel(random, reading.extent())); };
        for (uint64_t i = 0; i < scale_pairs; i++) {
            const uint64_t a = random_offset(), b = random_offset();
            for (size_t c = 0; c < factors_.size(); c++) factors_[c] += channel_difference(c, a, b);
        }
        channels_ = static_cast<double>(factors_.size()) - static_cast<double>(std::ranges::count(factors_, 0.0));
        for (double& factor : factors_)
            if (factor > 0) factor = static_cast<double>(scale_pairs) / factor / channels_;
    }

    /// Whether all random pairs are alike: then no reading is better than another.
    bool same_everywhere() const { return channels_ == 0; }

    /// How much the texels at these offsets differ, relative to random pairs: 1 is their mean.
    double difference(uint64_t a, uint64_t b) const {
        if (same_everywhere()) return 1;
        double sum = 0;
        for (size_t c = 0; c < factors_.size(); c++)
            if (factors_[c] > 0) sum += factors_[c] * channel_difference(c, a, b);
        return sum;
    }

    /// The difference in one channel: 1 is the mean of random pairs; 0 if the channel is the same everywhere.
    double difference_in(size_t channel, uint64_t a, uint64_t b) const {
        return channels_ * factors_[channel] * channel_difference(channel, a, b);
    }

    /// The part of it that rounding to integers can cause: one step of the last place.
    double rounding_in(size_t channel) const {
        const Channel& of = reading_.picture.channels[channel];
        const bool is_integer = of.kind == ChannelKind::unsigned_number || of.kind == ChannelKind::signed_number;
        constexpr double float_error = 1.001;
        return is_integer
                   ? float_error * channels_ * factors_[channel] / (std::ldexp(1.0, static_cast<int>(of.bits)) - 1)
                   : 0;
    }

private:
    const PictureReading& reading_;
    double channels_ = 0;          ///< the number that are not the same everywhere
    std::vector<double> factors_;  ///< by channel

    double channel_difference(size_t channel, uint64_t a, uint64_t b) const {
        const TiledPicture& picture = reading_.picture;
        const auto value = [&](uint64_t offset) {
            return ordered_value(picture.channels[channel], picture.bytes.data() + offset,
                                 picture.layout.pattern.element.bytes);
        };
        return std::abs(value(a) - value(b));
    }
};

/// The offsets of the texels next to one texel.
struct Neighbours {
    std::array<uint64_t, 6> offsets{};
    size_t count = 0;

    Neighbours(const PictureReading& reading, Coord at) {
        for (const Axis a : directions) {
            const uint32_t here = at[a];
            for (const uint32_t there : {here - 1, here + 1}) {
                if (there >= reading.extent()[a]) continue;  // also skips what is before 0: it wraps around
                at[a] = there;
                offsets[count++] = reading.offset(at);
            }
            at[a] = here;
        }
    }
    const uint64_t* begin() const { return offsets.data(); }
    const uint64_t* end() const { return offsets.data() + count; }
    bool has(uint64_t offset) const { return std::find(begin(), end(), offset) != end(); }
};

/// The summed differences of pairs that share one texel.
struct Sum {
    double differences = 0, pairs = 0;

    void add(double difference) { differences += difference, pairs++; }
};

struct Both {
    Sum first, second;
};

/// The contrast of both sets. Its error is that of the difference of the two means, computed from each entry's part in
/// that difference: the pairs of one entry share a texel, so where the picture is rough both are. Each mean includes
/// one extra entry whose texels differ as much as random ones, so that a few smooth pairs do not pass for proof.
Contrast contrast_of(const std::vector<Both>& entries, double times_counted) {
    Sum first, second;
    for (const Both& entry : entries) {
        first.differences += entry.first.differences, first.pairs += entry.first.pairs;
        second.differences += entry.second.differences, second.pairs += entry.second.pairs;
    }
    Contrast result;
    result.pairs = static_cast<uint64_t>(std::min(first.pairs, second.pairs) / times_counted);
    if (result.pairs == 0) return result;
    result.first = first.differences / first.pairs;
    result.second = second.differences / second.pairs;
    if (result.pairs < min_pairs) return result;
    double variance = 1 / (first.pairs * first.pairs) + 1 / (second.pairs * second.pairs);
    for (const Both& entry : entries) {
        const double part = (entry.second.differences - result.second * entry.second.pairs) / second.pairs -
                            (entry.first.differences - result.first * entry.first.pairs) / first.pairs;
        variance += part * part;
    }
    result.standard_errors = (result.second - result.first) / std::sqrt(variance * times_counted);
    return result;
}

/// Counts pairs across borders in one channel, compared with the pairs beside them.
struct BorderCount {
    double pairs = 0, rough = 0, beside = 0;

    /// Differences by rounding alone are not rough: an 8-bit ramp has such steps, and one of them may lie at the
    /// border. They count as pairs if the channel changes as a ramp does over the two blocks (`far`, `texels` apart); if
    /// it is the same all around, or another thing begins there, such as padding, the pair says nothing and is left out.
    void add(double before, double across, double behind, double far, double texels, double rounding) {
        constexpr double change = 4;
        const bool is_even = std::max({before, across, behind}) <= rounding;
        const bool is_ramp = far > change * rounding && far <= texels * rounding;
        if (is_even ? !is_ramp : before == across && behind == across) return;
        pairs++;
        rough += across > std::max(before, behind) + rounding;
        beside += (before + behind) / 2;
    }
};

/// The smallest share of rough pairs in any channel. If blocks lie at wrong places, all channels show it; if the
/// picture itself has cells, often just one does. 0 unless all shares are above a half, by at least that many standard
/// errors. Channels of noise, and channels with few pairs, do not count.
double share_of_all(const std::vector<BorderCount>& channels, double standard_errors) {
    constexpr double noise = 0.9;
    double smallest = 1;
    bool any = false;
    for (const BorderCount& count : channels) {
        if (count.pairs < static_cast<double>(min_pairs) || count.beside >= noise * count.pairs) continue;
        const double share = count.rough / count.pairs, half_error = 0.5 / std::sqrt(count.pairs);
        if (share - 0.5 < standard_errors * half_error) return 0;
        smallest = std::min(smallest, share);
        any = true;
    }
    return any ? smallest : 0;
}

}  // namespace

double Contrast::gain() const { return second > 0 ? std::clamp(1 - first / second, 0.0, 1.0) : 0; }

Contrast contrast_with_noise(const TiledPicture& picture) {
    const PictureReading reading(picture);
    const Scale scale(reading);
    const Coord& extent = reading.extent();
    std::vector<Axis> axes;
    for (const Axis a : directions)
        if (extent[a] > 1) axes.push_back(a);
    if (axes.empty()) return {1, 1, 0, 0};
    std::mt19937_64 random(2);
    // A small image has only so many pairs: drawing the same ones again would only seem to prove more.
    std::vector<Both> entries(std::min(most_pairs, 2 * element_count(extent)));
    for (Both& entry : entries) {
        const Axis axis = axes[below(random, axes.size())];
        Coord at = random_texel(random, extent);
        const uint64_t anywhere = reading.offset(random_texel(random, extent));
        at[axis] = static_cast<uint32_t>(below(random, extent[axis] - 1));
        const uint64_t here = reading.offset(at);
        at[axis]++;
        entry.first.add(scale.difference(here, reading.offset(at)));
        entry.second.add(scale.difference(here, anywhere));
    }
    return contrast_of(entries, 1);
}

Contrast contrast(const TiledPicture& first, const TiledPicture& second) {
    const PictureReading one(first), other(second);
    const Scale scale(one);
    const ElementFinder find_in_other(second.layout, second.extent);
    const uint64_t texels = element_count(first.extent);
    // A step that shares no factor with the number of texels visits each texel once, evenly spread from the start.
    uint64_t step = static_cast<uint64_t>(static_cast<double>(texels) * 0.6180339887) | 1;
    while (std::gcd(step, texels) != 1) step++;

    std::vector<Both> entries;
    uint64_t index = 0, shared = 0;
    const auto result_of = [&] {
        Contrast result = contrast_of(entries, 2);  // most pairs are met twice, once from each end
        result.shared = shared;
        return result;
    };
    for (uint64_t i = 1; i <= std::min(most_texels, texels); i++, index = (index + step) % texels) {
        const Coord here = element_at_index(first.extent, index);
        const uint64_t offset = one.offset(here);
        const std::optional<Coord> there = find_in_other(offset);
        if (!there || other.offset(*there) != offset) continue;
        shared++;
        const Neighbours beside(one, here), beside_there(other, *there);
        Both entry;
        for (const uint64_t neighbour : beside)
            if (!beside_there.has(neighbour)) entry.first.add(scale.difference(offset, neighbour));
        for (const uint64_t neighbour : beside_there)
            if (!beside.has(neighbour)) entry.second.add(scale.difference(offset, neighbour));
        if (entry.first.pairs + entry.second.pairs > 0) entries.push_back(entry);
        if (i >= first_texels && std::has_single_bit(i)) {
            const Contrast result = result_of();
            if (std::abs(result.standard_errors) >= plain_standard_errors || scale.same_everywhere()) return result;
        }
    }
    return result_of();
}

Border roughest_border(const TiledPicture& picture, double standard_errors) {
    const PictureReading reading(picture);
    const Scale scale(reading);
    const Coord& extent = reading.extent();
    std::mt19937_64 random(3);
    Border roughest;
    for (const Axis axis : directions)
        for (uint32_t step = 2; step + 1 < extent[axis]; step *= 2) {
            const uint32_t borders = ((extent[axis] - 2) / step + 1) / 2;
            uint64_t pairs = borders;
            for (const Axis other : directions)
                if (other != axis) pairs *= extent[other];
            std::vector<BorderCount> counts(picture.channels.size());
            for (uint64_t i = 0; i < std::min(most_border_pairs, pairs); i++) {
                Coord at = random_texel(random, extent);
                std::array<uint64_t, 4> line{};  // two before the border, two behind it
                at[axis] = (2 * static_cast<uint32_t>(below(random, borders)) + 1) * step - 2;
                const uint32_t border = at[axis] + 2;
                for (uint64_t& offset : line) {
                    offset = reading.offset(at);
                    at[axis]++;
                }
                at[axis] = border - step;
                const uint64_t block_before = reading.offset(at);
                at[axis] = std::min(border + step, extent[axis]) - 1;
                const uint64_t block_behind = reading.offset(at);
                const double texels = at[axis] - (border - step);
                for (size_t c = 0; c < counts.size(); c++)
                    counts[c].add(scale.difference_in(c, line[0], line[1]), scale.difference_in(c, line[1], line[2]),
                                  scale.difference_in(c, line[2], line[3]),
                                  scale.difference_in(c, block_before, block_behind), texels, scale.rounding_in(c));
            }
            const double share = share_of_all(counts, standard_errors);
            if (share > roughest.rough) roughest = {axis, step, share};
        }
    return roughest;
}

}  // namespace tilewise
