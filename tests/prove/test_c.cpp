// Emitted C with pdep and pext, compiled by gcc and run.
#include "tests/prove/native.h"
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::prove;

namespace {

std::string vector(const std::vector<std::string>& values, bool wide) {
    return fmt::format("(Tilewise{}{}){{{}}}", wide ? "Ulong" : "Uint", values.size(), fmt::join(values, ", "));
}

/// C has no namespaces: all that a snippet defines gets a name of its own.
std::string renamed(std::string code, const std::string& name) {
    for (const std::string word : {"tilewise_", "Tilewise"})
        for (size_t at = 0; (at = code.find(word, at)) != std::string::npos; at += name.size() + 1 + word.size())
            code.insert(at, name + "_");
    return code;
}

std::string c_unit(const Claim& claim, const std::string& name) {
    std::string text = emit(claim, Language::c_pdep);
    text += fmt::format(
        "void CALL(const uint64_t* arguments, uint64_t* results, uint64_t count, const uint64_t* parameters) {{\n");
    for (unsigned k = 0; k < claim.parameters(); ++k)
        text += fmt::format("    const {1} p{0} = ({1})parameters[{0}];\n", k,
                            claim.wide_parameters() ? "uint64_t" : "uint32_t");
    if (claim.parameters() == 0) text += "    (void)parameters;\n";
    text += "    for (uint64_t i = 0; i < count; ++i) {\n";
    for (unsigned k = 0; k < claim.in_width(); ++k)
        text += fmt::format("        const {2} a{0} = ({2})arguments[{1} * i + {0}];\n", k, claim.in_width(),
                            claim.request.kind == SnippetKind::texel ? "uint64_t" : "uint32_t");
    const std::string call = call_text(claim, vector);
    if (claim.out_width() == 1) {
        text += fmt::format("        results[i] = {};\n    }}\n}}\n", call);
    } else {
        text += fmt::format("        const TilewiseUint{} result = {};\n", claim.out_width(), call);
        for (unsigned k = 0; k < claim.out_width(); ++k)
            text += fmt::format("        results[{} * i + {}] = result.{};\n", claim.out_width(), k, "xyzw"[k]);
        text += "    }\n}\n";
    }
    text = renamed(text, name);
    return text.replace(text.find("CALL"), 4, name);
}

}  // namespace

TEST_CASE("snippets in C with pdep and pext give what patterns/ gives, at every invocation") {
#ifdef __x86_64__
    const bool has_bmi2 = __builtin_cpu_supports("bmi2") != 0;
#else
    const bool has_bmi2 = false;
#endif
    if (!has_bmi2) {
        MESSAGE("SKIPPED: this processor has no BMI2");
        return;
    }
    prove_natively({.name = "C with BMI2",
                    .source = "proof.c",
                    .prologue = "",
                    .unit = c_unit,
                    .compile = [](const std::string& source, const std::string& library) -> Command {
                        return {"gcc",     "-std=c99", "-mbmi2",  "-O1",  "-Wall", "-Wextra", "-Wpedantic",
                                "-Werror", "-fPIC",    "-shared", source, "-o",    library};
                    },
                    .of_catalog = {20, 10}},
                   "compiled by gcc -mbmi2, run here");
}
