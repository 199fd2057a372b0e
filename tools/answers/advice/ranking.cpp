#include "tools/answers/advice/ranking.h"
#include "kernels/average/average.h"
#include "kernels/box/box.h"
#include "kernels/kernel_list.h"
#include "patterns/model/error.h"
#include "patterns/snippet/kernel_format.h"
#include "probe/formats/formats.h"
#include "tools/answers/add_once.h"
#include "tools/answers/advice/measured_advice.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

namespace tilewise {

namespace {

using db::ValidationFact;

/// The timed format whose arithmetic suits the format; float32 holds the values of every other format.
kernels::Format arithmetic_of(const std::string& format) {
    const std::string name = storable_view(format).value_or(format);
    if (is_timed_format(name)) return kernels::format_of(name);
    if (!is_written(name)) return kernels::Format::rgba32f;
    return kernel_format(name, Language::glsl).channel == Channel::half ? kernels::Format::rgba16f
                                                                        : kernels::Format::rgba32f;
}

bool writes_no_image(const std::string& kernel) {
    return std::ranges::any_of(
        kernel_families(), [&](const KernelFamily& family) { return family.name == kernel && !family.writes_image; });
}

/// The bytes of one texel that a sampler reads as fractions. Throws UsageError if it does not.
double bytes_of_fractions(const KernelQuestion& question) {
    const std::string& name = question.format;
    const probe::Format& format = probe::format_named(name);
    const bool has_integers = name.find("_UINT") != name.npos || name.find("_SINT") != name.npos;
    const bool has_depth = format.kind == probe::FormatKind::depth_stencil && name != "S8_UINT";
    if (has_integers && !has_depth)
        throw UsageError(fmt::format("{} reads fractions, and {} has integers", question.kernel, name));
    if (format.kind == probe::FormatKind::ycbcr)
        throw UsageError(
            fmt::format("{} reads texels of one plane, and {} shares chroma or has several planes: ask about "
                        "the format of one",
                        question.kernel, name));
    return double(format.element.bytes) / (format.element.width * format.element.height);
}

// The timings that may count for the device.

struct AllTimings {
    std::vector<db::ValidationRow> validations;
    std::vector<db::TuningRow> tunings;
};

template <typename Fact>
void keep_devices(std::vector<db::Stored<Fact>>& rows, const std::vector<db::DeviceFact>& devices) {
    std::erase_if(rows, [&](const auto& row) { return std::ranges::find(devices, row.device) == devices.end(); });
}

AllTimings of_devices(const AllTimings& all, const std::vector<db::DeviceFact>& devices) {
    AllTimings timings = all;
    keep_devices(timings.validations, devices);
    keep_devices(timings.tunings, devices);
    return timings;
}

std::optional<db::Chip> chip_of(const db::DeviceFact& device) {
    const std::optional<db::NamedGpu> named = db::gpu_of_device(device);
    return named ? std::optional(named->chip) : std::nullopt;
}

/// Whether the device is known to have 2D images of that format with the pattern, if that is a tile. Linear rows do not
/// count: small levels and 1D images of any driver may be linear.
bool has_pattern(const db::Database& database, const db::DeviceFact& device, const std::string& format,
                 const std::string& pattern) {
    if (pattern.empty()) return false;
    std::vector<int64_t> rows;
    for (const db::ListedDevice& listed : db::list_devices(database))
        if (db::is_same_model(listed.fact, device)) rows.push_back(listed.row);
    db::Filter filter;
    filter.devices = rows;
    filter.format = format;
    filter.pattern = pattern;
    return std::ranges::any_of(db::find_observations(database, filter), [](const db::ObservationRow& row) {
        return row.fact.layout && !row.fact.layout->pattern.is_linear() && row.fact.level == 0 &&
               row.fact.type == ImageType::two_d;
    });
}

Evidence evidence_of(const db::Database& database, const Advice& advice, const AskedDevice& asked,
                     const db::DeviceFact& device) {
    if (std::ranges::find(asked.devices, device) != asked.devices.end()) return Evidence::this_device;
    const std::optional<db::Chip> chip = chip_of(device);
    const bool has_chip = chip && asked.chip && !asked.chip->name.empty();
    if (has_chip && *chip == *asked.chip) return Evidence::this_chip;
    if (!has_pattern(database, device, advice.question.format, advice.pattern)) return Evidence::any_device;
    const bool is_of_architecture =
        chip && asked.chip && chip->vendor == asked.chip->vendor && chip->architecture == asked.chip->architecture;
    return is_of_architecture ? Evidence::same_tile_and_architecture : Evidence::same_tile;
}

/// The devices of the timings, grouped by how near they are.
std::map<Evidence, std::vector<db::DeviceFact>> by_evidence(const db::Database& database, const Advice& advice,
                                                            const AskedDevice& asked, const AllTimings& all) {
    std::vector<db::DeviceFact> devices;
    const auto add = [&](const auto& row) {
        // A CPU says little about a GPU.
        const bool counts =
            row.device.type != "cpu" || std::ranges::find(asked.devices, row.device) != asked.devices.end();
        if (counts) add_once(devices, row.device);
    };
    std::ranges::for_each(all.validations, add);
    std::ranges::for_each(all.tunings, add);
    std::map<Evidence, std::vector<db::DeviceFact>> found;
    for (const db::DeviceFact& device : devices) found[evidence_of(database, advice, asked, device)].push_back(device);
    return found;
}

// How much faster a family is than row order, wherever both were timed.

/// The timed radii on either side of the wanted one; just the wanted one if it was timed.
std::set<uint32_t> radii_around(const AllTimings& timings, const KernelQuestion& timed) {
    std::set<uint32_t> radii;
    for (const db::ValidationRow& row : timings.validations)
        if (row.fact.kernel == timed.kernel && row.fact.format == timed.format) radii.insert(row.fact.radius);
    if (radii.contains(timed.radius) || radii.empty()) return {timed.radius};
    std::set<uint32_t> around;
    const auto above = radii.upper_bound(timed.radius);
    if (above != radii.end()) around.insert(*above);
    if (above != radii.begin()) around.insert(*std::prev(above));
    return around;
}

/// All cells of the kernel and format at these radii, one for each device, driver, radius and extent.
std::vector<MeasuredCell> cells_at(const AllTimings& timings, const KernelQuestion& timed,
                                   const std::set<uint32_t>& radii) {
    using Key = std::tuple<std::string, std::string, uint32_t, std::array<uint32_t, 2>>;
    std::map<Key, MeasuredCell> cells;
    const auto cell_of = [&](const auto& row) -> MeasuredCell& {
        MeasuredCell& cell =
            cells[{row.device.name + row.device.uuid, driver_text(row.driver), row.fact.radius, row.fact.extent}];
        cell.device = row.device, cell.driver = row.driver, cell.radius = row.fact.radius,
        cell.extent = row.fact.extent;
        return cell;
    };
    const auto counts = [&](const auto& fact) {
        return fact.kernel == timed.kernel && fact.format == timed.format && radii.contains(fact.radius);
    };
    // Rows are sorted from the oldest to the newest: a later row replaces the one that it repeats.
    for (const db::ValidationRow& row : timings.validations) {
        if (!counts(row.fact)) continue;
        std::vector<ValidationFact>& facts = cell_of(row).facts;
        const auto repeated = std::ranges::find_if(facts, [&](const ValidationFact& fact) {
            return std::tie(fact.method, fact.order, fact.shape, fact.group_order) ==
                   std::tie(row.fact.method, row.fact.order, row.fact.shape, row.fact.group_order);
        });
        if (repeated == facts.end())
            facts.push_back(row.fact);
        else
            *repeated = row.fact;
    }
    std::vector<MeasuredCell> all;
    all.reserve(cells.size());
    for (auto& [key, cell] : cells) all.push_back(std::move(cell));
    return all;
}

std::optional<double> times_as_fast_as_row(const MeasuredCell& cell, const std::string& family) {
    const ValidationFact* best = nullptr;
    for (const ValidationFact& fact : cell.facts)
        if (!is_approximate(fact.method, fact.format) && family_of(fact.method) == family &&
            (!best || fact.median_ms < best->median_ms))
            best = &fact;
    const ValidationFact* row = best ? in_16x16(cell, *best, "row") : nullptr;
    return row ? std::optional(row->median_ms / best->median_ms) : std::nullopt;
}

std::optional<TimedRange> range_over_row(const std::vector<MeasuredCell>& cells, const std::string& family) {
    std::optional<TimedRange> range;
    for (const MeasuredCell& cell : cells) {
        const std::optional<double> ratio = times_as_fast_as_row(cell, family);
        if (!ratio) continue;
        if (!range) range.emplace();
        range->widen(*ratio, cell.radius, cell.extent);
        add_once(range->devices, cell.device.name);
    }
    return range;
}

// What the methods do.

/// The method's code in GLSL; none if no code is given for it.
std::optional<kernels::MethodCode> code_in_glsl(const kernels::CodeRequest& request) {
    try {
        return method_code(request, "");
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// A user's filter has the taps of any other filter. An image is written through the view of it that kernels write.
kernels::CodeRequest request_in_glsl(const Advice& advice) {
    std::optional<kernels::FilterText> filter = filter_of_kernel(advice.question.kernel, {}, 0);
    const bool is_own = std::ranges::none_of(
        kernel_families(), [&](const KernelFamily& family) { return family.name == advice.question.kernel; });
    if (!filter && is_own) filter = kernels::bilateral_filter(0);
    kernels::CodeRequest request = code_request(advice, Language::glsl, filter);
    if (const auto view = storable_view(request.format)) request.format = is_timed_format(*view) ? "" : *view;
    return request;
}

void take_work(Advice& advice) {
    for (RankedFamily& each : advice.ranking.families) {
        kernels::CodeRequest request = request_in_glsl(advice);
        const ValidationFact& fact = each.way.fact;
        request.method.method = fact.method;
        if (is_direct(fact)) request.method.remap = advice.remap;
        const bool is_as_timed = advice.way && fact.radius == advice.question.radius && request.format.empty();
        if (is_as_timed && fact.order.empty()) {
            request.method.shape = {fact.shape[0], fact.shape[1]};
            request.method.invocations = fact.invocations;
        }
        const auto code = code_in_glsl(request);
        if (code && family_of(code->method) == each.family) each.work = code->work;
    }
}

void take_ranges(Advice& advice, const AllTimings& timings) {
    const std::vector<MeasuredCell> cells =
        cells_at(timings, advice.ranking.timed, radii_around(timings, advice.ranking.timed));
    for (RankedFamily& each : advice.ranking.families) each.over_row = range_over_row(cells, each.family);
}

std::string architecture_text(const std::optional<db::Chip>& chip) {
    return chip && !chip->architecture.empty() ? chip->architecture : "unknown";
}

/// Names the kernel and format that were timed, if they are not those of the question.
std::string instead_text(const Advice& advice) {
    const KernelQuestion& timed = advice.ranking.timed;
    if (timed.kernel == advice.question.kernel && timed.format == advice.question.format) return "";
    return fmt::format(", as {} over {}", timed.kernel, timed.format);
}

std::string reason_text(const Advice& advice, const AskedDevice& asked) {
    const FamilyRanking& ranking = advice.ranking;
    const std::string& there = ranking.device.name;
    const std::string here = architecture_text(asked.chip), other = architecture_text(chip_of(ranking.device));
    switch (ranking.evidence) {
        case Evidence::this_device:
            return fmt::format("timed on {} itself{}", there, instead_text(advice));
        case Evidence::this_chip:
            return fmt::format("timed on {}, which has this chip{}", there, instead_text(advice));
        case Evidence::same_tile_and_architecture:
            return fmt::format("images of {} have the same tile, and its architecture is the same ({})", there, here);
        case Evidence::same_tile:
            return fmt::format("images of {} have the same tile; its architecture is another one ({}, here {})", there,
                               other, here);
        case Evidence::any_device:
            break;
    }
    const bool is_alike = here == other && here != "unknown";
    const std::string tiles = advice.pattern.empty()
                                  ? fmt::format("nobody knows whether images of {} have the same tile", there)
                                  : fmt::format("images of {} have another tile", there);
    return fmt::format("{}{}: only what a method fetches and moves is the same here", tiles,
                       is_alike ? fmt::format(", though its architecture is the same ({})", here)
                                : fmt::format(", and its architecture is another one ({}, here {})", other, here));
}

/// Takes the ranking from what was timed on these devices for the kernel `timed`; returns whether there was anything.
bool take_ranking(Advice& advice, const db::Database& database, const AllTimings& timings,
                  const KernelQuestion& timed) {
    std::optional<Advice> there = measured_advice(database, timings.validations, timings.tunings, timed);
    if (!there || !there->way) return false;
    advice.ranking = std::move(there->ranking);
    take_ranges(advice, timings);
    return true;
}

void take_given(Advice& advice) {
    kernels::CodeRequest request = request_in_glsl(advice);
    take_first_family(request, advice);
    const auto code = code_in_glsl(request);
    if (!code) {
        advice.ranking = {};  // it is for methods that do not have the radius
        return;
    }
    const auto& families = advice.ranking.families;
    const bool departs = families.empty() || families.front().family != family_of(code->method);
    advice.given = {code->method, code->work, departs ? code->departures : ""};
}

}  // namespace

bool is_timed_format(const std::string& name) {
    return std::ranges::any_of(kernels::all_formats,
                               [&](kernels::Format each) { return name == kernels::traits_of(each).name; });
}

std::string nearest_timed_format(const std::string& format) {
    std::string name = storable_view(format).value_or(format);
    if (is_timed_format(name)) return name;
    switch (kernel_format(name, Language::glsl).channel) {
        case Channel::unorm8:
        case Channel::snorm8:
        case Channel::packed:
            return kernels::traits_of(kernels::Format::rgba8).name;
        case Channel::single:
            return kernels::traits_of(kernels::Format::rgba32f).name;
        default:
            return kernels::traits_of(kernels::Format::rgba16f).name;
    }
}

std::optional<kernels::FilterText> filter_of_kernel(const std::string& kernel, std::optional<kernels::FilterText> own,
                                                    double sigma) {
    if (own) own->sigma = sigma;
    if (own) return own;
    if (kernel == "gaussian") return kernels::gaussian_filter(sigma);
    if (kernel == "bilateral") return kernels::bilateral_filter(sigma);
    return std::nullopt;
}

std::string take_box_as_filter(std::string& kernel, uint32_t radius, double& sigma) {
    if (kernel != "box" || radius <= kernels::max_box_radius || radius > kernels::max_filter_radius) return "";
    constexpr double of_equal_weights = 1e6;  // exp(-1e-9) is 1 to a float
    kernel = "gaussian";
    sigma = of_equal_weights;
    return fmt::format(
        "box blurs are run up to radius {}, and a larger box is a filter of equal weights: this is how gaussian is, "
        "whose weights do not change its time",
        kernels::max_box_radius);
}

AskedDevice asked_device(const db::Database& database, const FoundGpu& gpu) {
    AskedDevice asked;
    const bool is_itself = gpu.said.empty() && gpu.assumed.empty();
    for (const db::ListedDevice& listed : db::list_devices(database)) {
        if (std::ranges::find(gpu.devices, listed.row) == gpu.devices.end()) continue;
        if (is_itself) asked.devices.push_back(listed.fact);
        if (!asked.chip) asked.chip = chip_of(listed.fact);
    }
    if (gpu.named) asked.chip = gpu.named->chip;
    return asked;
}

kernels::CodeRequest code_request(const Advice& advice, Language language,
                                  const std::optional<kernels::FilterText>& filter) {
    const KernelQuestion& question = advice.question;
    kernels::CodeRequest request;
    request.language = language;
    kernels::TimedMethod& method = request.method;
    method.kernel = question.kernel;
    method.filter = filter;
    method.format = arithmetic_of(question.format);
    method.radius = question.radius;
    if (!is_timed_format(question.format)) request.format = question.format;
    if (writes_no_image(question.kernel) && !is_written(question.format))
        request.source_bytes = bytes_of_fractions(question);
    if (question.extent) request.size = {(*question.extent)[0], (*question.extent)[1]};
    request.subgroup_size = advice.subgroup_size;
    return request;
}

void take_first_family(kernels::CodeRequest& request, const Advice& advice) {
    if (advice.remap) {
        request.method.remap = advice.remap;
        request.method.groups = advice.groups;
    }
    const std::string& kernel = advice.question.kernel;
    if (!advice.ranking.families.empty())
        request.method.method = advice.ranking.families.front().way.fact.method;
    else
        request.method.method = kernel == "box"       ? "running sums"
                                : kernel == "average" ? kernels::average_subgroups_name
                                                      : "";
}

void rank_elsewhere(Advice& advice, const db::Database& database, const AskedDevice& asked) {
    // Warps have 32 threads: CUDA C++ Programming Guide, "SIMT Architecture".
    if (advice.subgroup_size == 0 && asked.chip && asked.chip->vendor == "NVIDIA") advice.subgroup_size = 32;
    KernelQuestion timed = advice.question;
    try {
        timed.format = nearest_timed_format(advice.question.format);
    } catch (const UsageError&) {
        return;  // no kernel writes such images
    }
    const AllTimings all = {db::find_facts<db::ValidationFact>(database), db::find_facts<db::TuningFact>(database)};
    const auto devices = by_evidence(database, advice, asked, all);
    std::vector<std::string> kernels = {timed.kernel};
    // A user's filter that nobody timed is most like a bilateral one: it needs its centre first.
    const auto is_known = [&](const KernelFamily& family) { return family.name == timed.kernel; };
    if (std::ranges::none_of(kernel_families(), is_known)) kernels.emplace_back("bilateral");
    bool is_ranked = false;
    for (const std::string& kernel : kernels)
        for (const auto& [evidence, which] : devices) {
            if (is_ranked) break;
            timed.kernel = kernel;
            is_ranked = take_ranking(advice, database, of_devices(all, which), timed);
            advice.ranking.evidence = evidence;
        }
    if (is_ranked) advice.ranking.reason = reason_text(advice, asked);
    take_work(advice);
    take_given(advice);
}

void explain_ranking(Advice& advice, const db::Database& database) {
    FamilyRanking& ranking = advice.ranking;
    if (ranking.families.empty()) return;
    if (advice.source == AdviceSource::measured_elsewhere) ranking.evidence = Evidence::this_chip;
    ranking.reason = reason_text(advice, {});
    take_ranges(
        advice,
        {db::find_facts<db::ValidationFact>(database, ranking.device, ranking.families.front().way.driver), {}});
    take_work(advice);
}

}  // namespace tilewise
