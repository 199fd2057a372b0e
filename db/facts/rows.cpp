#include "db/facts/rows.h"
#include "db/facts/facts.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise::db {

namespace {

struct Vendor {
    uint32_t id;
    const char* name;
};
// PCI ids, and from 0x10000 on the ids that Khronos gives (VkVendorId).
constexpr Vendor vendors[] = {
    {0x10de, "NVIDIA"},   {0x1002, "AMD"},      {0x8086, "Intel"},        {0x13b5, "ARM"},
    {0x5143, "Qualcomm"}, {0x106b, "Apple"},    {0x10005, "Mesa"},        {0x1010, "Imagination"},
    {0x14e4, "Broadcom"}, {0x144d, "Samsung"},  {0x1ae0, "Google"},       {0x1414, "Microsoft"},
    {0x19e5, "Huawei"},   {0x10001, "Vivante"}, {0x10002, "VeriSilicon"}, {0x1ed5, "Moore Threads"},
    {0x10006, "PoCL"},
};

int64_t vendor_id_of(const std::string& text) {
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

std::string json_list(const std::string& names) {
    nlohmann::json list = nlohmann::json::array();
    for (size_t at = 0; at < names.size();) {
        const size_t end = std::min(names.find(',', at), names.size());
        list.push_back(to_lower(std::string_view(names).substr(at, end - at)));
        at = end + 1;
    }
    return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::array<uint32_t, 3> extent_at(const Statement& row, int column) {
    std::array<uint32_t, 3> extent = {};
    for (int axis = 0; axis < 3; ++axis)
        extent[static_cast<size_t>(axis)] = static_cast<uint32_t>(row.integer(column + axis));
    return extent;
}

}  // namespace

const std::string_view select_observations =
    "SELECT observation.id, vendor_id, device_id, device.name, type, device.uuid, "
    "driver.name, info, driver_id, version, api_version, driver.uuid, pipeline_uuid, tiling_layout_uuid, "
    "format, usage, image_type, width, height, depth, levels, layers, samples, level, layer, aspect, route, "
    "memory_type, "
    "memory_flags, result, reason, elements, mismatches, time, tool_version, provenance, pattern, layout "
    "FROM observation JOIN device ON device.id = device JOIN driver ON driver.id = driver ";

const std::string_view filter_condition =
    "(?1 < 0 OR vendor_id = ?1 OR (vendor_id = 0x10005 AND ?12 <> '' AND instr(lower(device.name), ?12) = 1)) "
    // Where a name has the wanted part as whole words, names that go on are not meant: "RX 570", "RX 5700 XT".
    "AND instr(lower(device.name), ?2) "
    "AND (substr(lower(device.name) || ' ', instr(lower(device.name), ?2) + length(?2), 1) NOT GLOB '[0-9a-z]' "
    "     OR NOT EXISTS (SELECT 1 FROM device AS other WHERE instr(lower(other.name), ?2) AND "
    "         substr(lower(other.name) || ' ', instr(lower(other.name), ?2) + length(?2), 1) NOT GLOB '[0-9a-z]')) "
    "AND instr(lower(driver.name || ' ' || info || ' ' || version), ?3) "
    "AND (?4 = '' OR lower(format) = ?4) "
    "AND NOT EXISTS (SELECT 1 FROM json_each(?5) AS wanted "
    "                WHERE NOT instr(',' || lower(usage) || ',', ',' || wanted.value || ',')) "
    "AND (?6 = 0 OR (width = ?6 AND height = ?7 AND depth = ?8)) "
    "AND (?9 = '' OR result = ?9) "
    "AND (?10 = '' OR pattern = ?10) "
    "AND (?11 = '' OR provenance = ?11) ";

const std::string_view order_by_fact =
    "ORDER BY vendor_id, device.name, device_id, device.uuid, driver.name, info, version, driver.uuid, format, usage, "
    "width, height, depth, levels, layers, samples, level, layer, aspect, route, memory_type, time, identity ";

void bind_filter(Statement& statement, const Filter& filter) {
    std::string format = to_lower(filter.format);
    if (format.starts_with("vk_format_")) format.erase(0, 10);
    const std::array<uint32_t, 3> extent = filter.extent.value_or(std::array<uint32_t, 3>{});
    if (filter.extent && std::ranges::count(extent, 0u) != 0) throw UsageError("an extent of 0 has no texels");
    // Drivers of Mesa may give its own id as the vendor's: "Apple M1" is by Apple all the same.
    const std::string maker = to_lower(filter.vendor) == "mesa" ? "" : to_lower(filter.vendor);
    statement.bind(filter.vendor.empty() ? int64_t{-1} : vendor_id_of(filter.vendor), to_lower(filter.device),
                   to_lower(filter.driver), format, json_list(filter.usage), extent[0], extent[1], extent[2],
                   filter.result, filter.pattern, filter.provenance, maker);
}

DeviceFact read_device(const Statement& row, int& column) {
    DeviceFact device;
    device.vendor_id = static_cast<uint32_t>(row.integer(column++));
    device.device_id = static_cast<uint32_t>(row.integer(column++));
    for (std::string* member : {&device.name, &device.type, &device.uuid}) *member = row.text(column++);
    return device;
}

DriverFact read_driver(const Statement& row, int& column) {
    DriverFact driver;
    for (std::string* member : {&driver.name, &driver.info, &driver.id, &driver.version, &driver.api_version,
                                &driver.uuid, &driver.pipeline_uuid, &driver.tiling_layout_uuid})
        *member = row.text(column++);
    return driver;
}

ObservationRow read_observation(const Statement& row, Layouts layouts) {
    ObservationRow out;
    int column = 0;
    const auto text = [&] { return row.text(column++); };
    const auto number = [&] { return static_cast<uint32_t>(row.integer(column++)); };
    out.row = row.integer(column++);
    out.device = read_device(row, column);
    out.driver = read_driver(row, column);
    ObservationFact& fact = out.fact;
    fact.format = text();
    fact.usage = text();
    fact.image_type = text();
    fact.extent = extent_at(row, column);
    column += 3;
    for (uint32_t* member : {&fact.levels, &fact.layers, &fact.samples, &fact.level, &fact.layer}) *member = number();
    fact.aspect = text();
    fact.route = text();
    fact.memory_type = static_cast<int32_t>(row.integer(column++));
    fact.memory_flags = text();
    fact.result = text();
    fact.reason = text();
    fact.elements = static_cast<uint64_t>(row.integer(column++));
    fact.mismatches = static_cast<uint64_t>(row.integer(column++));
    fact.time = text();
    fact.tool_version = text();
    fact.provenance = text();
    out.pattern = text();
    if (layouts == Layouts::read && !row.is_null(column)) fact.layout = layout_from_text(row.text(column));
    return out;
}

ObservationRow observation_at(const Database& db, int64_t row) {
    Statement statement(db.sqlite, fmt::format("{}WHERE observation.id = ?", select_observations));
    if (!statement.bind(row).step()) throw Error(fmt::format("{}: has no observation {}", db.path, row));
    return read_observation(statement);
}

std::string vendor_name(uint32_t vendor_id) {
    for (const Vendor& vendor : vendors)
        if (vendor.id == vendor_id) return vendor.name;
    return fmt::format("{:#06x}", vendor_id);
}

std::string extent_text(const std::array<uint32_t, 3>& extent) {
    return extent[2] == 1 ? fmt::format("{}x{}", extent[0], extent[1]) : fmt::format("{}", fmt::join(extent, "x"));
}

std::string device_text(const DeviceFact& device, const DriverFact& driver) {
    std::string text = driver.name;
    for (const std::string& part : {driver.info, driver.info.empty() ? driver.version : std::string()})
        if (!part.empty()) text += (text.empty() ? "" : " ") + part;
    return text.empty() ? device.name : fmt::format("{} ({})", device.name, text);
}

}  // namespace tilewise::db
