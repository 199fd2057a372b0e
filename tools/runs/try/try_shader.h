// A stranger's shader in all that is legal: what is tried, how it went, what to change.
#pragma once
#include "db/sqlite/database.h"
#include "probe/device_info.h"
#include "tools/runs/try/candidates.h"
#include "tools/runs/try/scene_text.h"
#include "tools/runs/try/trial.h"

namespace tilewise {

struct TryRequest {
    /// Whole: fill_in() has seen it.
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
    /// In each scene.
    std::vector<kernels::ShaderGrid> grids = {};
    Trial trial = {};
    /// What was tried or could not be, so that it is not tried again.
    std::vector<kernels::ShaderVariant> seen = {};
    /// Everything that is legal is among it.
    bool has_all = false;
    /// Why not; empty: it is checked at an odd size, too.
    std::string why_no_odd_size = {};
};

/// Of the images of the varied pass, each format once. Nothing is probed.
std::vector<ImagePattern> image_patterns(const db::Database& database, const probe::DeviceInfo& device,
                                         const TryRequest& request);

/// Makes the scenes, and the first variants, by rewriting the shader. `request` must outlive the plan.
/// Throws Error, UsageError.
TryPlan plan_trial(const TryRequest& request, const probe::DeviceInfo& device,
                   const std::vector<ImagePattern>& patterns);
/// The variants to try next, as MoreVariants; the plan's trial is to get them.
std::vector<TrialVariant> next_variants(TryPlan& plan, const TryRequest& request,
                                        const std::vector<double>& over_original);

struct TryVerdict {
    /// By its place among the candidates; 0: leave it as it is.
    size_t best = 0;
    /// One line.
    std::string verdict, reason;
};
TryVerdict verdict_of(const TryPlan& plan, const TrialResult& result, const std::vector<ImagePattern>& patterns);

}  // namespace tilewise
