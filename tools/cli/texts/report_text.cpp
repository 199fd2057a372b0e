#include "tools/cli/texts/report_text.h"
#include "db/facts/device.h"
#include "patterns/model/names.h"
#include "patterns/picture/picture.h"
#include "tools/cli/terminal/print.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace tilewise {

namespace {

constexpr size_t short_id = 8;

std::string device_title(const ReportDevice& device) {
    const std::string& name = device.device.name;
    return fmt::format("{} ({}){}", name, driver_text(device.driver),
                       device.chip.name.empty() || name.find(device.chip.name) != name.npos
                           ? ""
                           : fmt::format(", {}", device.chip.name));
}

std::string cell_text(const Cell& cell, const Report& report) {
    std::vector<std::string> ids;
    for (const CellPattern& known : cell.patterns) {
        const std::string aspect = known.aspect == "color" ? "" : known.aspect + " ";
        ids.push_back(aspect + report.patterns[known.pattern].id.substr(0, short_id));
    }
    std::vector<std::string> sources = cell.provenance;
    if (!cell.rule.empty()) sources.emplace_back("rule");
    return fmt::format("{}: {} ({})", cell.kind, some_of(ids, 4), fmt::join(sources, ", "));
}

void print_formats(const ReportDevice& device, const Report& report) {
    std::vector<Row> rows = {{"formats", "images: patterns (known by)"}};
    for (const FormatRow& row : device.rows) {
        Row line = {some_of(row.formats, 2)};
        for (const Cell& cell : row.cells) {
            line.push_back(cell_text(cell, report));
            rows.push_back(std::move(line));
            line = {""};
        }
    }
    print_table(rows, 2);
}

void print_tiles(const ReportDevice& device, const Report& report) {
    for (const ReportTile& tile : device.tiles) {
        const ReportPattern& pattern = report.patterns[tile.pattern];
        print_line(fmt::format("  {}: {} {}", tile.format, pattern.id.substr(0, short_id),
                               pattern_title(pattern.layout.pattern)));
        for (const std::string& sentence : tile.gain) print_columns({{sentence}}, 4);
    }
}

void print_images(const ReportDevice& device, const Report& report) {
    if (device.images.empty()) return;
    print_line("");
    print_line(fmt::format("  images of {}", extent_text(report.extent_px)));
    std::vector<Row> rows = {{"formats", "image", "aspect", "level", "layers", "from byte", "to byte", "pattern", ""}};
    for (const ReportImage& image : device.images) {
        const ImageLayout& layout = report.layouts[image.layout].image;
        Row line = {some_of(image.formats, 2), image.kind};
        for (const Subresource& part : layout.subresources) {
            const Layout& of = part.layout;
            line.insert(line.end(),
                        {std::string(aspect_name(part.aspect)), std::to_string(part.level),
                         part.layers == 1 ? std::to_string(part.layer)
                                          : fmt::format("{}-{}", part.layer, part.layer + part.layers - 1),
                         std::to_string(of.base), std::to_string(end_of(layout, part)),
                         pattern_id(of.pattern).substr(0, short_id), std::string(layout_source_name(image.source))});
            rows.push_back(std::move(line));
            line = {"", ""};
        }
    }
    print_table(rows, 2);
    std::set<std::string> told;
    for (const ReportImage& image : device.images)
        if (image.source == LayoutSource::assumed && told.insert(image.evidence).second)
            print_line(fmt::format("  assumed: {}, {}: {}", some_of(image.formats, 2), image.kind, image.evidence));
}

void print_timings(const ReportDevice& device) {
    if (device.timings.empty()) return;
    print_line("");
    std::vector<Row> rows = {
        {"kernel", "format", "radius", "method", "order", "shape", "ms", "95%", "floor", "speed-up", "verdict"}};
    for (const db::ValidationFact& fact : device.timings)
        rows.push_back(
            {fact.kernel, fact.format, std::to_string(fact.radius), fact.method, fact.order.empty() ? "-" : fact.order,
             fmt::format("{}x{}{}", fact.shape[0], fact.shape[1],
                         fact.group_order == group_order_text({}) ? "" : " in " + fact.group_order),
             fmt::format("{:.4g}", fact.median_ms),
             fact.interval_ms[1] > 0 ? fmt::format("{:.4g}..{:.4g}", fact.interval_ms[0], fact.interval_ms[1]) : "-",
             fact.floor_ms > 0 ? fmt::format("{:.4g}", fact.floor_ms) : "-",
             fact.ratio > 0 ? fmt::format("{:.3f}", fact.ratio) : "-", fact.verdict});
    print_table(rows, 2);
}

/// How many times as fast as a named order; below 1 if the kept one is slower, but simpler.
std::string over_text(double ratio) { return ratio > 0 ? fmt::format("{:.3f}", ratio) : "-"; }

void print_tunings(const ReportDevice& device) {
    if (device.tunings.empty()) return;
    print_line("");
    print_line("  the fastest that tune found");
    std::vector<Row> rows = {{"kernel", "format", "radius", "method", "order", "shape", "workgroups", "of", "ms", "95%",
                              "over row", "over Morton", "over learned"}};
    for (const db::TuningFact& fact : device.tunings)
        rows.push_back(
            {fact.kernel, fact.format, std::to_string(fact.radius), fact.method, fact.order,
             fmt::format("{}x{}", fact.shape[0], fact.shape[1]), fact.group_order, std::to_string(fact.candidates),
             fmt::format("{:.4g}", fact.median_ms),
             fact.interval_ms[1] > 0 ? fmt::format("{:.4g}..{:.4g}", fact.interval_ms[0], fact.interval_ms[1]) : "-",
             over_text(fact.over_row), over_text(fact.over_morton), over_text(fact.over_derived)});
    print_table(rows, 2);
}

}  // namespace

void print_report(const Report& report) {
    for (const std::string& note : report.notes) print_line(note);
    for (const ReportDevice& device : report.devices) {
        print_line(device_title(device));
        size_t formats = 0;
        for (const FormatRow& row : device.rows) formats += row.formats.size();
        print_line(fmt::format("  {} ({}); {}", counted(device.observations, "observation"),
                               fmt::join(device.provenance, ", "), counted(formats, "format")));
        if (!device.products.empty())
            print_line(fmt::format("  {}: {}", device.chip.name, some_of(device.products, 4)));
        if (!device.lanes.empty()) print_line("  lanes: " + device.lanes);
        if (!device.launch.empty()) print_line("  workgroups launch by: " + device.launch);
        print_columns(figure_rows(device.figures), 2);
        print_line("");
        print_tiles(device, report);
        print_line("");
        print_formats(device, report);
        print_images(device, report);
        print_timings(device);
        print_tunings(device);
        print_line("");
    }
    std::vector<Row> rows = {{"pattern", "", "name", "chips"}};
    for (const ReportPattern& pattern : report.patterns)
        rows.push_back({pattern.id, pattern_title(pattern.layout.pattern), pattern_name(pattern.layout.pattern),
                        some_of(pattern.chips, 4)});
    print_table(rows);
}

}  // namespace tilewise
