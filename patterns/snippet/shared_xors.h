// XORs that several rows of a map have in common.
#pragma once
#include "patterns/snippet/linear_map.h"

namespace tilewise::ir {

/// The task itself, and others that come to the same results with fewer moves: the XOR of two inputs, one of them
/// shifted, takes the place of an input; or what two results have in common is computed for one of them alone.
std::vector<LinearMapTask> with_shared_xors(Program& program, const LinearMapTask& task);

}  // namespace tilewise::ir
