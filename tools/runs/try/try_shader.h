// Tries all legal variants of a stranger's shader: what is tried, the results, and what to change.
#pragma once
#include "db/sqlite/database.h"
#include "probe/device_info.h"
#include "tools/runs/try/candidates.h"
#include "tools/runs/try/make_scene.h"
#include "tools/runs/try/scene_text.h"
#include "tools/runs/try/trial.h"

namespace tilewise {

struct TryRequest {
    /// Complete: fill_in() was called on it.
    SceneText scene;
    std::vector<TriedShader> shaders;
    size_t candidates = default_candidates;
    double seconds = 10, timeout_seconds = 10;
    ReadFile read_file;
};

struct TryPlan {
    CandidateSearch search;
    /// One for each variant of the trial; the first is the shader as it is.
    std::vector<ShaderCandidate> candidates = {};
    /// What cannot be tried, and what forbids it; lines.
    std::vector<std::string> forbidden = {};
    /// One for each scene.
    std::vector<kernels::ShaderGrid> grids = {};
    Trial trial = {};
    /// What was tried or cannot be, so that it is not tried again.
    std::vector<kernels::ShaderVariant> seen = {};
    /// Whether the candidates include everything that is legal.
    bool has_all = false;
    /// Why it is not checked at an odd size; empty: it is.
    std::string why_no_odd_size = {};
};

/// The patterns of the varied pass's images, one for each format. Nothing is probed.
std::vector<ImagePattern> image_patterns(const db::Database& database, const probe::DeviceInfo& device,
                                         const TryRequest& request);

/// Makes the scenes, and the first variants by rewriting the shader. `request` must outlive the plan. Throws Error and
/// UsageError.
TryPlan plan_trial(const TryRequest& request, const probe::DeviceInfo& device,
                   const std::vector<ImagePattern>& patterns);
/// The variants to try next, for MoreVariants; the caller adds them to the plan's trial.
std::vector<TrialVariant> next_variants(TryPlan& plan, const TryRequest& request,
                                        const std::vector<double>& over_original);

struct TryVerdict {
    /// Its index in the candidates; 0: leave the shader as it is.
    size_t best = 0;
    /// One line.
    std::string verdict, reason;
};
TryVerdict verdict_of(const TryPlan& plan, const TrialResult& result, const std::vector<ImagePattern>& patterns);

}  // namespace tilewise
