// What memory order gains, as the report's first screen says it: by timings, and by how much of memory is touched.
#pragma once
#include "db/sqlite/database.h"
#include "tools/answers/report/report.h"
#include <string>
#include <vector>

namespace tilewise {

/// Returns what was timed, of all devices.
std::vector<ReportGain> find_gains(const db::Database& database);

/// Returns sentences of the gains of one format and tile: "Reading in memory order is ..".
std::vector<std::string> measured_sentences(const std::vector<const ReportGain*>& gains);

/// "Images of R8G8B8A8_UNORM on NVIDIA H200"
std::string whose_images(const std::vector<const ReportGain*>& gains);

/// Returns what nobody has to measure of a pattern with a remap: how much of memory a workgroup touches.
std::string touched_sentence(const ReportPattern& pattern, const std::string& format);

}  // namespace tilewise
