// A method as code that anyone can compile and dispatch: in GLSL as it is timed, in other languages translated from that.
#pragma once
#include "kernels/box/box.h"
#include "kernels/job.h"
#include "kernels/separable/filter.h"
#include "kernels/separable/filter_method.h"
#include "patterns/snippet/snippet.h"
#include <optional>
#include <variant>

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

/// What a kernel's code is for, whether or not somebody timed it there.
struct CodeRequest {
    /// Its shape is that of a timing, or none: then the code has one that this version takes for the radius.
    TimedMethod method;
    /// Of the images, Vulkan's name without VK_FORMAT_, where it is none of those that are timed.
    std::string format;
    /// Bytes of a texel of the source, where the format is one that no kernel writes; else 0.
    double source_bytes = 0;
    Language language = Language::glsl;
    /// The device's, where a workgroup's shape is to be found; else what the language promises on every device.
    uint32_t max_invocations = 0;
    /// The device's; 0 where it is not known.
    uint32_t subgroup_size = 0;
    /// Of the images, where the method divides them.
    Size size = {4096, 4096};
};

/// One dispatch of it.
struct CodePass {
    /// The function that is dispatched.
    std::string entry;
    /// The text is compiled with this definition; empty: with none.
    std::string definition;
    uint32_t invocations = 0;
    /// The formats of the images; empty where it has none.
    std::string reads, writes;
    /// Workgroups over images of CodeRequest::size.
    std::array<uint32_t, 3> groups = {1, 1, 1};
};

/// What a method does for its results, as its code says: neither caches nor compilers are asked.
struct MethodWork {
    /// For each texel of the result (or of the source, where the result is no image or levels of it) so many texels are
    /// fetched, in all passes. One that an invocation fetches twice in a row counts once: compilers merge these.
    double fetches = 0;
    /// For each texel so many bytes are read and written, where each pass moves each texel of its images once.
    double bytes = 0;
    /// An invocation waits for its workgroup so often, in all passes.
    uint32_t barriers = 0;
    /// A workgroup gives, or takes in, so many texels; of two passes it is the second one's.
    Size box = {};
};

struct MethodCode {
    std::string text;
    std::vector<CodePass> passes;
    /// The method that it is, as in Job::method.
    std::string method;
    /// In what it is another one than was asked for, and why; lines.
    std::string departures;
    MethodWork work = {};
};

/// `comment`: above it, before what the text says of its bindings, push constants and workgroups. Where the language,
/// or a device that nobody timed, cannot have the method, the code is of the next exact one that it can have. Throws
/// Error for a workgroup that this program does not make, and for what the language has no words for; UsageError for a
/// format that the language does not write.
MethodCode method_code(const CodeRequest& request, const std::string& comment);

/// That of a timing, in GLSL, without another in its place. Throws Error for a method whose code is not given (those
/// that draw, and the slower ones of average and brightest), and for one in an order that is not known.
std::string method_code(const TimedMethod& timed, const std::string& comment);

}  // namespace tilewise::kernels
