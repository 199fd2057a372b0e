#include "kernels/try/legality.h"
#include "kernels/try/rewrite.h"
#include "tests/fuzz/targets.h"
#include <bit>
#include <cstring>

namespace tilewise::fuzz {

using namespace kernels;

namespace {

constexpr uint32_t most_invocations = 1024;

void require_rewritten(const SpirvCode& code, const ShaderReflection& shader, const ShaderGrid& grid,
                       const ShaderVariant& variant) {
    accepted([&] {
        require(why_invalid(rewritten(code, shader, grid, variant)).empty(), "what was valid is valid when rewritten");
        variant_text(grid, variant, false);
    });
}

}  // namespace

void spirv(Input input) {
    std::vector<uint32_t> words(input.size() / sizeof(uint32_t));
    if (words.empty()) return;
    std::memcpy(words.data(), input.data(), words.size() * sizeof(uint32_t));
    // What is not valid is looked at no further.
    if (!why_invalid(words).empty()) return;
    accepted([&] {
        const SpirvCode code = parse_spirv(words);
        require(words_of(code).size() == words.size(), "SPIR-V that was read is written again");
        const ShaderReflection shader = reflect(code, "");
        const Legality legality = legality_of(code, shader);
        const auto& local = shader.local_size;
        if (element_count({local[0], local[1], local[2], 1}) > most_invocations) return;
        if (local[0] == 0 || local[1] == 0 || local[2] == 0) return;
        const ShaderGrid grid = {local, {3, 5, 1}};
        const GroupOrder strips = {GroupOrderKind::strips, 2, unit_extent, all_axes};
        if (legality.groups.empty()) require_rewritten(code, shader, grid, {local, {}, strips});
        const bool has_powers = std::has_single_bit(local[0]) && std::has_single_bit(local[1]);
        if (legality.order.empty() && has_powers && local[0] > 1 && local[1] > 1)
            require_rewritten(code, shader, grid, {local, morton_order({local[0], local[1], 1, 1}), {}});
        if (legality.shape.empty()) require_rewritten(code, shader, grid, {{16, 4, local[2]}, {}, strips});
    });
}

}  // namespace tilewise::fuzz
