#include "db/bundle/bundle.h"
#include "db/sqlite/open.h"
#include "probe/formats/formats.h"
#include "tools/answers/advice/measured.h"
#include "tools/catalog/facts.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

namespace tilewise {

namespace {

/// Whether the image is of a kind beyond 2D images with one subresource: few such images are probed, and each of them
/// matters.
bool is_special(const db::ObservationFact& fact) {
    return fact.levels > 1 || fact.layers > 1 || fact.samples > 1 || fact.aspect != "color" || !fact.flags.empty() ||
           fact.type == ImageType::one_d;
}

/// The key of an image, its subresource and the route, on one device with any driver.
auto image_key(const CatalogFact& row) {
    const db::ObservationFact& fact = row.fact;
    return std::make_tuple(row.device.vendor_id, row.device.name, fact.format, fact.usage, fact.flags, fact.type,
                           fact.extent_px, fact.levels, fact.layers, fact.samples, fact.level, fact.layer, fact.aspect,
                           fact.route);
}

/// The key that readings share if they say the same: for special images, one route, the first, is enough.
auto repetition_key(const CatalogFact& row) {
    CatalogFact of = row;
    if (is_special(row.fact)) of.fact.route = of.pattern = {};
    return std::tuple_cat(image_key(of), std::make_tuple(of.driver.info, of.pattern));
}

uint64_t texels(const CatalogFact& row) {
    return uint64_t{row.fact.extent_px[0]} * row.fact.extent_px[1] * row.fact.extent_px[2];
}

std::vector<CatalogFact> without_repetitions(const std::vector<CatalogFact>& facts) {
    std::set<decltype(repetition_key(facts[0]))> seen;
    std::vector<CatalogFact> kept;
    for (const CatalogFact& row : facts)
        if (seen.insert(repetition_key(row)).second) kept.push_back(row);
    return kept;
}

/// Keeps only the largest image of each minor format, and only its reading by the first route.
std::vector<CatalogFact> without_minor_images(const std::vector<CatalogFact>& facts) {
    std::map<std::tuple<std::string, std::string, std::string>, const CatalogFact*> largest;
    for (const CatalogFact& row : facts) {
        if (is_special(row.fact)) continue;
        const CatalogFact*& best = largest[{row.device.name, row.driver.info, row.fact.format}];
        if (!best || texels(row) > texels(*best)) best = &row;
    }
    std::vector<CatalogFact> kept;
    for (const CatalogFact& row : facts)
        if (is_common_format(row.fact.format) || is_special(row.fact) ||
            largest.at({row.device.name, row.driver.info, row.fact.format}) == &row)
            kept.push_back(row);
    return kept;
}

template <typename Row>
bool is_of_a_catalog(const Row& row) {
    return db::is_dated_to_the_day(row.fact.time);
}

/// The key of an aspect of a format's images, on one device with one driver.
auto aspect_key(const CatalogFact& row) {
    return std::make_tuple(row.device.vendor_id, row.device.name, row.driver.info, row.fact.format, row.fact.aspect);
}

/// The readings that gave no layout because texels are not stored whole: one for each kind of image, with the reason.
std::vector<CatalogFact> opaque_kinds(const std::vector<CatalogFact>& facts) {
    const auto kind_key = [](const CatalogFact& row) {
        return std::tuple_cat(aspect_key(row),
                              std::make_tuple(row.fact.usage, row.fact.flags, row.fact.type, row.fact.samples));
    };
    std::map<decltype(kind_key(facts[0])), const CatalogFact*> largest;
    for (const CatalogFact& row : facts) {
        if (row.fact.result != "opaque") continue;
        const CatalogFact*& best = largest[kind_key(row)];
        if (!best || texels(row) > texels(*best)) best = &row;
    }
    std::vector<CatalogFact> kept;
    kept.reserve(largest.size());
    for (const auto& [key, row] : largest) kept.push_back(*row);
    return kept;
}

/// The identity of everything in a fact except when, and by which version of this program, it was seen.
std::string timeless_identity(CatalogFact row) {
    row.fact.time.clear();
    row.fact.tool_version.clear();
    return db::identity_of(db::canonical(row.device), db::canonical(row.driver), row.fact, row.pattern);
}

/// A database with just this bundle.
db::Database database_of(const std::string& bundle, const std::string& name) {
    db::Database database = db::open_catalog({});
    db::import_bundle(database, bundle, name);
    return database;
}

}  // namespace

bool is_common_format(const std::string& format) {
    return std::ranges::any_of(probe::common_formats(), [&](uint32_t id) { return probe::format_name(id) == format; });
}

std::vector<CatalogFact> bundle_facts(const std::string& bundle, const std::string& name) {
    return db::find_observations(database_of(bundle, name), {});
}

std::vector<CatalogFact> curated(std::vector<CatalogFact> facts) {
    std::erase_if(facts, [](const CatalogFact& row) { return is_of_a_catalog(row); });
    std::vector<CatalogFact> opaque = opaque_kinds(facts);
    std::erase_if(facts, [](const CatalogFact& row) { return row.fact.result != "exact"; });
    for (std::vector<CatalogFact>* rows : {&facts, &opaque})
        for (CatalogFact& row : *rows) {
            row.device.uuid.clear();
            row.fact.time = db::dated_to_the_day(row.fact.time);
        }
    std::ranges::stable_sort(facts, {}, [](const CatalogFact& row) {
        return std::make_tuple(image_key(row), row.fact.memory_type, row.fact.time);
    });
    facts = without_minor_images(without_repetitions(facts));
    std::ranges::move(opaque, std::back_inserter(facts));
    return facts;
}

void drop_opaque_of_read_aspects(std::vector<CatalogFact>& facts) {
    std::set<decltype(aspect_key(facts[0]))> read;
    for (const CatalogFact& row : facts)
        if (row.fact.result == "exact") read.insert(aspect_key(row));
    std::erase_if(
        facts, [&](const CatalogFact& row) { return row.fact.result == "opaque" && read.contains(aspect_key(row)); });
}

CatalogOrders bundle_orders(const std::string& bundle, const std::string& name) {
    const db::Database database = database_of(bundle, name);
    return {db::find_facts<db::LaneOrderFact>(database), db::find_facts<db::LaunchOrderFact>(database),
            db::find_facts<db::ImageRuleFact>(database), db::find_facts<db::ValidationFact>(database),
            db::find_facts<db::TuningFact>(database),    db::find_facts<db::FigureFact>(database),
            db::find_facts<db::UsageSizesFact>(database)};
}

namespace {

template <typename Row>
void curate(std::vector<Row>& rows) {
    std::erase_if(rows, [](const Row& row) { return row.device.type == "cpu" || is_of_a_catalog(row); });
    for (Row& row : rows) {
        row.device.uuid.clear();
        row.fact.time = db::dated_to_the_day(row.fact.time);
    }
}

bool is_of_same(const db::LaunchOrderRow& a, const db::LaunchOrderRow& b) {
    return a.device.name == b.device.name && a.driver.info == b.driver.info;
}

bool is_same_figure(const db::FigureRow& a, const db::FigureRow& b) {
    return a.device.name == b.device.name && a.driver.info == b.driver.info && a.fact.name == b.fact.name &&
           a.fact.format == b.fact.format;
}

/// The key of what a timing or a tune result is about.
template <typename Row>
auto cell_of(const Row& row) {
    return std::tuple(row.device.name, row.driver.info, row.fact.kernel, row.fact.format, row.fact.radius,
                      row.fact.extent);
}

/// Whether they are equal in all but their time.
template <typename Row>
bool is_same_timing(const Row& row, const Row& other) {
    auto fact = row.fact;
    fact.time = other.fact.time;
    return cell_of(row) == cell_of(other) && fact == other.fact;
}

/// Whether one of the rows is about the same cell, and timed on a later day.
template <typename Row>
bool has_newer(const std::vector<Row>& rows, const Row& row) {
    return std::ranges::any_of(
        rows, [&](const Row& other) { return cell_of(row) == cell_of(other) && row.fact.time < other.fact.time; });
}

/// Adds the rows of earlier cells that were not timed again, and the new rows, which keep the earlier date if nothing
/// else changed. A row that was timed on an earlier day than the catalog file's row is not new.
template <typename Row>
void add_timings(db::Database& database, const std::vector<Row>& earlier, std::vector<Row> now) {
    std::erase_if(now, [&](const Row& row) { return has_newer(earlier, row); });
    for (const Row& row : earlier)
        if (std::ranges::none_of(now, [&](const Row& other) { return cell_of(row) == cell_of(other); }))
            db::add_fact(database, row.device, row.driver, row.fact);
    for (Row row : now) {
        for (const Row& other : earlier)
            if (is_same_timing(row, other)) row.fact.time = other.fact.time;
        db::add_fact(database, row.device, row.driver, row.fact);
    }
}

/// The newest row for each cell.
std::vector<db::TuningRow> worth_keeping(const std::vector<db::TuningRow>& rows) {
    std::map<decltype(cell_of(rows[0])), db::TuningRow> newest;
    for (const db::TuningRow& row : rows) {
        const auto [known, is_new] = newest.emplace(cell_of(row), row);
        if (!is_new && known->second.fact.time < row.fact.time) known->second = row;
    }
    std::vector<db::TuningRow> kept;
    kept.reserve(newest.size());
    for (auto& [cell, row] : newest) kept.push_back(std::move(row));
    return kept;
}

/// The facts that advise uses, for each cell.
std::vector<db::ValidationRow> worth_keeping(const std::vector<db::ValidationRow>& rows) {
    std::map<decltype(cell_of(rows[0])), std::vector<db::ValidationRow>> cells;
    for (const db::ValidationRow& row : rows) cells[cell_of(row)].push_back(row);
    std::vector<db::ValidationRow> kept;
    for (auto& [key, of_cell] : cells) {
        const db::ValidationRow first = of_cell.front();
        if (first.fact.kernel == "copy") continue;  // copies leave nothing to choose
        const auto found = find_measured(of_cell, {}, {first.fact.kernel, first.fact.format, first.fact.radius});
        for (const MeasuredCell& cell : found->cells)
            for (const db::ValidationFact& fact : facts_that_advise(cell))
                kept.push_back({0, cell.device, cell.driver, fact});
    }
    return kept;
}

}  // namespace

CatalogOrders curated_orders(CatalogOrders orders) {
    curate(orders.lanes);
    curate(orders.launches);
    std::vector<db::LaunchOrderRow> newest;
    for (const db::LaunchOrderRow& row : orders.launches)
        if (row.fact.visit != "not visible" &&
            std::ranges::none_of(newest, [&](const auto& other) { return is_of_same(row, other); }))
            newest.push_back(row);
    orders.launches = std::move(newest);
    curate(orders.validations);
    orders.validations = worth_keeping(orders.validations);
    orders.tunings = worth_keeping(orders.tunings);
    curate(orders.tunings);
    std::vector<db::FigureRow> figures;
    for (const db::FigureRow& row : orders.figures)  // the newest come first
        if (std::ranges::none_of(figures, [&](const auto& other) { return is_same_figure(row, other); }))
            figures.push_back(row);
    orders.figures = std::move(figures);
    curate(orders.figures);
    return orders;
}

namespace {

template <typename Row>
std::vector<Row> dated_to_the_day(std::vector<Row> rows) {
    std::erase_if(rows, [](const Row& row) { return is_of_a_catalog(row); });
    for (Row& row : rows) {
        row.device.uuid.clear();
        row.fact.time = db::dated_to_the_day(row.fact.time);
    }
    return rows;
}

}  // namespace

std::vector<db::ImageRuleRow> curated_rules(std::vector<db::ImageRuleRow> rules) {
    return dated_to_the_day(std::move(rules));
}

std::vector<db::UsageSizesRow> curated_sizes(std::vector<db::UsageSizesRow> sizes) {
    return dated_to_the_day(std::move(sizes));
}

namespace {

/// Adds the row without some of its formats: those that a row in `others` has, too, for the same device, driver and
/// type, with the same sizes or (`with_same_sizes` is false) with different ones.
void add_sizes_but(db::Database& database, db::UsageSizesRow row, const std::vector<db::UsageSizesRow>& others,
                   bool with_same_sizes) {
    std::vector<std::string> formats = split(row.fact.formats);
    for (const db::UsageSizesRow& other : others)
        if (row.device == other.device && row.driver == other.driver && row.fact.image_type == other.fact.image_type &&
            (row.fact.sizes == other.fact.sizes) == with_same_sizes)
            std::erase_if(formats, [&](const std::string& name) { return has_names(other.fact.formats, name); });
    row.fact.formats = fmt::format("{}", fmt::join(formats, ","));
    if (!formats.empty()) db::add_fact(database, row.device, row.driver, row.fact);
}

/// Earlier sizes keep their date, unless they have changed.
void add_sizes(db::Database& database, const std::vector<db::UsageSizesRow>& earlier,
               const std::vector<db::UsageSizesRow>& now) {
    for (const db::UsageSizesRow& row : earlier) add_sizes_but(database, row, now, false);
    for (const db::UsageSizesRow& row : now) add_sizes_but(database, row, earlier, true);
}

}  // namespace

std::string catalog_bundle(std::vector<CatalogFact> facts, const std::vector<CatalogFact>& earlier,
                           const CatalogOrders& orders, const CatalogOrders& earlier_orders) {
    std::map<std::string, const db::ObservationFact*> known;
    for (const CatalogFact& row : earlier) known[timeless_identity(row)] = &row.fact;
    db::Database database = db::open_catalog({});
    for (CatalogFact& row : facts) {
        if (const auto found = known.find(timeless_identity(row)); found != known.end()) {
            row.fact.time = found->second->time;
            row.fact.tool_version = found->second->tool_version;
        }
        db::add_observation(database, row.device, row.driver, row.fact);
    }
    for (const auto* list : {&earlier_orders, &orders})
        for (const db::LaneOrderRow& row : list->lanes) db::add_fact(database, row.device, row.driver, row.fact);
    for (const db::LaunchOrderRow& row : earlier_orders.launches)
        db::add_fact(database, row.device, row.driver, row.fact);
    for (const db::LaunchOrderRow& row : orders.launches)
        if (std::ranges::none_of(earlier_orders.launches, [&](const db::LaunchOrderRow& other) {
                return is_of_same(row, other) && row.fact.visit == other.fact.visit;
            }))
            db::add_fact(database, row.device, row.driver, row.fact);
    add_timings(database, earlier_orders.validations, orders.validations);
    add_timings(database, earlier_orders.tunings, orders.tunings);
    for (db::FigureRow row : orders.figures) {
        for (const db::FigureRow& other : earlier_orders.figures)
            if (is_same_figure(row, other) && row.fact.value == other.fact.value &&
                row.fact.interval == other.fact.interval)
                row.fact.time = other.fact.time;
        db::add_fact(database, row.device, row.driver, row.fact);
    }
    for (const db::FigureRow& row : earlier_orders.figures)
        if (std::ranges::none_of(orders.figures, [&](const auto& other) { return is_same_figure(row, other); }))
            db::add_fact(database, row.device, row.driver, row.fact);
    add_sizes(database, earlier_orders.sizes, orders.sizes);
    // It takes fewer images to confirm a rule that is already known.
    const auto without_probes = [](nlohmann::json rule) {
        rule.erase("probes");
        return rule;
    };
    const auto is_known = [&](const db::ImageRuleRow& row) {
        return std::ranges::find_if(earlier_orders.rules, [&](const db::ImageRuleRow& other) {
            return row.device == other.device && row.driver == other.driver && row.fact.formats == other.fact.formats &&
                   without_probes(row.fact.rule) == without_probes(other.fact.rule);
        });
    };
    for (const db::ImageRuleRow& row : earlier_orders.rules)  // of images that were not learned again
        if (std::ranges::none_of(orders.rules, [&](const db::ImageRuleRow& other) {
                return row.device == other.device && row.driver == other.driver &&
                       row.fact.image_type == other.fact.image_type;
            }))
            db::add_fact(database, row.device, row.driver, row.fact);
    for (const db::ImageRuleRow& row : orders.rules) {
        const auto same = is_known(row);
        db::add_fact(database, row.device, row.driver, same != earlier_orders.rules.end() ? same->fact : row.fact);
    }
    return db::export_bundle(database);
}

std::vector<db::ImageRuleRow> rules_left(std::vector<db::ImageRuleRow> earlier,
                                         const std::vector<db::ImageRuleRow>& newer) {
    for (db::ImageRuleRow& row : earlier) {
        std::vector<std::string> formats = split(row.fact.formats);
        for (const db::ImageRuleRow& other : newer) {
            if (other.device != row.device || other.driver != row.driver || other.fact.usage != row.fact.usage ||
                other.fact.flags != row.fact.flags || other.fact.image_type != row.fact.image_type ||
                db::samples_of(other.fact) != db::samples_of(row.fact))
                continue;
            const std::vector<std::string> anew = split(other.fact.formats);
            std::erase_if(formats, [&](const std::string& name) { return std::ranges::count(anew, name) != 0; });
        }
        row.fact.formats = fmt::format("{}", fmt::join(formats, ","));
    }
    std::erase_if(earlier, [](const db::ImageRuleRow& row) { return row.fact.formats.empty(); });
    return earlier;
}

std::vector<std::string> contradicting_orders(const std::string& bundle, const std::string& name) {
    std::vector<std::string> lines;
    for (const db::LaneContradiction& contradiction : db::find_lane_contradictions(database_of(bundle, name)))
        lines.push_back(contradiction.text);
    return lines;
}

std::vector<std::string> changed_patterns(const std::vector<CatalogFact>& earlier,
                                          const std::vector<CatalogFact>& now) {
    std::map<decltype(image_key(earlier[0])), std::string> before;
    for (const CatalogFact& row : earlier) before[image_key(row)] = row.pattern;
    std::vector<std::string> lines;
    for (const CatalogFact& row : now) {
        const auto found = before.find(image_key(row));
        if (found == before.end() || found->second == row.pattern) continue;
        lines.push_back(fmt::format("{}, {} {} by {}: pattern {}, was {}", row.device.name, row.fact.format,
                                    fmt::join(row.fact.extent_px, "x"), row.fact.route, row.pattern, found->second));
    }
    return lines;
}

}  // namespace tilewise
