// The code of a kernel as advised: the advised method as a whole; or a loop for the reader's own code.
#pragma once
#include "kernels/code/method_code.h"
#include "tools/answers/advice/ranking.h"

namespace tilewise {

/// Which line of the advice the code is for; `best`: the one to use, whoever timed it.
enum class AdviceLine { best, use, rounded, direct };

struct AdvisedCodeQuestion {
    Language language = Language::glsl;
    AdviceLine line = AdviceLine::best;
    /// For a kernel that is a separable filter.
    std::optional<kernels::FilterText> filter = {};
    /// Lines above the code, before the code's own comments.
    std::string provenance = {};
};

/// If nobody timed the kernel on the advice's device, `best` is the first family of the ranking, and the code says so.
/// Throws Error for a line that the advice does not have, and the errors of method_code().
kernels::MethodCode advised_code(const db::Database& database, const Advice& advice,
                                 const AdvisedCodeQuestion& question);

/// The method in which each invocation reads its own texels, in an order that the user chose. Throws Error for a kernel
/// without such a method.
kernels::MethodCode direct_code(const Advice& advice, const Remap& order, const GroupOrder& groups,
                                const AdvisedCodeQuestion& question);

/// A loop over the texels around each texel, in the advised order. `body`: the reader's own statements, in the given
/// language, in place of the mean. Throws Error if no order is known.
std::string advised_loop(const Advice& advice, Language language, const std::string& provenance,
                         const std::optional<std::string>& body);

/// The passes for the JSON member `passes`.
nlohmann::ordered_json to_json(const std::vector<kernels::CodePass>& passes, bool has_size);

}  // namespace tilewise
