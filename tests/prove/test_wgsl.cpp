// Emitted WGSL, run as a compute shader.
#include "tests/prove/prove.h"
#include "tests/prove/wgsl.h"
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::prove;

namespace {

std::string wgsl_vector(const std::vector<std::string>& values, bool) {
    return fmt::format("vec{}u({})", values.size(), fmt::join(values, ", "));
}

std::string wgsl_shader(const Claim& claim) {
    std::string text = emit(claim, Language::wgsl) + R"(
struct Push { count: u32, p0: u32, p1: u32, p2: u32, p3: u32 }
@group(0) @binding(0) var<storage, read> arguments: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
@group(0) @binding(2) var<uniform> push: Push;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if (i >= push.count) { return; }
)";
    for (unsigned k = 0; k < axis_count; ++k) text += fmt::format("    let p{0} = push.p{0};\n", k);
    for (unsigned k = 0; k < claim.in_width(); ++k)
        text += fmt::format("    let a{0} = arguments[{1}u * i + {0}u];\n", k, claim.in_width());
    text += fmt::format("    let result = {};\n", call_text(claim, wgsl_vector));
    if (claim.out_width() == 1) return text + "    results[i] = result;\n}\n";
    for (unsigned k = 0; k < claim.out_width(); ++k)
        text += fmt::format("    results[{0}u * i + {1}u] = result.{2};\n", claim.out_width(), k, "xyzw"[k]);
    return text + "}\n";
}

/// As many claims as one run of Node.js takes at once, and what was asked.
struct Batch {
    std::vector<const Claim*> claims;
    std::vector<Question> asked;  ///< for each call of each claim
    uint64_t words = 0;
};

std::string as_words(const std::vector<Question>& all) {
    std::string bytes;
    for (const Question& asked : all)
        for (const uint64_t value : asked.in) {
            const auto word = static_cast<uint32_t>(value);
            bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
        }
    return bytes;
}

std::string run_batch(const Batch& batch, Proof& proof) {
    nlohmann::json jobs = nlohmann::json::array();
    auto asked = batch.asked.begin();
    for (const Claim* claim : batch.claims) {
        nlohmann::json calls = nlohmann::json::array();
        for (size_t i = 0; i < claim->calls.size(); ++i, ++asked)
            calls.push_back({{"count", asked->invocations},
                             {"parameters", claim->calls[i].parameters},
                             {"in", asked->in.size()},
                             {"out", asked->expected.size()}});
        jobs.push_back({{"code", wgsl_shader(*claim)}, {"calls", calls}});
    }
    const WgslAnswer answer = run_wgsl(jobs, as_words(batch.asked));
    const auto* word = reinterpret_cast<const uint32_t*>(answer.out.data());
    asked = batch.asked.begin();
    for (size_t i = 0; i < batch.claims.size(); ++i) {
        const Claim& claim = *batch.claims[i];
        const bool compiled = answer.errors[i].is_null();
        if (!compiled)
            proof.does_not_compile(claim, answer.errors[i].get<std::string>() + "\n" + emit(claim, Language::wgsl));
        bool right = compiled;
        for (const Claim::Call& call : claim.calls) {
            const std::vector<uint64_t> got(word, word + asked->expected.size());
            word += got.size();
            if (right) right = proof.compare(claim, call, *asked, got);
            ++asked;
        }
    }
    return answer.adapter;
}

}  // namespace

TEST_CASE("every snippet in WGSL gives what patterns/ gives, at every invocation") {
    if (!has_wgsl_runtime()) return;
    Proof proof = {"WGSL"};
    std::string adapter;
    Batch batch;
    const auto flush = [&] {
        if (!batch.claims.empty()) adapter = run_batch(batch, proof);
        batch = {};
    };
    const std::vector<Claim> claims = all_claims(32, {18, 5});
    for (const Claim& claim : claims) {
        batch.claims.push_back(&claim);
        for (const Claim::Call& call : claim.calls) {
            batch.asked.push_back(question(claim, call));
            batch.words += batch.asked.back().in.size() + batch.asked.back().expected.size();
        }
        if (batch.words > (1 << 24)) flush();
    }
    flush();
    proof.summary(fmt::format("compiled by Dawn, run on {}", adapter), claims.size());
}
