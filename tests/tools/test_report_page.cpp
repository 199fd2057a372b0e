// The page of `tilewise report` in a real browser, headless: what is hovered, typed, searched for and copied there.
#include "tests/support/db_sample.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/report_page.h"
#include "tests/support/soak.h"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <tuple>

using namespace tilewise;
using nlohmann::json;

namespace {

std::string playwright() { return source_dir() + "/build/npm/node_modules/playwright-core"; }

/// Debian's, or "".
std::string chromium() {
    std::string path = run({"sh", "-c", "command -v chromium"}).out;
    path.erase(path.find_last_not_of('\n') + 1);
    return path;
}

bool has_browser() {
    if (!chromium().empty() && run({"node", "--version"}).code == 0 && std::filesystem::exists(playwright()))
        return true;
    MESSAGE("SKIPPED: no Chromium, Node.js or playwright-core (tools/deps --test installs them)");
    return false;
}

/// What the program answers from the shipped catalog alone.
std::string answer_of_catalog(const Command& arguments) {
    const Folder empty;
    const Ended ended =
        run(Command{"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=" + empty.path.string(), program_path(), "--quiet"} +
            arguments);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    return ended.out;
}

/// One for the whole program: a browser takes a second or two to start. It is asked, and answers, line by line.
class Browser {
public:
    static Browser& running() {
        static Browser browser;
        return browser;
    }
    Browser(const Browser&) = delete;
    Browser& operator=(const Browser&) = delete;

    /// What it did of each; the page must have complained of nothing.
    json ask(const json& questions) {
        questions_ << questions.dump() << std::endl;
        std::string line;
        REQUIRE_MESSAGE(std::getline(answers_, line), "the browser ended: " << read_text(process_.err));
        const json said = json::parse(line);
        CHECK(said["errors"] == json::array());
        REQUIRE(said["answers"].size() == questions.size());
        return said["answers"];
    }

private:
    Browser() {
        signal(SIGPIPE, SIG_IGN);  // of a browser that ended
        const std::string in = folder_ / "questions", out = folder_ / "answers";
        REQUIRE(mkfifo(in.c_str(), 0600) == 0);
        REQUIRE(mkfifo(out.c_str(), 0600) == 0);
        process_ = start({"sh", "-c", R"(in=$1 out=$2; shift 2; exec "$@" <"$in" >"$out")", "sh", in, out, "node",
                          source_dir() + "/tests/report/browse.mjs", playwright(), chromium()});
        questions_.open(in);
        answers_.open(out);
    }
    ~Browser() {
        questions_.close();
        wait_for(process_);
    }

    Folder folder_;
    Running process_;
    std::ofstream questions_;
    std::ifstream answers_;
};

/// One page, and the report that it is to show.
struct Page {
    Folder folder;
    std::string file = folder / "page.html";
    json report;
    explicit Page(const Command& arguments)
        : report(json::parse(answer_of_catalog(Command{"report", "--json", "--output", file} + arguments))) {}

    json browse(json questions) const {
        for (json& question : questions) question["file"] = file;
        return Browser::running().ask(questions);
    }

    /// The index of the image with that format and kind.
    size_t image(const std::string& format, const std::string& kind) const {
        const json& images = report["devices"][0]["images"];
        for (size_t i = 0; i < images.size(); i++)
            if (images[i]["kind"] == kind &&
                std::ranges::find(images[i]["formats"], json(format)) != images[i]["formats"].end())
                return i;
        FAIL("no such image: ", format, " ", kind);
        return 0;
    }
};

/// The page of the whole catalog, which takes seconds to make.
const Page& page_of_all() {
    static const Page page({});
    return page;
}

json report_of_gpu(const std::string& gpu) {
    return json::parse(answer_of_catalog({"report", "--json", "--gpu", gpu}));
}

const Page& page_of_h200() {
    static const Page page({"--gpu", "H200"});
    return page;
}

Command image_options(const std::string& gpu, const std::string& format, const std::string& extent,
                      const std::string& levels) {
    return {"layout", "--gpu", gpu, "--format", format, "--extent", extent, "--levels", levels};
}

/// What was read out, as it would be read out if it lay where `layout --at` says.
json as_layout_says(const Command& image, const json& read, size_t level) {
    Command at = {"--level", std::to_string(level)};
    for (const json& one : read)
        at = at + Command{"--at", fmt::format("{},{}", one["x"].get<std::string>(), one["y"].get<std::string>())};
    std::istringstream lines(answer_of_catalog(image + at));
    json said = read;
    for (json& one : said) {
        std::string offset;
        std::getline(lines, offset);
        one["offset"] = offset;
    }
    return said;
}

}  // namespace

TEST_CASE("what is hovered and typed on the page is what `layout --at` says") {
    if (!has_browser()) return;
    struct Case {
        const char *gpu, *format, *extent, *levels;
    };
    size_t checked = 0;
    std::vector<Case> cases = {{"Turnip Adreno (TM) 740", "BC7_UNORM_BLOCK", "513x300", "10"}};
    if (soaking())
        cases.insert(cases.end(), {{"H100", "R8G8B8A8_UNORM", "1000x700", "10"},
                                   {"RX 6800", "R16G16B16A16_SFLOAT", "1920x1080", "11"}});
    for (const Case& of : cases) {
        INFO(of.gpu);
        const Page page({"--gpu", of.gpu, "--extent", of.extent});
        const size_t image = page.image(of.format, "levels");
        const Command layout = image_options(of.gpu, of.format, of.extent, of.levels);
        const json points = {{0.01, 0.01}, {0.37, 0.62}, {0.99, 0.99}, {0.5, 0.11}};
        const json said =
            page.browse({{{"do", "hover"}, {"image", image}, {"level", 0}, {"points", points}},
                         {{"do", "hover"}, {"image", image}, {"level", 1}, {"points", points}},
                         {{"do", "type"}, {"image", image}, {"level", 0}, {"texels", {{512, 299}, {77, 40}}}}});
        for (const size_t level : {size_t{0}, size_t{1}}) {
            CHECK(said[level] == as_layout_says(layout, said[level], level));
            CHECK(said[level].size() == 7);
            checked += said[level].size();
        }
        json typed = json::array();
        for (const json& both : said[2]) {
            typed.push_back(both["by_texel"]);
            CHECK(both["by_byte"] == both["by_texel"]);
        }
        CHECK(typed.size() == 2);
        CHECK(typed == as_layout_says(layout, typed, 0));
        // Each square is another texel.
        CHECK(said[0][0] != said[0][1]);
    }
    CHECK(checked == 14 * cases.size());
}

namespace {

/// Offsets by aspect, level and layer, in the order of the rows.
using Tables = std::map<std::tuple<std::string, uint64_t, uint64_t>, std::vector<uint64_t>>;

/// `aspect`: of an image that has but one, which its table does not name.
Tables tables_of(const std::string& csv, const std::string& aspect) {
    Tables tables;
    std::istringstream lines(csv);
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#")) continue;
        std::vector<std::string> fields;
        std::istringstream in(line);
        for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
        if (names.empty()) {
            names = fields;
            continue;
        }
        std::tuple<std::string, uint64_t, uint64_t> key = {aspect, 0, 0};
        uint64_t offset = 0;
        for (size_t i = 0; i < fields.size(); i++) {
            if (names[i] == "aspect") std::get<0>(key) = fields[i];
            if (names[i] == "level") std::get<1>(key) = std::stoull(fields[i]);
            if (names[i] == "layer") std::get<2>(key) = std::stoull(fields[i]);
            if (names[i] == "byte_offset") offset = std::stoull(fields[i]);
        }
        tables[key].push_back(offset);
    }
    return tables;
}

std::string number(const json& value) { return std::to_string(value.get<uint64_t>()); }

}  // namespace

TEST_CASE("the page computes the offset of every element as `layout --table` writes it, and finds each again") {
    if (!has_browser()) return;
    struct Case {
        const char *gpu, *extent;
    };
    size_t images = 0;
    std::vector<Case> cases = {{"RX 6800", "100x150"}};
    if (soaking()) cases.insert(cases.end(), {{"H100", "150x100"}, {"M1", "70x50"}});
    for (const Case& of : cases) {
        const Page page({"--gpu", of.gpu, "--extent", of.extent});
        json parts = json::array();
        std::vector<std::vector<uint64_t>> expected;
        for (const json& image : page.report["devices"][0]["images"]) {
            const auto index = image["image_layout"].get<size_t>();
            const json& layout = page.report["image_layouts"][index];
            if (layout["samples"] != 1 || image["flags"] != "" || parts.size() > 24) continue;
            const json& extent = layout["extent"];
            const Folder folder;
            answer_of_catalog({"layout", "--gpu", of.gpu, "--format", image["formats"][0], "--usage", image["usage"],
                               "--extent", number(extent[0]) + "x" + number(extent[1]) + "x" + number(extent[2]),
                               "--levels", number(layout["levels"]), "--layers", number(layout["layers"]),
                               "--image-type", layout["image_type"], "--table", folder / "table.csv"});
            const json& of_image = layout["subresources"];
            Tables tables = tables_of(read_text(folder / "table.csv"), of_image[0]["aspect"]);
            for (size_t part = 0; part < of_image.size(); part += 3) {
                const uint64_t layer =
                    of_image[part]["layer"].get<uint64_t>() + of_image[part]["layers"].get<uint64_t>() - 1;
                parts.push_back({index, part, layer});
                expected.push_back(tables[{of_image[part]["aspect"], of_image[part]["level"], layer}]);
            }
            images++;
        }
        INFO(of.gpu);
        REQUIRE(!parts.empty());
        const json said = page.browse({{{"do", "tables"}, {"parts", parts}}})[0];
        for (size_t i = 0; i < expected.size(); i++) {
            CAPTURE(parts[i].dump());
            CHECK(!expected[i].empty());
            CHECK(said[i]["offsets"].get<std::vector<uint64_t>>() == expected[i]);
            CHECK(said[i]["lost"] == 0);
        }
    }
    CHECK(images > 4 * cases.size());
}

namespace {

/// The rows "tile.aN = ..." of an independent fit to another program's table, as the page writes them: from the highest
/// bit.
json bits_of_fit(const std::string& layout) {
    std::istringstream lines(read_text(source_dir() + "/tests/data/layouts/" + layout + ".eq"));
    std::vector<std::string> rows;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("tile.a")) continue;
        std::string row = line.substr(line.find("= ") + 2);
        std::erase(row, ' ');
        rows.push_back(row);
    }
    std::ranges::reverse(rows);
    return rows;
}

/// Offsets by texel, of another program's table.
std::map<std::pair<std::string, std::string>, std::string> offsets_of_table(const std::string& layout) {
    std::map<std::pair<std::string, std::string>, std::string> offsets;
    std::istringstream lines(layout_table(layout));
    for (std::string x, y, offset;
         std::getline(lines, x, ',') && std::getline(lines, y, ',') && std::getline(lines, offset);)
        offsets[{x, y}] = offset;
    return offsets;
}

/// So many times as fast as row order in 16x16 is memory order, of what reads its own texels: the least and the most.
std::array<double, 2> gain_by_timings(const json& timings, const std::string& kernel, const std::string& format,
                                      const std::string& pattern) {
    std::map<json, std::array<double, 2>> row_and_learned;  // by radius and extent
    for (const json& timing : timings) {
        if (!(timing["kernel"] == kernel && timing["format"] == format && timing["method"] == "direct" &&
              timing["group_order"] == "linear"))
            continue;
        auto& [row, learned] =
            row_and_learned.try_emplace({timing["radius"], timing["extent"]}, std::array{0.0, 1e9}).first->second;
        const double ms = timing["median_ms"];
        if (timing["order"] == "row" && timing["shape"] == json{16, 16}) row = ms;
        if (timing["order"] == "learned" && timing["pattern"] == pattern) learned = std::min(learned, ms);
    }
    std::array<double, 2> range = {1e9, 0};
    for (const auto& [cell, times] : row_and_learned)
        if (times[0] > 0 && times[1] < 1e9)
            range = {std::min(range[0], times[0] / times[1]), std::max(range[1], times[0] / times[1])};
    return range;
}

}  // namespace

TEST_CASE(
    "a GPU's first screen has the tile, the bits and the offsets of another program's table, and the code of "
    "`snippet`") {
    if (!has_browser()) return;
    struct Case {
        const char *gpu, *fit;
    };
    // The last one was seen with two versions of its driver: the newest comes first.
    for (const Case& of : {Case{"H100", "nvidia_turing-ada_bl16_32bpp"}, Case{"M1", "apple_agx_twiddled_32bpp"},
                           Case{"RTX 3060 Laptop", "nvidia_turing-ada_bl16_32bpp"}}) {
        CAPTURE(of.gpu);
        const Page page({"--gpu", of.gpu});
        const json points = {{0.03, 0.03}, {0.4, 0.6}, {0.97, 0.97}};
        const json said = page.browse({{{"do", "first"}, {"points", points}}, {{"do", "first"}, {"width", 420}}});
        const json& first = said[0];
        CHECK(first["is"] == bits_of_fit(of.fit));
        CHECK(said[1]["is"] == first["is"]);
        CHECK(first["bits"][0] == std::to_string(first["is"].size() - 1));
        const auto offsets = offsets_of_table(of.fit);
        for (const json& read : first["read"]) CHECK(read["offset"] == offsets.at({read["x"], read["y"]}));
        CHECK(first["read"][0]["offset"] != first["read"][2]["offset"]);
        const json shown = json::parse(answer_of_catalog({"show", "--gpu", of.gpu, "--format", "RGBA8", "--json"}));
        CHECK(first["heading"] == "R8G8B8A8_UNORM: " + shown["title"].get<std::string>());
        const std::string code = answer_of_catalog({"snippet", "--gpu", of.gpu, "--format", "RGBA8", "--lang", "glsl"});
        CHECK(first["code"].get<std::string>().find(code.substr(code.find("uvec2 tilewise_remap"))) !=
              std::string::npos);
        // The picture begins on the first screen.
        CHECK(first["pictureTop"] < 520);
        CHECK(said[1]["pictureTop"] < 900);
    }
}

TEST_CASE("what the first screen says memory order gains is what the timings say, and whose they are") {
    if (!has_browser()) return;
    const Page page({"--gpu", "H100"});
    const json& device = page.report["devices"][0];
    for (const auto& [format, place] :
         {std::pair("R8G8B8A8_UNORM", size_t{0}), std::pair("R32G32B32A32_SFLOAT", size_t{2})}) {
        const json first = page.browse({{{"do", "first"}, {"hash", fmt::format("#device=0&format={}", format)}}})[0];
        CHECK(first["source"] == "measured");
        CHECK(first["gain"] == device["tiles"][place]["gain"]);
        const std::string sentence = first["gain"][0], last = first["gain"][2];
        for (const char* kernel : {"box", "gaussian", "bilateral"}) {
            // The page's timings are of one order of workgroups each: the sentence may rest on more of them.
            const std::string id = page.report["patterns"][device["tiles"][place]["pattern"].get<size_t>()]["id"];
            const auto [low, high] = gain_by_timings(device["timings"], kernel, format, id);
            CAPTURE(sentence);
            CHECK(high > 1.3);
            std::smatch said;
            REQUIRE(std::regex_search(sentence, said,
                                      std::regex(std::string(kernel) + " ([0-9.]+[0-9]) to ([0-9.]+[0-9])")));
            CHECK(std::stod(said[1]) < low + 0.006);
            CHECK(std::stod(said[2]) > high - 0.006);
            CHECK(std::stod(said[2]) < high + 0.1);
        }
        CHECK(last.starts_with("Measured on NVIDIA H100 80GB HBM3 (NVIDIA 580."));
        CHECK(first["gains"].size() >= 4);
    }
    // Nobody has timed a 4090, whose tile is the H100's and the H200's; of the M1's tile nobody timed anything.
    const json other = report_of_gpu("RTX 4090")["devices"][0]["tiles"][0],
               apple = report_of_gpu("M1")["devices"][0]["tiles"][0];
    CHECK(other["source"] == "measured on another device");
    CHECK(other["gain"][0] ==
          "Nobody has timed kernels on images of R8G8B8A8_UNORM here. Images of R8G8B8A8_UNORM on NVIDIA H100 80GB "
          "HBM3 and NVIDIA H200 have the same tile.");
    CHECK(apple["source"] == "predicted");
    CHECK(apple["gain"].size() == 2);
    const json advice =
        json::parse(answer_of_catalog({"advise", "--gpu", "M1", "--access", "copy", "--format", "RGBA8", "--json"}));
    CHECK(advice["source"] == "predicted");
}

TEST_CASE("the tile of a format is the pattern that `show` chooses") {
    for (const char* gpu : {"H100", "RX 6800", "Turnip Adreno (TM) 740", "lavapipe"}) {
        CAPTURE(gpu);
        const json report = report_of_gpu(gpu);
        size_t tiles = 0;
        for (const json& device : report["devices"])
            for (const json& tile : device["tiles"]) {
                const std::string driver = device["driver"];
                const Ended ended =
                    run(Command{"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=/nonexistent", program_path(), "--quiet",
                                "show", "--gpu", gpu, "--driver", driver.substr(driver.find(' ') + 1), "--format",
                                tile["format"], "--json"});
                if (ended.code != 0) continue;  // nobody read such an image: a rule says what the tile is
                CAPTURE(tile.dump());
                CHECK(report["patterns"][tile["pattern"].get<size_t>()]["id"] == json::parse(ended.out)["id"]);
                tiles++;
            }
        CHECK(tiles >= 3);
    }
    // The format that is asked for comes first.
    CHECK(json::parse(answer_of_catalog({"report", "--gpu", "H100", "--format", "BC3",
                                         "--json"}))["devices"][0]["tiles"][0]["format"] == "BC3_UNORM_BLOCK");
}

TEST_CASE("every word that is explained has an explanation within a phone's window, GOBs among them") {
    if (!has_browser()) return;
    const Page& page = page_of_h200();
    const json said = page.browse({{{"do", "words"}}, {{"do", "words"}, {"hash", "#device=0&view=formats"}}});
    CHECK(said[0].contains("tile"));
    CHECK(said[0].contains("memory order"));
    REQUIRE(said[1].contains("GOB"));
    CHECK(said[1]["GOB"][0].get<std::string>().find("512 bytes") != std::string::npos);
    for (const json& view : said)
        for (const auto& [word, told] : view.items()) {
            CAPTURE(word);
            CHECK(told[0].get<std::string>().size() > 20);
            CHECK(told[1] == true);
        }
}

TEST_CASE("the page of one GPU says what it assumes, as `show` does, and nothing where that very chip was read") {
    if (!has_browser()) return;
    for (const char* gpu : {"Xbox Series X", "GTX 1080", "RTX 3060 Laptop"}) {
        CAPTURE(gpu);
        const json warnings = Page({"--gpu", gpu}).browse({{{"do", "first"}}})[0]["warnings"];
        const json told = json::parse(answer_of_catalog({"show", "--gpu", gpu, "--format", "RGBA8", "--json"}))["gpu"];
        CHECK(warnings.empty() == !told.contains("assumed"));
        if (!warnings.empty()) CHECK(warnings[0] == "Assumed: " + told["assumed"].get<std::string>() + ".");
    }
}

TEST_CASE("the page of two GPUs begins with both, also where one was seen with two versions of its driver") {
    if (!has_browser()) return;
    const Page page({"--gpu", "RTX 3060", "--gpu", "RX 6800"});
    REQUIRE(page.report["devices"].size() == 3);
    const json begun = page.browse({{{"do", "relations"}, {"hash", ""}}})[0];
    const json chosen = page.browse({{{"do", "relations"}, {"hash", "#compare=0,2"}}})[0];
    CHECK(page.report["devices"][0]["chip"] == "GA106");
    CHECK(page.report["devices"][2]["chip"] == "Navi 21");
    CHECK(!begun.empty());
    CHECK(begun == chosen);
}

TEST_CASE("of two GPUs each line says whose it is, and what is alike is told by a sign") {
    if (!has_browser()) return;
    const Page page({"--gpu", "H100", "--gpu", "H200"});
    const json cells = page.browse({{{"do", "relations"}, {"hash", "#compare=0,1"}}})[0];
    // By the report's own JSON.
    const auto patterns_of = [&](const json& device, const std::string& format, const std::string& kind) {
        std::set<size_t> patterns;
        for (const json& row : device["formats"])
            if (std::ranges::find(row["formats"], json(format)) != row["formats"].end())
                for (const json& cell : row["cells"])
                    if (cell["kind"] == kind)
                        for (const json& known : cell["patterns"]) patterns.insert(known["pattern"].get<size_t>());
        return patterns;
    };
    const json& devices = page.report["devices"];
    REQUIRE(devices.size() == 2);
    std::map<std::string, size_t> counts;
    for (const json& cell : cells) {
        const std::string relation = cell[0], formats = cell[1], text = cell[3];
        const std::string format = formats.substr(0, formats.find(','));
        const auto a = patterns_of(devices[0], format, cell[2]), b = patterns_of(devices[1], format, cell[2]);
        CAPTURE(cell.dump());
        CHECK(relation == (a == b ? "same" : a.empty() || b.empty() ? "alone" : "other"));
        CHECK(text.starts_with(relation == "same" ? "A = B " : relation == "other" ? "≠ A " : "A "));
        if (relation != "same") CHECK(text.find(b.empty() ? "B not known" : "B ") != std::string::npos);
        counts[relation]++;
    }
    CHECK(counts["same"] > 50);
    CHECK(counts["other"] > 2);
    CHECK(counts["alone"] > 2);
}

TEST_CASE("the page of all has each chip once, by its vendor, with all of its devices and a picture") {
    if (!has_browser()) return;
    const json vendors = page_of_all().browse({{{"do", "cards"}}})[0];
    std::map<std::string, std::string> card_of;  // by chip
    size_t links = 0;
    for (const json& vendor : vendors)
        for (const json& card : vendor[1]) {
            const std::string text = card[0];
            CHECK(card_of.try_emplace(text.substr(0, text.find('\n')), text).second);
            links += card[1].get<size_t>();
            CHECK(card[2] == 1);
        }
    CHECK(links == page_of_all().report["devices"].size());
    const auto has = [&](const std::string& chip, const std::string& part) {
        return card_of.contains(chip) && card_of[chip].find(part) != std::string::npos;
    };
    CHECK(has("GP104 Pascal", "GeForce GTX 1080 (GP104)"));
    CHECK(has("GP104 Pascal", "GTX 1070"));
    CHECK(has("GH100 Hopper", "NVIDIA H200"));
    // Three versions of lavapipe, which has no hardware.
    CHECK(has("lavapipe CPU", "Mesa 22.3.6"));
    CHECK(has("lavapipe CPU", "Mesa 25.0.7"));
    const auto named = [&](const char* name) {
        return std::ranges::any_of(vendors, [&](const json& vendor) { return vendor[0] == name; });
    };
    for (const char* name : {"AMD", "Apple", "Intel", "NVIDIA", "Qualcomm"}) CHECK_MESSAGE(named(name), name);
}

TEST_CASE("a plot's lines are named within it, on a phone, too, in their own colours") {
    if (!has_browser()) return;
    for (const int width : {420, 1400}) {
        const json said =
            page_of_h200().browse({{{"do", "legend"},
                                    {"width", width},
                                    {"hash", "#device=0&view=timings&cell=gaussian, R8G8B8A8_UNORM, 4096x4096"}}})[0];
        CAPTURE(width);
        CHECK(said["lines"].size() > 5);
        for (const json& line : said["lines"]) {
            CAPTURE(line.dump());
            CHECK(line[1] == true);
            CHECK(line[2] == true);
        }
        CHECK(said["room"][1] <= said["room"][2]);
        CHECK(said["room"][1].get<double>() - said["room"][0].get<double>() > 0.9 * width);
    }
}

TEST_CASE("no text of any view has a contrast below 4.5, in light or in dark") {
    if (!has_browser()) return;
    json questions = json::array();
    const char* const hashes[] = {"", "#device=0&view=formats", "#device=0&view=images", "#device=0&view=timings"};
    // The suite has each view in one of the schemes.
    for (size_t i = 0; i < std::size(hashes); i++)
        for (const size_t dark : {0, 1})
            if (is_drawn(i + dark, 2))
                questions.push_back({{"do", "contrast"}, {"hash", hashes[i]}, {"scheme", dark ? "dark" : "light"}});
    json said = page_of_h200().browse(questions);
    json two = json::array();
    for (const char* scheme : {"light", "dark"})
        for (const char* hash : {"", "#compare=3,20"})
            two.push_back({{"do", "contrast"}, {"hash", hash}, {"scheme", scheme}});
    for (json& view : page_of_all().browse(two)) said.push_back(std::move(view));
    for (const json& view : said) {
        CAPTURE(view.dump());
        CHECK(view["count"] > 20);
        CHECK(view["least"] >= 4.5);
    }
}

TEST_CASE("the page's picture has the colours of `show --svg`") {
    if (!has_browser()) return;
    const Page page({"--gpu", "RTX 2080"});
    const std::string id = "5f37014bd5f7a5a4";  // 8x8
    const json squares = page.browse({{{"do", "colors"}, {"pattern", id}, {"side", 8}}})[0];
    answer_of_catalog({"show", id, "--svg", page.folder / "tile.svg"});
    const std::string svg = read_text(page.folder / "tile.svg");
    CHECK(squares.size() == 63);
    for (const json& square : squares) {
        const std::regex drawn(
            fmt::format("fill=\"#(..)(..)(..)\"><title>\\({},{}\\)", square[0].get<int>(), square[1].get<int>()));
        std::smatch match;
        REQUIRE(std::regex_search(svg, match, drawn));
        for (size_t channel = 0; channel < 3; channel++)
            CHECK(std::abs(square[2 + channel].get<int>() - std::stoi(match[channel + 1], nullptr, 16)) <= 2);
    }
}

TEST_CASE("lanes on the page take the texels that the C++ snippet gives them") {
    if (!has_browser()) return;
    const Page& page = page_of_h200();
    const std::string id = "5740640a32ec7c62";  // R32G32B32A32_SFLOAT
    const json lanes = page.browse({{{"do", "lanes"}, {"pattern", id}}})[0];
    REQUIRE(lanes.size() == 256);
    const std::string code = answer_of_catalog({"snippet", "--pattern", id, "--gpu", "H200", "--lang", "cpp"});
    const Folder folder;
    write_text(folder / "remap.cpp",
               "#include <cstdio>\n" + code +
                   "\nint main() { for (unsigned i = 0; i < 256; i++) { auto at = tilewise_remap(i); "
                   "std::printf(\"%u %u\\n\", unsigned(at.x), unsigned(at.y)); } }\n");
    REQUIRE(run({"c++", "-std=c++17", folder / "remap.cpp", "-o", folder / "remap"}).code == 0);
    std::istringstream texels(run({folder / "remap"}).out);
    for (const json& lane : lanes) {
        uint64_t x = 0, y = 0;
        texels >> x >> y;
        CHECK(lane == json({x, y, 0}));
    }
}

TEST_CASE("the whole catalog is one page of less than 3 MB, with all devices and products that `query` finds") {
    const std::string page = read_text(page_of_all().file);
    CHECK(page.size() < 3'000'000);
    const json data = json::parse(data_of_page(page));
    std::set<std::string> ids, in_report;
    const json answer = json::parse(answer_of_catalog({"query", "--json"}));
    for (const json& pattern : answer["patterns"]) ids.insert(pattern["id"]);
    for (const json& pattern : data["patterns"]) in_report.insert(pattern["id"]);
    CHECK(std::ranges::includes(in_report, ids));
    CHECK(page.find("http://") == page.rfind("http://"));  // the name space of SVG alone
    CHECK(page.find("https://") == page.npos);
    CHECK(data.dump().find("GeForce RTX 4090") != std::string::npos);
}

TEST_CASE("search, keys, copying and both themes work, and no view complains or is wider than its window") {
    if (!has_browser()) return;
    const json said = page_of_all().browse(
        {{{"do", "search"},
          {"queries", {"RTX 4090", "steam deck", "h200", "10de:2684", "0x1002:0x163F", "ffff:0000", "no such card"}}},
         {{"do", "open"}},
         {{"do", "walk"},
          {"widths", {360, 1600}},
          {"views",
           {{"home", "", "light"},
            {"one", "#device=3", "dark"},
            {"two", "#compare=0,5", "light"},
            {"damaged", "#device=9999&view=x", "light"}}}}});
    const json& found = said[0]["found"];
    CHECK(found["RTX 4090"][0].get<std::string>().find("AD102") != std::string::npos);
    CHECK(found["steam deck"][0].get<std::string>().find("VANGOGH") != std::string::npos);
    CHECK(found["h200"][0].get<std::string>().find("NVIDIA H200") != std::string::npos);
    // What `--gpu 10de:2684` means; an id of the Steam Deck's chip, which our list has under another name.
    CHECK(found["10de:2684"][0].get<std::string>().find("AD102") != std::string::npos);
    CHECK(found["10de:2684"][0].get<std::string>().find("RTX 4090") != std::string::npos);
    CHECK(found["0x1002:0x163F"][0].get<std::string>().find("VANGOGH") != std::string::npos);
    CHECK(found["ffff:0000"].empty());
    CHECK(found["no such card"].empty());
    CHECK(said[0]["opened"].get<std::string>().find("AD102") != std::string::npos);
    MESSAGE("the whole catalog: ", said[1]["load_ms"].get<double>(), " ms to open, ",
            said[1]["process_ms"].get<double>(), " ms of them at work");
    for (const json& view : said[2]) CHECK(view[2] == view[1]);
    CHECK(said[2][0][3] == "light");
    CHECK(said[2][1][3] == "dark");

    const Page h100({"--gpu", "H100"});
    const std::string id = "23ed76f96e845e2b";
    const json one = h100.browse({{{"do", "copy"}, {"pattern", id}, {"kind", "kernel"}, {"language", "hlsl"}},
                                  {{"do", "keys"}, {"pattern", id}},
                                  {{"do", "themes"}},
                                  {{"do", "figures"}},
                                  {{"do", "walk"},
                                   {"widths", {360, 900}},
                                   {"views",
                                    {{"tile", "", "dark"},
                                     {"formats", "#device=0&view=formats", "dark"},
                                     {"images", "#device=0&view=images", "light"},
                                     {"timings", "#device=0&view=timings", "dark"},
                                     {"pattern", "#pattern=" + id, "light"}}}}});
    // Apart from the comment that says whose pattern it is, and the kernel's radius.
    const std::string copied = one[0]["copied"];
    CHECK(copied.find("pattern " + id) != copied.npos);
    const std::string whole = answer_of_catalog(
        {"snippet", "--pattern", id, "--gpu", "H100", "--format", "RGBA8", "--lang", "hlsl", "--kind", "remap"});
    CHECK(copied.find(whole.substr(whole.find("uint2 tilewise_remap"))) != copied.npos);
    const size_t image = h100.image("R8G8B8A8_UNORM", "levels");
    const json query = h100.browse({{{"do", "copy"},
                                     {"hash", "#device=0&view=images&image=" + std::to_string(image)},
                                     {"kind", "address"},
                                     {"language", "cpp"}}})[0];
    const std::string address = query["copied"];
    CHECK(address.find("; strides here: x ") != address.npos);
    const std::string of_image = answer_of_catalog({"snippet", "--gpu", "H100", "--format", "RGBA8", "--extent",
                                                    "1920x1080", "--lang", "cpp", "--kind", "address"});
    CHECK(address.find(of_image.substr(of_image.find("tilewise_address("))) != address.npos);
    CHECK(one[1]["moved"]["x"] == "2");
    CHECK(one[1]["moved"]["y"] == "1");
    CHECK(one[1]["moved"]["offset"] == "24");  // docs: the first 8x8 elements of that pattern, [2,1]
    CHECK(one[1]["next"]["offset"] == "28");
    CHECK(one[1]["focused"] == "search");
    const json& themes = one[2];
    CHECK(themes[0][1] != themes[0][2]);
    CHECK(themes[0][1] == themes[1][2]);
    CHECK(themes[1][1] == themes[0][2]);
    json figures = json::array();
    for (const json& line : h100.report["devices"][0]["figure_lines"]) figures.push_back({line["about"], line["text"]});
    CHECK(!figures.empty());
    CHECK(one[3] == figures);
    for (const json& view : one[4]) CHECK(view[2] == view[1]);
}

namespace {

/// Kernel, format, extent: as the page's list names them.
bool is_of(const json& timing, const std::string& kernel, const std::string& format, const json& extent) {
    return timing["kernel"] == kernel && timing["format"] == format && timing["extent"] == extent;
}

size_t count_of(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) count++;
    return count;
}

}  // namespace

TEST_CASE(
    "a plot that is saved has a mark for the fastest shape of each method, order and radius, and nothing of the page") {
    if (!has_browser()) return;
    const Page& page = page_of_h200();
    const std::string box = "box, R32G32B32A32_SFLOAT, 4096x4096";
    const json saved = page.browse({{{"do", "save"}, {"hash", "#device=0&view=timings&cell=" + box}}})[0];
    CHECK(saved["name"] == "NVIDIA H200 " + box + ".svg");
    const std::string svg = saved["text"];
    std::map<std::tuple<std::string, std::string, uint64_t>, double> fastest;
    for (const json& timing : page.report["devices"][0]["timings"])
        if (is_of(timing, "box", "R32G32B32A32_SFLOAT", json{4096, 4096})) {
            double& best =
                fastest.try_emplace({timing["method"], timing["order"], timing["radius"]}, timing["median_ms"])
                    .first->second;
            best = std::min(best, timing["median_ms"].get<double>());
        }
    REQUIRE(fastest.size() > 20);
    // What tune kept has marks of its own.
    const auto tuned = std::ranges::count_if(page.report["devices"][0]["tunings"], [](const json& tuning) {
        return is_of(tuning, "box", "R32G32B32A32_SFLOAT", json{4096, 4096});
    });
    CHECK(count_of(svg, "<title>") == fastest.size() + static_cast<size_t>(tuned));
    for (const auto& [of, ms] : fastest)
        CHECK(svg.find(fmt::format("radius {}: {} ms", std::get<2>(of), fmt::format("{:.4g}", ms))) != svg.npos);
    CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK(svg.find("var(") == svg.npos);
    // Colours of lines are hues, the others those of the page.
    CHECK(count_of(svg, "<text") == count_of(svg, "fill=\"#") + count_of(svg, "fill=\"hsl(") - count_of(svg, "<rect"));
}

TEST_CASE("the plots of docs/results are what the page draws of the shipped catalog") {
    if (!has_browser()) return;
    const Folder drawn;
    const Ended ended = run({"env", "TILEWISE=" + program_path(), source_dir() + "/tools/plots", drawn.path});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const auto names_in = [](const std::filesystem::path& folder) {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
        return names;
    };
    const std::filesystem::path kept = source_dir() + "/docs/results/plots";
    CHECK(names_in(drawn.path) == names_in(kept));
    for (const std::string& name : names_in(drawn.path)) {
        const bool same = read_text(drawn / name) == read_text(kept / name);
        CHECK_MESSAGE(same, "run tools/plots: " << name);
    }
}

TEST_CASE("hostile names are text on the page, with what is not seen spelled out") {
    if (!has_browser()) return;
    const sample::Folder folder;
    db::DeviceFact device = sample::h100();
    device.name = "</script><img src=x onerror=alert(1)>\u202egpj";
    {
        db::Database database = sample::empty_database(folder / "hostile.db");
        db::add_observation(database, device, sample::nvidia_580(),
                            sample::observed(sample::gob_of_16(), "2026-11-20T10:00:00Z"));
    }
    const Page page({"--db", (folder / "hostile.db").string()});
    // The database keeps what is not seen spelled out; a page may come from elsewhere.
    const std::string html = read_text(page.file), spelled = "<U+202E>";
    std::string data = data_of_page(html);
    REQUIRE(data.find(spelled) != data.npos);
    for (size_t at = data.find(spelled); at != data.npos; at = data.find(spelled))
        data.replace(at, spelled.size(), "\\u202e");
    write_text(page.file, with_data(html, data));
    const json said = page.browse({{{"do", "names"}}})[0];
    CHECK(said["text"].get<std::string>().find("</script><img src=x onerror=alert(1)><U+202E>gpj") !=
          std::string::npos);
    CHECK(said["images"] == 0);
    CHECK(said["scripts"] == 2);
}
