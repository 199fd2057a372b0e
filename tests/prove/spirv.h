// Proves a language that glslc (glslang) compiles to SPIR-V: a Vulkan device runs it, lavapipe if there is one.
#pragma once
#include "probe/vulkan/compute.h"
#include "tests/prove/prove.h"
#include "tests/support/program.h"

namespace tilewise::prove {

/// A compute device, with one buffer for input and one for output.
struct Machine {
    vulkan::Instance instance;
    vulkan::Device device;
    vulkan::Commands commands;
    vulkan::HostBuffer in, out;
};
/// The glslc command, without the names of the files: each is a compute shader, which becomes NAME.spv in the folder.
Command glslc_in(const std::string& folder, Language language);

/// Lavapipe if the instance has it, else another of its devices.
VkPhysicalDevice device_that_proves(const vulkan::Instance& instance);
/// False, and the test is skipped, if there is no compute device.
bool open(Machine& machine);

/// `shader`: returns a claim's code as a whole compute shader with 64 invocations per workgroup. It reads the arguments
/// from the storage buffer at binding 0, writes its results to binding 1, and has the push constants uint count, p0,
/// p1, p2, p3: the number of invocations and the parameters.
void prove_on_vulkan(Language language, const std::string& name, const std::function<std::string(const Claim&)>& shader,
                     Share of_catalog = {});

}  // namespace tilewise::prove
