// The tiles that a report shows of each device: those of the usual formats, and what their order gains.
#pragma once
#include "tools/answers/pattern/choose_pattern.h"
#include "tools/answers/report/gains.h"
#include "tools/answers/report/report.h"
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilewise {

/// By format: the rank of its plainest and largest image, and the index of that image's pattern.
using PlainPatterns = std::map<std::string, std::pair<PlainRank, size_t>>;

/// Adds the tiles to the report's devices, and to the report the gains that were measured with their patterns. `plain`
/// has one entry for each device; the remaps of the patterns are there already.
void add_tiles(Report& report, std::vector<PlainPatterns> plain, const std::vector<ReportGain>& all);

}  // namespace tilewise
