#include "patterns/model/bits.h"
#include "patterns/remap/remap.h"
#include <fmt/format.h>

namespace tilewise {

namespace {

/// The columns in the order of invocation bits, with a bar where the subgroup ends.
std::string order_text(const Derivation& derivation) {
    std::string text;
    const size_t lane_bits = log2_exact(derivation.request.subgroup_size);
    const bool lanes_are_invocations = derivation.request.lane_order.empty();
    for (size_t bit = 0; bit < derivation.remap.columns.size(); bit++) {
        if (bit == lane_bits && bit > 0 && lanes_are_invocations) text += " |";
        text += (text.empty() ? "" : " ") + coordinate_bits(derivation.remap.columns[bit]);
    }
    return text;
}

}  // namespace

std::string explain(const Derivation& derivation) {
    const RemapRequest& request = derivation.request;
    std::string text =
        fmt::format("workgroup  {} of {} invocations, subgroups of {}, radius {}\n", shape_text(derivation.remap.shape),
                    request.invocations, request.subgroup_size, request.radius);
    text += fmt::format("order      {}   (invocation bit 0 first)\n", order_text(derivation));
    text += fmt::format("subgroup   covers address bits {}\n\n", derivation.subgroup_bits);

    text += fmt::format("{:<8} {:<8} {:^38} {:>7}\n", "", "", "segments that one load touches", "texels");
    text += fmt::format("{:<8} {:<8} {:>7} {:>7} {:>7} {:>14} {:>7}\n", "order", "shape", "32 B", "64 B", "128 B",
                        "64 B, by fours", "read");
    for (const OrderCost& cost : derivation.orders)
        text +=
            fmt::format("{:<8} {:<8} {:>7} {:>7} {:>7} {:>14} {:>7}\n", cost.name, shape_text(cost.remap.shape),
                        cost.segments_32, cost.segments_64, cost.segments_128, cost.quad_segments, cost.halo_texels);
    return text + "\n" + derivation.reason + "\n";
}

}  // namespace tilewise
