// Emitted Metal code, compiled as C++ against a stand-in for Metal's standard library, and run.
#include "tests/prove/native.h"
#include "tests/support/paths.h"
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::prove;

namespace {

std::string msl_vector(const std::vector<std::string>& values, bool) {
    std::string text = fmt::format("uint{}(", values.size());
    for (size_t k = 0; k < values.size(); ++k) text += fmt::format("{}uint({})", k == 0 ? "" : ", ", values[k]);
    return text + ")";
}

}  // namespace

TEST_CASE("every snippet in Metal's language gives what patterns/ gives, at every invocation, as C++") {
    prove_natively({.name = "MSL",
                    .source = "proof.cpp",
                    .offset_bits = 32,
                    .prologue = "#include <cstdint>\n#include <metal_stdlib>\n",
                    .unit = [](const Claim& claim,
                               const std::string& name) { return cpp_unit(claim, Language::msl, name, msl_vector); },
                    .compile = [](const std::string& source, const std::string& library) -> Command {
                        return {"g++",     "-std=c++17", "-O1",  "-Wall",
                                "-Wextra", "-Werror",    "-I",   source_dir() + "/tests/prove/stand_in",
                                "-fPIC",   "-shared",    source, "-o",
                                library};
                    },
                    .of_catalog = {18, 4}},
                   "compiled as C++ only, against a stand-in for Metal's types; no Metal compiler has seen it");
}
