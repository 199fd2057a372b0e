#include "tools/runs/try/candidates.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace tilewise {

using namespace kernels;

std::string candidate_text(const ShaderCandidate& candidate) {
    const auto& size = candidate.variant.local_size;
    std::string text = fmt::format("{} {}x{}", candidate.order, size[0], size[1]);
    if (size[2] > 1) text += fmt::format("x{}", size[2]);
    if (candidate.variant.groups.kind != GroupOrderKind::linear)
        text += ", " + group_order_text(candidate.variant.groups);
    return text;
}

namespace {

using Shape = std::array<uint32_t, 2>;

constexpr uint32_t min_invocations = 32, max_side = 256;
constexpr uint32_t usual_strips[] = {8}, near_strips[] = {4, 8, 16}, all_strips[] = {2, 4, 8, 16, 32};

enum class UsualOrder { row, morton, memory };

/// Every variant of the shaders in tests/shaders was timed on an H100 (docs/results/nvidia-h100/shaders.json): one of
/// these was within 1.5% of the fastest among hundreds. 32x32 is there for taps that are far apart, and 8x8 because it
/// is customary.
struct UsualVariant {
    UsualOrder order;
    Shape shape;
    bool is_in_tiles = false;
};
constexpr UsualVariant usual_variants[] = {
    {UsualOrder::memory, {16, 16}}, {UsualOrder::morton, {16, 16}},       {UsualOrder::row, {32, 32}},
    {UsualOrder::row, {8, 8}},      {UsualOrder::memory, {8, 64}},        {UsualOrder::row, {4, 8}},
    {UsualOrder::row, {4, 128}},    {UsualOrder::morton, {16, 32}, true}, {UsualOrder::memory, {32, 8}},
    {UsualOrder::morton, {128, 2}}, {UsualOrder::memory, {32, 32}},       {UsualOrder::row, {8, 32}},
};
constexpr Shape usual_lines[] = {{256, 1}, {1024, 1}, {64, 1}, {128, 1}, {512, 1}, {32, 1}};

bool is_power(uint32_t number) { return std::has_single_bit(number); }
bool are_powers(const Shape& shape) { return is_power(shape[0]) && is_power(shape[1]); }

}  // namespace

CandidateSearch::CandidateSearch(const CandidateQuestion& question) : question_(question) { find_forbidden(); }

void CandidateSearch::find_forbidden() {
    const Legality& legality = question_.shader.legality;
    const auto& groups = question_.grid.groups;
    const auto [width, height] = own();
    may_order_ = legality.order.empty();
    if (!may_order_)
        forbidden_.push_back("order of invocations: " + legality.order);
    else if (!are_powers(own()))
        forbidden_.push_back(
            fmt::format("order of invocations in workgroups of {}x{}: a side is not a power of two", width, height));
    else if (width == 1 || height == 1)
        forbidden_.push_back(
            fmt::format("order of invocations in workgroups of {}x{}: they are in one line", width, height));
    may_group_ = groups[1] > 1 && groups[0] > 1 && legality.groups.empty();
    if (!legality.groups.empty())
        forbidden_.push_back("order of workgroups: " + legality.groups);
    else if (!may_group_)
        forbidden_.push_back(fmt::format("order of workgroups: {}x{} of them are in one line", groups[0], groups[1]));
    const auto& constants = question_.shader.reflection.local_size_constants;
    by_constants_ = constants[0] && constants[1] && constants[2] != constants[0] && constants[2] != constants[1];
    is_square_ = by_constants_ && constants[0] == constants[1];
    may_shape_ = by_constants_ || legality.shape.empty();
    if (!may_shape_) forbidden_.push_back("size of workgroups: " + legality.shape);
    is_line_ = height == 1 && groups[1] == 1;
}

bool CandidateSearch::has_invocations(const Shape& shape) const {
    if (is_square_ && shape[0] != shape[1]) return false;
    const uint64_t count = uint64_t{shape[0]} * shape[1] * question_.grid.local_size[2];
    return count >= min_invocations && count <= question_.max_invocations;
}

std::vector<CandidateSearch::NamedOrder> CandidateSearch::orders(const Shape& shape) const {
    std::vector<NamedOrder> made = {{"row", {}}};
    if (!may_order_ || !are_powers(shape) || shape[0] == 1 || shape[1] == 1) return made;
    const Coord box = {shape[0], shape[1], 1, 1};
    made.push_back({"morton", morton_order(box)});
    for (const ImagePattern& image : question_.patterns) {
        if (image.id.empty() || image.is_row) continue;
        const Remap memory = choose_workgroup(image.pattern, image.device, {.shape = box}).derivation.remap;
        made.push_back({"memory order of " + image.image, memory});
    }
    return made;
}

std::vector<GroupOrder> CandidateSearch::tiles(const Shape& shape) const {
    std::vector<GroupOrder> made;
    if (!may_group_ || !are_powers(shape)) return made;
    for (const ImagePattern& image : question_.patterns) {
        if (image.id.empty() || image.is_row) continue;
        const GroupOrder order =
            derive_group_order(image.pattern, row_order({shape[0], shape[1], 1, 1}), GroupOrderKind::tiles);
        if (!is_as_launched(order) && element_count(order.tile_groups) > 1) made.push_back(order);
    }
    return made;
}

std::vector<GroupOrder> CandidateSearch::group_orders(const Shape& shape, std::span<const uint32_t> strips) const {
    std::vector<GroupOrder> made = {{}};
    if (!may_group_) return made;
    for (const uint32_t width : strips)
        if (question_.grid.groups[0] > width) made.push_back({GroupOrderKind::strips, width, unit_extent, all_axes});
    const std::vector<GroupOrder> in_tiles = tiles(shape);
    made.insert(made.end(), in_tiles.begin(), in_tiles.end());
    return made;
}

ShaderCandidate CandidateSearch::candidate(const NamedOrder& order, const Shape& shape,
                                           const GroupOrder& groups) const {
    ShaderCandidate made = {order.name, {{shape[0], shape[1], question_.grid.local_size[2]}, order.order, groups}, {}};
    if (order.order && order.order->is_row_order()) made.variant.order.reset();
    const auto& constants = question_.shader.reflection.local_size_constants;
    if (by_constants_ && shape != own()) made.constants = {{*constants[0], shape[0]}, {*constants[1], shape[1]}};
    return made;
}

std::vector<ShaderCandidate> CandidateSearch::usual() const {
    std::vector<ShaderCandidate> made = {candidate({ShaderCandidate::original, {}}, own(), {})};
    for (const NamedOrder& order : orders(own())) made.push_back(candidate(order, own(), {}));
    for (const GroupOrder& groups : group_orders(own(), usual_strips))
        made.push_back(candidate({"row", {}}, own(), groups));
    if (!may_shape_) return made;
    if (is_line_) {
        for (const Shape& shape : usual_lines)
            if (has_invocations(shape)) made.push_back(candidate({"row", {}}, shape, {}));
        return made;
    }
    for (const UsualVariant& usual : usual_variants) {
        if (!has_invocations(usual.shape)) continue;
        GroupOrder groups = {};
        if (usual.is_in_tiles)
            if (const std::vector<GroupOrder> in_tiles = tiles(usual.shape); !in_tiles.empty())
                groups = in_tiles.front();
        const std::vector<NamedOrder> named = orders(usual.shape);
        for (size_t i = 0; i < named.size(); ++i)
            if (static_cast<UsualOrder>(std::min<size_t>(i, 2)) == usual.order)
                made.push_back(candidate(named[i], usual.shape, groups));
    }
    return made;
}

std::vector<ShaderCandidate> CandidateSearch::near_the_fastest(std::span<const ShaderCandidate> tried,
                                                               std::span<const double> over_original) const {
    std::vector<size_t> timed;
    for (size_t i = 0; i < tried.size(); ++i)
        if (over_original[i] > 0) timed.push_back(i);
    std::ranges::stable_sort(timed, {}, [&](size_t i) { return over_original[i]; });
    constexpr size_t leaders = 2;
    std::vector<ShaderCandidate> made;
    for (const size_t leader : std::span(timed).first(std::min(timed.size(), leaders))) {
        const ShaderVariant& fast = tried[leader].variant;
        const Shape shape = {fast.local_size[0], fast.local_size[1]};
        const std::string name = tried[leader].is_original() ? "row" : tried[leader].order;
        for (const NamedOrder& order : orders(shape)) made.push_back(candidate(order, shape, fast.groups));
        for (const GroupOrder& groups : group_orders(shape, near_strips))
            made.push_back(candidate({name, fast.order}, shape, groups));
        if (!may_shape_ || is_line_ || !are_powers(shape)) continue;
        const auto [width, height] = shape;
        for (const Shape& other :
             {Shape{2 * width, height}, Shape{width, 2 * height}, Shape{width / 2, height}, Shape{width, height / 2},
              Shape{2 * width, height / 2}, Shape{width / 2, 2 * height}}) {
            if (!are_powers(other) || !has_invocations(other)) continue;
            std::vector<GroupOrder> groups = {fast.groups};
            if (fast.groups.kind == GroupOrderKind::tiles) groups = tiles(other);
            for (const NamedOrder& order : orders(other))
                if (order.name == name)
                    for (const GroupOrder& grid : groups) made.push_back(candidate(order, other, grid));
        }
    }
    return made;
}

std::vector<ShaderCandidate> CandidateSearch::all() const {
    std::vector<Shape> shapes = {own()};
    if (may_shape_ && is_line_) shapes.insert(shapes.end(), std::begin(usual_lines), std::end(usual_lines));
    if (may_shape_ && !is_line_)
        for (uint32_t width = 1; width <= max_side; width *= 2)
            for (uint32_t height = 1; height <= max_side; height *= 2) shapes.push_back({width, height});
    std::vector<ShaderCandidate> made;
    for (const Shape& shape : shapes)
        if (shape == own() || has_invocations(shape))
            for (const GroupOrder& groups : group_orders(shape, all_strips))
                for (const NamedOrder& order : orders(shape)) made.push_back(candidate(order, shape, groups));
    return made;
}

}  // namespace tilewise
