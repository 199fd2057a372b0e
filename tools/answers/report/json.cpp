#include "db/facts/json.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/names.h"
#include "patterns/picture/picture.h"
#include "tools/answers/advice/advice_text.h"
#include "tools/answers/report/report.h"

namespace tilewise {

namespace {

using OrderedJson = nlohmann::ordered_json;

template <typename Items, typename JsonOf>
OrderedJson list(const Items& items, JsonOf json_of) {
    OrderedJson array = OrderedJson::array();
    for (const auto& item : items) array.push_back(json_of(item));
    return array;
}

OrderedJson shape_json(const Coord& shape) { return {shape[axis_x], shape[axis_y], shape[axis_z]}; }

OrderedJson remap_json(const ReportPattern& pattern) {
    if (!pattern.remap) return nullptr;
    const Derivation& derived = *pattern.remap;
    return {{"device", pattern.remap_for},
            {"shape", shape_json(derived.remap.shape)},
            {"subgroup", derived.request.subgroup_size},
            {"columns", list(derived.remap.columns, coordinate_bits)},
            {"subgroup_bits", derived.subgroup_bits},
            {"orders", list(derived.orders,
                            [](const OrderCost& order) {
                                return OrderedJson{{"order", order.name},
                                                   {"shape", shape_json(order.remap.shape)},
                                                   {"columns", list(order.remap.columns, coordinate_bits)},
                                                   {"segments_32", order.segments_32},
                                                   {"segments_64", order.segments_64},
                                                   {"segments_128", order.segments_128},
                                                   {"quad_segments", order.quad_segments}};
                            })},
            {"reason", derived.reason}};
}

OrderedJson code_json(const ReportCode& code) {
    return {{"language", language_name(code.language)}, {"kind", snippet_kind_name(code.kind)}, {"text", code.text}};
}

OrderedJson pattern_json(const ReportPattern& pattern) {
    return {{"id", pattern.id},
            {"title", pattern_title(pattern.layout.pattern)},
            {"name", pattern_name(pattern.layout.pattern)},
            {"mode", to_json(mode_of(pattern.layout.pattern))},
            {"layout", to_json(pattern.layout)},
            {"chips", pattern.chips},
            {"remap", remap_json(pattern)},
            {"snippets", pattern.snippets},
            {"code", list(pattern.code, code_json)}};
}

OrderedJson snippets_json(const ReportSnippets& snippets) {
    return {{"kernel_format", snippets.kernel_format}, {"code", list(snippets.code, code_json)}};
}

OrderedJson element_json(const Element& element) {
    return {{"bytes", element.bytes}, {"width", element.width}, {"height", element.height}};
}

/// A subresource has only what the image adds to its pattern: the rest of the layout is in the pattern.
OrderedJson image_layout_json(const ReportLayout& layout, const Report& report) {
    const ImageLayout& image = layout.image;
    OrderedJson parts = OrderedJson::array();
    for (size_t i = 0; i < image.subresources.size(); i++) {
        const Subresource& part = image.subresources[i];
        const Element& element = part.layout.pattern.element;
        OrderedJson json = {{"aspect", aspect_name(part.aspect)},
                            {"level", part.level},
                            {"layer", part.layer},
                            {"layers", part.layers},
                            {"layer_stride", part.layer_stride_B},
                            {"extent", part.extent_px},
                            {"pattern", layout.patterns[i]},
                            {"stride", part.layout.stride},
                            {"constant", part.layout.constant},
                            {"base", part.layout.base},
                            {"end", end_of(image, part)}};
        // Formats with the same pattern may have blocks of other sizes.
        if (element != report.patterns[layout.patterns[i]].layout.pattern.element)
            json["element"] = element_json(element);
        parts.push_back(std::move(json));
    }
    return {{"image_type", image.type},     {"extent", image.extent_px}, {"levels", image.levels},
            {"layers", image.layers},       {"samples", image.samples},  {"bytes", image.bytes},
            {"alignment", image.alignment}, {"subresources", parts}};
}

OrderedJson cell_json(const Cell& cell) {
    return {{"kind", cell.kind},
            {"patterns", list(cell.patterns,
                              [](const CellPattern& known) {
                                  OrderedJson json = {{"pattern", known.pattern},
                                                      {"aspect", known.aspect},
                                                      {"observations", known.observations}};
                                  if (known.observations > 0) json["extents"] = known.extents;
                                  return json;
                              })},
            {"provenance", cell.provenance},
            {"rule", cell.rule}};
}

/// The figures' lines, as in the text output.
OrderedJson figure_lines(const FigureFacts& figures) {
    return list(figure_rows(figures), [](const std::vector<std::string>& row) {
        return OrderedJson{{"about", row[1]}, {"text", row[2]}};
    });
}

OrderedJson range_json(const TimedRange& range) {
    return {{"low", range.low},
            {"high", range.high},
            {"radii", range.radii},
            {"smallest", range.smallest},
            {"largest", range.largest}};
}

OrderedJson gain_json(const ReportGain& gain) {
    return {{"device", gain.device},
            {"driver", gain.driver},
            {"format", gain.format},
            {"kernel", gain.kernel},
            {"pattern", gain.pattern},
            {"over_row", range_json(gain.over_row)},
            {"over_morton", gain.over_morton ? range_json(*gain.over_morton) : OrderedJson()}};
}

OrderedJson tile_json(const ReportTile& tile) {
    return {{"format", tile.format},
            {"pattern", tile.pattern},
            {"source", advice_source_name(tile.source)},
            {"gain", tile.gain}};
}

OrderedJson device_json(const ReportDevice& device) {
    return {{"device", db::to_json(device.device)},
            {"driver", driver_text(device.driver)},
            {"vendor", device.chip.vendor},
            {"chip", device.chip.name},
            {"architecture", device.chip.architecture},
            {"products", device.products},
            {"pci_ids", device.pci_ids},
            {"provenance", device.provenance},
            {"observations", device.observations},
            {"lanes", device.lanes},
            {"launch", device.launch},
            {"figures", list(device.figures.known, [](const db::FigureFact& fact) { return db::to_json(fact); })},
            {"figure_lines", figure_lines(device.figures)},
            {"formats", list(device.rows,
                             [](const FormatRow& row) {
                                 return OrderedJson{{"formats", row.formats}, {"cells", list(row.cells, cell_json)}};
                             })},
            {"tiles", list(device.tiles, tile_json)},
            {"images", list(device.images,
                            [](const ReportImage& image) {
                                return OrderedJson{
                                    {"formats", image.formats},     {"kind", image.kind},
                                    {"usage", image.usage},         {"flags", image.flags},
                                    {"image_layout", image.layout}, {"source", layout_source_name(image.source)},
                                    {"evidence", image.evidence}};
                            })},
            {"timings", list(device.timings, [](const db::ValidationFact& fact) { return db::members_json(fact); })},
            {"tunings", list(device.tunings, [](const db::TuningFact& fact) { return db::members_json(fact); })}};
}

}  // namespace

OrderedJson to_json(const Report& report) {
    return {{"tilewise", TILEWISE_VERSION},
            {"gpus", report.gpus},
            {"notes", report.notes},
            {"assumed", report.assumed},
            {"extent", report.extent_px},
            {"format", report.format},
            {"kinds", kinds_of_image},
            {"patterns", list(report.patterns, pattern_json)},
            {"snippets", list(report.snippets, snippets_json)},
            {"image_layouts",
             list(report.layouts, [&](const ReportLayout& layout) { return image_layout_json(layout, report); })},
            {"devices", list(report.devices, device_json)},
            {"gains", list(report.gains, gain_json)}};
}

}  // namespace tilewise
