// The loop of a worker process that owns Vulkan.
#pragma once

namespace tilewise::probe::worker {

/// Replies to what the program asks until it asks no more. What cannot be done gets a Failure with the reason.
void serve_vulkan(int channel);

}  // namespace tilewise::probe::worker
