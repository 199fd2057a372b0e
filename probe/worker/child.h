// The loop of a worker process that owns Vulkan.
#pragma once

namespace tilewise::probe {

/// Answers {"op":"devices"}, {"op":"image"}, {"op":"case"}, {"op":"lanes"} and {"op":"starts"} until it is asked to leave. What cannot be answered gets
/// {"error": why}; after {"lost": why} the device is gone and the worker should be replaced.
void serve_vulkan(int channel);

}  // namespace tilewise::probe
