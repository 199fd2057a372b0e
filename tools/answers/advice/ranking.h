// Which methods to take for a kernel that nobody timed: ranked by timings elsewhere, the nearest device first, and by
// how much work each method does for its results.
#pragma once
#include "tools/answers/advice/advice.h"
#include "tools/answers/gpu/gpu.h"

namespace tilewise {

/// The device whose methods are ranked.
struct AskedDevice {
    std::vector<db::DeviceFact> devices;  ///< the device itself; none if others stand in for it
    std::optional<db::Chip> chip;         ///< none if it is not known
};

/// The device of the GPU that was asked for.
AskedDevice asked_device(const db::Database& database, const FoundGpu& gpu);

/// Ranks the families of an advice that has no measured way. It uses the timings of the first of these that has any:
/// the device itself; its chip; a device of the same architecture whose images have the same pattern; any device whose
/// images have the same pattern; any GPU. If nobody timed the kernel and format, the most similar ones that were timed
/// count. Then sets the method that is given as code.
void rank_elsewhere(Advice& advice, const db::Database& database, const AskedDevice& asked);

/// Adds the same reason, ranges and work to an advice measured on the device, or on another with its chip.
void explain_ranking(Advice& advice, const db::Database& database);

/// A request for an advice's code, without its method, workgroup and order.
kernels::CodeRequest code_request(const Advice& advice, Language language,
                                  const std::optional<kernels::FilterText>& filter);

/// Requests the family that is advised if the code cannot rest on a timing of this device: the first of the ranking, in
/// a workgroup that the device has for certain.
void take_first_family(kernels::CodeRequest& request, const Advice& advice);

/// Whether kernels are timed with images of that format.
bool is_timed_format(const std::string& name);

/// The timed format whose texels are most like those of the format, or of a view of it that kernels write. Throws
/// UsageError if kernels write neither.
std::string nearest_timed_format(const std::string& format);

/// The filter that the kernel uses, or none; `own` is a user's filter. `sigma` is for its weights, 0 for half the
/// radius.
std::optional<kernels::FilterText> filter_of_kernel(const std::string& kernel, std::optional<kernels::FilterText> own,
                                                    double sigma);

/// Treats a box beyond the largest radius of box blurs, but not of filters, as a filter of equal weights: sets the
/// kernel to gaussian, and sigma so that all weights are the same. Returns what that assumes; empty if nothing was
/// changed.
std::string take_box_as_filter(std::string& kernel, uint32_t radius, double& sigma);

}  // namespace tilewise
