// What the program asks of its workers and what they reply: one struct each for every operation.
//
// On the channel a message is a prefix of fixed size, the struct's members as JSON, and its records (the offsets of a
// table, say) as they lie in memory. A worker runs a driver, which may write anything anywhere: the program believes a
// reply only as far as it fits what was asked, in its lengths and in its numbers.
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

/// Which memory an image could have.
struct ImageMemory {
    std::string why_unsupported;  ///< empty: the device offers it
    uint32_t memory_types = 0;    ///< bits
};
struct FindMemory {
    static constexpr Operation operation = Operation::find_memory;
    using Reply = ImageMemory;
    Case probed;
};

/// By usage, then by image.
struct SizeTable {
    std::vector<ImageSize> sizes;
};
/// Asks how much memory images need. None is allocated.
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
    using Reply = Reading;  ///< all of it but its case and its time
    Case probed;
    /// Reads all subresources of the aspect at once, and keeps the others for requests to come.
    bool with_siblings = false;
};

/// Runs a shader that writes where its invocations are, in so many workgroups so many times: enough to see whether all
/// have one order.
struct LaneRun {
    uint32_t device = 0;
    Coord shape = unit_extent;
    LaneBuiltin builtin = LaneBuiltin::index;
    uint32_t groups = 8, runs = 3;

    uint64_t records() const { return uint64_t{runs} * groups * element_count(shape); }
};

/// By run, workgroup and invocation index.
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

/// By run and position in the grid.
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
    uint32_t runs = 3;    ///< after one to warm up
};

/// In the place of any reply.
struct Failure {
    enum class Kind { refused, out_of_memory, crashed };
    Kind kind = Kind::refused;  ///< after all others the worker is to be replaced
    std::string reason;
};

using Request = std::variant<ListDevices, FindMemory, AskSizes, ReadCase, RunLanes, RunPeers, RunLaunches>;
using Reply = std::variant<Failure, DeviceList, ImageMemory, SizeTable, Reading, LaneTable, PeerTable, LaunchTable>;

/// The program's side. False where the worker is gone.
bool send_request(Stream& channel, const Request& request);

enum class ReplyState { whole, closed, late, malformed };
/// A reply to `request` from the process, which may die or stop in the middle of it; none: from this process. Where it
/// is malformed, `why` says in which respect.
ReplyState receive_reply(Stream& channel, const Process* worker, Clock::time_point deadline, const Request& request,
                         Reply& reply, std::string& why);

/// The worker's side. False where the program is gone or has nothing more to ask.
bool receive_request(Stream& channel, Request& request);
bool send_reply(Stream& channel, Operation operation, const Reply& reply);

}  // namespace tilewise::probe::worker
