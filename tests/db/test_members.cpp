// Adding a member to a fact: one line in its list, one step of the schema; SQL, JSON, bundles, the canonical form and
// the identity follow.
#include "db/bundle/members.h"
#include "db/facts/disagreement.h"
#include "db/facts/figure.h"
#include "db/facts/identity.h"
#include "db/facts/image_rule.h"
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "db/facts/stored.h"
#include "db/facts/tuning.h"
#include "db/facts/usage_sizes.h"
#include "db/facts/validation.h"
#include "db/sqlite/schema.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include <doctest/doctest.h>

using namespace tilewise;
using namespace tilewise::db;

namespace {

struct ClockFact {
    std::string domain;
    double mhz = 0;
    bool operator==(const ClockFact&) const = default;

    static constexpr const char* table = "clock";
    [[maybe_unused]] static constexpr const char* title = "clock";
    [[maybe_unused]] static constexpr const char* row_order = "domain, clock.id";
    static constexpr auto members() {
        return std::tuple(member("domain", &ClockFact::domain, Presence::required, rule::non_empty_line),
                          member("mhz", &ClockFact::mhz, Presence::required, rule::positive_number));
    }
};
static_assert(members_are_complete<ClockFact>());

/// The same fact of a later version, which also knows two limits.
struct LaterClockFact {
    std::string domain;
    double mhz = 0;
    std::array<double, 2> limits_mhz = {0, 0};
    bool operator==(const LaterClockFact&) const = default;

    static constexpr const char* table = "clock";
    [[maybe_unused]] static constexpr const char* title = "clock";
    [[maybe_unused]] static constexpr const char* row_order = "domain, clock.id";
    static constexpr auto members() {
        return std::tuple(
            member("domain", &LaterClockFact::domain, Presence::required, rule::non_empty_line),
            member("mhz", &LaterClockFact::mhz, Presence::required, rule::positive_number),
            member("limits_mhz", &LaterClockFact::limits_mhz, Presence::unknown, rule::interval, "low_mhz,high_mhz"));
    }
};
static_assert(members_are_complete<LaterClockFact>());

const char* const first_step =
    "CREATE TABLE clock (id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device, "
    "driver INTEGER NOT NULL REFERENCES driver, domain TEXT NOT NULL, mhz REAL NOT NULL, UNIQUE (domain, mhz)) STRICT";
const char* const members_later_step =
    "ALTER TABLE clock ADD COLUMN low_mhz REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE clock ADD COLUMN high_mhz REAL NOT NULL DEFAULT 0";

LaterClockFact memory_clock() {
    LaterClockFact fact;
    fact.domain = "memory";
    fact.mhz = 2619;
    fact.limits_mhz = {1593, 2619};
    return fact;
}

nlohmann::ordered_json written(const auto& fact) {
    nlohmann::ordered_json json;
    write_members(json, fact);
    return json;
}

LaterClockFact read_back(const nlohmann::json& json) {
    LaterClockFact fact;
    Object object{json, "clocks[0]"};
    read_members(object, fact);
    object.refuse_unknown();
    return fact;
}

}  // namespace

TEST_CASE("a member that a fact gains is written, read, printed and checked by its one line in the list") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    std::vector<const char*> steps(schema_steps().begin(), schema_steps().end());
    steps.push_back(first_step);
    migrate(database.sqlite, steps);
    ClockFact old;
    old.domain = "graphics";
    old.mhz = 1980;
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), old).is_new);

    steps.push_back(members_later_step);
    migrate(database.sqlite, steps);
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), memory_clock()).is_new);
    CHECK_FALSE(add_fact(database, sample::h100(), sample::nvidia_580(), memory_clock()).is_new);
    const auto rows = find_facts<LaterClockFact>(database);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].fact.domain == "graphics");
    CHECK(rows[0].fact.limits_mhz == std::array<double, 2>{0, 0});  // as the step says of what was there
    CHECK(rows[1].fact == memory_clock());
    CHECK(rows[1].device == sample::h100());

    CHECK(to_json(rows[0].fact)["limits_mhz"].is_null());
    CHECK(to_json(rows[1].fact)["limits_mhz"] == nlohmann::ordered_json{1593, 2619});
    CHECK(written(rows[0].fact) == written(old));
    CHECK(read_back(written(memory_clock())) == memory_clock());
    CHECK(read_back(written(old)) == rows[0].fact);
    CHECK_THROWS_WITH_AS(read_back({{"domain", "memory"}, {"mhz", 1}, {"limits_mhz", 7}}),
                         "clocks[0].limits_mhz: must be two numbers", Error);
    LaterClockFact falling = memory_clock();
    falling.limits_mhz = {2, 1};
    CHECK_THROWS_WITH_AS(canonical(falling), "limits_mhz: must be two rising numbers", Error);
}

TEST_CASE("the columns of every fact are those of its table, apart from the few that no list has") {
    const sample::Folder folder;
    const Database database = sample::empty_database(folder / "a.db");
    const auto others = [&]<typename Fact>(const Fact&) {
        std::vector<std::string> left;
        Statement rows(database.sqlite, std::string("PRAGMA table_info(") + Fact::table + ")");
        const std::vector<std::string> listed = columns_of<Fact>();
        size_t found = 0;
        while (rows.step()) {
            if (std::ranges::find(listed, rows.text(1)) == listed.end())
                left.push_back(rows.text(1));
            else
                ++found;
        }
        CHECK(found == listed.size());
        return left;
    };
    using Names = std::vector<std::string>;
    CHECK(others(DeviceFact{}) == Names{"id"});
    CHECK(others(DriverFact{}) == Names{"id"});
    CHECK(others(ObservationFact{}) == Names{"id", "identity", "device", "driver", "pattern", "layout"});
    CHECK(others(LaneOrderFact{}) == Names{"id", "device", "driver"});
    CHECK(others(LaunchOrderFact{}) == Names{"id", "device", "driver"});
    CHECK(others(ImageRuleFact{}) == Names{"id", "device", "driver"});
    CHECK(others(UsageSizesFact{}) == Names{"id", "device", "driver"});
    CHECK(others(TuningFact{}) == Names{"id", "device", "driver"});
    CHECK(others(FigureFact{}) == Names{"id", "device", "driver"});
    CHECK(others(ValidationFact{}) == Names{"id", "device", "driver"});
    CHECK(others(DisagreementFact{}) == Names{"id", "first", "second"});
}

namespace {

/// An observation's place, and what a later version also says of it.
struct PlaceFact {
    uint32_t vendor = 0x10de, device = 0x2330;
    std::string name = "H100";
    std::array<uint32_t, 2> extent = {64, 32};
    uint32_t level = 1;
    std::string note = {};

    static constexpr auto members() {
        using enum Presence;
        return std::tuple(member("vendor", &PlaceFact::vendor, required, rule::hex_id),
                          member("device", &PlaceFact::device, required, rule::hex_id),
                          member("name", &PlaceFact::name, required, rule::line),
                          member("extent", &PlaceFact::extent, required, rule::positive_integer, "width,height"),
                          member("level", &PlaceFact::level, optional, rule::anything),
                          member("note", &PlaceFact::note, later, rule::line));
    }
};

std::string identity(const PlaceFact& seen) {
    Identity of;
    of.add_members(seen);
    return of.hash();
}

std::string identity(std::string_view text) {
    Identity of;
    of.add(text);
    return of.hash();
}

}  // namespace

TEST_CASE("an identity is of the members' text, and a later member leaves those of stored facts as they are") {
    CHECK(identity(PlaceFact{}) == identity("10de 2330\x1fH100\x1f"
                                            "64 32 1"));
    PlaceFact noted;
    noted.note = "by hand";
    CHECK(identity(noted) == identity("10de 2330\x1fH100\x1f"
                                      "64 32 1\x1f"
                                      "by hand"));
}
