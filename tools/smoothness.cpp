#include "tools/smoothness.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>

namespace tilewise {

namespace {

constexpr uint64_t most_texels = 1 << 20;  ///< looked at for the roughness of one picture
constexpr uint64_t most_pairs = 20000;     ///< drawn at random
constexpr std::array<Axis, 3> directions = {axis_x, axis_y, axis_z};

using Values = std::vector<float>;

uint64_t below(std::mt19937_64& random, uint64_t limit) { return random() % limit; }

/// Of a small image no more than there are: the same ones again would only seem to prove more.
uint64_t random_pairs(const Coord& extent) { return std::min(most_pairs, 2 * element_count(extent)); }

Coord random_texel(std::mt19937_64& random, const Coord& extent) {
    Coord at{};
    for (const Axis a : directions) at[a] = static_cast<uint32_t>(below(random, extent[a]));
    return at;
}

void read_values(const TiledPicture& picture, uint64_t offset, float* values) {
    const size_t size = picture.layout.pattern.element.bytes;
    for (const Channel& channel : picture.channels)
        *values++ = ordered_value(channel, picture.bytes.data() + offset, size);
}

Values values_at(const TiledPicture& picture, uint64_t offset) {
    Values values(picture.channels.size());
    read_values(picture, offset, values.data());
    return values;
}

/// By channel, the mean difference of random pairs; 0 where the channel is the same everywhere.
std::vector<double> random_differences(const TiledPicture& picture) {
    std::mt19937_64 random(1);
    std::vector<double> sums(picture.channels.size());
    const uint64_t pairs = random_pairs(picture.extent);
    for (uint64_t i = 0; i < pairs; i++) {
        const Values a = values_at(picture, offset_of(picture.layout, random_texel(random, picture.extent)));
        const Values b = values_at(picture, offset_of(picture.layout, random_texel(random, picture.extent)));
        for (size_t c = 0; c < sums.size(); c++) sums[c] += std::abs(a[c] - b[c]);
    }
    for (double& sum : sums) sum /= static_cast<double>(pairs);
    return sums;
}

/// The difference of two texels, 1 being that of random pairs; channels that are the same everywhere have no say.
double difference(const Values& a, const Values& b, const std::vector<double>& usual) {
    double sum = 0;
    int counted = 0;
    for (size_t c = 0; c < usual.size(); c++)
        if (usual[c] > 0) {
            sum += std::abs(a[c] - b[c]) / usual[c];
            counted++;
        }
    return counted == 0 ? 1 : sum / counted;
}

/// Adds up the channels' differences of whole rows.
struct RowSum {
    std::vector<double> sums;
    uint64_t pairs = 0;

    void add(const float* a, const float* b, size_t texels) {
        for (size_t i = 0; i < texels; i++)
            for (double& sum : sums) sum += std::abs(*a++ - *b++);
        pairs += texels;
    }
};

/// Reads rows of the picture as values, channel by channel of each texel.
class RowReader {
public:
    explicit RowReader(const TiledPicture& picture)
        : picture_(picture), tables_(picture.layout, picture.extent), offsets_(picture.extent[axis_x]) {}

    void read(uint32_t y, uint32_t z, Values& values) {
        tables_.row(y, z, 0, offsets_.data());
        values.resize(offsets_.size() * picture_.channels.size());
        float* to = values.data();
        for (const uint64_t offset : offsets_) {
            read_values(picture_, offset, to);
            to += picture_.channels.size();
        }
    }

private:
    const TiledPicture& picture_;
    AxisTables tables_;
    std::vector<uint64_t> offsets_;
};

struct Pair {
    Coord first{}, second{};
};

/// Neighbours along an axis that the image has more than one element of; none for one texel.
std::optional<Pair> random_neighbours(std::mt19937_64& random, const Coord& extent) {
    std::vector<Axis> axes;
    for (const Axis a : directions)
        if (extent[a] > 1) axes.push_back(a);
    if (axes.empty()) return {};
    const Axis axis = axes[below(random, axes.size())];
    Pair pair;
    pair.first = random_texel(random, extent);
    pair.first[axis] = static_cast<uint32_t>(below(random, extent[axis] - 1));
    pair.second = pair.first;
    pair.second[axis]++;
    return pair;
}

bool are_neighbours(const std::optional<Coord>& a, const std::optional<Coord>& b) {
    if (!a || !b) return false;
    uint64_t steps = 0;
    for (const Axis axis : all_axes) steps += std::max((*a)[axis], (*b)[axis]) - std::min((*a)[axis], (*b)[axis]);
    return steps == 1;
}

struct Moments {
    double sum = 0, squares = 0;
    uint64_t count = 0;

    void add(double value) { sum += value, squares += value * value, count++; }
    double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
    /// Of the mean.
    double variance() const {
        const auto n = static_cast<double>(count);
        return count < 2 ? 0 : std::max(0.0, squares / n - mean() * mean()) / (n - 1);
    }
};

Contrast contrast_of(const Moments& first, const Moments& second) {
    Contrast result = {first.mean(), second.mean(), 0, std::min(first.count, second.count)};
    const double error = std::sqrt(first.variance() + second.variance());
    if (error > 0) result.standard_errors = (result.second - result.first) / error;
    return result;
}

/// Neighbours in `picture` that are none in `other`.
Moments own_neighbours(const TiledPicture& picture, const TiledPicture& other, const std::vector<double>& usual) {
    std::mt19937_64 random(2);
    Moments moments;
    for (uint64_t i = 0; i < random_pairs(picture.extent); i++) {
        const std::optional<Pair> pair = random_neighbours(random, picture.extent);
        if (!pair) break;
        const uint64_t a = offset_of(picture.layout, pair->first), b = offset_of(picture.layout, pair->second);
        if (!are_neighbours(element_of(other.layout, other.extent, a), element_of(other.layout, other.extent, b)))
            moments.add(difference(values_at(picture, a), values_at(picture, b), usual));
    }
    return moments;
}

}  // namespace

double roughness(const TiledPicture& picture) {
    const Coord& extent = picture.extent;
    const std::vector<double> usual = random_differences(picture);
    const uint64_t rows = uint64_t{extent[axis_y]} * extent[axis_z];
    const uint64_t wanted = std::max<uint64_t>(1, most_texels / extent[axis_x]);
    std::array<RowSum, 3> sums;
    for (RowSum& sum : sums) sum.sums.resize(picture.channels.size());

    RowReader reader(picture);
    Values row, next;
    const size_t channels = picture.channels.size();
    std::mt19937_64 random(3);
    for (uint64_t i = 0; i < std::min(rows, wanted); i++) {
        const uint64_t at = rows <= wanted ? i : below(random, rows);
        const auto y = static_cast<uint32_t>(at % extent[axis_y]), z = static_cast<uint32_t>(at / extent[axis_y]);
        reader.read(y, z, row);
        sums[axis_x].add(row.data() + channels, row.data(), extent[axis_x] - 1);
        for (const Axis a : {axis_y, axis_z}) {
            Coord neighbour = {0, y, z, 0};
            if (++neighbour[a] == extent[a]) continue;
            reader.read(neighbour[axis_y], neighbour[axis_z], next);
            sums[a].add(next.data(), row.data(), extent[axis_x]);
        }
    }
    double total = 0;
    int counted = 0;
    for (const RowSum& sum : sums)
        for (size_t c = 0; c < channels; c++)
            if (sum.pairs != 0 && usual[c] > 0) {
                total += sum.sums[c] / static_cast<double>(sum.pairs) / usual[c];
                counted++;
            }
    return counted == 0 ? 1 : total / counted;
}

Contrast contrast(const TiledPicture& first, const TiledPicture& second) {
    const std::vector<double> usual = random_differences(first);
    return contrast_of(own_neighbours(first, second, usual), own_neighbours(second, first, usual));
}

Contrast contrast_with_noise(const TiledPicture& picture) {
    const std::vector<double> usual = random_differences(picture);
    std::mt19937_64 random(4);
    Moments neighbours, others;
    for (uint64_t i = 0; i < random_pairs(picture.extent); i++) {
        const auto difference_of = [&](const Coord& a, const Coord& b) {
            return difference(values_at(picture, offset_of(picture.layout, a)),
                              values_at(picture, offset_of(picture.layout, b)), usual);
        };
        if (const std::optional<Pair> pair = random_neighbours(random, picture.extent))
            neighbours.add(difference_of(pair->first, pair->second));
        others.add(difference_of(random_texel(random, picture.extent), random_texel(random, picture.extent)));
    }
    return contrast_of(neighbours, others);
}

}  // namespace tilewise
