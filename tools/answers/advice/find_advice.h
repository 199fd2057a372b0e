// What the database advises for a kernel on the GPU that is asked about.
#pragma once
#include "tools/answers/advice/advice.h"
#include "tools/answers/gpu/gpu.h"

namespace tilewise {

/// By what was measured on the GPU; else on others with its chip; else by the pattern of its images, as they are asked
/// about, with the methods ranked by timings elsewhere. A GPU must be said. `assume`: as ImageQuestion::assume.
Advice find_advice(const db::Database& database, const Scope& asked, const Question& about,
                   const KernelQuestion& question, bool assume = false);

}  // namespace tilewise
