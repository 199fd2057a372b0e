// What was measured of kernels: one row is one kernel, in one order, over one image, at one time.
#pragma once
#include "db/database.h"
#include <nlohmann/json.hpp>
#include <vector>

namespace tilewise::db {

struct ValidationFact {
    std::string kernel;                       ///< "box", ...
    std::string method;                       ///< "direct", ...
    std::string order;                        ///< row, morton, rdna, learned; "" where the method has its own
    std::string format;                       ///< without VK_FORMAT_
    std::string pattern;                      ///< id of the pattern that the order was learned from; "" where none was
    std::array<uint32_t, 2> extent = {1, 1};  ///< texels of the image
    uint32_t radius = 0;
    std::array<uint32_t, 2> shape = {1, 1};  ///< texels of a workgroup
    uint32_t invocations = 0;                ///< of a workgroup
    int32_t memory_type = -1;                ///< of the image that is read; index
    uint32_t samples = 0;                    ///< that count
    uint32_t discarded = 0;                  ///< that do not, as they were disturbed
    double median_ms = 0;
    std::array<double, 2> interval_ms = {0, 0};     ///< with 95% confidence; both 0: one sample, so there is none
    double ratio = 0;                               ///< times as fast as the baseline; 0: there was none
    std::array<double, 2> ratio_interval = {0, 0};  ///< likewise
    std::string verdict = "baseline";               ///< faster, slower, no difference; baseline
    double floor_ms = 0;  ///< what moving its bytes once takes on that device; 0: not measured
    std::string time;     ///< UTC, as utc_now() writes it
    std::string tool_version;
    bool operator==(const ValidationFact&) const = default;
};

struct ValidationRow {
    int64_t row = 0;
    DeviceFact device;
    DriverFact driver;
    ValidationFact fact;
};

struct ValidationAdded {
    bool is_new = false;  ///< false: the very same fact (its time, too) was there already
    bool new_device = false, new_driver = false;
};

/// In one transaction, with the device and the driver if they are new. Throws Error "<member>: <what it must be>".
ValidationAdded add_validation(Database& db, const DeviceFact& device, const DriverFact& driver,
                               const ValidationFact& fact);

/// All of them, by device, driver and time; those of one time by kernel, format, radius, method, order and shape.
std::vector<ValidationRow> find_validations(const Database& db);

/// The fact alone, without device and driver; what is unknown is null.
nlohmann::ordered_json to_json(const ValidationFact& fact);

}  // namespace tilewise::db
