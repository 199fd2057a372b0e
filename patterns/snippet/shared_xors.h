// XORs that several rows of a map share.
#pragma once
#include "patterns/snippet/linear_map.h"

namespace tilewise::ir {

/// The task itself, and others that compute the same results with fewer moves: an input is replaced by the XOR of two
/// inputs, one of them shifted; or what two results have in common is computed for only one of them.
std::vector<LinearMapTask> with_shared_xors(Program& program, const LinearMapTask& task);

}  // namespace tilewise::ir
