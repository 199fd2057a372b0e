// What the database advises for a kernel on the GPU that is asked about.
#pragma once
#include "tools/answers/advice/advice.h"
#include "tools/answers/gpu/gpu.h"

namespace tilewise {

/// The advice from what was measured on the GPU; else on others with its chip; else from the pattern of the images that
/// `about` describes, with the methods ranked by timings elsewhere. The question must name a GPU. `assume`: as
/// ImageQuestion::assume.
Advice find_advice(const db::Database& database, const Scope& asked, const Question& about,
                   const KernelQuestion& question, bool assume = false);

}  // namespace tilewise
