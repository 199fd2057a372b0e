#include "tools/runs/share/read_device.h"
#include "db/bundle/share.h"
#include "patterns/model/error.h"
#include "probe/learn/image_prober.h"
#include "probe/learn/learn_rules.h"
#include "tools/runs/measure/time_budget.h"
#include "tools/runs/probe/facts.h"
#include "tools/runs/probe/lane_order.h"
#include "tools/runs/probe/learning.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace tilewise {

namespace {

unsigned usual_jobs() { return std::clamp(std::thread::hardware_concurrency(), 1U, 8U); }

probe::Request images(std::vector<std::string> formats, Extent_px extent) {
    probe::Request request;
    request.formats = std::move(formats);
    request.extents = {extent};
    return request;
}

/// What identifies a reading: the image by Vulkan's names, the subresource, and the way it is read.
using ReadingKey = std::tuple<std::string, std::string, std::string, ImageType, Extent_px, uint32_t, uint32_t, uint32_t,
                              uint32_t, uint32_t, std::string, std::string, int>;

ReadingKey key_of(const ImageKind& image, uint32_t level, uint32_t layer, const std::string& aspect,
                  const std::string& route, int memory_type) {
    return {image.format,  image.usage, image.flags, image.type, image.extent_px, image.levels, image.layers,
            image.samples, level,       layer,       aspect,     route,           memory_type};
}

std::set<ReadingKey> known_readings(const db::Database& database, const probe::DeviceInfo& device) {
    std::set<ReadingKey> known;
    for (const db::ObservationRow& row : db::own_observations(database, device_fact(device), driver_fact(device)))
        known.insert(
            key_of(row.fact, row.fact.level, row.fact.layer, row.fact.aspect, row.fact.route, row.fact.memory_type));
    return known;
}

/// As the database stores it: there, lists of names are sorted.
ReadingKey key_of(const probe::Case& probed) {
    db::ObservationFact fact;
    static_cast<ImageKind&>(fact) = probe::kind_of(probed.image);
    db::rule::name_list(fact.usage, "usage");
    db::rule::name_list(fact.flags, "flags");
    return key_of(fact, probed.level, probed.layer, probe::aspect_name(probed.aspect), probe::route_name(probed.route),
                  probed.memory_type);
}

/// The cases of a part that have to be read.
struct PlannedPart {
    const char* name;
    std::vector<probe::Case> cases;
};

/// The cases of each part that nobody has read.
std::vector<PlannedPart> plan_parts(DeviceThreads& threads, const db::Database& database, ReadForSharing& found) {
    const std::set<ReadingKey> known = known_readings(database, threads.devices().front());
    std::vector<PlannedPart> planned;
    for (const SharedPart& part : parts_to_share()) {
        try {
            auto plans = threads.run_all([&](size_t i, probe::Workers& workers) {
                return probe::plan(workers, threads.devices()[i], part.request);
            });
            const size_t all = plans.front().size();
            std::erase_if(plans.front(), [&](const probe::Case& c) { return known.contains(key_of(c)); });
            found.known += all - plans.front().size();
            if (!plans.front().empty()) planned.push_back({part.name, std::move(plans.front())});
        } catch (const UsageError& error) {
            found.refused.push_back(fmt::format("{}: {}", part.name, error.what()));
        }
    }
    return planned;
}

}  // namespace

std::vector<SharedPart> parts_to_share() {
    std::vector<SharedPart> parts;
    parts.push_back({"images of the common formats", {}});
    parts.push_back(
        {"images as large as a screen",
         images({"R8_UNORM", "R8G8B8A8_UNORM", "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT"}, {1920, 1080, 1})});
    parts.push_back({"images of several levels", images({"R8G8B8A8_UNORM", "R16G16B16A16_SFLOAT"}, {200, 150, 1})});
    parts.back().request.levels = 8;
    parts.push_back({"images of several layers", images({"R8G8B8A8_UNORM"}, {200, 150, 1})});
    parts.back().request.layers = 2;
    parts.push_back({"a 3D image", images({"R8G8B8A8_UNORM"}, {64, 64, 32})});
    parts.push_back(
        {"depth, stencil and compressed formats", images({"D16_UNORM", "D32_SFLOAT", "S8_UINT", "BC1_RGBA_UNORM_BLOCK",
                                                          "BC3_UNORM_BLOCK", "BC7_UNORM_BLOCK", "ASTC_4x4_UNORM_BLOCK"},
                                                         {1000, 700, 1})});
    parts.push_back({"an image of several samples", images({"R8G8B8A8_UNORM"}, {200, 150, 1})});
    parts.back().request.samples = 4;
    return parts;
}

ReadForSharing read_for_sharing(const probe::DeviceInfo& device, db::Database& database,
                                std::chrono::steady_clock::time_point end, const std::atomic<bool>& stop,
                                const OnReading& on_reading) {
    ReadForSharing found;
    DeviceThreads threads(std::to_string(device.index), usual_jobs(), probe::default_timeout);
    const TimeBudget budget(end, stop);
    const std::vector<PlannedPart> parts = plan_parts(threads, database, found);
    if (!has_lanes(database, device)) {
        constexpr const char* lanes = "orders of lanes and workgroups";
        on_reading(0, lanes);
        // Images matter more than these orders, which get half of the time at most.
        const auto now = std::chrono::steady_clock::now();
        const TimeBudget half(now + (end - now) / 2, budget.is_over());
        measure_lanes(threads, {0}, database, half.is_over());
        if (!has_lanes(database, device)) found.left_out.emplace_back(lanes);
    }
    std::vector<probe::Case> cases;
    for (const PlannedPart& part : parts) std::ranges::copy(part.cases, std::back_inserter(cases));
    const std::vector<ProbedDevice> probed =
        run_probes(threads, database, {cases}, usual_jobs(), on_reading, budget.is_over());
    keep_usage_sizes(device, probed.front().sizes, database);
    found.read = probed.front().results.size();
    size_t first = 0;
    for (const PlannedPart& part : parts) {
        const size_t behind = first + part.cases.size();
        const auto read = std::ranges::count_if(probed.front().results, [&](const Probed& result) {
            return result.place >= first && result.place < behind;
        });
        if (static_cast<size_t>(read) < part.cases.size()) found.left_out.emplace_back(part.name);
        first = behind;
    }
    return found;
}

LearnedForSharing learn_for_sharing(const probe::DeviceInfo& device, db::Database& database,
                                    std::chrono::steady_clock::time_point end, const std::atomic<bool>& stop,
                                    const std::function<void(size_t images)>& on_images) {
    struct OutOfTime {};
    LearnedForSharing learned;
    size_t images = 0;
    DeviceThreads threads(std::to_string(device.index), usual_jobs(), probe::default_timeout);
    const auto count = [&](size_t lot) {
        on_images(images += lot);
        if (stop || std::chrono::steady_clock::now() >= end) throw OutOfTime();
    };
    const LearnedImages wanted = {
        .formats = formats_to_learn(device), .types = {ImageType::two_d, ImageType::three_d}, .samples = {1}};
    try {
        threads.run({0}, [&](size_t, probe::Workers& workers) {
            const ImageProber prober = {workers, device, std::nullopt, usual_jobs(), count};
            constexpr uint64_t seed = 1;
            learn_device(images_of(prober), wanted, seed, rules_known(database),
                         [&](const LearnedKind& kind) { learned.rules += keep_rule(device, kind, database); });
        });
    } catch (const OutOfTime&) {
        learned.ran_out_of_time = true;
    }
    return learned;
}

}  // namespace tilewise
