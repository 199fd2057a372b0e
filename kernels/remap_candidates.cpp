#include "kernels/remap_candidates.h"
#include <algorithm>
#include <bit>
#include <random>
#include <set>

namespace tilewise {

namespace {

constexpr size_t fruitless_rounds = 20;  // over all shapes; after these, there are no more

/// A random number below `limit`; the same with every standard library.
size_t draw(std::mt19937_64& random, size_t limit) { return static_cast<size_t>((random() >> 32) * limit >> 32); }

Remap random_permutation(const Coord& shape, std::mt19937_64& random) {
    Remap remap = row_order(shape);
    for (size_t i = remap.columns.size(); i-- > 1;) std::swap(remap.columns[i], remap.columns[draw(random, i + 1)]);
    return remap;
}

/// Columns are added to one another as many times as there are columns: the result always has an inverse.
Remap random_matrix(const Coord& shape, std::mt19937_64& random) {
    Remap remap = random_permutation(shape, random);
    const size_t bits = remap.columns.size();
    for (size_t step = 0; step < bits; ++step) {
        const size_t from = draw(random, bits), to = (from + 1 + draw(random, bits - 1)) % bits;
        for (const Axis axis : all_axes) remap.columns[to][axis] ^= remap.columns[from][axis];
    }
    return remap;
}

/// The candidates so far, without duplicates.
struct Collection {
    std::vector<kernels::Order> orders;
    std::set<std::pair<Coord, std::vector<Coord>>> known;

    bool add(kernels::Order order) {
        if (!known.emplace(order.remap.shape, order.remap.columns).second) return false;
        orders.push_back(std::move(order));
        return true;
    }
};

}  // namespace

std::vector<Coord> shapes_between(uint32_t min_invocations, uint32_t max_invocations) {
    std::vector<Coord> shapes;
    for (uint32_t invocations = min_invocations; invocations <= max_invocations; invocations *= 2)
        for (uint32_t height = 1; height <= invocations; height *= 2)
            shapes.push_back({invocations / height, height, 1, 1});
    return shapes;
}

std::vector<kernels::Order> remap_candidates(const CandidateRequest& request,
                                             const std::function<kernels::Order(const Coord&)>& learned) {
    const std::vector<Coord> shapes =
        request.shapes.empty() ? shapes_between(request.min_invocations, request.max_invocations) : request.shapes;
    std::mt19937_64 random(request.seed);
    Collection found;
    // Within each kind, shapes take turns, so that a smaller count drops the random ones first.
    for (const Coord& shape : shapes)
        if (learned) found.add(learned(shape));
    for (const Coord& shape : shapes) found.add({"row", row_order(shape)});
    for (const Coord& shape : shapes) found.add({"morton", morton_order(shape)});
    constexpr size_t matrix_every = 8;
    size_t in_vain = 0;
    for (size_t turn = 0; found.orders.size() < request.count && in_vain < fruitless_rounds * shapes.size(); ++turn) {
        const Coord& shape = shapes[turn % shapes.size()];
        const bool matrix = turn / shapes.size() % matrix_every == matrix_every - 1;
        const bool is_new = matrix ? found.add({"matrix", random_matrix(shape, random)})
                                   : found.add({"permutation", random_permutation(shape, random)});
        in_vain = is_new ? 0 : in_vain + 1;
    }
    if (found.orders.size() > request.count) found.orders.resize(request.count);
    return std::move(found.orders);
}

}  // namespace tilewise
