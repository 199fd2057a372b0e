#include "tools/probe_run.h"
#include "patterns/solve.h"
#include "tools/facts.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <thread>

namespace tilewise {

namespace {

/// Solves and stores on its own threads, so that the workers need not wait. All members are guarded by the mutex.
class Solvers {
public:
    Solvers(db::Database& database, ProbedDevice& out, unsigned threads)
        : database_(database), out_(out), device_(device_fact(out.device)), driver_(driver_fact(out.device)) {
        for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    }
    ~Solvers() { join(); }
    Solvers(const Solvers&) = delete;
    Solvers& operator=(const Solvers&) = delete;

    /// Waits while much is queued: tables are large. Throws what a thread threw, a full disk for one.
    void add(probe::Reading&& reading) {
        std::unique_lock lock(mutex_);
        space_.wait(lock, [this] { return queued_bytes_ < queue_limit || error_; });
        if (error_) std::rethrow_exception(error_);
        queued_bytes_ += bytes_of(reading);
        queue_.push_back(std::move(reading));
        work_.notify_one();
    }

    /// Returns when everything is stored.
    void finish() {
        join();
        if (error_) std::rethrow_exception(error_);
    }

private:
    static constexpr uint64_t queue_limit = uint64_t{256} << 20;

    /// The first readings of an image, one for each usage.
    struct Reference {
        uint32_t usage = 0;
        size_t result = 0;
        Placement placement;
    };

    /// What makes it the same elements: all but the usage and the way they were read.
    using ImageKey = std::array<uint32_t, 10>;
    static ImageKey image_key(const probe::Case& c) {
        const probe::Image& image = c.image;
        return {image.format,
                image.is_3d,
                image.extent.width,
                image.extent.height,
                image.extent.depth,
                image.levels,
                image.layers,
                image.samples,
                c.level,
                c.layer};
    }

    static uint64_t bytes_of(const probe::Reading& reading) { return reading.table.offsets.size() * sizeof(uint64_t); }

    void join() {
        {
            const std::lock_guard lock(mutex_);
            finished_ = true;
        }
        work_.notify_all();
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            work_.wait(lock, [this] { return finished_ || !queue_.empty(); });
            if (queue_.empty()) return;
            probe::Reading reading = std::move(queue_.front());
            queue_.pop_front();
            const uint64_t bytes = bytes_of(reading);
            lock.unlock();
            std::exception_ptr error;
            Solution solution;
            try {
                if (reading.outcome == probe::Outcome::read) solution = solve(reading.table);
            } catch (...) {
                error = std::current_exception();
            }
            lock.lock();
            if (!error && !error_) try {
                    store(std::move(reading), solution);
                } catch (...) {
                    error = std::current_exception();
                }
            if (!error_) error_ = error;
            queued_bytes_ -= bytes;
            space_.notify_one();
        }
    }

    void store(probe::Reading&& reading, const Solution& solution) {
        Probed result;
        result.probed = reading.probed;
        result.raw_copy = reading.raw_copy;
        result.seconds = reading.seconds;
        result.observation.device = device_;
        result.observation.driver = driver_;
        result.observation.fact = observation_fact(out_.device, reading, solution);
        const db::Added added = db::add_observation(database_, device_, driver_, result.observation.fact);
        result.observation.row = added.observation;
        result.observation.pattern = added.pattern;
        result.new_pattern = added.new_pattern;
        out_.results.push_back(std::move(result));
        if (reading.outcome != probe::Outcome::read) return;
        Placement placement;
        placement.extent = reading.table.extent;
        if (solution.fit == Fit::exact)
            placement.layout = solution.layout;
        else
            placement.offsets = std::move(reading.table.offsets);
        compare_with_earlier(out_.results.size() - 1, std::move(placement));
    }

    void compare_with_earlier(size_t result, Placement&& placement) {
        const probe::Case& probed = out_.results[result].probed;
        std::vector<Reference>& references = references_[image_key(probed)];
        const auto same = std::find_if(references.begin(), references.end(), [&](const Reference& reference) {
            return reference.usage == probed.image.usage;
        });
        if (same != references.end()) {
            const auto difference = compare(same->placement, placement);
            if (!difference) return;
            out_.disagreements.push_back(conflict(same->result, result, *difference));
            const Conflict& found = out_.disagreements.back();
            db::add_disagreement(database_, {out_.results[found.first].observation.row,
                                             out_.results[result].observation.row, difference->differing,
                                             difference->element, difference->first, difference->second, found.text});
            return;
        }
        if (!references.empty()) {
            if (const auto difference = compare(references.front().placement, placement))
                out_.usage_differences.push_back(conflict(references.front().result, result, *difference));
        }
        references.push_back({probed.image.usage, result, std::move(placement)});
    }

    Conflict conflict(size_t first, size_t second, const Difference& difference) const {
        const auto way = [this](size_t index) {
            const db::ObservationFact& fact = out_.results[index].observation.fact;
            return fmt::format("{} (memory type {}; {})", fact.route, fact.memory_type, fact.usage);
        };
        const auto place = [](const std::optional<uint64_t>& offset) {
            return offset ? fmt::format("0x{:x}", *offset) : std::string("nowhere");
        };
        const db::ObservationFact& fact = out_.results[second].observation.fact;
        const Coord& at = difference.element;
        std::string text = fmt::format(
            "{} {}x{}x{} level {} layer {}: {} and {} put {} elements at different places, the first ({},{},{},{}) at "
            "{} and {}",
            fact.format, fact.extent[0], fact.extent[1], fact.extent[2], fact.level, fact.layer, way(first),
            way(second), difference.differing, at[axis_x], at[axis_y], at[axis_z], at[axis_s], place(difference.first),
            place(difference.second));
        return {first, second, difference, std::move(text)};
    }

    db::Database& database_;
    ProbedDevice& out_;
    const db::DeviceFact device_;
    const db::DriverFact driver_;
    std::mutex mutex_;
    std::condition_variable work_, space_;
    std::deque<probe::Reading> queue_;
    uint64_t queued_bytes_ = 0;
    bool finished_ = false;
    std::exception_ptr error_;
    std::map<ImageKey, std::vector<Reference>> references_;
    std::vector<std::thread> threads_;  // last: they use all that stands above
};

}  // namespace

ProbedDevice run_probe(probe::Workers& workers, db::Database& database, const probe::DeviceInfo& device,
                       std::span<const probe::Case> cases, unsigned jobs, const OnReading& on_reading,
                       const std::atomic<bool>& stop) {
    ProbedDevice out;
    out.device = device;
    out.planned = cases.size();
    const auto start = std::chrono::steady_clock::now();
    {
        Solvers solvers(database, out, std::clamp(std::thread::hardware_concurrency() / 2, 1U, 4U));
        uint64_t done = 0;
        probe::run(
            workers, cases, jobs,
            [&](probe::Reading&& reading) {
                on_reading(++done, probe::case_name(reading.probed));
                solvers.add(std::move(reading));
            },
            &stop);
        solvers.finish();
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out;
}

}  // namespace tilewise
