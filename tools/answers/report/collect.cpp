#include "db/facts/image_rule.h"
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "db/facts/pattern.h"
#include "db/facts/tuning.h"
#include "patterns/convert/convert.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/model/parallel.h"
#include "patterns/model/text.h"
#include "patterns/remap/workgroup.h"
#include "patterns/rules/rule_json.h"
#include "tools/answers/add_once.h"
#include "tools/answers/advice/advice.h"
#include "tools/answers/advice/advice_text.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/gpu/known_device.h"
#include "tools/answers/gpu/known_gpus.h"
#include "tools/answers/image/find_image.h"
#include "tools/answers/image/observed_image.h"
#include "tools/answers/image/predicted_image.h"
#include "tools/answers/pattern/choose_pattern.h"
#include "tools/answers/report/gains.h"
#include "tools/answers/report/report.h"
#include "tools/answers/report/report_origins.h"
#include "tools/answers/report/report_tiles.h"
#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace tilewise {

namespace {

constexpr uint32_t kernel_radius = 2;  ///< of the kernels that a reader can copy

std::vector<uint64_t> numbers_of(const ImageLayout& image, const std::vector<size_t>& patterns);

class Collector {
public:
    explicit Collector(const db::Database& database) : database_(database) {
        for (const db::PatternSummary& summary : db::find_patterns(database, {})) {
            std::vector<std::string>& chips = chips_[summary.id];
            for (const auto* uses : {&summary.devices, &summary.also_devices})
                for (const db::DeviceUse& use : *uses) add_once(chips, chip_name(*use.device));
        }
    }

    size_t pattern(const Pattern& pattern) {
        const auto [seen, is_unseen] = seen_patterns_.try_emplace(pattern, 0);
        if (!is_unseen) return seen->second;
        const std::string id = pattern_id(pattern);
        const auto [known, is_new] = patterns_.try_emplace(id, report.patterns.size());
        if (is_new) {
            ReportPattern& added = report.patterns.emplace_back();
            added.id = id;
            added.layout = db::bare_layout(pattern);
            added.chips = chips_[id];
        }
        return seen->second = known->second;
    }

    size_t layout(ImageLayout image) {
        image.format.clear();
        image.usage.clear();
        image.flags.clear();
        image.evidence.clear();
        image.source = LayoutSource::given;
        std::vector<size_t> patterns;
        for (const Subresource& part : image.subresources) patterns.push_back(pattern(part.layout.pattern));
        const auto [known, is_new] = layouts_.try_emplace(numbers_of(image, patterns), report.layouts.size());
        if (is_new) report.layouts.push_back({std::move(image), std::move(patterns)});
        return known->second;
    }

    void add(const ReportOrigin& origin);
    void add_remaps(const Advance& advance);
    /// Must follow add_remaps().
    void add_tiles() { tilewise::add_tiles(report, std::move(plain_), find_gains(database_)); }

    Report report;

private:
    using Cells = std::map<std::string, std::map<std::string, Cell>>;  ///< by format and kind of image
    void add_observed(const ReportOrigin& origin, ReportDevice& device, Cells& cells);
    void add_images(const ReportOrigin& origin, ReportDevice& device, Cells& cells);
    void add_image(ReportDevice& device, Cells& cells, const ImageLayout& image, const std::string& rule);

    std::vector<PlainPatterns> plain_;  ///< for each device

    const db::Database& database_;
    std::map<std::string, std::vector<std::string>> chips_;
    /// Products by chip, with the PCI ids.
    std::map<std::string, std::pair<std::vector<std::string>, std::map<std::string, std::string>>> products_;
    std::map<std::string, size_t> patterns_;
    struct PatternHash {
        size_t operator()(const Pattern& pattern) const {
            uint64_t hash = pattern.tile_bytes ^ pattern.element.bytes;
            for (const LinearMap* map : {&pattern.equation, &pattern.outer_xor, &pattern.index_xor})
                for (const std::vector<uint64_t>& columns : map->columns)
                    for (const uint64_t column : columns) hash = (hash ^ hash >> 31 ^ column) * 0x9e3779b97f4a7c15;
            return hash;
        }
    };
    std::unordered_map<Pattern, size_t, PatternHash> seen_patterns_;  ///< computing an id takes longer
    std::map<std::vector<uint64_t>, size_t> layouts_;                 ///< by numbers_of()
    std::map<std::tuple<Coord, std::vector<Coord>, uint32_t, std::string>, size_t> snippets_;
    size_t snippets(const SnippetRequest& of);

    struct Use {
        db::DeviceFact device;
        db::DriverFact driver;
        std::set<std::string> formats;  ///< of its 2D images
    };
    std::map<size_t, Use> uses_;  ///< by pattern: the first device that has it
};

/// Everything that two image layouts can differ in, except what their patterns contain.
std::vector<uint64_t> numbers_of(const ImageLayout& image, const std::vector<size_t>& patterns) {
    std::vector<uint64_t> numbers = {
        static_cast<uint64_t>(image.type), image.levels, image.layers, image.samples, image.bytes, image.alignment};
    const auto add = [&](const auto& all) { numbers.insert(numbers.end(), all.begin(), all.end()); };
    add(image.extent_px);
    for (const auto& [aspect, blocks] : image.sparse) {
        numbers.push_back(static_cast<uint64_t>(aspect));
        add(to_json(blocks).dump());
    }
    for (size_t i = 0; i < patterns.size(); i++) {
        const Subresource& part = image.subresources[i];
        const Element& element = part.layout.pattern.element;
        add(std::array<uint64_t, 10>{static_cast<uint64_t>(part.aspect), part.level, part.layer, part.layers,
                                     part.layer_stride_B, patterns[i], element.width, element.height,
                                     part.layout.constant, part.layout.base});
        add(part.extent_px);
        add(part.layout.stride);
    }
    return numbers;
}

size_t place_of_kind(const std::string& kind) {
    return static_cast<size_t>(std::ranges::find(kinds_of_image, kind) - std::begin(kinds_of_image));
}

CellPattern& pattern_of_cell(Cell& cell, size_t pattern, std::string_view aspect) {
    const auto found = std::ranges::find_if(
        cell.patterns, [&](const CellPattern& known) { return known.pattern == pattern && known.aspect == aspect; });
    if (found != cell.patterns.end()) return *found;
    return cell.patterns.emplace_back(CellPattern{pattern, std::string(aspect), 0, {}});
}

void Collector::add_observed(const ReportOrigin& origin, ReportDevice& device, Cells& cells) {
    for (const db::ObservationRow* row : origin.rows) {
        const db::ObservationFact& fact = row->fact;
        add_once(device.provenance, fact.provenance);
        device.observations++;
        const std::string kind = kind_of_image(fact);
        Cell& cell = cells[fact.format][kind];
        cell.kind = kind;
        add_once(cell.provenance, fact.provenance);
        const size_t of = pattern(fact.layout->pattern);
        CellPattern& known = pattern_of_cell(cell, of, fact.aspect);
        known.observations++;
        const std::string extent = extent_text(fact.extent_px);
        add_once(known.extents, extent);
        if (fact.aspect != "stencil") {
            const PlainRank rank_here = plain_rank(fact);
            auto& [rank, plain] = plain_.back()[fact.format];
            if (rank <= rank_here) rank = rank_here, plain = of;
        }
        Use& use = uses_.try_emplace(of, Use{origin.device, origin.driver, {}}).first->second;
        const bool is_plain = fact.type == ImageType::two_d && fact.samples == 1 && fact.aspect == "color";
        if (is_plain && use.device == origin.device) use.formats.insert(fact.format);
    }
}

/// "rule from 300 images (hardware), up to 16384x16384, 15 levels, 4 layers"; for a rule from a text, "rule
/// (documented), up to .."
std::string rule_text_of(const Rule& rule, const db::ImageRuleFact& fact) {
    std::string text =
        fmt::format("rule{} ({}), up to {}", rule.probes == 0 ? "" : fmt::format(" from {} images", rule.probes),
                    fact.provenance, extent_text(rule.max_extent_px));
    if (rule.max_levels > 1) text += fmt::format(", {} levels", rule.max_levels);
    if (rule.max_layers > 1) text += fmt::format(", {} layers", rule.max_layers);
    return text;
}

void Collector::add_image(ReportDevice& device, Cells& cells, const ImageLayout& image, const std::string& rule) {
    ReportImage found;
    found.kind = kind_of_image(image);
    found.usage = image.usage;
    found.flags = image.flags;
    found.source = image.source;
    found.evidence = image.evidence;
    found.layout = layout(image);
    if (!rule.empty()) {
        Cell& cell = cells[image.format][found.kind];
        cell.kind = found.kind;
        cell.rule = rule;
        const ReportLayout& layout = report.layouts[found.layout];
        for (size_t i = 0; i < layout.patterns.size(); i++)
            pattern_of_cell(cell, layout.patterns[i], aspect_name(layout.image.subresources[i].aspect));
    }
    for (ReportImage& same : device.images)
        if (std::tie(same.kind, same.usage, same.flags, same.layout, same.source, same.evidence) ==
            std::tie(found.kind, found.usage, found.flags, found.layout, found.source, found.evidence)) {
            add_once(same.formats, image.format);
            return;
        }
    found.formats = {image.format};
    device.images.push_back(std::move(found));
}

/// The kind of the largest image that the rule covers, without a size: images in the report have as many levels and
/// layers, or fewer.
ImageKind largest_kind(const Rule& rule, const db::ImageRuleFact& fact) {
    ImageKind kind;
    kind.type = rule.image_type;
    kind.usage = fact.usage;
    kind.flags = fact.flags;
    kind.samples = rule.samples;
    kind.levels = rule.max_levels;
    kind.layers = rule.max_layers;
    return kind;
}

/// The images of the requested size, with and without levels and layers, as far as the kind can have them.
std::vector<ImageKind> images_of_size(const ImageKind& of, const Extent_px& extent_px) {
    ImageKind image = of;
    image.extent_px = extent_px;
    if (of.type == ImageType::one_d) image.extent_px = {extent_px[0], 1, 1};
    if (of.type == ImageType::two_d) image.extent_px[2] = 1;
    const auto longest = *std::ranges::max_element(image.extent_px);
    const uint32_t chain = std::min(static_cast<uint32_t>(std::bit_width(longest)), of.levels);
    std::vector<ImageKind> images;
    const bool is_cube = has_names(of.flags, "cube-compatible");
    const std::vector<uint32_t> layers = is_cube          ? std::vector<uint32_t>{faces_of_cube}
                                         : of.layers >= 2 ? std::vector<uint32_t>{1, std::min(faces_of_cube, of.layers)}
                                                          : std::vector<uint32_t>{1};
    for (const uint32_t levels : chain > 1 ? std::vector<uint32_t>{1, chain} : std::vector<uint32_t>{1})
        for (const uint32_t count : layers) {
            image.levels = levels;
            image.layers = count;
            images.push_back(image);
        }
    return images;
}

/// The kinds of images observed for each format; with every level and layer that is asked for if images with several
/// were observed.
std::map<std::string, std::vector<ImageKind>> kinds_by_format(const std::vector<const db::ObservationRow*>& rows) {
    std::map<std::string, std::vector<ImageKind>> by_format;
    for (const db::ObservationRow* row : rows) {
        const db::ObservationFact& fact = row->fact;
        std::vector<ImageKind>& known = by_format[fact.format];
        auto same = std::ranges::find_if(known, [&](const ImageKind& of) {
            return std::tie(of.type, of.usage, of.flags, of.samples) ==
                   std::tie(fact.type, fact.usage, fact.flags, fact.samples);
        });
        if (same == known.end()) {
            same = known.insert(known.end(), fact);
            same->levels = same->layers = 1;
        }
        if (fact.levels > 1) same->levels = max_image_levels;
        if (fact.layers > 1) same->layers = max_image_layers;
    }
    return by_format;
}

/// The image as `layout` lays it out, like others that were observed; none if it refuses to.
std::optional<ImageLayout> image_like_others(const ReportOrigin& origin, const ImageKind& asked) {
    ImageQuestion question;
    question.about.format = asked_format(asked.format);
    question.about.usage = asked.usage;
    question.about.extent = asked.extent_px;
    question.levels = asked.levels;
    question.layers = asked.layers;
    question.samples = asked.samples;
    question.type = asked.type;
    question.flags = asked.flags;
    std::vector<db::ObservationRow> rows;
    for (const db::ObservationRow* row : origin.rows)
        if (row->fact.format == asked.format && has_names(row->fact.usage, asked.usage)) rows.push_back(*row);
    Answer<FoundImage> answer = find_image(question, DeviceKnowledge{std::move(rows), origin.rules, origin.assumed});
    FoundImage* found = std::get_if<FoundImage>(&answer);
    return found ? std::optional(std::move(found->image)) : std::nullopt;
}

void Collector::add_images(const ReportOrigin& origin, ReportDevice& device, Cells& cells) {
    // Observations of the very images come before what rules say about them, and rules before assumptions.
    std::map<std::string, std::vector<ImageKind>> told;  // by format
    const auto is_told = [&](const ImageKind& image, const auto& is_usage) {
        return std::ranges::any_of(told[image.format], [&](const ImageKind& other) {
            return std::tie(other.flags, other.type, other.levels, other.layers, other.samples) ==
                       std::tie(image.flags, image.type, image.levels, image.layers, image.samples) &&
                   is_usage(other.usage, image.usage);
        });
    };
    const auto add = [&](const ImageLayout& image, const std::string& rule) {
        add_image(device, cells, image, rule);
        told[image.format].push_back(image);
    };
    const std::vector<std::string> of_another =
        origin.assumed.empty() ? std::vector<std::string>{} : std::vector{origin.assumed};
    std::vector<const db::ObservationRow*> rows = origin.rows;
    std::erase_if(rows, [&](const db::ObservationRow* row) { return row->fact.extent_px != report.extent_px; });
    for (ObservedImage& observed : observed_images(rows)) {
        if (observed.image.subresources.empty()) continue;  // observations that contradict each other
        mark_assumed(observed.image, of_another);
        add(observed.image, "");
    }
    for (const db::ImageRuleRow& row : origin.rules) {
        const Rule rule = rule_from_json(row.fact.rule);
        const std::string rests_on = rule_text_of(rule, row.fact);
        add_once(device.provenance, row.fact.provenance);
        for (const ImageKind& asked : images_of_size(largest_kind(rule, row.fact), report.extent_px)) {
            const Prediction prediction = predict(rule, asked);
            if (!prediction.image) continue;
            ImageLayout image = *prediction.image;
            image.usage = row.fact.usage;
            image.evidence = rule_evidence(rule, row.fact.provenance);
            mark_assumed(image, of_another);
            for (const std::string& format : split(row.fact.formats)) {
                image.format = format;
                if (!is_told(image, std::equal_to())) add(image, rests_on);
            }
        }
    }
    for (const auto& [format, kinds] : kinds_by_format(origin.rows))
        for (const ImageKind& kind : kinds)
            for (const ImageKind& asked : images_of_size(kind, report.extent_px)) {
                if (is_told(asked, has_names)) continue;
                if (const std::optional<ImageLayout> image = image_like_others(origin, asked)) add(*image, "");
            }
}

bool operator==(const CellPattern& a, const CellPattern& b) {
    return std::tie(a.pattern, a.aspect, a.observations, a.extents) ==
           std::tie(b.pattern, b.aspect, b.observations, b.extents);
}
bool same_cell(const Cell& a, const Cell& b) {
    return a.kind == b.kind && a.provenance == b.provenance && a.rule == b.rule &&
           std::ranges::equal(a.patterns, b.patterns, [](const auto& p, const auto& q) { return p == q; });
}

void Collector::add(const ReportOrigin& origin) {
    ReportDevice device;
    device.device = origin.device;
    device.driver = origin.driver;
    if (const std::optional<db::NamedGpu> gpu = db::gpu_of_device(origin.device)) {
        device.chip = gpu->chip;
        const auto [known, is_new] = products_.try_emplace(gpu->chip.name);
        if (is_new) known->second = {db::products_with(gpu->chip), db::pci_ids_with(gpu->chip)};
        std::tie(device.products, device.pci_ids) = known->second;
    }
    std::vector<db::LaneOrderRow> lanes = db::find_facts<db::LaneOrderFact>(database_, origin.device, origin.driver);
    std::ranges::stable_sort(lanes, {}, [](const db::LaneOrderRow& row) { return row.fact.time; });
    for (const db::LaneOrderRow& row : lanes)
        if (row.fact.built_in == "index" && row.fact.shape == std::array<uint32_t, 3>{default_invocations, 1, 1})
            device.lanes = fmt::format("{} in subgroups of {}", db::lane_order_text(row.fact), row.fact.subgroup_size);
    const auto launches = db::find_facts<db::LaunchOrderFact>(database_, origin.device, origin.driver);
    if (!launches.empty()) device.launch = launches.front().fact.visit;
    device.figures = known_figures(database_, origin.device, origin.driver);

    Cells cells;
    plain_.emplace_back();
    add_observed(origin, device, cells);
    add_images(origin, device, cells);
    for (auto& [format, kinds] : cells) {
        FormatRow row = {{format}, {}};
        for (auto& [kind, cell] : kinds) row.cells.push_back(std::move(cell));
        std::ranges::sort(row.cells, {}, [](const Cell& cell) { return place_of_kind(cell.kind); });
        const auto same = std::ranges::find_if(
            device.rows, [&](const FormatRow& other) { return std::ranges::equal(other.cells, row.cells, same_cell); });
        if (same == device.rows.end())
            device.rows.push_back(std::move(row));
        else
            same->formats.push_back(format);
    }

    using Timed = std::tuple<std::string, std::string, std::string, uint32_t, std::string, std::string,
                             std::array<uint32_t, 2>, std::array<uint32_t, 2>, std::string>;
    std::map<Timed, db::ValidationFact> newest;  // the newest come last
    for (db::ValidationRow& row : db::find_facts<db::ValidationFact>(database_, origin.device, origin.driver)) {
        db::ValidationFact& f = row.fact;
        newest[{f.kernel, f.format, f.method, f.radius, f.order, f.pattern, f.shape, f.extent, f.group_order}] =
            std::move(f);
    }
    for (auto& [key, fact] : newest) device.timings.push_back(std::move(fact));
    std::map<std::tuple<std::string, std::string, uint32_t, std::array<uint32_t, 2>>, db::TuningFact> tuned;
    for (db::TuningRow& row : db::find_facts<db::TuningFact>(database_, origin.device, origin.driver)) {
        db::TuningFact& f = row.fact;
        tuned[{f.kernel, f.format, f.radius, f.extent}] = std::move(f);
    }
    for (auto& [key, fact] : tuned) device.tunings.push_back(std::move(fact));

    for (const ReportImage& image : device.images)
        for (const size_t of : report.layouts[image.layout].patterns) {
            Use& use = uses_.try_emplace(of, Use{origin.device, origin.driver, {}}).first->second;
            if (image.kind == "2D" && use.device == origin.device)
                use.formats.insert(image.formats.begin(), image.formats.end());
        }
    report.devices.push_back(std::move(device));
}

/// A format that shaders in every language can write, if there is one.
std::string kernel_format(const std::set<std::string>& formats) {
    for (const char* usual : {"R8G8B8A8_UNORM", "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT", "R32_SFLOAT", "R8_UNORM"})
        if (formats.contains(usual)) return usual;
    return formats.empty() ? "" : *formats.begin();
}

void add_code(std::vector<ReportCode>& code, SnippetRequest request, SnippetKind kind) {
    request.kind = kind;
    for (SnippetCode& of : emit_in_all_languages(std::move(request)))
        code.push_back({of.language, kind, std::move(of.code)});
}

size_t Collector::snippets(const SnippetRequest& of) {
    const auto [known, is_new] = snippets_.try_emplace(
        std::tuple(of.remap.shape, of.remap.columns, of.subgroup_size, of.format), report.snippets.size());
    if (!is_new) return known->second;
    ReportSnippets& added = report.snippets.emplace_back();
    added.kernel_format = of.format;
    add_code(added.code, of, SnippetKind::remap);
    if (!of.format.empty()) add_code(added.code, of, SnippetKind::kernel);
    return known->second;
}

void Collector::add_remaps(const Advance& advance) {
    std::map<OriginKey, KnownDevice> known_devices;
    for (auto& [index, use] : uses_) {
        ReportPattern& pattern = report.patterns[index];
        const OriginKey origin = origin_key(use.device, use.driver);
        auto of_device = known_devices.find(origin);
        if (of_device == known_devices.end())
            of_device = known_devices.emplace(origin, known_device(database_, use.device, use.driver)).first;
        const KnownDevice& known = of_device->second;
        pattern.remap_for = use.device.name;
        SnippetRequest request;
        request.provenance = fmt::format("tilewise {}\n", TILEWISE_VERSION);
        request.remap = linear_workgroup({});
        if (!pattern.layout.pattern.is_linear()) {
            pattern.remap = choose_workgroup(pattern.layout.pattern, known, {}).derivation;
            request.remap = pattern.remap->remap;
        }
        request.subgroup_size =
            subgroup_size_of(known, static_cast<uint32_t>(element_count(request.remap.shape)), std::nullopt);
        request.format = kernel_format(use.formats);
        request.radius = kernel_radius;
        pattern.snippets = snippets(request);
    }
    if (report.gpus.empty()) return;
    // The code for addresses and texels of each pattern in every language: nearly all of a report's time.
    std::vector<ReportPattern*> patterns;
    for (const auto& [index, use] : uses_) patterns.push_back(&report.patterns[index]);
    const auto add_addresses = [&](size_t i) {
        SnippetRequest request;
        request.provenance = fmt::format("tilewise {}\n", TILEWISE_VERSION);
        request.layout = patterns[i]->layout;
        for (const SnippetKind kind : {SnippetKind::address, SnippetKind::texel})
            add_code(patterns[i]->code, request, kind);
    };
    parallel_for(patterns.size(), add_addresses, [&](size_t done) { tell(advance, done, patterns.size()); });
}

}  // namespace

std::string kind_of_image(const ImageKind& image) {
    const auto has = [&](const char* flag) { return has_names(image.flags, flag); };
    if (has("sparse-residency") || has("sparse-binding")) return "sparse";
    if (has("disjoint")) return "disjoint";
    if (image.samples > 1) {
        const std::string kind = fmt::format("{} samples", image.samples);
        return std::ranges::find(kinds_of_image, kind) == std::end(kinds_of_image) ? "other" : kind;
    }
    if (has("cube-compatible")) return "cube";
    if (!image.flags.empty()) return "other";
    if (image.type != ImageType::two_d) return std::string(image_type_name(image.type));
    if (image.levels > 1 && image.layers > 1) return "levels, layers";
    return image.levels > 1 ? "levels" : image.layers > 1 ? "layers" : "2D";
}

uint64_t end_of(const ImageLayout& image, const Subresource& part) {
    return tiled_bytes(part.layout, {{}, extent_el(image, part)});
}

Report collect_report(const db::Database& database, const ReportRequest& request, const ReportAdvance& advance) {
    Collector collector(database);
    collector.report.gpus = request.gpus;
    collector.report.extent_px = request.extent_px;
    collector.report.format = request.format;

    const FoundOrigins found = find_origins(database, request);
    collector.report.notes = found.notes;
    collector.report.assumed = found.assumed;
    for (size_t i = 0; i < found.origins.size(); i++) {
        collector.add(found.origins[i]);
        tell(advance.devices, i + 1, found.origins.size());
    }
    collector.add_remaps(advance.patterns);
    collector.add_tiles();
    const auto has_tile = [&](const ReportDevice& device) {
        return std::ranges::any_of(device.tiles, [&](const ReportTile& tile) { return tile.format == request.format; });
    };
    if (!request.format.empty() && std::ranges::none_of(collector.report.devices, has_tile))
        throw Error(fmt::format("nothing is known here of images of {}", request.format));
    return std::move(collector.report);
}

}  // namespace tilewise
