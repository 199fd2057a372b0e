// Whose facts answer a question.
#pragma once
#include "db/facts/device.h"
#include "db/facts/driver.h"
#include "db/query/filter.h"
#include "db/sqlite/database.h"
#include <utility>
#include <vector>

namespace tilewise {

/// The devices and drivers that the filter names, whatever image it is about. Of several boards or installations, which
/// differ in their UUIDs alone, there is one.
std::vector<std::pair<db::DeviceFact, db::DriverFact>> distinct_origins(const db::Database& database,
                                                                        const db::Filter& filter);

/// Likewise as a filter: without format, extent, mode and usage.
db::Filter of_any_image(db::Filter filter);

}  // namespace tilewise
