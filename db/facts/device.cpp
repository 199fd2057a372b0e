#include "db/facts/device.h"
#include "db/facts/json.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tuple>
#include <vector>

namespace tilewise::db {

namespace {

struct Vendor {
    uint32_t id;
    const char* name;
};
// PCI ids; from 0x10000 on, the ids that Khronos assigns (VkVendorId).
constexpr Vendor vendors[] = {
    {0x10de, "NVIDIA"},   {0x1002, "AMD"},      {0x8086, "Intel"},        {0x13b5, "ARM"},
    {0x5143, "Qualcomm"}, {0x106b, "Apple"},    {0x10005, "Mesa"},        {0x1010, "Imagination"},
    {0x14e4, "Broadcom"}, {0x144d, "Samsung"},  {0x1ae0, "Google"},       {0x1414, "Microsoft"},
    {0x19e5, "Huawei"},   {0x10001, "Vivante"}, {0x10002, "VeriSilicon"}, {0x1ed5, "Moore Threads"},
    {0x10006, "PoCL"},
};

}  // namespace

bool is_same_model(const DeviceFact& a, const DeviceFact& b) {
    return std::tie(a.vendor_id, a.device_id, a.name) == std::tie(b.vendor_id, b.device_id, b.name);
}

std::string vendor_name(uint32_t vendor_id) {
    for (const Vendor& vendor : vendors)
        if (vendor.id == vendor_id) return vendor.name;
    return fmt::format("{:#06x}", vendor_id);
}

uint32_t vendor_id_of(const std::string& text) {
    for (const Vendor& vendor : vendors)
        if (to_lower(vendor.name) == to_lower(text)) return vendor.id;
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const char* end = text.data() + text.size();
    uint32_t id = 0;
    const auto [stop, error] = std::from_chars(text.data() + (hex ? 2 : 0), end, id, hex ? 16 : 10);
    if (error == std::errc() && stop == end) return id;
    std::vector<std::string_view> names;
    for (const Vendor& vendor : vendors) names.emplace_back(vendor.name);
    throw UsageError(
        fmt::format("unknown vendor \"{}\": give an id such as 0x10de, or one of {}", text, fmt::join(names, ", ")));
}

nlohmann::ordered_json to_json(const DeviceFact& device) {
    nlohmann::ordered_json json = {{"vendor", vendor_name(device.vendor_id)}};
    json.update(members_json(device));
    return json;
}

}  // namespace tilewise::db
