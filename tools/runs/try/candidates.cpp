#include "tools/runs/try/candidates.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <functional>

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

bool is_power(uint32_t number) { return std::has_single_bit(number); }

class Chooser {
public:
    explicit Chooser(const CandidateQuestion& question) : question_(question), local_(question.grid.local_size) {}

    CandidateSet choose() {
        find_forbidden();
        add({ShaderCandidate::original, {local_, {}, {}}, {}});
        const Shape own = {local_[0], local_[1]};
        add_orders(own);
        if (may_group_) {
            for (const GroupOrder& groups : group_orders(own)) add_in_order("row", own, {}, groups);
        }
        if (!shapes_.empty()) {
            for (const Shape& shape : shapes_) add_in_order("row", shape, {}, {});
            for (const Shape& shape : shapes_)
                if (may_order_) add_orders(shape);
            for (const Shape& shape : shapes_)
                if (may_group_)
                    for (const GroupOrder& groups : group_orders(shape)) add_in_order("row", shape, {}, groups);
        }
        // The rest, for those who ask for more.
        std::vector<Shape> all = {own};
        all.insert(all.end(), shapes_.begin(), shapes_.end());
        for (const Shape& shape : all)
            if (may_order_ && may_group_)
                for (const GroupOrder& groups : group_orders(shape))
                    for (const auto& [name, order] : orders(shape)) add_in_order(name, shape, order, groups);
        return std::move(set_);
    }

private:
    void find_forbidden() {
        const Legality& legality = question_.shader.legality;
        const auto& groups = question_.grid.groups;
        may_order_ = legality.order.empty();
        if (!may_order_)
            set_.forbidden.push_back("order of invocations: " + legality.order);
        else if (!is_power(local_[0]) || !is_power(local_[1]))
            set_.forbidden.push_back(fmt::format(
                "order of invocations in workgroups of {}x{}: a side is no power of two", local_[0], local_[1]));
        else if (local_[0] == 1 || local_[1] == 1)
            set_.forbidden.push_back(
                fmt::format("order of invocations in workgroups of {}x{}: they are in one line", local_[0], local_[1]));
        may_group_ = groups[1] > 1 && groups[0] > 1 && legality.groups.empty();
        if (!legality.groups.empty())
            set_.forbidden.push_back("order of workgroups: " + legality.groups);
        else if (!may_group_)
            set_.forbidden.push_back(
                fmt::format("order of workgroups: {}x{} of them are in one line", groups[0], groups[1]));
        const auto& constants = question_.shader.reflection.local_size_constants;
        by_constants_ = constants[0] && constants[1];
        if (!by_constants_ && !legality.shape.empty()) {
            set_.forbidden.push_back("size of workgroups: " + legality.shape);
            return;
        }
        const bool is_line = local_[1] == 1 && groups[1] == 1;
        const std::vector<Shape> flat = {{256, 1}, {1024, 1}, {64, 1}, {128, 1}, {512, 1}, {32, 1}};
        // Large ones and 8x8 first: taps that are far apart want the former, and the latter is what most have.
        const std::vector<Shape> square = {{32, 32}, {8, 8},  {16, 16}, {32, 8}, {64, 4}, {16, 8}, {8, 32},
                                           {32, 16}, {4, 64}, {64, 16}, {8, 16}, {64, 1}, {128, 2}};
        for (const Shape& shape : is_line ? flat : square)
            if (shape != Shape{local_[0], local_[1]} &&
                uint64_t{shape[0]} * shape[1] * local_[2] <= question_.max_invocations)
                shapes_.push_back(shape);
    }

    std::vector<std::pair<std::string, std::optional<Remap>>> orders(const Shape& shape) const {
        std::vector<std::pair<std::string, std::optional<Remap>>> made;
        if (!is_power(shape[0]) || !is_power(shape[1]) || shape[0] == 1 || shape[1] == 1) return made;
        const Coord box = {shape[0], shape[1], 1, 1};
        made.emplace_back("morton", morton_order(box));
        for (const ImagePattern& image : question_.patterns) {
            if (image.id.empty() || image.is_row) continue;
            const Remap memory = choose_workgroup(image.pattern, image.device, {.shape = box}).derivation.remap;
            made.emplace_back("memory order of " + image.image, memory);
        }
        return made;
    }

    std::vector<GroupOrder> group_orders(const Shape& shape) const {
        std::vector<GroupOrder> made;
        for (const uint32_t width : {8u, 16u, 4u})
            if (question_.grid.groups[0] > width)
                made.push_back({GroupOrderKind::strips, width, unit_extent, all_axes});
        if (!is_power(shape[0]) || !is_power(shape[1])) return made;
        for (const ImagePattern& image : question_.patterns) {
            if (image.id.empty() || image.is_row) continue;
            const GroupOrder tiles =
                derive_group_order(image.pattern, row_order({shape[0], shape[1], 1, 1}), GroupOrderKind::tiles);
            if (!is_as_launched(tiles) && element_count(tiles.tile_groups) > 1) made.push_back(tiles);
        }
        return made;
    }

    void add_orders(const Shape& shape) {
        if (!may_order_) return;
        for (const auto& [name, order] : orders(shape)) add_in_order(name, shape, order, {});
    }

    void add_in_order(const std::string& name, const Shape& shape, const std::optional<Remap>& order,
                      const GroupOrder& groups) {
        ShaderCandidate candidate = {name, {{shape[0], shape[1], local_[2]}, order, groups}, {}};
        if (order && order->is_row_order()) candidate.variant.order.reset();
        const auto& constants = question_.shader.reflection.local_size_constants;
        if (by_constants_ && shape != Shape{local_[0], local_[1]})
            candidate.constants = {{*constants[0], shape[0]}, {*constants[1], shape[1]}};
        add(std::move(candidate));
    }

    void add(ShaderCandidate candidate) {
        if (set_.candidates.size() >= std::max<size_t>(question_.count, 1)) return;
        for (const ShaderCandidate& other : set_.candidates)
            if (other.variant == candidate.variant) return;
        set_.candidates.push_back(std::move(candidate));
    }

    const CandidateQuestion& question_;
    std::array<uint32_t, 3> local_;
    bool may_order_ = false, may_group_ = false, by_constants_ = false;
    std::vector<Shape> shapes_;
    CandidateSet set_;
};

}  // namespace

CandidateSet candidates_for(const CandidateQuestion& question) { return Chooser(question).choose(); }

}  // namespace tilewise
