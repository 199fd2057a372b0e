// A method as code that anyone can compile and dispatch: in GLSL as it is timed, in other languages translated from the
// GLSL.
#pragma once
#include "kernels/box/box.h"
#include "kernels/job.h"
#include "kernels/separable/filter.h"
#include "kernels/separable/filter_method.h"
#include "patterns/snippet/snippet.h"
#include <optional>
#include <variant>

namespace tilewise::kernels {

/// The properties of a job that need no device.
struct TimedMethod {
    /// The name in Task::kernel.
    std::string kernel;
    /// Set if the kernel is a separable filter.
    std::optional<FilterText> filter;
    /// The name in Job::method.
    std::string method;
    Format format = Format::rgba8;
    uint32_t radius = 0;
    /// Texels of a workgroup's box.
    Size shape;
    /// Invocations of a workgroup; 0: the method's default.
    uint32_t invocations = 0;
    /// Set for a method that runs in any order.
    std::optional<Remap> remap;
    GroupOrder groups = {};
};

/// What to generate a kernel's code for, whether or not somebody timed it there.
struct CodeRequest {
    /// Its shape is that of a timing; without one, the code uses the shape that this version takes for the radius.
    TimedMethod method;
    /// The images' format, Vulkan's name without VK_FORMAT_, if it is not one of those that are timed.
    std::string format;
    /// Bytes per texel of the source, if no kernel writes its format; otherwise 0.
    double source_bytes = 0;
    Language language = Language::glsl;
    /// The device's limit, if a workgroup's shape must be found; otherwise what the language promises on every device.
    uint32_t max_invocations = 0;
    /// The device's subgroup size; 0 if not known.
    uint32_t subgroup_size = 0;
    /// The images' size, if the method divides them.
    Size size = {4096, 4096};
};

/// One dispatch of the method.
struct CodePass {
    /// The function that is dispatched.
    std::string entry;
    /// The definition with which to compile the text; empty: none.
    std::string definition;
    uint32_t invocations = 0;
    /// The formats of the images; empty if the pass has none.
    std::string reads, writes;
    /// The workgroups for images of CodeRequest::size.
    std::array<uint32_t, 3> groups = {1, 1, 1};
};

/// The work that a method does for its results, derived from its code: caches and compilers are not considered.
struct MethodWork {
    /// Texels fetched in all passes, per texel of the result (or of the source, if the result is not an image, or is
    /// levels of it). A texel that an invocation fetches twice in a row counts once: compilers merge these fetches.
    double fetches = 0;
    /// Bytes read and written per texel, if each pass moves each texel of its images once.
    double bytes = 0;
    /// How often an invocation waits for its workgroup, in all passes.
    uint32_t barriers = 0;
    /// Texels that a workgroup produces, or consumes; for two passes, those of the second pass.
    Size box = {};
};

struct MethodCode {
    std::string text;
    std::vector<CodePass> passes;
    /// The method that was generated, as in Job::method.
    std::string method;
    /// Lines that say how it differs from the requested method, and why.
    std::string departures;
    MethodWork work = {};
};

/// Generates the code. The `comment` goes above it, before the text about its bindings, push constants and workgroups.
/// If the language, or a device that nobody timed, cannot have the method, the code is of the next exact method that it
/// can have. Throws Error for a workgroup that this program does not create, and for what the language cannot express;
/// UsageError for a format that the language does not write.
MethodCode method_code(const CodeRequest& request, const std::string& comment);

/// The code of a timing, in GLSL, without substituting another method. Throws Error for a method whose code is not
/// given (those that draw, and the slower ones of average and brightest), and for one in an unknown order.
std::string method_code(const TimedMethod& timed, const std::string& comment);

}  // namespace tilewise::kernels
