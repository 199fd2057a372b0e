#include "db/facts/pattern_mode.h"
#include "db/facts/pattern.h"
#include "patterns/model/error.h"

namespace tilewise::db {

namespace {

/// Selects id and layout.
Statement unnamed_patterns(const Database& db) {
    Statement rows(db.sqlite,
                   "SELECT id, layout FROM pattern WHERE NOT EXISTS "
                   "(SELECT 1 FROM pattern_mode WHERE pattern = pattern.id AND naming = ?)");
    rows.bind(naming_version());
    return rows;
}

Mode mode_in(const Statement& row) { return mode_of(layout_from_text(row.text(1), "pattern " + row.text(0)).pattern); }

}  // namespace

void store_mode(Database& db, const std::string& id, const Mode& mode) {
    prepared(db, "INSERT OR REPLACE INTO pattern_mode (pattern, naming, name, size, modifier) VALUES (?, ?, ?, ?, ?)")
        .bind(id, naming_version(), mode.name, mode.size, mode.modifier)
        .run();
}

void refresh_modes(Database& db) {
    const auto is_done = [&] { return !unnamed_patterns(db).step(); };
    if (is_done()) return;
    Transaction transaction(db.sqlite);
    std::vector<PatternMode> found;
    Statement rows = unnamed_patterns(db);
    while (rows.step()) {
        try {
            found.emplace_back(rows.text(0), mode_in(rows));
        } catch (const Error&) {  // reported to whoever asks for the pattern, and by `db check`
        }
    }
    for (const auto& [id, mode] : found) store_mode(db, id, mode);
    transaction.commit();
}

std::vector<PatternMode> stored_modes(const Database& db) {
    Statement rows(db.sqlite,
                   "SELECT pattern, name, size, modifier FROM pattern_mode WHERE naming = ? ORDER BY pattern");
    rows.bind(naming_version());
    std::vector<PatternMode> modes;
    while (rows.step()) modes.emplace_back(rows.text(0), Mode{rows.text(1), rows.text(2), rows.text(3)});
    return modes;
}

std::vector<PatternMode> modes_of_patterns(const Database& db) {
    std::vector<PatternMode> modes = stored_modes(db);
    Statement rows = unnamed_patterns(db);
    while (rows.step()) modes.emplace_back(rows.text(0), mode_in(rows));
    return modes;
}

}  // namespace tilewise::db
