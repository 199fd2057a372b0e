// Which methods `advise` names for cards that nobody timed, against the catalog's timings as plain SQL finds them.
#include "db/sqlite/open.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/raw_database.h"
#include "tests/support/soak.h"
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace tilewise;
using nlohmann::json;

namespace {

/// A file of the shipped catalog alone.
struct CatalogFile {
    Folder folder;
    std::string path = folder / "catalog.db";
    CatalogFile() { db::open_database(path, db::Access::read_write); }

    json advice(const Command& arguments) const {
        const Ended ended = run(Command{program_path(), "--db", path, "--quiet", "--json", "advise"} + arguments);
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return json::parse(ended.out);
    }
    /// The columns of the first row.
    std::vector<std::string> row(const std::string& sql, int columns) const {
        const db::Connection connection = raw_database(path);
        db::Statement statement(connection, sql);
        std::vector<std::string> found;
        if (statement.step())
            for (int i = 0; i < columns; i++) found.push_back(statement.text(i));
        return found;
    }
};

struct Asked {
    std::string kernel, format;
    unsigned radius = 0;

    Command options() const {
        Command options = {"--kernel", kernel, "--format", format};
        if (radius > 0) options = options + Command{"--radius", std::to_string(radius)};
        return options;
    }
    /// Both tables of timings of GPUs: device, method, median_ms, width, height, time.
    std::string timings(const std::string& more = "") const {
        std::string sql;
        for (const char* table : {"validation", "tuning"})
            sql += fmt::format(
                "{}SELECT device.name AS device, method, median_ms, {}.width AS width, {}.height AS height, "
                "time, '{}' AS source FROM {} JOIN device ON device.id = {}.device "
                "WHERE type <> 'cpu' AND kernel = '{}' AND format = '{}' AND radius = {} {}",
                sql.empty() ? "" : " UNION ALL ", table, table, table, table, table, kernel, format, radius, more);
        return "(" + sql + ")";
    }
};

/// GPUs that the catalog has no timings of.
constexpr const char* gpus[] = {"RTX 4070",    "RTX 4090",   "RTX 3080",   "RTX 2080",   "RTX 5090",
                                "GTX 1060",    "M1",         "M4",         "RX 6800",    "RX 480",
                                "RX 7900 XTX", "Steam Deck", "Adreno 740", "Adreno 630", "Arc A770"};

constexpr const char* ranked_formats[] = {"R8G8B8A8_UNORM", "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT"};

std::string method_family(const std::string& method) { return method.substr(0, method.find(',')); }

std::vector<Asked> questions(size_t turn) {
    std::vector<Asked> asked;
    for (const char* kernel : {"box", "gaussian", "bilateral"})
        for (const unsigned radius : {1u, 2u, 4u, 8u, 16u})
            asked.push_back({kernel, ranked_formats[turn++ % 3], radius});
    for (const char* kernel : {"average", "brightest"}) asked.push_back({kernel, ranked_formats[turn++ % 3], 0});
    return asked;
}

/// The devices whose images have that pattern, of those that were timed.
std::string with_pattern(const Asked& asked, const std::string& pattern) {
    return fmt::format(
        "AND device.name IN (SELECT seen.name FROM observation JOIN device AS seen ON seen.id = observation.device "
        "WHERE observation.format = '{}' AND observation.pattern = '{}')",
        asked.format, pattern);
}

}  // namespace

TEST_CASE(
    "the family that is named for a card that nobody timed is the fastest on the nearest card that somebody did") {
    const CatalogFile catalog;
    size_t checked = 0, turn = 0, number = 0;
    for (const char* gpu : gpus)
        for (const Asked& asked : questions(turn++)) {
            if (!is_drawn(number++, 4)) continue;
            CAPTURE(gpu);
            CAPTURE(asked.kernel);
            CAPTURE(asked.format);
            CAPTURE(asked.radius);
            const json told = catalog.advice(Command{"--gpu", gpu, "--code", "glsl"} + asked.options());
            REQUIRE(told.at("ranked").size() > 0);
            const json& first = told["ranked"][0];

            // The nearest card: one whose images have the same pattern, if there is one.
            const std::string pattern = told["pattern"].is_null() ? "" : told["pattern"];
            std::string near = with_pattern(asked, pattern);
            const bool has_tile = !catalog.row("SELECT device FROM " + asked.timings(near), 1).empty();
            CHECK(first.at("evidence") == (has_tile ? "same tile" : "any device"));
            if (!has_tile) near.clear();
            const std::string timings = asked.timings(near);
            const auto device = catalog.row("SELECT device FROM " + timings +
                                                " WHERE width = 4096 AND height = 4096 ORDER BY time DESC, source = "
                                                "'tuning', device DESC LIMIT 1",
                                            1);
            REQUIRE(device.size() == 1);
            CHECK(first.at("device") == device[0]);

            const auto fastest = catalog.row(
                fmt::format("SELECT method, median_ms FROM {} WHERE device = '{}' AND width = 4096 AND height = 4096 "
                            "AND method NOT LIKE '%approximate%' ORDER BY median_ms LIMIT 1",
                            timings, device[0]),
                2);
            REQUIRE(fastest.size() == 2);
            CHECK(first.at("family") == method_family(fastest[0]));

            // What `use` names, the code is.
            CHECK(method_family(told.at("use").at("method")) == method_family(told.at("code_method")));
            // The code of `brightest` needs a subgroup's size, which is known of GeForce cards (RTX, GTX) by their vendor.
            const bool has_code = asked.kernel != "brightest" || std::string_view(gpu).substr(1).starts_with("TX ");
            if (has_code) CHECK(method_family(told["use"]["method"]) == first["family"].get<std::string>());
            ++checked;
        }
    CHECK(number == std::size(gpus) * 17);
    CHECK(checked >= number / 4);
}

TEST_CASE("a GPU of an architecture that nobody probed has its methods ranked by what others showed, and says so") {
    for (const char* gpu : {"MI300X", "R9 390", "HD 7970"}) {
        CAPTURE(std::string(gpu));
        const Command question = {"advise", "--gpu", gpu, "--kernel", "box", "--format", "RGBA8", "--radius", "8"};
        const Ended ended = run(Command{program_path(), "--quiet", "--json"} + question);
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        const nlohmann::json told = nlohmann::json::parse(ended.out);
        CHECK(told["source"] == "unknown");
        REQUIRE(told["ranked"].size() >= 2);
        CHECK(told["ranked"][0]["evidence"] == "any device");
        const Ended text = run(Command{program_path()} + question);
        CHECK(text.err.find("nobody has probed a chip of that architecture") != std::string::npos);
    }
}

TEST_CASE("over images of the size that is asked for, what was timed over these ranks the families") {
    const CatalogFile catalog;
    size_t checked = 0;
    for (const char* extent : {"1280x720", "1920x1080", "2560x1440", "3840x2160"})
        for (const Asked& asked : questions(checked)) {
            CAPTURE(extent);
            CAPTURE(asked.kernel);
            CAPTURE(asked.format);
            CAPTURE(asked.radius);
            const std::string text = extent;
            const std::string timings =
                fmt::format("{} WHERE width = {} AND height = {} AND method NOT LIKE '%approximate%'", asked.timings(),
                            text.substr(0, text.find('x')), text.substr(text.find('x') + 1));
            const auto count = catalog.row("SELECT COUNT(DISTINCT method) FROM " + timings, 1);
            if (count.at(0) == "0" || count.at(0) == "1") continue;
            const json told =
                catalog.advice(Command{"--gpu", "RX 6800", "--extent", extent, "--code", "glsl"} + asked.options());
            const auto fastest = catalog.row("SELECT method FROM " + timings + " ORDER BY median_ms LIMIT 1", 1);
            CHECK(told.at("ranked").at(0).at("family") == method_family(fastest.at(0)));
            CHECK(method_family(told.at("code_method")) == method_family(fastest[0]));
            ++checked;
        }
    CHECK(checked > 20);
}

TEST_CASE("the range of gains that advise names is that of the medians that SQL finds") {
    const CatalogFile catalog;
    for (const Asked& asked : {Asked{"box", ranked_formats[0], 3}, Asked{"box", ranked_formats[2], 8},
                               Asked{"gaussian", ranked_formats[1], 4}, Asked{"bilateral", ranked_formats[1], 2}}) {
        CAPTURE(asked.kernel);
        const json told = catalog.advice(Command{"--gpu", "RX 6800"} + asked.options());
        for (const json& family : told.at("ranked")) {
            CAPTURE(family.dump());
            const auto range = catalog.row(
                fmt::format(
                    "WITH best AS (SELECT device, width, height, MIN(median_ms) AS ms FROM validation WHERE kernel = "
                    "'{0}' "
                    "AND format = '{1}' AND radius = {2} AND (method = '{3}' OR method LIKE '{3},%') AND method NOT "
                    "LIKE "
                    "'%approximate%' GROUP BY device, width, height), "
                    "base AS (SELECT device, width, height, median_ms AS ms FROM validation WHERE kernel = '{0}' AND "
                    "format = '{1}' AND radius = {2} AND method = 'direct' AND kernel_order = 'row' AND group_width = "
                    "16 "
                    "AND group_height = 16 AND group_order = 'linear') "
                    "SELECT MIN(base.ms / best.ms), MAX(base.ms / best.ms) FROM best JOIN base USING (device, width, "
                    "height)",
                    asked.kernel, asked.format, asked.radius, family.at("family").get<std::string>()),
                2);
            REQUIRE(range.size() == 2);
            CHECK(family.at("over_row").at("low").get<double>() == doctest::Approx(std::stod(range[0])));
            CHECK(family.at("over_row").at("high").get<double>() == doctest::Approx(std::stod(range[1])));
        }
    }
}

TEST_CASE("evidence goes from the very device to its chip, then to its tile, and a format stands for those like it") {
    const CatalogFile catalog;
    const auto evidence = [&](const Command& arguments) -> std::string {
        return catalog.advice(arguments).at("ranked").at(0).at("evidence");
    };
    CHECK(evidence({"--gpu", "H100", "--format", "RGBA8", "--radius", "3"}) == "this device");
    CHECK(evidence({"--gpu", "H100", "--format", "R8", "--radius", "3"}) == "this device");
    // Kernels write them by views of another format.
    for (const char* viewed : {"BGRA8", "R8G8B8A8_SRGB", "B8G8R8A8_SRGB", "A2R10G10B10_UNORM_PACK32"}) {
        CAPTURE(viewed);
        const json told = catalog.advice({"--gpu", "H100", "--format", viewed, "--radius", "4"});
        CHECK(told.at("ranked").at(0).at("format") == "R8G8B8A8_UNORM");
        CHECK(told.at("ranked").at(0).at("evidence") == "this device");
        CHECK(told.at("use").at("method").get<std::string>().starts_with("running sums"));
        CHECK(told.at("measure").get<std::string>().find("--format R8G8B8A8_UNORM") != std::string::npos);
    }
    CHECK(evidence({"--gpu", "H800", "--format", "RGBA8", "--radius", "3"}) == "this chip");
    CHECK(evidence({"--gpu", "RTX 4090", "--format", "RGBA8", "--radius", "3"}) == "same tile");
    CHECK(evidence({"--gpu", "GTX 1080", "--format", "RGBA8", "--radius", "3"}) == "any device");
}

TEST_CASE("kernels that write no image take any source whose texels are fractions, and no other") {
    const CatalogFile catalog;
    for (const char* kernel : {"average", "brightest", "histogram"})
        for (const char* format : {"B8G8R8A8_UNORM", "B8G8R8A8_SRGB", "BC7_UNORM_BLOCK", "D32_SFLOAT"}) {
            CAPTURE(kernel);
            CAPTURE(format);
            const json told =
                catalog.advice({"--gpu", "H100", "--kernel", kernel, "--format", format, "--code", "glsl"});
            const std::string code = told.at("code");
            CHECK(code.find(fmt::format("source, an image of width x height texels, {}", format)) != std::string::npos);
            CHECK(code.find("image2D") == std::string::npos);
        }
    const auto refused = [&](const char* kernel, const char* format) {
        const Ended ended = run(Command{program_path(), "--db", catalog.path, "--quiet", "advise", "--gpu", "H100",
                                        "--kernel", kernel, "--format", format, "--code", "glsl", "--radius", "2"});
        return ended.err;
    };
    CHECK(refused("gaussian", "BC7").find("no kernel in glsl writes BC7_UNORM_BLOCK") != std::string::npos);
    CHECK(refused("gaussian", "B8G8R8A8_SRGB")
              .find("view of that format, whose red and blue are exchanged and whose channels are not decoded") !=
          std::string::npos);
    CHECK(refused("gaussian", "A8B8G8R8_UNORM_PACK32").find("take --format R8G8B8A8_UNORM and a view of that format") !=
          std::string::npos);
    const Ended integers = run(Command{program_path(), "--db", catalog.path, "--quiet", "advise", "--gpu", "H100",
                                       "--kernel", "average", "--format", "R8_UINT", "--code", "glsl"});
    CHECK(integers.err.find("average reads fractions, and R8_UINT has integers") != std::string::npos);
}

TEST_CASE("rows are no tile that a timed card has, though its small levels and 1D images are rows, too") {
    const CatalogFile catalog;
    for (const Command& image :
         {Command{"--gpu", "lavapipe", "--extent", "1920x1080"}, {"--gpu", "RX 6800", "--extent", "777x1"}}) {
        const json told = catalog.advice(image + Command{"--format", "RGBA8", "--kernel", "box", "--radius", "1"});
        CHECK(told.dump().find("have the same tile") == std::string::npos);
    }
}

TEST_CASE("for a loop of one's own no method is named that does not have the radius") {
    const CatalogFile catalog;
    for (const char* gpu : {"RX 6800", "H100"}) {  // a card that was timed, too
        CAPTURE(gpu);
        const json wide =
            catalog.advice({"--gpu", gpu, "--format", "RGBA8", "--radius", "40", "--access", "box", "--code", "glsl"});
        CHECK(wide.at("source") == "predicted");
        CHECK(wide.at("use").at("method") == "direct");
        for (const json& family : wide.at("ranked")) CHECK(family.at("family") != "running sums");
    }
    const json gather =
        catalog.advice({"--gpu", "RX 6800", "--format", "RGBA8", "--radius", "4", "--access", "gather"});
    CHECK(gather.at("ranked").empty());
    CHECK(gather.at("use").at("method") == "direct");
}
