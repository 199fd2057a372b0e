// The loop of a worker process that owns Vulkan.
#pragma once
#include "probe/worker/process.h"

namespace tilewise::probe::worker {

/// Replies to what the program asks until it asks no more. What cannot be done gets a Failure with the reason.
int serve_vulkan(Playing& playing);

/// What Workers start: main() gives it to play_role.
inline const Role vulkan_role = {"vulkan", serve_vulkan};

}  // namespace tilewise::probe::worker
