// Lane orders and launch orders, as the commands devices and probe show them.
#pragma once
#include "tools/cli/terminal/print.h"
#include "tools/runs/probe/lane_order.h"

namespace tilewise {

/// One row for each order that several shapes share, one for the newest launch order, one for each kind of failure:
/// {"lanes", "by index", "8x8 16x16 ..: invocation i in lane slot i, subgroups of 32"}.
std::vector<Row> lane_rows(const LaneFacts& facts);

/// Adds "lane_orders", "start_order" (the newest, or null) and, if something failed, "lane_failures".
void add_lane_json(const LaneFacts& facts, nlohmann::ordered_json& json);

}  // namespace tilewise
