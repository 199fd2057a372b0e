#include "db/bundle/bundle.h"
#include "db/catalog.h"
#include "db/facts/disagreement.h"
#include "db/facts/image_rule.h"
#include "db/query/check.h"
#include "db/query/query.h"
#include "db/sqlite/schema.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <functional>

using namespace tilewise;
using namespace tilewise::db;

namespace {

Database with_samples(const std::filesystem::path& path) {
    Database database = sample::empty_database(path);
    const ObservationFact fact = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00.000Z");
    ObservationFact other = fact;
    other.route = "host-copy";
    other.memory_type = -1;
    const Added first = add_observation(database, sample::h100(), sample::nvidia_580(), fact);
    const Added second = add_observation(database, sample::h100(), sample::nvidia_580(), other);
    add_disagreement(database, {.first = first.observation,
                                .second = second.observation,
                                .differing = 3,
                                .element = {1, 2, 0, 0},
                                .first_offset = 64,
                                .second_offset = std::nullopt,
                                .text = "a test"});
    ObservationFact amd = sample::observed(sample::navi21(), "2025-03-02T12:00:00.000Z");
    amd.layout->constant = 0x400;
    amd.provenance = "driver without hardware";
    add_observation(database, sample::radeon(), sample::radv(), amd);
    add_observation(database, sample::radeon(), sample::radv(),
                    sample::failed("opaque", "compressed", "2025-03-02T12:00:01.000Z"));
    return database;
}

std::string refusal(Database& database, const std::string& text) {
    try {
        import_bundle(database, text, "team.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "imported";
}

// The bundle with one change, and what import says to it.
std::string refusal_after(const std::string& bundle, const std::function<void(nlohmann::json&)>& change) {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "target.db");
    nlohmann::json json = nlohmann::json::parse(bundle);
    change(json);
    std::string said = refusal(database, json.dump());
    CHECK(database_stats(database).observations == 0);
    CHECK(database_stats(database).devices == 0);
    return said;
}

}  // namespace

TEST_CASE("observations are read under any spelling of their name that JSON has, and nothing stands behind a bundle") {
    const sample::Folder folder;
    std::string bundle = export_bundle(with_samples(folder.path / "a.db"));
    const auto count = [&](const std::string& text) {
        Database database = sample::empty_database(folder.path / (std::to_string(text.size()) + "b.db"));
        return import_bundle(database, text, "b.json").observations;
    };
    const uint64_t all = count(bundle);
    CHECK(all == 4);
    std::string spelt = bundle;
    spelt.replace(spelt.find("\"observations\""), 14, "\"observ\\u0061tions\"");
    CHECK(count(spelt) == all);
    Database database = sample::empty_database(folder / "c.db");
    CHECK(refusal(database, bundle + std::string("\0x", 2)).find("zero byte") != std::string::npos);
    CHECK(refusal(database, bundle + "{}").find("is not JSON") != std::string::npos);
}

TEST_CASE("a bundle carries every fact, and importing it again adds nothing") {
    const sample::Folder folder;
    const Database source = with_samples(folder / "source.db");
    const std::string bundle = export_bundle(source);
    Database target = sample::empty_database(folder / "target.db");

    const Imported first = import_bundle(target, bundle, "team.json");
    CHECK(first.devices == 2);
    CHECK(first.drivers == 2);
    CHECK(first.patterns == 2);
    CHECK(first.observations == 4);
    CHECK(first.disagreements == 1);
    CHECK(first.contradictions.empty());
    CHECK(export_bundle(target) == bundle);
    CHECK(check_database(target).faults.empty());
    CHECK(find_observations(target, {.vendor = "AMD", .result = "exact"}).at(0).fact.layout->constant == 0x400);

    const Imported again = import_bundle(target, bundle, "team.json");
    CHECK(again.devices + again.drivers + again.patterns + again.observations + again.disagreements == 0);
    CHECK(again.known_observations == 4);
}

TEST_CASE("facts of one pattern contradict each other, too: by strides, base, bytes and alignment") {
    const sample::Folder folder;
    const ObservationFact known = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00Z");
    const auto contradiction = [&](const std::function<void(ObservationFact&)>& change) -> std::string {
        Database database = sample::empty_database(folder / "c.db");
        ObservationFact first = known;
        first.bytes = 1 << 20;
        first.alignment = 4096;
        ObservationFact second = first;
        second.time = "2025-03-05T12:00:00Z";
        change(second);
        add_observation(database, sample::h100(), sample::nvidia_580(), first);
        add_observation(database, sample::h100(), sample::nvidia_580(), second);
        const std::vector<Contradiction> found = check_database(database).contradictions;
        CHECK(found.size() <= 1);
        std::filesystem::remove(folder / "c.db");
        return found.empty() ? "" : found.front().text;
    };
    const auto has = [](const std::string& text, const char* word) { return text.find(word) != std::string::npos; };
    CHECK(contradiction([](ObservationFact&) {}) == "");
    CHECK(has(contradiction([](ObservationFact& f) { f.layout->stride[axis_y] *= 2; }), "strides"));
    CHECK(has(contradiction([](ObservationFact& f) { f.layout->base = 4096; }), "base 4096"));
    CHECK(has(contradiction([](ObservationFact& f) { f.bytes *= 2; }), "2097152 bytes"));
    CHECK(has(contradiction([](ObservationFact& f) { f.alignment *= 2; }), "aligned to 8192"));
    // A driver may draw the constant anew; what is not known contradicts nothing.
    CHECK(contradiction([](ObservationFact& f) { f.layout->constant = 256; }) == "");
    CHECK(contradiction([](ObservationFact& f) { f.bytes = f.alignment = 0; }) == "");
}

TEST_CASE("of a hundred bundles all are merged, or none where one is refused") {
    const sample::Folder folder;
    std::vector<Bundle> bundles;
    for (uint32_t i = 0; i < 100; ++i) {
        Database one = open_catalog({});
        ObservationFact fact = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00Z");
        fact.elements += i / 2;  // each fact in two of them
        add_observation(one, sample::h100(), sample::nvidia_580(), fact);
        bundles.push_back({"part" + std::to_string(i) + ".json", [text = export_bundle(one)] { return text; }});
    }
    Database target = sample::empty_database(folder / "target.db");
    bundles.push_back({"last.json", [] { return "{}"; }});
    CHECK_THROWS_WITH_AS(import_bundles(target, bundles),
                         "last.json: format: is not \"tilewise-bundle\": this is not a bundle of tilewise", Error);
    CHECK(database_stats(target).devices == 0);
    // Whether the indexes are made anew, for more than there is, or not: nothing of the schema goes.
    const std::string schema = schema_text(target.sqlite);
    CHECK(schema.find("observation_by_extent") != schema.npos);
    bundles.pop_back();
    const Imported imported = import_bundles(target, bundles);
    CHECK(imported.observations == 50);
    CHECK(imported.known_observations == 50);
    CHECK(imported.patterns == 1);
    CHECK(check_database(target).faults.empty());
    CHECK(schema_text(target.sqlite) == schema);
    CHECK(import_bundles(target, bundles).observations == 0);
    CHECK(schema_text(target.sqlite) == schema);
}

TEST_CASE("a filter restricts what is exported, to facts that stand by themselves") {
    const sample::Folder folder;
    const Database source = with_samples(folder / "source.db");
    Database target = sample::empty_database(folder / "target.db");
    import_bundle(target, export_bundle(source, {.vendor = "NVIDIA", .provenance = "hardware"}), "h100.json");
    const Stats stats = database_stats(target);
    CHECK(stats.devices == 1);
    CHECK(stats.patterns == 1);
    CHECK(stats.observations == 2);
    CHECK(stats.disagreements == 1);
    import_bundle(target, export_bundle(source, {.result = "opaque"}), "opaque.json");
    CHECK(database_stats(target).patterns == 1);
}

TEST_CASE("an empty database makes a bundle that can be imported") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    CHECK(import_bundle(database, export_bundle(database), "empty.json").observations == 0);
}

TEST_CASE("a bundle is ASCII, whatever a driver calls its device") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    DeviceFact device = sample::h100();
    device.name = "图形 \u00e9";
    add_observation(database, device, sample::nvidia_580(),
                    sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00Z"));
    const std::string bundle = export_bundle(database);
    CHECK(std::ranges::all_of(bundle, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
    Database other = sample::empty_database(folder / "b.db");
    CHECK(import_bundle(other, bundle, "team.json").devices == 1);
    CHECK(list_devices(other).front().fact.name == device.name);
}

TEST_CASE("one fact is one line of a bundle") {
    const sample::Folder folder;
    const std::string bundle = export_bundle(with_samples(folder.path / "a.db"));
    size_t lines = 0;
    for (size_t at = 0; (at = bundle.find("\n{\"device\":", at)) != std::string::npos; ++at) ++lines;
    CHECK(lines == 4);
}

TEST_CASE("facts that contradict each other are kept side by side and reported") {
    const sample::Folder folder;
    Database ours = sample::empty_database(folder / "ours.db");
    Database theirs = sample::empty_database(folder / "theirs.db");
    add_observation(ours, sample::h100(), sample::nvidia_580(),
                    sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00Z"));
    DeviceFact another_board = sample::h100();
    another_board.uuid = "ffffffffffffffffffffffffffffffff";
    const ObservationFact different = sample::observed(sample::navi21(), "2025-03-05T12:00:00Z");
    add_observation(theirs, another_board, sample::nvidia_580(), different);
    ObservationFact another_image = different;
    another_image.extent_px = {301, 200, 1};
    add_observation(theirs, another_board, sample::nvidia_580(), another_image);

    const std::string bundle = export_bundle(theirs);
    const Imported imported = import_bundle(ours, bundle, "theirs.json");
    CHECK(imported.observations == 2);
    REQUIRE(imported.contradictions.size() == 1);
    const Contradiction& contradiction = imported.contradictions[0];
    CHECK(contradiction.first.pattern == pattern_id(sample::gob_of_16().pattern));
    CHECK(contradiction.second.pattern == pattern_id(sample::navi21().pattern));
    CHECK(contradiction.text.find("300x200") != std::string::npos);
    CHECK(database_stats(ours).observations == 3);
    CHECK(import_bundle(ours, bundle, "theirs.json").contradictions.empty());  // told once
    CHECK(check_database(ours).contradictions.size() == 1);                    // and kept
    CHECK(check_database(ours).faults.empty());
}

TEST_CASE("a damaged bundle is refused by the place of the damage, and nothing of it is kept") {
    const sample::Folder folder;
    const std::string bundle = export_bundle(with_samples(folder.path / "a.db"));
    using Json = nlohmann::json;
    const auto said = [&](const std::function<void(Json&)>& change) { return refusal_after(bundle, change); };

    CHECK(said([](Json& j) { j["format"] = "other"; }).starts_with("team.json: format: is not \"tilewise-bundle\""));
    CHECK(said([](Json& j) { j["version"] = 8; }).starts_with("team.json: version: was written by a newer tilewise"));
    CHECK(said([](Json& j) { j.erase("patterns"); }) == "team.json: patterns: is missing");
    CHECK(said([](Json& j) { j["devices"] = 3; }) == "team.json: devices: must be an array");
    CHECK(said([](Json& j) { j["devices"][1] = 3; }) == "team.json: devices[1]: must be an object");
    CHECK(said([](Json& j) { j["devices"][1]["name"] = 3; }) == "team.json: devices[1].name: must be a string");
    CHECK(said([](Json& j) {
              j["devices"][0]["vendor_id"] = "10de";
          }).starts_with("team.json: devices[0].vendor_id: must be a string such as"));
    CHECK(said([](Json& j) { j["drivers"][0]["colour"] = "red"; }) ==
          "team.json: drivers[0].colour: is not a member of this object");
    CHECK(said([](Json& j) { j["extra"] = Json::array(); }) == "team.json: extra: is not a member of this object");
    CHECK(said([](Json& j) {
              j["patterns"][0]["id"] = "0123456789abcdef";
          }).starts_with("team.json: patterns[0].id: is \"0123456789abcdef\", but the layout's pattern has the id "));
    CHECK(
        said([](Json& j) { j["patterns"][0]["layout"].erase("tile"); }).starts_with("team.json: patterns[0].layout: "));
    CHECK(said([](Json& j) {
              j["patterns"][0]["layout"]["equation"][0] = 7;
          }).starts_with("team.json: patterns[0].layout: "));
    CHECK(said([](Json& j) {
              j["observations"][3]["extent"] = {64, 0, 1};
          }) == "team.json: observations[3]: extent: must be three positive integers");
    CHECK(said([](Json& j) {
              j["observations"][3]["extent"] = {64, 64};
          }) == "team.json: observations[3].extent: must be 3 integers from 0 to 4294967295");
    CHECK(said([](Json& j) { j["observations"][0]["device"] = 2; }) ==
          "team.json: observations[0].device: is 2, but there are 2");
    CHECK(said([](Json& j) {
              j["observations"][0]["elements"] = -1;
          }).starts_with("team.json: observations[0].elements: must be an integer from 0"));
    CHECK(said([](Json& j) {
              j["observations"][1]["result"] = "maybe";
          }).starts_with("team.json: observations[1]: result: \"maybe\" is not one of"));
    CHECK(said([](Json& j) { j["observations"][2].erase("layout"); }).starts_with("team.json: observations[2]"));
    CHECK(said([](Json& j) { j["observations"][2]["pattern"] = "ffffffffffffffff"; }) ==
          "team.json: observations[2].pattern: \"ffffffffffffffff\" is not in \"patterns\"");
    CHECK(said([](Json& j) {
              j["observations"][2]["layout"]["equation"] = Json::array({"0"});
          }).starts_with("team.json: observations[2].layout: "));
    CHECK(said([](Json& j) { j["disagreements"][0]["second"] = 9; }) ==
          "team.json: disagreements[0].second: is 9, but there are 4");
    CHECK(said([](Json& j) {
              j["observations"].erase(0), j["observations"].erase(0), j["disagreements"].clear();
          }).find("no observation rests on it") != std::string::npos);
}

namespace {

std::string bundle_of_version_1() { return read_text(source_dir() + "/tests/data/bundle_version_1.json"); }

/// The rule of that bundle on two chips, learned from other numbers of images.
Database with_shared_rule(const std::filesystem::path& path) {
    Database database = sample::empty_database(path);
    import_bundle(database, bundle_of_version_1(), "1.json");
    const ImageRuleRow row = find_facts<ImageRuleFact>(database).at(0);
    ImageRuleFact other = row.fact;
    nlohmann::json rule = row.fact.rule;
    rule["probes"] = 31U;
    other.rule = rule;
    add_fact(database, row.device, row.driver, other);
    add_fact(database, sample::radeon(), sample::radv(), row.fact);
    return database;
}

std::vector<nlohmann::json> rules_in(const Database& database) {
    std::vector<nlohmann::json> rules;
    for (const ImageRuleRow& row : find_facts<ImageRuleFact>(database)) rules.push_back(row.fact.rule);
    return rules;
}

}  // namespace

TEST_CASE("a bundle of version 1, which has each rule whole, is still read") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    const nlohmann::json bundle = nlohmann::json::parse(bundle_of_version_1());
    CHECK(import_bundle(database, bundle.dump(), "1.json").rules == 1);
    CHECK(rules_in(database) == std::vector{bundle["rules"][0]["rule"]});
    CHECK(import_bundle(database, export_bundle(database), "2.json").rules == 0);
    nlohmann::json newer = bundle;
    newer["version"] = 2;
    CHECK(import_bundle(database, newer.dump(), "mixed.json").rules == 0);
    CHECK(nlohmann::json::parse(export_bundle(database, {.vendor = "AMD"}))["version"] == 1);
}

TEST_CASE("what rules of several chips say is once in the database and once in a bundle") {
    const sample::Folder folder;
    const Database database = with_shared_rule(folder / "a.db");
    const std::string text = export_bundle(database);
    const nlohmann::json bundle = nlohmann::json::parse(text);
    CHECK(bundle["version"] == 2);
    REQUIRE(bundle["rule_contents"].size() == 1);
    REQUIRE(bundle["rules"].size() == 3);
    for (const nlohmann::json& rule : bundle["rules"]) {
        CHECK_FALSE(rule.contains("rule"));
        CHECK(rule["content"] == bundle["rule_contents"][0]["id"]);
    }
    Database target = sample::empty_database(folder / "b.db");
    CHECK(import_bundle(target, text, "2.json").rules == 3);
    CHECK(rules_in(target) == rules_in(database));
    CHECK(export_bundle(target) == text);
    CHECK(check_database(target).faults.empty());
    Statement contents(target.sqlite, "SELECT count(*) FROM rule_content");
    CHECK(contents.only_integer() == 2);  // the number of images is part of them here
}

TEST_CASE("a rule whose content is missing, wrong or of no use is refused by its place") {
    const sample::Folder folder;
    const std::string bundle = export_bundle(with_shared_rule(folder / "a.db"));
    using Json = nlohmann::json;
    const auto said = [&](const std::function<void(Json&)>& change) { return refusal_after(bundle, change); };
    CHECK(said([](Json& j) { j["rules"][1]["content"] = "0123456789abcdef"; }) ==
          "team.json: rules[1].content: \"0123456789abcdef\" is not in \"rule_contents\"");
    CHECK(said([](Json& j) { j["rules"][1]["content"] = 7; }) == "team.json: rules[1].content: must be a string");
    CHECK(said([](Json& j) { j["rules"][1].erase("content"); }) == "team.json: rules[1].rule: is missing");
    CHECK(said([](Json& j) { j["rules"][1].erase("probes"); }) == "team.json: rules[1].probes: is missing");
    CHECK(said([](Json& j) { j["rules"][1]["rule"] = Json::object(); }) ==
          "team.json: rules[1].rule: is there beside \"content\"");
    CHECK(said([](Json& j) { j["rules"][1]["colour"] = 7; }) ==
          "team.json: rules[1].colour: is not a member of this object");
    CHECK(said([](Json& j) { j["rule_contents"][0]["rule"] = 7; }) ==
          "team.json: rule_contents[0].rule: must be an object");
    CHECK(said([](Json& j) { j["rule_contents"][0]["rule"]["max_levels"] = 3; })
              .starts_with("team.json: rule_contents[0].id: is \"" +
                           Json::parse(bundle)["rule_contents"][0]["id"].get<std::string>() +
                           "\", but the rule has the id "));
    CHECK(said([](Json& j) { j["rule_contents"].push_back(j["rule_contents"][0]); }).ends_with(" is there twice"));
    CHECK(said([](Json& j) { j["rules"].clear(); }).starts_with("team.json: rule_contents: no rule has the content "));
    CHECK(said([](Json& j) { j["rule_contents"] = 7; }) == "team.json: rule_contents: must be an array");
    CHECK(said([](Json& j) { j["rules"] = 7; }) == "team.json: rules: must be an array");
    CHECK(said([](Json& j) { j["rules"][2] = 7; }) == "team.json: rules[2]: must be an object");
}

TEST_CASE("what is no JSON among a bundle's observations is told by its place in the whole text") {
    const sample::Folder folder;
    const std::string bundle = export_bundle(with_samples(folder.path / "a.db"));
    Database database = sample::empty_database(folder / "target.db");
    const auto said_of = [&](const std::string& good, const std::string& bad) {
        std::string text = bundle;
        text.replace(text.find(good, text.find("\"observations\"")), good.size(), bad);
        const std::string line =
            std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<long>(text.find(bad)), '\n'));
        const std::string said = refusal(database, text);
        CAPTURE(said);
        CHECK(said.starts_with("team.json: is not JSON: line "));
        return said.find("line " + line + ",") != std::string::npos;
    };
    CHECK(said_of("\"device\":1", "\"device\" 1"));
    CHECK(said_of("},\n{", "},,\n{"));
    CHECK(said_of("\"elements\":", "\"elements\":]"));
    CHECK(database_stats(database).observations == 0);
}

TEST_CASE("a bundle's members may come in any order, and an empty list between spaces is empty") {
    const sample::Folder folder;
    const std::string bundle = export_bundle(with_samples(folder.path / "a.db"));
    Database database = sample::empty_database(folder / "target.db");
    nlohmann::json sorted = nlohmann::json::parse(bundle);
    REQUIRE(sorted.dump().find("\"observations\"") < sorted.dump().find("\"patterns\""));
    CHECK(import_bundle(database, sorted.dump(2), "sorted.json").observations == 4);
    CHECK(export_bundle(database) == bundle);
    sorted["observations"] = 3;
    CHECK(refusal(database, sorted.dump()) == "team.json: observations: must be an array");
    const std::string empty =
        R"({"format": "tilewise-bundle", "version": 1, "devices": [], "drivers": [], "patterns": [],
                                  "observations": [ ], "disagreements": []})";
    CHECK(import_bundle(database, empty, "empty.json").observations == 0);
}

TEST_CASE("a bundle cut off anywhere is refused, and nothing of it is kept") {
    const sample::Folder folder;
    const std::string bundle = export_bundle(with_samples(folder.path / "a.db"));
    Database database = sample::empty_database(folder / "target.db");
    for (size_t size = 0; size + 2 < bundle.size(); size += 97) {
        const std::string said = refusal(database, bundle.substr(0, size));
        CHECK(said.starts_with("team.json: "));
        CHECK(said.find('\n') == std::string::npos);
    }
    CHECK(database_stats(database).observations == 0);
    CHECK(refusal(database, "[]") == "team.json: the document: must be an object");
}

TEST_CASE("a catalog is in every new database, and a newer one reaches an old database once") {
    const sample::Folder folder;
    const std::string nvidia = export_bundle(with_samples(folder / "source.db"), {.vendor = "NVIDIA"});
    const std::string amd = export_bundle(with_samples(folder / "source.db"), {.vendor = "AMD"});
    const std::vector<CatalogFile> old_catalog = {{"nvidia.json", nvidia}};
    const std::vector<CatalogFile> new_catalog = {{"nvidia.json", nvidia}, {"amd.json", amd}};
    const auto count = [&](const std::vector<CatalogFile>& catalog, Access access) {
        return database_stats(open_database(folder / "a.db", access, catalog)).observations;
    };
    CHECK(count(old_catalog, Access::read_write) == 2);
    CHECK(count(new_catalog, Access::read_only) == 2);
    CHECK(count(new_catalog, Access::read_write) == 4);
    CHECK(count(new_catalog, Access::read_write) == 4);
    CHECK(database_stats(open_catalog(new_catalog)).observations == 4);
    CHECK(load_catalog(*std::make_unique<Database>(open_catalog({})), new_catalog).patterns == 2);

    const std::vector<CatalogFile> broken = {{"nvidia.json", nvidia}, {"amd.json", "{}"}};
    CHECK_THROWS_AS(open_database(folder / "b.db", Access::read_write, broken), Error);
    CHECK(database_stats(open_database(folder / "b.db", Access::read_write, {})).observations == 0);
}

TEST_CASE("a new database starts as a copy of the build's file, in which is what importing the catalog gives") {
    const sample::Folder folder;
    CHECK(embedded_catalog_file().size() > 1'000'000);
    const std::vector<CatalogFile> imported(embedded_catalog().begin(), embedded_catalog().end());
    const std::string expected = export_bundle(open_catalog(imported));
    CHECK(export_bundle(open_catalog()) == expected);
    const auto path = folder / "a.db";
    {
        const Database made = open_database(path, Access::read_write);
        CHECK(export_bundle(made) == expected);
        Statement mode(made.sqlite, "PRAGMA journal_mode");
        REQUIRE(mode.step());
        CHECK(mode.text(0) == "wal");
    }
    CHECK(std::filesystem::file_size(path) == embedded_catalog_file().size());
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
    CHECK(check_database(open_database(path, Access::read_only)).faults.empty());
    // An empty file, and one that is there already, are no new ones.
    { const Database other = open_database(folder / "other.db", Access::read_write, {}); }
    CHECK(export_bundle(open_database(folder / "other.db", Access::read_write)) == expected);
    if (!soaking()) return;  // the same once more
    sample::write_file(folder / "empty.db", "");
    CHECK(export_bundle(open_database(folder / "empty.db", Access::read_write)) == expected);
}

TEST_CASE("the shipped catalog can be loaded and is sound") {
    const Database catalog = open_catalog();
    CHECK(database_stats(catalog).observations > 1000);
    CHECK(check_database(catalog).faults.empty());
    CHECK(check_database(catalog).contradictions.empty());
}
