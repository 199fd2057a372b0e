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
    size_t candidates = 24;
    double seconds = 10, timeout_seconds = 10;
    ReadFile read_file;
};

struct TryPlan {
    CandidateSet set;
    kernels::ShaderGrid grid;
    Trial trial;
    /// Why not; empty: it is checked at an odd size, too.
    std::string why_no_odd_size;
};

/// Of the images of the varied pass, each format once. Nothing is probed.
std::vector<ImagePattern> image_patterns(const db::Database& database, const probe::DeviceInfo& device,
                                         const TryRequest& request);

/// Makes the scenes and rewrites the shader. Throws Error, UsageError.
TryPlan plan_trial(const TryRequest& request, const probe::DeviceInfo& device,
                   const std::vector<ImagePattern>& patterns);

struct TryVerdict {
    /// By its place among the candidates; 0: leave it as it is.
    size_t best = 0;
    /// One line.
    std::string verdict, reason;
};
TryVerdict verdict_of(const TryPlan& plan, const TrialResult& result, const std::vector<ImagePattern>& patterns);

}  // namespace tilewise
