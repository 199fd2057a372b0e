#include "db/query/filter.h"
#include "db/facts/pattern_mode.h"
#include "patterns/model/error.h"
#include "patterns/model/mode_words.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace tilewise::db {

namespace {

constexpr std::string_view devices_sql =
    "SELECT id FROM device "
    "WHERE (?1 < 0 OR vendor_id = ?1 OR (vendor_id = 0x10005 AND ?3 <> '' AND instr(lower(name), ?3) = 1)) "
    "AND instr(lower(name), ?2) "
    // If a name contains the wanted part as whole words, names in which the words go on are excluded: "RX 570", "RX
    // 5700 XT".
    "AND (substr(lower(name) || ' ', instr(lower(name), ?2) + length(?2), 1) NOT GLOB '[0-9a-z]' "
    "     OR NOT EXISTS (SELECT 1 FROM device AS other WHERE instr(lower(other.name), ?2) AND "
    "         substr(lower(other.name) || ' ', instr(lower(other.name), ?2) + length(?2), 1) NOT GLOB '[0-9a-z]'))";

// Likewise, if a word begins with the wanted part: "nvk" does not match panvk.
constexpr std::string_view drivers_sql =
    "WITH named AS (SELECT id, ' ' || replace(replace(lower(name || ' ' || info || ' ' || version), '.', ' '), '-', ' "
    "') "
    "AS text FROM driver) SELECT id FROM named WHERE instr(text, ' ' || ?1) OR (instr(text, ?1) AND NOT EXISTS (SELECT "
    "1 "
    "FROM named WHERE instr(text, ' ' || ?1)))";

/// Returns the text with the separators that drivers_sql uses.
std::string wanted_driver(const std::string& text) {
    std::string wanted = to_lower(text);
    std::ranges::replace_if(
        wanted, [](char c) { return c == '.' || c == '-'; }, ' ');
    return wanted;
}

std::string listed_rows(Statement& rows) {
    std::vector<int64_t> list;
    while (rows.step()) list.push_back(rows.integer(0));
    return fmt::format("{}", fmt::join(list, ","));
}

/// Returns the ids of the patterns whose mode matches, as a JSON array.
std::string patterns_of_mode(const Database& db, const std::string& mode) {
    nlohmann::json ids = nlohmann::json::array();
    for (const auto& [id, known] : modes_of_patterns(db))
        if (is_called(known, mode)) ids.push_back(id);
    return ids.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Returns the terms that can use an index by device, because devices and drivers are few and are found first.
std::vector<std::string> origin_terms(const Database& db, const Filter& filter, FactTable table) {
    std::vector<std::string> terms;
    if (!filter.vendor.empty() || !filter.device.empty()) {
        const std::string maker = to_lower(filter.vendor);
        Statement devices(db.sqlite, devices_sql);
        // Mesa's drivers may report Mesa's own id as the vendor's: "Apple M1" is by Apple nevertheless.
        devices.bind(maker.empty() ? int64_t{-1} : int64_t{vendor_id_of(filter.vendor)}, to_lower(filter.device),
                     maker == "mesa" ? "" : maker);
        terms.push_back(fmt::format("device IN ({})", listed_rows(devices)));
    }
    if (filter.devices) terms.push_back(fmt::format("device IN ({})", fmt::join(*filter.devices, ",")));
    if (!filter.driver.empty()) {
        Statement drivers(db.sqlite, drivers_sql);
        drivers.bind(wanted_driver(filter.driver));
        const std::string list = listed_rows(drivers);
        if (terms.empty() && table == FactTable::observation) {
            Statement devices(db.sqlite, fmt::format("SELECT id FROM device WHERE EXISTS (SELECT 1 FROM observation "
                                                     "WHERE device = device.id AND driver IN ({}))",
                                                     list));
            terms.push_back(fmt::format("device IN ({})", listed_rows(devices)));
        }
        // The "+" keeps SQLite from an index search per driver: each device has few of them.
        terms.push_back(fmt::format("+driver IN ({})", list));
    }
    return terms;
}

}  // namespace

Condition condition_of(const Database& db, const Filter& filter, FactTable table) {
    if (filter.extent && std::ranges::count(*filter.extent, 0u) != 0) throw UsageError("an extent of 0 has no texels");
    Condition condition;
    std::vector<std::string> terms = origin_terms(db, filter, table);
    const auto add = [&](std::string term, std::variant<int64_t, std::string> value) {
        terms.push_back(std::move(term));
        condition.values.push_back(std::move(value));
    };
    if (!filter.format.empty()) {
        const std::string format = to_lower(filter.format);
        add("format = ? COLLATE NOCASE", format.starts_with("vk_format_") ? format.substr(10) : format);
    }
    for (const std::string& usage : split(to_lower(filter.usage)))
        add("instr(',' || lower(usage) || ',', ?)", "," + usage + ",");
    if (filter.extent)
        for (size_t axis = 0; axis < 3; axis++)
            add(std::array{"width = ?", "height = ?", "depth = ?"}[axis], int64_t{(*filter.extent)[axis]});
    if (!filter.result.empty()) add("result = ?", filter.result);
    if (!filter.pattern.empty()) add("pattern = ?", filter.pattern);
    if (!filter.mode.empty()) add("pattern IN (SELECT value FROM json_each(?))", patterns_of_mode(db, filter.mode));
    if (!filter.provenance.empty()) add("provenance = ?", filter.provenance);
    condition.sql = terms.empty() ? "TRUE" : fmt::format("{}", fmt::join(terms, " AND "));
    return condition;
}

Statement& bind(Statement& statement, const Condition& condition) {
    statement.reset();
    int index = 0;
    for (const auto& value : condition.values)
        std::visit([&](const auto& v) { statement.bind_one(++index, v); }, value);
    return statement;
}

}  // namespace tilewise::db
