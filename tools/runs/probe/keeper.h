// Readings of one device, or of several at once, are solved on a few threads. An image of several planes, levels or
// layers is then checked as a whole: no byte may belong to two elements. The results are compared with earlier readings
// of the same image, and stored in the database by one writer: in batches, so that the database is free for other
// processes most of the time.
#pragma once
#include "db/facts/disagreement.h"
#include "db/query/query.h"
#include "patterns/solve/solve.h"
#include "probe/probe.h"
#include "tools/runs/probe/compare.h"
#include "tools/runs/probe/usage_sizes.h"
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace tilewise {

/// One reading, as it is stored in the database.
struct Probed {
    probe::Case probed;
    size_t place = 0;  ///< in the plan
    db::ObservationRow observation;
    bool new_pattern = false;
    std::string raw_copy;  ///< see probe::Reading
    double seconds = 0;
};

/// Two readings of the same elements that found them at different offsets.
struct ReadingPair {
    size_t first = 0, second = 0;  ///< positions in ProbedDevice::results
    Difference difference;
    std::string text;  ///< one line
};

struct ProbedDevice {
    probe::DeviceInfo device;
    uint64_t planned = 0;                    ///< readings
    std::vector<Probed> results;             ///< in the order in which they finished, until put_in_order()
    std::vector<ReadingPair> disagreements;  ///< between two routes or memory types for the very same kind of image
    /// Pairs of images that differ only in their usage: the driver chose another layout.
    std::vector<ReadingPair> usage_differences;
    AskedSizes sizes;    ///< for the formats whose sizes by usage the database did not have
    double seconds = 0;  ///< until the last result was stored; without the start of the program
};

/// Sorts the results, and marks which patterns were new, as if the devices had been probed one after another, each in
/// the order of its plan.
void put_in_order(std::span<ProbedDevice> devices);

/// Solves and stores on its own threads, so that reading need not wait. One thread for each device may add readings.
class Keeper {
public:
    /// Both arguments must outlive the keeper. `out` has one element for each device; read it after finish() only.
    Keeper(db::Database& database, std::span<ProbedDevice> out, unsigned threads);
    ~Keeper();
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    /// Waits while much is queued, because tables are large. Throws what a worker thread threw, such as the error of a
    /// full disk.
    void add(probe::Reading&& reading);

    /// Returns when everything is stored. Throws likewise.
    void finish();

private:
    /// The first reading of an image with one usage.
    struct Reference {
        uint32_t usage = 0;
        size_t result = 0;
        Placement placement;
    };
    /// What identifies the same elements: everything but the usage and the way they were read.
    using ImageKey = std::array<uint32_t, 13>;
    static ImageKey image_key(const probe::Case& c);
    /// One subresource as a route read it.
    struct Part {
        Probed result;
        /// None unless the route read its elements.
        std::optional<Placement> placement;
    };
    /// What identifies the parts of one image that was read in one way.
    using WholeKey = std::pair<ImageKey, std::array<uint64_t, 4>>;
    static WholeKey whole_key(const probe::Case& c);

    struct Device {
        ProbedDevice& out;
        const db::DeviceFact fact;
        const db::DriverFact driver;
        size_t written = 0, written_pairs = 0;  ///< how many results and disagreements are in the database
        std::vector<int64_t> rows = {};         ///< of the results that are written; only the writer uses it
        std::map<ImageKey, std::vector<Reference>> references = {};
        std::map<WholeKey, std::vector<Part>> waiting = {};  ///< for the other parts of their images
    };
    struct Batch;

    void join();
    void work();
    void write();
    size_t waiting_results() const;
    Batch next_batch(Device& device);
    void write_batches(std::unique_lock<std::mutex>& lock);
    void store(probe::Reading&& reading, const Solution& solution);
    static std::string why_not_whole(const std::vector<Part>& parts);
    void store_whole(Device& device, std::vector<Part> parts);
    void store_part(Device& device, Part part);

    // Everything is guarded by the mutex, except what never changes.
    db::Database& database_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::vector<Device> devices_;
    std::mutex mutex_;
    std::condition_variable work_, space_, solved_;
    std::deque<probe::Reading> queue_;
    uint64_t queued_bytes_ = 0;
    bool finished_ = false, all_solved_ = false;
    std::exception_ptr error_;
    std::vector<std::thread> threads_;
    std::thread writer_;
};

}  // namespace tilewise
