// End to end on the drivers of GPUs that are not here: DRM shims stand in for the hardware, host image copy runs the
// driver's own tiling code on the CPU. The columns were measured independently, RGBA8 at 256x256; the RTX 2080's table
// is from the "Detect Image Z-curve" notes that Tilewise grew from, read there from the GPU itself.
#include "patterns/model/layout_json.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <array>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>

using namespace tilewise;

namespace {

struct ExpectedColumns {
    std::string driver;
    std::string device;  ///< part of the name it gives itself
    std::vector<uint64_t> x, y;
};

// What each bit of x and of y contributes to the offset by XOR.
const std::vector<ExpectedColumns> expected_columns = {
    {"radv:navi21",
     "NAVI21",
     {0x4, 0x8, 0x40, 0x1000, 0x200, 0x800, 0xc000, 0x10400},
     {0x10, 0x20, 0x80, 0x2000, 0x300, 0x400, 0x8000, 0x24800}},
    {"radv:gfx1201",
     "GFX1201",
     {0x4, 0x10, 0x40, 0x200, 0x800, 0x2000, 0x8000, 0x10000},
     {0x8, 0x20, 0x80, 0x100, 0x400, 0x1000, 0x4000, 0x20000}},
    // The GOB of 16x8 texels, then y to the end of a block of 32 GOBs: what NVK 26.1 chooses above 128 rows.
    {"nvk:0x164",
     "NVK",
     {0x4, 0x8, 0x40, 0x100, 0x4000, 0x8000, 0x10000, 0x20000},
     {0x10, 0x20, 0x80, 0x200, 0x400, 0x800, 0x1000, 0x2000}},
    {"turnip:630",
     "630",
     {0x4, 0x10, 0x40, 0x80, 0x700, 0xa00, 0x1000, 0x2000},
     {0x8, 0x20, 0x600, 0x300, 0x4000, 0x8000, 0x10000, 0x20000}},
    {"apple",
     "Apple",
     {0x4, 0x10, 0x40, 0x100, 0x400, 0x1000, 0x4000, 0x8000},
     {0x8, 0x20, 0x80, 0x200, 0x800, 0x2000, 0x10000, 0x20000}},
    {"lavapipe",
     "llvmpipe",
     {0x4, 0x8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200},
     {0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000, 0x10000, 0x20000}},
};

std::string hexadecimal(const std::vector<uint64_t>& columns) { return fmt::format("{:x}", fmt::join(columns, " ")); }

std::string columns(const Layout& layout, Axis axis) {
    std::vector<uint64_t> result;
    for (unsigned bit = 0; bit < 8; ++bit) {
        Coord at = {};
        at[axis] = 1U << bit;
        result.push_back(offset_of(layout, at) ^ offset_of(layout, {}));
    }
    return hexadecimal(result);
}

}  // namespace

TEST_CASE("each driver's own tiling code gives the columns that were measured") {
    if (!drivers_are_here()) return;
    const Folder folder;
    const std::string file = folder / "t.db";
    for (const ExpectedColumns& expected : expected_columns) {
        CAPTURE(expected.driver);
        const Ended ended =
            run(tilewise_on(expected.driver, {"--db", file, "--json", "probe", "--formats", "R8G8B8A8_UNORM",
                                              "--extents", "256x256", "--route", "host-copy"}));
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        CHECK(ended.err == "");  // no alias route, no remark
        const auto device = parse(ended).at("devices").at(0);
        CHECK(device.at("device").at("name").get<std::string>().find(expected.device) != std::string::npos);
        CHECK(device.at("disagreements").empty());
        CHECK(!device.at("observations").empty());
        for (const auto& observation : device["observations"]) {
            CHECK(observation.at("result") == "exact");
            CHECK(observation.at("provenance") ==
                  (expected.driver == "lavapipe" ? "hardware" : "driver without hardware"));
            const Layout layout = layout_from_json(observation.at("layout"));
            CHECK(columns(layout, axis_x) == hexadecimal(expected.x));
            CHECK(columns(layout, axis_y) == hexadecimal(expected.y));
        }
    }
    const Ended query = run(tilewise::tilewise({"--db", file, "query", "--vendor", "AMD", "--json"}));
    CHECK(query.code == 0);
    CHECK(parse(query).at("patterns").size() >= 2);
}

TEST_CASE("NVK's Turing pattern is the table that was read from an RTX 2080") {
    if (!drivers_are_here()) return;
    const std::string rtx_2080 =
        "[0,0] [1,0] [2,0] [3,0] [0,1] [1,1] [2,1] [3,1]\n"
        "[0,2] [1,2] [2,2] [3,2] [0,3] [1,3] [2,3] [3,3]\n"
        "[4,0] [5,0] [6,0] [7,0] [4,1] [5,1] [6,1] [7,1]\n"
        "[4,2] [5,2] [6,2] [7,2] [4,3] [5,3] [6,3] [7,3]\n"
        "[0,4] [1,4] [2,4] [3,4] [0,5] [1,5] [2,5] [3,5]\n"
        "[0,6] [1,6] [2,6] [3,6] [0,7] [1,7] [2,7] [3,7]\n"
        "[4,4] [5,4] [6,4] [7,4] [4,5] [5,5] [6,5] [7,5]\n"
        "[4,6] [5,6] [6,6] [7,6] [4,7] [5,7] [6,7] [7,7]\n";
    const Folder folder;
    const std::string file = folder / "t.db";
    const Ended probe = run(tilewise_on("nvk:0x164", {"--db", file, "--json", "probe", "--formats", "R8G8B8A8_UNORM",
                                                      "--extents", "256x256", "--route", "host-copy"}));
    REQUIRE(probe.code == 0);
    const std::string id = parse(probe).at("devices").at(0).at("patterns").at(0);
    const Ended show = run(tilewise::tilewise({"--db", file, "show", id}));
    REQUIRE(show.code == 0);
    CHECK(show.out.find(rtx_2080) != std::string::npos);
}

TEST_CASE("images that NVK makes with a DRM format modifier have the pattern that is named so here") {
    if (!drivers_are_here()) return;
    const Folder folder;
    for (const std::string driver : {"nvk:0x164", "nvk:0x172"}) {
        const Ended ended = run(tilewise_on(driver, {"--db", folder / "t.db", "--json", "probe", "--modifiers",
                                                     "--formats", "R8_UNORM,R8G8B8A8_UNORM,R32G32B32A32_SFLOAT"}));
        CAPTURE(ended.err);
        CHECK(ended.code == 0);
        const auto modifiers = parse(ended).at("devices").at(0).at("modifiers");
        std::map<std::string, size_t> same;
        for (const auto& each : modifiers) {
            CHECK(each.at("result") != "differs");
            if (each.at("result") != "same") continue;
            CHECK(each.at("found").at("modifier") == each.at("modifier"));
            same[each.at("format")]++;
        }
        for (const char* format : {"R8_UNORM", "R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT"})
            CHECK(same[format] == 7);  // blocks of 1, 2, 4, 8, 16 and 32 GOBs, and linear
    }
    CHECK(!std::filesystem::exists(folder / "t.db"));  // nothing of it is kept
    const Ended none = run(tilewise_on("lavapipe", {"probe", "--modifiers"}));
    CHECK(none.code == 1);
    CHECK(none.err.find("VK_EXT_image_drm_format_modifier") != std::string::npos);
}

TEST_CASE("RADV lists for each chip the modifier that a card of that chip was seen to have") {
    // Where they were seen is in db/catalog/README.md. The number tells the pipes and packers of the card, which the shim
    // or tools/amdgpu_chip.c has to tell RADV.
    const std::pair<std::string, std::string> seen[] = {
        {"radv:navi21", "0x0200000020801b03"}, {"radv:navi22", "0x0200000018801b03"},
        {"radv:navi23", "0x0200000018601b03"}, {"radv:rembrandt", "0x0200000010401b03"},
        {"radv:navi31", "0x0200000028a01b04"}, {"radv:navi32", "0x0200000020801b04"},
        {"radv:navi33", "0x0200000018601b04"}, {"radv:phoenix", "0x0200000010401b04"}};
    if (!drivers_are_here()) return;
    for (const auto& [driver, modifier] : seen) {
        CAPTURE(driver);
        const Ended ended = run(tilewise_on(driver, {"--json", "probe", "--modifiers", "--formats", "R8G8B8A8_UNORM"}));
        REQUIRE(ended.code == 0);
        const auto modifiers = parse(ended).at("devices").at(0).at("modifiers");
        std::string listed;
        for (const auto& each : modifiers)  // the one of 64KB_R_X alone: without compression
            if (const std::string number = each.at("modifier"); number.find("1b0") == number.size() - 4)
                listed += number;
        CHECK(listed == modifier);
    }
}

TEST_CASE("the queue of a shim does nothing, and the alias route says so") {
    if (!drivers_are_here()) return;
    const Folder folder;
    for (const std::string driver : {"nvk:0x164", "turnip:630"}) {
        CAPTURE(driver);
        const Ended ended =
            run(tilewise_on(driver, {"--db", folder / "t.db", "--json", "probe", "--formats", "R8G8B8A8_UNORM",
                                     "--extents", "64x64", "--route", "alias,alias-map"}));
        CAPTURE(ended.err);
        CHECK(ended.code == 1);
        CHECK(ended.err.find("nothing-written") != std::string::npos);
        const auto observations = parse(ended).at("devices").at(0).at("observations");
        CHECK(!observations.empty());
        for (const auto& observation : observations) CHECK(observation.at("result") == "nothing-written");
    }
}

TEST_CASE("planes, disjoint planes and sparse images are read on lavapipe, each where the driver puts it") {
    if (!drivers_are_here()) return;
    const Folder folder;
    const auto observations = [&](std::vector<std::string> options) {
        Command command = {"--db", folder / "t.db", "--json", "probe", "--extents", "256x256", "--route", "alias"};
        command.insert(command.end(), options.begin(), options.end());
        const Ended ended = run(tilewise_on("lavapipe", command));
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return parse(ended).at("devices").at(0).at("observations");
    };
    const std::string nv12 = "G8_B8R8_2PLANE_420_UNORM";
    for (const auto& plane : observations({"--formats", nv12})) {
        CHECK(plane.at("result") == "exact");
        CHECK(plane.at("flags") == "");
        CHECK(plane.at("bytes") == 256 * 256 * 3 / 2);
        const bool is_luma = plane.at("aspect") == "plane0";
        CHECK(plane.at("elements") == (is_luma ? 256 * 256 : 128 * 128));
        CHECK(plane.at("layout").at("base") == (is_luma ? 0 : 256 * 256));
    }
    for (const auto& plane : observations({"--formats", nv12, "--flags", "disjoint"})) {
        CHECK(plane.at("flags") == "disjoint");
        CHECK(plane.at("layout").at("base") == 0);
    }
}

TEST_CASE("a sparse image's blocks have Vulkan's standard shape, and are the tiles that were read") {
    if (!drivers_are_here()) return;
    const Folder folder;
    const std::string db = folder / "t.db";
    // The standard sparse image block shapes of the Vulkan specification, single sample.
    const std::map<std::string, std::array<uint32_t, 3>> shapes = {{"R8_UNORM", {256, 256, 1}},
                                                                   {"R16_SFLOAT", {256, 128, 1}},
                                                                   {"R8G8B8A8_UNORM", {128, 128, 1}},
                                                                   {"R16G16B16A16_SFLOAT", {128, 64, 1}},
                                                                   {"R32G32B32A32_SFLOAT", {64, 64, 1}}};
    std::string formats;
    for (const auto& [format, shape] : shapes) formats += (formats.empty() ? "" : ",") + format;
    const Ended ended =
        run(tilewise_on("lavapipe", {"--db", db, "--json", "probe", "--extents", "600x520", "--route", "alias",
                                     "--levels", "4", "--flags", "sparse-residency", "--formats", formats}));
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const auto device = parse(ended).at("devices").at(0);
    std::string pattern;
    for (const auto& observation : device.at("observations")) {
        const auto& shape = shapes.at(observation.at("format"));
        const auto& sparse = observation.at("sparse");
        CHECK(observation.at("result") == "exact");
        CHECK(observation.at("flags") == "sparse-binding,sparse-residency");
        CHECK(observation.at("alignment") == 65536);
        CHECK(sparse.at("granularity") == nlohmann::json(shape));
        CHECK(sparse.at("standard") == true);
        CHECK(sparse.at("mip_tail_first_level") <= 4);
        if (observation.at("level") != 0) continue;
        if (observation.at("format") == "R8_UNORM") pattern = observation.at("pattern");
        CHECK(observation.at("layout").at("tile").at("width") == shape[0]);
        CHECK(observation.at("layout").at("tile").at("height") == shape[1]);
    }
    REQUIRE(device.at("images").size() == shapes.size());
    for (const auto& image : device.at("images")) {
        REQUIRE(image.at("sparse").size() == 1);
        CHECK(image.at("sparse").at(0).at("aspect") == "color");
    }
    const Command layout = {"--db",
                            db,
                            "layout",
                            "--gpu",
                            "llvmpipe",
                            "--format",
                            "R8_UNORM",
                            "--extent",
                            "600x520",
                            "--levels",
                            "4",
                            "--flags",
                            "sparse-binding,sparse-residency"};
    CHECK(run(tilewise::tilewise(layout)).out.find("sparse  color: blocks of 256x256x1 texels") != std::string::npos);
    CHECK(
        run(tilewise::tilewise({"--db", db, "show", pattern})).out.find("sparse memory: blocks of 256x256x1 texels") !=
        std::string::npos);
}

TEST_CASE("lavapipe's routes agree with each other, host copy included") {
    if (!drivers_are_here()) return;
    const Folder folder;
    const Ended ended =
        run(tilewise_on("lavapipe", {"--db", folder / "t.db", "--json", "probe", "--formats", "common"}));
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const auto device = parse(ended).at("devices").at(0);
    CHECK(device.at("counts").size() == 1);
    CHECK(device.at("counts").at("exact") == device.at("planned"));
    CHECK(device.at("disagreements").empty());
}

TEST_CASE("a large image, which several threads copy to in bands of rows, is read whole") {
    if (!drivers_are_here()) return;
    const Folder folder;
    // 21 MB of texels, and of blocks; the last band is lower than the others.
    struct Large {
        const char *driver, *format, *extent;
    };
    for (const Large& image : {Large{"lavapipe", "R32G32B32A32_SFLOAT", "1100x1203"},
                               {"radv:navi21", "R32G32B32A32_SFLOAT", "1100x1203"},
                               {"radv:navi21", "BC7_UNORM_BLOCK", "4400x4810"}}) {
        CAPTURE(image.driver);
        const Ended ended =
            run(tilewise_on(image.driver, {"--db", folder / "t.db", "--json", "probe", "--no-lanes", "--formats",
                                           image.format, "--extents", image.extent, "--usage", "sampled"}));
        CAPTURE(ended.err);
        const auto device = parse(ended).at("devices").at(0);
        bool by_host_copy = false;
        for (const auto& observation : device.at("observations"))
            if (observation.at("route") == "host-copy") {
                CHECK(observation.at("result") == "exact");
                by_host_copy = true;
            }
        CHECK(by_host_copy);
        CHECK(device.at("disagreements").empty());
    }
}

TEST_CASE("the validation layer finds nothing to say about a whole run on lavapipe") {
    const Folder folder;
    for (const std::string driver : {"system", "lavapipe"}) {
        if (driver == "lavapipe" && !drivers_are_here()) continue;
        CAPTURE(driver);
        const std::string report = folder / driver;
        Command command = tilewise_on(
            driver, {"--db", folder / "t.db", "--json", "probe", "--formats", "common,D16_UNORM,D32_SFLOAT_S8_UINT"});
        command.insert(command.begin() + 1, "--validate=" + report);
        const Ended ended = run(command);
        CAPTURE(ended.err);
        CHECK(ended.code == 0);
        CHECK(read_text(report) == "");
        CHECK(parse(ended).at("devices").at(0).at("counts").at("exact") > 0);
    }
}
