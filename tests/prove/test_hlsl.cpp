// Emitted HLSL, compiled by glslang and run as a compute shader.
#include "tests/prove/spirv.h"
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::prove;

namespace {

std::string hlsl_vector(const std::vector<std::string>& values, bool) {
    return fmt::format("uint{}({})", values.size(), fmt::join(values, ", "));
}

std::string hlsl_shader(const Claim& claim) {
    std::string text = emit(claim, Language::hlsl) + R"(
[[vk::binding(0)]] RWStructuredBuffer<uint> arguments;
[[vk::binding(1)]] RWStructuredBuffer<uint> results;
[[vk::push_constant]] cbuffer Push { uint count, p0, p1, p2, p3; };
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint i = id.x;
    if (i >= count) return;
)";
    for (unsigned k = 0; k < claim.in_width(); ++k)
        text += fmt::format("    uint a{} = arguments[{} * i + {}];\n", k, claim.in_width(), k);
    if (claim.out_width() == 1) return text + fmt::format("    results[i] = {};\n}}\n", call_text(claim, hlsl_vector));
    text += fmt::format("    uint{} result = {};\n", claim.out_width(), call_text(claim, hlsl_vector));
    for (unsigned k = 0; k < claim.out_width(); ++k)
        text += fmt::format("    results[{} * i + {}] = result.{};\n", claim.out_width(), k, "xyzw"[k]);
    return text + "}\n";
}

}  // namespace

TEST_CASE("every snippet in HLSL gives what patterns/ gives, at every invocation") {
    prove_on_vulkan(Language::hlsl, "HLSL", hlsl_shader, {18, 8});
}
