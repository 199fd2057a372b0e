// The faults of drivers, provoked: workers that run something else than Vulkan.
#include "patterns/model/error.h"
#include "probe/worker/parent.h"
#include "tests/support/program.h"
#include "tests/support/roles.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <numeric>
#include <random>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <vulkan/vulkan_core.h>

using namespace tilewise;
using namespace tilewise::probe;
using namespace tilewise::probe::worker;
using namespace std::chrono_literals;

namespace {

/// Instead of a device: cases with 0 are read, the others make the driver misbehave.
enum Fault : uint32_t {
    none,
    abort_it,
    segfault,
    real_time_signal,
    leave,
    hang,
    lose_device,
    print_and_abort,
    fork_and_abort,
    hang_while_replying,
    write_noise,
    announce_too_much,
    reply_to_something_else,
    send_too_few_offsets,
    close_the_channel
};

Reading good_reading() {
    Reading reading;
    reading.outcome = Outcome::read;
    reading.table.offsets = {0, 4, 8, 12};
    reading.memory_type = static_cast<int>(getpid());  // so that the test sees which process replied
    return reading;
}

/// As a reply's prefix lies on the channel.
struct RawPrefix {
    uint32_t magic = 0x776b7254;
    uint32_t operation = static_cast<uint32_t>(Operation::read_case), failed = 0, header_bytes = 2;
    uint64_t records = 4, address = 0;
};

void misbehave(Stream& channel, uint32_t fault) {
    RawPrefix prefix;
    const auto send_prefix = [&] { channel.send(&prefix, sizeof prefix); };
    Reading reading = good_reading();
    switch (fault) {
        case abort_it:
            std::abort();
        case segfault:
            std::raise(SIGSEGV);
            break;
        case real_time_signal:
            std::raise(SIGRTMIN + 3);
            break;
        case leave:
            _exit(3);
        case hang:
            std::this_thread::sleep_for(1h);
            break;
        case lose_device:
            send_reply(channel, Operation::read_case,
                       Failure{Failure::Kind::crashed, "vkQueueSubmit: VK_ERROR_DEVICE_LOST"});
            return;
        case print_and_abort:
            for (int i = 0; i < 100000; ++i) std::fprintf(stderr, "driver: line %d\n", i);
            std::fprintf(stderr, "driver: assertion failed\n");
            std::abort();
        case fork_and_abort:
            if (const pid_t child = fork(); child > 0)
                std::fprintf(stderr, "%d\n", child);
            else
                std::this_thread::sleep_for(1h);
            std::abort();
        case hang_while_replying:
            prefix.header_bytes = 1000;
            send_prefix();
            std::this_thread::sleep_for(1h);
            break;
        case write_noise: {
            constexpr std::string_view noise = "MESA: warning: this driver is not conformant\n";
            channel.send(noise.data(), noise.size());
            return;
        }
        case announce_too_much:
            prefix.records = ~uint64_t{0};
            send_prefix();
            return;
        case reply_to_something_else:
            send_reply(channel, Operation::find_memory, ImageMemory{});
            return;
        case send_too_few_offsets:
            reading.table.offsets.pop_back();
            break;
        case close_the_channel:
            channel.close();
            std::this_thread::sleep_for(1h);
            break;
        default:
            break;
    }
    send_reply(channel, Operation::read_case, reading);
}

int serve_faults(Playing& playing) {
    for (worker::Request request; receive_request(playing.channel, request);)
        misbehave(playing.channel, std::get<ReadCase>(request).probed.device);
    return 0;
}
const AddedRole faulty({"faults", serve_faults});
const AddedRole sleeper({"sleeper", [](Playing&) {
                             std::this_thread::sleep_for(1h);
                             return 0;
                         }});
const AddedRole quitter({"quitter", [](Playing&) { return 0; }});
const AddedRole aborter({"aborter", [](Playing&) -> int { std::abort(); }});
const AddedRole speaker({"speaker", [](Playing& playing) {
                             playing.channel.send("noise", 5);
                             std::this_thread::sleep_for(1h);
                             return 0;
                         }});

/// How a worker ended that ends by itself.
std::string ending_of(Worker& worker) {
    CHECK(worker.process.wait(10s));
    return worker.process.kill().cause;
}
constexpr const char* left_well = "its process left with status 0";

/// The state of a process as Linux tells it: gone, or a zombie that nobody has waited for, counts as dead.
bool is_dead(pid_t process) {
    FILE* file = std::fopen(("/proc/" + std::to_string(process) + "/stat").c_str(), "r");
    if (!file) return true;
    char state = '?';
    const bool parsed = std::fscanf(file, "%*d %*[^)]) %c", &state) == 1;
    std::fclose(file);
    return parsed && state == 'Z';
}

bool dies_soon(pid_t process) {
    for (const auto until = Clock::now() + 5s; !is_dead(process) && Clock::now() < until;)
        std::this_thread::sleep_for(10ms);
    return is_dead(process);
}

/// Both ends of a channel.
struct Channel {
    Stream program, worker;
    Channel() { std::tie(program, worker) = make_channel(); }
};

std::vector<Case> cases_with(std::initializer_list<uint32_t> faults) {
    std::vector<Case> cases;
    for (const uint32_t fault : faults) {
        cases.emplace_back();
        cases.back().device = fault;
        cases.back().image.format = VK_FORMAT_R8_UNORM;
        cases.back().image.extent_px = {4, 1, 1};
        cases.back().layer = static_cast<uint32_t>(cases.size());
    }
    return cases;
}

std::vector<Reading> run_all(const std::vector<Case>& cases, unsigned jobs = 1,
                             std::chrono::milliseconds timeout = 10s) {
    Workers workers(timeout);
    workers.pool->role = "faults";
    std::vector<Reading> readings(cases.size());
    run(workers, cases, jobs, [&](Reading&& reading) { readings[reading.probed.layer - 1] = std::move(reading); });
    return readings;
}

}  // namespace

TEST_CASE("a worker is reused while it lives, and replaced when it dies") {
    const auto readings = run_all(cases_with({none, none, abort_it, none, none}));
    CHECK(readings[0].outcome == Outcome::read);
    CHECK(readings[0].table.offsets == std::vector<uint64_t>{0, 4, 8, 12});
    CHECK(readings[0].memory_type == readings[1].memory_type);
    CHECK(readings[2].outcome == Outcome::crashed);
    CHECK(readings[3].outcome == Outcome::read);
    CHECK(readings[3].memory_type != readings[1].memory_type);
    CHECK(readings[4].memory_type == readings[3].memory_type);
}

TEST_CASE("a crash is told with its signal, or the status that the process left with") {
    const auto readings = run_all(cases_with({abort_it, segfault, leave, real_time_signal, none}));
    CHECK(readings[0].reason == "SIGABRT");
    CHECK(readings[1].reason == "SIGSEGV");
    CHECK(readings[2].outcome == Outcome::crashed);
    CHECK(readings[2].reason == "its process left with status 3");
    CHECK(readings[3].outcome == Outcome::crashed);
    CHECK(readings[3].reason == "SIGRTMIN+3");
    CHECK(readings[4].outcome == Outcome::read);
}

TEST_CASE("however much a driver prints, its last line explains the crash") {
    const auto readings = run_all(cases_with({print_and_abort, none}));
    CHECK(readings[0].reason == "SIGABRT: driver: assertion failed");
    CHECK(readings[1].outcome == Outcome::read);
}

TEST_CASE("a driver that forks and aborts has crashed, and its child goes with it") {
    const auto readings = run_all(cases_with({fork_and_abort, none}), 1, 60s);
    CHECK(readings[0].outcome == Outcome::crashed);
    int child = 0;
    REQUIRE(std::sscanf(readings[0].reason.c_str(), "SIGABRT: %d", &child) == 1);
    CHECK(readings[1].outcome == Outcome::read);
    CHECK(dies_soon(child));
}

TEST_CASE("a reply that does not fit what was asked is a crash of that case alone") {
    const auto readings = run_all(cases_with({none, write_noise, none, announce_too_much, none, reply_to_something_else,
                                              none, send_too_few_offsets, none, close_the_channel, none}));
    for (size_t i = 0; i < readings.size(); i += 2) CHECK(readings[i].outcome == Outcome::read);
    for (size_t i = 1; i < readings.size(); i += 2) {
        CHECK(readings[i].outcome == Outcome::crashed);
        CHECK(readings[i].table.offsets.empty());
    }
    CHECK(readings[1].reason == "malformed reply: something else was written to the channel");
    CHECK(readings[3].reason == "malformed reply: 18446744073709551615 records where at most 4 were asked for");
    CHECK(readings[5].reason == "malformed reply: something else was written to the channel");
    CHECK(readings[7].reason == "malformed reply: 3 offsets for 4 elements, read");
    CHECK(readings[9].reason == "its process closed the channel to the program and went on");
}

TEST_CASE("any bytes at all in the place of a reply are refused or are a reply, and nothing worse") {
    std::mt19937 random(5);
    const ReadCase request = {cases_with({none}).front()};
    for (int round = 0; round < 3000; ++round) {
        Channel channel;
        send_reply(channel.worker, Operation::read_case, good_reading());
        std::string bytes(4096, '\0');
        const size_t size = channel.program.receive(bytes.data(), bytes.size()).value();
        for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
            bytes[random() % size] = static_cast<char>(random() % 256);
        REQUIRE(channel.worker.send(bytes.data(), size));
        channel.worker.close();
        Reply reply;
        std::string why;
        const ReplyState received = receive_reply(channel.program, nullptr, Clock::now() + 10s, request, reply, why);
        CHECK(received != ReplyState::late);
        CHECK((received == ReplyState::malformed) == !why.empty());
        if (received != ReplyState::whole) continue;
        if (const auto* reading = std::get_if<Reading>(&reply))
            CHECK(reading->table.offsets.size() == (reading->outcome <= Outcome::opaque ? 4 : 0));
    }
}

namespace {

/// Fails where one of the files is open that its arguments name.
const AddedRole file_looker({"file looker", [](Playing& playing) {
                                 return std::ranges::any_of(playing.arguments,
                                                            [](const std::string& file) {
                                                                return fcntl(std::stoi(file), F_GETFD) >= 0;
                                                            })
                                            ? 1
                                            : 0;
                             }});
const AddedRole powerless({"powerless", [](Playing&) {
                               rlimit core = {1, 1};
                               getrlimit(RLIMIT_CORE, &core);
                               const bool has_score = read_text("/proc/self/oom_score_adj") == "1000\n";
                               const bool gains_none = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
                               return core.rlim_max == 0 && has_score && gains_none ? 0 : 1;
                           }});

}  // namespace

TEST_CASE("a worker has none of the program's files, and no memory that looks like one") {
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const Folder folder;
    const int file = open((folder / "database").c_str(), O_RDWR | O_CREAT, 0600);
    const int memory = memfd_create("shim mem", 0);
    REQUIRE(file >= 0);
    REQUIRE(memory >= 0);
    std::vector<std::string> numbers;
    for (const int each : {pipe_ends[0], pipe_ends[1], file, memory})
        if (each > 3) numbers.push_back(std::to_string(each));
    REQUIRE(numbers.size() >= 2);
    Worker worker = start_worker("file looker", numbers);
    CHECK(ending_of(worker) == left_well);
    for (const int each : {pipe_ends[0], pipe_ends[1], file, memory}) close(each);
}

TEST_CASE("a worker gains no privileges, leaves no core and goes first where memory runs out") {
    Worker worker = start_worker("powerless");
    CHECK(ending_of(worker) == left_well);
}

TEST_CASE("a role that the program does not know is no process that goes on") {
    Worker worker = start_worker("conductor");
    CHECK(ending_of(worker) == "its process left with status 1");
}

TEST_CASE("a worker that died or spoke without being asked gets no request") {
    Workers workers;
    workers.pool->role = "faults";
    for (const char* role : {"quitter", "speaker"}) {
        Worker idle = start_worker(role);
        const Stream* const channel = &idle.process.channel;
        REQUIRE(wait_for_streams({&channel, 1}, 10s));
        REQUIRE(channel->is_ready());
        workers.pool->idle.push_back(std::move(idle));
    }
    run(workers, cases_with({none, none}), 2, [](Reading&& reading) { CHECK(reading.outcome == Outcome::read); });
}

TEST_CASE("a case that hangs is timed out, even in the middle of its reply, and the run goes on") {
    const auto readings = run_all(cases_with({none, hang, hang_while_replying, none}), 1, 1s);
    for (const size_t hung : {1u, 2u}) {
        CHECK(readings[hung].outcome == Outcome::timed_out);
        CHECK(readings[hung].reason == "no reply within 1 s");
    }
    CHECK(readings[3].outcome == Outcome::read);
}

TEST_CASE("after a lost device the worker is replaced") {
    const auto readings = run_all(cases_with({none, lose_device, none}));
    CHECK(readings[1].outcome == Outcome::crashed);
    CHECK(readings[1].reason == "vkQueueSubmit: VK_ERROR_DEVICE_LOST");
    CHECK(readings[2].outcome == Outcome::read);
    CHECK(readings[2].memory_type != readings[0].memory_type);
}

TEST_CASE("several workers share the cases, and every case is answered once") {
    std::vector<Case> cases(200, cases_with({none}).front());
    for (size_t i = 0; i < cases.size(); ++i) {
        cases[i].device = i % 17 == 5 ? abort_it : none;
        cases[i].layer = static_cast<uint32_t>(i + 1);
    }
    const auto readings = run_all(cases, 4);
    for (size_t i = 0; i < cases.size(); ++i) {
        CHECK(readings[i].probed == cases[i]);
        CHECK(readings[i].outcome == (cases[i].device == none ? Outcome::read : Outcome::crashed));
    }
}

TEST_CASE("a run that is stopped delivers what was finished and ends at once") {
    Workers workers(1h);
    workers.pool->role = "faults";
    std::atomic<bool> stop = false;
    size_t delivered = 0;
    std::thread ctrl_c([&] {
        std::this_thread::sleep_for(300ms);
        stop = true;
    });
    run(
        workers, cases_with({none, none, hang, none}), 1, [&](Reading&&) { ++delivered; }, &stop);
    ctrl_c.join();
    // The hanging case alone has an hour: coming here says that it was not waited for.
    CHECK(delivered == 2);
}

TEST_CASE("an exception from the callback ends the run, and no worker is left behind") {
    {
        Workers workers;
        workers.pool->role = "faults";
        CHECK_THROWS_AS(run(workers, cases_with({none, hang}), 2, [](Reading&&) { throw Error("disk full"); }), Error);
    }
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("workers die with the program that started them") {
    int told[2];
    REQUIRE(pipe(told) == 0);
    const pid_t program = fork();
    if (program == 0) {
        const Worker worker = start_worker("sleeper");
        const auto id = static_cast<pid_t>(worker.process.id());
        _exit(write(told[1], &id, sizeof id) == sizeof id ? 0 : 1);
    }
    pid_t worker = 0;
    REQUIRE(read(told[0], &worker, sizeof worker) == sizeof worker);
    close(told[0]);
    close(told[1]);
    waitpid(program, nullptr, 0);
    CHECK(dies_soon(worker));  // its parent is init now, which may or may not wait for it
}

TEST_CASE("devices that cannot be listed are an error that says why") {
    Workers workers;
    workers.pool->role = "aborter";
    CHECK_THROWS_WITH_AS(list_devices(workers), doctest::Contains("SIGABRT"), Error);
}

TEST_CASE("a case and a reading survive the way between processes") {
    Channel channel;
    Case probed;
    probed.device = 3;
    probed.image = {{ImageType::two_d, {6, 2, 1}, 2, 1, 1},
                    VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
                    15,
                    VK_IMAGE_CREATE_DISJOINT_BIT,
                    VK_IMAGE_COMPRESSION_DISABLED_EXT};
    probed.aspect = VK_IMAGE_ASPECT_PLANE_1_BIT;
    probed.route = Route::host_copy;
    probed.memory_type = 4;
    REQUIRE(send_request(channel.program, ReadCase{probed}));
    worker::Request request;
    REQUIRE(receive_request(channel.worker, request));
    CHECK(std::get<ReadCase>(request).probed == probed);

    Reading reading;
    reading.outcome = Outcome::opaque;
    reading.reason = "driver says \xff\xfe";
    reading.found = 1, reading.missing = 2, reading.doubled = 3, reading.foreign = 4, reading.sentinel = 5;
    reading.table.offsets = {1, 2, Table::missing_offset};
    reading.table.faults = {"a", "b"};
    reading.image_bytes = 4096, reading.alignment = 512;
    reading.raw_copy = "linear";
    REQUIRE(send_reply(channel.worker, Operation::read_case, reading));
    Reply reply;
    std::string why;
    REQUIRE(receive_reply(channel.program, nullptr, Clock::now() + 10s, request, reply, why) == ReplyState::whole);
    const Reading& back = std::get<Reading>(reply);
    CHECK(back.outcome == reading.outcome);
    CHECK(back.table.offsets == reading.table.offsets);
    CHECK(back.table.faults == reading.table.faults);
    CHECK(back.foreign == 4);
    CHECK(back.image_bytes == 4096);
    CHECK(back.alignment == 512);
    CHECK(back.raw_copy == "linear");
}

namespace {

Reading large_reading() {
    Reading reading = good_reading();
    reading.memory_type = 1;
    reading.table.offsets.resize(1024 * 512);
    std::iota(reading.table.offsets.begin(), reading.table.offsets.end(), 7);
    return reading;
}
const AddedRole large({"large", [](Playing& playing) {
                           for (worker::Request request; receive_request(playing.channel, request);)
                               send_reply(playing.channel, Operation::read_case, large_reading());
                           return 0;
                       }});

}  // namespace

TEST_CASE("a large table is read from the sender's memory, or comes through the channel where that is not allowed") {
    ReadCase request = {cases_with({none}).front()};
    request.probed.image.extent_px = {1024, 512, 1};
    const auto is_received = [&](Stream& channel, const Process* process) {
        Reply reply;
        std::string why;
        CHECK(receive_reply(channel, process, Clock::now() + 10s, request, reply, why) == ReplyState::whole);
        return std::get<Reading>(reply).table.offsets == large_reading().table.offsets;
    };
    Worker worker = start_worker("large");
    // Twice: what is left in the channel would be taken for a part of the second reply.
    for (const bool reads_memory : {true, true, false, false}) {
        REQUIRE(send_request(worker.process.channel, request));
        CHECK(is_received(worker.process.channel, reads_memory ? &worker.process : nullptr));
    }
}

TEST_CASE("devices that the rest could not rely on are a malformed list") {
    const auto why_refused = [](const DeviceInfo& device) {
        Channel channel;
        send_reply(channel.worker, Operation::list_devices, DeviceList{{device}});
        Reply reply;
        std::string why;
        const ReplyState received =
            receive_reply(channel.program, nullptr, Clock::now() + 10s, ListDevices(), reply, why);
        CHECK((received == ReplyState::whole) == why.empty());
        return why;
    };
    DeviceInfo good;
    good.name = "GPU";
    good.max_dimension_2d = 4096;
    good.max_dimension_3d = 256;
    for (const Route route : all_routes) good.routes.push_back({route, true, ""});
    CHECK(why_refused(good) == "");
    DeviceInfo bad = good;
    bad.index = 7;
    CHECK(why_refused(bad) == "device 7 in place 0");
    bad = good;
    bad.name.clear();
    CHECK(why_refused(bad) == "device 0 has no name, or limits below those that Vulkan requires");
    bad = good;
    bad.max_dimension_2d = 0;
    CHECK(why_refused(bad) == "device 0 has no name, or limits below those that Vulkan requires");
    for (RouteSupport& route : bad.routes) route.offered = false;
    CHECK(why_refused(bad) == "");
    bad = good;
    bad.routes.pop_back();
    CHECK(why_refused(bad) == "device 0 has other routes than there are");
    bad = good;
    bad.memory_types.push_back({0, 40, 0});
    CHECK(why_refused(bad) == "device 0 has more memory types or heaps than Vulkan allows");
    bad = good;
    bad.formats.push_back({4242, 1, {}});
    CHECK(why_refused(bad) == "device 0 has a format 4242");
}
