// Which variants of a shader are tried: few, by the patterns of the images that it uses.
#pragma once
#include "kernels/try/rewrite.h"
#include "patterns/remap/workgroup.h"
#include "tools/runs/try/shader_source.h"

namespace tilewise {

/// How the device lays out an image of the scene.
struct ImagePattern {
    std::string image, format;
    /// Empty: not known, and why.
    std::string id, why_unknown = {};
    Pattern pattern = {};
    KnownDevice device = {};
    bool is_row = false;
};

struct ShaderCandidate {
    /// "as it is", "row", "morton", "memory order of source".
    std::string order;
    kernels::ShaderVariant variant;
    /// Specialization constants that give the workgroup its size, by their ids; empty: the code is rewritten.
    std::map<uint32_t, uint32_t> constants = {};
    bool is_original() const { return order == original; }
    static constexpr const char* original = "as it is";
};
/// "morton 16x16, strips of 8".
std::string candidate_text(const ShaderCandidate& candidate);

struct CandidateSet {
    /// The first is the shader as it is.
    std::vector<ShaderCandidate> candidates;
    /// What cannot be tried, and what forbids it; lines.
    std::vector<std::string> forbidden;
};

struct CandidateQuestion {
    const TriedShader& shader;
    kernels::ShaderGrid grid;
    const std::vector<ImagePattern>& patterns;
    uint32_t max_invocations = 1024;
    size_t count = 24;
};
/// The same question gives the same candidates; those of a smaller count are the first of those of a larger one.
CandidateSet candidates_for(const CandidateQuestion& question);

}  // namespace tilewise
