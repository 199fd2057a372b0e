// What a kernel's code is made of, before it is text: passes, workgroups, and what the host must know. Each kernel has
// a file of its own beside this one.
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
    /// A workgroup of each pass has so many.
    uint32_t invocations = 0;
    /// Its formats, by the pass; none where buffers are written.
    std::vector<std::string> writes = {};
    /// They are as in whole_text().
    std::map<std::string, std::string> instead = {};
    Sampling sampling = Sampling::exact;
    /// The first of two passes writes an image that the second one reads.
    bool has_intermediate = true;
    /// What CUDA's kernels take, by the pass, where that is not images and push constants.
    std::vector<std::string> arguments = {};
    /// The source is seen as words of 32 bits.
    bool of_words = false;
    /// The push constants after width and height, as "NAME = VALUE".
    std::vector<std::string> fields = {};
    /// The comment has this function in C.
    std::string host = {};
    /// In place of what the comment says of images.
    std::string about = {};
    Groups groups = {};
    /// Without its bytes.
    MethodWork work = {};
};

/// Another exact method in place of one that cannot be had.
struct Chosen {
    Code code;
    std::string method, departures;
};

/// `may_depart`: another method may take the place of one that cannot be had. Each throws as method_code() does.
Chosen average_code(const CodeRequest& request, bool may_depart);
Chosen bloom_code(const CodeRequest& request, bool may_depart);
Chosen box_code(const CodeRequest& request, bool may_depart);
Chosen brightest_code(const CodeRequest& request, bool may_depart);
Chosen filter_code(const CodeRequest& request, bool may_depart);
Chosen histogram_code(const CodeRequest& request, bool may_depart);
Chosen mip_chain_code(const CodeRequest& request, bool may_depart);

/// Returns what to throw for a timing whose code is not given.
Error not_given(const TimedMethod& timed);

/// Throws Error where it is not known.
Remap order_of(const TimedMethod& timed);
/// Returns order.glsl of one order: numbers in place of specialization constants.
std::string order_text(const TimedMethod& timed, const Remap& remap, uint32_t invocations);
/// Gives the code the order of the timing, and as many invocations as that has.
void take_order(Code& code, const TimedMethod& timed);

/// Returns the name of the images' format.
const char* format_name(const CodeRequest& request);
/// Returns the format of the image between two passes: two roundings to the images' own would be too many.
std::string scratch_name(const CodeRequest& request);
/// Returns the bytes of a texel of that format.
double texel_bytes(const std::string& format);
/// Returns the bytes of a texel of the source.
double source_bytes(const CodeRequest& request);

/// Levels of half the size each have so many texels for each of the first one's, in all: 1 + 1/4 + 1/16 + ..
inline constexpr double texels_of_levels = 4.0 / 3;

/// Returns what every device has that runs the language, or this one has.
WorkgroupLimits limits_of(const CodeRequest& request);
bool fits(const WorkgroupLimits& limits, uint32_t invocations, uint64_t shared_bytes);
bool is_timed(const TimedMethod& method);
/// Returns an order that every such device can run.
Remap order_that_fits(const CodeRequest& request);
/// Gives the request that order where the timing's has more invocations than the language promises; then returns a line
/// that says so. GLSL has it as it was timed, for the device where it was.
std::string take_order_that_fits(CodeRequest& request);

/// Returns the workgroups of boxes that lie side by side, in each pass.
Groups groups_of(Size shape);
/// Returns those that are dispatched in the order of the timing.
Groups ordered_groups(const TimedMethod& timed);
/// Returns as many workgroups as there are steps over the image, but no more than those that then stride over it.
Groups striding_groups(Size step, uint32_t most);

}  // namespace tilewise::kernels
