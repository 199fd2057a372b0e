// What the database knows of how a device and driver run workgroups: what choose_workgroup needs of them.
#pragma once
#include "db/facts/device.h"
#include "db/facts/driver.h"
#include "db/sqlite/database.h"
#include "patterns/remap/workgroup.h"

namespace tilewise {

/// The newest facts of this device model with this driver version; the defaults where there are none. Lanes are those
/// of workgroups that are one row of invocations, which find their texel by gl_LocalInvocationIndex: so the kernels
/// are timed, and so is the code of snippets meant to run.
KnownDevice known_device(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver);

/// What a choice took for granted, a line each. `why`: no registers are known.
std::vector<std::string> assumptions(const WorkgroupChoice& choice, const std::string& why);

}  // namespace tilewise
