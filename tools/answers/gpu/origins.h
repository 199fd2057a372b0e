// Whose facts answer a question.
#pragma once
#include "db/facts/device.h"
#include "db/facts/driver.h"
#include "db/query/filter.h"
#include "db/sqlite/database.h"
#include <utility>
#include <vector>

namespace tilewise {

/// The devices and drivers that the filter names, for any image. Boards or installations that differ only in their
/// UUIDs are listed once.
std::vector<std::pair<db::DeviceFact, db::DriverFact>> distinct_origins(const db::Database& database,
                                                                        const db::Filter& filter);

/// The filter without format, extent, mode and usage.
db::Filter of_any_image(db::Filter filter);

}  // namespace tilewise
