// A method as it was timed, as one GLSL text that anyone can compile and dispatch.
#pragma once
#include "kernels/job.h"
#include "kernels/separable/filter.h"
#include <optional>

namespace tilewise::kernels {

/// What is known of a job without its device.
struct TimedMethod {
    /// It is called as in Task::kernel.
    std::string kernel;
    /// A kernel that is a separable filter has it.
    std::optional<FilterText> filter;
    /// It is called as in Job::method.
    std::string method;
    Format format = Format::rgba8;
    uint32_t radius = 0;
    /// A workgroup's box has so many texels.
    Size shape;
    /// A workgroup has so many; 0 stands for as many as the method has by default.
    uint32_t invocations = 0;
    /// A method that runs in any order has it.
    std::optional<Remap> remap;
    GroupOrder groups = {};
};

/// `comment`: above it, before what the text says of its bindings, push constants and workgroups. Throws Error for a
/// method whose code is not given (those that draw, and the slower ones of average and brightest), for one in an order
/// that is not known, and for a workgroup that this program does not make.
std::string method_code(const TimedMethod& timed, const std::string& comment);

}  // namespace tilewise::kernels
