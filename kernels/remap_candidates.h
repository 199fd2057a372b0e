// Remaps and workgroup shapes to try: the well-known ones, and a great many others.
#pragma once
#include "kernels/shader/order.h"
#include <functional>

namespace tilewise {

struct CandidateRequest {
    /// The most candidates to return; fewer if there are no more.
    size_t count = 1000;
    uint64_t seed = 1;
    /// Limits on the invocations of a workgroup; both are powers of two.
    uint32_t min_invocations = 64, max_invocations = 1024;
    /// If empty, all shapes of 2^n invocations are tried.
    std::vector<Coord> shapes = {};
};

/// For each shape in turn: memory order (given by `learned`; empty: none), row and morton, then random permutations of
/// the coordinate bits ("permutation"); one in eight is a permutation with XORs ("matrix"). No order occurs twice: one
/// that is both memory order and another has the name of memory order. The same request gives the same candidates.
std::vector<kernels::Order> remap_candidates(const CandidateRequest& request,
                                             const std::function<kernels::Order(const Coord&)>& learned);

/// Shapes along x and y.
std::vector<Coord> shapes_between(uint32_t min_invocations, uint32_t max_invocations);

}  // namespace tilewise
