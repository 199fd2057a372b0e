// Figures about how a device runs kernels, each measured separately; they decide which workgroup is fast.
#pragma once
#include "kernels/image/pool.h"
#include "kernels/measure/measure.h"
#include <string>
#include <vector>

namespace tilewise::kernels {

/// docs/lanes.md says what each figure is and how it is measured.
struct Figure {
    /// As in docs/lanes.md, with its unit.
    std::string name;
    /// The format of the texels; empty if it does not matter.
    std::string format;
    Estimate value;
};

struct Figures {
    struct Failure {
        /// One name or several.
        std::string what;
        /// One line.
        std::string reason;
    };
    std::vector<Figure> known;
    std::vector<Failure> failures;
};

/// The amount of work in the longer of two runs; the difference between the two counts.
struct FigureLoad {
    uint32_t groups = 1U << 18;
    uint32_t fetching_groups = 1U << 14;
    /// More workgroups than run at once.
    uint32_t counting_groups = 1U << 14;
    /// Steps of each counted workgroup, divided by the number of values that it keeps.
    uint32_t counting_steps = 1U << 15;
    /// Whether chains of loads are timed, too; not useful on a CPU, which prefetches and has other work.
    bool chains = true;
};
constexpr FigureLoad load_of_gpus, load_of_cpus = {1U << 13, 1U << 5, 1U << 9, 1U << 12, false};

/// Throws Error if the queue has no timestamps, RunFailed if the device is lost or hangs. `limits` apply to each of the
/// timed runs.
Figures measure_figures(ImagePool& images, const FigureLoad& load, const Limits& limits);

/// Nanoseconds per load of a chain, by the bytes that the chain covers, in rising order.
struct ChainTime {
    uint32_t bytes = 0;
    double ns = 0;
};
/// The most bytes up to which a load takes at most a quarter longer than in the smallest chain; none if every load
/// does, since then no step is visible.
std::optional<uint32_t> bytes_before_step(const std::vector<ChainTime>& by_bytes);

/// The number that an invocation of residents.comp leaves behind after it kept `kept` values and went `steps` steps
/// along the chain.
uint32_t left_of(const std::vector<uint32_t>& next, uint32_t kept, uint32_t steps);

}  // namespace tilewise::kernels
