#include "probe/invocations/lane_order.h"
#include "patterns/model/error.h"
#include "probe/worker/parent.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace tilewise::probe {

namespace {

/// The words of all runs and workgroups, or what went wrong instead.
struct Written {
    std::vector<uint64_t> words;
    std::string why_not;
};

Written ask_for_lanes(Workers& workers, const DeviceInfo& device, const LaneOrder& order, bool check) {
    const Extent& shape = order.shape;
    Ending ending = workers.pool->ask_and_wait({{{"op", "lanes"},
                                                 {"device", device.index},
                                                 {"group", {shape.width, shape.height, shape.depth}},
                                                 {"by_id", order.builtin == LaneBuiltin::id},
                                                 {"check", check}},
                                                {}});
    if (const std::string why = why_no_answer(ending); !why.empty()) return {{}, why};
    return {std::move(ending.answer.offsets), {}};
}

template <typename Words>
std::vector<Words> as(const std::vector<uint64_t>& words) {
    std::vector<Words> list(words.size() * sizeof(uint64_t) / sizeof(Words));
    std::memcpy(list.data(), words.data(), list.size() * sizeof(Words));
    return list;
}

}  // namespace

const char* lane_builtin_name(LaneBuiltin builtin) { return builtin == LaneBuiltin::index ? "index" : "id"; }

std::span<const Extent> lane_shapes() {
    static constexpr Extent shapes[] = {{8, 8},   {16, 8}, {8, 16},  {16, 16}, {32, 8},  {8, 32},
                                        {32, 32}, {64, 1}, {128, 1}, {256, 1}, {8, 8, 4}};
    return shapes;
}

bool is_within_limits(const DeviceInfo& device, const Extent& shape) {
    return shape.width <= device.max_group_size[0] && shape.height <= device.max_group_size[1] &&
           shape.depth <= device.max_group_size[2] &&
           shape.width * shape.height * shape.depth <= device.max_invocations;
}

void judge_lanes(std::span<const LaneWords> written, LaneOrder& order) {
    uint64_t highest = 0;
    for (const LaneWords& words : written) highest = std::max(highest, words.lane);
    if (highest >= written.size()) {
        order.disorder = fmt::format("there is a lane {} in a workgroup of {}", highest, written.size());
        return;
    }
    order.subgroup_size = std::bit_ceil(static_cast<uint32_t>(highest + 1));
    order.declared_size = static_cast<uint32_t>(written[0].declared_size);
    std::vector<bool> taken(written.size());
    for (size_t i = 0; i < written.size(); ++i) {
        const uint64_t place = written[i].subgroup * order.subgroup_size + written[i].lane;
        const bool beyond = place >= written.size();
        if (beyond || taken[place]) {
            order.disorder = fmt::format("invocation {} is in subgroup {}, lane {}, {}", i, written[i].subgroup,
                                         written[i].lane, beyond ? "of subgroups that are not full" : "as another is");
            order.places.clear();
            return;
        }
        taken[place] = true;
        order.places.push_back(static_cast<uint32_t>(place));
    }
}

std::string contradiction(const LaneOrder& order, std::span<const PeerWords> peers) {
    for (size_t i = 0; i < peers.size(); ++i) {
        const PeerWords& peer = peers[i];
        const uint32_t size = order.subgroup_size, lane = order.places[i] % size;
        if (peer.first >= order.places.size() || order.places[peer.first] != order.places[i] - lane ||
            peer.before != lane || peer.all != size || peer.elected != (lane == 0))
            return fmt::format(
                "invocation {} is in lane {} by its built-in, but {} of {} after invocation {} by ballot", i, lane,
                peer.before, peer.all, peer.first);
    }
    return {};
}

LaneOrder measure_lane_order(Workers& workers, const DeviceInfo& device, const Extent& shape, LaneBuiltin builtin) {
    LaneOrder order;
    order.shape = shape;
    order.builtin = builtin;
    const Written lanes = ask_for_lanes(workers, device, order, false);
    order.why_not = lanes.why_not;
    if (!order.why_not.empty()) return order;
    const std::vector<LaneWords> all = as<LaneWords>(lanes.words);
    const size_t invocations = size_t{shape.width} * shape.height * shape.depth;
    for (size_t group = 0; group * invocations < all.size() && order.disorder.empty(); ++group) {
        LaneOrder one = {shape, builtin};
        judge_lanes(std::span(all).subspan(group * invocations, invocations), one);
        if (group > 0 && one.disorder.empty() && one.places != order.places)
            one.disorder = "workgroups or runs differ from one another";
        order = std::move(one);
    }
    if (!order.disorder.empty()) return order;

    const Written check = ask_for_lanes(workers, device, order, true);
    if (!check.why_not.empty()) return order;  // a device without ballots: the built-ins alone are believed
    const std::vector<PeerWords> peers = as<PeerWords>(check.words);
    for (size_t group = 0; group * invocations < peers.size() && order.disorder.empty(); ++group)
        order.disorder = contradiction(order, std::span(peers).subspan(group * invocations, invocations));
    order.checked = order.disorder.empty();
    if (!order.checked) order.places.clear();
    return order;
}

}  // namespace tilewise::probe
