// snippet, validate and tune ask one function for a workgroup: whatever is known, the code that is pasted is the one
// that was timed.
#include "db/bundle/bundle.h"
#include "db/facts/figure.h"
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "db/sqlite/open.h"
#include "kernels/remap_candidates.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include "tools/answers/gpu/known_device.h"
#include "tools/answers/pattern/choose_pattern.h"
#include "tools/runs/validate/workbench.h"
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace tilewise;

namespace {

/// A format on a device of the catalog, as validate and tune look it up; snippet does so by device and pattern.
struct RemapCase {
    std::string name;
    db::ObservationRow row;
};

/// One for each device, driver, format and pattern.
std::vector<RemapCase> catalog_cases(const db::Database& catalog) {
    std::vector<RemapCase> cases;
    std::set<std::string> seen;
    for (const db::ObservationRow& row : db::find_observations(catalog, {})) {
        if (!row.fact.layout) continue;
        const std::string name = fmt::format("{}, {} {}: {} {}", row.device.name, row.driver.name, row.driver.info,
                                             row.fact.format, row.pattern);
        if (seen.insert(name).second) cases.push_back({name, row});
    }
    return cases;
}

/// As snippet looks a row up.
struct Snippet {
    Pattern pattern;
    KnownDevice device;

    Snippet(const db::Database& database, const db::ObservationRow& row)
        : pattern(row.fact.layout->pattern), device(known_device(database, row.device, row.driver)) {}
    Remap remap(const WorkgroupQuestion& question) const {
        return choose_workgroup(pattern, device, question).derivation.remap;
    }
};

/// What is known of each device, looked up once.
class KnownDevices {
public:
    explicit KnownDevices(const db::Database& database) : database_(database) {}
    const KnownDevice& of(const db::ObservationRow& row) {
        const auto [known, is_new] = devices_.try_emplace({row.device.name, row.driver.name, row.driver.info});
        if (is_new) known->second = known_device(database_, row.device, row.driver);
        return known->second;
    }

private:
    const db::Database& database_;
    std::map<std::array<std::string, 3>, KnownDevice> devices_;
};

LearnedPattern learned_of(const db::Database& database, const db::ObservationRow& row) {
    return {row.pattern, row.fact.layout->pattern, known_device(database, row.device, row.driver)};
}

/// A driver that answers as one did before, or not at all.
AskRegisters recorded(const Registers& registers) {
    return [registers](std::span<const Remap> remaps) {
        std::vector<std::optional<uint32_t>> answers;
        for (const Remap& remap : remaps) {
            const auto known = registers.find(static_cast<uint32_t>(element_count(remap.shape)));
            answers.push_back(known == registers.end() ? std::nullopt : std::optional(known->second));
        }
        return answers;
    };
}

nlohmann::json results(const std::string& file) {
    return nlohmann::json::parse(read_text(source_dir() + "/docs/results/" + file));
}

/// "1920x1080".
Extent_px extent_of(const std::string& text) {
    const size_t x = text.find('x');
    return {static_cast<uint32_t>(std::stoul(text.substr(0, x))), static_cast<uint32_t>(std::stoul(text.substr(x + 1))),
            1};
}

/// Those that a recorded cell names.
Registers registers_of(const nlohmann::json& cell) {
    Registers registers;
    for (const auto& [invocations, count] : cell.at("registers").items())
        registers[static_cast<uint32_t>(std::stoul(invocations))] = count;
    return registers;
}

using Cell = std::pair<std::string, uint32_t>;  // format, radius

/// By cell; a number of invocations has the same registers in every shape.
std::map<Cell, Registers> recorded_registers() {
    std::map<Cell, Registers> cells;
    const nlohmann::json recorded = results("nvidia-h100/registers.json");
    for (const auto& result : recorded.at("results"))
        cells[{result.at("format"), result.at("radius")}]
             [result.at("shape")[0].get<uint32_t>() * result.at("shape")[1].get<uint32_t>()] = result.at("registers");
    return cells;
}

/// What is recorded of other cells, each once.
std::set<Registers> all_registers() {
    std::set<Registers> all = {{{256, 77}, {128, 64}, {64, 64}}};
    for (const auto& [cell, registers] : recorded_registers()) all.insert(registers);
    return all;
}

}  // namespace

TEST_CASE("every device and format of the catalog: snippet, validate and tune take one workgroup") {
    const db::Database catalog = db::open_catalog();
    const auto cases = catalog_cases(catalog);
    const auto drivers_answers = all_registers();
    // Formats of a pattern are alike, and so are most devices.
    std::set<std::tuple<std::string, bool, std::string>> asked;
    KnownDevices devices(catalog);
    const size_t one_in = soaking() ? 1 : 24;
    size_t tiled = 0;
    for (const RemapCase& each : cases) {
        const db::ObservationRow& row = each.row;
        const LearnedPattern learned = {row.pattern, row.fact.layout->pattern, devices.of(row)};
        const std::string measured = learned.device.lanes.empty() ? "" : row.device.name + row.driver.info;
        if (!asked.emplace(row.pattern, learned.device.launches_along_rows, measured).second) continue;
        // Measured devices are few, and all are asked.
        if (asked.size() % one_in != 0 && measured.empty()) continue;
        const Snippet snippet(catalog, row);
        CAPTURE(each.name);
        const bool is_row = learned.pattern.is_linear() && memory_order(learned.pattern, {16, 16, 1, 1}).is_row_order();
        if (is_row) {
            CHECK_THROWS_AS(snippet.remap({}), Error);
            continue;
        }
        ++tiled;
        for (const uint32_t radius : {0U, 1U, 2U, 3U, 4U, 5U, 8U, 12U, 16U}) {
            CAPTURE(radius);
            // No driver tells, and snippet has none to ask.
            const WorkgroupChoice silent = choose_by_registers(learned, {.radius = radius}, recorded({}));
            CHECK(silent.registers_unknown == (radius > 0));
            CHECK(snippet.remap({.radius = radius}) == silent.derivation.remap);
            CHECK(derived_order(learned, {.radius = radius}).remap == silent.derivation.remap);
            // A driver tells: what validate and tune take is what snippet gives for that number, or that shape.
            std::set<uint32_t> numbers;
            for (const Registers& registers : drivers_answers) {
                const WorkgroupChoice timed = choose_by_registers(learned, {.radius = radius}, recorded(registers));
                const uint32_t invocations = timed.derivation.request.invocations;
                if (!numbers.insert(invocations).second) continue;
                CHECK_FALSE(timed.registers_unknown);
                CHECK(snippet.remap({.radius = radius, .registers = registers}) == timed.derivation.remap);
                CHECK(snippet.remap({.radius = radius, .invocations = invocations}) == timed.derivation.remap);
                CHECK(snippet.remap({.shape = timed.derivation.remap.shape}) == timed.derivation.remap);
                CHECK(learned_order(learned, timed.derivation.remap.shape).remap == timed.derivation.remap);
            }
        }
    }
    CHECK(tiled > 50 / one_in);
}

TEST_CASE("with the figures of the device the workgroups of box blurs are nearer to the fastest that were measured") {
    const db::Database catalog = db::open_catalog();
    const Folder folder;
    const auto figures_of = [&](const std::string& card) {
        db::Database measured = db::open_database(folder / (card + ".db"), db::Access::read_write, {});
        const std::string file = source_dir() + "/docs/results/" + card + "/figures.json";
        db::import_bundle(measured, read_text(file), file);
        const db::FigureRow figure = db::find_facts<db::FigureFact>(measured).at(0);
        return known_device(measured, figure.device, figure.driver);
    };
    std::map<Cell, Registers> registers;
    const nlohmann::json sizes = results("nvidia-h100/sizes.json");
    for (const auto& cell : sizes.at("results"))
        if (cell.at("kernel") == "box" && cell.at("extent") == "4096x4096")
            for (const auto& [invocations, count] : cell.at("registers").items())
                registers[{cell.at("format"), cell.at("radius")}][static_cast<uint32_t>(std::stoul(invocations))] =
                    count;
    // The H200 was not asked for its own registers.
    struct ExpectedCounts {
        std::string card;
        int within_half_before, within_half_now, within_1_now;
    };
    for (const ExpectedCounts& judged :
         {ExpectedCounts{"nvidia-h100", 12, 16, 16}, ExpectedCounts{"nvidia-h200", 14, 17, 18}}) {
        const std::string& card = judged.card;
        const KnownDevice figures = figures_of(card);
        CHECK(figures.group_starts > 1600);
        CHECK(figures.fetches.size() == 3);
        int within_half = 0, within_1 = 0, within_half_without = 0;
        for (const auto& tuned : results(card + "/tune.json")) {
            const Cell cell = {tuned.at("format"), tuned.at("radius")};
            const ChosenPattern chosen = choose_pattern(
                catalog, {.device = tuned.at("device").at("name"), .format = cell.first, .usage = "sampled,storage"});
            LearnedPattern learned = learned_of(catalog, chosen.image);
            double best = 1e9;
            std::map<std::string, double> ms;
            for (const auto& candidate : tuned.at("heats").at(0)) {
                const std::string order = candidate.at("order");
                if (order != "learned" && order != "derived") continue;
                const nlohmann::json& shape = candidate.at("shape");
                const double median = candidate.at("median_ms");
                ms[fmt::format("{}x{}", shape[0].get<uint32_t>(), shape[1].get<uint32_t>())] = median;
                best = std::min(best, median);
            }
            const auto behind = [&] {
                const WorkgroupChoice choice =
                    choose_by_registers(learned, {.radius = cell.second}, recorded(registers.at(cell)));
                return ms.at(shape_text(choice.derivation.remap.shape)) / best;
            };
            learned.device.group_starts = 0;
            within_half_without += behind() < 1.005;
            learned.device.group_starts = figures.group_starts;
            learned.device.fetches = figures.fetches;
            const double now = behind();
            within_half += now < 1.005;
            within_1 += now < 1.01;
        }
        CAPTURE(card);
        CHECK(within_half_without == judged.within_half_before);
        CHECK(within_half == judged.within_half_now);
        CHECK(within_1 == judged.within_1_now);
    }
}

TEST_CASE("workgroups of 128 are taken where the device starts them fast enough, and no smaller ones") {
    const db::Database catalog = db::open_catalog();
    const ChosenPattern chosen =
        choose_pattern(catalog, {.device = "NVIDIA H100", .format = "R8G8B8A8_UNORM", .usage = "sampled,storage"});
    LearnedPattern learned = learned_of(catalog, chosen.image);
    const WorkgroupQuestion question = {.radius = 3, .registers = {{256, 48}, {128, 48}, {64, 48}}};
    const auto choose = [&](double starts, const WorkgroupQuestion& asked) {
        learned.device.group_starts = starts;
        learned.device.fetches = {{4, 2e6}};
        return choose_workgroup(learned.pattern, learned.device, asked);
    };
    // 128 * 49 texels take 3.136 ns of the device's time; a quarter of that is 0.784 ns.
    CHECK(choose(1276, question).derivation.request.invocations == 128);
    CHECK(choose(1275, question).derivation.request.invocations == 256);
    CHECK(choose(1e6, question).derivation.request.invocations == 128);
    CHECK(choose(1276, question).derivation.reason.find("starts workgroups fast enough (1276 a microsecond)") !=
          std::string::npos);
    CHECK_FALSE(choose(1276, question).figures_unknown);
    const WorkgroupChoice without = choose(0, question);
    CHECK(without.derivation.request.invocations == 256);
    CHECK(without.figures_unknown);
    CHECK(assumptions(without, "").at(0).find("tilewise devices --measure") != std::string::npos);
    // More registers in smaller ones, none known, lines, or no radius: the figures do not matter.
    WorkgroupQuestion other = question;
    other.registers[128] = 56;
    CHECK(choose(1e6, other).derivation.request.invocations == 256);
    other = question;
    other.registers = {};
    CHECK(choose(1e6, other).derivation.request.invocations == 256);
    CHECK_FALSE(choose(0, other).figures_unknown);
    other = question;
    other.reads = Neighbourhood::lines;
    CHECK_FALSE(choose(0, other).figures_unknown);
}

TEST_CASE("of an image whose extent is known, boxes reach beyond it by no more than they must, and lose less by it") {
    const db::Database catalog = db::open_catalog();
    const nlohmann::json sizes = results("nvidia-h100/sizes.json");
    int lower = 0;
    double behind = 0, behind_without = 0;
    for (const auto& cell : sizes.at("results")) {
        const Registers registers = registers_of(cell);
        const ChosenPattern chosen = choose_pattern(
            catalog, {.device = sizes.at("device"), .format = cell.at("format"), .usage = "sampled,storage"});
        const LearnedPattern learned = learned_of(catalog, chosen.image);
        const std::string extent_text = cell.at("extent");
        const Extent_px extent = extent_of(extent_text);
        const auto shape_for = [&](const std::optional<Extent_px>& known) {
            const WorkgroupQuestion question = {
                .radius = cell.at("radius"), .reads = read_by(cell.at("kernel")), .extent = known};
            return choose_by_registers(learned, question, recorded(registers)).derivation.remap.shape;
        };
        const Coord shape = shape_for(extent), without = shape_for({});
        const auto& times = cell.at("memory_order_ms");
        if (shape == without || !times.contains(shape_text(shape)) || !times.contains(shape_text(without))) continue;
        CAPTURE(cell.at("kernel").get<std::string>());
        CAPTURE(extent_text);
        lower++;
        CHECK(extent_text == "1920x1080");
        const double best = cell.at("best").at("median_ms");
        behind += times.at(shape_text(shape)).get<double>() / best - 1;
        behind_without += times.at(shape_text(without)).get<double>() / best - 1;
    }
    CHECK(lower == 18);
    CHECK(behind / lower < 0.012);
    CHECK(behind_without / lower > 0.025);
}

TEST_CASE("where lines are read the workgroups are among the fastest that were measured, on both cards") {
    const db::Database catalog = db::open_catalog();
    for (const auto& judged : {std::pair{std::string("nvidia-h100"), 25}, std::pair{std::string("nvidia-h200"), 21}}) {
        const std::string& card = judged.first;
        const nlohmann::json recorded_lines = results(card + "/lines.json");
        int within_1_percent = 0;
        for (const auto& cell : recorded_lines.at("results")) {
            const Registers registers = registers_of(cell);
            const std::string format = cell.at("format");
            const ChosenPattern chosen = choose_pattern(
                catalog, {.device = recorded_lines.at("device"), .format = format, .usage = "sampled,storage"});
            const WorkgroupChoice choice =
                choose_by_registers(learned_of(catalog, chosen.image),
                                    {.radius = cell.at("radius"), .reads = Neighbourhood::lines}, recorded(registers));
            double best = 1e9;
            for (const auto& ms : cell.at("median_ms")) best = std::min(best, ms.get<double>());
            const std::string shape = shape_text(choice.derivation.remap.shape);
            CAPTURE(card);
            CAPTURE(cell.at("kernel").get<std::string>());
            CAPTURE(format);
            CAPTURE(cell.at("radius").get<uint32_t>());
            CAPTURE(shape);
            const double behind = cell.at("median_ms").at(shape).get<double>() / best;
            CHECK(behind < 1.025);
            within_1_percent += behind < 1.01;
        }
        CHECK(recorded_lines.at("results").size() == 30);
        CHECK(within_1_percent >= judged.second);
    }
}

namespace {

/// How far what is derived is behind the fastest, by kernel and extent, in the cells that were measured with workgroups
/// as they are launched and in blocks.
std::map<std::string, std::vector<double>> behind_in_blocks(const db::Database& catalog,
                                                            const nlohmann::json& recorded_blocks) {
    std::map<std::string, std::vector<double>> behind;
    for (const auto& cell : recorded_blocks.at("results")) {
        const Registers registers = registers_of(cell);
        const std::string kernel = cell.at("kernel"), format = cell.at("format"), extent = cell.at("extent");
        const ChosenPattern chosen = choose_pattern(
            catalog, {.device = recorded_blocks.at("device"), .format = format, .usage = "sampled,storage"});
        const WorkgroupQuestion question = {.radius = cell.at("radius"),
                                            .reads = read_by(kernel),
                                            .extent = extent_of(extent),
                                            .any_group_order = true};
        const WorkgroupChoice choice =
            choose_by_registers(learned_of(catalog, chosen.image), question, recorded(registers));
        std::string way = shape_text(choice.derivation.remap.shape);
        if (choice.groups.kind == GroupOrderKind::tiles) way += " in tiles";
        INFO(kernel, " ", format, " radius ", question.radius, " ", extent, " ", way);
        const auto& times = cell.at("memory_order_ms");
        double best = cell.at("best").at("median_ms");
        for (const auto& ms : times) best = std::min(best, ms.get<double>());
        REQUIRE(times.contains(way));
        behind[kernel + " " + extent].push_back(times.at(way).get<double>() / best - 1);
    }
    return behind;
}

}  // namespace

TEST_CASE("dispatched in blocks, the workgroups are among the fastest that were measured, on both cards") {
    const db::Database catalog = db::open_catalog();
    struct ExpectedCounts {
        std::string card;
        int box_within_half, box_within_1, gaussian_within_1, bilateral_within_1;  ///< of 18 cells at 4096x4096 each
    };
    for (const ExpectedCounts& judged :
         {ExpectedCounts{"nvidia-h100", 17, 18, 18, 13}, ExpectedCounts{"nvidia-h200", 16, 18, 17, 17}}) {
        auto behind = behind_in_blocks(catalog, results(judged.card + "/blocks.json"));
        CAPTURE(judged.card);
        const auto within = [&](const std::string& kernel, double most) {
            const std::vector<double>& gaps = behind.at(kernel + " 4096x4096");
            CHECK(gaps.size() == 18);
            return std::ranges::count_if(gaps, [&](double gap) { return gap <= most; });
        };
        CHECK(within("box", 0.005) == judged.box_within_half);
        CHECK(within("box", 0.01) == judged.box_within_1);
        CHECK(within("gaussian", 0.01) == judged.gaussian_within_1);
        CHECK(within("bilateral", 0.01) == judged.bilateral_within_1);
        for (const auto& named : behind) {
            const std::vector<double>& gaps = named.second;
            CAPTURE(named.first);
            CHECK(std::ranges::max(gaps) < 0.026);
            CHECK(std::accumulate(gaps.begin(), gaps.end(), 0.0) < 0.0075 * static_cast<double>(gaps.size()));
        }
    }
}

namespace {

db::LaneOrderFact lanes(const std::array<uint32_t, 3>& shape, const std::vector<std::string>& names,
                        const std::string& time) {
    db::LaneOrderFact fact;
    fact.shape = shape;
    fact.subgroup_size = 16;
    if (names.empty())
        fact.note = "not linear: invocation 3 runs in lane slot 7";
    else
        fact.matrix = lanes_from_names(names);
    fact.time = time;
    fact.tool_version = "0.1.0";
    return fact;
}

void add_launches(db::Database& database, const std::string& visit, const std::string& time) {
    db::LaunchOrderFact fact;
    fact.grid = {60, 68};
    fact.visit = visit;
    fact.time = time;
    fact.tool_version = "0.1.0";
    db::add_fact(database, sample::h100(), sample::nvidia_580(), fact);
}

constexpr const char *day_1 = "2025-03-01T12:00:00.000Z", *day_2 = "2025-03-02T12:00:00.000Z";

}  // namespace

TEST_CASE("lanes are those of workgroups of one row by index, the newest; the identity is empty") {
    const sample::Folder folder;
    db::Database database = sample::empty_database(folder / "a.db");
    const auto add = [&](const db::LaneOrderFact& fact) {
        db::add_fact(database, sample::h100(), sample::nvidia_580(), fact);
    };
    add(lanes({8, 1, 1}, {"i0", "i1", "i2"}, day_1));
    add(lanes({4, 1, 1}, {"i1", "i0"}, day_2));
    add(lanes({4, 1, 1}, {"i0", "i1"}, day_1));
    add(lanes({4, 4, 1}, {"i3", "i1", "i2", "i0"}, day_2));
    add(lanes({2, 1, 1}, {}, day_1));
    db::LaneOrderFact by_id = lanes({16, 1, 1}, {"i3", "i1", "i2", "i0"}, day_2);
    by_id.built_in = "id";
    add(by_id);
    db::DeviceFact another_board = sample::h100();
    another_board.uuid = "ffffffffffffffffffffffffffffffff";
    for (const db::DeviceFact& device : {sample::h100(), another_board}) {
        const KnownDevice known = known_device(database, device, sample::nvidia_580());
        CHECK(known.subgroup_size == 16);
        REQUIRE(known.lanes.size() == 3);
        CHECK(known.lanes.at(8).order.empty());
        CHECK(known.lanes.at(4).order == LaneMatrix{2, 1});
        CHECK(known.lanes.at(2).disorder == "not linear: invocation 3 runs in lane slot 7");
    }
    db::DriverFact newer = sample::nvidia_580();
    newer.info = newer.version = "590.1";
    CHECK(known_device(database, sample::h100(), newer).lanes.empty());
    CHECK(known_device(database, sample::radeon(), sample::radv()).subgroup_size == 0);
}

TEST_CASE("workgroups launch along rows where the newest launch order says so") {
    const sample::Folder folder;
    db::Database database = sample::empty_database(folder / "a.db");
    const auto along_rows = [&] {
        return known_device(database, sample::h100(), sample::nvidia_580()).launches_along_rows;
    };
    CHECK_FALSE(along_rows());
    add_launches(database, "row", day_1);
    CHECK(along_rows());
    add_launches(database, "mixed", day_2);
    CHECK_FALSE(along_rows());
}

TEST_CASE("what was taken for granted is said in a line each") {
    WorkgroupChoice choice;
    CHECK(assumptions(choice, "ask").empty());
    choice.registers_unknown = true;
    choice.lane_disorder = "invocation 3 runs in lane slot 7";
    CHECK(assumptions(choice, "ask the driver") ==
          std::vector<std::string>{"registers unknown: 256 invocations assumed; ask the driver",
                                   "the order of lanes there is not linear (invocation 3 runs in lane slot 7): they "
                                   "are assumed to be in order"});
}
