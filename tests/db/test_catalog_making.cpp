// tools/make-catalog: how the files of the catalog are made.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include <doctest/doctest.h>
#include <filesystem>
#include <set>
#include <span>

using namespace tilewise;

TEST_CASE("making the files that come from texts again changes nothing in them") {
    const Folder folder;
    const std::string script = source_dir() + "/tools/make-catalog";
    const Command make = {"env",
                          "TILEWISE_BUILD=" + std::filesystem::path(program_path()).parent_path().string(),
                          "TILEWISE_CATALOG=" + folder.path.string(),
                          script,
                          "published-tables",
                          "documented-nvidia",
                          "arm-panvk"};
    for (int round = 0; round < 2; ++round) {  // from nothing, then over what is there
        const Ended ended = run(make);
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        CHECK(ended.out.find("changed") == std::string::npos);
        for (const char* name : {"published-tables", "documented-nvidia", "arm-panvk"}) {
            const std::string file = std::string(name) + ".json";
            const bool same = read_text(folder / file) == read_text(source_dir() + "/db/catalog/" + file);
            CHECK_MESSAGE(same, file);
        }
    }
}

TEST_CASE("a file of the catalog is as this version writes it") {
    const Folder folder;
    for (const std::string name : {"nvidia-nvk-more.json", "nvidia-h100.json"}) {
        const std::string shipped = read_text(source_dir() + "/db/catalog/" + name);
        write_text(folder / name, shipped);
        const std::string tool = (std::filesystem::path(program_path()).parent_path() / "tilewise_catalog").string();
        CHECK(run({tool, "rewrite", folder / name}).code == 0);
        const bool same = read_text(folder / name) == shipped;
        CHECK_MESSAGE(same, name);
    }
}

TEST_CASE(
    "what a card's database exports becomes its file of the catalog, orders of lanes and workgroups and timings "
    "included") {
    const Folder folder;
    const std::string script = source_dir() + "/tools/make-catalog";
    for (const std::string name : {"nvidia-h200", "nvidia-h100"}) {
        if (name == "nvidia-h100" && !soaking()) continue;
        const std::string shipped = read_text(source_dir() + "/db/catalog/" + name + ".json");
        const auto add = [&](const nlohmann::json& bundle) {
            write_text(folder / "export.json", bundle.dump());
            const Ended ended =
                run({"env", "TILEWISE_BUILD=" + std::filesystem::path(program_path()).parent_path().string(),
                     "TILEWISE_CATALOG=" + folder.path.string(), script, "add", name, folder / "export.json"});
            CAPTURE(ended.err);
            REQUIRE(ended.code == 0);
            CHECK(ended.out.find("changed") == std::string::npos);
            const bool same = read_text(folder / (name + ".json")) == shipped;
            CHECK(same);
        };
        // As it was before days were made of the times, with a board's UUID.
        nlohmann::json exported = nlohmann::json::parse(shipped);
        exported["devices"][0]["uuid"] = std::string(32, '7');
        const auto date_all = [&](const std::string& day) {  // the day of each where there is none
            for (const char* list : {"observations", "lane_orders", "start_orders", "rules", "validations", "tunings",
                                     "figures", "usage_sizes"}) {
                if (!exported.contains(list)) continue;  // tunings, figures: not of every card
                for (nlohmann::json& fact : exported[list])
                    fact["time"] =
                        (day.empty() ? fact["time"].get<std::string>().substr(0, 10) : day) + "T01:02:03.004Z";
            }
        };
        date_all("");
        add(exported);
        // A month later, with other statistics, a launch order that is not visible, and a CPU's.
        date_all("2026-12-24");
        exported["start_orders"][0]["statistics"]["correlation"] = 0.93;
        nlohmann::json hidden = exported["start_orders"][0];
        hidden.update({{"visit", "not visible"}, {"note", "hidden"}, {"time", "2026-12-25T01:02:03.004Z"}});
        exported["start_orders"].push_back(hidden);
        exported["devices"].push_back(
            {{"vendor_id", "0x10005"}, {"device_id", "0x0000"}, {"name", "a CPU"}, {"type", "cpu"}});
        nlohmann::json of_cpu = exported["start_orders"][0];
        of_cpu.update({{"device", 1}, {"visit", "column"}});
        exported["start_orders"].push_back(of_cpu);
        add(exported);
        // A database that knew the orders from the catalog has not measured them.
        exported.erase("start_orders");
        exported.erase("lane_orders");
        exported.erase("rules");
        exported.erase("rule_contents");
        exported.erase("validations");
        exported.erase("tunings");
        exported.erase("figures");
        exported.erase("usage_sizes");
        exported.erase("usage_sizes_contents");
        add(exported);
    }
}

TEST_CASE("what other images a card was asked about, and its timings, join its file of the catalog, and join it once") {
    const Folder folder;
    const std::string root = source_dir();
    const std::pair<std::string, std::vector<std::string>> cards[] = {
        {"nvidia-h200",
         {"images", "validations", "blocks-timings", "passes", "usual-sizes", "flags", "depth-and-1d-images",
          "large-radii", "small-radii", "small-images"}},
        {"nvidia-h100",
         {"images", "samples", "validations", "blocks-timings", "usual-sizes", "planes", "passes",
          "usual-sizes-reductions"}}};
    const size_t cards_asked = soaking() ? std::size(cards) : 1;
    for (size_t card = 0; card < cards_asked; card++) {
        const auto& [name, bundles] = cards[card];
        const std::string file = folder / (name + ".json");
        const std::string shipped = read_text(root + "/db/catalog/" + name + ".json");
        const auto extend = [&, name = name](std::span<const std::string> by) {
            for (const std::string& bundle : by) {
                const Ended ended =
                    run({"env", "TILEWISE_BUILD=" + std::filesystem::path(program_path()).parent_path().string(),
                         "TILEWISE_CATALOG=" + folder.path.string(), root + "/tools/make-catalog", "extend", name,
                         root + "/docs/results/" + name + "/" + bundle + ".json"});
                CAPTURE(ended.err);
                REQUIRE(ended.code == 0);
                CHECK(ended.out.find("changed") == std::string::npos);
            }
            const bool same = read_text(file) == shipped;
            CHECK_MESSAGE(same, name);
        };
        write_text(file, shipped);
        extend(std::span(bundles).first(soaking() ? bundles.size() : 1));
        // As it was before: no timings; those images have bytes, and some have patterns of their own.
        nlohmann::json before = nlohmann::json::parse(shipped);
        CHECK(before["validations"].size() > 100);
        before.erase("validations");
        auto& observations = before["observations"];
        const size_t all = observations.size();
        std::erase_if(observations.get_ref<nlohmann::json::array_t&>(),
                      [](const nlohmann::json& observation) { return observation.contains("bytes"); });
        CHECK(all - observations.size() > 300);
        std::set<std::string> used;
        for (const nlohmann::json& observation : observations) used.insert(observation["pattern"]);
        std::erase_if(before["patterns"].get_ref<nlohmann::json::array_t&>(),
                      [&](const nlohmann::json& pattern) { return !used.contains(pattern["id"]); });
        write_text(file, before.dump());
        extend(bundles);
    }
}

TEST_CASE("rules of 3D images join those of 2D images that a card has") {
    const Folder folder;
    const std::string file = folder / "nvidia-h100.json";
    const std::string shipped = read_text(source_dir() + "/db/catalog/nvidia-h100.json");
    const auto only = [&](const char* image_type) {
        nlohmann::json bundle = nlohmann::json::parse(shipped);
        std::erase_if(bundle["rules"].get_ref<nlohmann::json::array_t&>(),
                      [&](const nlohmann::json& rule) { return rule["image_type"] != image_type; });
        REQUIRE(!bundle["rules"].empty());
        std::erase_if(bundle["rule_contents"].get_ref<nlohmann::json::array_t&>(),
                      [&](const nlohmann::json& content) { return content["rule"]["image_type"] != image_type; });
        return bundle;
    };
    write_text(file, only("2D").dump());
    nlohmann::json learned = only("3D");
    for (nlohmann::json& rule : learned["rules"])
        rule["time"] = rule["time"].get<std::string>().substr(0, 10) + "T01:02:03.004Z";
    const auto extend = [&] {
        write_text(folder / "learned.json", learned.dump());
        const Ended ended =
            run({"env", "TILEWISE_BUILD=" + std::filesystem::path(program_path()).parent_path().string(),
                 "TILEWISE_CATALOG=" + folder.path.string(), source_dir() + "/tools/make-catalog", "extend",
                 "nvidia-h100", folder / "learned.json"});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        const bool same = read_text(file) == shipped;
        CHECK(same);
    };
    extend();
    // Some of them again, the others stay.
    learned["rules"].erase(0);
    std::set<nlohmann::json> contents;
    for (const nlohmann::json& rule : learned["rules"]) contents.insert(rule["content"]);
    learned["rule_contents"] = only("3D")["rule_contents"];
    std::erase_if(learned["rule_contents"].get_ref<nlohmann::json::array_t&>(),
                  [&](const nlohmann::json& content) { return !contents.contains(content["id"]); });
    extend();
}

TEST_CASE("a driver probed again gives the catalog's patterns, as long as it is the same version") {
    const std::string root = source_dir();
    if (!drivers_are_here()) return;
    const Folder folder;
    std::filesystem::copy(root + "/db/catalog/apple-honeykrisp.json", folder.path);
    const Ended ended = run({"env", "TILEWISE_BUILD=" + std::filesystem::path(program_path()).parent_path().string(),
                             "TILEWISE_CATALOG=" + folder.path.string(), "TILEWISE_RULES=keep",
                             root + "/tools/make-catalog", "apple-honeykrisp"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const auto drivers = [](const std::string& text) { return nlohmann::json::parse(text).at("drivers"); };
    const std::string before = read_text(root + "/db/catalog/apple-honeykrisp.json");
    const std::string now = read_text(folder / "apple-honeykrisp.json");
    const bool same = before == now;
    if (drivers(before) == drivers(now))
        CHECK(same);
    else
        MESSAGE("SKIPPED: tools/drivers brought another version of the driver than the catalog has");
}

TEST_CASE("docs/catalog.md is what the files of the catalog say") {
    const Folder folder;
    const Ended ended =
        run({"env", "TILEWISE_BUILD=" + std::filesystem::path(program_path()).parent_path().string(),
             "TILEWISE_CATALOG_PAGE=" + (folder / "catalog.md"), source_dir() + "/tools/make-catalog", "page"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const bool same = read_text(folder / "catalog.md") == read_text(source_dir() + "/docs/catalog.md");
    CHECK(same);
}

TEST_CASE("a published table that is none is refused with its reason, and nothing is written") {
    const Folder folder;
    const std::string program = std::filesystem::path(program_path()).parent_path() / "tilewise_catalog";
    const std::string head = "source a readme\nformat R8G8B8A8_UNORM\ntime 2026-01-01\n";
    const std::pair<const char*, const char*> faults[] = {
        {"device A\nvendor 0x10de\n[0,0] [1,0] [2,0]\n", "do not fill 3x1"},
        {"device A\nvendor 0x10de\n[0,0] [1,0] [1,0] [0,1]\n", "is no GF(2)-affine tile"},
        {"device A\nvendor 0x10de\n[0,0] [1;0]\n", "neither a known word nor an element"},
        {"device A\nvendor green\n[0,0] [1,0]\n", "is no number"},
        {"vendor 0x10de\n", "must come after a device"},
        {"", "nothing in it belongs in the catalog"},
    };
    for (const auto& [text, complaint] : faults) {
        write_text(folder / "tables.txt", head + text);
        const Ended ended = run({program, "tables", folder / "out.json", folder / "tables.txt"});
        CAPTURE(ended.err);
        CHECK(ended.code == 1);
        CHECK(ended.err.find(complaint) != std::string::npos);
        CHECK(!std::filesystem::exists(folder / "out.json"));
    }
}

TEST_CASE("what tune found joins the card's file, of each cell the newest, and stays when the file is made anew") {
    const Folder folder;
    const std::string file = folder / "nvidia-h100.json", program = std::filesystem::path(program_path()).parent_path();
    nlohmann::json bundle = nlohmann::json::parse(read_text(source_dir() + "/db/catalog/nvidia-h100.json"));
    CHECK(bundle["tunings"].size() > 30);
    bundle.erase("tunings");
    write_text(file, bundle.dump());
    nlohmann::json tuning = {{"device", 0},
                             {"driver", 0},
                             {"kernel", "box"},
                             {"method", "direct"},
                             {"order", "permutation"},
                             {"format", "R8G8B8A8_UNORM"},
                             {"extent", {4096, 4096}},
                             {"radius", 1},
                             {"shape", {4, 2}},
                             {"columns", "y0 x0 x1"},
                             {"candidates", 100},
                             {"samples", 10},
                             {"median_ms", 0.2},
                             {"time", "2026-11-23T11:00:00.000Z"},
                             {"tool_version", "0.1.0"}};
    const auto extend = [&](const std::vector<nlohmann::json>& tunings) {
        for (const char* list : {"observations", "patterns", "disagreements"}) bundle[list] = nlohmann::json::array();
        for (const char* list : {"lane_orders", "start_orders", "rule_contents", "rules", "validations", "figures"})
            bundle.erase(list);
        bundle["version"] = 3;
        // The catalog does not name the board.
        bundle["devices"][0]["uuid"] = "0123456789abcdef0123456789abcdef";
        bundle["tunings"] = tunings;
        write_text(folder / "tunings.json", bundle.dump());
        const Ended ended =
            run({"env", "TILEWISE_BUILD=" + program, "TILEWISE_CATALOG=" + folder.path.string(),
                 source_dir() + "/tools/make-catalog", "extend", "nvidia-h100", folder / "tunings.json"});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return nlohmann::json::parse(read_text(file));
    };
    nlohmann::json newer = tuning, other = tuning;
    newer["median_ms"] = 0.3;
    newer["time"] = "2026-11-23T12:00:00.000Z";
    other["radius"] = 2;
    const nlohmann::json made = extend({newer, other, tuning});
    REQUIRE(made["tunings"].size() == 2);
    CHECK(made["tunings"][0]["median_ms"] == 0.3);
    CHECK(made["tunings"][0]["time"] == "2026-11-23T00:00:00Z");
    CHECK(made["tunings"][1]["radius"] == 2);
    CHECK(made["devices"].size() == 1);
    CHECK(made["validations"].size() > 100);
    newer["time"] = "2026-11-24T12:00:00.000Z";
    CHECK(extend({newer}) == made);  // the same again keeps its date, and what was not timed again stays
    CHECK(run({program + "/tilewise_catalog", "rewrite", file}).code == 0);
    CHECK(nlohmann::json::parse(read_text(file)) == made);
}
