// A report as a page to look at.
#pragma once
#include "tools/answers/report/report.h"

namespace tilewise {

/// One self-contained page (HTML): it loads nothing.
std::string report_page(const Report& report);

}  // namespace tilewise
