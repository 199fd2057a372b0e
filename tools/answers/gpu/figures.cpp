#include "tools/answers/gpu/figures.h"
#include "db/facts/json.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

using Json = nlohmann::ordered_json;

const db::FigureFact* find(const FigureFacts& figures, std::string_view name, std::string_view format = "") {
    const auto found = std::ranges::find_if(
        figures.known, [&](const db::FigureFact& fact) { return fact.name == name && fact.format == format; });
    return found == figures.known.end() ? nullptr : &*found;
}

/// "2x2 1980, 4x1 1430, 1x4 1980": texels per nanosecond.
std::string fetches_text(const FigureFacts& figures, const std::string& format) {
    std::string text;
    for (const char* quad : {"2x2", "4x1", "1x4"})
        if (const db::FigureFact* fact = find(figures, fmt::format("texels_{}_per_us", quad), format))
            text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", quad, fact->value / 1000);
    return text;
}

/// "270336 invocations at once, 135168 that each keep 64 values"
std::string residents_text(const FigureFacts& figures) {
    const db::FigureFact* all = find(figures, "resident_invocations");
    if (!all) return "";
    std::string text = fmt::format("{:.0f} invocations at once", all->value);
    for (const int kept : {32, 64, 128})
        if (const db::FigureFact* fact = find(figures, fmt::format("resident_invocations_{}_values", kept)))
            text += fmt::format(", {:.0f} that each keep {} values", fact->value, kept);
    if (const db::FigureFact* registers = find(figures, "registers_at_full_occupancy"))
        text += fmt::format("; as many with up to {:.0f} registers as with few", registers->value);
    return text;
}

}  // namespace

FigureFacts known_figures(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver) {
    return {db::newest_figures(database, device, driver), {}};
}

std::vector<std::vector<std::string>> figure_rows(const FigureFacts& figures) {
    std::vector<std::vector<std::string>> rows;
    if (const db::FigureFact* starts = find(figures, "group_starts_per_us"))
        rows.push_back({"", "starts", fmt::format("{:.4g} workgroups of 64 invocations a microsecond", starts->value)});
    if (const std::string text = residents_text(figures); !text.empty()) rows.push_back({"", "occupancy", text});
    for (const kernels::Format format : kernels::all_formats) {
        const std::string name = kernels::traits_of(format).name, text = fetches_text(figures, name);
        if (!text.empty())
            rows.push_back({"", "fetches", fmt::format("{} texels a nanosecond, by quads of {}", name, text)});
    }
    if (const db::FigureFact* near = find(figures, "first_level_ns")) {
        std::string text = fmt::format("a load takes {:.3g} ns", near->value);
        if (const db::FigureFact* bytes = find(figures, "first_level_bytes"))
            text += fmt::format(" within {:.0f} KiB", bytes->value / 1024);
        if (const db::FigureFact* beyond = find(figures, "second_level_ns"))
            text += fmt::format(", {:.3g} ns beyond", beyond->value);
        if (const db::FigureFact* miss = find(figures, "miss_bytes"))
            text += fmt::format("; a miss brings {:.0f} bytes", miss->value);
        if (const db::FigureFact* caches = find(figures, "first_level_caches"))
            text += fmt::format("; {:.0f} such caches", caches->value);
        rows.push_back({"", "first level", text});
    }
    for (const kernels::Figures::Failure& failure : figures.failures)
        rows.push_back({"", "not measured", fmt::format("{}: {}", failure.what, failure.reason)});
    if (!rows.empty()) rows.front().front() = "figures";
    return rows;
}

void add_figure_json(const FigureFacts& figures, Json& json) {
    Json& known = json["figures"] = Json::array();
    for (const db::FigureFact& fact : figures.known) known.push_back(db::to_json(fact));
    if (figures.failures.empty()) return;
    Json& failures = json["figure_failures"] = Json::array();
    for (const kernels::Figures::Failure& failure : figures.failures)
        failures.push_back({{"what", failure.what}, {"reason", failure.reason}});
}

}  // namespace tilewise
