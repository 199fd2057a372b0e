// How to run a kernel on a GPU: which method, workgroup and order; what they gain; and how that is known.
#pragma once
#include "kernels/code/method_code.h"
#include "patterns/remap/workgroup.h"
#include "tools/answers/advice/measured.h"

namespace tilewise {

enum class AdviceSource { measured, measured_elsewhere, predicted, unknown };

/// The measurement of one way to run the kernel, and what that way gains.
struct TimedWay {
    /// For a result of tune, only the members that both kinds of fact have are set.
    db::ValidationFact fact;
    /// How many times as fast it is as these orders in 16x16, over images of the measured extent.
    std::optional<kernels::Estimate> over_row, over_morton;
    /// Set if tune found the way.
    std::optional<db::TuningFact> tuned = {};
    db::DriverFact driver = {};
    TimeScale scale = {};  ///< to the radius and extent that are asked for
};

/// How near the device of a timing is to the one that is asked about; the nearest first.
enum class Evidence { this_device, this_chip, same_tile_and_architecture, same_tile, any_device };

/// The lowest and the highest of several timing ratios, and what was timed.
struct TimedRange {
    double low = 0, high = 0;                                     ///< 0 before the first
    std::array<uint32_t, 2> radii = {0, 0};                       ///< the smallest and the largest
    std::array<uint32_t, 2> smallest = {1, 1}, largest = {1, 1};  ///< extents, by their texels
    std::vector<std::string> devices;

    void widen(double ratio, uint32_t radius, const std::array<uint32_t, 2>& extent);
};

/// The exact methods of one family, represented by the fastest of them where they were timed.
struct RankedFamily {
    std::string family;
    TimedWay way;
    double times_as_long = 1;  ///< compared with the first family of the ranking, on the same device
    /// How many times as fast it is as row order in 16x16: of the same method, or of `direct` if the method has no
    /// order. None if that was not timed.
    std::optional<TimedRange> over_row = {};
    std::optional<kernels::MethodWork> work = {};  ///< of its code; none if no code is given
};

/// The families of a kernel's methods, the fastest first, from timings of one device.
struct FamilyRanking {
    Evidence evidence = Evidence::this_device;
    KernelQuestion timed;  ///< the kernel and format that were timed: those of the question, or the most similar ones
    db::DeviceFact device;
    std::string reason;  ///< why the ranking should hold on the device that is asked about; one line
    std::vector<RankedFamily> families;
};

/// The method that the given code uses if nobody timed the kernel on the device.
struct GivenMethod {
    std::string method;  ///< of the GLSL code
    kernels::MethodWork work;
    std::string departures;  ///< how the code departs from the first method of the ranking; lines
};

struct Advice {
    KernelQuestion question;
    AdviceSource source = AdviceSource::unknown;
    std::string device;  ///< the measured one, or the one whose pattern predicts; else the one that was asked for
    std::string driver;
    std::string pattern;                ///< id; empty if none is known
    std::vector<std::string> assumed;   ///< one line each
    db::DeviceFact measured_device;     ///< measured: the device
    std::optional<TimedWay> way;        ///< measured: the fastest of all
    std::optional<TimedWay> direct;     ///< measured: the fastest way in which each invocation reads its own texels
    std::optional<TimedWay> rounded;    ///< measured, and faster than `way`; but its results are rounded differently
    std::optional<Derivation> derived;  ///< predicted
    /// The order of `direct` or `derived`; row order in 16x16 if images are linear; none: unknown.
    std::optional<Remap> remap;
    GroupOrder groups = {};  ///< of `direct`
    bool is_linear = false;  ///< predicted: row order is memory order
    std::string why_unknown;
    uint32_t subgroup_size = 0;  ///< 0: not known
    FamilyRanking ranking;
    std::optional<GivenMethod> given;  ///< set if `way` is not, and the kernel has code
    /// The measurements that a prediction rests on, if its order is not the pattern's own.
    std::string rests_on;
};

/// Whether no order touches fewer segments than row order, or all touch the same number.
bool orders_gain_nothing(const Derivation& derivation);

/// The cost of the order with that name; null if that order is not compared.
const OrderCost* cost_of(const Derivation& derivation, std::string_view name);

/// Whether no order is faster than row order in 16x16; if predicted: whether row, Morton and memory order touch the
/// same number of segments of 32, 64 and 128 bytes, or no order touches fewer than row order.
bool gains_nothing(const Advice& advice);

/// Whether Morton order in 16x16 is as fast as the advised order, or is predicted to touch as few segments as memory
/// order.
bool is_morton_enough(const Advice& advice);

/// If nobody timed the kernel: sets the advice to the order that follows from the pattern.
void take_prediction(Advice& advice, const Pattern& pattern, const KnownDevice& device);

/// Whether an access is asked about in place of a kernel.
bool is_access_alone(const KernelQuestion& question);

/// The command that settles the question on the device where it is run; none for what no command times: a gather, a
/// copy, a radius that no method has, a format that no kernel writes.
std::optional<std::string> measure_command(const KernelQuestion& question);

}  // namespace tilewise
