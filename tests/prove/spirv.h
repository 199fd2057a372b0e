// The proof of a language that glslc (glslang) compiles to SPIR-V: run by a Vulkan device, lavapipe where there is one.
#pragma once
#include "probe/vulkan/compute.h"
#include "tests/prove/prove.h"
#include "tests/support/program.h"

namespace tilewise::prove {

/// A device that computes, and a buffer before and after.
struct Machine {
    vulkan::Instance instance;
    vulkan::Device device;
    vulkan::Commands commands;
    vulkan::HostBuffer in, out;
};
/// glslc, for files whose names are to follow: a compute shader each, which becomes NAME.spv in the folder.
Command glslc_in(const std::string& folder, Language language);

/// Lavapipe where the instance has it, else another of its devices.
VkPhysicalDevice device_that_proves(const vulkan::Instance& instance);
/// False, and the test is skipped, where there is no device that computes.
bool open(Machine& machine);

/// `shader`: a claim's code as a whole compute shader of 64 invocations a workgroup. It finds the arguments in the
/// storage buffer at binding 0, puts its results to binding 1, and has the push constants uint count, p0, p1, p2,
/// p3: the number of invocations and the parameters.
void prove_on_vulkan(Language language, const std::string& name, const std::function<std::string(const Claim&)>& shader,
                     Share of_catalog = {});

}  // namespace tilewise::prove
