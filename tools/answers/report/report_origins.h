// The devices of a report, each with one version of its driver, and what was observed and learned there.
#pragma once
#include "db/facts/image_rule.h"
#include "db/facts/observation.h"
#include "tools/answers/report/report.h"
#include <string>
#include <tuple>
#include <vector>

namespace tilewise {

/// The key of a device model with one version of its driver: boards and installations of it differ only in UUIDs.
inline auto origin_key(const db::DeviceFact& device, const db::DriverFact& driver) {
    return std::tuple(device.vendor_id, device.device_id, device.name, driver.name, driver.info, driver.version);
}
using OriginKey = decltype(origin_key({}, {}));

/// One such device.
struct ReportOrigin {
    db::DeviceFact device;
    db::DriverFact driver;
    std::string assumed;  ///< why it stands in for another chip or driver version; empty if it does not
    std::vector<const db::ObservationRow*> rows;
    std::vector<db::ImageRuleRow> rules;
};

struct FoundOrigins {
    std::vector<db::ObservationRow> rows;  ///< of all origins, which point to them
    std::vector<ReportOrigin> origins;
    std::vector<std::string> notes, assumed;  ///< for the report
};

/// The devices that the request names, or all. If drivers are not compared, a device's newest driver comes first. Throws
/// Error if nothing is known about one of the sides.
FoundOrigins find_origins(const db::Database& database, const ReportRequest& request);

}  // namespace tilewise
