#include "db/query/filter.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilewise::db {

namespace {

std::string json_list(const std::string& names) {
    return nlohmann::json(split(to_lower(names))).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

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
    "AND (?11 = '' OR provenance = ?11) "
    "AND (?13 = '' OR device.id IN (SELECT value FROM json_each(?13))) ";

void bind_filter(Statement& statement, const Filter& filter) {
    std::string format = to_lower(filter.format);
    if (format.starts_with("vk_format_")) format.erase(0, 10);
    const std::array<uint32_t, 3> extent = filter.extent.value_or(std::array<uint32_t, 3>{});
    if (filter.extent && std::ranges::count(extent, 0u) != 0) throw UsageError("an extent of 0 has no texels");
    // Drivers of Mesa may give its own id as the vendor's: "Apple M1" is by Apple all the same.
    const std::string maker = to_lower(filter.vendor) == "mesa" ? "" : to_lower(filter.vendor);
    statement.bind(filter.vendor.empty() ? int64_t{-1} : int64_t{vendor_id_of(filter.vendor)}, to_lower(filter.device),
                   to_lower(filter.driver), format, json_list(filter.usage), extent[0], extent[1], extent[2],
                   filter.result, filter.pattern, filter.provenance, maker,
                   filter.devices ? nlohmann::json(*filter.devices).dump() : "");
}

}  // namespace tilewise::db
