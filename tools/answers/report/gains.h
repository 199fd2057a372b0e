// What memory order gains, as the report's first screen says it: from timings, and from how much memory is touched.
#pragma once
#include "db/sqlite/database.h"
#include "tools/answers/report/report.h"
#include <string>
#include <vector>

namespace tilewise {

/// Returns what was timed on all devices.
std::vector<ReportGain> find_gains(const db::Database& database);

/// Returns sentences about the gains for one format and tile: "Reading in memory order is ..".
std::vector<std::string> measured_sentences(const std::vector<const ReportGain*>& gains);

/// "Images of R8G8B8A8_UNORM on NVIDIA H200"
std::string whose_images(const std::vector<const ReportGain*>& gains);

/// Returns what follows from a pattern with a remap without any timing: how much memory a workgroup touches.
std::string touched_sentence(const ReportPattern& pattern, const std::string& format);

}  // namespace tilewise
