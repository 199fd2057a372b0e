#include "patterns/model/sparse_blocks.h"
#include "patterns/model/error.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace tilewise {

namespace {

const nlohmann::json& member_of(const nlohmann::json& from, const char* name) {
    if (!from.is_object() || !from.contains(name)) throw Error(fmt::format("\"{}\" is missing", name));
    return from[name];
}

template <typename Number>
Number number(const nlohmann::json& from, const char* name, uint64_t min, uint64_t max) {
    if (!from.is_number_unsigned() || from.get<uint64_t>() < min || from.get<uint64_t>() > max)
        throw Error(fmt::format("\"{}\" must be a whole number from {} to {}", name, min, max));
    return static_cast<Number>(from.get<uint64_t>());
}

bool truth(const nlohmann::json& from, const char* name) {
    const nlohmann::json& value = member_of(from, name);
    if (!value.is_boolean()) throw Error(fmt::format("\"{}\" must be true or false", name));
    return value.get<bool>();
}

}  // namespace

nlohmann::ordered_json to_json(const SparseBlocks& blocks) {
    return {{"granularity", blocks.granularity_px},
            {"standard", blocks.standard},
            {"mip_tail_first_level", blocks.mip_tail_first_level},
            {"mip_tail_bytes", blocks.mip_tail_bytes},
            {"mip_tail_offset", blocks.mip_tail_offset},
            {"mip_tail_stride", blocks.mip_tail_stride},
            {"single_mip_tail", blocks.single_mip_tail},
            {"aligned_mip_levels", blocks.aligned_mip_levels}};
}

SparseBlocks sparse_blocks_from_json(const nlohmann::json& from) {
    constexpr uint64_t max_side = 1 << 24, max_level = 32, max_bytes = std::numeric_limits<int64_t>::max();
    SparseBlocks blocks;
    const nlohmann::json& sides = member_of(from, "granularity");
    if (!sides.is_array() || sides.size() != 3) throw Error("\"granularity\" must be three numbers");
    for (size_t i = 0; i < 3; i++) blocks.granularity_px[i] = number<uint32_t>(sides[i], "granularity", 1, max_side);
    const auto bytes = [&](const char* name) { return number<uint64_t>(member_of(from, name), name, 0, max_bytes); };
    const char* level = "mip_tail_first_level";
    blocks.standard = truth(from, "standard");
    blocks.mip_tail_first_level = number<uint32_t>(member_of(from, level), level, 0, max_level);
    blocks.mip_tail_bytes = bytes("mip_tail_bytes");
    blocks.mip_tail_offset = bytes("mip_tail_offset");
    blocks.mip_tail_stride = bytes("mip_tail_stride");
    blocks.single_mip_tail = truth(from, "single_mip_tail");
    blocks.aligned_mip_levels = truth(from, "aligned_mip_levels");
    return blocks;
}

std::string granularity_text(const SparseBlocks& blocks) {
    return fmt::format("{}blocks of {} texels", blocks.standard ? "" : "nonstandard ",
                       fmt::join(blocks.granularity_px, "x"));
}

std::string describe(const SparseBlocks& blocks) {
    std::string text = granularity_text(blocks);
    if (blocks.mip_tail_bytes == 0) return text + "; no mip tail";
    text += fmt::format("; mip tail from level {} on: {} bytes at {}", blocks.mip_tail_first_level,
                        blocks.mip_tail_bytes, blocks.mip_tail_offset);
    if (blocks.single_mip_tail) return text + ", one for all layers";
    return text + fmt::format(", {} to the next layer's", blocks.mip_tail_stride);
}

}  // namespace tilewise
