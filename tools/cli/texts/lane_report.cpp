#include "tools/cli/texts/lane_report.h"
#include "db/facts/json.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tilewise {

namespace {

using Json = nlohmann::ordered_json;

std::string order_text(const db::LaneOrderFact& fact) {
    if (!fact.matrix) return fact.note;
    std::string text = fmt::format("lane slots {}", db::lane_order_text(fact));
    if (is_identity(*fact.matrix)) text = "invocation i in lane slot i";
    text += fmt::format(", subgroups of {}", fact.subgroup_size);
    return fact.note.empty() ? text : fmt::format("{} ({})", text, fact.note);
}

std::string group_shape_text(const std::array<uint32_t, 3>& shape) {
    return extent_text({shape[0], shape[1], shape[2], 1});
}

std::string percent(const nlohmann::json& share) { return fmt::format("{:.0f} %", share.get<double>() * 100); }

std::string visit_text(const std::string& visit) {
    if (visit == "morton") return "in Morton order";
    return fmt::format("{0} by {0}", visit);  // "row by row"
}

std::string launch_text(const db::LaunchOrderFact& fact) {
    if (fact.visit == "not visible") return "not visible: " + fact.note;
    const nlohmann::json& numbers = fact.statistics;
    const auto number = [](const nlohmann::json& json, const char* name) { return json.value(name, 0.0); };
    const std::string nearest = visit_text(numbers.value("nearest", "row"));
    std::string text = fact.visit == "mixed" ? "in a mixed order, nearest to " + nearest : visit_text(fact.visit);
    if (!numbers.value("exact", false))
        text += fmt::format(" (rank correlation {:.2f})", number(numbers, "correlation"));
    if (numbers.contains("adjacent"))
        text += fmt::format("; {} are followed by a neighbour", percent(numbers["adjacent"]));
    if (const auto clock = numbers.find("clock");
        clock != numbers.end() && clock->is_object() && number(*clock, "first_wave") > 1)
        text += fmt::format("; {} in the first wave, {} of them beside another", number(*clock, "first_wave"),
                            number(*clock, "first_wave_adjacent"));
    if (const auto sm = numbers.find("sm"); sm != numbers.end())
        text += fmt::format("; {} multiprocessors, {} share that of their left neighbour",
                            number(*sm, "multiprocessors"), percent(sm->value("same_as_left", nlohmann::json(0))));
    return text;
}

}  // namespace

std::vector<Row> lane_rows(const LaneFacts& facts) {
    struct Line {
        std::string name, what, shapes;
    };
    std::vector<Line> lines;
    const auto add = [&](const std::string& name, const std::string& what, const std::string& shape) {
        auto line = std::ranges::find_if(lines, [&](const Line& l) { return l.name == name && l.what == what; });
        if (line == lines.end()) line = lines.insert(lines.end(), {name, what, ""});
        line->shapes += (line->shapes.empty() ? "" : " ") + shape;
    };
    for (const db::LaneOrderFact& fact : facts.lanes)
        add("by " + fact.built_in, order_text(fact), group_shape_text(fact.shape));
    std::vector<Row> rows;
    rows.reserve(lines.size());
    for (const Line& line : lines)
        rows.push_back({rows.empty() ? "lanes" : "", line.name, fmt::format("{}: {}", line.what, line.shapes)});
    std::map<std::string, std::vector<std::string>> failures;
    for (const LaneFacts::Failure& failure : facts.failures) failures[failure.reason].push_back(failure.what);
    for (const auto& [reason, what] : failures) {
        const std::string more = what.size() > 1 ? fmt::format(" and {} more", what.size() - 1) : "";
        rows.push_back(
            {rows.empty() ? "lanes" : "", "not measured", fmt::format("{}: {}{}", reason, what.front(), more)});
    }
    if (!facts.launches.empty()) rows.push_back({"workgroups", "launch", launch_text(facts.launches.front())});
    return rows;
}

void add_lane_json(const LaneFacts& facts, Json& json) {
    Json& lanes = json["lane_orders"] = Json::array();
    for (const db::LaneOrderFact& fact : facts.lanes) lanes.push_back(db::to_json(fact));
    json["start_order"] = facts.launches.empty() ? Json(nullptr) : db::to_json(facts.launches.front());
    if (facts.failures.empty()) return;
    Json& failures = json["lane_failures"] = Json::array();
    for (const LaneFacts::Failure& failure : facts.failures)
        failures.push_back({{"what", failure.what}, {"reason", failure.reason}});
}

}  // namespace tilewise
