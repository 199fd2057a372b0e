// Converts what a probe reports to facts for the database.
#pragma once
#include "db/facts/image_rule.h"
#include "db/facts/observation.h"
#include "db/facts/usage_sizes.h"
#include "patterns/rules/rule.h"
#include "patterns/solve/solve.h"
#include "probe/probe.h"
#include <string>
#include <vector>

namespace tilewise {

db::DeviceFact device_fact(const probe::DeviceInfo& device);
db::DriverFact driver_fact(const probe::DeviceInfo& device);

/// Whether they are two boards of one model with the same driver: what is known about one holds for the other.
bool share_model_and_driver(const probe::DeviceInfo& a, const probe::DeviceInfo& b);

/// `solution` is only used if the outcome is `read`.
db::ObservationFact observation_fact(const probe::DeviceInfo& device, const probe::Reading& reading,
                                     const Solution& solution);

db::ImageRuleFact rule_fact(const Rule& rule, const std::vector<std::string>& formats);

/// `formats`: the formats that have these sizes, joined by commas.
db::UsageSizesFact usage_sizes_fact(const UsageSizes& sizes, const std::string& formats, ImageType type);

/// The device with that index, or the one whose name contains `wanted`, or whose chip is that of the product `wanted`;
/// all of them for "". Throws Error that lists the devices if none matches, UsageError if several match.
std::vector<probe::DeviceInfo> choose_devices(std::vector<probe::DeviceInfo> devices, const std::string& wanted);

}  // namespace tilewise
