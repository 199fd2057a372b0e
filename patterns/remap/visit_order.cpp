#include "patterns/remap/visit_order.h"
#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace tilewise {

namespace {

// Alternates the bits of x and y: ...y1 x1 y0 x0.
uint64_t interleaved(uint32_t x, uint32_t y) {
    uint64_t out = 0;
    for (unsigned bit = 0; bit < 32; ++bit)
        out |= (uint64_t{x >> bit & 1} << 2 * bit) | (uint64_t{y >> bit & 1} << (2 * bit + 1));
    return out;
}

/// When each position is visited if positions are taken by ascending key.
template <typename Key>
std::vector<uint32_t> ranks_by(const Coord& grid, Key key) {
    std::vector<uint32_t> positions(element_count(grid)), ranks(positions.size());
    std::iota(positions.begin(), positions.end(), 0u);
    std::ranges::sort(positions, {}, [&](uint32_t position) {
        const Coord at = element_at_index(grid, position);
        return key(at[axis_x], at[axis_y]);
    });
    for (uint32_t i = 0; i < positions.size(); ++i) ranks[positions[i]] = i;
    return ranks;
}

uint32_t median_distance(std::span<const uint32_t> a, std::span<const uint32_t> b) {
    std::vector<uint32_t> distances(a.size());
    for (size_t i = 0; i < a.size(); ++i) distances[i] = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    const auto middle = distances.begin() + static_cast<ptrdiff_t>(distances.size() / 2);
    std::ranges::nth_element(distances, middle);
    return *middle;
}

double adjacent_steps(const Coord& grid, std::span<const uint32_t> rank) {
    std::vector<uint32_t> visited(rank.size());
    for (uint32_t i = 0; i < rank.size(); ++i) visited[rank[i]] = i;
    uint64_t adjacent = 0;
    for (size_t i = 1; i < visited.size(); ++i) {
        const Coord a = element_at_index(grid, visited[i - 1]), b = element_at_index(grid, visited[i]);
        const auto apart = [&](Axis axis) { return std::abs(int64_t{a[axis]} - int64_t{b[axis]}); };
        adjacent += apart(axis_x) + apart(axis_y) == 1;
    }
    return visited.size() < 2 ? 1 : static_cast<double>(adjacent) / static_cast<double>(visited.size() - 1);
}

}  // namespace

double rank_correlation(std::span<const uint32_t> a, std::span<const uint32_t> b) {
    assert(a.size() == b.size());
    const auto n = static_cast<double>(a.size());
    if (n < 2) return 1;
    double squares = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        squares += difference * difference;
    }
    return 1 - 6 * squares / (n * (n * n - 1));
}

Visit describe_visit(const Coord& grid, std::span<const uint32_t> rank) {
    assert(rank.size() == element_count(grid) && grid[axis_z] == 1);
    struct Order {
        const char* name;
        std::vector<uint32_t> ranks;
    };
    const Order orders[] = {
        {"row", ranks_by(grid, [](uint32_t x, uint32_t y) { return uint64_t{y} << 32 | x; })},
        {"column", ranks_by(grid, [](uint32_t x, uint32_t y) { return uint64_t{x} << 32 | y; })},
        {"morton", ranks_by(grid, interleaved)},
    };
    Visit visit;
    for (const Order& order : orders) {
        const double correlation = rank_correlation(rank, order.ranks);
        if (!visit.nearest.empty() && correlation <= visit.correlation) continue;
        visit.nearest = order.name;
        visit.correlation = correlation;
        visit.exact = std::ranges::equal(rank, order.ranks);
        visit.displacement = median_distance(rank, order.ranks);
    }
    visit.adjacent = adjacent_steps(grid, rank);
    return visit;
}

}  // namespace tilewise
