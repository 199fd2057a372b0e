#include "tools/answers/report/report_origins.h"
#include "db/query/query.h"
#include "patterns/model/error.h"
#include "tools/answers/add_once.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <map>
#include <set>

namespace tilewise {

FoundOrigins find_origins(const db::Database& database, const ReportRequest& request) {
    FoundOrigins found;
    std::vector<db::ObservationRow>& rows = found.rows;
    std::vector<std::string> assumed;  // for each row
    std::vector<db::ImageRuleRow> rules;
    for (size_t side = 0; side < std::max(size_t{1}, std::max(request.gpus.size(), request.drivers.size())); side++) {
        Question question;
        if (!request.gpus.empty()) question.gpu = asked_gpu(request.gpus[std::min(side, request.gpus.size() - 1)]);
        if (!request.drivers.empty()) question.driver = request.drivers[std::min(side, request.drivers.size() - 1)];
        const Scope asked = ask(database, question, GpuAnswer::all);
        if (asked.gpu)
            for (const std::string& note : {asked.gpu->said, asked.gpu->assumed})
                if (!note.empty()) add_once(found.notes, note);
        if (asked.gpu && !asked.gpu->assumed.empty()) add_once(found.assumed, asked.gpu->assumed);
        db::Filter filter = asked.filter;
        std::ranges::move(find_rules(database, filter), std::back_inserter(rules));
        filter.result = "exact";
        const size_t before = rows.size();
        std::ranges::move(db::find_observations(database, filter), std::back_inserter(rows));
        if (rows.size() == before) throw Error(db::why_nothing(database, asked.filter));
        assumed.resize(rows.size(), asked.gpu ? asked.gpu->assumed : "");
    }

    std::vector<ReportOrigin>& origins = found.origins;
    std::map<OriginKey, size_t> known;
    std::set<int64_t> seen;  // both sides may mean the same device
    for (size_t i = 0; i < rows.size(); i++) {
        const db::ObservationRow& row = rows[i];
        if (!seen.insert(row.row).second) continue;
        const auto [place, is_new] = known.try_emplace(origin_key(row.device, row.driver), origins.size());
        if (is_new) origins.push_back({row.device, row.driver, assumed[i], {}, {}});
        origins[place->second].rows.push_back(&row);
    }
    seen.clear();
    for (db::ImageRuleRow& row : rules) {
        if (!seen.insert(row.row).second) continue;
        const auto place = known.find(origin_key(row.device, row.driver));
        if (place != known.end()) origins[place->second].rules.push_back(std::move(row));
    }
    // Unless two drivers are compared, the newest version of a device's driver comes first, as everywhere else.
    if (request.drivers.size() < 2) {
        using Driver = std::tuple<uint32_t, uint32_t, std::string, std::string>;
        const auto driver_of = [](const ReportOrigin& origin) {
            return Driver(origin.device.vendor_id, origin.device.device_id, origin.device.name, origin.driver.name);
        };
        std::map<Driver, size_t> places;
        for (const ReportOrigin& origin : origins) places.try_emplace(driver_of(origin), places.size());
        std::ranges::stable_sort(origins, [&](const ReportOrigin& a, const ReportOrigin& b) {
            const size_t place_a = places.at(driver_of(a)), place_b = places.at(driver_of(b));
            return place_a != place_b ? place_a < place_b : has_older_version(b.driver, a.driver);
        });
    }
    return found;
}

}  // namespace tilewise
