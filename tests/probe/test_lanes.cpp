// Which invocation runs in which lane: the mathematics on walks that drivers are known to choose, and the measurement
// on lavapipe, whose rows of 8 lanes follow the invocation index.
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/remap/lane_matrix.h"
#include "patterns/remap/visit_order.h"
#include "probe/invocations/lane_order.h"
#include "probe/invocations/launch_order.h"
#include "probe/worker/parent.h"
#include "tests/support/lavapipe.h"
#include "tests/support/program.h"
#include "tests/support/roles.h"
#include "tools/runs/probe/lane_order.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <doctest/doctest.h>
#include <functional>
#include <numeric>
#include <random>
#include <set>

using namespace tilewise;
using namespace tilewise::probe;

namespace {

std::vector<uint32_t> row_order_slots(uint32_t size) {
    std::vector<uint32_t> slots(size);
    std::iota(slots.begin(), slots.end(), 0u);
    return slots;
}

/// By invocation index (x fastest), the lane slot at which `invocation_at` has that invocation.
std::vector<uint32_t> slots_of_walk(uint32_t size, const std::function<uint32_t(uint32_t slot)>& invocation_at) {
    std::vector<uint32_t> slots(size);
    for (uint32_t slot = 0; slot < size; ++slot) slots[invocation_at(slot)] = slot;
    return slots;
}

std::vector<LaneWords> words_of(const std::vector<uint32_t>& places, uint32_t subgroup_size) {
    std::vector<LaneWords> words;
    words.reserve(places.size());
    for (const uint32_t place : places)
        words.push_back({place / subgroup_size, place % subgroup_size, subgroup_size,
                         static_cast<uint32_t>(places.size()) / subgroup_size});
    return words;
}

std::vector<PeerWords> peers_of(const std::vector<uint32_t>& places, uint32_t subgroup_size) {
    std::vector<PeerWords> peers;
    peers.reserve(places.size());
    for (const uint32_t place : places) {
        const uint32_t lane = place % subgroup_size;
        const auto first = std::ranges::find(places, place - lane) - places.begin();
        peers.push_back({static_cast<uint32_t>(first), lane, subgroup_size, lane == 0 ? 1u : 0u});
    }
    return peers;
}

/// A driver that dies over workgroups of 16x16 and runs the others in the order of their index, 32 at a time.
int serve_a_faulty_driver(worker::Playing& playing) {
    for (worker::Request request; receive_request(playing.channel, request);) {
        const auto* lanes = std::get_if<worker::RunLanes>(&request);
        const worker::LaneRun run = lanes ? lanes->run : std::get<worker::RunPeers>(request).run;
        if (run.shape == Coord{16, 16, 1, 1}) std::abort();
        const std::vector<uint32_t> slots = row_order_slots(run.shape[axis_x] * run.shape[axis_y]);
        worker::LaneTable table;
        worker::PeerTable peers;
        for (uint32_t group = 0; group < run.groups * run.runs; ++group) {
            std::ranges::copy(words_of(slots, 32), std::back_inserter(table.invocations));
            std::ranges::copy(peers_of(slots, 32), std::back_inserter(peers.invocations));
        }
        if (lanes)
            send_reply(playing.channel, worker::Operation::run_lanes, table);
        else
            send_reply(playing.channel, worker::Operation::run_peers, peers);
    }
    return 0;
}
const AddedRole faulty_lanes({"faulty lanes", serve_a_faulty_driver});

}  // namespace

TEST_CASE("where invocations run in the order of their index, the matrix is the identity") {
    for (const uint32_t size : {1u, 2u, 64u, 1024u}) {
        const LaneFit fit = fit_lanes(row_order_slots(size));
        REQUIRE(fit.matrix);
        CHECK(is_identity(*fit.matrix));
        CHECK(fit.matrix->size() == log2_exact(size));
    }
}

TEST_CASE("Mesa's walk for images on Intel, columns of four rows, is linear and found") {
    // brw_nir_lower_cs_intrinsics.c, "1x4 block X-major lid order": four rows of one column, then the next column.
    const uint32_t width = 16, height = 16;
    const std::vector<uint32_t> places = slots_of_walk(width * height, [&](uint32_t place) {
        const uint32_t y = place % 4 + place / (4 * width) * 4, x = place / 4 % width;
        return y * width + x;
    });
    const LaneFit fit = fit_lanes(places);
    REQUIRE(fit.matrix);
    CHECK(lane_names(*fit.matrix) == std::vector<std::string>{"i4", "i5", "i0", "i1", "i2", "i3", "i6", "i7"});
    for (uint32_t i = 0; i < places.size(); ++i) CHECK(lane_slot_of(*fit.matrix, i) == places[i]);
}

TEST_CASE("any one-to-one XOR of index bits is found, and its names lead back to it") {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        LaneMatrix matrix = lane_identity(static_cast<unsigned>(1 + random() % 10));
        for (int step = 0; step < 30; ++step) {
            const size_t a = random() % matrix.size(), b = random() % matrix.size();
            if (a != b) matrix[a] ^= matrix[b];
        }
        std::ranges::shuffle(matrix, random);
        std::vector<uint32_t> places(size_t{1} << matrix.size());
        for (uint32_t i = 0; i < places.size(); ++i) places[i] = static_cast<uint32_t>(lane_slot_of(matrix, i));
        CHECK(fit_lanes(places).matrix == matrix);
        CHECK(lanes_from_names(lane_names(matrix)) == matrix);
    }
}

TEST_CASE("an order that is not linear is told with the first invocation that is elsewhere") {
    std::vector<uint32_t> places = row_order_slots(16);
    std::swap(places[5], places[6]);
    CHECK(fit_lanes(places).reason == "invocation 5 runs in lane slot 6, where those of its bits XOR to 5");
    std::swap(places[0], places[1]);
    CHECK(fit_lanes(places).reason == "invocation 0 runs in lane slot 1");
    CHECK(fit_lanes(row_order_slots(12)).reason == "12 invocations are no power of two");
    CHECK(lane_table_hash(places) != lane_table_hash(row_order_slots(16)));
}

TEST_CASE("names that are no matrix are refused") {
    const auto refused = [](std::vector<std::string> names, const char* why) {
        CHECK_THROWS_WITH_AS(lanes_from_names(names), doctest::Contains(why), Error);
    };
    refused({"i0", "x1"}, "\"x1\" is not an XOR of i0 .. i1");
    refused({"i0", "i2"}, "i2");
    refused({"i0", "i0^"}, "\"i0^\" is not an XOR");
    refused({"i1", "i1"}, "one lane slot");
    refused({"i0", ""}, "\"\" is not an XOR");
    refused({"i0", "i-1"}, "i-1");
    refused(std::vector<std::string>(70, "i0"), "more than any workgroup");
}

TEST_CASE("from what the shaders wrote come the subgroup size, the slots, and what makes no order") {
    const std::vector<uint32_t> places = row_order_slots(64);
    LaneOrder order;
    fill_slots(words_of(places, 32), order);
    CHECK(order.subgroup_size == 32);
    CHECK(order.slots == places);
    CHECK(order.disorder == "");
    CHECK(disagreement(order, peers_of(places, 32)) == "");
    CHECK(disagreement(order, peers_of(places, 16)).starts_with("invocation 0 is in lane 0 by its built-in"));

    std::vector<LaneWords> twice = words_of(places, 32);
    twice[40] = twice[41];
    LaneOrder bad;
    fill_slots(twice, bad);
    CHECK(bad.disorder == "invocation 41 is in subgroup 1, lane 9, as another is");
    CHECK(bad.slots.empty());

    std::vector<LaneWords> wild = words_of(places, 32);
    wild[3].lane = 4096;
    LaneOrder worse;
    fill_slots(wild, worse);
    CHECK(worse.disorder == "there is a lane 4096 in a workgroup of 64");
}

TEST_CASE("a driver that dies over one workgroup shape costs that measurement alone") {
    Workers workers;
    workers.pool->role = "faulty lanes";
    const DeviceInfo device;
    const LaneOrder before = measure_lane_order(workers, device, {8, 8, 1, 1}, LaneBuiltin::index);
    const LaneOrder died = measure_lane_order(workers, device, {16, 16, 1, 1}, LaneBuiltin::index);
    const LaneOrder after = measure_lane_order(workers, device, {32, 8, 1, 1}, LaneBuiltin::index);
    CHECK(before.checked);
    CHECK(died.why_not == "SIGABRT");
    CHECK(died.slots.empty());
    CHECK(after.checked);
    CHECK(after.slots == row_order_slots(256));
}

TEST_CASE("on lavapipe every shape runs in the order of its index, by built-ins and by ballots alike") {
    Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    for (const Coord& shape : lane_shapes())
        for (const LaneBuiltin builtin : all_lane_builtins) {
            CAPTURE(shape[axis_x]);
            CAPTURE(shape[axis_y]);
            CHECK(is_within_limits(*device, shape));
            const LaneOrder order = measure_lane_order(workers, *device, shape, builtin);
            CHECK(order.why_not == "");
            CHECK(order.disorder == "");
            CHECK(order.checked);
            CHECK(order.subgroup_size == device->subgroup_size);
            CHECK(order.slots == row_order_slots(static_cast<uint32_t>(element_count(shape))));
            const db::LaneOrderFact fact = lane_order_fact(order);
            CHECK(fact.note == "");
            REQUIRE(fact.matrix);
            CHECK(is_identity(*fact.matrix));
        }
}

TEST_CASE("plain visits of a grid are recognised, and mixed ones measured") {
    const Coord grid = {8, 4, 1, 1};
    std::vector<uint32_t> rank = row_order_slots(32);
    Visit visit = describe_visit(grid, rank);
    CHECK(visit.nearest == "row");
    CHECK(visit.exact);
    CHECK(visit.correlation == 1);
    CHECK(visit.displacement == 0);
    CHECK(visit.adjacent == doctest::Approx(28.0 / 31));

    for (uint32_t i = 0; i < 32; ++i) rank[i] = i % 8 * 4 + i / 8;
    CHECK(describe_visit(grid, rank).nearest == "column");
    CHECK(describe_visit(grid, rank).exact);
    // The first 16 of a Morton walk fill the left half, as two columns of 2x2 blocks.
    const std::vector<uint32_t> morton = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
    for (uint32_t i = 0; i < 16; ++i) {
        const uint32_t x = i % 4, y = i / 4;
        rank[y * 8 + x] = morton[i];
        rank[y * 8 + x + 4] = morton[i] + 16;
    }
    CHECK(describe_visit(grid, rank).nearest == "morton");
    CHECK(describe_visit(grid, rank).exact);

    rank = row_order_slots(32);
    std::swap(rank[0], rank[31]);
    visit = describe_visit(grid, rank);
    CHECK(visit.nearest == "row");
    CHECK_FALSE(visit.exact);
    CHECK(visit.correlation == doctest::Approx(1 - 6.0 * 2 * 31 * 31 / (32.0 * 1023)));

    // In a grid of one row all orders are the same: it is called by the plainest.
    CHECK(describe_visit({32, 1, 1, 1}, row_order_slots(32)).nearest == "row");
}

TEST_CASE("lavapipe's workgroups each draw one ticket, and the order becomes a fact") {
    Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    const LaunchOrder order = measure_launch_order(workers, *device);
    CHECK(order.why_not == "");
    REQUIRE(order.runs.size() == 3);
    for (const auto& run : order.runs) {
        std::set<uint32_t> tickets;
        for (const LaunchedGroup& group : run) tickets.insert(group.ticket);
        CHECK(tickets.size() == element_count(order.grid));
        CHECK(*tickets.rbegin() == tickets.size() - 1);
    }
    const db::LaunchOrderFact fact = launch_order_fact(order);
    CHECK(fact.visit != "not visible");
    CHECK(fact.statistics.at("runs") == 3);
    CHECK(fact.statistics.contains("clock") == order.has_clock);
}

TEST_CASE("a launch order that alternates between multiprocessors is counted so") {
    LaunchOrder order;
    order.grid = {8, 4, 1, 1};
    order.has_clock = order.has_sm = true;
    auto& run = order.runs.emplace_back();
    for (uint32_t i = 0; i < 32; ++i) run.push_back({i, i % 4, 100 + i / 16 * 1000, 600 + i / 16 * 1000});
    const db::LaunchOrderFact fact = launch_order_fact(order);
    CHECK(fact.visit == "row");
    CHECK(fact.statistics.at("exact") == true);
    CHECK(fact.statistics.at("clock") ==
          nlohmann::json({{"first_wave", 16}, {"first_wave_adjacent", 16}, {"agrees_with_tickets", 1.0}}));
    CHECK(fact.statistics.at("sm") == nlohmann::json({{"multiprocessors", 4},
                                                      {"same_as_left", 0.0},
                                                      {"same_as_above", 1.0},
                                                      {"next_on_same_after", 4},
                                                      {"next_on_same_share", 1.0}}));
}

TEST_CASE("the validation layer has nothing to say about the lane and launch order shaders") {
    const Folder folder;
    const std::string report = folder / "report.txt";
    if (!std::filesystem::exists("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")) {
        MESSAGE("SKIPPED: the validation layer is not installed (Debian: vulkan-validationlayers)");
        return;
    }
    Command command = tilewise_on("system", {"--db", folder / "t.db", "--json", "devices", "--measure"});
    command.insert(command.begin() + 1, "--validate=" + report);
    const Ended ended = run(command);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    CHECK(read_text(report) == "");
    const auto device = parse(ended).at("devices").at(0);
    CHECK(device.at("lane_orders").size() == 2 * lane_shapes().size());
    CHECK(device.at("start_order").at("visit") != "not visible");
}
