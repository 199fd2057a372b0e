// The options by which query and show choose observations.
#pragma once
#include "db/query/query.h"
#include <string>

namespace CLI {
class App;
}

namespace tilewise {

struct FilterOptions {
    std::string gpu, vendor, device, driver, format, extent, usage, mode;
};

void add_filter_options(CLI::App& command, FilterOptions& options);

/// Throws UsageError for an extent that is none.
db::Filter parse_filter(const FilterOptions& options);

}  // namespace tilewise
