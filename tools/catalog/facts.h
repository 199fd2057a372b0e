// Facts for the catalog, from bundles that a probe exported and from texts that others published.
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

/// An observation with its device and driver; its row number and pattern are not used.
using CatalogFact = db::ObservationRow;

bool is_common_format(const std::string& format);  ///< of the set `common`

/// All observations of a bundle. Throws Error if it is no bundle; `name` is its name in messages.
std::vector<CatalogFact> bundle_facts(const std::string& bundle, const std::string& name);

/// The facts that the catalog keeps from a database, without those that came from a catalog. Exact observations of one
/// subresource by one route and with one pattern: the one in the lowest memory type, dated to the day, without the UUID
/// of the board. Formats that are not in the set `common`: just the largest extent by one route; but images of any
/// format that are 1D, or have several levels, layers, samples or aspects, or flags: all extents by one route. Opaque
/// readings: one for each kind of image.
std::vector<CatalogFact> curated(std::vector<CatalogFact> facts);

/// Drops opaque readings of an aspect for which some image of the device has a layout.
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
CatalogOrders bundle_orders(const std::string& bundle, const std::string& name);  ///< throws as bundle_facts()

/// What the catalog keeps of these: dated to the day, without UUIDs, and only for GPUs. Launch orders: the newest that
/// was visible. Timings: those that `advise` uses. Tune results: the newest for each cell. Figures: the newest for each
/// name and format.
CatalogOrders curated_orders(CatalogOrders orders);

/// Rules and sizes by usage, likewise; those that came from a catalog are left out.
std::vector<db::ImageRuleRow> curated_rules(std::vector<db::ImageRuleRow> rules);
std::vector<db::UsageSizesRow> curated_sizes(std::vector<db::UsageSizesRow> sizes);

/// Reads tables as people publish them: lines "source TEXT", "format NAME", "time DAY", then for each table "device
/// NAME", "vendor 0x10de", "type discrete" and rows "[x,y] [x,y] ..", with the elements in memory order; # begins a
/// comment. A table shows the corner of an image. Its layout is one tile, even if a smaller one would fit, too: how
/// tiles follow one another was not seen. Throws Error that names the line.
std::vector<CatalogFact> published_facts(std::string_view text);

/// Reads images whose byte offset is an XOR of one number for each coordinate bit (hexadecimal):
///   2D R8_UNORM mip0 layer0 256x256x1 off 0 .. TILED GF2-mismatch=0 x: 1 2 4 .. y: 10 20 .. [c: 20]
/// and of a constant, if there is one. The first line, "# file name", names the device; "# source text" says where the
/// columns are from; the rest of each fact is taken from `about`. Skipped: formats that are not common, levels and
/// layers other than the first, 3D images, images with mismatches. Throws Error that names the line.
std::vector<CatalogFact> column_facts(std::string_view text, const CatalogFact& about);

/// The bundle of these facts. A fact that is equal to one in `earlier`, except for its time and the tool's version,
/// keeps the earlier time and version. All earlier orders stay, so that a database that began with the catalog does not
/// measure them again. A launch order with the same visit as an earlier one, but other statistics, is left out. Timings
/// of a kernel, format, radius and extent replace earlier ones of the same device and driver.
std::string catalog_bundle(std::vector<CatalogFact> facts, const std::vector<CatalogFact>& earlier,
                           const CatalogOrders& orders = {}, const CatalogOrders& earlier_orders = {});

/// The earlier rules for formats that have no newer rule of the same device, driver, image type and usage.
std::vector<db::ImageRuleRow> rules_left(std::vector<db::ImageRuleRow> earlier,
                                         const std::vector<db::ImageRuleRow>& newer);

/// The text of docs/catalog.md, from all files of the catalog.
std::string catalog_page(const std::vector<CatalogFact>& facts, const std::vector<db::ImageRuleRow>& rules);

/// One line for each order of lanes in the bundle that contradicts another one in it.
std::vector<std::string> contradicting_orders(const std::string& bundle, const std::string& name);

/// One line for each image in both lists whose pattern has changed.
std::vector<std::string> changed_patterns(const std::vector<CatalogFact>& earlier, const std::vector<CatalogFact>& now);

}  // namespace tilewise
