// What the database knows about how a device and driver run workgroups: the facts that choose_workgroup() needs.
#pragma once
#include "db/facts/device.h"
#include "db/facts/driver.h"
#include "db/sqlite/database.h"
#include "patterns/remap/workgroup.h"

namespace tilewise {

/// The newest facts about this device model with this driver version; defaults for what is not known. Lane orders are
/// those of workgroups that are one row of invocations and find their texel by gl_LocalInvocationIndex: kernels are
/// timed like that, and so is the code of snippets that are meant to run.
KnownDevice known_device(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver);

/// What a choice took for granted, one line each. `why`: the reason why no registers are known.
std::vector<std::string> assumptions(const WorkgroupChoice& choice, const std::string& why);

}  // namespace tilewise
