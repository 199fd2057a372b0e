#include "tests/support/roles.h"

namespace tilewise {

std::vector<probe::worker::Role>& test_roles() {
    static std::vector<probe::worker::Role> roles;
    return roles;
}

}  // namespace tilewise
