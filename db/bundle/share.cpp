#include "db/bundle/share.h"
#include "db/bundle/bundle.h"
#include "db/facts/figure.h"
#include "db/facts/image_rule.h"
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "db/facts/tuning.h"
#include "db/facts/usage_sizes.h"
#include "db/facts/validation.h"
#include "db/sqlite/open.h"
#include <fmt/format.h>
#include <set>
#include <utility>

namespace tilewise::db {

namespace {

template <typename Fact>
bool is_own(const Fact& fact) {
    if constexpr (requires { fact.provenance; })
        if (fact.provenance == shared_provenance) return false;
    return !is_dated_to_the_day(fact.time);
}

/// Ignores the time and the program's version, in which two otherwise equal readings differ.
std::string timeless_identity(const SharedFacts& shared, ObservationRow row) {
    row.fact.time.clear();
    row.fact.tool_version.clear();
    return identity_of(canonical(shared.device), canonical(shared.driver), row.fact, row.pattern);
}

/// Adds the facts about the shared device and driver to `into`, if they are `wanted`.
template <typename Fact>
uint64_t share_all(const Database& db, Database& into, const SharedFacts& shared, auto wanted) {
    uint64_t count = 0;
    for (const Stored<Fact>& row : find_facts<Fact>(db, shared.device, shared.driver))
        if (is_own(row.fact) && wanted(row.fact))
            count += add_fact(into, shared.device, shared.driver, row.fact).is_new;
    return count;
}

}  // namespace

std::vector<ObservationRow> own_observations(const Database& db, const DeviceFact& device, const DriverFact& driver) {
    Statement rows(db.sqlite, fmt::format("{}WHERE vendor_id = ? AND device_id = ? AND device.name = ? AND "
                                          "driver.name = ? AND info = ? AND version = ? AND result = 'exact' "
                                          "ORDER BY time, observation.id",
                                          select_observations()));
    const DeviceFact of = canonical(device);
    const DriverFact with = canonical(driver);
    rows.bind(of.vendor_id, of.device_id, of.name, with.name, with.info, with.version);
    ObservationReader reader(db);
    std::vector<ObservationRow> own;
    while (rows.step())
        if (ObservationRow row = reader.read(rows); is_own(row.fact)) own.push_back(std::move(row));
    return own;
}

SharedFacts share_facts(const Database& db, const DeviceFact& device, const DriverFact& driver) {
    SharedFacts shared;
    shared.device = device;
    shared.device.uuid.clear();
    shared.driver = driver;
    for (std::string* uuid : {&shared.driver.uuid, &shared.driver.pipeline_uuid, &shared.driver.tiling_layout_uuid})
        uuid->clear();
    Database bundled = open_catalog({});
    Transaction transaction(bundled.sqlite);
    std::set<std::string> told, patterns, formats;
    for (ObservationRow& row : own_observations(db, device, driver)) {
        row.fact.reason.clear();
        if (!told.insert(timeless_identity(shared, row)).second) continue;
        add_observation(bundled, shared.device, shared.driver, row.fact);
        patterns.insert(row.pattern);
        formats.insert(row.fact.format);
    }
    shared.observations = told.size();
    shared.patterns = patterns.size();
    shared.formats = formats.size();
    const auto all = [](const auto&) { return true; };
    shared.usage_sizes = share_all<UsageSizesFact>(db, bundled, shared, all);
    shared.lane_orders = share_all<LaneOrderFact>(db, bundled, shared, all);
    shared.launch_orders =
        share_all<LaunchOrderFact>(db, bundled, shared, [&, is_newest = true](const auto& fact) mutable {
            return fact.visit != "not visible" && std::exchange(is_newest, false);
        });
    shared.rules = share_all<ImageRuleFact>(db, bundled, shared, all);
    shared.validations = share_all<ValidationFact>(db, bundled, shared, all);
    shared.tunings = share_all<TuningFact>(db, bundled, shared, all);
    shared.figures = share_all<FigureFact>(db, bundled, shared, all);
    transaction.commit();
    shared.bundle = export_bundle(bundled);
    return shared;
}

}  // namespace tilewise::db
