#include "kernels/shader/confined.h"
#include "tests/support/roles.h"

namespace tilewise {

namespace {

const AddedRole added(kernels::compile_role);

}  // namespace

}  // namespace tilewise
