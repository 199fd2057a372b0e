// A report as an HTML page.
#pragma once
#include "tools/answers/report/report.h"

namespace tilewise {

/// One self-contained page (HTML): it loads nothing.
std::string report_page(const Report& report);

}  // namespace tilewise
