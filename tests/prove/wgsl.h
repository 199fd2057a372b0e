// Runs compute shaders in WGSL, compiled by Dawn, on SwiftShader: both run on any machine (tools/wgsl-runtime).
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace tilewise::prove {

/// False, and the test is skipped, if these are not there.
bool has_wgsl_runtime();

struct WgslAnswer {
    std::string adapter;
    nlohmann::json errors;  ///< for each job: null, or why it does not compile
    std::string out;        ///< the bytes of the results
};
/// `jobs` and `in` as in tests/prove/wgsl_run.mjs.
WgslAnswer run_wgsl(const nlohmann::json& jobs, const std::string& in);

}  // namespace tilewise::prove
