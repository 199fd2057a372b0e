#include "tests/prove/native.h"
#include "tests/support/paths.h"
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>

namespace tilewise::prove {

std::string cpp_unit(const Claim& claim, Language language, const std::string& name, const MakeVector& vector) {
    const bool texel = claim.request.kind == SnippetKind::texel;
    std::string text = fmt::format(
        "#line 1 \"{0}\"\nnamespace snippet_{1} {{\n{2}}}\n"
        "extern \"C\" void {1}(const uint64_t* arguments, uint64_t* results, uint64_t count, "
        "[[maybe_unused]] const uint64_t* parameters) {{\n    using namespace snippet_{1};\n",
        claim.name, name, emit(claim, language));
    for (unsigned k = 0; k < claim.parameters(); ++k)
        text += fmt::format("    const auto p{0} = static_cast<{1}>(parameters[{0}]);\n", k,
                            claim.wide_parameters() ? "uint64_t" : "uint32_t");
    text += "    for (uint64_t i = 0; i < count; ++i) {\n";
    for (unsigned k = 0; k < claim.in_width(); ++k)
        text += fmt::format("        const auto a{0} = static_cast<{2}>(arguments[{1} * i + {0}]);\n", k,
                            claim.in_width(), texel ? "uint64_t" : "uint32_t");
    text += fmt::format("        const auto result = {};\n", call_text(claim, vector));
    if (claim.out_width() == 1) return text + "        results[i] = result;\n    }\n}\n";
    for (unsigned k = 0; k < claim.out_width(); ++k)
        text += fmt::format("        results[{} * i + {}] = result.{};\n", claim.out_width(), k, "xyzw"[k]);
    return text + "    }\n}\n";
}

void prove_natively(const NativeLanguage& language, const std::string& how) {
    const std::vector<Claim> claims = all_claims(language.offset_bits, language.of_catalog);
    const Folder folder;
    std::string text = language.prologue;
    for (size_t i = 0; i < claims.size(); ++i) text += language.unit(claims[i], "prove_" + std::to_string(i));
    write_text(folder / language.source, text);
    const Ended compiled = run(language.compile(folder / language.source, folder / "proof.so"));
    INFO(compiled.err.substr(0, 4000));
    REQUIRE(compiled.code == 0);
    const std::unique_ptr<void, int (*)(void*)> library(dlopen((folder / "proof.so").c_str(), RTLD_NOW), dlclose);
    REQUIRE(library != nullptr);

    Proof proof = {language.name};
    std::vector<uint64_t> got;
    for (size_t i = 0; i < claims.size(); ++i) {
        const auto function =
            reinterpret_cast<ProveFunction>(dlsym(library.get(), ("prove_" + std::to_string(i)).c_str()));
        if (!function) FAIL("the library has no prove_" << i);
        for (const Claim::Call& call : claims[i].calls) {
            const Question asked = question(claims[i], call);
            got.assign(asked.expected.size(), 0xdeadbeef);
            function(asked.in.data(), got.data(), asked.invocations, call.parameters.data());
            if (!proof.compare(claims[i], call, asked, got)) break;
        }
    }
    proof.summary(how, claims.size());
}

void prove_by_nvcc(const std::string& name, const std::string& program) {
    const std::filesystem::path binary = std::filesystem::path(program_path()).parent_path() / name;
    const std::string source = binary.string() + ".cu";
    write_text(source, program);
    std::string nvcc = "nvcc";
    if (run({nvcc, "--version"}).code != 0) nvcc = "/usr/local/cuda/bin/nvcc";
    if (run({nvcc, "--version"}).code != 0) {
        fmt::print("CUDA: no nvcc here; compile and run {} on a machine that has it and a GPU\n", source);
        return;
    }
    const bool has_gpu = run({"nvidia-smi", "-L"}).code == 0;
    // CUDA 13 deprecates ulonglong4 for names that no CUDA before it has.
    const Command compile = {nvcc, "-std=c++17", "-Werror", "all-warnings", "-Wno-deprecated-declarations"};
    const Command in_full = {"-Xcompiler", "-Wno-deprecated-declarations", "-arch=native", "-o", binary, source};
    // As far as the front end: what nothing runs need not be fast.
    const Command checked = {"-arch=sm_90", "-ptx", "-Xcicc", "-O0", "-o", binary.string() + ".ptx", source};
    const Ended compiled = run(compile + (has_gpu ? in_full : checked));
    INFO(compiled.out.substr(0, 4000), compiled.err.substr(0, 4000));
    REQUIRE(compiled.code == 0);
    if (!has_gpu) {
        fmt::print("CUDA: compiled by nvcc; no GPU here: compile and run {} where there is one\n", source);
        return;
    }
    const Ended ended = run({binary});
    fmt::print("{}", ended.out);
    CHECK(ended.code == 0);
}

}  // namespace tilewise::prove
