// Emitted GLSL, compiled by glslang and run as a compute shader.
#include "tests/prove/spirv.h"
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::prove;

namespace {

std::string glsl_vector(const std::vector<std::string>& values, bool) {
    return fmt::format("uvec{}({})", values.size(), fmt::join(values, ", "));
}

std::string glsl_shader(const Claim& claim) {
    std::string text = "#version 450\n" + emit(claim, Language::glsl) + R"(
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Arguments { uint arguments[]; };
layout(std430, binding = 1) writeonly buffer Results { uint results[]; };
layout(push_constant) uniform Push { uint count, p0, p1, p2, p3; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= count) return;
)";
    for (unsigned k = 0; k < claim.in_width(); ++k)
        text += fmt::format("    uint a{} = arguments[{} * i + {}];\n", k, claim.in_width(), k);
    if (claim.out_width() == 1) return text + fmt::format("    results[i] = {};\n}}\n", call_text(claim, glsl_vector));
    text += fmt::format("    uvec{} result = {};\n", claim.out_width(), call_text(claim, glsl_vector));
    for (unsigned k = 0; k < claim.out_width(); ++k)
        text += fmt::format("    results[{} * i + {}] = result.{};\n", claim.out_width(), k, "xyzw"[k]);
    return text + "}\n";
}

}  // namespace

TEST_CASE("every snippet in GLSL gives what patterns/ gives, at every invocation") {
    prove_on_vulkan(Language::glsl, "GLSL", glsl_shader, {9, 2});
}
