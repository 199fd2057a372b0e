// Emitted Rust, compiled by rustc and run.
#include "tests/prove/native.h"
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::prove;

namespace {

std::string rust_vector(const Claim& claim, const std::string& name, const std::vector<std::string>& values,
                        bool wide) {
    std::string members;
    for (size_t k = 0; k < values.size(); ++k)
        members += fmt::format("{}{}: {}", k == 0 ? "" : ", ", "xyzw"[k], values[k]);
    // Grids are made of the coordinates' type, which has no other name than in the snippet's module.
    const bool ulong = wide && claim.request.kind != SnippetKind::group_order;
    return fmt::format("snippet_{}::Tilewise{}{} {{ {} }}", name, ulong ? "Ulong" : "Uint", values.size(), members);
}

std::string rust_unit(const Claim& claim, const std::string& name) {
    const bool texel = claim.request.kind == SnippetKind::texel;
    std::string text = fmt::format(
        "// {0}\npub mod snippet_{1} {{\n{2}}}\n"
        "#[no_mangle]\npub unsafe extern \"C\" fn {1}(arguments: *const u64, results: *mut u64, "
        "count: usize, parameters: *const u64) {{\n    let _ = parameters;\n",
        claim.name, name, emit(claim, Language::rust));
    for (unsigned k = 0; k < claim.parameters(); ++k)
        text += fmt::format("    let p{0} = *parameters.add({0}){1};\n", k, claim.wide_parameters() ? "" : " as u32");
    text += "    for i in 0..count {\n";
    for (unsigned k = 0; k < claim.in_width(); ++k)
        text += fmt::format("        let a{0} = *arguments.add({1} * i + {0}){2};\n", k, claim.in_width(),
                            texel ? "" : " as u32");
    const MakeVector make = [&](const std::vector<std::string>& values, bool wide) {
        return rust_vector(claim, name, values, wide);
    };
    text += fmt::format("        let result = snippet_{}::{};\n", name, call_text(claim, make));
    if (claim.out_width() == 1) return text + "        *results.add(i) = result;\n    }\n}\n";
    for (unsigned k = 0; k < claim.out_width(); ++k)
        text += fmt::format("        *results.add({} * i + {}) = result.{} as u64;\n", claim.out_width(), k, "xyzw"[k]);
    return text + "    }\n}\n";
}

}  // namespace

TEST_CASE("every snippet in Rust gives what patterns/ gives, at every invocation") {
    const Ended version = run({"rustc", "--version"});
    if (version.code != 0) {
        MESSAGE("SKIPPED: no rustc (Debian: rustc)");
        return;
    }
    prove_natively(
        {.name = "Rust",
         .source = "proof.rs",
         .prologue = "",
         .unit = rust_unit,
         .compile = [](const std::string& source, const std::string& library) -> Command {
             return {"rustc",       "--edition", "2021",     "--crate-type", "cdylib", "-C",
                     "opt-level=1", "-D",        "warnings", source,         "-o",     library};
         },
         .of_catalog = {18, 1}},
        "compiled by " + version.out.substr(0, version.out.find_first_of(" \n", 6)) + " without a warning, run here");
}
