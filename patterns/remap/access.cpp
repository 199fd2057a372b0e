#include "patterns/remap/access.h"
#include <algorithm>
#include <array>

namespace tilewise {

namespace {

std::array<uint64_t, 3> segments_of(const OrderCost& cost) {
    return {cost.segments_32, cost.segments_64, cost.segments_128};
}

const OrderCost* morton_of(const std::vector<OrderCost>& orders) {
    const auto found = std::ranges::find(orders, "morton", &OrderCost::name);
    return found == orders.end() ? nullptr : &*found;
}

}  // namespace

bool differ_in_segments(const std::vector<OrderCost>& orders) {
    const OrderCost* morton = morton_of(orders);
    const auto row = segments_of(orders.front());
    return segments_of(orders.back()) != row || (morton && segments_of(*morton) != row);
}

bool is_morton_enough(const std::vector<OrderCost>& orders) {
    const OrderCost* morton = morton_of(orders);
    if (!morton) return false;
    const auto row = segments_of(orders.front()), learned = segments_of(orders.back()), own = segments_of(*morton);
    bool gains = false;
    for (size_t i = 0; i < own.size(); ++i) {
        if (own[i] > learned[i]) return false;
        gains = gains || own[i] < row[i];
    }
    return gains;
}

const GatherRule& gather_rule(uint32_t element_bytes, uint32_t radius, uint32_t max_invocations) {
    const GatherRule* rule = gather_rules;
    for (const GatherRule& each : gather_rules)
        if (element_bytes >= each.min_element_bytes && radius >= each.min_radius &&
            (max_invocations == 0 || element_count(each.shape) <= max_invocations))
            rule = &each;
    return *rule;
}

Remap gather_remap(const GatherRule& rule) { return rule.is_morton ? morton_order(rule.shape) : row_order(rule.shape); }

}  // namespace tilewise
