#include "db/facts/driver.h"
#include <fmt/format.h>

namespace tilewise::db {

std::string driver_text(const DriverFact& driver) {
    const std::string& which = driver.info.empty() ? driver.version : driver.info;
    return which.empty() ? driver.name : fmt::format("{} {}", driver.name, which);
}

}  // namespace tilewise::db
