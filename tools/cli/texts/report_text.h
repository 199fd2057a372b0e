// A report as text.
#pragma once
#include "tools/answers/report/report.h"

namespace tilewise {

/// A few lines a device, the tables of docs/report.md.
void print_report(const Report& report);

}  // namespace tilewise
