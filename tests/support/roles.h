// The roles of processes that tests start: each test file adds its own.
#pragma once
#include "probe/worker/process.h"
#include <utility>
#include <vector>

namespace tilewise {

/// All roles that were added.
std::vector<probe::worker::Role>& test_roles();

/// const AddedRole NAME({"name", function}); beside a test.
struct AddedRole {
    explicit AddedRole(probe::worker::Role role) { test_roles().push_back(std::move(role)); }
};

}  // namespace tilewise
