// tilewise layout on images of real drivers: each byte offset beside what the probe's own readings gave, and tile by
// it.
#include "patterns/model/image_layout_json.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/text.h"
#include "tests/support/layout_formula.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <sstream>

using namespace tilewise;

namespace {

/// A database with one probe, which is returned as JSON, too.
struct ProbedDatabase : Folder {
    std::string db = *this / "t.db";
    nlohmann::json device;
    Command layout;

    ProbedDatabase(const std::string& driver, const std::string& gpu, const Command& image, const Command& kind)
        : layout(Command{"--db", db, "layout", "--gpu", gpu, "--format", image[1], "--extent", image[3]} + kind) {
        const Command probe = Command{"--db",      db,          "--json", "probe",     "--no-lanes", "--route",
                                      "host-copy", "--formats", image[1], "--extents", image[3]} +
                              kind;
        const Ended ended = run(tilewise_on(driver, probe));
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        device = parse(ended)["devices"][0];
        // The probe adds the usages by which it copies: the image's own is what it says.
        for (size_t i = 0; i + 1 < layout.size(); i++)
            if (layout[i] == "--usage") layout[i + 1] = device["images"][0]["usage"].get<std::string>();
    }
};

}  // namespace

TEST_CASE("the table of a whole image has every element of every level and layer where the probe read it") {
    if (!drivers_are_here()) return;
    struct Case {
        const char *driver, *gpu, *format, *extent;
        std::vector<std::string> kind;
    };
    const std::vector<Case> cases = {
        {"radv:navi21", "NAVI21", "R8G8B8A8_UNORM", "75x50", {"--levels", "7", "--layers", "3"}},
        {"radv:navi31", "NAVI31", "R16_SFLOAT", "64x40x12", {"--levels", "3"}},
        {"turnip:630", "Adreno 630", "R32G32B32A32_SFLOAT", "50x30", {"--levels", "6", "--layers", "2"}},
        {"apple", "Apple M1", "BC1_RGBA_UNORM_BLOCK", "90x70", {"--levels", "7"}},
    };
    for (const Case& c : cases) {
        CAPTURE(c.driver);
        const ProbedDatabase probed(c.driver, c.gpu, {"--formats", c.format, "--extents", c.extent},
                                    Command(c.kind) + Command{"--usage", "sampled"});
        // The readings: one layout for each level and layer, which the solver proved against the table that was read.
        std::map<std::pair<uint32_t, uint32_t>, LayoutFormula> read;
        uint64_t elements = 0;
        for (const auto& observation : probed.device["observations"]) {
            REQUIRE(observation["result"] == "exact");
            const std::pair<uint32_t, uint32_t> at = {observation["level"], observation["layer"]};
            if (read.emplace(at, LayoutFormula(observation["layout"])).second)
                elements += observation["elements"].get<uint64_t>();
        }
        REQUIRE(probed.device["images"].size() == 1);
        const nlohmann::json image = parse(run(tilewise::tilewise(probed.layout + Command{"--json"})));
        CHECK(image["source"] == "probed");
        CHECK(image["bytes"].get<uint64_t>() > 0);
        CHECK(image["subresources"] == probed.device["images"][0]["subresources"]);
        CHECK(image["bytes"] == probed.device["images"][0]["bytes"]);

        std::istringstream table(run(tilewise::tilewise(probed.layout + Command{"--table", "-"})).out);
        std::string line;
        std::vector<std::string> columns;
        uint64_t rows = 0, wrong = 0;
        while (std::getline(table, line)) {
            if (line.starts_with("#")) continue;
            const std::vector<std::string> fields = split(line);
            if (columns.empty()) {
                columns = fields;
                continue;
            }
            std::map<std::string, uint32_t> value;
            for (size_t i = 0; i < fields.size(); i++) value[columns[i]] = static_cast<uint32_t>(std::stoul(fields[i]));
            const LayoutFormula& formula = read.at({value["level"], value["layer"]});
            wrong += formula({value["x"], value["y"], value["z"], 0}) != value["byte_offset"];
            rows++;
        }
        CHECK(wrong == 0);
        CHECK(rows == elements);
    }
}

TEST_CASE(
    "--image-type tells a 1D image from a 2D one of its extent, and of what was not probed the rule of its own type is "
    "asked") {
    if (!drivers_are_here()) return;
    const ProbedDatabase probed("apple", "Apple M1", {"--formats", "R8_UNORM", "--extents", "200x1"},
                                {"--levels", "2", "--usage", "sampled"});
    Command again = {"--db",      probed.db,  "probe",        "--no-lanes", "--route",   "host-copy",
                     "--formats", "R8_UNORM", "--levels",     "2",          "--extents", "200x1",
                     "--usage",   "sampled",  "--image-type", "1D"};
    REQUIRE(run(tilewise_on("apple", again)).code == 0);
    for (const std::string type : {"1D", "2D"}) {
        const nlohmann::json image =
            parse(run(tilewise::tilewise(probed.layout + Command{"--json", "--image-type", type})));
        CHECK(image["image_type"] == type);
        CHECK(image["source"] == "probed");
    }
    const nlohmann::json deep = parse(run(tilewise::tilewise(probed.layout + Command{"--json", "--image-type", "3D"})));
    CHECK(deep["image_type"] == "3D");
    CHECK(deep["source"] == "predicted");
    fails({"--db", probed.db, "layout", "--gpu", "Mali-G610", "--format", "R8_UNORM", "--extent", "200x4",
           "--image-type", "3D"},
          1, "no such 3D image was observed");
    fails(probed.layout + Command{"--image-type", "4D"}, 2, "4D");
}

TEST_CASE("--at gives the offset of a texel, one of many, and refuses what the image does not have") {
    if (!drivers_are_here()) return;
    const ProbedDatabase probed("radv:navi21", "NAVI21", {"--formats", "R8G8B8A8_UNORM", "--extents", "75x50"},
                                {"--levels", "3", "--layers", "2", "--usage", "sampled"});
    const auto at = [&](const Command& texel) { return run(tilewise::tilewise(probed.layout + texel)).out; };
    const ImageLayout image = image_layout_from_json(parse(run(tilewise::tilewise(probed.layout + Command{"--json"}))));
    const auto address = [&](uint32_t level, uint32_t layer, uint32_t x, uint32_t y) {
        return std::to_string(address_of(image, {Aspect::color, level, layer, {x, y, 0, 0}})) + "\n";
    };
    CHECK(at({"--at", "74,49"}) == address(0, 0, 74, 49));
    CHECK(at({"--at", "1,2", "--level", "2", "--layer", "1"}) == address(2, 1, 1, 2));
    CHECK(at({"--at", "1,2", "--at", "3,4", "--aspect", "color"}) == address(0, 0, 1, 2) + address(0, 0, 3, 4));
    const nlohmann::json parsed =
        parse(run(tilewise::tilewise(probed.layout + Command{"--json", "--at", "5,6", "--level", "1"})));
    CHECK(parsed["texels"][0]["level"] == 1);
    CHECK(std::to_string(parsed["texels"][0]["byte_offset"].get<uint64_t>()) + "\n" == address(1, 0, 5, 6));

    const auto refuses = [&](const Command& more, const std::string& mentions) {
        fails(probed.layout + more, 2, mentions);
    };
    refuses({"--at", "75,0"}, "(75,0,0) is outside of level 0");
    refuses({"--at", "0,0,1"}, "outside");
    refuses({"--at", "0,0", "--level", "3"}, "there is no level 3");
    refuses({"--at", "0,0", "--layer", "2"}, "there is no level 0, layer 2");
    refuses({"--at", "0,0", "--sample", "1"}, "there is no sample 1");
    refuses({"--at", "0,0", "--aspect", "stencil"}, "no aspect stencil");
    refuses({"--at", "0,0", "--aspect", "smell"}, "no aspect \"smell\"");
    refuses({"--at", "0"}, "not a texel");
    refuses({"--at", "0,-1"}, "not a texel");
    refuses({"--level", "1"}, "give --at or --table");
    refuses({"--aspect", "color"}, "give --at or --table");
    refuses({"--table", probed / "out.csv", "--sample", "0"}, "has all samples");
    refuses({"--table", probed / "out.csv", "--level", "3"}, "there is no level 3");
    refuses({"--table", "-", "--json"}, "standard output");
    refuses({"--at", "0,0", "--table", probed / "out.csv"}, "give one of them");
    CHECK(!std::filesystem::exists(probed / "out.csv"));
}

TEST_CASE("the table of one subresource is what solve reads, and tile takes the whole image's JSON") {
    if (!drivers_are_here()) return;
    const ProbedDatabase probed("radv:navi21", "NAVI21", {"--formats", "R8G8B8A8_UNORM", "--extents", "75x50"},
                                {"--levels", "3", "--layers", "2", "--usage", "sampled"});
    REQUIRE(
        run(tilewise::tilewise(probed.layout + Command{"--table", probed / "one.csv", "--level", "1", "--layer", "1"}))
            .code == 0);
    const nlohmann::json solved = parse(run(tilewise::tilewise({"--json", "solve", probed / "one.csv"})));
    CHECK(solved["status"] == "exact");
    CHECK(solved["elements"] == 37 * 25);
    fails({"solve", probed / "no.csv"}, 1, "no.csv");
    REQUIRE(run(tilewise::tilewise(probed.layout + Command{"--table", probed / "all.csv"})).code == 0);
    fails({"solve", probed / "all.csv"}, 1, "has a column level");

    write_text(probed / "image.json", run(tilewise::tilewise(probed.layout + Command{"--json"})).out);
    std::string rows(size_t{2} * (75 * 50 + 37 * 25 + 18 * 12) * 4, '\0');
    for (size_t i = 0; i < rows.size(); i++) rows[i] = static_cast<char>(i * 2654435761U >> 13);
    write_text(probed / "rows", rows);
    const Command by_file = {"--layout", probed / "image.json"};
    REQUIRE(run(tilewise::tilewise(Command{"tile", probed / "rows", probed / "tiled"} + by_file)).code == 0);
    REQUIRE(run(tilewise::tilewise(Command{"detile", probed / "tiled", probed / "back"} + by_file)).code == 0);
    CHECK(read_text(probed / "back") == rows);
    // Texel (9,7) of level 1 of layer 1, by --at.
    const std::string tiled = read_text(probed / "tiled");
    const size_t in_rows = (75 * 50 + 37 * 25 + 18 * 12 + 75 * 50 + 7 * 37 + 9) * 4;
    const std::string at =
        run(tilewise::tilewise(probed.layout + Command{"--at", "9,7", "--level", "1", "--layer", "1"})).out;
    CHECK(tiled.compare(std::stoul(at), 4, rows, in_rows, 4) == 0);
    fails(Command{"tile", probed / "rows", probed / "out"} + by_file + Command{"--extent", "64x64"}, 2,
          "of another image");
    fails(Command{"tile", probed / "rows", probed / "out"} + by_file + Command{"--base", "64"}, 2, "leave out --base");
}

TEST_CASE("an image that nobody probed is assumed, and says so; one of which nothing is known is an error") {
    const Folder folder;
    const std::string empty =
        R"({"format":"tilewise-bundle","version":1,"devices":[],"drivers":[],"patterns":[],"observations":[],"disagreements":[]})";
    REQUIRE(run(tilewise::tilewise({"--db", folder / "t.db", "db", "import", "-"}), empty).code == 0);
    const Command layout = {"--db", folder / "t.db", "layout", "--gpu", "Mali-G610", "--format", "R32G32B32A32_SFLOAT"};
    const Ended probed = run(tilewise::tilewise(layout + Command{"--extent", "256x256", "--json"}));
    CHECK(probed.err == "");
    CHECK(parse(probed)["source"] == "probed");
    const Ended assumed = run(tilewise::tilewise(layout + Command{"--extent", "255x256", "--json"}));
    REQUIRE(assumed.code == 0);
    CHECK(assumed.err.starts_with("Assumed: "));
    CHECK(parse(assumed)["source"] == "assumed");
    // What is assumed stays assumed when it comes from a file.
    write_text(folder / "assumed.json", assumed.out);
    write_text(folder / "rows", std::string(255 * 256 * 16, 'x'));
    fails({"tile", folder / "rows", folder / "out", "--layout", folder / "assumed.json"}, 1, "give --assume");
    fails(layout + Command{"--extent", "256x256", "--samples", "4"}, 1, "4 samples");
    fails(layout + Command{"--extent", "256x256", "--flags", "mutable-format"}, 1, "mutable-format");
    fails({"--db", folder / "t.db", "layout", "--gpu", "Voodoo", "--format", "R8G8B8A8_UNORM", "--extent", "4x4"}, 1,
          "Voodoo");
    fails(layout, 2, "give --extent");
}

TEST_CASE("of a depth format that nobody read, a refusal names the depth formats that were read there, and no others") {
    const auto refusal = [](const char* gpu, const char* format) {
        const Ended ended =
            run({program_path(), "--quiet", "layout", "--gpu", gpu, "--format", format, "--extent", "1920x1080"});
        CHECK(ended.code == 1);
        return ended.err;
    };
    CHECK(refusal("RX 6800", "D24S8").find("that were read: D16_UNORM, D32_SFLOAT, S8_UINT; ") != std::string::npos);
    CHECK(refusal("RTX 4090", "D24S8")
              .find("nor another depth or stencil format, there; tilewise probe --formats D24_UNORM_S8_UINT") !=
          std::string::npos);
    CHECK(refusal("Adreno 740", "D32").find("that were read: S8_UINT; ") != std::string::npos);
}

TEST_CASE("a usage that nobody probed is answered by one of the same sizes; one that is not offered, or none, is not") {
    const Command image = {"--json",   "--quiet",        "layout",   "--gpu", "navi21",
                           "--format", "R8G8B8A8_UNORM", "--extent", "333x77"};
    const nlohmann::json known = parse(run(tilewise::tilewise(image)));
    const nlohmann::json other = parse(run(tilewise::tilewise(image + Command{"--usage", "sampled,transfer-dst"})));
    CHECK(known["source"] == "predicted");
    CHECK(other["source"] == "predicted");
    CHECK(other["usage"] == "sampled,transfer-dst");
    CHECK(other["subresources"] == known["subresources"]);
    CHECK(other["evidence"].get<std::string>().find("asks for the same size in all of ") != std::string::npos);
    fails(
        {"--json", "--quiet", "layout", "--gpu", "navi21", "--format", "BC1", "--extent", "333x77", "--usage", "color"},
        1, "offers no BC1_RGBA_UNORM_BLOCK image with the usage color");
    fails(image + Command{"--usage", "inptu"}, 2, "no image usage is called 'inptu'");
}

TEST_CASE("aspects, planes of a disjoint image and samples of lavapipe have their own bytes") {
    if (!drivers_are_here()) return;
    const Folder folder;
    const auto layout = [&](const char* format, const Command& kind, const Command& more) {
        const Command what = {"--db", folder / "t.db"};
        const Ended probed = run(tilewise_on(
            "lavapipe", what + Command{"probe", "--no-lanes", "--formats", format, "--extents", "64x40"} + kind));
        CAPTURE(probed.err);
        REQUIRE(probed.code == 0);
        return run(tilewise::tilewise(
            what + Command{"layout", "--gpu", "llvmpipe", "--format", format, "--extent", "64x40"} + more));
    };
    // Packed words: the stencil is the fourth byte of a depth word.
    const Command depth = {"--usage", "depth-stencil"};
    const nlohmann::json packed = parse(layout("D24_UNORM_S8_UINT", depth, depth + Command{"--json"}));
    CHECK(packed["subresources"].size() == 2);
    CHECK(packed["subresources"][1]["aspect"] == "stencil");
    CHECK(layout("D24_UNORM_S8_UINT", depth, depth + Command{"--at", "5,6", "--aspect", "stencil"}).out ==
          std::to_string((6 * 64 + 5) * 4 + 3) + "\n");
    CHECK(layout("D24_UNORM_S8_UINT", depth, depth + Command{"--at", "5,6"}).code == 2);

    const Command disjoint = {"--usage", "sampled", "--flags", "disjoint"};
    const nlohmann::json planes =
        parse(layout("G8_B8R8_2PLANE_420_UNORM", disjoint, {"--flags", "disjoint", "--json"}));
    CHECK(planes["subresources"][1]["extent"] == nlohmann::json({32, 20, 1}));
    for (const auto& plane : planes["subresources"]) CHECK(plane["bytes"].get<uint64_t>() > 0);

    const Command samples = {"--usage", "color", "--samples", "4"};
    const nlohmann::json multisampled = parse(layout("R8G8B8A8_UNORM", samples, {"--samples", "4", "--json"}));
    CHECK(multisampled["samples"] == 4);
    CHECK(multisampled["subresources"][0]["layout"]["stride"]["s"].get<uint64_t>() > 0);
}
