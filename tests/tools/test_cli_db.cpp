// tilewise db merge and db diff, and the questions of query, on the catalog.
#include "patterns/model/text.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <set>
#include <tuple>
#include <vector>

using namespace tilewise;

namespace {

/// A database with the catalog.
struct AppleCatalog {
    Folder folder;
    std::string file = folder / "t.db";
    AppleCatalog() { REQUIRE(ask({"db", "import", source_dir() + "/db/catalog/apple-honeykrisp.json"}).code == 0); }
    Ended ask(const Command& arguments) const { return run(tilewise::tilewise(Command{"--db", file} + arguments)); }
    nlohmann::json json(const Command& arguments) const { return parse(ask(Command{"--json"} + arguments)); }
};

bool is_complaint(const Ended& ended, int code, const std::string& part) {
    return ended.code == code && ended.out.empty() && is_one_complaint(ended.err) &&
           ended.err.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an observation that no image can have is refused by its place") {
    const Folder folder;
    const std::string file = folder / "t.db", bundle = folder / "b.json";
    const auto db = [&](const Command& command) {
        return run(tilewise::tilewise(Command{"--db", file, "db"} + command));
    };
    const nlohmann::json honest = nlohmann::json::parse(read_text(source_dir() + "/tests/data/bundle_version_1.json"));
    const auto imported = [&](const auto& change) {
        nlohmann::json changed = honest;
        change(changed["observations"][3]);
        write_text(bundle, changed.dump());
        return db({"import", bundle});
    };
    const std::pair<const char*, std::function<void(nlohmann::json&)>> impossible[] = {
        {"elements of 4 bytes", [](nlohmann::json& o) { o["format"] = "R8_UNORM"; }},
        {"Vulkan calls that format R8G8B8A8_UNORM", [](nlohmann::json& o) { o["format"] = "RGBA8"; }},
        {"60001 elements were read", [](nlohmann::json& o) { o["elements"] = 60001; }},
        {"behind its 100 bytes", [](nlohmann::json& o) { o["bytes"] = 100; }},
        {"behind its 327680 bytes", [](nlohmann::json& o) { o["layout"]["base"] = 99999999; }},
        {"image usage is called 'seen'", [](nlohmann::json& o) { o["usage"] = "sampled,seen"; }},
        {"image flag is called 'flat'", [](nlohmann::json& o) { o["flags"] = "flat"; }},
        {"is written color,sampled", [](nlohmann::json& o) { o["usage"] = "color-attachment,sampled"; }},
        {"route: \"telepathy\" is not one of", [](nlohmann::json& o) { o["route"] = "telepathy"; }},
    };
    for (const auto& [what, change] : impossible) {
        const std::string said = what;
        CAPTURE(said);
        const Ended refused = imported(change);
        CAPTURE(refused.err);
        CHECK(is_complaint(refused, 1, said));
        CHECK(refused.err.find("observations[3]") != std::string::npos);
    }
    CHECK(imported([](nlohmann::json&) {}).code == 0);
    CHECK(db({"check"}).code == 0);
    CHECK(is_complaint(run(tilewise::tilewise({"db", "diff", bundle, file})), 1, "is not a database"));
}

TEST_CASE("two chips are compared image by image: NVIDIA's of two generations agree, those of two vendors do not") {
    const AppleCatalog catalog;
    const nlohmann::json alike =
        catalog.json({"db", "diff", "--gpu", "TU104", "--gpu", "TU102", "--format", "R8G8B8A8_UNORM"});
    CHECK(alike["a"] == "NVK TU104 (0x164)");
    CHECK(alike["same"] > 5);
    CHECK(alike["other_pattern"].empty());
    const nlohmann::json apart = catalog.json({"db", "diff", "--gpu", "TU104", "--gpu", "navi21"});
    CHECK(apart["other_pattern"].size() > 20);
    for (const nlohmann::json& image : apart["other_pattern"]) {
        CHECK(image["a"] != image["b"]);
        CHECK_FALSE(image.contains("device"));
    }
    const Ended shown = catalog.ask({"db", "diff", "--gpu", "TU104", "--gpu", "navi21"});
    CHECK(shown.code == 0);
    CHECK(shown.out.find("\nanother pattern (a, b): ") != std::string::npos);
    CHECK(shown.out.find("64KB_R_X") == std::string::npos);
    const std::string counts =
        fmt::format("\nsame: {}; another pattern: {}; the same pattern placed differently: {}\n",
                    apart["same"].get<size_t>(), apart["other_pattern"].size(), apart["other_placement"].size());
    CHECK(shown.out.find(counts) != std::string::npos);
    CHECK(shown.out.find("\nonly in a") == std::string::npos);
    const Ended all = catalog.ask({"db", "diff", "--gpu", "TU104", "--gpu", "navi21", "--all"});
    CHECK((all.out.find("\nonly in a: ") != std::string::npos) == !apart["only_a"].empty());
    CHECK((all.out.find("\nonly in b: ") != std::string::npos) == !apart["only_b"].empty());
    CHECK(std::ranges::count(shown.out, '\n') < std::ranges::count(all.out, '\n'));
}

TEST_CASE("chips that only texts describe are compared, too, by what their rules say of usual images") {
    const AppleCatalog catalog;
    const nlohmann::json found = catalog.json({"db", "diff", "--gpu", "GTX 1080", "--gpu", "Tegra X1"});
    // Pascal and Tegra X1 tell texels within a GOB apart otherwise: no image of either lies as the other's.
    REQUIRE(found["rules"]["pairs"].size() > 10);
    for (const nlohmann::json& pair : found["rules"]["pairs"]) CHECK(pair["images"] > 0);
}

TEST_CASE("a third thing to compare is refused") {
    const AppleCatalog catalog;
    for (const char* option : {"--gpu", "--driver"})
        CHECK(is_complaint(catalog.ask({"db", "diff", option, "a", option, "b", option, "c"}), 2, "twice at most"));
}

TEST_CASE("of two chips one version of the driver each is compared, the newest that both were seen with") {
    const AppleCatalog catalog;
    // By NVK 26.2 both have blocks of 16 GOBs; 26.1, with which GA102 was read, too, takes 32.
    const nlohmann::json newest = catalog.json({"db", "diff", "--gpu", "RTX 3080", "--gpu", "RTX 4090"});
    CHECK(newest["drivers"]["a"].get<std::string>().starts_with("NVK Mesa 26.2"));
    CHECK(newest["same"] > 100);
    CHECK(newest["other_pattern"].empty());
    for (const nlohmann::json& image : newest["other_placement"]) CHECK(image["a"].size() == 1);
    const nlohmann::json told =
        catalog.json({"db", "diff", "--gpu", "RTX 3080", "--gpu", "RTX 4090", "--driver", "NVK Mesa 26.2"});
    CHECK(told["same"] == newest["same"]);
    const Ended shown = catalog.ask({"db", "diff", "--gpu", "RTX 3080", "--gpu", "RTX 4090"});
    CHECK(shown.out.find("\ndriver of a: NVK Mesa 26.2") != std::string::npos);
    // Both have published tables, too, which are by a driver "unknown": that is not the version to compare.
    const nlohmann::json tables = catalog.json({"db", "diff", "--gpu", "10de:1e82", "--gpu", "Kaby Lake"});
    CHECK(tables["drivers"]["a"].get<std::string>().starts_with("NVK Mesa 26.2"));
}

TEST_CASE("two files of one device with two versions of its driver are compared by version, and formats counted once") {
    const AppleCatalog catalog;
    nlohmann::json bundle = nlohmann::json::parse(read_text(source_dir() + "/db/catalog/apple-honeykrisp.json"));
    bundle["devices"][0]["name"] = "Apple M9";
    std::vector<std::string> files;
    for (const char* version : {"Mesa 26.8.1", "Mesa 26.9.0"}) {
        bundle["drivers"][0]["info"] = version;
        files.push_back(catalog.folder / (std::string(version) + ".db"));
        const std::string file = catalog.folder / "of-version.json";
        write_text(file, bundle.dump());
        REQUIRE(run(tilewise::tilewise({"--db", files.back(), "db", "merge", file})).code == 0);
    }
    const nlohmann::json same = catalog.json({"db", "diff", files[0], files[1]});
    REQUIRE(same["versions"].size() == 1);
    CHECK(same["versions"][0]["device"] == "Apple M9");
    CHECK(same["versions"][0]["a"].get<std::string>().ends_with("Mesa 26.8.1"));
    CHECK(same["versions"][0]["b"].get<std::string>().ends_with("Mesa 26.9.0"));
    CHECK(same["only_a"].empty());
    CHECK(same["only_b"].empty());
    CHECK(same["other_pattern"].empty());
    CHECK(same["same"] == same["subresources_a"]);
    // Of each format once, however many devices, image types and usages have rules of it.
    std::set<std::string> formats;
    const auto bundle_of = [](const std::string& name) {
        return nlohmann::json::parse(read_text(source_dir() + "/db/catalog/" + name));
    };
    for (const auto& file : std::filesystem::directory_iterator(source_dir() + "/db/catalog"))
        if (file.path().extension() == ".json")
            for (const nlohmann::json& rule : bundle_of(file.path().filename()).value("rules", nlohmann::json::array()))
                for (const std::string& format : split(rule.at("formats").get<std::string>())) formats.insert(format);
    CHECK(same["rules"]["same_formats"] == formats.size());
    CHECK(same["rules"]["other_formats"].empty());
    CHECK(same["rules"]["same"] > formats.size());
    const Ended shown = catalog.ask({"db", "diff", files[0], files[1]});
    CHECK(shown.out.find("versions compared, of Apple M9: a ") != std::string::npos);
    CHECK(shown.out.find(fmt::format("rules: the same for {} formats, different for 0\n", formats.size())) !=
          std::string::npos);
}

TEST_CASE("a database differs from another by what was added, and from itself in nothing") {
    const AppleCatalog catalog;
    const std::string other = catalog.folder / "other.db";
    std::filesystem::copy_file(catalog.file, other);
    const nlohmann::json same = catalog.json({"db", "diff", other});
    CHECK(same["same"] == same["subresources_a"]);
    CHECK(same["same"] > 1000);
    nlohmann::json bundle = nlohmann::json::parse(read_text(source_dir() + "/db/catalog/apple-honeykrisp.json"));
    bundle["devices"][0]["name"] = "Apple M9";
    const std::string added = catalog.folder / "added.json";
    write_text(added, bundle.dump());
    REQUIRE(run(tilewise::tilewise({"--db", other, "db", "merge", added})).code == 0);
    const nlohmann::json more = catalog.json({"db", "diff", catalog.file, other});
    CHECK(more["only_a"].empty());
    REQUIRE(more["only_b"].size() > 50);
    CHECK(more["only_b"][0]["device"] == "Apple M9");
}

TEST_CASE("tune results are compared: by kernel, format, radius and extent, those of the H100 and of the H200") {
    const AppleCatalog catalog;
    using TuningKey = std::tuple<std::string, std::string, uint32_t, std::array<uint32_t, 2>>;
    const auto tuned_on = [](const std::string& card) {
        std::set<TuningKey> asked;
        const auto bundle = nlohmann::json::parse(read_text(source_dir() + "/db/catalog/" + card + ".json"));
        for (const auto& tuning : bundle.at("tunings"))
            asked.emplace(tuning.at("kernel"), tuning.at("format"), tuning.value("radius", 0U), tuning.at("extent"));
        return asked;
    };
    const std::set<TuningKey> h100 = tuned_on("nvidia-h100"), h200 = tuned_on("nvidia-h200");
    std::vector<TuningKey> both;
    std::ranges::set_intersection(h100, h200, std::back_inserter(both));
    const nlohmann::json found = catalog.json({"db", "diff", "--gpu", "H100", "--gpu", "H200"})["tunings"];
    REQUIRE(both.size() > 20);
    CHECK(found["only_a"].size() == h100.size() - both.size());
    CHECK(found["only_b"].size() == h200.size() - both.size());
    CHECK(found["same"].get<size_t>() + found["other_order"].size() == both.size());
    const std::string other = catalog.folder / "other.db";
    std::filesystem::copy_file(catalog.file, other);
    CHECK(catalog.json({"db", "diff", other})["tunings"]["same"] == h100.size() + h200.size());
    const Ended shown =
        catalog.ask({"db", "diff", "--gpu", "H100", "--gpu", "H200", "--format", "R8G8B8A8_UNORM", "--all"});
    CHECK(shown.out.find("only a has tuned box R8G8B8A8_UNORM, radius 4, 8192x8192: direct, row in 2x64: 2.812 ms") !=
          std::string::npos);
}

TEST_CASE("figures are compared: those of the H100 and the H200, as their files have them") {
    const AppleCatalog catalog;
    std::map<std::string, std::array<nlohmann::json, 2>> sides;
    for (size_t side = 0; side < 2; side++) {
        const std::string file = side == 0 ? "nvidia-h100.json" : "nvidia-h200.json";
        const nlohmann::json bundle = nlohmann::json::parse(read_text(source_dir() + "/db/catalog/" + file));
        for (const nlohmann::json& figure : bundle["figures"])
            sides[figure["name"].get<std::string>() + figure.value("format", "")][side] = figure;
    }
    size_t same = 0, other = 0;
    for (const auto& [name, pair] : sides) {
        REQUIRE((!pair[0].is_null() && !pair[1].is_null()));
        const auto end = [&of_both = pair](size_t side, size_t of) {
            return of_both[side]["interval"][of].get<double>();
        };
        (end(0, 0) <= end(1, 1) && end(1, 0) <= end(0, 1) ? same : other)++;
    }
    REQUIRE(other > 0);
    const nlohmann::json found = catalog.json({"db", "diff", "--gpu", "H100", "--gpu", "H200"})["figures"];
    CHECK(found["same"] == same);
    CHECK(found["other_value"].size() == other);
    CHECK(found["only_a"].empty());
    CHECK(found["only_b"].empty());
    const Ended shown = catalog.ask({"db", "diff", "--gpu", "H100", "--gpu", "H200"});
    CHECK(shown.out.find("\n  " + found["other_value"][0]["a"]["name"].get<std::string>()) != std::string::npos);
}

TEST_CASE("what cannot be compared is said") {
    const AppleCatalog catalog;
    CHECK(is_complaint(catalog.ask({"db", "diff"}), 2, "nothing to compare"));
    CHECK(is_complaint(catalog.ask({"db", "diff", "--gpu", "TU104"}), 2, "nothing to compare"));
    CHECK(is_complaint(catalog.ask({"db", "diff", "--driver", "radv", "--driver", "no such"}), 1,
                       "with a driver named \"no such\""));
    CHECK(is_complaint(catalog.ask({"db", "diff", catalog.folder / "none.db"}), 1, "none.db"));
    CHECK(is_complaint(catalog.ask({"db", "merge"}), 2, "files"));
    // An architecture of several chips does not differ from itself.
    const Ended itself =
        run(tilewise::tilewise({"db", "diff", "--gpu", "RDNA2", "--gpu", "RDNA2", "--format", "RGBA8"}));
    CHECK(itself.out.find("another pattern: 0") != std::string::npos);
    CHECK(itself.out.find("different for 0") != std::string::npos);
    CHECK(is_complaint(catalog.ask({"db", "merge", source_dir() + "/db/catalog/intel-anv.json", "none.json"}), 1,
                       "none.json"));
}

TEST_CASE("query tells the driver, chooses by mode, and names the chips that share a pattern") {
    const AppleCatalog catalog;
    const Ended listed = catalog.ask({"query", "--mode", "TileY0", "--format", "R8G8B8A8_UNORM"});
    CHECK(listed.code == 0);
    CHECK(listed.out.find("drivers") != std::string::npos);
    CHECK(listed.out.find("Intel TileY0") != std::string::npos);
    CHECK(listed.out.find("block-linear") == std::string::npos);
    const nlohmann::json found = catalog.json({"query", "--mode", "NVIDIA_BLOCK_LINEAR_2D", "--vendor", "NVIDIA"});
    CHECK(found["patterns"].size() > 10);
    for (const nlohmann::json& pattern : found["patterns"])
        CHECK(pattern["mode"]["modifier"].get<std::string>().starts_with("NVIDIA_BLOCK_LINEAR_2D"));
    CHECK(is_complaint(catalog.ask({"query", "--mode", "Tile5"}), 1, "there are: Intel Tile4"));
    CHECK(catalog.ask({"query", "--driver", "radv", "--format", "R8_UNORM"}).out.find("radv Mesa") !=
          std::string::npos);
}

TEST_CASE("query by the beginning of a pattern's id lists all chips that share it") {
    const AppleCatalog catalog;
    const Ended linear = catalog.ask({"query", "--pattern", "a5af65ff"});
    const std::string shared = linear.out.substr(linear.out.find("shared by several chips:"));
    CHECK(std::ranges::count(linear.out.substr(0, linear.out.find("\n\n")), '\n') == 1);
    for (const char* chip : {"AD102", "Navi 21", "M1", "lavapipe"}) CHECK(shared.find(chip) != std::string::npos);
    CHECK(shared.find(" +") == std::string::npos);
    CHECK(catalog.json({"query", "--pattern", "A5AF65FF62F8816C", "--vendor", "AMD"})["patterns"].size() == 1);
    CHECK(is_complaint(catalog.ask({"query", "--pattern", "ffff"}), 1, "no pattern \"ffff\""));
}

TEST_CASE("a side of a difference that is a device and any driver is called by the device alone") {
    const AppleCatalog catalog;
    const Ended shown = catalog.ask({"db", "diff", "--driver", "26.1", "--driver", "26.2", "--all"});
    CHECK(shown.out.find("NVK AD102 (0x192)") != std::string::npos);
    CHECK(shown.out.find("()") == std::string::npos);
}
