// A method as it was timed, as one GLSL text that anyone can compile and dispatch.
#pragma once
#include "kernels/job.h"
#include "kernels/separable/filter.h"
#include <optional>

namespace tilewise::kernels {

/// What is known of a job without its device.
struct TimedMethod {
    std::string kernel;                ///< as Task::kernel
    std::optional<FilterText> filter;  ///< of a kernel that is one
    std::string method;                ///< as Job::method
    Format format = Format::rgba8;
    uint32_t radius = 0;
    Size shape;                  ///< texels of a workgroup's box
    uint32_t invocations = 0;    ///< of a workgroup; 0: as many as the method has by default
    std::optional<Remap> remap;  ///< of a method that runs in any order
    GroupOrder groups = {};
};

/// `comment`: above it, before what the text says of its bindings, push constants and workgroups. Throws Error for a method
/// whose code is not given (those that draw, and the slower ones of average and brightest), for one in an order that is
/// not known, and for a workgroup that this program does not make.
std::string method_code(const TimedMethod& timed, const std::string& comment);

}  // namespace tilewise::kernels
