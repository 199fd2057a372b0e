// Patterns and layouts in the form that the database stores: equal layouts have equal text.
#pragma once
#include "db/sqlite/database.h"
#include "patterns/model/layout.h"
#include <map>
#include <string>

namespace tilewise::db {

/// Returns the pattern in an image of no particular size: base and constant are 0, an element is one texel, and the
/// strides show the order of the tiles (1024 of them along each axis, so that F has room).
Layout bare_layout(const Pattern& pattern);

/// Throws Error "<whose>: its layout cannot be read: ..".
Layout layout_from_text(const std::string& text, const std::string& whose);

/// Returns the patterns for elements of `element_bytes`, by id.
std::map<std::string, Pattern> patterns_of_bytes(const Database& db, uint32_t element_bytes);

/// Adds the pattern within the caller's transaction; `id` is pattern_id(pattern). Returns false if it was there
/// already.
bool add_pattern(Database& db, const std::string& id, const Pattern& pattern);

}  // namespace tilewise::db
