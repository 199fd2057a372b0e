#include "tools/cli/texts/assumptions.h"
#include "tools/cli/terminal/print.h"
#include <fmt/format.h>

namespace tilewise {

void tell_assumed(const std::string& line) { print_warning(fmt::format("Assumed: {}.", line)); }

void tell_gpu(const Scope& asked) {
    if (asked.gpu && !asked.gpu->assumed.empty()) tell_assumed(asked.gpu->assumed);
    if (const std::string said = said_of(asked); !said.empty()) print_note(said + ".");
}

void tell_assumptions(const FoundImage& found) {
    if (!found.said.empty()) print_note(found.said + ".");
    for (const std::string& line : found.assumed) tell_assumed(line);
}

}  // namespace tilewise
