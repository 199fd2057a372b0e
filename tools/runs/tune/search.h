// The search for the fastest order of one kernel on a device: very many candidates, timed in rounds that keep the
// better ones.
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
    size_t in_group_orders = 10;  ///< of the first round's best, so many also with their workgroups in other orders
};

struct OrderCandidate {
    size_t method = 0;  ///< of Search::methods
    kernels::Order order;
};

/// Who is told how far a search is, and what its result must not be read without. Members that are empty are not
/// called.
struct SearchListener {
    /// Pipelines that were created, of all candidates.
    Advance pipelines = {};
    /// Rounds that are done, and what the one that runs is at: "round 2: timing 40%".
    std::function<void(size_t rounds, const std::string& at)> round = {};
    /// What was assumed.
    std::function<void(const std::string& line)> warning = {};
    /// What could not be found out, and changes no result.
    std::function<void(const std::string& line)> note = {};
};

/// One round of successive halving: the candidates that are left, and what came of timing them.
struct Round {
    std::vector<size_t> candidates;
    kernels::Measurements measured;
};

/// What all others of a method are compared with, and so is in each round. One candidate may be several of them; none
/// where the device cannot run it, or too few candidates are wanted.
struct Anchors {
    size_t derived = 0;
    std::optional<size_t> row, morton;  ///< in 16x16, or of the squares of 8x8 that the method has
};

/// Successive halving (Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013; Jamieson
/// and Talwalkar, "Non-stochastic Best Arm Identification", 2016): each round times fewer candidates, and each of them
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
        {};  ///< of the candidates after the first round, where the driver tells them
    std::vector<std::pair<size_t, std::string>> wrong = {};
};

/// Fills in the methods and the candidates of the first round, makes their jobs on all cores, and checks one of each
/// method: throws Error where it is wrong, so that not all of them are compared with the reference in vain.
void prepare(Search& search);

/// All candidates a few times; the best of those longer, the best few of them also with their workgroups in other
/// orders; the best of these until the intervals are small. Each order by name comes to the end in its best shape, so
/// that what the order is worth can be told from what the shape is.
void run_rounds(Search& search);

/// By Ctrl-C, or because the device failed.
bool ended_early(const Search& search);

}  // namespace tilewise
