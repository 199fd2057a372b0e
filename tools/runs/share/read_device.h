// Reads what a text to share needs to know about a device: images of the common formats, and one or a few of each other
// kind; which invocation runs in which lane, and in which order workgroups start. What the database has is not read
// again.
#pragma once
#include "probe/probe.h"
#include "tools/runs/probe/run.h"
#include <atomic>
#include <chrono>
#include <string>
#include <vector>

namespace tilewise {

/// Images that are read together.
struct SharedPart {
    const char* name;  ///< "images of several levels"
    probe::Request request;
};

/// The parts, the most useful ones first.
std::vector<SharedPart> parts_to_share();

struct ReadForSharing {
    uint64_t read = 0;                  ///< levels and layers of images, for each route: in this run
    uint64_t known = 0;                 ///< likewise, from earlier runs
    std::vector<std::string> left_out;  ///< the names of the parts that there was no time for
    std::vector<std::string> refused;   ///< lines: parts that the device has no such images for, and why
};

/// Ends soon after `end`, or when `stop` becomes true; what was finished is in the database.
ReadForSharing read_for_sharing(const probe::DeviceInfo& device, db::Database& database,
                                std::chrono::steady_clock::time_point end, const std::atomic<bool>& stop,
                                const OnReading& on_reading);

struct LearnedForSharing {
    size_t rules = 0;
    bool ran_out_of_time = false;
};

/// Learns rules of the device, likewise within the time, those for the most used formats first, and stores each as soon
/// as it is learned. `on_images` is called with each batch of images.
LearnedForSharing learn_for_sharing(const probe::DeviceInfo& device, db::Database& database,
                                    std::chrono::steady_clock::time_point end, const std::atomic<bool>& stop,
                                    const std::function<void(size_t images)>& on_images);

}  // namespace tilewise
