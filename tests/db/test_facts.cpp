#include "db/bundle/bundle.h"
#include "db/facts/disagreement.h"
#include "db/facts/identity.h"
#include "db/facts/pattern.h"
#include "db/query/check.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "tests/support/db_sample.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>

using namespace tilewise;
using namespace tilewise::db;

namespace {

// Two devices, three patterns' worth of observations.
void add_samples(Database& database) {
    ObservationFact blur = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00.000Z");
    add_observation(database, sample::h100(), sample::nvidia_580(), blur);
    blur.format = "B8G8R8A8_UNORM";
    blur.extent_px = {64, 32, 1};
    blur.time = "2025-03-01T12:00:01.000Z";
    add_observation(database, sample::h100(), sample::nvidia_580(), blur);
    ObservationFact amd = sample::observed(sample::navi21(), "2025-03-02T12:00:00.000Z");
    amd.usage = "sampled";
    amd.route = "host-copy";
    amd.provenance = "driver without hardware";
    add_observation(database, sample::radeon(), sample::radv(), amd);
    add_observation(database, sample::radeon(), sample::radv(),
                    sample::failed("nothing-written", "the sentinel stood", "2025-03-02T12:00:01.000Z"));
}

std::string message_of(const auto& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

}  // namespace

TEST_CASE("an observation comes back as it was stored") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    ObservationFact fact = sample::observed(sample::navi21(), "2025-03-01T12:00:00.123Z");
    fact.layout->stride[axis_s] = 1 << 20;
    fact.layout->constant = 0x300;
    fact.layout->base = 0x1234567890;
    fact.layout->pattern.element = {4, 2, 3};
    fact.levels = 9;
    fact.level = 2;
    fact.layers = 6;
    fact.layer = 5;
    fact.samples = 4;
    fact.aspect = "depth";
    fact.flags = "mutable-format,alias, cube-compatible";
    fact.bytes = 0x123456789a;
    fact.alignment = 1 << 16;
    fact.sparse = sample::sparse_of_r8();
    fact.usage = "transfer-src,sampled, storage,sampled";
    const Added added = add_observation(database, sample::radeon(), sample::radv(), fact);
    CHECK(added.new_observation);
    CHECK(added.pattern == pattern_id(sample::navi21().pattern));

    const std::vector<ObservationRow> rows = find_observations(database, {});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].row == added.observation);
    CHECK(rows[0].device == sample::radeon());
    CHECK(rows[0].driver == sample::radv());
    CHECK(rows[0].pattern == added.pattern);
    const ObservationFact& back = rows[0].fact;
    CHECK(back.layout == fact.layout);
    CHECK(back.usage == "sampled,storage,transfer-src");  // sorted, each once
    CHECK(back.extent_px == fact.extent_px);
    CHECK(back.level == 2);
    CHECK(back.layer == 5);
    CHECK(back.samples == 4);
    CHECK(back.aspect == "depth");
    CHECK(back.sparse == fact.sparse);
    CHECK(back.memory_type == 1);
    CHECK(back.memory_flags == "DEVICE_LOCAL");
    CHECK(back.time == fact.time);
    CHECK(back.elements == 60000);
}

TEST_CASE("probing twice adds observations, and neither patterns nor devices nor drivers") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    const ObservationFact first = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00.000Z");
    ObservationFact second = first;
    second.time = "2025-03-01T12:05:00.000Z";
    second.layout->stride[axis_y] *= 2;  // another image size, the same pattern

    const Added a = add_observation(database, sample::h100(), sample::nvidia_580(), first);
    const Added b = add_observation(database, sample::h100(), sample::nvidia_580(), second);
    const Added again = add_observation(database, sample::h100(), sample::nvidia_580(), second);
    CHECK(a.new_device);
    CHECK(a.new_pattern);
    CHECK(b.new_observation);
    CHECK_FALSE(b.new_device);
    CHECK_FALSE(b.new_driver);
    CHECK_FALSE(b.new_pattern);
    CHECK_FALSE(again.new_observation);
    CHECK(again.observation == b.observation);

    const Stats stats = database_stats(database);
    CHECK(stats.devices == 1);
    CHECK(stats.drivers == 1);
    CHECK(stats.patterns == 1);
    CHECK(stats.observations == 2);
    CHECK(stats.results == std::vector<std::pair<std::string, uint64_t>>{{"exact", 2}});
    CHECK(check_database(database).faults.empty());
}

TEST_CASE("a column-major pattern keeps its order in the database") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    Layout layout = sample::gob_of_16();
    layout.pattern.order = {axis_y, axis_x, axis_z, axis_s};
    layout.stride = {10 * 8192, 8192, 0, 0};
    const Added added = add_observation(database, sample::h100(), sample::nvidia_580(),
                                        sample::observed(layout, "2025-03-01T12:00:00Z"));
    CHECK(added.pattern != pattern_id(sample::gob_of_16().pattern));
    CHECK(pattern_summary(database, added.pattern).layout.pattern == layout.pattern);
    CHECK(check_database(database).faults.empty());
}

TEST_CASE("a pattern whose strides would not fit into 64 bits is refused, also in an odd order of axes") {
    Pattern pattern;
    pattern.element.bytes = 4;
    pattern.order = {axis_s, axis_z, axis_y, axis_x};
    pattern.tile_bytes = uint64_t{1} << 33;
    CHECK(bare_layout(pattern).stride[axis_x] == uint64_t{1} << 63);
    pattern.tile_bytes <<= 1;
    CHECK_THROWS_WITH_AS((void)bare_layout(pattern),
                         "a tile of 17179869184 bytes: images of many of them are beyond 64 bits of address", Error);
    pattern.order = all_axes;
    CHECK(bare_layout(pattern).stride[axis_y] == pattern.tile_bytes << 10);
}

TEST_CASE("a fact that cannot be is refused by the name of its member") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    const auto refused = [&](auto change) {
        ObservationFact fact = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00Z");
        change(fact);
        return message_of([&] { add_observation(database, sample::h100(), sample::nvidia_580(), fact); });
    };
    CHECK(refused([](ObservationFact& f) { f.extent_px[1] = 0; }) == "extent: must be three positive integers");
    CHECK(refused([](ObservationFact& f) { f.level = 1; }) == "level: 1 of 1");
    CHECK(refused([](ObservationFact& f) { f.time = "yesterday"; }).starts_with("time: \"yesterday\" is not like"));
    for (const char* time : {"2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z"})
        CHECK(refused([&](ObservationFact& f) { f.time = time; }).find("is not a time that exists") !=
              std::string::npos);
    CHECK(refused([](ObservationFact& f) { f.result = "opaque"; }).starts_with("layout: must not be there"));
    CHECK(refused([](ObservationFact& f) { f.layout.reset(); }).starts_with("layout: is missing"));
    CHECK(refused([](ObservationFact& f) { f.result = "good"; }).starts_with("result: \"good\" is not one of"));
    CHECK(refused([](ObservationFact& f) { f.provenance = "rumour"; }).starts_with("provenance: \"rumour\""));
    CHECK(database_stats(database).observations == 0);
    CHECK(database_stats(database).devices == 0);
}

TEST_CASE("a driver's message of several lines becomes one line") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    add_observation(database, sample::h100(), sample::nvidia_580(),
                    sample::failed("crashed", "signal 6:\nassertion failed\n", "2025-03-01T12:00:00Z"));
    CHECK(find_observations(database, {}).at(0).fact.reason == "signal 6: assertion failed");
}

TEST_CASE("patterns are found by vendor, device, driver, format, extent, usage and provenance") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    add_samples(database);
    const std::string nvidia = pattern_id(sample::gob_of_16().pattern);
    const std::string amd = pattern_id(sample::navi21().pattern);
    const auto ids = [&](const Filter& filter) {
        std::vector<std::string> list;
        for (const PatternSummary& summary : find_patterns(database, filter)) list.push_back(summary.id);
        return list;
    };
    using Ids = std::vector<std::string>;
    CHECK(ids({}) == Ids{nvidia, amd});  // the most observed first
    CHECK(ids({.vendor = "nvidia"}) == Ids{nvidia});
    CHECK(ids({.vendor = "0x1002"}) == Ids{amd});
    CHECK(ids({.device = "rx 6800"}) == Ids{amd});
    CHECK(ids({.device = "h100"}) == Ids{nvidia});
    CHECK(ids({.driver = "mesa 26"}) == Ids{amd});
    CHECK(ids({.format = "vk_format_b8g8r8a8_unorm"}) == Ids{nvidia});
    CHECK(ids({.usage = "storage"}) == Ids{nvidia});
    CHECK(ids({.usage = "SAMPLED"}) == Ids{nvidia, amd});
    CHECK(ids({.usage = "storage,sampled"}) == Ids{nvidia});
    CHECK(ids({.usage = "stor"}) == Ids{});
    CHECK(ids({.extent = std::array<uint32_t, 3>{64, 32, 1}}) == Ids{nvidia});
    CHECK(ids({.extent = std::array<uint32_t, 3>{64, 32, 2}}) == Ids{});
    CHECK(ids({.provenance = "driver without hardware"}) == Ids{amd});
    CHECK(find_observations(database, {.result = "nothing-written"}).size() == 1);

    const PatternSummary summary = find_patterns(database, {.vendor = "NVIDIA"}).at(0);
    CHECK(summary.observations == 2);
    CHECK(summary.formats == Ids{"B8G8R8A8_UNORM", "R8G8B8A8_UNORM"});
    CHECK(summary.extents == std::vector<std::array<uint32_t, 3>>{{64, 32, 1}, {300, 200, 1}});
    CHECK(summary.routes == Ids{"alias"});
    CHECK(summary.first_time == "2025-03-01T12:00:00.000Z");
    CHECK(summary.last_time == "2025-03-01T12:00:01.000Z");
    CHECK(summary.layout.pattern == sample::gob_of_16().pattern);
}

TEST_CASE("a pattern names the devices that share it, also those that were not asked for") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    add_observation(database, sample::h100(), sample::nvidia_580(),
                    sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00Z"));
    DeviceFact turing = sample::h100();
    turing.device_id = 0x1e87;
    turing.name = "RTX 2080 (NVK TU104)";
    const DriverFact nvk = {.name = "NVK", .info = "Mesa 26.1.0"};
    add_observation(database, turing, nvk, sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00Z"));

    const std::vector<PatternSummary> found = find_patterns(database, {.device = "2080"});
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].devices.size() == 1);
    CHECK(*found[0].devices[0].device == turing);
    REQUIRE(found[0].also_devices.size() == 1);
    CHECK(*found[0].also_devices[0].device == sample::h100());
    CHECK(*found[0].also_devices[0].driver == sample::nvidia_580());
    CHECK(pattern_summary(database, found[0].id).devices.size() == 2);
}

TEST_CASE("what is known of a pattern is the same whether observations came at once, one by one, or in bundles") {
    const sample::Folder folder;
    std::vector<ObservationFact> facts;
    for (uint32_t i = 0; i < 12; ++i) {
        facts.push_back(sample::observed(i % 3 ? sample::gob_of_16() : sample::navi21(), "2025-03-01T12:00:00Z"));
        facts.back().time = fmt::format("2025-03-{:02}T12:00:00Z", 20 - i);
        facts.back().extent_px = {300 - i % 4, 200, 1};
        facts.back().format = i % 2 ? "R8G8B8A8_UNORM" : "B8G8R8A8_UNORM";
        facts.back().usage = i % 5 ? "sampled" : "sampled,storage";
    }
    Database at_once = sample::empty_database(folder / "a.db"), one_by_one = sample::empty_database(folder / "b.db");
    Database merged = sample::empty_database(folder / "c.db");
    CHECK(add_observations(at_once, sample::h100(), sample::nvidia_580(), facts).size() == 12);
    for (const ObservationFact& fact : facts) add_observation(one_by_one, sample::h100(), sample::nvidia_580(), fact);
    for (const char* usage : {"storage", "sampled"})  // the second has the first's, too
        import_bundle(merged, export_bundle(at_once, {.usage = usage}), "b.json");
    for (const Database* database : {&at_once, &one_by_one, &merged}) {
        CHECK(check_database(*database).faults.empty());
        for (const char* usage : {"", "sampled", "storage"}) {
            const std::vector<PatternSummary> found = find_patterns(*database, {.usage = usage});
            REQUIRE(found.size() == 2);
            uint64_t count = 0;
            for (const PatternSummary& summary : found) {
                const std::vector<ObservationRow> rows =
                    find_observations(*database, {.usage = usage, .pattern = summary.id});
                count += summary.observations;
                CHECK(summary.observations == rows.size());
                CHECK(summary.first_time == rows.front().fact.time);
                CHECK(summary.last_time == rows.back().fact.time);
                for (const ObservationRow& row : rows) {
                    CHECK(std::ranges::count(summary.extents, row.fact.extent_px) == 1);
                    CHECK(std::ranges::count(summary.formats, row.fact.format) == 1);
                }
            }
            CHECK(count == (std::string(usage) == "storage" ? 3 : 12));
        }
    }
}

TEST_CASE("a pattern is named by a prefix of its id that no other has") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    for (uint64_t row = 1; row <= 40; ++row) {  // of 40 ids two begin with the same of 16 digits
        Layout layout = sample::layout_of(4, {4}, {8});
        layout.stride = {16, 150 * 16, 0, 0};
        layout.pattern.outer_xor.columns[axis_x] = {row % 4 * 4};
        layout.pattern.outer_xor.columns[axis_y] = {row / 4 % 4 * 4, row / 16 * 4};
        layout.pattern.outer_xor.trim();
        add_observation(database, sample::h100(), sample::nvidia_580(),
                        sample::observed(layout, "2025-03-01T12:00:00Z"));
    }
    const std::vector<PatternSummary> patterns = find_patterns(database, {});
    REQUIRE(patterns.size() == 40);
    const std::string& id = patterns[7].id;
    CHECK(resolve_pattern(database, id) == id);
    CHECK(resolve_pattern(database, id.substr(0, 12)) == id);
    std::map<char, int> with_first;
    for (const PatternSummary& pattern : patterns) with_first[pattern.id[0]]++;
    const auto shared = std::ranges::find_if(with_first, [](const auto& entry) { return entry.second > 1; });
    REQUIRE(shared != with_first.end());
    const std::string digit(1, shared->first);
    const std::string said = message_of([&] { resolve_pattern(database, digit); });
    CHECK(said.starts_with("pattern \"" + digit + "\" is ambiguous: " + digit));
    CHECK(message_of([&] { resolve_pattern(database, "xyz"); }).ends_with("`tilewise query` lists the patterns"));
    CHECK(message_of([&] { resolve_pattern(database, ""); }).ends_with("`tilewise query` lists the patterns"));
    CHECK(message_of([&] { resolve_pattern(database, "%"); }).ends_with("`tilewise query` lists the patterns"));
}

TEST_CASE("a query without an answer says which condition is to blame and what there is") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    CHECK(why_nothing(database, {}).starts_with("no observation in "));
    add_samples(database);
    CHECK(why_nothing(database, {.device = "RX 6900"}) ==
          "no observation of a device named \"RX 6900\"; there are: NVIDIA H100 80GB HBM3, "
          "AMD Radeon RX 6800 XT (RADV NAVI21)");
    CHECK(why_nothing(database, {.format = "R8G8B8A8_SNORM"}).find("there are: R8G8B8A8_UNORM, ") != std::string::npos);
    CHECK(why_nothing(database, {.extent = std::array<uint32_t, 3>{64, 64, 1}}).find("64x32") != std::string::npos);
    CHECK(why_nothing(database, {.vendor = "AMD", .format = "B8G8R8A8_UNORM"}) ==
          "no observation of the vendor \"AMD\", of the format \"B8G8R8A8_UNORM\" together; the nearest formats that "
          "were seen so: R8G8B8A8_UNORM");
    CHECK(why_nothing(database, {.result = "nothing-written"}) ==
          "no pattern: what was observed is 1 nothing-written (the sentinel stood)");
    CHECK_THROWS_AS(find_patterns(database, {.vendor = "NVidea"}), UsageError);
    CHECK_THROWS_AS(find_patterns(database, {.extent = std::array<uint32_t, 3>{64, 0, 1}}), UsageError);
}

TEST_CASE("a disagreement of two routes is kept once, with both offsets") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    ObservationFact fact = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00Z");
    const int64_t first = add_observation(database, sample::h100(), sample::nvidia_580(), fact).observation;
    fact.route = "host-copy";
    const int64_t second = add_observation(database, sample::h100(), sample::nvidia_580(), fact).observation;
    const DisagreementFact disagreement{.first = first,
                                        .second = second,
                                        .differing = 12,
                                        .element = {3, 5, 0, 0},
                                        .first_offset = 0x140,
                                        .second_offset = std::nullopt,
                                        .text = "(3,5): 0x140, none"};
    CHECK(add_disagreement(database, disagreement));
    CHECK_FALSE(add_disagreement(database, disagreement));
    const std::vector<DisagreementRow> rows = find_disagreements(database);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].first.fact.route == "alias");
    CHECK(rows[0].second.fact.route == "host-copy");
    CHECK(rows[0].fact.element == Coord{3, 5, 0, 0});
    CHECK(rows[0].fact.first_offset == 0x140);
    CHECK_FALSE(rows[0].fact.second_offset.has_value());
    DisagreementFact nowhere = disagreement;
    nowhere.second = 999;
    CHECK_THROWS_AS(add_disagreement(database, nowhere), Error);
}

TEST_CASE("the time of a fact is UTC with milliseconds") {
    const std::string now = utc_now();
    REQUIRE(now.size() == 24);
    CHECK(now[10] == 'T');
    CHECK(now[19] == '.');
    CHECK(now.back() == 'Z');
    CHECK(now >= "2025");
}
