// The loop of a worker process that owns Vulkan.
#pragma once
#include "probe/worker/process.h"

namespace tilewise::probe::worker {

/// Replies to the program's requests until there are no more. A request that cannot be served gets a Failure with the
/// reason.
int serve_vulkan(Playing& playing);

/// The role that Workers starts: main() passes it to play_role.
inline const Role vulkan_role = {"vulkan", serve_vulkan};

}  // namespace tilewise::probe::worker
