// Asking what there is: gpus, formats, modes; how to begin; answers as CSV; a database made on purpose.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <set>

using namespace tilewise;
using nlohmann::json;

namespace {

Ended ask(const Command& arguments) {
    return run(Command{"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=/nonexistent"} + tilewise::tilewise(arguments));
}

json answer(const Command& arguments) {
    const Ended ended = ask(Command{"--json"} + arguments);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    return parse(ended);
}

/// A member of the answer, as a value: loops go over it.
json listed_in(const char* member, const Command& arguments) { return answer(arguments).at(member); }

}  // namespace

TEST_CASE("without a home there is the catalog, and an answer that is an error leaves stdout empty") {
    const Ended homeless = run(Command{"env", "-i"} + tilewise::tilewise({"gpus", "H100"}));
    CHECK(homeless.code == 0);
    CHECK(homeless.err.find("answering from the shipped catalog") != std::string::npos);
    const Ended nothing = ask({"--json", "query", "--format", "BC7", "--extent", "257x256"});
    CHECK(nothing.code == 1);
    CHECK(nothing.out == "");
}

TEST_CASE("the layout of query and show is that of the image that was asked for") {
    const Command image = {"--gpu", "H200", "--format", "R8G8B8A8_UNORM", "--extent", "1000x700"};
    const json layout = answer(Command{"layout"} + image).at("subresources").at(0).at("layout");
    CHECK(answer(Command{"show"} + image).at("layout") == layout);
    CHECK(answer(Command{"query"} + image).at("patterns").at(0).at("layout") == layout);
}

TEST_CASE("a driver's name is not that of a longer one: nvk is no panvk") {
    CHECK(ask({"query", "--gpu", "Mali-G610", "--driver", "nvk"}).code == 1);
    CHECK(ask({"query", "--gpu", "Mali-G610", "--driver", "panvk"}).code == 0);
    CHECK(ask({"query", "--gpu", "H100", "--driver", "159.04", "--format", "RGBA8"}).code == 0);
}

TEST_CASE("every device of the files of the catalog is in one row of gpus") {
    std::set<std::string> expected;
    for (const auto& file : std::filesystem::directory_iterator(source_dir() + "/db/catalog")) {
        if (file.path().extension() != ".json") continue;
        const json bundle = json::parse(read_text(file.path()));
        if (!bundle.is_object() || !bundle.contains("devices")) continue;
        for (const json& device : bundle["devices"]) expected.insert(device.at("name").get<std::string>());
    }
    REQUIRE(expected.size() > 50);
    std::multiset<std::string> listed;
    for (const json& gpu : listed_in("gpus", {"gpus"}))
        for (const json& device : gpu["devices"]) listed.insert(device.get<std::string>());
    CHECK(std::set<std::string>(listed.begin(), listed.end()) == expected);
}

TEST_CASE(
    "gpus finds a product's chip, as its maker says, an architecture's chips, and what a chip that nobody read is "
    "like") {
    const json ada = listed_in("gpus", {"gpus", "RTX", "4090"});
    REQUIRE(ada.size() == 2);
    CHECK(ada[0]["chip"] == "AD102");  // NVIDIA Ada GPU architecture, white paper, table 1
    CHECK(ada[1]["chip"] == "AD103");  // that of laptops: pci.ids 10de:2717
    CHECK(ada[0]["architecture"] == "Ada");
    CHECK(ada[0]["products"][0].get<std::string>().find("4090") != std::string::npos);
    const json deck = listed_in("gpus", {"gpus", "steam deck"});
    REQUIRE(deck.size() == 1);
    CHECK(deck[0]["chip"] == "Van Gogh");
    for (const json& gpu : listed_in("gpus", {"gpus", "amd", "RDNA3"})) {
        CHECK(gpu["vendor"] == "AMD");
        CHECK(gpu["architecture"].get<std::string>().starts_with("RDNA3"));
    }
    // Words of another chip's products are no answer where the name is that of one.
    for (const auto& [name, chip] : {std::pair{"GeForce RTX 3050 Mobile", "GA107"},
                                     {"ROG Ally X", "Phoenix"},
                                     {"RTX PRO 4000 Blackwell", "GB203"}})
        CHECK(listed_in("gpus", {"gpus", name})[0]["chip"] == chip);
    CHECK(listed_in("gpus", {"gpus", "Iris Xe MAX"})[0]["chip"] == "DG1");
    const Ended note = ask({"gpus", "Galaxy Note10+"});
    CHECK(note.err.find("Mali-G76") != std::string::npos);
    const Ended other = ask({"gpus", "Xbox Series X"});
    CHECK(other.code == 0);
    CHECK(other.err.find("Assumed: Xbox Series X has the chip Scarlett") != std::string::npos);
    CHECK(other.out.find("Raphael") != std::string::npos);
    // Only the chip that answers, not others with products of "10 GB".
    const json console = listed_in("gpus", {"gpus", "PlayStation 5"});
    REQUIRE(console.size() == 1);
    CHECK(console[0]["chip"] == "Navi 10");
    const Ended none = ask({"gpus", "RTX 9999"});
    CHECK(none.code == 1);
    CHECK(none.err.find("the most similar names: GeForce RTX") != std::string::npos);
}

TEST_CASE("a name that may mean two chips lists what both have, even if a device of one has that name") {
    const auto ids = [](const std::string& gpu) {
        std::set<std::string> found;
        for (const json& pattern :
             listed_in("patterns", {"query", "--gpu", gpu, "--format", "RGBA8", "--extent", "256x256"}))
            found.insert(pattern["id"].get<std::string>());
        return found;
    };
    std::set<std::string> both = ids("Raphael");
    both.merge(ids("Mendocino"));
    CHECK(both.size() > 2);
    CHECK(ids("AMD Radeon(TM) 610M") == both);
    CHECK(ask({"query", "--gpu", "Radeon 610M"}).out.find("Raphael or Mendocino") != std::string::npos);
}

TEST_CASE("formats lists those that the kept patterns of a GPU have, and of all formats those that are asked for") {
    std::set<std::string> expected;
    for (const json& pattern : listed_in("patterns", {"query", "--gpu", "navi21"}))
        for (const json& format : pattern["formats"]) expected.insert(format.get<std::string>());
    std::set<std::string> read, with_rule;
    for (const json& format : listed_in("formats", {"formats", "-g", "navi21"})) {
        if (!format["patterns"].empty()) read.insert(format["format"].get<std::string>());
        if (format["rule"] == true) with_rule.insert(format["format"].get<std::string>());
    }
    CHECK(read == expected);
    CHECK(with_rule.contains("R8G8B8A8_UNORM"));
    const json bc7 = listed_in("formats", {"formats", "bc7"});
    REQUIRE(bc7.size() == 2);
    CHECK(bc7[0]["element"] == json({{"bytes", 16}, {"width", 4}, {"height", 4}}));
    // A whole name is one format's; a part of one lists those that have it.
    CHECK(listed_in("formats", {"formats", "rgba8"}).size() == 1);
    CHECK(listed_in("formats", {"formats", "rgba8"})[0]["format"] == "R8G8B8A8_UNORM");
    const auto lists = [](const char* word, const char* name) {
        const json formats = listed_in("formats", {"formats", word});
        return std::ranges::any_of(formats, [&](const json& format) { return format["format"] == name; });
    };
    CHECK(lists("bgra", "B8G8R8A8_SRGB"));
    CHECK(lists("rgba", "R16G16B16A16_SFLOAT"));
    CHECK(lists("rgba", "BC1_RGBA_UNORM_BLOCK"));
    CHECK(!lists("rgba", "B8G8R8A8_UNORM"));
    CHECK(lists("rgb10", "A2B10G10R10_UINT_PACK32"));
    // The marks of Intel's and AMD's names change nothing.
    CHECK(listed_in("gpus", {"gpus", "AMD Radeon(TM) Graphics"}) == listed_in("gpus", {"gpus", "AMD Radeon Graphics"}));
    CHECK(listed_in("gpus", {"gpus", "Intel(R) Graphics"}) == listed_in("gpus", {"gpus", "Intel Graphics"}));
    const auto kind = [](const char* name) { return listed_in("formats", {"formats", name})[0]["kind"]; };
    CHECK(kind("D32_SFLOAT") == "depth");
    CHECK(kind("S8_UINT") == "stencil");
    CHECK(kind("D24_UNORM_S8_UINT") == "depth, stencil");
    for (const json& format : listed_in("formats", {"formats", "stencil"}))
        CHECK(format["format"].get<std::string>().find("S8") != std::string::npos);
    CHECK(listed_in("formats", {"formats", "depth stencil"}) == listed_in("formats", {"formats", "depth", "stencil"}));
    const Ended unknown = ask({"formats", "--gpu", "H100", "ASTC"});
    CHECK(unknown.code == 1);
    CHECK(unknown.err.find("nothing is known about any of these 42 formats on that GPU: no image was read") !=
          std::string::npos);
    CHECK(ask({"formats", "RGBA9"}).err.find("no format is called RGBA9; similar names: ") != std::string::npos);
}

TEST_CASE("modes lists those of all kept patterns, with the chips that have them, and those that texts define") {
    std::set<std::string> expected, listed;
    for (const json& mode : listed_in("modes", {"query"})) expected.insert(mode["name"].get<std::string>());
    const json all = answer({"modes"});
    for (const json& mode : all["modes"]) listed.insert(mode["name"].get<std::string>());
    CHECK(listed == expected);
    CHECK(std::ranges::any_of(all["defined"], [](const json& mode) { return mode["name"] == "block_linear"; }));
    const json amd = listed_in("modes", {"modes", "64KB_R_X"});
    REQUIRE(!amd.empty());
    CHECK(std::ranges::count(amd[0]["chips"], json("Navi 21")) == 1);
    CHECK(answer({"modes", "--gpu", "H100"})["defined"].empty());
    CHECK(std::ranges::count(answer({"modes", "tile 4"})["defined"], "tile4",
                             [](const json& mode) { return mode["name"].get<std::string>(); }) == 1);
    CHECK(ask({"modes", "no-such-mode"}).code == 1);
}

TEST_CASE("the program alone says what it is and how to begin, with commands that work") {
    const Ended alone = ask({});
    CHECK(alone.code == 0);
    CHECK(alone.out.starts_with("Tilewise finds out how a GPU lays"));
    size_t commands = 0;
    for (size_t at = alone.out.find("  tilewise "); at != alone.out.npos;
         at = alone.out.find("\n  tilewise ", at + 1)) {
        const size_t begin = alone.out.find("tilewise ", at);
        const std::string line = alone.out.substr(begin, alone.out.find("  ", begin) - begin);
        CAPTURE(line);
        commands++;
        if (line == "tilewise probe") continue;  // it takes a device
        CHECK(run({"sh", "-c", "tilewise() { XDG_DATA_HOME=/nonexistent '" + program_path() + "' \"$@\"; }; " + line})
                  .code == 0);
    }
    CHECK(commands == 5);
    fails({"--json"}, 2, "no command given");
}

TEST_CASE("query prints CSV that Python's reader takes for what --json says") {
    if (run({"python3", "--version"}).code != 0) {
        MESSAGE("SKIPPED: no python3");
        return;
    }
    const Command of = {"query", "--gpu", "AD102"};
    const json patterns = answer(of)["patterns"];
    const std::string csv = ask(of + Command{"--csv"}).out;
    const json rows = json::parse(
        run({"python3", "-c", "import csv, json, sys\nprint(json.dumps(list(csv.DictReader(sys.stdin))))"}, csv).out);
    REQUIRE(rows.size() == patterns.size());
    for (size_t i = 0; i < rows.size(); i++) {
        CHECK(rows[i]["pattern"] == patterns[i]["id"]);
        CHECK(rows[i]["mode"] == patterns[i]["mode"]["name"]);
        std::string formats;
        for (const json& format : patterns[i]["formats"])
            formats += (formats.empty() ? "" : "; ") + format.get<std::string>();
        CHECK(rows[i]["formats"] == formats);
    }
    fails(of + Command{"--csv", "--json"}, 2, "leave one out");
}

TEST_CASE("db init makes a database with what is shipped, once") {
    const Folder folder;
    const std::string file = folder / "new/of/mine.db";
    const Command init = {"--db", file, "--json", "db", "init"};
    const json made = parse(run(tilewise::tilewise(init)));
    CHECK(made["made"] == true);
    CHECK(std::filesystem::exists(file));
    const json stats = parse(run(tilewise::tilewise({"--db", file, "--json", "db", "stats"})));
    CHECK(made["observations"] == stats["observations"]);
    CHECK(stats["observations"] > 1000);
    CHECK(parse(run(tilewise::tilewise(init)))["made"] == false);
}

TEST_CASE("show takes the pattern that snippet takes, and says so") {
    for (const char* gpu : {"H100", "navi21", "Adreno 740"}) {
        CAPTURE(gpu);
        const json shown = answer({"show", "--gpu", gpu});
        CHECK(shown["id"] == listed_in("pattern", {"snippet", "--gpu", gpu}));
        CHECK(ask({"show", "--gpu", gpu}).err.find("No --format was given: this is R8G8B8A8_UNORM") !=
              std::string::npos);
    }
    CHECK(ask({"show", "--gpu", "H100", "--format", "RGBA8"})
              .err.find("This is the pattern of the largest plain image, ") != std::string::npos);
}

TEST_CASE("a pattern that small levels alone have says so") {
    const json patterns = listed_in("patterns", {"query", "--gpu", "H100", "--format", "R8G8B8A8_UNORM"});
    size_t small = 0, whole = 0;
    for (const json& pattern : patterns) {
        const Command of = {"show", pattern["id"].get<std::string>(), "--gpu", "H100", "--format", "R8G8B8A8_UNORM"};
        const json evidence = answer(of)["evidence"];
        const bool is_small = std::ranges::all_of(evidence, [](const json& row) { return row.value("level", 0) > 0; });
        CHECK((ask(of).out.find("Only small levels of mip chains were seen") != std::string::npos) == is_small);
        (is_small ? small : whole)++;
    }
    CHECK(whole > 0);
    MESSAGE(small << " of small levels, " << whole << " of whole images");
}
