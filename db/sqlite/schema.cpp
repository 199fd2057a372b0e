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

const char* const schema_1 = R"sql(
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

-- identity is a hash of all that the observation says, its device and driver included: the same fact has one row.
CREATE TABLE observation (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    format TEXT NOT NULL CHECK (format <> ''),
    usage TEXT NOT NULL,
    image_type TEXT NOT NULL CHECK (image_type IN ('1D', '2D', '3D')),
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
    result TEXT NOT NULL CHECK (result IN
        ('exact', 'no-fit', 'opaque', 'nothing-written', 'unsupported', 'crashed', 'timed-out')),
    reason TEXT NOT NULL,
    pattern TEXT REFERENCES pattern,
    layout TEXT CHECK (layout IS NULL OR json_valid(layout)),
    elements INTEGER NOT NULL CHECK (elements >= 0),
    mismatches INTEGER NOT NULL CHECK (mismatches >= 0),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    provenance TEXT NOT NULL CHECK (provenance IN
        ('hardware', 'driver without hardware', 'published table', 'documented')),
    CHECK ((result = 'exact') = (pattern IS NOT NULL) AND (pattern IS NULL) = (layout IS NULL))
) STRICT;
CREATE INDEX observation_by_pattern ON observation (pattern);
CREATE INDEX observation_by_device ON observation (device, driver);
CREATE INDEX observation_by_format ON observation (format);

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

CREATE TABLE rule (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    rule TEXT NOT NULL CHECK (json_valid(rule)),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    UNIQUE (device, driver, rule)
) STRICT;

CREATE TABLE validation (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    pattern TEXT REFERENCES pattern,
    kernel TEXT NOT NULL,
    format TEXT NOT NULL,
    radius INTEGER NOT NULL CHECK (radius >= 0),
    kernel_order TEXT NOT NULL,
    group_width INTEGER NOT NULL CHECK (group_width > 0),
    group_height INTEGER NOT NULL CHECK (group_height > 0),
    width INTEGER NOT NULL CHECK (width > 0),
    height INTEGER NOT NULL CHECK (height > 0),
    samples INTEGER NOT NULL CHECK (samples > 0),
    median_ms REAL NOT NULL,
    interval_low_ms REAL NOT NULL,
    interval_high_ms REAL NOT NULL,
    verdict TEXT NOT NULL CHECK (json_valid(verdict)),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL
) STRICT;
CREATE INDEX validation_by_device ON validation (device, driver);

-- What the file knows of itself: "catalog" is the hash of the catalog that was loaded last.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
)sql";

const char* const schema_2 = R"sql(
-- Which invocation of a workgroup runs in which place (subgroup * size + lane); without a matrix the note says why.
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

-- In which order workgroups start; the numbers differ from one time to the next.
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
)sql";

const char* const schema_3 = R"sql(
-- The table of schema 1 was never written to.
DROP TABLE validation;
-- One measurement of one kernel. An interval of 0 to 0, a ratio or a floor of 0: not known. The pattern is the one that
-- the order was learned from, '' without one; it need not be in this file.
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
            invocations, memory_type, median_ms, time)
) STRICT;
)sql";

const char* const schema_4 = R"sql(
-- The flags of the image's creation, and what memory it needs; 0: not known.
ALTER TABLE observation ADD COLUMN flags TEXT NOT NULL DEFAULT '';
ALTER TABLE observation ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0);
ALTER TABLE observation ADD COLUMN alignment INTEGER NOT NULL DEFAULT 0 CHECK (alignment >= 0);
)sql";

const char* const schema_5 = R"sql(
-- Out of memory is a result of its own. SQLite changes no CHECK: the table is made anew, which disagreements refer to.
PRAGMA defer_foreign_keys = ON;
CREATE TABLE kept AS SELECT * FROM observation;
DROP TABLE observation;
CREATE TABLE observation (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    device INTEGER NOT NULL REFERENCES device,
    driver INTEGER NOT NULL REFERENCES driver,
    format TEXT NOT NULL CHECK (format <> ''),
    usage TEXT NOT NULL,
    image_type TEXT NOT NULL CHECK (image_type IN ('1D', '2D', '3D')),
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
    result TEXT NOT NULL CHECK (result IN
        ('exact', 'no-fit', 'opaque', 'nothing-written', 'unsupported', 'out-of-memory', 'crashed',
         'timed-out')),
    reason TEXT NOT NULL,
    pattern TEXT REFERENCES pattern,
    layout TEXT CHECK (layout IS NULL OR json_valid(layout)),
    elements INTEGER NOT NULL CHECK (elements >= 0),
    mismatches INTEGER NOT NULL CHECK (mismatches >= 0),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    provenance TEXT NOT NULL CHECK (provenance IN
        ('hardware', 'driver without hardware', 'published table', 'documented')),
    flags TEXT NOT NULL,
    bytes INTEGER NOT NULL CHECK (bytes >= 0),
    alignment INTEGER NOT NULL CHECK (alignment >= 0),
    CHECK ((result = 'exact') = (pattern IS NOT NULL) AND (pattern IS NULL) = (layout IS NULL))
) STRICT;
INSERT INTO observation SELECT * FROM kept;
DROP TABLE kept;
CREATE INDEX observation_by_pattern ON observation (pattern);
CREATE INDEX observation_by_device ON observation (device, driver);
CREATE INDEX observation_by_format ON observation (format);
)sql";

const char* const schema_6 = R"sql(
-- How memory is bound to an image with sparse residency, as a JSON object; NULL: without, or not known.
ALTER TABLE observation ADD COLUMN sparse TEXT CHECK (sparse IS NULL OR json_valid(sparse));
)sql";

const char* const schema_7 = R"sql(
-- How a device and driver choose the image layout of images of some formats: docs/rules.md. The table that was there for
-- it was never written to.
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
        ('hardware', 'driver without hardware', 'published table', 'documented')),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    rule TEXT NOT NULL CHECK (json_valid(rule)),
    UNIQUE (device, driver, formats, usage, flags, image_type, rule)
) STRICT;
)sql";

const char* const schema_8 = R"sql(
-- What a question asks for first (a pattern's users; a format, in any case), with all that a summary tells of it, so that
-- the rows themselves are not read.
DROP INDEX observation_by_pattern;
DROP INDEX observation_by_format;
CREATE INDEX observation_by_pattern ON observation (pattern, device, driver, provenance, time);
CREATE INDEX observation_by_format ON observation
    (format COLLATE NOCASE, pattern, device, driver, provenance, usage, route, width, height, depth, time);

-- What other programs ask: docs/sql.md. Views that are there keep their names, columns and meaning. A device's and a driver's
-- ids are those of PCI and Vulkan; "device" and "driver" are their names.
CREATE VIEW v_device AS
    SELECT id, name AS device, printf('0x%04x', vendor_id) AS vendor_id, printf('0x%04x', device_id) AS device_id, type,
           uuid
    FROM device;
CREATE VIEW v_driver AS
    SELECT id, name AS driver, info AS driver_info, version AS driver_version, driver_id, api_version, uuid,
           pipeline_uuid, tiling_layout_uuid
    FROM driver;
CREATE VIEW v_pattern AS
    SELECT id AS pattern, title, element_bytes, tile_width, tile_height, tile_depth, tile_samples, tile_bytes, layout
    FROM pattern;
CREATE VIEW v_observation AS
    SELECT o.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, o.format, o.usage, o.flags,
           o.image_type, o.width, o.height, o.depth, o.levels, o.layers, o.samples, o.level, o.layer, o.aspect, o.bytes,
           o.alignment, o.sparse, o.route, o.memory_type, o.memory_flags, o.result, o.reason, o.pattern, p.title, o.layout,
           o.elements, o.mismatches, o.provenance, o.time, o.tool_version
    FROM observation AS o JOIN v_device AS d ON d.id = o.device JOIN v_driver AS v ON v.id = o.driver
        LEFT JOIN pattern AS p ON p.id = o.pattern;
-- Which devices share a pattern.
CREATE VIEW v_pattern_use AS
    SELECT u.pattern, p.title, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, u.format,
           u.provenance, u.observations, u.first_time, u.last_time
    FROM (SELECT pattern, device, driver, format, provenance, count(*) AS observations, min(time) AS first_time,
                 max(time) AS last_time
          FROM observation WHERE pattern IS NOT NULL GROUP BY pattern, device, driver, format, provenance) AS u
        JOIN v_device AS d ON d.id = u.device JOIN v_driver AS v ON v.id = u.driver JOIN pattern AS p ON p.id = u.pattern;
CREATE VIEW v_rule AS
    SELECT r.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, r.formats, r.usage, r.flags,
           r.image_type, r.rule, r.provenance, r.time, r.tool_version
    FROM rule AS r JOIN v_device AS d ON d.id = r.device JOIN v_driver AS v ON v.id = r.driver;
CREATE VIEW v_disagreement AS
    SELECT id, first, second, differing, x, y, z, s, first_offset, second_offset, text FROM disagreement;
CREATE VIEW v_lane_order AS
    SELECT l.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, l.width, l.height, l.depth,
           l.built_in, l.subgroup_size, l.matrix, l.note, l.time, l.tool_version
    FROM lane_order AS l JOIN v_device AS d ON d.id = l.device JOIN v_driver AS v ON v.id = l.driver;
CREATE VIEW v_launch_order AS
    SELECT l.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, l.width, l.height, l.visit,
           l.statistics, l.note, l.time, l.tool_version
    FROM start_order AS l JOIN v_device AS d ON d.id = l.device JOIN v_driver AS v ON v.id = l.driver;
CREATE VIEW v_validation AS
    SELECT l.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, l.kernel, l.method,
           l.kernel_order, l.format, l.pattern, l.width, l.height, l.radius, l.group_width, l.group_height, l.invocations,
           l.memory_type, l.samples, l.discarded, l.median_ms, l.interval_low_ms, l.interval_high_ms, l.ratio,
           l.ratio_low, l.ratio_high, l.verdict, l.floor_ms, l.time, l.tool_version
    FROM validation AS l JOIN v_device AS d ON d.id = l.device JOIN v_driver AS v ON v.id = l.driver;
)sql";

const char* const schema_9 = R"sql(
-- Of an observation's layout what its pattern does not say: where the tiles lie. The rest was most of the file.
UPDATE observation SET layout = json_remove(layout, '$.element.bytes', '$.tile', '$.equation', '$.outer_xor', '$.stride.xor');
DROP VIEW v_observation;
CREATE VIEW v_observation AS
    SELECT o.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, o.format, o.usage, o.flags,
           o.image_type, o.width, o.height, o.depth, o.levels, o.layers, o.samples, o.level, o.layer, o.aspect, o.bytes,
           o.alignment, o.sparse, o.route, o.memory_type, o.memory_flags, o.result, o.reason, o.pattern, p.title,
           json_patch(p.layout, o.layout) AS layout, o.elements, o.mismatches, o.provenance, o.time, o.tool_version
    FROM observation AS o JOIN v_device AS d ON d.id = o.device JOIN v_driver AS v ON v.id = o.driver
        LEFT JOIN pattern AS p ON p.id = o.pattern;
CREATE INDEX observation_by_extent ON observation (width, height, depth);
)sql";

const char* const schema_10 = R"sql(
-- What a rule says, once: the chips of a family have the same rules, and these were a third of the file.
CREATE TABLE rule_content (
    id INTEGER PRIMARY KEY,
    content TEXT NOT NULL UNIQUE CHECK (json_valid(content))
) STRICT;
INSERT INTO rule_content (content) SELECT rule FROM rule GROUP BY rule ORDER BY min(id);
DROP VIEW v_rule;
CREATE TABLE kept AS
    SELECT r.id, device, driver, formats, usage, flags, image_type, provenance, time, tool_version, c.id AS content
    FROM rule AS r JOIN rule_content AS c ON c.content = r.rule;
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
        ('hardware', 'driver without hardware', 'published table', 'documented')),
    time TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    content INTEGER NOT NULL REFERENCES rule_content,
    UNIQUE (device, driver, formats, usage, flags, image_type, content)
) STRICT;
INSERT INTO rule SELECT * FROM kept ORDER BY id;
DROP TABLE kept;
CREATE VIEW v_rule AS
    SELECT r.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, r.formats, r.usage, r.flags,
           r.image_type, c.content AS rule, r.provenance, r.time, r.tool_version
    FROM rule AS r JOIN rule_content AS c ON c.id = r.content JOIN v_device AS d ON d.id = r.device
        JOIN v_driver AS v ON v.id = r.driver;
)sql";

const char* const schema_11 = R"sql(
-- How often a device and driver were seen to have a pattern, which most questions are about: db/facts/pattern_use.h.
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
INSERT INTO pattern_use (device, driver, pattern, provenance, usage, route, observations, first_time, first_observation,
                         last_time, formats, extents)
    SELECT device, driver, pattern, provenance, usage, route, sum(observations), substr(min(first), 1, length(min(first)) - 20),
           CAST(substr(min(first), -19) AS INTEGER), max(last_time), group_concat(format, char(10)), group_concat(extents)
    FROM (SELECT device, driver, pattern, provenance, usage, route, format, count(*) AS observations,
                 min(time || printf(' %019d', id)) AS first, max(time) AS last_time,
                 group_concat(DISTINCT width || 'x' || height || 'x' || depth) AS extents
          FROM observation WHERE pattern IS NOT NULL GROUP BY device, driver, pattern, provenance, usage, route, format)
    GROUP BY device, driver, pattern, provenance, usage, route;
CREATE INDEX pattern_use_by_pattern ON pattern_use
    (pattern, device, driver, provenance, observations, first_time, first_observation);
-- A pattern's users are asked for there, and a format's observations by device, too.
DROP INDEX observation_by_pattern;
DROP INDEX observation_by_format;
CREATE INDEX observation_by_pattern ON observation (pattern);
CREATE INDEX observation_by_format ON observation (format COLLATE NOCASE, device);
)sql";

const char* const schema_12 = R"sql(
-- What the version `naming` of tilewise calls each pattern: db/facts/pattern_mode.h. It fills the table as it opens the file.
CREATE TABLE pattern_mode (
    pattern TEXT PRIMARY KEY REFERENCES pattern,
    naming TEXT NOT NULL,
    name TEXT NOT NULL,
    size TEXT NOT NULL,
    modifier TEXT NOT NULL
) STRICT, WITHOUT ROWID;
DROP VIEW v_pattern;
CREATE VIEW v_pattern AS
    SELECT p.id AS pattern, p.title, p.element_bytes, p.tile_width, p.tile_height, p.tile_depth, p.tile_samples,
           p.tile_bytes, p.layout, coalesce(m.name, '') AS mode, coalesce(m.size, '') AS mode_size,
           coalesce(m.modifier, '') AS modifier
    FROM pattern AS p LEFT JOIN pattern_mode AS m ON m.pattern = p.id;
-- All of a pattern's uses side by side, for questions by mode. The index by pattern is a third as large, for those by device.
CREATE INDEX pattern_use_whole ON pattern_use
    (pattern, device, driver, provenance, observations, first_time, first_observation, usage, route, last_time, formats,
     extents);
-- Without IN in a CHECK: SQLite makes a table of its list for each row, which was three tenths of an integrity check and a fifth
-- of an import.
PRAGMA defer_foreign_keys = ON;
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
    result TEXT NOT NULL CHECK (result = 'exact' OR result = 'no-fit' OR result = 'opaque' OR result = 'nothing-written' OR
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
INSERT INTO observation SELECT * FROM kept;
DROP TABLE kept;
CREATE INDEX observation_by_device ON observation (device, driver);
CREATE INDEX observation_by_pattern ON observation (pattern);
CREATE INDEX observation_by_format ON observation (format COLLATE NOCASE, device);
CREATE INDEX observation_by_extent ON observation (width, height, depth);
)sql";

const char* const schema_13 = R"sql(
-- What a search found fastest. The remap is its columns; an interval of 0 to 0, or a ratio of 0: not known.
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
CREATE VIEW v_tuning AS
    SELECT l.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, l.kernel, l.method,
           l.kernel_order, l.format, l.pattern, l.width, l.height, l.radius, l.group_width, l.group_height, l.columns,
           l.group_order, l.candidates, l.samples, l.discarded, l.median_ms, l.interval_low_ms, l.interval_high_ms,
           l.over_row, l.over_row_low, l.over_row_high, l.over_morton, l.over_morton_low, l.over_morton_high,
           l.over_derived, l.over_derived_low, l.over_derived_high, l.over_best, l.over_best_low, l.over_best_high,
           l.time, l.tool_version
    FROM tuning AS l JOIN v_device AS d ON d.id = l.device JOIN v_driver AS v ON v.id = l.driver;
)sql";

const char* const schema_14 = R"sql(
-- How a device and driver run kernels, one figure a row; the name has its unit. An interval of 0 to 0: not known.
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
CREATE VIEW v_figure AS
    SELECT f.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, f.name, f.format,
           f.value, f.interval_low, f.interval_high, f.time, f.tool_version
    FROM figure AS f JOIN v_device AS d ON d.id = f.device JOIN v_driver AS v ON v.id = f.driver;
)sql";

const char* const schema_15 = R"sql(
-- A validation's workgroups may be dispatched in blocks: which, and that tells two validations apart.
CREATE TABLE kept AS SELECT * FROM validation;
DROP VIEW v_validation;
DROP TABLE validation;
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
INSERT INTO validation
    SELECT id, device, driver, kernel, method, kernel_order, format, pattern, width, height, radius, group_width,
           group_height, invocations, 'linear', memory_type, samples, discarded, median_ms, interval_low_ms,
           interval_high_ms, ratio, ratio_low, ratio_high, verdict, floor_ms, time, tool_version
    FROM kept;
DROP TABLE kept;
CREATE VIEW v_validation AS
    SELECT l.id, d.device, d.vendor_id, d.device_id, v.driver, v.driver_info, v.driver_version, l.kernel, l.method,
           l.kernel_order, l.format, l.pattern, l.width, l.height, l.radius, l.group_width, l.group_height, l.invocations,
           l.group_order, l.memory_type, l.samples, l.discarded, l.median_ms, l.interval_low_ms, l.interval_high_ms,
           l.ratio, l.ratio_low, l.ratio_high, l.verdict, l.floor_ms, l.time, l.tool_version
    FROM validation AS l JOIN v_device AS d ON d.id = l.device JOIN v_driver AS v ON v.id = l.driver;
)sql";

/// Type and name of each object -> table and SQL; the indexes that SQLite makes by itself have no SQL.
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

SchemaObjects objects_of(int64_t version) {
    sqlite3* handle = nullptr;
    const int code = sqlite3_open(":memory:", &handle);
    const Connection connection(handle);
    if (code != SQLITE_OK) throw_sqlite_error(handle, code);
    for (const char* step : schema_steps().first(static_cast<size_t>(version))) execute(connection, step);
    return objects_in(connection);
}

const char* const steps_so_far[] = {schema_1, schema_2,  schema_3,  schema_4,  schema_5,  schema_6,  schema_7, schema_8,
                                    schema_9, schema_10, schema_11, schema_12, schema_13, schema_14, schema_15};

}  // namespace

std::span<const char* const> schema_steps() { return steps_so_far; }

int64_t schema_version(const Connection& connection) {
    Statement statement(connection, "PRAGMA user_version");
    return statement.step() ? statement.integer(0) : 0;
}

std::string schema_text(const Connection& connection) { return text_of(objects_in(connection)); }

void require_own_schema(const Connection& connection, int64_t version, const std::string& name) {
    const auto refuse = [&](const char* what, const std::pair<std::string, std::string>& object) {
        const std::string quoted =
            nlohmann::json(object.second).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 100);
        throw Error(
            fmt::format("{}: {} {} {}: import what a trusted copy exports (`tilewise --db COPY db export FILE`) "
                        "into a new database",
                        name, what, object.first, quoted));
    };
    const SchemaObjects found = objects_in(connection);
    // Making them takes some milliseconds.
    if (version == static_cast<int64_t>(schema_steps().size()) && text_of(found) == embedded_schema()) return;
    const SchemaObjects ours = objects_of(version);
    for (const auto& [object, made] : found) {
        const auto known = ours.find(object);
        if (known == ours.end()) refuse("tilewise did not make its", object);
        if (known->second != made) refuse("somebody changed its", object);
    }
    for (const auto& [object, made] : ours)
        if (!found.contains(object)) refuse("it lacks the", object);
}

void migrate(const Connection& connection, std::span<const char* const> steps) {
    Transaction transaction(connection);
    // Read inside of the transaction: another process may have migrated the file while this one waited.
    const int64_t version = schema_version(connection);
    const auto known = static_cast<int64_t>(steps.size());
    if (version < 0 || version > known)
        throw Error(fmt::format("{}: was written by a newer tilewise (schema {}, this one knows {}): update tilewise",
                                sqlite3_db_filename(connection.get(), "main"), version, known));
    for (const char* step : steps.subspan(static_cast<size_t>(version))) execute(connection, step);
    if (version < known) {
        execute(connection,
                fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, known).c_str());
    }
    transaction.commit();
}

}  // namespace tilewise::db
