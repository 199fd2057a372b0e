// Bundles: facts as one JSON document, carried between machines and shipped as the catalog.
//
//   { "format": "tilewise-bundle", "version": 4,
//     "devices":  [ {"vendor_id": "0x10de", "device_id": "0x2330", "name": .., "type": .., "uuid": ..} ],
//     "drivers":  [ {"name": .., "info": .., "id": .., "version": .., "api_version": .., "uuid": ..,
//                    "pipeline_uuid": .., "tiling_layout_uuid": ..} ],
//     "patterns": [ {"id": "<16 hex digits>", "layout": {the layout object; base and constant 0}} ],
//     "observations":  [ {"device": 0, "driver": 0, "format": "R8G8B8A8_UNORM", "usage": "sampled,storage",
//                         "image_type": "2D", "extent": [256,256,1], "levels": 1, "layers": 1, "samples": 1,
//                         "flags": "", "level": 0, "layer": 0, "aspect": "color", "route": "alias", "memory_type": 1,
//                         "memory_flags": "DEVICE_LOCAL", "result": "exact", "reason": "", "elements": 65536,
//                         "mismatches": 0, "bytes": 262144, "alignment": 1024, "time": .., "tool_version": ..,
//                         "provenance": "hardware", "pattern": "<id>", "layout": {..}} ],
//     "disagreements": [ {"first": 0, "second": 1, "differing": 12, "element": [3,5,0,0], "first_offset": 64,
//                         "second_offset": null, "text": ".."} ],
//     "lane_orders":  [ {"device": 0, "driver": 0, "shape": [16,16,1], "built_in": "index", "subgroup_size": 32,
//                        "matrix": ["i0","i1",..], "note": "", "time": .., "tool_version": ..} ],
//     "start_orders": [ {"device": 0, "driver": 0, "grid": [60,68], "visit": "row", "statistics": {..}, "note": "",
//                        "time": .., "tool_version": ..} ],
//     "rule_contents": [ {"id": "<16 hex digits>", "rule": {..}} ],
//     "rules":        [ {"device": 0, "driver": 0, "formats": "R8_UINT,R8_UNORM", "usage": "sampled", "flags": "",
//                        "image_type": "2D", "provenance": "hardware", "time": .., "tool_version": ..,
//                        "content": "<id>", "probes": 31} ],
//     "validations":  [ {"device": 0, "driver": 0, "kernel": "box", "method": "direct", "order": "learned",
//                        "format": "R8G8B8A8_UNORM", "pattern": "<id>", "extent": [4096,4096], "radius": 8,
//                        "shape": [16,16], "invocations": 256, "memory_type": 1, "samples": 40, "discarded": 1,
//                        "median_ms": 2.46, "interval_ms": [2.455,2.463], "ratio": 1.4, "ratio_interval": [1.39,1.41],
//                        "verdict": "faster", "floor_ms": 0.05, "time": .., "tool_version": ..} ],
//     "tunings":      [ {"device": 0, "driver": 0, "kernel": "box", "method": "direct", "order": "permutation",
//                        "format": "R8G8B8A8_UNORM", "pattern": "<id>", "extent": [4096,4096], "radius": 8,
//                        "shape": [4,64], "columns": "y0 x0 ..", "group_order": "strips of 8", "candidates": 1000,
//                        "samples": 40, "discarded": 1, "median_ms": 2.4, "interval_ms": [2.39,2.41], "over_row": 1.4,
//                        "over_row_interval": [1.39,1.41], "over_morton": .., "over_morton_interval": ..,
//                        "over_derived": .., "over_derived_interval": .., "over_best": .., "over_best_interval": ..,
//                        "time": .., "tool_version": ..} ],
//     "figures":      [ {"device": 0, "driver": 0, "name": "texels_2x2_per_us", "format": "R8G8B8A8_UNORM",
//                        "value": 1980000, "interval": [1979000,1982000], "time": .., "tool_version": ..} ],
//     "usage_sizes_contents": [ {"id": "<16 hex digits>", "sizes": {..}} ],
//     "usage_sizes":  [ {"device": 0, "driver": 0, "formats": "R8_UINT,R8_UNORM", "image_type": "2D",
//                        "provenance": "hardware", "time": .., "tool_version": .., "content": "<id>"} ] }
//
// "device", "driver", "first" and "second" are positions in the arrays above, counted from 0. An observation's "layout"
// is what changes in its pattern's layout (a JSON merge patch, RFC 7396): usually the strides. "pattern" and "layout"
// are present only with the result "exact". The lists of members in db/facts/ define what each member must be and which
// members may be left out: those that are not `required` there are left out if they have the value that the struct
// gives them. "lane_orders", "start_orders" (launch orders), the two lists of rules, "validations", "tunings",
// "figures" and "usage_sizes" are left out if they are empty. A lane order without "matrix" has a note that says why.
// An unknown member is an error, because it would be lost.
//
// The content of a rule is stored once, without its usual members (patterns/rules/rule_json.h), however many chips
// follow it; the rule itself has "content" and "probes" instead. In bundles of version 1 each rule is stored whole, as
// the member "rule", which can also be read in later versions. Bundles without rules are of version 1, those with tune
// results of version 3, those with figures of version 4, those with sizes by usage of version 6, those with shared
// facts of version 7. One fact is one line of the text, so that a difference of two bundles is a difference of facts.
#pragma once
#include "db/catalog.h"
#include "db/query/contradiction.h"
#include "db/query/filter.h"
#include "patterns/model/advance.h"
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::db {

struct Imported {
    /// The numbers of facts that were new.
    uint64_t devices = 0, drivers = 0, patterns = 0, observations = 0, disagreements = 0;
    uint64_t lane_orders = 0, launch_orders = 0, rules = 0, validations = 0, tunings = 0, figures = 0, usage_sizes = 0;
    /// The number of observations that were there already.
    uint64_t known_observations = 0;
    /// The contradictions that this import brought.
    std::vector<Contradiction> contradictions;
    std::vector<LaneContradiction> lane_contradictions;
};

/// Own facts are those that no catalog brought.
enum class Facts { all, own };

/// Returns everything that the filter matches, with what was measured on the matching devices and drivers. An empty
/// filter matches everything.
std::string export_bundle(const Database& db, const Filter& filter = {}, const Advance& advance = {},
                          Facts which = Facts::all);

/// Imports the whole bundle or nothing. `name` identifies the bundle in messages: "team.json: observations[3].extent:
/// must be three positive integers".
Imported import_bundle(Database& db, std::string_view text, const std::string& name);

/// A bundle whose text is read only when it is imported.
struct Bundle {
    std::string name;
    std::function<std::string()> read;
    /// Throws Error for an observation that is impossible for reasons that the database does not know.
    std::function<void(const ObservationFact&)> require = {};
};

/// Imports every bundle or, if one is refused, none, in one transaction; the result is the sum over all of them.
/// `advance` reports the observations of each bundle, after its text is read.
Imported import_bundles(Database& db, std::span<const Bundle> bundles, const Advance& advance = {});

Imported load_catalog(Database& db, std::span<const CatalogFile> files);

}  // namespace tilewise::db
