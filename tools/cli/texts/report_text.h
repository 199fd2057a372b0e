// A report as text.
#pragma once
#include "tools/answers/report/report.h"

namespace tilewise {

/// Prints a few lines for each device, the tables of docs/report.md.
void print_report(const Report& report);

}  // namespace tilewise
