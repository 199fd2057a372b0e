// XORs that several rows of a map have in common.
#pragma once
#include "patterns/code_linear.h"

namespace tilewise::code {

/// The task itself, and others that come to the same results: with the XOR of two inputs, one of them shifted, in place
/// of an input, where that leaves fewer moves.
std::vector<LinearMapTask> with_shared_xors(Program& program, const LinearMapTask& task);

}  // namespace tilewise::code
