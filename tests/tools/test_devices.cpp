// Several devices of one host at once: Debian's lavapipe twice, and SwiftShader where tools/drivers has brought it.
#include "db/sqlite/open.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/roles.h"
#include "tools/runs/probe/keeper.h"
#include "tools/runs/probe/lane_order.h"
#include "tools/runs/validate/each_device.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <regex>
#include <set>
#include <thread>

using namespace tilewise;
using namespace std::chrono_literals;

namespace {

/// VK_DRIVER_FILES with all of them; "" where there is no lavapipe.
std::string several_drivers(const Folder& folder) {
    const std::filesystem::path installed = "/usr/share/vulkan/icd.d";
    std::string lavapipe;
    if (std::filesystem::exists(installed))
        for (const auto& entry : std::filesystem::directory_iterator(installed))
            if (entry.path().filename().string().starts_with("lvp_icd")) lavapipe = entry.path();
    if (lavapipe.empty()) {
        MESSAGE("SKIPPED: lavapipe is not installed (Debian: mesa-vulkan-drivers)");
        return {};
    }
    std::filesystem::copy_file(lavapipe, folder / "again.json");
    std::string files = lavapipe + ":" + folder / "again.json";
    const std::string swiftshader =
        source_dir() + "/build/drivers-swiftshader/usr/lib/chromium/vk_swiftshader_icd.json";
    if (std::filesystem::exists(swiftshader)) files += ":" + swiftshader;
    return files;
}

Ended run_on(const std::string& drivers, const Command& arguments) {
    return run(Command{"env", "VK_DRIVER_FILES=" + drivers, "VK_LOADER_LAYERS_DISABLE=~implicit~"} +
               tilewise::tilewise(arguments));
}

/// Without what is of that very run: times, and rows of the database.
nlohmann::json lasting(nlohmann::json printed) {
    if (printed.is_object())
        for (const char* name : {"time", "seconds", "row", "id"}) printed.erase(name);
    if (printed.is_structured())
        for (auto& item : printed) item = lasting(item);
    return printed;
}

std::string without_seconds(const std::string& text) {
    return std::regex_replace(text, std::regex("; [0-9.]+ s\n"), "; T s\n");
}

std::vector<std::string> sorted(const nlohmann::json& list) {
    std::vector<std::string> lines;
    for (const auto& item : list) lines.push_back(lasting(item).dump());
    std::ranges::sort(lines);
    return lines;
}

/// All that the database says. What two equal devices say at the same moment is the same fact.
std::map<std::string, std::set<std::string>> exported(const std::string& file) {
    std::map<std::string, std::set<std::string>> facts;
    const auto bundle = parse(run(tilewise::tilewise({"--db", file, "db", "export", "-"})));
    for (const auto& [name, list] : bundle.items())
        if (list.is_array())
            for (const std::string& line : sorted(list)) facts[name].insert(line);
    return facts;
}

probe::DeviceInfo device(const std::string& type, const std::string& uuid, const std::string& address) {
    probe::DeviceInfo info;
    info.type = type;
    info.device_uuid = uuid;
    info.pci_address = address;
    return info;
}

Probed result(size_t place, const std::string& pattern, bool is_new) {
    Probed probed;
    probed.place = place;
    probed.observation.pattern = pattern;
    probed.new_pattern = is_new;
    return probed;
}

}  // namespace

TEST_CASE("all devices at once give what one after another gives, in the same order") {
    const Folder folder;
    const std::string drivers = several_drivers(folder);
    if (drivers.empty()) return;
    const std::string at_once = folder / "at_once.db", in_turn = folder / "in_turn.db";
    const Command probe = {"probe",     "--formats",     "R8_UNORM,R8G8B8A8_UNORM,R32G32B32A32_SFLOAT,D16_UNORM",
                           "--extents", "64x64,300x200", "--levels",
                           "3",         "--no-lanes",    "--jobs",
                           "2"};
    const Ended all = run_on(drivers, Command{"--db", at_once, "--json"} + probe);
    CAPTURE(all.err);
    REQUIRE(all.code == 0);
    const auto devices = parse(all).at("devices");
    REQUIRE(devices.size() >= 2);
    std::string texts;
    for (size_t i = 0; i < devices.size(); ++i) {
        CAPTURE(i);
        const Command one = {"--device", std::to_string(i)};
        const auto alone = parse(run_on(drivers, Command{"--db", in_turn, "--json"} + probe + one)).at("devices");
        REQUIRE(alone.size() == 1);
        CHECK(devices[i].at("observations").size() == devices[i].at("planned"));
        CHECK(lasting(devices[i]).dump() == lasting(alone[0]).dump());
        texts += (i > 0 ? "\n" : "") + run_on(drivers, Command{"--db", folder / "text.db"} + probe + one).out;
    }
    const bool same_facts = exported(at_once) == exported(in_turn);
    CHECK(same_facts);
    const Ended text = run_on(drivers, Command{"--db", folder / "text_at_once.db"} + probe);
    CHECK(without_seconds(text.out) == without_seconds(texts));
    CHECK(std::ranges::count(text.err, '\n') == 1);  // about aliasing, once for all
}

TEST_CASE("devices work at the same time, each on a thread of its own, and the first failure in their order is told") {
    const Folder folder;
    const std::string drivers = several_drivers(folder);
    if (drivers.empty()) return;
    setenv("VK_DRIVER_FILES", drivers.c_str(), 1);
    DeviceThreads threads("", 1, probe::default_timeout);
    unsetenv("VK_DRIVER_FILES");
    const size_t count = threads.devices().size();
    REQUIRE(count >= 2);
    std::vector<std::promise<std::thread::id>> here(count);
    std::vector<std::shared_future<std::thread::id>> others;
    others.reserve(count);
    for (auto& promise : here) others.push_back(promise.get_future().share());
    // Each waits for all.
    const auto met = threads.run_all([&](size_t i, probe::Workers&) {
        here[i].set_value(std::this_thread::get_id());
        return std::ranges::all_of(others,
                                   [](const auto& other) { return other.wait_for(60s) == std::future_status::ready; });
    });
    CHECK(std::ranges::count(met, true) == static_cast<std::ptrdiff_t>(count));
    const auto again = threads.run_all([&](size_t i, probe::Workers& workers) {
        CHECK(probe::list_devices(workers).size() == count);
        return std::this_thread::get_id() == others[i].get();
    });
    CHECK(std::ranges::count(again, true) == static_cast<std::ptrdiff_t>(count));
    CHECK(threads.run({1, 0}, [](size_t i, probe::Workers&) { return i; }) == std::vector<size_t>{1, 0});
    const auto fail = [](size_t i, probe::Workers&) { throw std::runtime_error(std::to_string(i)); };
    CHECK_THROWS_WITH(threads.run({1, 0}, fail), "1");
}

TEST_CASE("lanes and launch orders of several devices are those of each, measured once for each model") {
    const Folder folder;
    const std::string drivers = several_drivers(folder), file = folder / "t.db";
    if (drivers.empty()) return;
    const auto lanes = [](const nlohmann::json& device) { return sorted(device.at("lane_orders")); };
    const Command probe = {"probe", "--formats", "R8_UNORM", "--extents", "64x64", "--route", "alias"};
    const auto kept = [&] { return parse(run(tilewise::tilewise({"--db", file, "--json", "db", "stats"}))); };
    REQUIRE(run_on(drivers, Command{"--db", file} + probe + Command{"--no-lanes"}).code == 0);
    const size_t before = kept().at("start_orders");
    const auto probed = parse(run_on(drivers, Command{"--db", file, "--json"} + probe)).at("devices");
    REQUIRE(probed.size() >= 2);
    std::set<std::string> models;
    for (const auto& one : probed) {
        models.insert(one.at("device").at("name").get<std::string>() + one.at("driver").at("info").get<std::string>());
        CHECK(one.at("lane_orders").size() >= 20);
        CHECK(one.at("start_order").is_object());
    }
    CHECK(kept().at("start_orders") == before + models.size());

    const Ended measured = run_on(drivers, {"--db", file, "--json", "devices", "--measure"});
    CAPTURE(measured.err);
    REQUIRE(measured.code == 0);
    const auto devices = parse(measured).at("devices");
    REQUIRE(devices.size() == probed.size());
    for (size_t i = 0; i < devices.size(); ++i) {
        CHECK(devices[i].at("index") == i);
        CHECK(lanes(devices[i]) == lanes(probed[i]));
    }
}

TEST_CASE("only discrete GPUs at addresses of their own are timed at once") {
    using Waves = std::vector<std::vector<size_t>>;
    const auto discrete = [](const std::string& id) { return device("discrete", id, "0000:" + id + ":00.0"); };
    CHECK(timing_waves({discrete("01"), discrete("41"), discrete("81")}) == Waves{{0, 1, 2}});
    // Two drivers of the same GPU, whose UUIDs or addresses tell.
    CHECK(timing_waves({discrete("01"), device("discrete", "xx", "0000:01:00.0"), discrete("81")}) ==
          Waves{{0, 2}, {1}});
    CHECK(timing_waves({discrete("01"), device("discrete", "01", "")}) == Waves{{0}, {1}});
    // Without addresses nothing says that they are two.
    CHECK(timing_waves({device("discrete", "01", ""), device("discrete", "02", "")}) == Waves{{0}, {1}});
    // Software, and what shares its memory with the CPU.
    CHECK(timing_waves({device("cpu", "01", ""), device("integrated", "02", "0000:00:02.0"), discrete("41"),
                        device("cpu", "04", "")}) == Waves{{2}, {0}, {1}, {3}});
    CHECK(timing_waves({}).empty());
}

TEST_CASE("a pattern is new to the first device that has it, whichever was faster") {
    std::vector<ProbedDevice> devices(2);
    devices[0].results = {result(2, "b", false), result(0, "a", false), result(1, "a", false)};
    devices[1].results = {result(0, "a", true), result(1, "b", true), result(2, "c", true)};
    devices[0].disagreements = {{0, 2, {}, "late"}, {0, 1, {}, "early"}};
    put_in_order(devices);
    std::string text;
    for (const ProbedDevice& one : devices)
        for (const Probed& probed : one.results)
            text += fmt::format("{}{}{} ", probed.place, probed.observation.pattern, probed.new_pattern ? "!" : "");
    CHECK(text == "0a! 1a 2b! 0a 1b 2c! ");
    CHECK(devices[0].disagreements[0].text == "early");
    CHECK(devices[0].disagreements[0].first == 2);
    CHECK(devices[0].disagreements[0].second == 0);
    CHECK(devices[0].disagreements[1].second == 1);
}

namespace {

size_t files_in(const std::string& folder, const char* beginning) {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        count += entry.path().filename().string().starts_with(beginning);
    return count;
}

/// Arguments: the device, and a folder in which each leaves a file when it comes and when it goes.
const AddedRole meeting({"meeting", [](probe::worker::Playing& playing) {
                             const std::string &device = playing.arguments[0], &folder = playing.arguments[1];
                             write_text(folder + "/arrived" + device, "");
                             const bool is_cpu = device == "0";
                             const auto seen = [&] { return files_in(folder, is_cpu ? "finished" : "arrived"); };
                             for (int i = 0; i < 6000 && !is_cpu && seen() < 2; ++i) std::this_thread::sleep_for(10ms);
                             fmt::print("device {} sees {}", device, seen());
                             write_text(folder + "/finished" + device, "");
                             return device == "2" ? 1 : 0;
                         }});

}  // namespace

TEST_CASE("each device has a process of its own; those that share nothing run at once, the others after them") {
    const Folder folder;
    std::vector<probe::DeviceInfo> devices = {device("cpu", "c", ""), device("discrete", "a", "1"),
                                              device("discrete", "b", "2")};
    for (uint32_t i = 0; i < devices.size(); ++i) devices[i].index = i;
    const auto start_of = [&](size_t which) {
        probe::worker::Start start = {"meeting", {std::to_string(which), folder.path.string()}};
        start.prints = probe::worker::Start::Prints::apart;
        return start;
    };
    std::vector<std::string> ended(devices.size());
    run_for_each(
        devices, start_of,
        [&](size_t i, DeviceRun&& run) { ended[i] = run.out + (run.succeeded ? " succeeded" : " failed"); },
        [](const std::string&) {});
    CHECK(ended[0] == "device 0 sees 2 succeeded");
    CHECK(ended[1] == "device 1 sees 2 succeeded");
    CHECK(ended[2] == "device 2 sees 2 failed");
}

TEST_CASE("validate of all devices: one document, in their order") {
    const Folder folder;
    std::string drivers = several_drivers(folder);
    if (drivers.empty()) return;
    drivers.resize(drivers.find("again.json") + std::string("again.json").size());  // SwiftShader takes its time
    const std::string file = folder / "t.db";
    setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
    const Command validate = {"--db",     file,        "validate", "--device",       "all",
                              "--kernel", "brightest", "--format", "R8G8B8A8_UNORM", "--extent",
                              "16x16",    "--order",   "row",      "--time",         "0.01"};
    const Ended ended = run_on(drivers, Command{"--json"} + validate);
    CAPTURE(ended.err);
    const auto validated = parse(ended);
    const auto devices = parse(run_on(drivers, {"--json", "devices"})).at("devices");
    size_t timed = 0;
    for (const auto& one : validated.at("devices")) {
        CHECK(one.at("device").at("name") == devices.at(timed++).at("name"));
        CHECK(one.at("cells").size() == 2);
        CHECK(one.at("database") == file);
    }
    CHECK(timed >= 2);
    CHECK((ended.code == 0) == (timed == devices.size()));
    const Ended text = run_on(drivers, validate);
    size_t at = 0;
    for (size_t i = 0; i < timed; ++i) {
        const std::string title = fmt::format("{} (device {}), ", devices[i].at("name").get<std::string>(), i);
        at = text.out.find(title, at);
        CHECK(at != std::string::npos);
    }
}
