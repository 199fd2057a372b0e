// A device as a fact: what Vulkan calls a physical device.
#pragma once
#include "db/facts/rules.h"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace tilewise::db {

/// Two devices are the same if all their members are equal.
struct DeviceFact {
    uint32_t vendor_id = 0;  ///< as Vulkan gives it: a PCI id, or a Khronos one (0x10005 is Mesa)
    uint32_t device_id = 0;
    std::string name = {};
    std::string type = {};  ///< discrete, integrated, virtual, cpu, other; "" where unknown
    std::string uuid = {};  ///< deviceUUID as 32 hexadecimal digits; "" where unknown
    bool operator==(const DeviceFact&) const = default;

    static constexpr const char* table = "device";
    static constexpr auto members() {
        using enum Presence;
        using F = DeviceFact;
        constexpr std::array<std::string_view, 6> types = {"", "discrete", "integrated", "virtual", "cpu", "other"};
        return std::tuple(member("vendor_id", &F::vendor_id, required, rule::hex_id),
                          member("device_id", &F::device_id, required, rule::hex_id),
                          member("name", &F::name, required, rule::non_empty_line),
                          member("type", &F::type, optional, rule::one_of(types)),
                          member("uuid", &F::uuid, optional, rule::line));
    }
};
static_assert(members_are_complete<DeviceFact>());

/// Whether the two are boards of one kind: only their UUIDs may differ.
bool is_same_model(const DeviceFact& a, const DeviceFact& b);

/// Returns the name of a vendor id ("NVIDIA"), or the id as "0x1234" if it is unknown.
std::string vendor_name(uint32_t vendor_id);
/// Parses "AMD", "0x1002" or "4098". Throws UsageError that lists the names.
uint32_t vendor_id_of(const std::string& text);

/// The object also has the vendor's name.
nlohmann::ordered_json to_json(const DeviceFact& device);

}  // namespace tilewise::db
