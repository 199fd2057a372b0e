#include "kernels/translate/translate.h"
#include "kernels/translate/print.h"
#include "patterns/snippet/print.h"
#include <fmt/format.h>

namespace tilewise::kernels {

using Section = Declarations::Section;

std::string translated(std::span<const ShaderPass> passes, Language language, const std::string& name_space) {
    Declarations all;
    for (const ShaderPass& pass : passes) {
        const SpirvModule module = read_spirv(pass.spirv);
        print_pass(pass, module, structured_functions(module), language, all);
    }
    std::string text = all.text(Section::before) + print_preamble(language);
    if (language == Language::cuda) text += fmt::format("namespace {} {{\n\n", name_space);
    const auto add = [&](Section section) {
        const std::string part = all.text(section);
        text += part;
        if (!part.empty() && !part.ends_with("\n\n")) text += "\n";
    };
    // Vector operators come before structs of vectors, constants before the functions that use them.
    for (const Section section : {Section::vectors, Section::types, Section::constants, Section::resources,
                                  Section::helpers, Section::functions})
        add(section);
    while (text.ends_with("\n\n")) text.pop_back();
    if (language == Language::cuda) text += fmt::format("\n}}  // namespace {}\n", name_space);
    return text;
}

}  // namespace tilewise::kernels
