// How memory is bound to an image with sparse residency, in Vulkan's own terms (VkSparseImageMemoryRequirements).
//
// Levels before the mip tail are bound block by block: a block is `granularity_px` texels in one page of memory. The
// levels from `mip_tail_first_level` on are the tail: `mip_tail_bytes` at `mip_tail_offset` in the image's address
// space. Each layer has its own tail, `mip_tail_stride` after the previous layer's, unless one tail serves all layers
// (`single_mip_tail`).
#pragma once
#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewise {

struct SparseBlocks {
    std::array<uint32_t, 3> granularity_px = {1, 1, 1};
    bool standard = true;  ///< the block has Vulkan's standard shape for its texel size
    uint32_t mip_tail_first_level = 0;
    uint64_t mip_tail_bytes = 0, mip_tail_offset = 0;
    uint64_t mip_tail_stride = 0;     ///< 0 with a single tail
    bool single_mip_tail = false;     ///< one tail for all layers
    bool aligned_mip_levels = false;  ///< the tail begins with the first level that fills no whole blocks
    bool operator==(const SparseBlocks&) const = default;
};

/// {"granularity": [128,128,1], "standard": true, "mip_tail_first_level": 2, "mip_tail_bytes": 65536, ..}
/// Example:
///     assert(to_json(SparseBlocks{.granularity_px = {128, 128, 1}})["granularity"][0] == 128);
nlohmann::ordered_json to_json(const SparseBlocks& blocks);

/// Throws Error naming the member that is missing or wrong.
/// Example:
///     const SparseBlocks blocks = {.granularity_px = {128, 128, 1}, .mip_tail_first_level = 2};
///     assert(sparse_blocks_from_json(to_json(blocks)) == blocks);
SparseBlocks sparse_blocks_from_json(const nlohmann::json& json);

/// "blocks of 128x128x1 texels"
/// Example:
///     assert(granularity_text({.granularity_px = {128, 128, 1}}) == "blocks of 128x128x1 texels");
std::string granularity_text(const SparseBlocks& blocks);
/// "blocks of 128x128x1 texels; mip tail from level 2 on: 65536 bytes at 131072, 65536 to the next layer's"
/// Example:
///     const SparseBlocks blocks = {.granularity_px = {128, 128, 1}};
///     assert(describe(blocks) == granularity_text(blocks) + "; no mip tail");
std::string describe(const SparseBlocks& blocks);

}  // namespace tilewise
