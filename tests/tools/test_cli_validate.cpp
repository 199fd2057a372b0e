// validate and tune through the command line, on Debian 12's lavapipe with small images: the machinery, not the
// verdicts.
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "db/facts/tuning.h"
#include "db/facts/validation.h"
#include "db/query/query.h"
#include "tests/support/db_sample.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include "tools/cli/terminal/json_text.h"
#include "tools/runs/validate/cell_result.h"
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <thread>

using namespace tilewise;

namespace {

/// A new database has the catalog's timings of GPUs, too.
template <class Fact>
std::vector<db::Stored<Fact>> of_this_machine(const db::Database& database) {
    std::vector<db::Stored<Fact>> rows = db::find_facts<Fact>(database);
    std::erase_if(rows, [](const db::Stored<Fact>& row) { return row.device.type != "cpu"; });
    return rows;
}

template <class Fact>
std::vector<db::Stored<Fact>> of_this_machine(const std::string& file) {
    return of_this_machine<Fact>(db::open_database(file, db::Access::read_only));
}

/// With a cache of shaders of the tests' own.
Ended run_with_own_cache(const Command& arguments) {
    static const Folder cache;
    setenv("XDG_CACHE_HOME", (cache / "").c_str(), 1);
    return run(tilewise_on("system", arguments));
}

/// A new database of what tilewise probe finds of both formats that the tests use: rows. It is probed once.
void probe(const std::string& file) {
    static const Folder folder;
    const std::string probed = folder / "probed.db";
    if (!std::filesystem::exists(probed)) {
        const Ended ended = run_with_own_cache(
            {"--db", probed, "probe", "--formats", "R16G16B16A16_SFLOAT,R8G8B8A8_UNORM", "--extents", "64x64"});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
    }
    std::filesystem::copy_file(probed, file);
}

/// As if this device tiled its larger images as an H100 does.
std::string pretend_tiles(const std::string& file) {
    db::Database database = db::open_database(file, db::Access::read_write);
    const auto rows = db::find_observations(database, {.device = "llvmpipe", .format = "R8G8B8A8_UNORM"});
    REQUIRE(!rows.empty());
    db::ObservationFact fact = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00.000Z");
    fact.usage = rows.back().fact.usage;
    return db::add_observation(database, rows.back().device, rows.back().driver, fact).pattern;
}

/// As if its workgroups had been seen to start along rows, or columns, after all else that is known.
void pretend_start_order(const std::string& file, const std::string& visit) {
    db::Database database = db::open_database(file, db::Access::read_write);
    const auto rows = db::find_observations(database, {.device = "llvmpipe", .format = "R8G8B8A8_UNORM"});
    REQUIRE(!rows.empty());
    db::LaunchOrderFact fact;
    fact.grid = {60, 68};
    fact.visit = visit;
    fact.time = visit == "row" ? "2098-01-01T00:00:00.000Z" : "2099-01-01T00:00:00.000Z";
    fact.tool_version = "0.1.0";
    db::add_fact(database, rows.back().device, rows.back().driver, fact);
}

}  // namespace

TEST_CASE("validate without a probe says what to run, and tune, too") {
    const Folder folder;
    for (const std::string command : {"validate", "tune"}) {
        const std::string file = folder / "t.db";
        run(tilewise::tilewise({"--db", file, "db", "import", "/dev/null"}));  // makes the file
        const Ended ended =
            run_with_own_cache({"--db", file, command, "--format", "R32G32B32A32_SFLOAT", "--extent", "16x16"});
        CHECK(ended.code == 1);
        CHECK(is_one_complaint(ended.err));
        CHECK(ended.err.find("run tilewise probe --device 0 --formats R32G32B32A32_SFLOAT first") != std::string::npos);
    }
}

TEST_CASE("validate checks, times and keeps every kernel in every order, and a bundle carries it") {
    const Folder folder;
    const std::string file = folder / "t.db";
    probe(file);
    const std::string pattern = pretend_tiles(file);
    const Ended ended = run_with_own_cache({"--db", file, "--json", "validate", "--format", "R8G8B8A8_UNORM",
                                            "--radius", "1,3", "--extent", "37x21", "--time", "0.05"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const auto parsed = parse(ended);
    REQUIRE(parsed.at("cells").size() == 3);
    CHECK(parsed["cells"][0].at("kernel") == "copy");
    CHECK(parsed.at("bandwidth_gb_s").get<double>() > 0);
    size_t timed = 0;
    for (const auto& cell : parsed["cells"]) {
        CHECK(cell.at("wrong").empty());
        CHECK(cell.at("failure") == "");
        std::set<std::string> orders;
        for (const auto& result : cell.at("results")) {
            CAPTURE(result.dump());
            ++timed;
            orders.insert(result.at("order"));
            CHECK(result.at("median_ms").get<double>() > 0);
            CHECK(result.at("samples").get<int>() > 0);
            CHECK(result.at("pattern") == (result.at("order") == "learned" ? pattern : ""));
        }
        if (cell["kernel"] == "box") CHECK(orders.contains("learned"));
        if (cell["kernel"] == "box") CHECK(cell["results"][0].at("verdict") == "baseline");
    }
    db::Database database = db::open_database(file, db::Access::read_write);
    CHECK(of_this_machine<db::ValidationFact>(database).size() == timed);
    const std::string bundle = folder / "all.json", other = folder / "other.db";
    REQUIRE(run(tilewise::tilewise({"--db", file, "db", "export", bundle})).code == 0);
    const Ended imported = run(tilewise::tilewise({"--db", other, "--json", "db", "import", bundle}));
    REQUIRE(imported.code == 0);
    CHECK(parse(imported).at("validations") == timed);

    const Ended advised = run(tilewise::tilewise(
        {"--db", other, "--json", "advise", "--gpu", "llvmpipe", "--format", "RGBA8", "--radius", "3"}));
    CAPTURE(advised.err);
    REQUIRE(advised.code == 0);
    const auto advice = parse(advised);
    CHECK(advice.at("source") == "measured");
    CHECK(advice.at("measured").at("extent") == nlohmann::json::array({37, 21}));
    const auto& boxes = parsed["cells"][2].at("results");
    const auto fastest =
        std::ranges::min_element(boxes, {}, [](const auto& box) { return box.at("median_ms").template get<double>(); });
    CHECK(advice.at("use").at("method") == fastest->at("method"));
    CHECK(advice.at("use").at("median_ms") >= fastest->at("median_ms"));
}

TEST_CASE("validate prints formats x radii x orders, and says where learned is row order") {
    const Folder folder;
    const std::string file = folder / "t.db";
    probe(file);
    const Ended ended = run_with_own_cache({"--db", file, "validate", "--kernel", "box,average", "--format",
                                            "R16G16B16A16_SFLOAT,R8G8B8A8_UNORM", "--radius", "1,2", "--extent",
                                            "16x16", "--time", "0", "--order", "row,rdna,learned"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    CHECK(ended.err.find("R16G16B16A16_SFLOAT is linear here: the learned order is row order") != std::string::npos);
    const auto has = [&](const std::string& text) { return ("\n" + ended.out).find(text) != std::string::npos; };
    for (const std::string format : {"R16G16B16A16_SFLOAT", "R8G8B8A8_UNORM"}) {
        CHECK(has("\ncopy " + format + "\n"));
        CHECK(has("\naverage " + format + "\n"));
        for (const std::string radius : {"1", "2"}) {
            const std::string title = "\nbox " + format + " radius " + radius + "\n";
            REQUIRE(has(title));
            const size_t begin = ("\n" + ended.out).find(title) + title.size();
            const std::string cell = ended.out.substr(begin, ended.out.find("\n\n", begin) - begin);
            for (const char* order : {" row ", " rdna "}) CHECK(cell.find(order) != std::string::npos);
        }
    }
    CHECK(has("ms, best shape"));
    CHECK(has("a copy runs at "));
}

TEST_CASE("a filter of one's own is validated by every method, or refused with its line") {
    const Folder folder;
    const std::string file = folder / "t.db", filter = folder / "mean.glsl";
    const std::string text =
        "struct State { vec4 sum; };\n"
        "State filter_center(vec4 texel) { return State(texel); }\n"
        "void filter_iteration(inout State state, vec4 texel, int offset) { state.sum += texel; }\n"
        "vec4 filter_result(State state) { return state.sum / float(2 * RADIUS + 1); }\n";
    write_text(filter, text);
    const Command command = {"--db",     file, "--json",   "validate", "--filter", filter, "--format", "R8G8B8A8_UNORM",
                             "--radius", "1",  "--extent", "20x9",     "--time",   "0",    "--order",  "row"};
    const Ended ended = run_with_own_cache(command);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const auto cell = parse(ended).at("cells").at(1);
    CHECK(cell.at("kernel") == "mean.glsl");
    CHECK(cell.at("wrong").empty());
    CHECK(cell.at("results").size() > 5);
    write_text(filter, text + "vec4 more() { return texl; }\n");
    const Ended refused = run_with_own_cache(command);
    CHECK(refused.code == 1);
    CHECK(refused.err.find("mean.glsl:5: ") != std::string::npos);
    CHECK(refused.out.empty());  // before copies are timed
}

TEST_CASE("a filter that is a bomb for the compiler is refused by name, and the program lives") {
    const Folder folder;
    const std::string filter = folder / "bomb.glsl";
    std::string macros = "#define A0 + 1\n";  // each is eight times as long as the one before
    for (int i = 1; i < 12; ++i) {
        macros += fmt::format("#define A{}", i);
        for (int k = 0; k < 8; ++k) macros += fmt::format(" A{}", i - 1);
        macros += '\n';
    }
    const std::string nested =
        "int deep() { return " + std::string(400000, '(') + "1" + std::string(400000, ')') + "; }\n";
    for (const std::string& text : {macros + "int bomb() { return 0 A11; }\n", nested}) {
        write_text(filter, text);
        const Ended ended =
            run_with_own_cache({"--db", folder / "t.db", "validate", "--filter", filter, "--format", "R8G8B8A8_UNORM",
                                "--radius", "1", "--extent", "8x8", "--time", "0", "--order", "row"});
        CAPTURE(ended.err);
        CHECK(ended.code == 1);
        CHECK(ended.err.find("tilewise: bomb.glsl:") != std::string::npos);
    }
}

TEST_CASE("what this driver cannot run to its end is not timed, with the reason, and is not wrong") {
    const Folder folder;
    const Command command = {"--db",     folder / "t.db",  "validate", "--kernel", "average",
                             "--format", "R8G8B8A8_UNORM", "--extent", "256x256",  "--order",
                             "row",      "--time",         "0"};
    const Ended ended = run_with_own_cache(command);
    CAPTURE(ended.err);
    CHECK(ended.code == 0);
    CHECK(ended.out.find("WRONG") == std::string::npos);
    CHECK(
        ended.out.find("  not timed: average, one invocation (to 65536 texels), radius 0, R8G8B8A8_UNORM 256x256: its "
                       "loops have 66049 iterations, and ") != std::string::npos);
    Command as_json = command;
    as_json.insert(as_json.begin(), "--json");
    const auto cell = parse(run_with_own_cache(as_json)).at("cells").at(1);
    CHECK(cell.at("wrong").empty());
    CHECK(cell.at("not_timed").size() == 1);
    CHECK(cell.at("results").size() > 3);
}

TEST_CASE("mip chain, histogram and bloom are checked, timed and kept, and advise answers with what was measured") {
    const Folder folder;
    const std::string file = folder / "t.db";
    probe(file);
    const Ended ended =
        run_with_own_cache({"--db", file, "--json", "validate", "--kernel", "mip-chain,histogram,bloom", "--format",
                            "R16G16B16A16_SFLOAT", "--extent", "45x39", "--order", "row,morton", "--time", "0.05"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const std::map<std::string, std::set<std::string>> expected = {
        {"mip-chain",
         {"one dispatch a level", "one dispatch, a tile each", "one dispatch, 264 workgroups",
          "one dispatch by the sampler, a tile each", "one dispatch by the sampler, 396 workgroups", "blits"}},
        {"histogram", {"groupshared, one dispatch", "groupshared, two dispatches"}},
        {"bloom", {"direct", "direct, fetches"}}};
    std::map<std::string, std::set<std::string>> methods;
    const auto result = parse(ended);
    for (const auto& cell : result.at("cells")) {
        CHECK(cell.at("wrong").empty());
        if (cell.at("kernel") == "copy") continue;
        for (const auto& job : cell.at("results")) methods[cell.at("kernel")].insert(job.at("method"));
    }
    CHECK(methods == expected);
    for (const auto& [kernel, names] : expected) {
        const Ended advice = run_with_own_cache(
            {"--db", file, "--json", "advise", "--gpu", "llvmpipe", "--format", "RGBA16F", "--kernel", kernel});
        REQUIRE(advice.code == 0);
        const auto answer = parse(advice);
        CHECK(answer.at("source") == "measured");
        CHECK(names.contains(answer.at("use").at("method")));
        CHECK(answer.at("access") == (kernel == "bloom" ? "box" : "copy"));
        // Exact methods alone are advised; what samplers round is told apart.
        const std::string method = answer.at("use").at("method");
        CHECK(method != "blits");
        CHECK(method.find("by the sampler") == std::string::npos);
    }
}

TEST_CASE("shaders come out of the cache the second time, and are all compiled where that is wished") {
    const Folder folder;
    const std::string file = folder / "t.db";
    probe(file);
    const auto shaders = [&](const std::string& mode) {
        const Ended ended = run_with_own_cache({"--db", file, "--json", "validate", "--format", "R8G8B8A8_UNORM",
                                                "--kernel", "brightest", "--extent", "16x16", "--order", "row",
                                                "--time", "0.01", "--cache", folder / "shaders", "--shaders", mode});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return parse(ended).at("shaders");
    };
    const auto first = shaders("changed"), second = shaders("changed"), trusted = shaders("cached"),
               all = shaders("all");
    CHECK(first.at("compiled") > 0);
    CHECK(second.at("compiled") == 0);
    CHECK(second.at("reused") == first.at("compiled").get<int>() + first.at("reused").get<int>());
    CHECK(trusted == second);
    CHECK(all.at("compiled") == first.at("compiled"));
}

TEST_CASE("a wrong result is named with its texel, never timed and never kept") {
    // Nothing runs behind a DRM shim: all results are what they were before.
    const Folder folder;
    const std::string file = folder / "t.db";
    const Command options = {"--db",     file, "--json",   "validate", "--format", "R8G8B8A8_UNORM",
                             "--radius", "1",  "--extent", "20x20",    "--order",  "row,rdna"};
    const Ended ended = run(tilewise_on("radv:navi21", options));
    if (ended.code == 77) {
        MESSAGE("SKIPPED: the private drivers are not here; run tools/drivers");
        return;
    }
    CHECK(ended.code == 1);
    const auto parsed = parse(ended);
    REQUIRE(parsed.at("cells").size() == 2);
    for (const auto& cell : parsed["cells"]) {
        CHECK(cell.at("results").empty());
        REQUIRE(!cell.at("wrong").empty());
        CHECK(cell["wrong"][0].at("reason").get<std::string>().starts_with("texel (0, 0) r is 0, should be "));
    }
    CHECK(is_one_complaint(ended.err));
    CHECK(ended.err.find("results were wrong") != std::string::npos);
    CHECK(of_this_machine<db::ValidationFact>(file).empty());
}

TEST_CASE("Ctrl-C ends validate in good order, with what was measured until then") {
    const Folder folder;
    const std::string file = folder / "t.db";
    const Running running =
        start(tilewise_on("system", {"--db", file, "validate", "--format", "R8G8B8A8_UNORM", "--radius", "1,2,3,4,8",
                                     "--extent", "64x64", "--time", "1", "--order", "row"}));
    for (int tenths = 0; tenths < 300 && read_text(running.out).find("radius 1") == std::string::npos; ++tenths)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(-running.pid, SIGINT);
    const Ended ended = wait_for(running);
    CHECK(ended.code == 1);
    CHECK(ended.err.find("tilewise: interrupted; what was measured before is kept in ") != std::string::npos);
    const auto kept = of_this_machine<db::ValidationFact>(file);
    std::set<uint32_t> radii;
    for (const auto& row : kept) radii.insert(row.fact.radius);
    CHECK(radii.contains(1));
    CHECK_FALSE(radii.contains(8));
}

TEST_CASE("tune finds the best of many candidates and how far the derived one is from it") {
    const Folder folder;
    const std::string file = folder / "t.db";
    probe(file);
    pretend_tiles(file);
    const Command command = {"--db",     file,    "tune",         "--format", "R8G8B8A8_UNORM", "--radius", "1",
                             "--extent", "24x24", "--candidates", "140",      "--time",         "0.2"};
    Command as_json = command;
    as_json.insert(as_json.begin(), "--json");
    const Ended ended = run_with_own_cache(as_json);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const auto parsed = parse(ended);
    CHECK(parsed.at("candidates") == 140);
    CHECK(parsed.at("wrong").empty());
    REQUIRE(parsed.at("heats").size() == 3);
    CHECK(parsed["heats"][0].size() == 140);
    CHECK(parsed["heats"][2].size() >= 10);
    // The best one of each order goes on from the second heat to the last.
    for (const std::string name : {"row", "morton", "learned"}) {
        CAPTURE(name);
        nlohmann::json best;
        for (const auto& candidate : parsed["heats"][1])
            if (candidate.at("order") == name && (best.is_null() || candidate.at("median_ms") < best.at("median_ms")))
                best = candidate;
        REQUIRE(!best.is_null());
        CHECK(std::ranges::any_of(parsed["heats"][2], [&](const auto& candidate) {
            return candidate.at("order") == name && candidate.at("columns") == best.at("columns");
        }));
    }
    CHECK(parsed.at("derived").at("order") == "derived");
    const double best = parsed.at("best").at("median_ms"), derived = parsed.at("derived").at("median_ms");
    CHECK(best <= derived);
    CHECK(parsed.at("best_over_derived").get<double>() == doctest::Approx(derived / best));
    Command fewer = command;
    *std::ranges::find(fewer, "140") = "14";
    const Ended text = run_with_own_cache(fewer);
    CHECK(text.out.find("The derived order is ") != std::string::npos);
}

TEST_CASE("tune finds the best order of a kernel, checks it, keeps it, and advise answers with it") {
    const Folder folder;
    const std::string file = folder / "t.db", filter = folder / "mean.glsl";
    probe(file);
    write_text(filter,
               "struct State { vec4 sum; };\n"
               "State filter_center(vec4 texel) { return State(texel); }\n"
               "void filter_iteration(inout State state, vec4 texel, int offset) { state.sum += texel; }\n"
               "vec4 filter_result(State state) { return state.sum / float(2 * RADIUS + 1); }\n");
    const auto advise = [&](const Command& kernel) {
        const Ended ended = run_with_own_cache(
            Command{"--db", file, "--json", "advise", "--gpu", "llvmpipe", "--format", "RGBA8", "--radius", "2"} +
            kernel);
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return parse(ended);
    };
    size_t kept = 0;
    size_t tuned = 0;
    for (const Command& kernel : {Command{"--kernel", "box"},
                                  {"--kernel", "gaussian"},
                                  {"--kernel", "bilateral"},
                                  {"--kernel", "average"},
                                  {"--kernel", "brightest"},
                                  {"--filter", filter}}) {
        if (tuned++ == 2 && !soaking()) break;
        CAPTURE(kernel.back());
        CHECK(advise(kernel).at("source") == "predicted");
        const Ended ended =
            run_with_own_cache(Command{"--db", file, "--json", "tune", "--format", "R8G8B8A8_UNORM", "--radius", "2",
                                       "--extent", "45x39", "--candidates", "14", "--time", "0.1"} +
                               kernel);
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        const auto parsed = parse(ended);
        CHECK(parsed.at("wrong").empty());
        const auto& chosen = parsed.at("kept");
        const auto rows = of_this_machine<db::TuningFact>(file);
        REQUIRE(rows.size() == ++kept);
        const db::TuningFact& fact = rows.back().fact;
        CHECK(fact.kernel == parsed.at("kernel"));
        CHECK(fact.method == chosen.at("method"));
        CHECK(fact.columns == chosen.at("columns"));
        CHECK(fact.group_order == chosen.at("group_order"));
        // What is printed has 12 digits, what is kept has all.
        CHECK(number_text(fact.median_ms) == number_text(chosen.at("median_ms")));
        const double best_ms = parsed.at("best").at("median_ms"), derived_ms = parsed.at("derived").at("median_ms");
        CHECK((fact.over_best == 0 ? 1 : fact.over_best) == doctest::Approx(best_ms / fact.median_ms));
        const bool same_method = parsed.at("derived").at("method") == fact.method;
        if (fact.over_derived > 0 && same_method)
            CHECK(fact.over_derived == doctest::Approx(derived_ms / fact.median_ms));
        CHECK(fact.extent == std::array<uint32_t, 2>{45, 39});
        CHECK(fact.candidates >= parsed.at("candidates"));
        CHECK(rows.back().device.name.starts_with("llvmpipe"));
        const auto advice = advise(kernel);
        CHECK(advice.at("source") == "measured");
        CHECK(advice.at("measured").at("by") == "tune");
        CHECK(advice.at("measured").at("time") == fact.time);
        CHECK(advice.at("use").at("columns") == fact.columns);
        CHECK(number_text(advice.at("use").at("median_ms")) == number_text(fact.median_ms));
    }
    // Every method that can run in any order comes to the last heat.
    const Ended text = run_with_own_cache({"--db", file, "tune", "--kernel", "brightest", "--format", "R8G8B8A8_UNORM",
                                           "--extent", "16x16", "--candidates", "10", "--time", "0"});
    for (const char* method : {"groupshared, one searches", "8x8 an invocation", "groupshared, tree",
                               "2x2 an invocation, tree", "subgroups"})
        CHECK(text.out.find(method) != std::string::npos);
    CHECK(text.out.find("Kept for advise and snippet: ") != std::string::npos);

    CHECK(run(tilewise::tilewise({"--db", file, "db", "check"})).code == 0);
    const std::string bundle = folder / "all.json", other = folder / "other.db";
    REQUIRE(run(tilewise::tilewise({"--db", file, "db", "export", bundle})).code == 0);
    CHECK(parse(run(tilewise::tilewise({"--db", other, "--json", "db", "merge", bundle}))).at("tunings") == kept + 1);
    const int64_t gaussian = of_this_machine<db::TuningFact>(file).at(1).row;
    {
        const db::Database database = db::open_database(file, db::Access::read_write);
        db::execute(database.sqlite,
                    fmt::format("UPDATE tuning SET columns = 'x0 y0 x0' WHERE id = {}", gaussian).c_str());
    }
    const Ended damaged = run(tilewise::tilewise({"--db", file, "db", "check"}));
    CHECK(damaged.code == 1);
    CHECK(damaged.out.find(fmt::format("fault: tune result {}: columns: x0 follows from the columns before it",
                                       gaussian)) != std::string::npos);
}

TEST_CASE("tune tries the best orders with their workgroups in strips and tiles, too, and all are right") {
    const Folder folder;
    const std::string file = folder / "t.db";
    probe(file);
    pretend_tiles(file);
    const Ended ended = run_with_own_cache({"--db", file, "--json", "tune", "--format", "R8G8B8A8_UNORM", "--radius",
                                            "1", "--extent", "200x180", "--candidates", "6", "--time", "0"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const auto parsed = parse(ended);
    CHECK(parsed.at("wrong").empty());
    std::set<std::string> groups;
    for (const auto& candidate : parsed.at("heats").at(0)) CHECK(candidate.at("group_order") == "linear");
    for (const auto& candidate : parsed.at("heats").at(1)) {
        groups.insert(candidate.at("group_order").get<std::string>().substr(0, 5));
        CHECK(candidate.at("samples") > 0);
    }
    CHECK(groups == std::set<std::string>{"linea", "strip", "tiles"});
}

TEST_CASE("a tune run whose results are wrong keeps nothing") {
    const Folder folder;
    const std::string file = folder / "t.db";
    const Ended ended = run(tilewise_on("radv:navi21", {"--db", file, "tune", "--format", "R8G8B8A8_UNORM", "--radius",
                                                        "1", "--extent", "20x20", "--candidates", "3", "--time", "0"}));
    if (ended.code == 77) {
        MESSAGE("SKIPPED: the private drivers are not here; run tools/drivers");
        return;
    }
    CHECK(ended.code == 1);
    CHECK(ended.err.find("is wrong on this device: texel (0, 0)") != std::string::npos);
    for (const auto& row : db::find_facts<db::TuningFact>(db::open_database(file, db::Access::read_only)))
        CHECK(row.device.name.find("RADV") == std::string::npos);
}

TEST_CASE("the derived box is tall where the newest start order goes along rows, and only there") {
    const Folder folder;
    const std::string file = folder / "t.db";
    probe(file);
    pretend_tiles(file);
    const auto derived_shape = [&] {
        const Ended ended =
            run_with_own_cache({"--json", "--db", file, "tune", "--format", "R8G8B8A8_UNORM", "--radius", "1",
                                "--extent", "24x64", "--candidates", "2", "--time", "0.1"});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return parse(ended).at("derived").at("shape");
    };
    pretend_start_order(file, "row");
    // Before anything is timed, which snippet would take.
    const Ended pasted = run_with_own_cache({"--json", "--db", file, "snippet", "--gpu", "llvmpipe", "--format",
                                             "R8G8B8A8_UNORM", "--radius", "1", "--lang", "glsl"});
    CHECK(parse(pasted).at("code").get<std::string>().find("workgroup of 4x64;") != std::string::npos);
    // The derived shape is one of a whole tile's rows, although this image has few.
    CHECK(derived_shape() == nlohmann::json{8, 32});
    const Ended validated = run_with_own_cache({"--db", file, "validate", "--format", "R8G8B8A8_UNORM", "--radius", "1",
                                                "--extent", "24x64", "--order", "learned", "--time", "0.1"});
    CHECK(validated.code == 0);
    CHECK(validated.out.find(" 8x32 ") != std::string::npos);
    pretend_start_order(file, "column");
    CHECK(derived_shape() == nlohmann::json{16, 16});
}

TEST_CASE("a speed-up without an interval is no verdict") {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    CHECK(kernels::verdict_text({2.5, 0, unknown}) == "too few samples");
    CHECK(kernels::verdict_text({2.5, 2.4, 2.6}) == "faster");
    CHECK(kernels::verdict_text({1.0, 0.9, 1.1}) == "no difference");
}

TEST_CASE("what validate and tune cannot do is refused by name") {
    const auto complaint = [](const Command& arguments, int code) {
        const Ended ended = run_with_own_cache(arguments);
        CHECK(ended.code == code);
        CHECK(is_one_complaint(ended.err));
        return ended.err;
    };
    const Folder folder;
    const std::string file = folder / "t.db";
    CHECK(complaint({"--db", file, "validate", "--kernel", "sharpen"}, 2).find("no kernel \"sharpen\"") !=
          std::string::npos);
    CHECK(complaint({"--db", file, "validate", "--format", "D32_SFLOAT"}, 2).find("D32_SFLOAT") != std::string::npos);
    CHECK(complaint({"--db", file, "validate", "--extent", "8x8x8"}, 2).find("without depth") != std::string::npos);
    CHECK(complaint({"--db", file, "validate", "--order", "hilbert"}, 2).find("no order \"hilbert\"") !=
          std::string::npos);
    CHECK(complaint({"--db", file, "tune", "--kernel", "all"}, 2).find("no kernel \"all\"") != std::string::npos);
    CHECK(complaint({"--db", file, "tune", "--filter", folder / "none.glsl"}, 1).find("none.glsl") !=
          std::string::npos);
    CHECK(complaint({"--db", file, "validate", "--device", "GeForce"}, 1).find("no device \"GeForce\"") !=
          std::string::npos);
}
