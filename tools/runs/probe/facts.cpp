#include "tools/runs/probe/facts.h"
#include "db/names/names.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "patterns/rules/rule_json.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <tuple>

namespace tilewise {

namespace {

constexpr uint32_t nvidia_proprietary = 4;

std::string driver_version_text(const probe::DeviceInfo& device) {
    const uint32_t v = device.driver_version;
    if (device.driver_id == nvidia_proprietary)
        return fmt::format("{}.{}.{}.{}", v >> 22, (v >> 14) & 0xff, (v >> 6) & 0xff, v & 0x3f);
    return probe::version_text(v);
}

/// Whether one of Mesa's DRM shims replaces the kernel driver, so that a GPU's driver runs without the GPU.
bool runs_on_a_shim() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find("_drm_shim.so") != std::string::npos) return true;
    return false;
}

const char* provenance() {
    static const bool shim = runs_on_a_shim();
    return shim ? "driver without hardware" : "hardware";
}

std::string device_list(const std::vector<probe::DeviceInfo>& devices) {
    std::string text;
    for (const probe::DeviceInfo& device : devices)
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", device.index, device.name);
    return text;
}

}  // namespace

db::DeviceFact device_fact(const probe::DeviceInfo& device) {
    return {device.vendor_id, device.device_id, device.name, device.type, device.device_uuid};
}

db::DriverFact driver_fact(const probe::DeviceInfo& device) {
    db::DriverFact fact;
    fact.name = device.driver_name;
    fact.info = device.driver_info;
    fact.id = probe::driver_id_name(device.driver_id);
    fact.version = driver_version_text(device);
    fact.api_version = probe::version_text(device.api_version);
    fact.uuid = device.driver_uuid;
    fact.pipeline_uuid = device.pipeline_cache_uuid;
    fact.tiling_layout_uuid = device.tiling_layout_uuid;
    return fact;
}

bool share_model_and_driver(const probe::DeviceInfo& a, const probe::DeviceInfo& b) {
    const auto driver = [](const probe::DeviceInfo& device) {
        return std::tie(device.driver_name, device.driver_info, device.driver_version);
    };
    return is_same_model(device_fact(a), device_fact(b)) && driver(a) == driver(b);
}

db::ObservationFact observation_fact(const probe::DeviceInfo& device, const probe::Reading& reading,
                                     const Solution& solution) {
    db::ObservationFact fact;
    static_cast<ImageKind&>(fact) = kind_of(reading.probed.image);
    fact.level = reading.probed.level;
    fact.layer = reading.probed.layer;
    fact.aspect = probe::aspect_name(reading.probed.aspect);
    fact.route = probe::route_name(reading.probed.route);
    fact.memory_type = reading.memory_type;
    if (reading.memory_type >= 0 && static_cast<size_t>(reading.memory_type) < device.memory_types.size())
        fact.memory_flags =
            probe::memory_flag_names(device.memory_types[static_cast<size_t>(reading.memory_type)].flags);
    fact.result = probe::outcome_name(reading.outcome);
    fact.reason = reading.reason;
    if (reading.outcome == probe::Outcome::read) {
        const bool exact = solution.fit == Fit::exact;
        fact.result = exact ? "exact" : "no-fit";
        fact.reason = exact ? "" : solution.reason;
        fact.elements = solution.elements;
        fact.mismatches = solution.mismatches;
        if (exact) fact.layout = solution.layout;
    }
    fact.bytes = reading.image_bytes;
    fact.alignment = reading.alignment;
    fact.sparse = reading.sparse;
    fact.time = db::utc_now();
    fact.tool_version = TILEWISE_VERSION;
    fact.provenance = provenance();
    return fact;
}

db::ImageRuleFact rule_fact(const Rule& rule, const std::vector<std::string>& formats) {
    db::ImageRuleFact fact;
    fact.formats = fmt::format("{}", fmt::join(formats, ","));
    fact.usage = rule.usage;
    fact.flags = rule.flags;
    fact.image_type = rule.image_type;
    fact.provenance = provenance();
    fact.time = db::utc_now();
    fact.tool_version = TILEWISE_VERSION;
    fact.rule = to_json(rule);
    return fact;
}

db::UsageSizesFact usage_sizes_fact(const UsageSizes& sizes, const std::string& formats, ImageType type) {
    db::UsageSizesFact fact;
    fact.formats = formats;
    fact.image_type = type;
    fact.provenance = provenance();
    fact.time = db::utc_now();
    fact.tool_version = TILEWISE_VERSION;
    fact.sizes = to_json(sizes);
    return fact;
}

std::vector<probe::DeviceInfo> choose_devices(std::vector<probe::DeviceInfo> devices, const std::string& wanted) {
    if (wanted.empty()) return devices;
    uint32_t index = 0;
    const auto [end, bad] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
    if (bad == std::errc() && end == wanted.data() + wanted.size())
        for (const probe::DeviceInfo& device : devices)
            if (device.index == index) return {device};
    // "2080" is not an index but a word in a GPU's name; the 256 in "llvmpipe (LLVM 15.0.6, 256 bits)" does not count.
    const bool is_number = bad == std::errc() && end == wanted.data() + wanted.size();
    const auto is_called = [&](const probe::DeviceInfo& device) {
        if (!is_number) return to_lower(device.name).find(to_lower(wanted)) != std::string::npos;
        return db::has_words(db::words_of_name(device.name.substr(0, device.name.find('('))), wanted);
    };
    std::vector<probe::DeviceInfo> matching;
    std::ranges::copy_if(devices, std::back_inserter(matching), is_called);
    // "RTX 2080" is no part of "NVK TU104", but names a GPU with that chip.
    if (const auto named = matching.empty() ? db::gpu_named(wanted) : std::nullopt)
        for (const probe::DeviceInfo& device : devices)
            if (const auto gpu = db::gpu_of_device(device_fact(device)); gpu && gpu->chip == named->chip)
                matching.push_back(device);
    if (matching.empty())
        throw Error(fmt::format("there is no device \"{}\" here; there are: {}", wanted, device_list(devices)));
    if (matching.size() > 1)
        throw UsageError(fmt::format("\"{}\" is the name of several devices: {}; choose one by its number", wanted,
                                     device_list(matching)));
    return matching;
}

}  // namespace tilewise
