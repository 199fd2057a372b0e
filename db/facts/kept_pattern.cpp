#include "db/facts/kept_pattern.h"
#include "db/facts/pattern.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_text.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise::db {

namespace {

constexpr const char* columns_sql =
    "SELECT name, layout, source, width, height, depth, origin, time, tool_version FROM kept_pattern";

KeptPattern kept_in(const Statement& row) {
    KeptPattern kept;
    kept.name = row.text(0);
    kept.layout = layout_from_text(row.text(1), "kept pattern " + printable(kept.name, 60));
    kept.source = row.text(2);
    for (int axis = 0; axis < 3; axis++)
        kept.extent_el[static_cast<size_t>(axis)] = static_cast<uint64_t>(row.integer(3 + axis));
    kept.origin = row.text(6);
    kept.time = row.text(7);
    kept.tool_version = row.text(8);
    return kept;
}

}  // namespace

void require_name(const std::string& name) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto is_allowed = [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    };
    const auto is_hexadecimal = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    constexpr size_t longest = 60;
    if (name.empty() || name.size() > longest || !is_letter(name.front()) || !std::ranges::all_of(name, is_allowed) ||
        std::ranges::all_of(name, is_hexadecimal) || to_lower(name) == "linear")
        throw UsageError(
            fmt::format("--keep {}: not a name for a pattern; begin with a letter, go on with letters, digits, \"_\", "
                        "\"-\" and \".\", and avoid what could be a pattern's id",
                        printable(name, longest)));
}

void keep_pattern(Database& db, const KeptPattern& kept) {
    require_name(kept.name);
    Transaction transaction(db.sqlite);
    prepared(db,
             "INSERT OR REPLACE INTO kept_pattern (name, layout, source, width, height, depth, origin, time, "
             "tool_version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(kept.name, layout_text(kept.layout), kept.source, static_cast<int64_t>(kept.extent_el[0]),
              static_cast<int64_t>(kept.extent_el[1]), static_cast<int64_t>(kept.extent_el[2]), kept.origin, kept.time,
              kept.tool_version)
        .run();
    transaction.commit();
}

std::optional<KeptPattern> find_kept_pattern(const Database& db, const std::string& name) {
    Statement row(db.sqlite, fmt::format("{} WHERE name = ?", columns_sql));
    row.bind(name);
    if (!row.step()) return std::nullopt;
    return kept_in(row);
}

std::vector<KeptPattern> kept_patterns(const Database& db) {
    Statement rows(db.sqlite, fmt::format("{} ORDER BY name", columns_sql));
    std::vector<KeptPattern> kept;
    while (rows.step()) kept.push_back(kept_in(rows));
    return kept;
}

}  // namespace tilewise::db
