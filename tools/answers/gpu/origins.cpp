#include "tools/answers/gpu/origins.h"
#include "db/query/query.h"
#include <cstdint>
#include <set>
#include <string>
#include <tuple>

namespace tilewise {

std::vector<std::pair<db::DeviceFact, db::DriverFact>> distinct_origins(const db::Database& database,
                                                                        const db::Filter& filter) {
    std::set<std::tuple<uint32_t, uint32_t, std::string, std::string, std::string, std::string>> seen;
    std::vector<std::pair<db::DeviceFact, db::DriverFact>> distinct;
    for (const auto& origin : db::origins_of(database, of_any_image(filter))) {
        const auto& [device, driver] = origin;
        if (seen.emplace(device.vendor_id, device.device_id, device.name, driver.name, driver.info, driver.version)
                .second)
            distinct.push_back(origin);
    }
    return distinct;
}

db::Filter of_any_image(db::Filter filter) {
    filter.format.clear();
    filter.mode.clear();
    filter.usage.clear();
    filter.extent.reset();
    return filter;
}

}  // namespace tilewise
