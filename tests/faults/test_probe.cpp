// What a probe makes of single faults of a driver; tests/faults/run draws many.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>
#include <fstream>
#include <map>

using namespace tilewise;

namespace {

/// A command on a lavapipe with the fault: "error vkCreateImage 3 17 -2", see fault.h. It must strike.
Ended run_with(const std::string& fault, const Command& arguments) {
    const Folder folder;
    const std::string layer = std::filesystem::path(program_path()).parent_path() / "tests/faults";
    Command command = {"env",
                       "VK_LAYER_PATH=" + layer,
                       "VK_INSTANCE_LAYERS=VK_LAYER_TILEWISE_faults",
                       "TILEWISE_FAULT=" + fault,
                       "TILEWISE_FAULT_LOG=" + folder / "log",
                       "TILEWISE_FAULT_ONCE=" + folder / "once"};
    const Command on_driver = tilewise_on("lavapipe", arguments);
    command.insert(command.end(), on_driver.begin(), on_driver.end());
    Ended ended = run(command);
    CHECK(std::filesystem::exists(folder / "log"));
    return ended;
}

/// The observations of `probe`.
nlohmann::json probe_with(const std::string& fault, const std::string& formats = "R32_UINT") {
    const Folder folder;
    const Ended ended = run_with(fault, {"--db", folder / "db", "--json", "probe", "--jobs", "1", "--no-lanes",
                                         "--extents", "32x32", "--formats", formats});
    return parse(ended).at("devices").at(0).at("observations");
}

std::map<std::string, int> results(const nlohmann::json& observations) {
    std::map<std::string, int> counts;
    for (const auto& observation : observations) ++counts[observation.at("result")];
    return counts;
}

std::string reason_of(const nlohmann::json& observations, const std::string& result) {
    for (const auto& observation : observations)
        if (observation.at("result") == result) return observation.at("reason");
    return {};
}

using Counts = std::map<std::string, int>;

}  // namespace

TEST_CASE("without a fault every route finds the layout") {
    if (!drivers_are_here()) return;
    CHECK(results(probe_with("record")) == Counts{{"exact", 4}});
}

TEST_CASE("memory that runs out says nothing of what the device offers") {
    if (!drivers_are_here()) return;
    const auto observations = probe_with("error vkAllocateMemory 2 1 -2");
    CHECK(results(observations) == Counts{{"exact", 3}, {"out-of-memory", 1}});
    CHECK(reason_of(observations, "out-of-memory") == "vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY");
}

TEST_CASE("a driver that fails while the images are planned loses no case") {
    if (!drivers_are_here()) return;
    CHECK(results(probe_with("abort vkCreateImage 1 1")) == Counts{{"exact", 4}});
    CHECK(results(probe_with("error vkGetPhysicalDeviceImageFormatProperties2 2 1 -1")) == Counts{{"exact", 4}});
}

TEST_CASE("an image of another layout than its like has none, whichever comes first") {
    if (!drivers_are_here()) return;
    // The plan asks for two images, then each case reads two. The seed makes the image wider.
    for (const char* fault : {"other-image vkCreateImage 3 1", "other-image vkCreateImage 4 1"}) {
        const auto observations = probe_with(fault);
        CHECK(results(observations) == Counts{{"exact", 3}, {"no-fit", 1}});
        CHECK(reason_of(observations, "no-fit").find("in one image and at") != std::string::npos);
    }
}

TEST_CASE("what a driver writes into files that are not its own reaches no other case") {
    if (!drivers_are_here()) return;
    const auto observations = probe_with("scribble vkCmdCopyBufferToImage 3 1");
    CHECK(results(observations) == Counts{{"exact", 3}, {"crashed", 1}});
    CHECK(reason_of(observations, "crashed").starts_with("malformed reply"));
}

TEST_CASE("a filter whose first run does not come back is refused before anything is timed") {
    if (!drivers_are_here()) return;
    const Folder folder;
    const std::string filter = folder / "mean.glsl";
    std::ofstream(filter)
        << "struct State { vec4 sum; };\n"
           "State filter_center(vec4 texel) { return State(texel); }\n"
           "void filter_iteration(inout State state, vec4 texel, int offset) { state.sum += texel; }\n"
           "vec4 filter_result(State state) { return state.sum / float(2 * RADIUS + 1); }\n";
    // VK_TIMEOUT from the sixth wait: those before prepare the images.
    const Ended ended =
        run_with("error vkWaitForFences 6 1 2",
                 {"--db", folder / "db", "validate", "--filter", filter, "--format", "R8G8B8A8_UNORM", "--radius", "1",
                  "--extent", "20x9", "--order", "row", "--time", "0", "--cache", folder / "cache"});
    CHECK(ended.code == 1);
    CHECK(ended.out.empty());
    CHECK(ended.err == "tilewise: mean.glsl: the filter did not finish in 10 s: does it have an endless loop?\n");
    CHECK_FALSE(std::filesystem::exists(folder / "db"));
}
