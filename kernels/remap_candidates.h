// Remaps and workgroup shapes to try: the well-known ones, and very many others.
#pragma once
#include "kernels/shader/order.h"
#include <functional>

namespace tilewise {

struct CandidateRequest {
    /// There are so many at most, and fewer where there are no more.
    size_t count = 1000;
    uint64_t seed = 1;
    /// A workgroup has so many; both are powers of two.
    uint32_t min_invocations = 64, max_invocations = 1024;
    /// Where it is empty, all shapes of 2^n invocations are tried.
    std::vector<Coord> shapes = {};
};

/// For each shape in turn: memory order (`learned` says which; empty: none), row and morton,
/// then random permutations of the coordinate bits ("permutation"), and one in eight a permutation with XORs
/// ("matrix"). No order comes twice: one that is both memory order and another has the name of memory order. The same
/// request gives the same candidates.
std::vector<kernels::Order> remap_candidates(const CandidateRequest& request,
                                             const std::function<kernels::Order(const Coord&)>& learned);

/// They lie in x and y.
std::vector<Coord> shapes_between(uint32_t min_invocations, uint32_t max_invocations);

}  // namespace tilewise
