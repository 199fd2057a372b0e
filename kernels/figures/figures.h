// Figures of how a device runs kernels, each measured on its own: what decides which workgroup is fast.
#pragma once
#include "kernels/image/pool.h"
#include "kernels/measure/measure.h"
#include <string>
#include <vector>

namespace tilewise::kernels {

/// docs/lanes.md says what each of them is and how it is measured.
struct Figure {
    /// It is that of docs/lanes.md, with its unit.
    std::string name;
    /// The texels have it; empty where they do not matter.
    std::string format;
    Estimate value;
};

struct Figures {
    struct Failure {
        /// It is a name, or several.
        std::string what;
        /// It is one line.
        std::string reason;
    };
    std::vector<Figure> known;
    std::vector<Failure> failures;
};

/// How much work there is in the longer of two runs, whose difference counts.
struct FigureLoad {
    uint32_t groups = 1U << 18;
    uint32_t fetching_groups = 1U << 14;
    /// These are more than run at once.
    uint32_t counting_groups = 1U << 14;
    /// Each group that is counted takes so many, divided by the values that it keeps.
    uint32_t counting_steps = 1U << 15;
    /// Chains of loads are timed, too, but not on a CPU, which asks its cache ahead of time, and has other work.
    bool chains = true;
};
constexpr FigureLoad load_of_gpus, load_of_cpus = {1U << 13, 1U << 5, 1U << 9, 1U << 12, false};

/// Throws Error where the queue has no timestamps, RunFailed where the device is lost or hangs. `limits` are those of
/// each of the runs that are timed.
Figures measure_figures(ImagePool& images, const FigureLoad& load, const Limits& limits);

/// Nanoseconds of one load of a chain, by the bytes that the chain goes through, rising.
struct ChainTime {
    uint32_t bytes = 0;
    double ns = 0;
};
/// The most bytes up to which a load takes no more than a quarter longer than in the smallest; none where no load does,
/// as no step can be seen then.
std::optional<uint32_t> bytes_before_step(const std::vector<ChainTime>& by_bytes);

/// An invocation of residents.comp leaves this number behind after it kept `kept` values and went `steps` steps along
/// the chain.
uint32_t left_of(const std::vector<uint32_t>& next, uint32_t kept, uint32_t steps);

}  // namespace tilewise::kernels
