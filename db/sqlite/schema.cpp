#include "db/sqlite/schema.h"
#include "db/catalog.h"
#include "patterns/model/error.h"
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <utility>

namespace tilewise::db {

namespace {

// SQLite stores the text of each statement, and files are compared by it, so no character of the existing statements
// may change. A line longer than this program's limit is split into two literals.
// clang-format off
const char* const base = R"sql(
CREATE TABLE device (
    id INTEGER PRIMARY KEY,
    vendor_id INTEGER NOT NULL CHECK (vendor_id BETWEEN 0 AND 0xffffffff),
    device_id INTEGER NOT NULL CHECK (device_id BETWEEN 0 AND 0xffffffff),
    name TEXT NOT NULL CHECK (name <> ''),
    type TEXT NOT NULL CHECK (type IN ('', 'discrete', 'integrated', 'virtual', 'cpu', 'other')),
    uuid TEXT NOT NULL,
    UNIQUE (vendor_id, device_id, name, type, uuid)
) STRICT;

CREATE TABLE driver (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    info TEXT NOT NULL,
    driver_id TEXT NOT NULL,
    version TEXT NOT NULL,
    api_version TEXT NOT NULL,
    uuid TEXT NOT NULL,
    pipeline_uuid TEXT NOT NULL,
    tiling_layout_uuid TEXT NOT NULL,
    UNIQUE (name, info, driver_id, version, api_version, uuid, pipeline_uuid, tiling_layout_uuid)
) STRICT;

-- The layout has the pattern's part of the JSON object; its strides only say in which order the tiles lie.
CREATE TABLE pattern (
    id TEXT PRIMARY KEY CHECK (length(id) = 16),
    element_bytes INTEGER NOT NULL CHECK (element_bytes > 0),
    tile_width INTEGER NOT NULL CHECK (tile_width > 0),
    tile_height INTEGER NOT NULL CHECK (tile_height > 0),
    tile_depth INTEGER NOT NULL CHECK (tile_depth > 0),
    tile_samples INTEGER NOT NULL CHECK (tile_samples > 0),
    tile_bytes INTEGER NOT NULL CHECK (tile_bytes > 0),
    title TEXT NOT NULL,
    layout TEXT NOT NULL CHECK (json_valid(layout))
) STRICT, WITHOUT ROWID;

-- This is what the version `naming` of tilewise calls each pattern (db/facts/pattern_mode.h), which fills the table as
-- it opens the file.
CREATE TABLE pattern_mode (
    pattern TEXT PRIMARY KEY REFERENCES pattern,
    naming TEXT NOT NULL,
    name TEXT NOT NULL,
    size TEXT NOT NULL,
    modifier TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The identity is a hash of all that the observation says, its device and driver included: the same fact has one row.
-- The layout is what the pattern does not say: where the tiles lie. `sparse` is how memory is bound to an image with
-- sparse residency, as a JSON object; it is NULL without that, or where it is not known; so are 0 bytes and an
-- alignment of 0. The checks have no IN: SQLite makes a table of its list for each row, which was three tenths of an
-- integrity check and a fifth of an import.
CREATE TABLE observation (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    format TEXT NOT NULL CHECK (format <> ''),
    usage TEXT NOT NULL,
    image_type TEXT NOT NULL CHECK (image_type = '1D' OR image_type = '2D' OR image_type = '3D'),
    width INTEGER NOT NULL CHECK (width > 0),
    height INTEGER NOT NULL CHECK (height > 0),
    depth INTEGER NOT NULL CHECK (depth > 0),
    levels INTEGER NOT NULL CHECK (levels > 0),
    layers INTEGER NOT NULL CHECK (layers > 0),
    samples INTEGER NOT NULL CHECK (samples > 0),
    level INTEGER NOT NULL CHECK (level BETWEEN 0 AND levels - 1),
    layer INTEGER NOT NULL CHECK (layer BETWEEN 0 AND layers - 1),
    aspect TEXT NOT NULL CHECK (aspect <> ''),
    route TEXT NOT NULL CHECK (route <> ''),
    memory_type INTEGER NOT NULL CHECK (memory_type >= -1),
    memory_flags TEXT NOT NULL,
    result TEXT NOT NULL CHECK (result = 'exact' OR result = 'no-fit' OR result = 'opaque' OR result = )sql"
R"sql('nothing-written' OR
        result = 'unsupported' OR result = 'out-of-memory' OR result = 'crashed' OR result = 'timed-out'),
    reason TEXT NOT NULL,
    pattern TEXT REFERENCES pattern,
    layout TEXT CHECK (layout IS NULL OR json_valid(layout)),
    elements INTEGER NOT NULL CHECK (elements >= 0),
    mismatches INTEGER NOT NULL CHECK (mismatches >= 0),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    provenance TEXT NOT NULL CHECK (provenance = 'hardware' OR provenance = 'driver without hardware' OR
        provenance = 'published table' OR provenance = 'documented'),
    flags TEXT NOT NULL,
    bytes INTEGER NOT NULL CHECK (bytes >= 0),
    alignment INTEGER NOT NULL CHECK (alignment >= 0),
    sparse TEXT CHECK (sparse IS NULL OR json_valid(sparse)),
    CHECK ((result = 'exact') = (pattern IS NOT NULL) AND (pattern IS NULL) = (layout IS NULL))
) STRICT;
CREATE INDEX observation_by_device ON observation (device, driver);
CREATE INDEX observation_by_pattern ON observation (pattern);
CREATE INDEX observation_by_format ON observation (format COLLATE NOCASE, device);
CREATE INDEX observation_by_extent ON observation (width, height, depth);

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
    UNIQUE (first, second)
) STRICT;

-- How often a device and driver were seen to have a pattern is what most questions are about: db/facts/pattern_use.h.
CREATE TABLE pattern_use (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    pattern TEXT NOT NULL REFERENCES pattern,
    provenance TEXT NOT NULL,
    usage TEXT NOT NULL,
    route TEXT NOT NULL,
    observations INTEGER NOT NULL,
    first_time TEXT NOT NULL,
    first_observation INTEGER NOT NULL,
    last_time TEXT NOT NULL,
    formats TEXT NOT NULL,
    extents TEXT NOT NULL,
    UNIQUE (device, driver, pattern, provenance, usage, route)
) STRICT;
CREATE INDEX pattern_use_by_pattern ON pattern_use
    (pattern, device, driver, provenance, observations, first_time, first_observation);

-- This index has all of a pattern's uses side by side, for questions by mode. The one by pattern is a third as large,
-- for those by device.
CREATE INDEX pattern_use_whole ON pattern_use
    (pattern, device, driver, provenance, observations, first_time, first_observation, usage, route, last_time, formats,
     extents);

-- What a rule says is here once: the chips of a family have the same rules.
CREATE TABLE rule_content (
    id INTEGER PRIMARY KEY,
    content TEXT NOT NULL UNIQUE CHECK (json_valid(content))
) STRICT;

-- A rule says how a device and driver choose the image layout of images of some formats: docs/rules.md.
CREATE TABLE rule (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    formats TEXT NOT NULL CHECK (formats <> ''),
    usage TEXT NOT NULL,
    flags TEXT NOT NULL,
    image_type TEXT NOT NULL CHECK (image_type IN ('1D', '2D', '3D')),
    provenance TEXT NOT NULL CHECK (provenance IN
        ('hardware', 'driver without hardware', 'published table', 'documented')),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    content INTEGER NOT NULL REFERENCES rule_content,
    UNIQUE (device, driver, formats, usage, flags, image_type, content)
) STRICT;

-- A lane order says which invocation of a workgroup runs in which place (subgroup * size + lane); without a matrix the
-- note says why.
CREATE TABLE lane_order (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    width INTEGER NOT NULL CHECK (width > 0),
    height INTEGER NOT NULL CHECK (height > 0),
    depth INTEGER NOT NULL CHECK (depth > 0),
    built_in TEXT NOT NULL CHECK (built_in IN ('index', 'id')),
    subgroup_size INTEGER NOT NULL CHECK (subgroup_size >= 0),
    matrix TEXT CHECK (matrix IS NULL OR json_valid(matrix)),
    note TEXT NOT NULL CHECK (note <> '' OR matrix IS NOT NULL),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL
) STRICT;

-- The same order seen again is the same fact, whenever that was.
CREATE UNIQUE INDEX lane_order_once ON lane_order
    (device, driver, width, height, depth, built_in, subgroup_size, coalesce(matrix, ''), note);

-- A start order says in which order workgroups start; the numbers differ from one time to the next.
CREATE TABLE start_order (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    width INTEGER NOT NULL CHECK (width > 0),
    height INTEGER NOT NULL CHECK (height > 0),
    visit TEXT NOT NULL CHECK (visit IN ('row', 'column', 'morton', 'mixed', 'not visible')),
    statistics TEXT NOT NULL CHECK (json_valid(statistics)),
    note TEXT NOT NULL,
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    UNIQUE (device, driver, width, height, visit, statistics, note, time, tool_version)
) STRICT;

-- A validation is one measurement of one kernel. An interval of 0 to 0, a ratio or a floor of 0 is one that is not
-- known. The pattern is the one that the order was learned from, '' without one; it need not be in this file.
CREATE TABLE validation (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    kernel TEXT NOT NULL CHECK (kernel <> ''),
    method TEXT NOT NULL,
    kernel_order TEXT NOT NULL,
    format TEXT NOT NULL CHECK (format <> ''),
    pattern TEXT NOT NULL,
    width INTEGER NOT NULL CHECK (width > 0),
    height INTEGER NOT NULL CHECK (height > 0),
    radius INTEGER NOT NULL CHECK (radius >= 0),
    group_width INTEGER NOT NULL CHECK (group_width > 0),
    group_height INTEGER NOT NULL CHECK (group_height > 0),
    invocations INTEGER NOT NULL CHECK (invocations >= 0),
    group_order TEXT NOT NULL CHECK (group_order <> ''),
    memory_type INTEGER NOT NULL CHECK (memory_type >= -1),
    samples INTEGER NOT NULL CHECK (samples > 0),
    discarded INTEGER NOT NULL CHECK (discarded >= 0),
    median_ms REAL NOT NULL CHECK (median_ms > 0),
    interval_low_ms REAL NOT NULL,
    interval_high_ms REAL NOT NULL,
    ratio REAL NOT NULL CHECK (ratio >= 0),
    ratio_low REAL NOT NULL,
    ratio_high REAL NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('faster', 'slower', 'no difference', 'baseline')),
    floor_ms REAL NOT NULL CHECK (floor_ms >= 0),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    UNIQUE (device, driver, kernel, method, kernel_order, format, width, height, radius, group_width, group_height,
            invocations, group_order, memory_type, median_ms, time)
) STRICT;

-- A tuning is what a search found fastest. The remap is its columns; an interval of 0 to 0, or a ratio of 0, is not
-- known.
CREATE TABLE tuning (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    kernel TEXT NOT NULL CHECK (kernel <> ''),
    method TEXT NOT NULL CHECK (method <> ''),
    kernel_order TEXT NOT NULL CHECK (kernel_order <> ''),
    format TEXT NOT NULL CHECK (format <> ''),
    pattern TEXT NOT NULL,
    width INTEGER NOT NULL CHECK (width > 0),
    height INTEGER NOT NULL CHECK (height > 0),
    radius INTEGER NOT NULL CHECK (radius >= 0),
    group_width INTEGER NOT NULL CHECK (group_width > 0),
    group_height INTEGER NOT NULL CHECK (group_height > 0),
    columns TEXT NOT NULL,
    group_order TEXT NOT NULL CHECK (group_order <> ''),
    candidates INTEGER NOT NULL CHECK (candidates > 0),
    samples INTEGER NOT NULL CHECK (samples > 0),
    discarded INTEGER NOT NULL CHECK (discarded >= 0),
    median_ms REAL NOT NULL CHECK (median_ms > 0),
    interval_low_ms REAL NOT NULL,
    interval_high_ms REAL NOT NULL,
    over_row REAL NOT NULL CHECK (over_row >= 0),
    over_row_low REAL NOT NULL,
    over_row_high REAL NOT NULL,
    over_morton REAL NOT NULL CHECK (over_morton >= 0),
    over_morton_low REAL NOT NULL,
    over_morton_high REAL NOT NULL,
    over_derived REAL NOT NULL CHECK (over_derived >= 0),
    over_derived_low REAL NOT NULL,
    over_derived_high REAL NOT NULL,
    over_best REAL NOT NULL CHECK (over_best >= 0),
    over_best_low REAL NOT NULL,
    over_best_high REAL NOT NULL,
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    UNIQUE (device, driver, kernel, method, format, width, height, radius, group_width, group_height, columns,
            group_order, median_ms, time)
) STRICT;

-- A figure says how a device and driver run kernels; the name has its unit. An interval of 0 to 0 is not known.
CREATE TABLE figure (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    name TEXT NOT NULL CHECK (name <> ''),
    format TEXT NOT NULL,
    value REAL NOT NULL CHECK (value > 0),
    interval_low REAL NOT NULL,
    interval_high REAL NOT NULL,
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    UNIQUE (device, driver, name, format, value, time)
) STRICT;

-- This is what the file knows of itself: "catalog" is the hash of the catalog that was loaded last.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Other programs ask the views: docs/sql.md. Views that are there keep their names, columns and meaning. A device's and
-- a driver's ids are those of PCI and Vulkan; "device" and "driver" are their names.
CREATE VIEW v_device AS
    SELECT id, name AS device, printf('0x%04x', vendor_id) AS vendor_id, printf('0x%04x', device_id) AS device_id, type,
           uuid
    FROM device;
CREATE VIEW v_driver AS
    SELECT id, name AS driver, info AS driver_info, version AS driver_version, driver_id, api_version, uuid,
           pipeline_uuid, tiling_layout_uuid
    FROM driver;
CREATE VIEW v_pattern AS
    SELECT p.id AS pattern, p.title, p.element_bytes, p.tile_width, p.tile_height, p.tile_depth, p.tile_samples,
           p.tile_bytes, p.layout, coalesce(m.name, '') AS mode, coalesce(m.size, '') AS mode_size,
           coalesce(m.modifier, '') AS modifier
    FROM pattern AS p LEFT JOIN pattern_mode AS m ON m.pattern = p.id;
CREATE VIEW v_observation AS
    SELECT o.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, o.format, o.usage, )sql"
R"sql(o.flags,
           o.image_type, o.width, o.height, o.depth, o.levels, o.layers, o.samples, o.level, o.layer, o.aspect, o.bytes,
           o.alignment, o.sparse, o.route, o.memory_type, o.memory_flags, o.result, o.reason, o.pattern, p.title,
           json_patch(p.layout, o.layout) AS layout, o.elements, o.mismatches, o.provenance, o.time, o.tool_version
    FROM observation AS o JOIN v_device AS d ON d.id = o.device JOIN v_driver AS v ON v.id = o.driver
        LEFT JOIN pattern AS p ON p.id = o.pattern;

-- This view tells which devices share a pattern.
CREATE VIEW v_pattern_use AS
    SELECT u.pattern, p.title, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, u.format,
           u.provenance, u.observations, u.first_time, u.last_time
    FROM (SELECT pattern, device, driver, format, provenance, count(*) AS observations, min(time) AS first_time,
                 max(time) AS last_time
          FROM observation WHERE pattern IS NOT NULL GROUP BY pattern, device, driver, format, provenance) AS u
        JOIN v_device AS d ON d.id = u.device JOIN v_driver AS v ON v.id = u.driver JOIN pattern AS p ON p.id = )sql"
R"sql(u.pattern;
CREATE VIEW v_rule AS
    SELECT r.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, r.formats, )sql"
R"sql(r.usage, r.flags,
           r.image_type, c.content AS rule, r.provenance, r.time, r.tool_version
    FROM rule AS r JOIN rule_content AS c ON c.id = r.content JOIN v_device AS d ON d.id = r.device
        JOIN v_driver AS v ON v.id = r.driver;
CREATE VIEW v_disagreement AS
    SELECT id, first, second, differing, x, y, z, s, first_offset, second_offset, text FROM disagreement;
CREATE VIEW v_lane_order AS
    SELECT l.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, l.width, l.height, )sql"
R"sql(l.depth,
           l.built_in, l.subgroup_size, l.matrix, l.note, l.time, l.tool_version
    FROM lane_order AS l JOIN v_device AS d ON d.id = l.device JOIN v_driver AS v ON v.id = l.driver;
CREATE VIEW v_launch_order AS
    SELECT l.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, l.width, l.height, )sql"
R"sql(l.visit,
           l.statistics, l.note, l.time, l.tool_version
    FROM start_order AS l JOIN v_device AS d ON d.id = l.device JOIN v_driver AS v ON v.id = l.driver;
CREATE VIEW v_validation AS
    SELECT l.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, l.kernel, l.method,
           l.kernel_order, l.format, l.pattern, l.width, l.height, l.radius, l.group_width, l.group_height, )sql"
R"sql(l.invocations,
           l.group_order, l.memory_type, l.samples, l.discarded, l.median_ms, l.interval_low_ms, l.interval_high_ms,
           l.ratio, l.ratio_low, l.ratio_high, l.verdict, l.floor_ms, l.time, l.tool_version
    FROM validation AS l JOIN v_device AS d ON d.id = l.device JOIN v_driver AS v ON v.id = l.driver;
CREATE VIEW v_tuning AS
    SELECT l.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, l.kernel, l.method,
           l.kernel_order, l.format, l.pattern, l.width, l.height, l.radius, l.group_width, l.group_height, l.columns,
           l.group_order, l.candidates, l.samples, l.discarded, l.median_ms, l.interval_low_ms, l.interval_high_ms,
           l.over_row, l.over_row_low, l.over_row_high, l.over_morton, l.over_morton_low, l.over_morton_high,
           l.over_derived, l.over_derived_low, l.over_derived_high, l.over_best, l.over_best_low, l.over_best_high,
           l.time, l.tool_version
    FROM tuning AS l JOIN v_device AS d ON d.id = l.device JOIN v_driver AS v ON v.id = l.driver;
CREATE VIEW v_figure AS
    SELECT f.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, f.name, f.format,
           f.value, f.interval_low, f.interval_high, f.time, f.tool_version
    FROM figure AS f JOIN v_device AS d ON d.id = f.device JOIN v_driver AS v ON v.id = f.driver;
)sql";

const char* const sizes_by_usage = R"sql(
-- What sizes by usage say is here once: the chips of a family have the same sizes.
CREATE TABLE usage_sizes_content (
    id INTEGER PRIMARY KEY,
    content TEXT NOT NULL UNIQUE CHECK (json_valid(content))
) STRICT;

-- How much memory the driver asks for images of each usage: patterns/model/usage_sizes.h says what the content is.
CREATE TABLE usage_sizes (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    formats TEXT NOT NULL CHECK (formats <> ''),
    image_type TEXT NOT NULL CHECK (image_type IN ('1D', '2D', '3D')),
    provenance TEXT NOT NULL CHECK (provenance IN
        ('hardware', 'driver without hardware', 'published table', 'documented')),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    content INTEGER NOT NULL REFERENCES usage_sizes_content,
    UNIQUE (device, driver, formats, image_type, content)
) STRICT;

CREATE VIEW v_usage_sizes AS
    SELECT u.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, u.formats,
           u.image_type, c.content AS sizes, u.provenance, u.time, u.tool_version
    FROM usage_sizes AS u JOIN usage_sizes_content AS c ON c.id = u.content JOIN v_device AS d ON d.id = u.device
        JOIN v_driver AS v ON v.id = u.driver;
)sql";

const char* const kept_patterns = R"sql(
-- Patterns that the user keeps under a name: solved from a table, or an equation that was typed. No device has them.
CREATE TABLE kept_pattern (
    name TEXT PRIMARY KEY CHECK (name <> ''),
    layout TEXT NOT NULL CHECK (json_valid(layout)),
    source TEXT NOT NULL CHECK (source IN ('table', 'equation')),
    width INTEGER NOT NULL CHECK (width >= 0),
    height INTEGER NOT NULL CHECK (height >= 0),
    depth INTEGER NOT NULL CHECK (depth >= 0),
    origin TEXT NOT NULL,
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

const char* const trials = R"sql(
-- What `try` found of shaders of the user's own, by the hash of their SPIR-V. No bundle takes it along.
CREATE TABLE trial (
    id INTEGER PRIMARY KEY,
    shader TEXT NOT NULL CHECK (shader <> ''),
    device TEXT NOT NULL,
    driver TEXT NOT NULL,
    result TEXT NOT NULL CHECK (json_valid(result)),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    UNIQUE (shader, device, driver)
) STRICT;
)sql";
const char* const shared_facts = R"sql(
-- Provenance may be 'shared'. SQLite changes no check, so tables are made anew. Disagreements, which refer to
-- observations, step aside.
CREATE TABLE kept_disagreement AS SELECT * FROM disagreement;
DELETE FROM disagreement;
CREATE TABLE kept AS SELECT * FROM observation;
DROP TABLE observation;
CREATE TABLE observation (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    format TEXT NOT NULL CHECK (format <> ''),
    usage TEXT NOT NULL,
    image_type TEXT NOT NULL CHECK (image_type = '1D' OR image_type = '2D' OR image_type = '3D'),
    width INTEGER NOT NULL CHECK (width > 0),
    height INTEGER NOT NULL CHECK (height > 0),
    depth INTEGER NOT NULL CHECK (depth > 0),
    levels INTEGER NOT NULL CHECK (levels > 0),
    layers INTEGER NOT NULL CHECK (layers > 0),
    samples INTEGER NOT NULL CHECK (samples > 0),
    level INTEGER NOT NULL CHECK (level BETWEEN 0 AND levels - 1),
    layer INTEGER NOT NULL CHECK (layer BETWEEN 0 AND layers - 1),
    aspect TEXT NOT NULL CHECK (aspect <> ''),
    route TEXT NOT NULL CHECK (route <> ''),
    memory_type INTEGER NOT NULL CHECK (memory_type >= -1),
    memory_flags TEXT NOT NULL,
    result TEXT NOT NULL CHECK (result = 'exact' OR result = 'no-fit' OR result = 'opaque' OR
        result = 'nothing-written' OR result = 'unsupported' OR result = 'out-of-memory' OR result = 'crashed' OR
        result = 'timed-out'),
    reason TEXT NOT NULL,
    pattern TEXT REFERENCES pattern,
    layout TEXT CHECK (layout IS NULL OR json_valid(layout)),
    elements INTEGER NOT NULL CHECK (elements >= 0),
    mismatches INTEGER NOT NULL CHECK (mismatches >= 0),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    provenance TEXT NOT NULL CHECK (provenance = 'hardware' OR provenance = 'shared' OR
        provenance = 'driver without hardware' OR provenance = 'published table' OR provenance = 'documented'),
    flags TEXT NOT NULL,
    bytes INTEGER NOT NULL CHECK (bytes >= 0),
    alignment INTEGER NOT NULL CHECK (alignment >= 0),
    sparse TEXT CHECK (sparse IS NULL OR json_valid(sparse)),
    CHECK ((result = 'exact') = (pattern IS NOT NULL) AND (pattern IS NULL) = (layout IS NULL))
) STRICT;
INSERT INTO observation SELECT * FROM kept;
DROP TABLE kept;
CREATE INDEX observation_by_device ON observation (device, driver);
CREATE INDEX observation_by_pattern ON observation (pattern);
CREATE INDEX observation_by_format ON observation (format COLLATE NOCASE, device);
CREATE INDEX observation_by_extent ON observation (width, height, depth);
INSERT INTO disagreement SELECT * FROM kept_disagreement;
DROP TABLE kept_disagreement;

CREATE TABLE kept AS SELECT * FROM rule;
DROP TABLE rule;
CREATE TABLE rule (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    formats TEXT NOT NULL CHECK (formats <> ''),
    usage TEXT NOT NULL,
    flags TEXT NOT NULL,
    image_type TEXT NOT NULL CHECK (image_type IN ('1D', '2D', '3D')),
    provenance TEXT NOT NULL CHECK (provenance IN
        ('hardware', 'shared', 'driver without hardware', 'published table', 'documented')),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    content INTEGER NOT NULL REFERENCES rule_content,
    UNIQUE (device, driver, formats, usage, flags, image_type, content)
) STRICT;
INSERT INTO rule SELECT * FROM kept;
DROP TABLE kept;

CREATE TABLE kept AS SELECT * FROM usage_sizes;
DROP TABLE usage_sizes;
CREATE TABLE usage_sizes (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    formats TEXT NOT NULL CHECK (formats <> ''),
    image_type TEXT NOT NULL CHECK (image_type IN ('1D', '2D', '3D')),
    provenance TEXT NOT NULL CHECK (provenance IN
        ('hardware', 'shared', 'driver without hardware', 'published table', 'documented')),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    content INTEGER NOT NULL REFERENCES usage_sizes_content,
    UNIQUE (device, driver, formats, image_type, content)
) STRICT;
INSERT INTO usage_sizes SELECT * FROM kept;
DROP TABLE kept;
)sql";
// clang-format on

/// Type and name of each object -> table and SQL; the indexes that SQLite creates by itself have no SQL.
using SchemaObjects = std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>>;

SchemaObjects objects_in(const Connection& connection) {
    SchemaObjects objects;
    Statement rows(connection, "SELECT type, name, tbl_name, sql FROM sqlite_schema");
    while (rows.step()) objects.insert({{rows.text(0), rows.text(1)}, {rows.text(2), rows.text(3)}});
    return objects;
}

std::string text_of(const SchemaObjects& objects) {
    std::string text;
    for (const auto& [object, made] : objects)
        text += fmt::format("{}\x1f{}\x1f{}\x1f{}\x1e", object.first, object.second, made.first, made.second);
    return text;
}

SchemaObjects objects_of(std::span<const char* const> steps) {
    sqlite3* handle = nullptr;
    const int code = sqlite3_open(":memory:", &handle);
    const Connection connection(handle);
    if (code != SQLITE_OK) throw_sqlite_error(handle, code);
    for (const char* step : steps) execute(connection, step);
    return objects_in(connection);
}

/// How many of the steps were applied to a file of that schema.
size_t steps_behind(int64_t version) { return version == 0 ? 0 : static_cast<size_t>(version - base_schema) + 1; }

const char* const steps_so_far[] = {base, sizes_by_usage, kept_patterns, trials, shared_facts};

}  // namespace

std::span<const char* const> schema_steps() { return steps_so_far; }

int64_t schema_after(std::span<const char* const> steps) {
    return base_schema + static_cast<int64_t>(steps.size()) - 1;
}

int64_t schema_version(const Connection& connection) {
    Statement statement(connection, "PRAGMA user_version");
    return statement.step() ? statement.integer(0) : 0;
}

std::string schema_text(const Connection& connection) { return text_of(objects_in(connection)); }

void require_known_schema(int64_t version, std::span<const char* const> steps, const std::string& name) {
    if (version <= 0)
        throw Error(
            fmt::format("{}: says that its schema is {}, so it is damaged: restore a copy, or import an export "
                        "into a new database",
                        name, version));
    if (version < base_schema)
        throw Error(
            fmt::format("{}: was written by an older tilewise (schema {}, this one reads {} and later): export it with "
                        "the version that wrote it (`tilewise --db FILE db export BUNDLE`), then `tilewise db import "
                        "BUNDLE` into a new database",
                        name, version, base_schema));
    if (const int64_t known = schema_after(steps); version > known)
        throw Error(fmt::format("{}: was written by a newer tilewise (schema {}, this one knows {}): update tilewise",
                                name, version, known));
}

void require_own_schema(const Connection& connection, std::span<const char* const> steps, const std::string& name) {
    const auto refuse = [&](const char* what, const std::pair<std::string, std::string>& object) {
        const std::string quoted =
            nlohmann::json(object.second).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 100);
        throw Error(
            fmt::format("{}: {} {} {}: import what a trusted copy exports (`tilewise --db COPY db export FILE`) "
                        "into a new database",
                        name, what, object.first, quoted));
    };
    const SchemaObjects found = objects_in(connection);
    const int64_t version = schema_version(connection);
    // Building the expected schema by running the steps takes some milliseconds, so the common case is checked first.
    if (version == schema_after(schema_steps()) && text_of(found) == embedded_schema()) return;
    const SchemaObjects ours = objects_of(steps.first(steps_behind(version)));
    for (const auto& [object, made] : found) {
        if (object.second == "sqlite_stat1" || object.second == "sqlite_stat4")
            throw Error(
                fmt::format("{0}: has the table {1}, which ANALYZE makes and tilewise does without: drop it with "
                            "`sqlite3 FILE 'DROP TABLE {1}'`",
                            name, object.second));
        const auto known = ours.find(object);
        if (known == ours.end()) refuse("tilewise did not make its", object);
        if (known->second != made) refuse("somebody changed its", object);
    }
    for (const auto& [object, made] : ours)
        if (!found.contains(object)) refuse("it lacks the", object);
}

void migrate(const Connection& connection, std::span<const char* const> steps) {
    Transaction transaction(connection);
    // Read within the transaction: another process may have migrated the file while this one waited.
    const int64_t version = schema_version(connection), newest = schema_after(steps);
    const char* file = sqlite3_db_filename(connection.get(), "main");
    if (version != 0) require_known_schema(version, steps, file ? file : "");
    for (const char* step : steps.subspan(steps_behind(version))) execute(connection, step);
    if (version < newest) {
        execute(connection,
                fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, newest).c_str());
    }
    transaction.commit();
}

}  // namespace tilewise::db
