// The same again: a device probed many times gives the same facts, and a worker that reads many images keeps its size.
#include "tests/support/lavapipe.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace tilewise;

namespace {

/// All that an export says but the times at which it was found out.
nlohmann::json without_times(nlohmann::json json) {
    if (json.is_object()) {
        json.erase("time");
        json.erase("identity");
    }
    if (json.is_structured())
        for (nlohmann::json& part : json) part = without_times(part);
    return json;
}

nlohmann::json probed_anew(const std::string& driver) {
    Folder folder;
    const std::string file = folder / "probed.db";
    const Ended probed = run(tilewise_on(driver, {"--db", file, "probe", "--formats", "common", "--extents",
                                                  "64x64,300x200", "--levels", "3", "--no-lanes"}));
    CAPTURE(probed.err);
    REQUIRE(probed.code == 0);
    nlohmann::json bundle = without_times(parse(run(tilewise::tilewise({"--db", file, "db", "export", "-"}))));
    // Jobs end in any order.
    std::vector<std::string> observations;
    for (const auto& observation : bundle["observations"]) observations.push_back(observation.dump());
    std::ranges::sort(observations);
    return {{"patterns", bundle["patterns"]}, {"devices", bundle["devices"]}, {"observations", observations}};
}

/// Resident memory of a process in KiB; 0 where it is gone.
uint64_t resident_kib(pid_t process) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6));
    return 0;
}

std::vector<pid_t> children_of_this() {
    std::ifstream list(fmt::format("/proc/self/task/{}/children", getpid()));
    std::vector<pid_t> children;
    for (pid_t child; list >> child;) children.push_back(child);
    return children;
}

}  // namespace

TEST_CASE("a device that is probed again gives the same ids and facts") {
    const int times = soaking() ? 20 : 2;
    size_t number = 0;
    for (const std::string driver : {"system", "radv:navi21"}) {
        if (!is_drawn(number++, 2)) continue;
        CAPTURE(driver);
        const nlohmann::json first = probed_anew(driver);
        CHECK(first["observations"].size() > 10);
        int different = 0;
        for (int i = 1; i < times; i++) different += probed_anew(driver) != first;
        CHECK(different == 0);
        if (soaking())
            fmt::print(
                "figures: {} probed {} times: {} observations of {} patterns in each database, the catalog's among "
                "them; "
                "{} runs that differ\n",
                driver, times, first["observations"].size(), first["patterns"].size(), different);
    }
}

TEST_CASE("a worker that reads many images does not grow") {
    const size_t images = soaking() ? 1000 : 60;
    probe::Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    // Once through is the warm-up: pipelines, arenas, the largest image.
    probe::Request request;
    request.formats = {"R8_UNORM", "R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT"};
    request.extents = {{300, 200, 1}};
    const std::vector<probe::Case> once = plan(workers, *device, request);
    std::vector<probe::Case> cases;
    while (cases.size() < images) cases.insert(cases.end(), once.begin(), once.end());
    std::vector<uint64_t> worker, own;
    size_t read = 0;
    run(workers, cases, 1, [&](probe::Reading&& reading) {
        read += reading.outcome == probe::Outcome::read;
        uint64_t total = 0;
        for (const pid_t child : children_of_this()) total += resident_kib(child);
        worker.push_back(total);
        own.push_back(resident_kib(getpid()));
    });
    CHECK(read == cases.size());
    for (const auto* sizes : {&worker, &own}) {
        const char* whose = sizes == &own ? "program" : "worker";
        CAPTURE(whose);
        const auto half = sizes->begin() + static_cast<std::ptrdiff_t>(sizes->size() / 2);
        const uint64_t early = *std::max_element(sizes->begin(), half), late = *std::max_element(half, sizes->end());
        CHECK(early > 0);
        // 16 KiB an image would be seen.
        CHECK(late <= early + 16 * images / 2);
        if (soaking())
            fmt::print(
                "figures: {} images read: resident memory of the {} at most {} KiB in the first half, {} in the "
                "second\n",
                cases.size(), whose, early, late);
    }
}
