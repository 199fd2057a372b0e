// The code of a kernel by an advice: the method that is advised, whole; else a loop for code of the reader's own.
#pragma once
#include "kernels/code/method_code.h"
#include "tools/answers/advice/ranking.h"

namespace tilewise {

/// Whose code it is: of the line of the advice that is called so; `best`: of the one to use, whoever timed it.
enum class AdviceLine { best, use, rounded, direct };

struct AdvisedCodeQuestion {
    Language language = Language::glsl;
    AdviceLine line = AdviceLine::best;
    /// Of a kernel that is a separable filter.
    std::optional<kernels::FilterText> filter = {};
    /// Lines above the code, before what it says of itself.
    std::string provenance = {};
};

/// Where nobody timed the kernel on the device of the advice, `best` is the first family of the ranking, which the
/// code says. Throws Error for a line that the advice has not, and what method_code()
/// throws.
kernels::MethodCode advised_code(const db::Database& database, const Advice& advice,
                                 const AdvisedCodeQuestion& question);

/// The method in which each invocation reads its own texels, in an order that was chosen by hand. Throws Error for a
/// kernel without such a method.
kernels::MethodCode direct_code(const Advice& advice, const Remap& order, const GroupOrder& groups,
                                const AdvisedCodeQuestion& question);

/// A loop over the texels around each one, in the order that is advised. `body`: statements of the reader's, in the
/// language, in place of the mean. Throws Error where no order is known.
std::string advised_loop(const Advice& advice, Language language, const std::string& provenance,
                         const std::optional<std::string>& body);

/// The member `passes` of JSON.
nlohmann::ordered_json to_json(const std::vector<kernels::CodePass>& passes, bool has_size);

}  // namespace tilewise
