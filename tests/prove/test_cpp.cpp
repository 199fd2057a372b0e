// Emitted C++, compiled by g++ and run.
#include "tests/prove/native.h"
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::prove;

namespace {

std::string cpp_vector(const std::vector<std::string>& values, bool wide) {
    return fmt::format("Tilewise{}{}{{{}}}", wide ? "Ulong" : "Uint", values.size(), fmt::join(values, ", "));
}

}  // namespace

TEST_CASE("every snippet in C++ gives what patterns/ gives, at every invocation") {
    prove_natively({.name = "C++",
                    .source = "proof.cpp",
                    .prologue = "#include <algorithm>\n#include <cstdint>\n",
                    .unit = [](const Claim& claim,
                               const std::string& name) { return cpp_unit(claim, Language::cpp, name, cpp_vector); },
                    .compile = [](const std::string& source, const std::string& library) -> Command {
                        return {"g++",     "-std=c++20", "-O1",     "-Wall", "-Wextra", "-Wpedantic",
                                "-Werror", "-fPIC",      "-shared", source,  "-o",      library};
                    },
                    .of_catalog = {9, 0}},
                   "compiled by g++ without a warning, run here");
}
