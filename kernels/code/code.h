// The parts of a kernel's code, before it is text: passes, workgroups, and what the host must know. Each kernel has a
// file of its own next to this one.
#pragma once
#include "kernels/box/box.h"
#include "kernels/code/method_code.h"
#include "kernels/separable/filter_method.h"
#include "kernels/shader/compute_pass.h"
#include "kernels/shader/variant.h"
#include "patterns/model/error.h"
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tilewise::kernels {

/// The workgroups that a pass over an image of that size dispatches.
using Groups = std::function<std::array<uint32_t, 3>(size_t pass, Size size)>;

struct Code {
    std::vector<Variant> passes;
    /// Invocations of a workgroup, in each pass.
    uint32_t invocations = 0;
    /// The formats of the written images, by pass; empty if buffers are written.
    std::vector<std::string> writes = {};
    /// Replacements for included texts, as in whole_text().
    std::map<std::string, std::string> instead = {};
    Sampling sampling = Sampling::exact;
    /// The first of two passes writes an image that the second one reads.
    bool has_intermediate = true;
    /// The arguments of CUDA's kernels, by pass, if they are not images and push constants.
    std::vector<std::string> arguments = {};
    /// The source is viewed as words of 32 bits.
    bool of_words = false;
    /// The push constants after width and height, as "NAME = VALUE".
    std::vector<std::string> fields = {};
    /// A C function to show in the comment.
    std::string host = {};
    /// Replaces the comment's text about images.
    std::string about = {};
    Groups groups = {};
    /// All but MethodWork::bytes.
    MethodWork work = {};
};

/// Another exact method, used if the requested one is not available.
struct Chosen {
    Code code;
    std::string method, departures;
};

/// With `may_depart`, another method may replace one that is not available. Each throws as method_code() does.
Chosen average_code(const CodeRequest& request, bool may_depart);
Chosen bloom_code(const CodeRequest& request, bool may_depart);
Chosen box_code(const CodeRequest& request, bool may_depart);
Chosen brightest_code(const CodeRequest& request, bool may_depart);
Chosen filter_code(const CodeRequest& request, bool may_depart);
Chosen histogram_code(const CodeRequest& request, bool may_depart);
Chosen mip_chain_code(const CodeRequest& request, bool may_depart);

/// Returns the error to throw for a timing whose code is not given.
Error not_given(const TimedMethod& timed);

/// Throws Error if the order is not known.
Remap order_of(const TimedMethod& timed);
/// Returns order.glsl for one order, with numbers instead of specialization constants.
std::string order_text(const TimedMethod& timed, const Remap& remap, uint32_t invocations);
/// Gives the code the order of the timing and its number of invocations.
void take_order(Code& code, const TimedMethod& timed);

/// Returns the name of the images' format.
const char* format_name(const CodeRequest& request);
/// Returns the format of the image between two passes: rounding twice to the images' own format would lose too much.
std::string scratch_name(const CodeRequest& request);
/// Returns the bytes of a texel of that format.
double texel_bytes(const std::string& format);
/// Returns the bytes of a texel of the source.
double source_bytes(const CodeRequest& request);

/// The texels of all levels of half the size each, per texel of the first level: 1 + 1/4 + 1/16 + ..
inline constexpr double texels_of_levels = 4.0 / 3;

/// Returns the limits of this device, or those that every device running the language has.
WorkgroupLimits limits_of(const CodeRequest& request);
bool fits(const WorkgroupLimits& limits, uint32_t invocations, uint64_t shared_bytes);
bool is_timed(const TimedMethod& method);
/// Returns an order that every such device can run.
Remap order_that_fits(const CodeRequest& request);
/// Gives the request that order if the timing's order has more invocations than the language promises, and returns a
/// line that says so. GLSL keeps the order that was timed, for the device on which it was timed.
std::string take_order_that_fits(CodeRequest& request);

/// Returns the workgroups for boxes that lie side by side, in each pass.
Groups groups_of(Size shape);
/// Returns the workgroups dispatched in the order of the timing.
Groups ordered_groups(const TimedMethod& timed);
/// Returns as many workgroups as there are steps over the image, but at most `most`, which then stride over it.
Groups striding_groups(Size step, uint32_t most);

}  // namespace tilewise::kernels
