// One chip with several versions of its driver: rules that they share, rules that differ, a version that nobody probed.
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/rules/rule_json.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tools/answers/image/predicted_image.h"
#include <doctest/doctest.h>
#include <filesystem>
#include <map>

using namespace tilewise;

namespace {

const std::string known_version = "Mesa 26.1.6-1~bpo13+1", next_version = "Mesa 27.0.0-1";

/// The catalog, and a later driver of TU104's, with the rules that `change` makes of those of now; one that is empty is
/// left out.
std::string with_later_driver(const Folder& folder, void (*change)(Rule&)) {
    const std::string file = folder / "t.db";
    db::Database database = db::open_database(file, db::Access::read_write);
    const db::Filter filter = {.device = "TU104", .driver = known_version};
    const std::vector<db::ObservationRow> seen = db::find_observations(database, filter);
    REQUIRE(!seen.empty());
    db::DriverFact driver = seen.front().driver;
    driver.info = next_version;
    driver.version = "27.0.0";
    db::add_observation(database, seen.front().device, driver, seen.front().fact);
    for (const db::ImageRuleRow& row : find_rules(database, filter)) {
        db::ImageRuleFact fact = row.fact;
        Rule rule = rule_from_json(fact.rule);
        rule.probes = 7;
        change(rule);
        if (rule.modes.empty()) continue;
        fact.rule = to_json(rule);
        db::add_fact(database, row.device, driver, fact);
    }
    return file;
}

Ended ask(const std::string& file, const Command& arguments) {
    return run(tilewise::tilewise(Command{"--db", file} + arguments));
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void change_nothing(Rule&) {}

void change_large_elements(Rule& rule) {
    if (rule.element.bytes == 16) rule.modes.clear();
    if (rule.element.bytes != 4 || rule.element.width != 1 || rule.image_type != ImageType::two_d) return;
    for (BlockMode& mode : rule.modes) mode.image_unit *= 2;
}

const Command layout = {"--json",         "layout",   "--gpu",    "TU104",    "--format",
                        "R8G8B8A8_UNORM", "--extent", "1234x777", "--levels", "3"};

}  // namespace

TEST_CASE("rules that two versions share are one, with both versions, and predict for both") {
    const Folder folder;
    const std::string file = with_later_driver(folder, change_nothing);
    const Command rule = {"show", "--rule", "--gpu", "TU104", "--format", "R8G8B8A8_UNORM"};
    const Ended shown = ask(file, rule);
    REQUIRE(shown.code == 0);
    CHECK(has(shown.out, "NVK " + known_version + " and NVK " + next_version));
    const auto told = parse(ask(file, Command{"--json"} + rule));
    REQUIRE(told.size() >= 2);
    // The catalog has a version between, with rules of its own but for 1D images.
    for (const auto& one : told)
        if (one.at("rule").at("image_type") != "1D")
            CHECK(one.at("holds_with").size() == (has(one.at("holds_with").dump(), known_version) ? 2 : 1));
    const auto image = parse(ask(file, layout));
    CHECK(image.at("source") == "predicted");
    CHECK(has(image.at("evidence"), "NVK " + next_version));

    const auto same = parse(
        ask(file, {"--json", "db", "diff", "--gpu", "TU104", "--driver", known_version, "--driver", next_version}));
    CHECK(same.at("rules").at("same").get<size_t>() > 50);
    for (const char* list : {"pairs", "only_a", "only_b"}) CHECK(same.at("rules").at(list).empty());
}

TEST_CASE("where two versions differ, each answers for itself, and db diff says in how many images") {
    const Folder folder;
    const std::string file = with_later_driver(folder, change_large_elements);
    const Command image = {"--json",         "layout",   "--gpu", "TU104",    "--format",
                           "R8G8B8A8_UNORM", "--extent", "3x3",   "--layers", "4"};
    const auto newest = parse(ask(file, image));
    const auto now = parse(ask(file, image + Command{"--driver", "26.1.6"}));
    const auto then = parse(ask(file, image + Command{"--driver", "27.0.0"}));
    CHECK(now.at("source") == "predicted");
    CHECK(then.at("source") == "predicted");
    CHECK(then.at("bytes") == 2 * now.at("bytes").get<uint64_t>());
    CHECK(newest == then);

    const Command diff = {"db", "diff", "--gpu", "TU104", "--driver", known_version, "--driver", next_version};
    const auto rules = parse(ask(file, Command{"--json"} + diff)).at("rules");
    CHECK(rules.at("same") > 0);
    REQUIRE(rules.at("pairs").size() == 1);
    const auto& pair = rules["pairs"][0];
    CHECK(has(pair.at("formats"), "R8G8B8A8_UNORM"));
    CHECK(pair.at("images").get<int>() > 300);
    CHECK(pair.at("differing").get<int>() > 0);
    CHECK(pair.at("differing") < pair.at("images"));  // many are as long in either unit
    CHECK(has(pair.at("first"), " bytes, not "));
    CHECK(!rules.at("only_a").empty());
    CHECK(rules.at("only_b").empty());
    const std::string text = ask(file, diff + Command{"--all"}).out;
    CHECK(has(text, "images drawn at random are laid out differently, first "));
    CHECK(has(text, "only a has a rule of "));
    const Ended shown = ask(file, {"show", "--rule", "--gpu", "TU104", "--format", "R8G8B8A8_UNORM"});
    CHECK(has(shown.out, "NVK " + known_version + " (driver"));
    CHECK(has(shown.out, "NVK " + next_version + " (driver"));
}

TEST_CASE("a version that nobody probed is answered as the one before it, loudly, and never converted by silently") {
    const Folder folder;
    const std::string file = with_later_driver(folder, change_nothing);
    const auto asked = [&](const std::string& driver) {
        return ask(file, layout + Command{"--driver", driver, "--quiet"});
    };
    struct Case {
        std::string driver, stand_in;
    };
    for (const Case& c : {Case{"26.1.9", known_version},
                          {"NVK Mesa 28.1", next_version},
                          {"mesa 20.1", known_version},
                          {"27.0.1-2", next_version}}) {
        CAPTURE(c.driver);
        const Ended ended = asked(c.driver);
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        CHECK(parse(ended).at("source") == "assumed");
        CHECK(has(ended.err, "Assumed: nobody has probed NVK TU104 (0x164) with the driver \"" + c.driver));
        CHECK(has(ended.err, c.stand_in));
        CHECK(has(parse(ended).at("evidence"), c.stand_in));
    }
    for (const char* no_version_of_it : {"RADV 27.0", "Mesa", "foo"}) {
        const Ended ended = asked(no_version_of_it);
        CAPTURE(no_version_of_it);
        CHECK((ended.code == 0) == (no_version_of_it == std::string("Mesa")));
        CHECK(!has(ended.err, "Assumed"));
    }
    const std::string rows = folder / "rows.raw", image = folder / "image.bin";
    write_text(rows, std::string(size_t{64} * 64 * 4, 'x'));
    const Command tile = {"tile",           rows,       image,   "--gpu",    "TU104", "--format",
                          "R8G8B8A8_UNORM", "--extent", "64x64", "--driver", "29.0"};
    CHECK(ask(file, tile).code == 1);
    CHECK(ask(file, tile + Command{"--assume"}).code == 0);
}

TEST_CASE("Mesa 26.1's rule of RADV holds with 26.2; NVK has another one there, which it shares with Ada") {
    if (!drivers_are_here()) return;
    if (!std::filesystem::exists(source_dir() + "/build/drivers-sid/.contents")) {
        MESSAGE("SKIPPED: newer drivers are not here; run tools/drivers more");
        return;
    }
    const Folder folder;
    const std::string file = folder / "t.db";
    for (const char* driver : {"radv:navi21@sid", "nvk:0x164@sid"}) {
        const Ended learned = run(tilewise_on(
            driver, {"--db", file, "probe", "--learn", "--formats", "R8G8B8A8_UNORM", "--image-type", "2D"}));
        CAPTURE(learned.out);
        CAPTURE(learned.err);
        REQUIRE(learned.code == 0);
        CHECK(has(learned.out, "as a known rule says"));
    }
    // By device: the rule as JSON, without what it rests on; and with how many drivers it holds.
    std::map<std::string, std::pair<nlohmann::json, size_t>> rules;
    for (auto& one : parse(ask(
             file, {"--json", "show", "--rule", "--device", "NV", "--format", "R8G8B8A8_UNORM", "--usage", "storage"})))
        if (one.at("rule").at("image_type") == "2D") {
            // TU104's rule by 26.2 is in the catalog, too.
            if (one.at("device") == "NVK TU104 (0x164)" && !has(one.at("holds_with").dump(), known_version)) continue;
            one["rule"].erase("probes");
            one["rule"].erase("formats");
            rules[one.at("device")] = {one["rule"], one.at("holds_with").size()};
        }
    for (auto& one : parse(ask(file, {"--json", "show", "--rule", "--gpu", "navi21", "--format", "R8G8B8A8_UNORM",
                                      "--usage", "storage"})))
        if (one.at("rule").at("image_type") == "2D") CHECK(one.at("holds_with").size() == 2);
    // Behind the shim NVK tells no chip's name.
    REQUIRE(rules.contains("NVK"));
    CHECK(rules["NVK"].first != rules["NVK TU104 (0x164)"].first);
    CHECK(rules["NVK"].first == rules["NVK AD102 (0x192)"].first);
}
