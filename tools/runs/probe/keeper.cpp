#include "tools/runs/probe/keeper.h"
#include "patterns/model/error.h"
#include "patterns/model/image_layout.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <utility>

namespace tilewise {

namespace {

// What is committed together. A process that is killed loses no more than this. Each commit takes the only lock there
// is, so commits must not be too frequent.
constexpr size_t batch_size = 64;
constexpr auto batch_time = std::chrono::milliseconds(200);

constexpr uint64_t queue_limit = uint64_t{256} << 20;  // bytes

uint64_t bytes_of(const probe::Reading& reading) { return reading.table.offsets.size() * sizeof(uint64_t); }

}  // namespace

Keeper::Keeper(db::Database& database, std::span<ProbedDevice> out, unsigned threads) : database_(database) {
    for (ProbedDevice& device : out)
        devices_.push_back({device, device_fact(device.device), driver_fact(device.device)});
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    writer_ = std::thread([this] { write(); });
}

Keeper::~Keeper() { join(); }

void Keeper::add(probe::Reading&& reading) {
    std::unique_lock lock(mutex_);
    space_.wait(lock, [this] { return queued_bytes_ < queue_limit || error_; });
    if (error_) std::rethrow_exception(error_);
    queued_bytes_ += bytes_of(reading);
    queue_.push_back(std::move(reading));
    work_.notify_one();
}

void Keeper::finish() {
    join();
    if (error_) std::rethrow_exception(error_);
}

void Keeper::join() {
    {
        const std::lock_guard lock(mutex_);
        finished_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    {
        const std::lock_guard lock(mutex_);
        // Parts are missing if the run was interrupted.
        for (Device& device : devices_)
            for (auto& [key, parts] : std::exchange(device.waiting, {})) store_whole(device, std::move(parts));
        all_solved_ = true;
    }
    solved_.notify_all();
    if (writer_.joinable()) writer_.join();
}

void Keeper::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        work_.wait(lock, [this] { return finished_ || error_ || !queue_.empty(); });
        if (queue_.empty() || error_) return;
        probe::Reading reading = std::move(queue_.front());
        queue_.pop_front();
        const uint64_t bytes = bytes_of(reading);
        try {
            lock.unlock();
            Solution solution;
            if (reading.outcome == probe::Outcome::read) solution = solve(reading.table);
            lock.lock();
            store(std::move(reading), solution);
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            if (!error_) error_ = std::current_exception();
        }
        queued_bytes_ -= bytes;
        space_.notify_all();  // after an error no one else will
    }
}

size_t Keeper::waiting_results() const {
    size_t waiting = 0;
    for (const Device& device : devices_) waiting += device.out.results.size() - device.written;
    return waiting;
}

void Keeper::write() {
    std::unique_lock lock(mutex_);
    for (;;) {
        solved_.wait(lock, [this] { return all_solved_ || waiting_results() > 0; });
        if (waiting_results() == 0) return;
        solved_.wait_for(lock, batch_time, [this] { return all_solved_ || waiting_results() >= batch_size; });
        try {
            write_batches(lock);
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            if (!error_) error_ = std::current_exception();
            space_.notify_all();
            work_.notify_all();
            return;
        }
    }
}

/// What one device has for the next transaction, and what was added.
struct Keeper::Batch {
    Device& device;
    std::vector<db::ObservationFact> facts;
    std::vector<ReadingPair> pairs;
    std::vector<db::Added> added = {};
};

Keeper::Batch Keeper::next_batch(Device& device) {
    Batch batch = {device, {}, {}};
    const auto from = [](const auto& list, size_t done) { return list.begin() + static_cast<std::ptrdiff_t>(done); };
    const ProbedDevice& out = device.out;
    for (auto result = from(out.results, device.written); result != out.results.end(); ++result)
        batch.facts.push_back(result->observation.fact);
    batch.pairs.assign(from(out.disagreements, device.written_pairs), out.disagreements.end());
    return batch;
}

// Solving continues during the write.
void Keeper::write_batches(std::unique_lock<std::mutex>& lock) {
    std::vector<Batch> batches;
    for (Device& device : devices_) batches.push_back(next_batch(device));
    lock.unlock();
    {
        db::Transaction transaction(database_.sqlite);
        for (Batch& batch : batches) {
            Device& device = batch.device;
            batch.added = db::add_observations(database_, device.fact, device.driver, batch.facts);
            for (const db::Added& one : batch.added) device.rows.push_back(one.observation);
            for (const ReadingPair& pair : batch.pairs) {
                db::DisagreementFact fact;
                fact.first = device.rows[pair.first];
                fact.second = device.rows[pair.second];
                fact.differing = pair.difference.differing;
                fact.element = pair.difference.element;
                fact.first_offset = pair.difference.first;
                fact.second_offset = pair.difference.second;
                fact.text = pair.text;
                db::add_disagreement(database_, fact);
            }
        }
        transaction.commit();
    }
    lock.lock();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    for (const Batch& batch : batches) {
        Device& device = batch.device;
        for (const db::Added& one : batch.added) {
            Probed& result = device.out.results[device.written++];
            result.observation.row = one.observation;
            result.observation.pattern = one.pattern;
            result.new_pattern = one.new_pattern;
            device.out.seconds = seconds;
        }
        device.written_pairs += batch.pairs.size();
    }
}

Keeper::ImageKey Keeper::image_key(const probe::Case& c) {
    const probe::Image& image = c.image;
    return {image.format,
            static_cast<uint32_t>(image.type),
            image.extent_px[0],
            image.extent_px[1],
            image.extent_px[2],
            image.levels,
            image.layers,
            image.samples,
            image.flags,
            image.compression,
            c.aspect,
            c.level,
            c.layer};
}

Keeper::WholeKey Keeper::whole_key(const probe::Case& c) {
    probe::Case whole = c;
    whole.aspect = whole.level = whole.layer = 0;
    return {image_key(whole),
            {c.image.usage, static_cast<uint64_t>(c.route), static_cast<uint64_t>(c.memory_type), c.image.modifier}};
}

namespace {

size_t count_parts(const probe::Image& image) {
    const probe::Format* format = probe::find_format(image.format);
    return size_t{image.levels} * image.layers * (format ? probe::aspects_of(*format).size() : 1);
}

ReadingPair pair_of(const ProbedDevice& out, size_t first, size_t second, const Difference& difference) {
    const auto way = [&](size_t index) {
        const db::ObservationFact& fact = out.results[index].observation.fact;
        return fmt::format("{} (memory type {}; {})", fact.route, fact.memory_type, fact.usage);
    };
    const auto text_of = [](const std::optional<uint64_t>& offset) {
        return offset ? fmt::format("at 0x{:x}", *offset) : std::string("nowhere");
    };
    const db::ObservationFact& fact = out.results[second].observation.fact;
    std::string text = fmt::format(
        "{} {} level {} layer {}: {} and {} put {} elements at different offsets, first ({}): {} and {}", fact.format,
        fmt::join(fact.extent_px, "x"), fact.level, fact.layer, way(first), way(second), difference.differing,
        fmt::join(difference.element, ","), text_of(difference.first), text_of(difference.second));
    return {first, second, difference, std::move(text)};
}

void sort_by_place(ProbedDevice& device) {
    std::vector<size_t> order(device.results.size()), now(order.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return device.results[i].place; });
    std::vector<Probed> sorted;
    for (size_t i = 0; i < order.size(); ++i) {
        sorted.push_back(std::move(device.results[order[i]]));
        now[order[i]] = i;
    }
    device.results = std::move(sorted);
    for (std::vector<ReadingPair>* pairs : {&device.disagreements, &device.usage_differences}) {
        for (ReadingPair& pair : *pairs) {
            pair.first = now[pair.first];
            pair.second = now[pair.second];
        }
        std::ranges::sort(*pairs, {}, [](const ReadingPair& pair) { return std::pair(pair.second, pair.first); });
    }
}

}  // namespace

void Keeper::store(probe::Reading&& reading, const Solution& solution) {
    Device& device =
        *std::ranges::find(devices_, reading.probed.device, [](const Device& one) { return one.out.device.index; });
    Part part;
    Probed& result = part.result;
    result.probed = reading.probed;
    result.place = reading.place;
    result.raw_copy = reading.raw_copy;
    result.seconds = reading.seconds;
    result.observation.device = device.fact;
    result.observation.driver = device.driver;
    result.observation.fact = observation_fact(device.out.device, reading, solution);
    if (reading.outcome == probe::Outcome::read) {
        Placement& placement = part.placement.emplace();
        placement.extent = reading.table.extent;
        if (solution.fit == Fit::exact)
            placement.layout = solution.layout;
        else
            placement.offsets = std::move(reading.table.offsets);
    }
    const size_t parts = count_parts(reading.probed.image);
    if (parts == 1) return store_part(device, std::move(part));
    std::vector<Part>& waiting = device.waiting[whole_key(reading.probed)];
    waiting.push_back(std::move(part));
    if (waiting.size() < parts) return;
    std::vector<Part> whole = std::move(waiting);
    device.waiting.erase(whole_key(reading.probed));
    store_whole(device, std::move(whole));
}

namespace {

Subresource subresource_of(const probe::Case& probed, const Layout& layout) {
    Subresource part;
    part.aspect = probe::aspect_of(probed.aspect);
    part.level = probed.level;
    part.layer = probed.layer;
    part.extent_px = probe::texels_of(probed);
    part.layout = layout;
    return part;
}

}  // namespace

/// Why the parts of one image cannot lie as they were read; empty if they can.
std::string Keeper::why_not_whole(const std::vector<Part>& parts) {
    ImageLayout image;
    static_cast<ImageKind&>(image) = parts.front().result.observation.fact;
    std::map<uint32_t, std::vector<PlacedPart>> by_memory;
    bool all_have_layouts = true;
    for (const Part& part : parts) {
        if (!part.placement) continue;
        const probe::Case& probed = part.result.probed;
        // Stencil bytes may lie in those that depth leaves unused.
        if (probe::aspect_of(probed.aspect) != Aspect::stencil)
            by_memory[is_disjoint(image) ? probed.aspect : 0].push_back(
                {&*part.placement, probe::element_of(probed).bytes});
        if (part.placement->layout)
            image.subresources.push_back(subresource_of(probed, *part.placement->layout));
        else
            all_have_layouts = false;
    }
    try {
        require_apart(image);
    } catch (const Error& error) {
        return error.what();
    }
    if (all_have_layouts) return "";
    // A part with missing or misplaced elements may still overlap another.
    for (const auto& [memory, placed] : by_memory)
        if (placed.size() > 1 && lie_over_one_another(placed)) return "two subresources would share a byte";
    return "";
}

/// A route that reads two parts of an image as overlapping is wrong about at least one of them: none counts as exact.
void Keeper::store_whole(Device& device, std::vector<Part> parts) {
    const std::string why_not = why_not_whole(parts);
    for (Part& part : parts) {
        if (!why_not.empty() && part.placement) {
            db::ObservationFact& fact = part.result.observation.fact;
            fact.result = "no-fit";
            fact.reason = fmt::format("the driver is wrong about where parts of an image lie: {}", why_not);
            fact.layout.reset();
            part.placement.reset();
        }
        store_part(device, std::move(part));
    }
}

void Keeper::store_part(Device& device, Part part) {
    ProbedDevice& out = device.out;
    const size_t at = out.results.size();
    const probe::Case probed = part.result.probed;
    out.results.push_back(std::move(part.result));
    solved_.notify_one();
    if (!part.placement) return;
    Placement& placement = *part.placement;
    std::vector<Reference>& references = device.references[image_key(probed)];
    const auto same = std::ranges::find(references, probed.image.usage, &Reference::usage);
    if (same != references.end()) {
        if (const auto difference = compare(same->placement, placement))
            out.disagreements.push_back(pair_of(out, same->result, at, *difference));
        return;
    }
    if (!references.empty()) {
        const Reference& other = references.front();
        if (const auto difference = compare(other.placement, placement))
            out.usage_differences.push_back(pair_of(out, other.result, at, *difference));
    }
    references.push_back({probed.image.usage, at, std::move(placement)});
}

void put_in_order(std::span<ProbedDevice> devices) {
    std::set<std::string> fresh;
    for (ProbedDevice& device : devices) {
        sort_by_place(device);
        for (Probed& result : device.results)
            if (std::exchange(result.new_pattern, false)) fresh.insert(result.observation.pattern);
    }
    for (ProbedDevice& device : devices)
        for (Probed& result : device.results) result.new_pattern = fresh.erase(result.observation.pattern) > 0;
}

}  // namespace tilewise
