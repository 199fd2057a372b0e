#include "db/facts/pattern_mode.h"
#include "db/facts/pattern.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <iterator>

namespace tilewise::db {

namespace {

/// Id and layout.
Statement unnamed_patterns(const Database& db) {
    Statement rows(db.sqlite,
                   "SELECT id, layout FROM pattern WHERE NOT EXISTS "
                   "(SELECT 1 FROM pattern_mode WHERE pattern = pattern.id AND naming = ?)");
    rows.bind(naming_version());
    return rows;
}

Mode mode_in(const Statement& row) { return mode_of(layout_from_text(row.text(1), "pattern " + row.text(0)).pattern); }

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

/// How modifiers of drm_fourcc.h begin, before what sets them apart.
constexpr std::string_view makers[] = {"nvidia_", "i915_format_mod_", "qcom_", "arm_", "broadcom_", "apple_"};

/// Whether the wanted words, which have this text behind them, end with it a word, or the first field of one.
bool end_a_word(std::string_view wanted, std::string_view behind) {
    if (behind.empty() || !is_alphanumeric(wanted.back())) return true;
    if (behind.front() != '_' && behind.front() != '-') return !is_alphanumeric(behind.front());
    return behind.starts_with("_2d") || wanted.find_first_of("_-") == wanted.npos;
}

/// Whether a word begins at the end of the text.
bool is_before_a_word(std::string_view before) {
    const size_t end_of_last = before.find_last_of(" ,:()");
    const std::string_view begun = end_of_last == before.npos ? before : before.substr(end_of_last + 1);
    return begun.empty() || std::ranges::find(makers, begun) != std::end(makers);
}

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
        } catch (const Error&) {  // whoever asks for the pattern is told, and so is `db check`
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

bool is_called(const Mode& mode, std::string_view wanted) {
    const std::string name = to_lower(full_name(mode)), words = to_lower(wanted);
    if (words.empty()) return true;
    for (size_t at = name.find(words); at != name.npos; at = name.find(words, at + 1)) {
        const std::string_view all = name;
        if (end_a_word(words, all.substr(at + words.size())) && is_before_a_word(all.substr(0, at))) return true;
    }
    return false;
}

}  // namespace tilewise::db
