// A schema that is one version later than the program's, for tests of what happens to a file with an older schema.
#pragma once
#include "db/sqlite/schema.h"
#include <vector>

namespace tilewise {

/// Recreates the table of disagreements with one more column, as migration steps do where SQLite cannot alter a table,
/// and rewrites every observation.
constexpr const char* later_step = R"sql(
PRAGMA defer_foreign_keys = ON;
CREATE TABLE kept AS SELECT * FROM disagreement;
DROP VIEW v_disagreement;
DROP TABLE disagreement;
CREATE TABLE disagreement (
    id INTEGER PRIMARY KEY,
    first INTEGER NOT NULL REFERENCES observation,
    second INTEGER NOT NULL REFERENCES observation CHECK (second <> first),
    differing INTEGER NOT NULL CHECK (differing > 0),
    x INTEGER NOT NULL,
    y INTEGER NOT NULL,
    z INTEGER NOT NULL,
    s INTEGER NOT NULL,
    first_offset INTEGER,
    second_offset INTEGER,
    text TEXT NOT NULL,
    note TEXT NOT NULL,
    UNIQUE (first, second)
) STRICT;
INSERT INTO disagreement SELECT *, 'none' FROM kept;
DROP TABLE kept;
ALTER TABLE observation ADD COLUMN note TEXT NOT NULL DEFAULT '';
UPDATE observation SET note = 'none';
)sql";

inline std::vector<const char*> later_steps() {
    std::vector<const char*> steps(db::schema_steps().begin(), db::schema_steps().end());
    steps.push_back(later_step);
    return steps;
}

}  // namespace tilewise
