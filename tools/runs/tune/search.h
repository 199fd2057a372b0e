// Searches for the fastest order of one kernel on a device: very many candidates, timed in rounds that keep the better
// ones.
#pragma once
#include "kernels/kernel_list.h"
#include "kernels/measure/measure.h"
#include "kernels/remap_candidates.h"
#include "patterns/model/advance.h"
#include "tools/runs/validate/workbench.h"
#include <functional>
#include <map>
#include <string>

namespace tilewise {

struct SearchRequest {
    KernelCell cell;
    CandidateRequest candidates;  ///< of all methods together
    double seconds = 120;         ///< of timing
    size_t in_group_orders = 10;  ///< this many of the first round's best are also timed in other group orders
};

struct OrderCandidate {
    size_t method = 0;  ///< an index into Search::methods
    kernels::Order order;
};

/// Receives the progress of a search, and remarks that a reader of its result must know. Empty members are not called.
struct SearchListener {
    /// Pipelines created, out of those for all candidates.
    Advance pipelines = {};
    /// The number of finished rounds, and what the current one is doing: "round 2: timing 40%".
    std::function<void(size_t rounds, const std::string& at)> round = {};
    /// An assumption that was made.
    std::function<void(const std::string& line)> warning = {};
    /// Something that could not be found out, without effect on the result.
    std::function<void(const std::string& line)> note = {};
};

/// One round of successive halving: the remaining candidates, and their timings.
struct Round {
    std::vector<size_t> candidates;
    kernels::Measurements measured;
};

/// The candidates that all others of a method are compared with; they are timed in every round. One candidate may play
/// several of these parts; none if the device cannot run it, or if too few candidates are wanted.
struct Anchors {
    size_t derived = 0;
    std::optional<size_t> row, morton;  ///< in 16x16, or in the 8x8 squares of the method
};

/// Successive halving (Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013; Jamieson
/// and Talwalkar, "Non-stochastic Best Arm Identification", 2016): each round times fewer candidates, each of them for
/// longer.
struct Search {
    SearchRequest request;
    Workbench& bench;
    kernels::ImagePool& images;
    LearnedPattern learned;
    SearchListener listener = {};
    kernels::References references = std::make_shared<kernels::ReferenceCache>();
    std::vector<OrderedMethod> methods = {};
    std::vector<Anchors> anchors = {};  ///< by method
    std::vector<OrderCandidate> candidates = {};
    std::vector<kernels::Job> jobs = {};
    std::vector<Round> rounds = {};
    std::map<size_t, uint32_t> registers =
        {};  ///< of the candidates that are left after the first round, if the driver reports registers
    std::vector<std::pair<size_t, std::string>> wrong = {};
};

/// Sets up the methods and the candidates of the first round, makes their jobs on all cores, and checks one job of each
/// method: throws Error if it is wrong, so that not all of them are compared with the reference in vain.
void prepare(Search& search);

/// Times all candidates a few times; then the best of these longer, the best few also with their workgroups in other
/// orders; then the best of those until the intervals are small. Each order with a name stays to the end in its best
/// shape, so that the effect of the order can be told from that of the shape.
void run_rounds(Search& search);

/// Whether the search was ended by Ctrl-C, or by a failure of the device.
bool ended_early(const Search& search);

}  // namespace tilewise
