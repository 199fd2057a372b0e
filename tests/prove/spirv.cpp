#include "tests/prove/spirv.h"
#include "tests/support/program.h"
#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <thread>

namespace tilewise::prove {

namespace {

void ask(Machine& machine, const vulkan::Compute& compute, const Claim::Call& call, const Question& asked,
         std::vector<uint64_t>& got) {
    // Buffers that grow are other buffers: binding them anew each time costs nothing.
    for (auto [buffer, values] : {std::pair(&machine.in, asked.in.size()), {&machine.out, asked.expected.size()}})
        vulkan::reserve_buffer(machine.device, *buffer, values * sizeof(uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                               VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    vulkan::bind_buffers(machine.device, compute.bindings,
                         std::array{machine.in.handle.handle, machine.out.handle.handle});
    auto* in = reinterpret_cast<uint32_t*>(machine.in.memory.map);
    auto* out = reinterpret_cast<uint32_t*>(machine.out.memory.map);
    std::ranges::transform(asked.in, in, [](uint64_t value) { return static_cast<uint32_t>(value); });
    std::fill_n(out, asked.expected.size(), 0xdeadbeef);

    std::array<uint32_t, 1 + axis_count> push = {static_cast<uint32_t>(asked.invocations)};
    for (size_t i = 0; i < axis_count; ++i) push[i + 1] = static_cast<uint32_t>(call.parameters[i]);
    vulkan::run_compute(machine.device, machine.commands, compute, {(push[0] + 63) / 64, 1, 1},
                        std::as_bytes(std::span(push)));
    got.assign(out, out + asked.expected.size());
}

/// Compiles all claims, each to FOLDER/NUMBER.spv, as many at a time as there are cores. Returns the complaints.
std::string compile(const std::vector<Claim>& claims, Language language, const std::string& folder,
                    const std::function<std::string(const Claim&)>& shader) {
    const size_t jobs = std::max(1u, std::thread::hardware_concurrency());
    std::vector<Running> running;
    for (size_t job = 0; job < std::min(jobs, claims.size()); ++job) {
        Command command = glslc_in(folder, language);
        for (size_t i = job; i < claims.size(); i += jobs) {
            write_text(fmt::format("{}/{}", folder, i), shader(claims[i]));
            command.push_back(std::to_string(i));
        }
        running.push_back(start(command));
    }
    std::string complaints;
    for (const Running& each : running) complaints += wait_for(each).err;
    return complaints;
}

/// The lines of glslc's complaints that are about this file.
std::string about(const std::string& complaints, const std::string& file) {
    std::string lines;
    std::istringstream all(complaints);
    for (std::string line; std::getline(all, line);)
        if (line.starts_with(file + ":")) lines += line + "\n";
    return lines;
}

}  // namespace

Command glslc_in(const std::string& folder, Language language) {
    // Where there are several files, glslc writes the results to the folder where it is started.
    return {"env",
            "-C",
            folder,
            "glslc",
            "-c",
            "-x",
            std::string(language_name(language)),
            "-Werror",
            "--target-env=vulkan1.1",
            "-fshader-stage=compute"};
}

VkPhysicalDevice device_that_proves(const vulkan::Instance& instance) {
    VkPhysicalDevice chosen = instance.devices.front();
    for (VkPhysicalDevice physical : instance.devices)
        if (std::strstr(vulkan::traits_of(physical).properties.deviceName, "llvmpipe")) chosen = physical;
    return chosen;
}

bool open(Machine& machine) {
    try {
        vulkan::open_instance(machine.instance);
    } catch (const Error& error) {
        MESSAGE("SKIPPED: " << error.what());
        return false;
    }
    vulkan::open_device(machine.device, device_that_proves(machine.instance));
    vulkan::open_commands(machine.device, machine.commands);
    return true;
}

void prove_on_vulkan(Language language, const std::string& name, const std::function<std::string(const Claim&)>& shader,
                     Share of_catalog) {
    Machine machine;
    if (!open(machine)) return;
    const std::vector<Claim> claims = all_claims(32, of_catalog);
    const Folder folder;
    const std::string complaints = compile(claims, language, folder.path.string(), shader);

    Proof proof = {name};
    std::vector<uint64_t> got;
    for (size_t i = 0; i < claims.size(); ++i) {
        const Claim& claim = claims[i];
        const std::string file = std::to_string(i);
        if (!std::filesystem::exists(folder / (file + ".spv"))) {
            proof.does_not_compile(claim, about(complaints, file) + emit(claim, language));
            continue;
        }
        const std::string bytes = read_text(folder / (file + ".spv"));
        const std::span spirv(reinterpret_cast<const uint32_t*>(bytes.data()), bytes.size() / sizeof(uint32_t));
        vulkan::Compute compute;
        vulkan::create_compute(machine.device, {.spirv = spirv, .buffers = 2, .push_bytes = 20, .constants = {}},
                               compute);
        for (const Claim::Call& call : claim.calls) {
            const Question asked = question(claim, call);
            ask(machine, compute, call, asked, got);
            if (!proof.compare(claim, call, asked, got)) break;
        }
    }
    proof.summary(fmt::format("compiled by glslc, run on {}", machine.device.traits.properties.deviceName),
                  claims.size());
}

}  // namespace tilewise::prove
