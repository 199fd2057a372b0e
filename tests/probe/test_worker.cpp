// The faults of drivers, provoked: workers that run something else than Vulkan.
#include "patterns/model/error.h"
#include "probe/worker/parent.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilewise;
using namespace tilewise::probe;
using namespace std::chrono_literals;

namespace {

/// Answers cases whose level is 0; the other levels make it misbehave.
enum Fault : uint32_t { none, abort_it, segfault, leave, hang, lose_device, chatter_and_abort };

void serve_faults(int channel) {
    for (Message question; receive_message(channel, question) && !question.header.is_null();) {
        const Case probed = question.header.at("case");
        switch (probed.level) {
            case abort_it:
                std::abort();
            case segfault:
                std::raise(SIGSEGV);
                break;
            case leave:
                _exit(3);
            case hang:
                std::this_thread::sleep_for(1h);
                break;
            case chatter_and_abort:
                for (int i = 0; i < 100000; ++i) std::fprintf(stderr, "driver: line %d\n", i);
                std::fprintf(stderr, "driver: assertion failed\n");
                std::abort();
            case lose_device:
                send_message(channel, {{{"lost", "vkQueueSubmit: VK_ERROR_DEVICE_LOST"}}, {}});
                continue;
            default:
                break;
        }
        Reading reading;
        reading.outcome = Outcome::read;
        reading.table.extent = {4, 1, 1, 1};
        reading.table.offsets = {0, 4, 8, 12};
        reading.memory_type = static_cast<int>(getpid());  // so that the test sees which process answered
        if (!send_message(channel, to_message(std::move(reading)))) return;
    }
}

std::vector<Case> cases_with(std::initializer_list<uint32_t> faults) {
    std::vector<Case> cases;
    for (const uint32_t fault : faults) {
        cases.emplace_back();
        cases.back().level = fault;
        cases.back().layer = static_cast<uint32_t>(cases.size());
    }
    return cases;
}

std::vector<Reading> run_all(const std::vector<Case>& cases, unsigned jobs = 1, std::chrono::milliseconds limit = 10s) {
    Workers workers(limit);
    workers.pool->serve = serve_faults;
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
    const auto readings = run_all(cases_with({abort_it, segfault, leave}));
    CHECK(readings[0].reason == "SIGABRT");
    CHECK(readings[1].reason == "SIGSEGV");
    CHECK(readings[2].outcome == Outcome::crashed);
    CHECK(readings[2].reason == "its process left with status 3");
}

TEST_CASE("however much a driver prints, its last line explains the crash") {
    const auto readings = run_all(cases_with({chatter_and_abort, none}));
    CHECK(readings[0].reason == "SIGABRT: driver: assertion failed");
    CHECK(readings[1].outcome == Outcome::read);
}

TEST_CASE("a case that hangs is timed out, and the run goes on") {
    const auto readings = run_all(cases_with({none, hang, none}), 1, 200ms);
    CHECK(readings[1].outcome == Outcome::timed_out);
    CHECK(readings[1].reason == "no answer within 0.2 s");
    CHECK(readings[2].outcome == Outcome::read);
}

TEST_CASE("after a lost device the worker is replaced") {
    const auto readings = run_all(cases_with({none, lose_device, none}));
    CHECK(readings[1].outcome == Outcome::crashed);
    CHECK(readings[1].reason == "vkQueueSubmit: VK_ERROR_DEVICE_LOST");
    CHECK(readings[2].outcome == Outcome::read);
    CHECK(readings[2].memory_type != readings[0].memory_type);
}

TEST_CASE("several workers share the cases, and every case is answered once") {
    std::vector<Case> cases(200);
    for (size_t i = 0; i < cases.size(); ++i) {
        cases[i].level = i % 17 == 5 ? abort_it : none;
        cases[i].layer = static_cast<uint32_t>(i + 1);
    }
    const auto readings = run_all(cases, 4);
    for (size_t i = 0; i < cases.size(); ++i) {
        CHECK(readings[i].probed == cases[i]);
        CHECK(readings[i].outcome == (cases[i].level == none ? Outcome::read : Outcome::crashed));
    }
}

TEST_CASE("a run that is stopped delivers what was finished and ends at once") {
    Workers workers(1h);
    workers.pool->serve = serve_faults;
    std::atomic<bool> stop = false;
    const auto begin = Clock::now();
    size_t delivered = 0;
    std::thread ctrl_c([&] {
        std::this_thread::sleep_for(300ms);
        stop = true;
    });
    run(
        workers, cases_with({none, none, hang, none}), 1, [&](Reading&&) { ++delivered; }, &stop);
    ctrl_c.join();
    CHECK(delivered == 2);
    CHECK(Clock::now() - begin < 5s);
}

TEST_CASE("an exception from the callback ends the run, and no worker is left behind") {
    {
        Workers workers;
        workers.pool->serve = serve_faults;
        CHECK_THROWS_AS(run(workers, cases_with({none, hang}), 2, [](Reading&&) { throw Error("disk full"); }), Error);
    }
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("workers die with the program that started them") {
    int told[2];
    REQUIRE(pipe(told) == 0);
    const pid_t program = fork();
    if (program == 0) {
        Worker worker = start_worker([](int) { std::this_thread::sleep_for(1h); });
        const ssize_t written = write(told[1], &worker.pid, sizeof worker.pid);
        _exit(written == sizeof worker.pid ? 0 : 1);
    }
    pid_t worker = 0;
    REQUIRE(read(told[0], &worker, sizeof worker) == sizeof worker);
    close(told[0]);
    close(told[1]);
    waitpid(program, nullptr, 0);
    // Its parent is init now, which may or may not reap it: dead is gone or a zombie.
    const auto dead = [&] {
        FILE* file = std::fopen(("/proc/" + std::to_string(worker) + "/stat").c_str(), "r");
        if (!file) return true;
        char state = '?';
        const bool parsed = std::fscanf(file, "%*d %*[^)]) %c", &state) == 1;
        std::fclose(file);
        return parsed && state == 'Z';
    };
    for (const auto until = Clock::now() + 5s; !dead() && Clock::now() < until;) std::this_thread::sleep_for(10ms);
    CHECK(dead());
}

TEST_CASE("devices that cannot be listed are an error that says why") {
    Workers workers;
    workers.pool->serve = [](int) { std::abort(); };
    CHECK_THROWS_WITH_AS(list_devices(workers), doctest::Contains("SIGABRT"), Error);
}

TEST_CASE("a device, a case and a reading survive the way between processes") {
    Case probed;
    probed.device = 3;
    probed.image = {37, true, {5, 6, 7}, 2, 1, 1, 15};
    probed.level = 1;
    probed.route = Route::host_copy;
    probed.memory_type = 4;
    CHECK(nlohmann::json(probed).get<Case>() == probed);

    Reading reading;
    reading.outcome = Outcome::opaque;
    reading.reason = "driver says \xff\xfe";
    reading.found = 1, reading.missing = 2, reading.doubled = 3, reading.foreign = 4, reading.sentinel = 5;
    reading.table.element = {16, 4, 4};
    reading.table.extent = {2, 3, 1, 1};
    reading.table.offsets = {1, 2, Table::missing_offset};
    reading.table.faults = {"a", "b"};
    reading.raw_copy = "linear";
    const Reading back = reading_from(to_message(Reading(reading)));
    CHECK(back.outcome == reading.outcome);
    CHECK(back.table.offsets == reading.table.offsets);
    CHECK(back.table.faults == reading.table.faults);
    CHECK(back.table.extent == reading.table.extent);
    CHECK(back.foreign == 4);
    CHECK(back.raw_copy == "linear");
}
