#include "kernels/figures/figures.h"
#include "kernels/measure/gpu_timer.h"
#include "kernels/shader/registers.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

namespace tilewise::kernels {

namespace {

// Every figure is a difference between two runs that differ only in how often they do one thing. Everything else, from
// the overhead of timing to the first loads from memory, is in both.
struct Pair {
    std::shared_ptr<const Job> shorter, longer;
    /// How many more of the counted things the longer run does.
    double more = 0;
};

struct Slopes {
    /// The time for one of the counted things; if it is not known, `failures` says why.
    std::vector<std::optional<Estimate>> ns;
    std::vector<std::string> failures;
};

std::string why_no_slope(const Measurement& shorter, const Measurement& longer) {
    for (const Measurement* job : {&shorter, &longer}) {
        if (!job->failure.empty()) return job->failure;
        if (!std::isfinite(job->time.high)) return "too few samples for an interval";
    }
    return longer.time.low <= shorter.time.high ? "the longer run takes no longer than the shorter one" : "";
}

Slopes slopes_of(Context& context, const std::vector<Pair>& pairs, const Limits& limits) {
    std::vector<Job> jobs;
    for (const Pair& pair : pairs) {
        jobs.push_back(*pair.shorter);
        jobs.push_back(*pair.longer);
    }
    const Measurements measured = measure(context, jobs, limits);
    if (measured.hung) new std::vector<Pair>(pairs);  // never freed: the device still uses what they keep
    if (!measured.failure.empty()) throw RunFailed(measured.failure, measured.hung);
    Slopes slopes;
    for (size_t i = 0; i < pairs.size(); ++i) {
        const Measurement &shorter = measured.jobs[2 * i], &longer = measured.jobs[2 * i + 1];
        slopes.failures.push_back(why_no_slope(shorter, longer));
        const double ns = 1e6 / pairs[i].more;
        slopes.ns.push_back(slopes.failures.back().empty()
                                ? std::optional(Estimate{(longer.time.value - shorter.time.value) * ns,
                                                         (longer.time.low - shorter.time.high) * ns,
                                                         (longer.time.high - shorter.time.low) * ns})
                                : std::nullopt);
    }
    return slopes;
}

Estimate per_microsecond(const Estimate& ns) { return {1000 / ns.value, 1000 / ns.high, 1000 / ns.low}; }

void add_rate(Figures& figures, const char* name, const std::string& format, const Slopes& slopes, size_t which) {
    if (slopes.ns[which])
        figures.known.push_back({name, format, per_microsecond(*slopes.ns[which])});
    else
        figures.failures.push_back(
            {format.empty() ? name : fmt::format("{} {}", name, format), slopes.failures[which]});
}

using Pass = std::shared_ptr<const ComputePass>;

Pass pass_of(Context& context, const char* shader, const ComputePassInputs& inputs) {
    return std::make_shared<const ComputePass>(create_compute_pass(context, Variant{shader}, inputs));
}

std::shared_ptr<DeviceBuffer> buffer_of(Context& context, VkDeviceSize bytes) {
    return std::make_shared<DeviceBuffer>(create_device_buffer(context, bytes));
}

template <typename T>
std::vector<T> download_as(Context& context, const DeviceBuffer& buffer, size_t count) {
    const std::vector<std::byte> bytes = download(context, buffer, count * sizeof(T));
    std::vector<T> values(count);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

/// A job that is not a kernel over an image. `keeps` is what it works on.
std::shared_ptr<const Job> figure_job(Context& context, std::string what, Record record,
                                      std::function<std::string()> compare, const std::shared_ptr<DeviceBuffer>& result,
                                      const Record& checked = {}) {
    auto job = std::make_shared<Job>();
    job->kernel = "figures";
    job->method = job->subject = std::move(what);
    job->record = std::move(record);
    job->check = [&context, work = checked ? checked : job->record, compare = std::move(compare), result] {
        fill(context, *result, result->size, ~0U);
        vulkan::run_commands(context.device, context.commands, work);
        return compare();
    };
    return job;
}

// ---- Starting workgroups.

std::shared_ptr<const Job> start_job(Context& context, uint32_t groups) {
    constexpr uint32_t invocations = 64, row = 1024;
    const auto marks = buffer_of(context, VkDeviceSize{groups} * sizeof(uint32_t));
    ComputePassInputs inputs;
    inputs.constants = {invocations};
    inputs.buffers = {marks->handle.handle};
    inputs.groups = {row, groups / row, 1};
    const Pass pass = pass_of(context, "starts.comp", inputs);
    const auto compare = [&context, marks, groups]() -> std::string {
        const auto got = download_as<uint32_t>(context, *marks, groups);
        for (uint32_t i = 0; i < groups; ++i)
            if (got[i] != i) return fmt::format("workgroup {} left the mark {}", i, got[i]);
        return "";
    };
    return figure_job(
        context, fmt::format("{} workgroups", groups),
        [pass, marks](VkCommandBuffer commands) { record(commands, *pass); }, compare, marks);
}

// ---- Fetching texels.

constexpr Size box = {16, 16}, fetched = {2 * box.width, 2 * box.height};

struct QuadShape {
    const char* figure;
    /// Its first two bits form the quad.
    Remap remap;
};

std::vector<QuadShape> quad_shapes() {
    const Coord shape = {box.width, box.height, 1, 1};
    Remap down = row_order(shape);
    std::rotate(down.columns.begin(), down.columns.begin() + std::countr_zero(box.width), down.columns.end());
    return {{"texels_2x2_per_us", morton_order(shape)},
            {"texels_4x1_per_us", row_order(shape)},
            {"texels_1x4_per_us", down}};
}

/// Checks the sums that the invocations of one workgroup must have after that many rounds.
std::string wrong_sums(const Texels& texels, const Remap& remap, uint32_t rounds, const std::vector<float>& got) {
    const std::vector<float> channels = channels_of(texels);
    for (uint32_t invocation = 0; invocation < count(box); ++invocation)
        for (uint32_t channel = 0; channel < 4; ++channel) {
            const Coord own = remap(invocation);
            double sum = 0;
            for (uint32_t y = 0; y < rounds; ++y)
                for (uint32_t x = 0; x < box.width; ++x) {
                    const size_t row = own[axis_y] + y % box.height;
                    sum += static_cast<double>(channels[(row * fetched.width + own[axis_x] + x) * 4 + channel]);
                }
            const double is = static_cast<double>(got[invocation * 4 + channel]);
            // Each addition of positive numbers is rounded once, each texel is converted once.
            if (!(std::abs(is - sum) <= std::ldexp(sum, -24) * (rounds * box.width + 1)))
                return fmt::format("invocation {} added up {}, should be {}", invocation, is, sum);
        }
    return "";
}

std::shared_ptr<const Job> fetch_job(ImagePool& images, Format format, const QuadShape& quad, uint32_t groups,
                                     uint32_t rounds) {
    Context& context = images.context;
    const auto source = pooled_image(images, ImageUse::source, format, fetched);
    const auto sums = buffer_of(context, count(box) * 4 * sizeof(float));
    ComputePassInputs inputs;
    inputs.constants = order_constants(quad.remap);
    inputs.buffers = {sums->handle.handle};
    inputs.textures = {source->view.handle};
    inputs.groups = {groups, 1, 1};
    inputs.push = {rounds, std::bit_cast<uint32_t>(0.0F)};
    const Pass timed = pass_of(context, "fetches.comp", inputs);
    inputs.groups = {1, 1, 1};
    inputs.push[1] = std::bit_cast<uint32_t>(1e9F);  // above every sum
    const Pass checked = pass_of(context, "fetches.comp", inputs);
    const auto compare = [&context, sums, remap = quad.remap, rounds, texels = source_texels(images, format, fetched)] {
        return wrong_sums(*texels, remap, rounds, download_as<float>(context, *sums, count(box) * 4));
    };
    return figure_job(
        context, fmt::format("{} {} in {} rounds", quad.figure, traits_of(format).name, rounds),
        [timed, source, sums](VkCommandBuffer commands) { record(commands, *timed); }, compare, sums,
        [checked, source](VkCommandBuffer commands) { record(commands, *checked); });
}

// ---- Chains of loads.

constexpr uint32_t word_bytes = sizeof(uint32_t);
constexpr uint32_t far_bytes = 1U << 20;  // more than any first-level cache

/// next[i] for a chain through these places, in this order; it begins at the first.
struct Chain {
    std::vector<uint32_t> bytes;
    /// It continues from the last place to the first; otherwise it stays at the last.
    bool is_closed = false;
};

std::vector<uint32_t> next_of(const Chain& chain) {
    std::vector<uint32_t> next(std::ranges::max(chain.bytes) / word_bytes + 1, 0);
    for (size_t i = 0; i < chain.bytes.size(); ++i) {
        const size_t after = i + 1 < chain.bytes.size() ? i + 1 : chain.is_closed ? 0 : i;
        next[chain.bytes[i] / word_bytes] = chain.bytes[after] / word_bytes;
    }
    return next;
}

/// A table with one chain for each of several workgroups, all as long as the first.
struct ChainTable {
    std::shared_ptr<DeviceBuffer> next;
    /// The first workgroup's chain.
    std::vector<uint32_t> first;
};

ChainTable chain_table(Context& context, const Chain& chain, uint32_t groups) {
    ChainTable table = {{}, next_of(chain)};
    const auto words = static_cast<uint32_t>(table.first.size());
    std::vector<uint32_t> all;
    all.reserve(size_t{words} * groups);
    for (uint32_t group = 0; group < groups; ++group)
        for (const uint32_t next : table.first) all.push_back(group * words + next);
    table.next = buffer_of(context, all.size() * word_bytes);
    upload(context, *table.next, std::as_bytes(std::span(all)));
    return table;
}

std::shared_ptr<const Job> chase_job(Context& context, const ChainTable& table, uint32_t groups,
                                     const std::string& what, uint32_t steps) {
    constexpr uint32_t invocations = 32;
    const auto last = buffer_of(context, VkDeviceSize{groups} * invocations * word_bytes);
    const auto apart = static_cast<uint32_t>(table.first.size());
    ComputePassInputs inputs;
    inputs.constants = {invocations};
    inputs.buffers = {table.next->handle.handle, last->handle.handle};
    inputs.push = {steps, 0, apart};
    inputs.groups = {groups, 1, 1};
    const Pass pass = pass_of(context, "chase.comp", inputs);
    uint32_t end = 0;
    for (uint32_t i = 0; i < steps; ++i) end = table.first[end];
    const auto compare = [&context, last, groups, apart, end]() -> std::string {
        const auto got = download_as<uint32_t>(context, *last, size_t{groups} * invocations);
        for (uint32_t i = 0; i < got.size(); ++i)
            if (const uint32_t right = i / invocations * apart + end; got[i] != right)
                return fmt::format("the chain ends at {}, should be {}", got[i], right);
        return "";
    };
    return figure_job(
        context, fmt::format("chain through {}, {} workgroups, {} steps", what, groups, steps),
        [pass, next = table.next, last](VkCommandBuffer commands) { record(commands, *pass); }, compare, last);
}

Pair chase_pair(Context& context, const ChainTable& table, uint32_t groups, const std::string& what, uint32_t shorter,
                uint32_t longer) {
    return {chase_job(context, table, groups, what, shorter), chase_job(context, table, groups, what, longer),
            static_cast<double>(longer - shorter)};
}

/// Places `stride` apart, in random order.
Chain shuffled_chain(uint32_t bytes, uint32_t stride) {
    Chain chain;
    for (uint32_t at = 0; at < bytes; at += stride) chain.bytes.push_back(at);
    std::shuffle(chain.bytes.begin() + 1, chain.bytes.end(), std::mt19937_64(1));
    chain.is_closed = true;
    return chain;
}

constexpr uint32_t chain_stride = 128;
constexpr uint32_t chain_kib[] = {4,   8,   16,  24,  32,  48,  64,  80,  96,  112, 128,
                                  160, 192, 208, 224, 240, 256, 320, 384, 512, 1024};

Pair footprint_pair(Context& context, uint32_t kib) {
    const uint32_t bytes = kib * 1024, places = bytes / chain_stride;
    // The shorter run visits every place twice.
    const uint32_t shorter = std::max(2 * places, 1024U);
    return chase_pair(context, chain_table(context, shuffled_chain(bytes, chain_stride), 1), 1,
                      fmt::format("{} KiB", kib), shorter, 2 * shorter);
}

constexpr uint32_t strides[] = {4, 8, 16, 32, 64, 128, 256, 512};

/// First goes through far_bytes, so that nothing of what follows is cached; then through as much again, `stride` apart.
Pair stride_pair(Context& context, uint32_t stride) {
    constexpr uint32_t shorter = 512, longer = 2048;
    static_assert(std::ranges::max(strides) * longer <= far_bytes);
    Chain chain = shuffled_chain(far_bytes, chain_stride);
    const auto before = static_cast<uint32_t>(chain.bytes.size());
    for (uint32_t i = 0; i < longer; ++i) chain.bytes.push_back(far_bytes + i * stride);
    chain.is_closed = false;
    return chase_pair(context, chain_table(context, chain, 1), 1, fmt::format("strides of {} bytes", stride),
                      before + shorter, before + longer);
}

/// The smallest stride at which nearly every load misses the first-level cache.
std::optional<uint32_t> bytes_of_a_miss(const Slopes& slopes, double near_ns) {
    std::vector<double> ns;
    for (const auto& slope : slopes.ns) {
        if (!slope) return std::nullopt;
        ns.push_back(slope->value);
    }
    constexpr double clearly = 1.5, nearly = 0.85;
    if (ns.back() < clearly * near_ns) return std::nullopt;
    for (size_t i = 0; i < ns.size(); ++i)
        if (ns[i] - near_ns >= nearly * (ns.back() - near_ns)) return strides[i];
    return std::nullopt;
}

/// First-level caches: the most workgroups that each have three quarters of one to themselves.
void add_cache_count(Figures& figures, Context& context, uint32_t first_level_bytes, double near_ns,
                     const Limits& limits) {
    constexpr uint32_t parts = 16;
    constexpr double longer = 1.5;
    const uint32_t bytes = first_level_bytes / 4 * 3 / chain_stride * chain_stride;
    // Each workgroup has its own bytes, all in one buffer.
    const uint32_t fitting = context.device.traits.properties.limits.maxStorageBufferRange / bytes;
    const uint32_t most_groups = std::bit_floor(std::min(512U, fitting));
    const ChainTable table = chain_table(context, shuffled_chain(bytes, chain_stride), most_groups);
    const uint32_t shorter = 2 * (bytes / chain_stride);
    // The number of workgroups is raised; loads begin to take longer between two of the numbers.
    uint32_t enough = 1, too_many = most_groups;
    const auto narrow = [&](const std::vector<uint32_t>& counts) -> std::string {
        std::vector<Pair> pairs;
        for (const uint32_t groups : counts)
            pairs.push_back(chase_pair(context, table, groups, fmt::format("{} bytes", bytes), shorter, 8 * shorter));
        const Slopes slopes = slopes_of(context, pairs, limits);
        for (size_t i = 0; i < counts.size(); ++i) {
            if (!slopes.ns[i]) return slopes.failures[i];
            if (slopes.ns[i]->value > longer * near_ns) {
                too_many = counts[i];
                return "";
            }
            enough = counts[i];
        }
        return "";
    };
    std::vector<uint32_t> counts;
    for (uint32_t groups = 1; groups <= most_groups; groups *= 2) counts.push_back(groups);
    std::string why = narrow(counts);
    if (why.empty() && enough == most_groups)
        why = fmt::format("{} workgroups each have three quarters of one to themselves", most_groups);
    while (why.empty() && too_many - enough > 1) {
        counts.clear();
        const uint32_t step = std::max((too_many - enough) / parts, 1U);
        for (uint32_t groups = enough + step; groups < too_many; groups += step) counts.push_back(groups);
        why = narrow(counts);
    }
    const double caches = enough;
    if (why.empty())
        figures.known.push_back({"first_level_caches", "", {caches, caches, caches}});
    else
        figures.failures.push_back({"first_level_caches", why});
}

void add_cache(Figures& figures, Context& context, const Limits& limits) {
    std::vector<Pair> pairs;
    for (const uint32_t kib : chain_kib) pairs.push_back(footprint_pair(context, kib));
    const Slopes by_bytes = slopes_of(context, pairs, limits);
    std::vector<ChainTime> times;
    for (size_t i = 0; i < pairs.size(); ++i) {
        if (!by_bytes.ns[i]) {
            figures.failures.push_back({"first_level_bytes", by_bytes.failures[i]});
            return;
        }
        times.push_back({chain_kib[i] * 1024, by_bytes.ns[i]->value});
    }
    figures.known.push_back({"first_level_ns", "", *by_bytes.ns.front()});
    const std::optional<uint32_t> first_level = bytes_before_step(times);
    if (!first_level) {
        figures.failures.push_back(
            {"first_level_bytes",
             fmt::format("a load of a chain through {} KiB takes {:.1f} ns, through {} KiB {:.1f}", chain_kib[0],
                         times.front().ns, times.back().bytes / 1024, times.back().ns)});
        return;
    }
    const double bytes = *first_level;
    figures.known.push_back({"first_level_bytes", "", {bytes, bytes, bytes}});
    figures.known.push_back({"second_level_ns", "", *by_bytes.ns.back()});

    pairs.clear();
    for (const uint32_t stride : strides) pairs.push_back(stride_pair(context, stride));
    const Slopes by_stride = slopes_of(context, pairs, limits);
    if (const auto miss = bytes_of_a_miss(by_stride, times.front().ns)) {
        const double of_miss = *miss;
        figures.known.push_back({"miss_bytes", "", {of_miss, of_miss, of_miss}});
    } else {
        figures.failures.push_back({"miss_bytes", "loads at larger strides take no longer"});
    }
    add_cache_count(figures, context, *first_level, times.front().ns, limits);
}

// ---- Workgroups that run at the same time.

constexpr uint32_t counting_invocations = 128;

/// Invocations that run at once, each keeping that many values; 0 if that is not known, and then `why` says why.
struct Residents {
    uint64_t invocations = 0;
    std::string why;
};

Variant residents_variant(uint32_t kept) { return {"residents.comp", {{"KEPT", std::to_string(kept)}}}; }

/// The bindings of residents.comp: its counters, a chain and the numbers that its invocations leave.
struct ResidentsWork {
    std::shared_ptr<DeviceBuffer> counts, left;
    ChainTable table;
    ComputePassInputs inputs;
    uint32_t steps = 0;
};

ResidentsWork residents_work(Context& context, const FigureLoad& load, uint32_t kept) {
    const uint32_t groups = load.counting_groups;
    constexpr uint32_t bytes = 4096;
    ResidentsWork work = {buffer_of(context, 3 * word_bytes),
                          buffer_of(context, VkDeviceSize{groups} * counting_invocations * word_bytes),
                          chain_table(context, shuffled_chain(bytes, word_bytes), 1),
                          {},
                          std::min(load.counting_steps / kept, 1024U)};
    work.inputs.constants = {counting_invocations};
    work.inputs.buffers = {work.counts->handle.handle, work.table.next->handle.handle, work.left->handle.handle};
    work.inputs.push = {work.steps, 0};
    work.inputs.groups = {groups, 1, 1};
    return work;
}

/// As Job::check. The resources of a device that hangs are never freed, as in slopes_of.
std::string checked(const std::shared_ptr<const Job>& job) {
    try {
        return job->check();
    } catch (const RunFailed& failed) {
        if (failed.hung) new std::shared_ptr<const Job>(job);
        throw;
    }
}

Residents residents_of(Context& context, const FigureLoad& load, uint32_t kept) {
    const uint32_t groups = load.counting_groups;
    const ResidentsWork work = residents_work(context, load, kept);
    const Pass pass =
        std::make_shared<const ComputePass>(create_compute_pass(context, residents_variant(kept), work.inputs));
    const uint32_t right = left_of(work.table.first, kept, work.steps);
    const auto compare = [&context, left = work.left, groups, right]() -> std::string {
        for (const uint32_t got : download_as<uint32_t>(context, *left, size_t{groups} * counting_invocations))
            if (got != right) return fmt::format("an invocation left {}, should be {}", got, right);
        return "";
    };
    // The highest count covers all runs.
    const auto record_counted = [pass, counts = work.counts, next = work.table.next,
                                 left = work.left](VkCommandBuffer commands) {
        for (const VkDeviceSize word : {0U, 2U})
            vkCmdFillBuffer(commands, counts->handle.handle, word * word_bytes, word_bytes, 0);
        vulkan::full_barrier(commands);
        record(commands, *pass);
    };
    const auto job = figure_job(context, fmt::format("{} workgroups that keep {} values", groups, kept), record_counted,
                                compare, work.left);
    for (int run = 0; run < 3; ++run)
        if (const std::string failure = checked(job); !failure.empty()) return {0, failure};
    const auto counted = download_as<uint32_t>(context, *work.counts, 3);
    if (counted[0] != 0 || counted[2] != groups)
        return {0, fmt::format("{} workgroups ended, should be {}", counted[2], groups)};
    if (counted[1] == groups) return {0, fmt::format("all {} workgroups ran at once", groups)};
    return {uint64_t{counted[1]} * counting_invocations, ""};
}

std::optional<uint32_t> registers_that_keep(Context& context, const FigureLoad& load, uint32_t kept) {
    return registers_of(context, residents_variant(kept), {residents_work(context, load, kept).inputs}).front();
}

constexpr const char* registers_for_all = "registers_at_full_occupancy";

/// The most registers per invocation at which as many invocations run at once as with fewer: between the numbers of
/// values `full` and `fewer`, for which invocations were counted.
void add_registers_for_all(Figures& figures, Context& context, const FigureLoad& load, uint64_t all, uint32_t full,
                           uint32_t fewer) {
    if (!registers_that_keep(context, load, full))
        return figures.failures.push_back({registers_for_all, "the driver does not report how many a shader takes"});
    while (fewer - full > 1) {
        const uint32_t middle = std::midpoint(full, fewer);
        const Residents found = residents_of(context, load, middle);
        if (!found.why.empty()) return figures.failures.push_back({registers_for_all, found.why});
        (found.invocations == all ? full : fewer) = middle;
    }
    const double most = registers_that_keep(context, load, full).value();
    figures.known.push_back({registers_for_all, "", {most, most, most}});
}

void add_residents(Figures& figures, Context& context, const FigureLoad& load) {
    constexpr uint32_t few = 4;
    uint64_t all = 0;
    uint32_t full = few;
    std::optional<uint32_t> fewer;  // values with which fewer run
    for (const uint32_t kept : {few, 32U, 64U, 128U}) {
        const std::string name =
            kept == few ? "resident_invocations" : fmt::format("resident_invocations_{}_values", kept);
        const Residents found = residents_of(context, load, kept);
        if (!found.why.empty()) {
            figures.failures.push_back({name, found.why});
            continue;
        }
        const auto invocations = static_cast<double>(found.invocations);
        figures.known.push_back({name, "", {invocations, invocations, invocations}});
        if (kept == few) all = found.invocations;
        if (found.invocations >= all && !fewer) full = kept;
        if (found.invocations < all && !fewer) fewer = kept;
    }
    if (all > 0 && fewer)
        add_registers_for_all(figures, context, load, all, full, *fewer);
    else
        figures.failures.push_back({registers_for_all, all == 0 ? "how many run at once was not counted"
                                                                : "as many run at once with all numbers of values"});
}

}  // namespace

std::optional<uint32_t> bytes_before_step(const std::vector<ChainTime>& by_bytes) {
    constexpr double longer = 1.25;
    for (size_t i = 1; i < by_bytes.size(); ++i)
        if (by_bytes[i].ns > longer * by_bytes.front().ns) return by_bytes[i - 1].bytes;
    return std::nullopt;
}

uint32_t left_of(const std::vector<uint32_t>& next, uint32_t kept, uint32_t steps) {
    std::vector<uint32_t> values(next.begin(), next.begin() + kept);
    uint32_t at = 0, sum = 0;
    for (uint32_t step = 0; step < steps; ++step) {
        at = next[at];
        for (uint32_t& value : values) value = std::rotl(value, 1) ^ at;
    }
    for (const uint32_t value : values) sum = sum * 3 + value;
    return sum;
}

Figures measure_figures(ImagePool& images, const FigureLoad& load, const Limits& limits) {
    constexpr uint32_t times_longer = 8, few_rounds = 4, many_rounds = 8;
    Context& context = images.context;
    Figures figures;
    const uint32_t fewer = load.groups / times_longer;
    std::vector<Pair> pairs = {
        {start_job(context, fewer), start_job(context, load.groups), static_cast<double>(load.groups - fewer)}};
    const std::vector<QuadShape> quads = quad_shapes();
    for (const QuadShape& quad : quads)
        for (const Format format : all_formats) {
            const double a_round =
                static_cast<double>(load.fetching_groups) * static_cast<double>(count(box)) * box.width;
            pairs.push_back({fetch_job(images, format, quad, load.fetching_groups, few_rounds),
                             fetch_job(images, format, quad, load.fetching_groups, many_rounds),
                             (many_rounds - few_rounds) * a_round});
        }
    const Slopes slopes = slopes_of(context, pairs, limits);
    size_t which = 0;
    add_rate(figures, "group_starts_per_us", "", slopes, which++);
    for (const QuadShape& quad : quads)
        for (const Format format : all_formats) add_rate(figures, quad.figure, traits_of(format).name, slopes, which++);
    add_residents(figures, context, load);
    if (load.chains)
        add_cache(figures, context, limits);
    else
        figures.failures.push_back({"first_level_bytes", "not measured on a CPU"});
    return figures;
}

}  // namespace tilewise::kernels
