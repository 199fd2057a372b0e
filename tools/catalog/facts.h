// Facts of the catalog: out of the bundles that a probe exported, and out of texts that others published.
#pragma once
#include "db/facts/figure.h"
#include "db/facts/image_rule.h"
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "db/facts/tuning.h"
#include "db/facts/usage_sizes.h"
#include "db/facts/validation.h"
#include "db/query/query.h"
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// An observation with its device and driver; its row and pattern are not looked at.
using CatalogFact = db::ObservationRow;

bool is_common_format(const std::string& format);  ///< of the set `common`

/// All observations of a bundle. Throws Error where it is none; `name` is what messages call it.
std::vector<CatalogFact> bundle_facts(const std::string& bundle, const std::string& name);

/// What the catalog keeps of a database's facts, those that came from a catalog left aside: of the exact observations
/// of one subresource by one route and with one pattern the one in the lowest memory type, dated to the day, without
/// the UUID of the board. Of formats that are not in the set `common`, the largest extent by one route; but of images
/// of several levels, layers, samples or aspects, with flags, or 1D, whatever the format, all extents by one route. Of
/// opaque readings one of each kind of image.
std::vector<CatalogFact> curated(std::vector<CatalogFact> facts);

/// Of an aspect that some image of the device has a layout of, opaque readings say nothing that is kept.
void drop_opaque_of_read_aspects(std::vector<CatalogFact>& facts);

/// Orders of lanes and of workgroups, figures, rules, sizes by usage, and timings of kernels, with their devices and
/// drivers.
struct CatalogOrders {
    std::vector<db::LaneOrderRow> lanes;
    std::vector<db::LaunchOrderRow> launches;
    std::vector<db::ImageRuleRow> rules;
    std::vector<db::ValidationRow> validations;
    std::vector<db::TuningRow> tunings;
    std::vector<db::FigureRow> figures;
    std::vector<db::UsageSizesRow> sizes;
};
CatalogOrders bundle_orders(const std::string& bundle, const std::string& name);  ///< all of them; as bundle_facts()

/// What the catalog keeps of them: likewise dated to the day, without UUIDs. Of GPUs alone, and of launch orders the
/// newest that was visible. Of timings what `advise` reads, of tune results the newest of each cell, of figures the
/// newest of each name and format.
CatalogOrders curated_orders(CatalogOrders orders);

/// Rules and sizes by usage likewise; those that came from a catalog are left aside.
std::vector<db::ImageRuleRow> curated_rules(std::vector<db::ImageRuleRow> rules);
std::vector<db::UsageSizesRow> curated_sizes(std::vector<db::UsageSizesRow> sizes);

/// Tables as people publish them: lines "source TEXT", "format NAME", "time DAY", then for each table "device NAME",
/// "vendor 0x10de", "type discrete" and rows "[x,y] [x,y] ..", the elements in the order in which they lie in memory;
/// # begins a comment. A table shows the corner of an image. Its layout is one tile, whatever smaller one would fit
/// too: how tiles follow one another was not seen. Throws Error naming the line.
std::vector<CatalogFact> published_facts(std::string_view text);

/// Images whose byte offset is an XOR of one number for each coordinate bit (hexadecimal):
///   2D R8_UNORM mip0 layer0 256x256x1 off 0 .. TILED GF2-mismatch=0 x: 1 2 4 .. y: 10 20 .. [c: 20]
/// and of a constant, where there is one. The first line, "# file name", names the device; "# source text" says where
/// the columns are from; the rest of each fact is as in `about`. Passed over: formats that are not common, levels and
/// layers but the first, 3D images, images with mismatches. Throws Error naming the line.
std::vector<CatalogFact> column_facts(std::string_view text, const CatalogFact& about);

/// The bundle of these facts. A fact that `earlier` has, but for its time and the tool's version, keeps those. All
/// earlier orders stay: a database that began with the catalog does not measure them again. A launch order that has the
/// same visit as an earlier one, if other statistics, is left out. Timings of a kernel, format, radius and extent
/// replace earlier ones of that device and driver.
std::string catalog_bundle(std::vector<CatalogFact> facts, const std::vector<CatalogFact>& earlier,
                           const CatalogOrders& orders = {}, const CatalogOrders& earlier_orders = {});

/// The earlier rules of formats that no newer one of the same device, driver, image type and usage has.
std::vector<db::ImageRuleRow> rules_left(std::vector<db::ImageRuleRow> earlier,
                                         const std::vector<db::ImageRuleRow>& newer);

/// docs/catalog.md, of all files of the catalog.
std::string catalog_page(const std::vector<CatalogFact>& facts, const std::vector<db::ImageRuleRow>& rules);

/// One line for each order of lanes in the bundle that contradicts another one there.
std::vector<std::string> contradicting_orders(const std::string& bundle, const std::string& name);

/// One line for each image of both lists whose pattern is another one now.
std::vector<std::string> changed_patterns(const std::vector<CatalogFact>& earlier, const std::vector<CatalogFact>& now);

}  // namespace tilewise
