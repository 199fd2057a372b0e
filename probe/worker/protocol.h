// The program's requests to its workers and their replies: one struct each for every operation.
//
// On the channel, a message is a prefix of fixed size, the struct's members as JSON, and its records (such as the
// offsets of a table) in their in-memory form. A worker runs a driver, which may write anything anywhere: the program
// believes a reply only as far as its lengths and numbers fit the request.
#pragma once
#include "patterns/model/usage_sizes.h"
#include "probe/invocations/lane_order.h"
#include "probe/invocations/launch_order.h"
#include "probe/probe.h"
#include "probe/worker/process.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tilewise::probe::worker {

enum class Operation : uint32_t { list_devices, find_memory, ask_sizes, read_case, run_lanes, run_peers, run_launches };

struct DeviceList {
    std::vector<DeviceInfo> devices;
};
struct ListDevices {
    static constexpr Operation operation = Operation::list_devices;
    using Reply = DeviceList;
};

/// Which memory types an image could use.
struct ImageMemory {
    std::string why_unsupported;  ///< empty: the device offers it
    uint32_t memory_types = 0;    ///< bits
};
struct FindMemory {
    static constexpr Operation operation = Operation::find_memory;
    using Reply = ImageMemory;
    Case probed;
};

/// Ordered by usage, then by image.
struct SizeTable {
    std::vector<ImageSize> sizes;
};
/// Asks how much memory images need, without allocating any.
struct AskSizes {
    static constexpr Operation operation = Operation::ask_sizes;
    using Reply = SizeTable;
    uint32_t device = 0;
    uint32_t format = 0;           ///< VkFormat
    std::vector<uint32_t> usages;  ///< VkImageUsageFlags
    std::vector<ImageShape> images;
};

struct ReadCase {
    static constexpr Operation operation = Operation::read_case;
    using Reply = Reading;  ///< all but its case and its time
    Case probed;
    /// Reads all subresources of the aspect at once, and keeps the other readings for later requests.
    bool with_siblings = false;
};

/// Runs a shader that writes where its invocations are, `runs` times in `groups` workgroups: enough to see whether all
/// have the same order.
struct LaneRun {
    uint32_t device = 0;
    Coord shape = unit_extent;
    LaneBuiltin builtin = LaneBuiltin::index;
    uint32_t groups = 8, runs = 3;

    uint64_t records() const { return uint64_t{runs} * groups * element_count(shape); }
};

/// Ordered by run, workgroup and invocation index.
struct LaneTable {
    std::vector<LaneWords> invocations;
};
struct RunLanes {
    static constexpr Operation operation = Operation::run_lanes;
    using Reply = LaneTable;
    LaneRun run;
};

struct PeerTable {
    std::vector<PeerWords> invocations;
};
struct RunPeers {
    static constexpr Operation operation = Operation::run_peers;
    using Reply = PeerTable;
    LaneRun run;
};

/// Ordered by run and position in the grid.
struct LaunchTable {
    bool has_clock = false, has_sm = false;
    std::vector<LaunchedGroup> groups;
};
struct RunLaunches {
    static constexpr Operation operation = Operation::run_launches;
    using Reply = LaunchTable;
    uint32_t device = 0;
    Coord grid = unit_extent;
    uint32_t rounds = 0;  ///< of the loop that keeps a workgroup busy
    uint32_t runs = 3;    ///< after a warm-up run
};

/// Sent instead of any reply.
struct Failure {
    enum class Kind { refused, out_of_memory, crashed };
    Kind kind = Kind::refused;  ///< after any kind but `refused`, the worker must be replaced
    std::string reason;
};

using Request = std::variant<ListDevices, FindMemory, AskSizes, ReadCase, RunLanes, RunPeers, RunLaunches>;
using Reply = std::variant<Failure, DeviceList, ImageMemory, SizeTable, Reading, LaneTable, PeerTable, LaunchTable>;

/// The program's side. Returns false if the worker is gone.
bool send_request(Stream& channel, const Request& request);

enum class ReplyState { whole, closed, late, malformed };
/// Receives a reply to `request` from the process, which may die or stop in the middle of it; a null `worker` means
/// this process. If the reply is malformed, `why` says in which respect.
ReplyState receive_reply(Stream& channel, const Process* worker, Clock::time_point deadline, const Request& request,
                         Reply& reply, std::string& why);

/// The worker's side. Returns false if the program is gone or has no more requests.
bool receive_request(Stream& channel, Request& request);
bool send_reply(Stream& channel, Operation operation, const Reply& reply);

}  // namespace tilewise::probe::worker
