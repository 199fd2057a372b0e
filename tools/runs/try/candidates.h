// Which variants of a shader are tried: few, chosen by the patterns of the images that it uses and by what was fast
// before.
#pragma once
#include "kernels/try/rewrite.h"
#include "patterns/remap/workgroup.h"
#include "tools/runs/try/shader_source.h"
#include <span>

namespace tilewise {

/// How the device lays out an image of the scene.
struct ImagePattern {
    std::string image, format;
    /// Empty if not known; why_unknown then says why.
    std::string id, why_unknown = {};
    Pattern pattern = {};
    KnownDevice device = {};
    bool is_row = false;
};

struct ShaderCandidate {
    /// "as it is", "row", "morton", "memory order of source".
    std::string order;
    kernels::ShaderVariant variant;
    /// Specialization constants that set the workgroup size, by their ids; empty: the code is rewritten.
    std::map<uint32_t, uint32_t> constants = {};
    bool is_original() const { return order == original; }
    /// Whether the code differs in more than the workgroup size.
    bool is_reordered() const { return variant.order || variant.groups.kind != GroupOrderKind::linear; }
    static constexpr const char* original = "as it is";
};
/// "morton 16x16, strips of 8".
std::string candidate_text(const ShaderCandidate& candidate);

struct CandidateQuestion {
    const TriedShader& shader;
    kernels::ShaderGrid grid;
    std::vector<ImagePattern> patterns;
    uint32_t max_invocations = 1024;
};

constexpr size_t default_candidates = 40;  ///< with more, the search covers everything that is legal

/// Searches in batches: the usual variants, then those near the two that were fastest, then all others.
class CandidateSearch {
public:
    /// The question's shader must outlive the search.
    explicit CandidateSearch(const CandidateQuestion& question);

    /// What cannot be tried, and what forbids it; lines.
    const std::vector<std::string>& forbidden() const { return forbidden_; }
    bool tries_sizes() const { return may_shape_; }
    bool tries_orders_of_workgroups() const { return may_group_; }

    /// The first batch; its first variant is the shader as it is.
    std::vector<ShaderCandidate> usual() const;
    /// Variants that differ in one thing (order of invocations, order of workgroups, workgroup size by a factor of two)
    /// from one of the two fastest of `tried`. `over_original`: the time of each of them over that of the shader as it
    /// is; 0 if it was not timed. The result may include variants that were tried.
    std::vector<ShaderCandidate> near_the_fastest(std::span<const ShaderCandidate> tried,
                                                  std::span<const double> over_original) const;
    /// Every workgroup size in powers of two, every order of invocations, every order of workgroups.
    std::vector<ShaderCandidate> all() const;

private:
    using Shape = std::array<uint32_t, 2>;
    struct NamedOrder {
        std::string name;
        std::optional<Remap> order;
    };

    void find_forbidden();
    bool has_invocations(const Shape& shape) const;
    Shape own() const { return {question_.grid.local_size[0], question_.grid.local_size[1]}; }
    /// Orders of the invocations in a workgroup: row order, Morton order, then memory orders.
    std::vector<NamedOrder> orders(const Shape& shape) const;
    std::vector<GroupOrder> tiles(const Shape& shape) const;
    /// The launch order comes first.
    std::vector<GroupOrder> group_orders(const Shape& shape, std::span<const uint32_t> strips) const;
    ShaderCandidate candidate(const NamedOrder& order, const Shape& shape, const GroupOrder& groups) const;

    CandidateQuestion question_;
    std::vector<std::string> forbidden_;
    bool may_order_ = false, may_group_ = false, may_shape_ = false, by_constants_ = false, is_line_ = false;
    bool is_square_ = false;  ///< one specialization constant is the width and the height
};

}  // namespace tilewise
