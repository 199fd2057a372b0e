// Which methods of a kernel to take where nobody timed it: by timings elsewhere, the nearest device's first, and by what
// each method does for its results.
#pragma once
#include "tools/answers/advice/advice.h"
#include "tools/answers/gpu/gpu.h"

namespace tilewise {

/// Whose methods are ranked.
struct AskedDevice {
    std::vector<db::DeviceFact> devices;  ///< it; none where others stand in for it
    std::optional<db::Chip> chip;         ///< none where it is not known
};

/// The device of a GPU that was asked for.
AskedDevice asked_device(const db::Database& database, const FoundGpu& gpu);

/// Ranks the families of an advice without a measured way, by the timings of the first of these that there are: of the
/// device itself, of its chip, of a device whose images have the same pattern and which is of its architecture, of one
/// whose images have the same pattern, of any GPU. Where nobody timed the kernel and format, those that are most like
/// them count. Then says which method is given as code.
void rank_elsewhere(Advice& advice, const db::Database& database, const AskedDevice& asked);

/// The same reason, ranges and work, for what was measured on the device, or on another of its chip.
void explain_ranking(Advice& advice, const db::Database& database);

/// The code that an advice is asked for: all but the method, its workgroup and its order.
kernels::CodeRequest code_request(const Advice& advice, Language language,
                                  const std::optional<kernels::FilterText>& filter);

/// The family that is advised where the code is of no timing of this device: the first of the ranking. `request` is then
/// a request for it, in a workgroup that the device has for certain.
void take_first_family(kernels::CodeRequest& request, const Advice& advice);

/// Whether kernels are timed with images of that format.
bool is_timed_format(const std::string& name);

/// The one of those that are timed whose texels are most like the format's, or like those of a view that kernels write.
/// Throws UsageError where kernels write neither.
std::string nearest_timed_format(const std::string& format);

/// The filter that the kernel is, or none; `own` is a user's. `sigma` is that of its weights, 0 for half the radius.
std::optional<kernels::FilterText> filter_of_kernel(const std::string& kernel, std::optional<kernels::FilterText> own,
                                                    double sigma);

/// Takes a box beyond the largest radius of box blurs, where filters still have it, as what it is, a filter of equal
/// weights: sets the kernel to gaussian, and sigma so that all its weights are the same. Returns what that assumes; empty
/// where nothing is changed.
std::string take_box_as_filter(std::string& kernel, uint32_t radius, double& sigma);

}  // namespace tilewise
