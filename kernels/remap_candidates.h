// Remaps and workgroup shapes to try: the well-known ones, and very many others.
#pragma once
#include "kernels/shader/order.h"
#include <functional>

namespace tilewise {

struct CandidateRequest {
    size_t count = 1000;  ///< at most; fewer where there are no more
    uint64_t seed = 1;
    uint32_t min_invocations = 64, max_invocations = 1024;  ///< of a workgroup; powers of two
    std::vector<Coord> shapes = {};                         ///< empty: all of 2^n invocations
};

/// For each shape in turn: memory order (`learned` says which; empty: none), row and morton,
/// then random permutations of the coordinate bits ("permutation"), and one in eight a permutation with XORs ("matrix").
/// None comes twice: what is both memory order and another has the name of memory order. The same request gives the same
/// candidates.
std::vector<kernels::Order> remap_candidates(const CandidateRequest& request,
                                             const std::function<kernels::Order(const Coord&)>& learned);

std::vector<Coord> shapes_between(uint32_t min_invocations, uint32_t max_invocations);  ///< in x and y

}  // namespace tilewise
