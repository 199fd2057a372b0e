#include "tools/probing/keeper.h"
#include "tools/probing/facts.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace tilewise {

namespace {

// What is committed together. A process that is killed loses no more than this; each commit takes the only lock there is.
constexpr size_t batch_size = 64;
constexpr auto batch_time = std::chrono::milliseconds(200);

constexpr uint64_t queue_limit = uint64_t{256} << 20;  // bytes

uint64_t bytes_of(const probe::Reading& reading) { return reading.table.offsets.size() * sizeof(uint64_t); }

}  // namespace

Keeper::Keeper(db::Database& database, ProbedDevice& out, unsigned threads)
    : database_(database), out_(out), device_(device_fact(out.device)), driver_(driver_fact(out.device)) {
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
        space_.notify_one();
    }
}

void Keeper::write() {
    std::unique_lock lock(mutex_);
    for (;;) {
        solved_.wait(lock, [this] { return all_solved_ || written_ < out_.results.size(); });
        if (written_ == out_.results.size()) return;
        solved_.wait_for(lock, batch_time,
                         [this] { return all_solved_ || out_.results.size() - written_ >= batch_size; });
        try {
            write_batch(lock);
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            if (!error_) error_ = std::current_exception();
            space_.notify_all();
            work_.notify_all();
            return;
        }
    }
}

// Solving goes on meanwhile.
void Keeper::write_batch(std::unique_lock<std::mutex>& lock) {
    std::vector<db::ObservationFact> facts;
    for (size_t i = written_; i < out_.results.size(); ++i) facts.push_back(out_.results[i].observation.fact);
    const std::vector<ReadingPair> pairs(out_.disagreements.begin() + static_cast<std::ptrdiff_t>(written_pairs_),
                                         out_.disagreements.end());
    lock.unlock();
    std::vector<db::Added> added;
    {
        db::Transaction transaction(database_.sqlite);
        for (const db::ObservationFact& fact : facts) {
            added.push_back(db::add_observation(database_, device_, driver_, fact));
            rows_.push_back(added.back().observation);
        }
        for (const ReadingPair& pair : pairs) {
            db::DisagreementFact fact;
            fact.first = rows_[pair.first];
            fact.second = rows_[pair.second];
            fact.differing = pair.difference.differing;
            fact.element = pair.difference.element;
            fact.first_offset = pair.difference.first;
            fact.second_offset = pair.difference.second;
            fact.text = pair.text;
            db::add_disagreement(database_, fact);
        }
        transaction.commit();
    }
    lock.lock();
    for (const db::Added& one : added) {
        Probed& result = out_.results[written_++];
        result.observation.row = one.observation;
        result.observation.pattern = one.pattern;
        result.new_pattern = one.new_pattern;
    }
    written_pairs_ += pairs.size();
}

void Keeper::store(probe::Reading&& reading, const Solution& solution) {
    Probed result;
    result.probed = reading.probed;
    result.raw_copy = reading.raw_copy;
    result.seconds = reading.seconds;
    result.observation.device = device_;
    result.observation.driver = driver_;
    result.observation.fact = observation_fact(out_.device, reading, solution);
    out_.results.push_back(std::move(result));
    solved_.notify_one();
    if (reading.outcome != probe::Outcome::read) return;
    Placement placement;
    placement.extent = reading.table.extent;
    if (solution.fit == Fit::exact)
        placement.layout = solution.layout;
    else
        placement.offsets = std::move(reading.table.offsets);
    compare_with_earlier(out_.results.size() - 1, std::move(placement));
}

Keeper::ImageKey Keeper::image_key(const probe::Case& c) {
    const probe::Image& image = c.image;
    return {image.format,
            static_cast<uint32_t>(image.type),
            image.extent.width,
            image.extent.height,
            image.extent.depth,
            image.levels,
            image.layers,
            image.samples,
            image.flags,
            image.compression,
            c.aspect,
            c.level,
            c.layer};
}

void Keeper::compare_with_earlier(size_t result, Placement&& placement) {
    const probe::Case& probed = out_.results[result].probed;
    std::vector<Reference>& references = references_[image_key(probed)];
    const auto same = std::find_if(references.begin(), references.end(),
                                   [&](const Reference& reference) { return reference.usage == probed.image.usage; });
    if (same != references.end()) {
        const auto difference = compare(same->placement, placement);
        if (!difference) return;
        out_.disagreements.push_back(pair_of(same->result, result, *difference));
        return;
    }
    if (!references.empty()) {
        const Reference& other = references.front();
        if (const auto difference = compare(other.placement, placement))
            out_.usage_differences.push_back(pair_of(other.result, result, *difference));
    }
    references.push_back({probed.image.usage, result, std::move(placement)});
}

ReadingPair Keeper::pair_of(size_t first, size_t second, const Difference& difference) const {
    const auto way = [this](size_t index) {
        const db::ObservationFact& fact = out_.results[index].observation.fact;
        return fmt::format("{} (memory type {}; {})", fact.route, fact.memory_type, fact.usage);
    };
    const auto text_of = [](const std::optional<uint64_t>& offset) {
        return offset ? fmt::format("at 0x{:x}", *offset) : std::string("nowhere");
    };
    const db::ObservationFact& fact = out_.results[second].observation.fact;
    std::string text = fmt::format(
        "{} {} level {} layer {}: {} and {} put {} elements at different offsets, first ({}): {} and {}", fact.format,
        fmt::join(fact.extent, "x"), fact.level, fact.layer, way(first), way(second), difference.differing,
        fmt::join(difference.element, ","), text_of(difference.first), text_of(difference.second));
    return {first, second, difference, std::move(text)};
}

}  // namespace tilewise
