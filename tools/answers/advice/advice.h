// How to run a kernel on a GPU: which method, workgroup and order, what they gain, and how that is known.
#pragma once
#include "kernels/code/method_code.h"
#include "patterns/remap/workgroup.h"
#include "tools/answers/advice/measured.h"

namespace tilewise {

enum class AdviceSource { measured, measured_elsewhere, predicted, unknown };

/// What was measured of one way to run the kernel, and what it gains.
struct TimedWay {
    /// Of a result of tune it has what both have.
    db::ValidationFact fact;
    /// It is so many times as fast as these orders in 16x16, over images of the extent that was measured.
    std::optional<kernels::Estimate> over_row, over_morton;
    /// It is there where tune found the way.
    std::optional<db::TuningFact> tuned = {};
    db::DriverFact driver = {};
    TimeScale scale = {};  ///< to the radius and extent that are asked for
};

/// How near the device of a timing is to the one that is asked about, the nearest first.
enum class Evidence { this_device, this_chip, same_tile_and_architecture, same_tile, any_device };

/// The least and the most of several timings, and what these were of.
struct TimedRange {
    double low = 0, high = 0;                                     ///< 0 before the first
    std::array<uint32_t, 2> radii = {0, 0};                       ///< the least and the most
    std::array<uint32_t, 2> smallest = {1, 1}, largest = {1, 1};  ///< extents, by their texels
    std::vector<std::string> devices;

    void widen(double ratio, uint32_t radius, const std::array<uint32_t, 2>& extent);
};

/// The exact methods of one family, by the fastest of them where they were timed.
struct RankedFamily {
    std::string family;
    TimedWay way;
    double times_as_long = 1;  ///< as the first family of the ranking, there
    /// So many times as fast as row order in 16x16: of the same method, or of `direct` where it has no order. None where
    /// that was not timed.
    std::optional<TimedRange> over_row = {};
    std::optional<kernels::MethodWork> work = {};  ///< of its code; none where no code is given
};

/// The families of a kernel's methods, the fastest first, by timings of one device.
struct FamilyRanking {
    Evidence evidence = Evidence::this_device;
    KernelQuestion timed;  ///< the kernel and format that were timed: those of the question, or the most like them
    db::DeviceFact device;
    std::string reason;  ///< why it should hold on the device that is asked about; one line
    std::vector<RankedFamily> families;
};

/// What the code is where nobody timed the kernel on the device.
struct GivenMethod {
    std::string method;  ///< of the code in GLSL
    kernels::MethodWork work;
    std::string departures;  ///< from the first of the ranking; lines
};

struct Advice {
    KernelQuestion question;
    AdviceSource source = AdviceSource::unknown;
    std::string device;  ///< the one that was measured, or whose pattern predicts; else the one that was asked for
    std::string driver;
    std::string pattern;                ///< id; empty where none is known
    std::vector<std::string> assumed;   ///< one line each
    db::DeviceFact measured_device;     ///< measured: on which
    std::optional<TimedWay> way;        ///< measured: the fastest of all
    std::optional<TimedWay> direct;     ///< measured: the fastest where each invocation reads its own texels
    std::optional<TimedWay> rounded;    ///< measured, and faster than `way`: its results are rounded otherwise
    std::optional<Derivation> derived;  ///< predicted
    /// The one of `direct` or `derived`; row order in 16x16 where images are linear; none: unknown.
    std::optional<Remap> remap;
    GroupOrder groups = {};  ///< of `direct`
    bool is_linear = false;  ///< predicted: rows are memory order
    std::string why_unknown;
    uint32_t subgroup_size = 0;  ///< 0: not known
    FamilyRanking ranking;
    std::optional<GivenMethod> given;  ///< there where `way` is not, and the kernel has code
    /// The measurements that a prediction rests on, where it is another order than the pattern's.
    std::string rests_on;
};

/// No order touches fewer segments than row order, or all touch as many.
bool orders_gain_nothing(const Derivation& derivation);

/// What the order of that name touches; null where it is not compared.
const OrderCost* cost_of(const Derivation& derivation, std::string_view name);

/// No order is faster than row order in 16x16; predicted: row, Morton and memory order touch as many segments of 32, 64
/// and 128 bytes, or no order touches fewer than row order.
bool gains_nothing(const Advice& advice);

/// Morton order in 16x16 is as fast as the advised order, or is predicted to touch as few segments as memory order.
bool is_morton_enough(const Advice& advice);

/// The order by a pattern, where nobody timed the kernel: what the advice then holds of it.
void take_prediction(Advice& advice, const Pattern& pattern, const KnownDevice& device);

/// An access is asked about in place of a kernel.
bool is_access_alone(const KernelQuestion& question);

/// The command that settles the question on the device where it is run; none for what no command times: a gather, a
/// copy, a radius that no method has, a format that no kernel writes.
std::optional<std::string> measure_command(const KernelQuestion& question);

}  // namespace tilewise
