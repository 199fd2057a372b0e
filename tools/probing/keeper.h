// What a probe reads is solved on a few threads, compared with what the same image gave before, and kept in the database:
// in batches, so that other processes find the database free most of the time.
#pragma once
#include "db/facts/disagreement.h"
#include "db/query/query.h"
#include "patterns/solve/solve.h"
#include "probe/probe.h"
#include "tools/probing/compare.h"
#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tilewise {

/// One reading, as it stands in the database.
struct Probed {
    probe::Case probed;
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
    std::vector<Probed> results;             ///< as they were finished
    std::vector<ReadingPair> disagreements;  ///< of two routes or memory types over the very same kind of image
    std::vector<ReadingPair>
        usage_differences;  ///< of images that differ in their usage: the driver chose another layout
    double seconds = 0;     ///< reading, solving and storing; without the start of the program
};

/// Solves and stores on threads of its own, so that reading need not wait.
class Keeper {
public:
    /// Both must outlive the keeper; `out` is to be read after finish().
    Keeper(db::Database& database, ProbedDevice& out, unsigned threads);
    ~Keeper();
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    /// Waits while much is queued: tables are large. Throws what a thread threw, a full disk for one.
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
    /// What makes it the same elements: all but the usage and the way they were read.
    using ImageKey = std::array<uint32_t, 13>;
    static ImageKey image_key(const probe::Case& c);

    void join();
    void work();
    void write();
    void write_batch(std::unique_lock<std::mutex>& lock);
    void store(probe::Reading&& reading, const Solution& solution);
    void compare_with_earlier(size_t result, Placement&& placement);
    ReadingPair pair_of(size_t first, size_t second, const Difference& difference) const;

    // All guarded by the mutex, but for what never changes.
    db::Database& database_;
    ProbedDevice& out_;
    const db::DeviceFact device_;
    const db::DriverFact driver_;
    std::mutex mutex_;
    std::condition_variable work_, space_, solved_;
    std::deque<probe::Reading> queue_;
    uint64_t queued_bytes_ = 0;
    bool finished_ = false, all_solved_ = false;
    size_t written_ = 0, written_pairs_ = 0;  ///< how many of the results and of the disagreements are in the database
    std::vector<int64_t> rows_;               ///< of the results that are written; the writer's alone
    std::exception_ptr error_;
    std::map<ImageKey, std::vector<Reference>> references_;
    std::vector<std::thread> threads_;
    std::thread writer_;
};

}  // namespace tilewise
