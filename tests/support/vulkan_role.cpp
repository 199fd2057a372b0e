#include "probe/worker/child.h"
#include "tests/support/roles.h"

namespace tilewise {

namespace {

const AddedRole added(probe::worker::vulkan_role);

}  // namespace

}  // namespace tilewise
