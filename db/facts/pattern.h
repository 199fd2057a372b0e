// Patterns and layouts as the database keeps them: text that is the same for the same layout.
#pragma once
#include "db/sqlite/database.h"
#include "patterns/model/layout.h"
#include <map>
#include <string>

namespace tilewise::db {

/// Returns the pattern in an image of no particular size: base and constant are 0, an element is one texel, and the
/// strides say in which order the tiles lie (1024 of them along each axis, so that F has room).
Layout bare_layout(const Pattern& pattern);

/// Throws Error "<whose>: its layout cannot be read: ..".
Layout layout_from_text(const std::string& text, const std::string& whose);

/// Returns the patterns of elements of so many bytes, by id.
std::map<std::string, Pattern> patterns_of_bytes(const Database& db, uint32_t element_bytes);

/// Returns false where it was there already. This happens within the caller's transaction; `id` is pattern_id(pattern).
bool add_pattern(Database& db, const std::string& id, const Pattern& pattern);

}  // namespace tilewise::db
