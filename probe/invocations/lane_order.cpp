#include "probe/invocations/lane_order.h"
#include "patterns/model/error.h"
#include "probe/worker/parent.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace tilewise::probe {

const char* lane_builtin_name(LaneBuiltin builtin) { return builtin == LaneBuiltin::index ? "index" : "id"; }

std::span<const Coord> lane_shapes() {
    static constexpr Coord shapes[] = {{8, 8, 1, 1},   {16, 8, 1, 1},  {8, 16, 1, 1},  {16, 16, 1, 1},
                                       {32, 8, 1, 1},  {8, 32, 1, 1},  {32, 32, 1, 1}, {64, 1, 1, 1},
                                       {128, 1, 1, 1}, {256, 1, 1, 1}, {8, 8, 4, 1}};
    return shapes;
}

bool is_within_limits(const DeviceInfo& device, const Coord& shape) {
    return shape[axis_x] <= device.max_group_size[0] && shape[axis_y] <= device.max_group_size[1] &&
           shape[axis_z] <= device.max_group_size[2] && element_count(shape) <= device.max_invocations;
}

void fill_slots(std::span<const LaneWords> written, LaneOrder& order) {
    const uint32_t highest = std::ranges::max(written, {}, &LaneWords::lane).lane;
    if (highest >= written.size()) {
        order.disorder = fmt::format("there is a lane {} in a workgroup of {}", highest, written.size());
        return;
    }
    order.subgroup_size = std::bit_ceil(highest + 1);
    order.declared_size = written[0].declared_size;
    std::vector<bool> taken(written.size());
    for (size_t i = 0; i < written.size(); ++i) {
        const uint64_t slot = uint64_t{written[i].subgroup} * order.subgroup_size + written[i].lane;
        const bool beyond = slot >= written.size();
        if (beyond || taken[slot]) {
            order.disorder = fmt::format("invocation {} is in subgroup {}, lane {}, {}", i, written[i].subgroup,
                                         written[i].lane, beyond ? "of subgroups that are not full" : "as another is");
            order.slots.clear();
            return;
        }
        taken[slot] = true;
        order.slots.push_back(static_cast<uint32_t>(slot));
    }
}

std::string disagreement(const LaneOrder& order, std::span<const PeerWords> peers) {
    for (size_t i = 0; i < peers.size(); ++i) {
        const PeerWords& peer = peers[i];
        const uint32_t size = order.subgroup_size, lane = order.slots[i] % size;
        if (peer.first >= order.slots.size() || order.slots[peer.first] != order.slots[i] - lane ||
            peer.before != lane || peer.all != size || peer.elected != (lane == 0))
            return fmt::format(
                "invocation {} is in lane {} by its built-in, but {} of {} after invocation {} by ballot", i, lane,
                peer.before, peer.all, peer.first);
    }
    return {};
}

LaneOrder measure_lane_order(Workers& workers, const DeviceInfo& device, const Coord& shape, LaneBuiltin builtin) {
    LaneOrder order;
    order.shape = shape;
    order.builtin = builtin;
    const worker::LaneRun run = {device.index, shape, builtin};
    const auto lanes = workers.pool->ask(worker::RunLanes{run});
    order.why_not = lanes.why_not;
    if (!lanes.reply) return order;
    const std::vector<LaneWords>& all = lanes.reply->invocations;
    const size_t invocations = element_count(shape);
    for (size_t group = 0; group * invocations < all.size() && order.disorder.empty(); ++group) {
        LaneOrder one = {shape, builtin};
        fill_slots(std::span(all).subspan(group * invocations, invocations), one);
        if (group > 0 && one.disorder.empty() && one.slots != order.slots)
            one.disorder = "workgroups or runs differ from one another";
        order = std::move(one);
    }
    if (!order.disorder.empty()) return order;

    const auto check = workers.pool->ask(worker::RunPeers{run});
    if (!check.reply) return order;  // a device without ballots: only the built-ins are used
    const std::vector<PeerWords>& peers = check.reply->invocations;
    for (size_t group = 0; group * invocations < peers.size() && order.disorder.empty(); ++group)
        order.disorder = disagreement(order, std::span(peers).subspan(group * invocations, invocations));
    order.checked = order.disorder.empty();
    if (!order.checked) order.slots.clear();
    return order;
}

}  // namespace tilewise::probe
