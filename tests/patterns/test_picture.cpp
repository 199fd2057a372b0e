#include "patterns/model/layout_json.h"
#include "patterns/picture/picture.h"
#include "patterns/picture/svg.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <array>
#include <climits>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>
#include <regex>
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb/stb_image.h>

using namespace tilewise;

namespace {

Layout tile(uint32_t width, uint32_t height, nlohmann::json equation, nlohmann::json stride) {
    stride["xor"] = nlohmann::json::object();
    stride["z"] = 0;
    return layout_from_json(
        {{"element", {{"bytes", 4}, {"width", 1}, {"height", 1}}},
         {"tile", {{"width", width}, {"height", height}, {"depth", 1}, {"bytes", width * height * 4}}},
         {"equation", equation},
         {"outer_xor", nlohmann::json::object()},
         {"stride", stride},
         {"constant", 0},
         {"base", 0}});
}

}  // namespace

TEST_CASE("the 8x8 picture of an RTX 2080 is the published one") {
    // Equation: Mesa's nil GOB table for Turing. Picture: "Detect Image Z-curve (Vulkan only)", readme, RTX 2080.
    const Layout turing = tile(16, 8, {"0", "0", "x0", "x1", "y0", "y1", "x2", "y2", "x3"}, {{"x", 512}, {"y", 8192}});
    CHECK(memory_order(turing, 8, 8) ==
          "[0,0] [1,0] [2,0] [3,0] [0,1] [1,1] [2,1] [3,1]\n"
          "[0,2] [1,2] [2,2] [3,2] [0,3] [1,3] [2,3] [3,3]\n"
          "[4,0] [5,0] [6,0] [7,0] [4,1] [5,1] [6,1] [7,1]\n"
          "[4,2] [5,2] [6,2] [7,2] [4,3] [5,3] [6,3] [7,3]\n"
          "[0,4] [1,4] [2,4] [3,4] [0,5] [1,5] [2,5] [3,5]\n"
          "[0,6] [1,6] [2,6] [3,6] [0,7] [1,7] [2,7] [3,7]\n"
          "[4,4] [5,4] [6,4] [7,4] [4,5] [5,5] [6,5] [7,5]\n"
          "[4,6] [5,6] [6,6] [7,6] [4,7] [5,7] [6,7] [7,7]\n");
}

TEST_CASE("linear rows are pictured in scan order") {
    const Layout linear = tile(1, 1, {"0", "0"}, {{"x", 4}, {"y", 1216}});
    CHECK(memory_order(linear, 4, 2) == "[0,0] [1,0] [2,0] [3,0]\n[4,0] [5,0] [6,0] [7,0]\n");
    CHECK(pattern_title(linear.pattern) == "linear, 4-byte elements");
}

TEST_CASE("address bits are shown from the most significant, each with its coordinate bits") {
    const Layout mali = tile(2, 2, {"0", "0", "x0^y0", "y0"}, {{"x", 16}, {"y", 64}});
    CHECK(address_bits(mali) == "bit    3      2   1   0\nfrom  y0  x0^y0   0   0\n");
}

TEST_CASE("every square of the drawing lies where its coordinates say, and has its element's offset and position") {
    const Layout mali = tile(4, 4, {"0", "0", "x0^y0", "y0", "x1^y1", "y1"}, {{"x", 64}, {"y", 1024}});
    const Layout rows = tile(1, 1, {"0", "0"}, {{"x", 4}, {"y", 256}});
    for (const Layout& layout : {mali, rows}) {
        const std::string svg = tile_svg(layout);
        const std::regex square(
            "<rect x=\"(\\d+)\" y=\"(\\d+)\" width=\"(\\d+)\" height=\"\\d+\" fill=\"(#[0-9a-f]{6})\">"
            "<title>\\((\\d+),(\\d+)\\) at byte (\\d+)</title>");
        std::map<uint64_t, uint32_t> green_at;  // by the offset: it only rises from the first colour to the last
        unsigned left = 0, top = 0;
        for (std::sregex_iterator match(svg.begin(), svg.end(), square), end; match != end; ++match) {
            const auto number = [&](size_t i) { return static_cast<uint32_t>(std::stoul((*match)[i])); };
            const Coord at = {number(5), number(6), 0, 0};
            if (green_at.empty()) left = number(1), top = number(2);
            CHECK(number(1) == left + at[axis_x] * number(3));
            CHECK(number(2) == top + at[axis_y] * number(3));
            CHECK(number(7) == offset_of(layout, at));
            green_at[number(7)] = static_cast<uint32_t>(std::stoul((*match)[4].str().substr(3, 2), nullptr, 16));
            const std::string numbered =
                fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#[0f]{{3}}\">{}</text>", number(1) + number(3) / 2,
                            number(2) + number(3) / 2 + 4, offset_of(layout, at));
            CHECK(std::regex_search(svg, std::regex(numbered)));
        }
        CHECK(green_at.size() == (layout.pattern.is_linear() ? 128 : 16));
        CHECK(std::ranges::is_sorted(green_at, {}, [](const auto& pair) { return pair.second; }));
    }
}

TEST_CASE("a drawing of 128x128 elements covers each with the colour of its bytes, and stays small") {
    // AMD's 64KB_R_X of 4-byte elements: tests/data has what another program printed of it.
    const Layout amd = tile(
        128, 128, {"0", "0", "x0", "x1", "y0", "y1", "x2", "y2", "y4", "x4^y4", "y5", "x5", "x3", "y3", "x6", "x6^y6"},
        {{"x", 65536}, {"y", 131072}});
    const std::string svg = tile_svg(amd);
    CHECK(svg.size() < 200000);
    const std::regex path("<path fill=\"#[0-9a-f]{6}\" d=\"([^\"]*)\"><title>bytes (\\d+) to (\\d+)</title></path>"),
        shape("M(\\d+) (\\d+)h(\\d+)v(\\d+)h-\\d+z");
    std::map<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>> bytes_at;  // by pixels: lowest and highest
    unsigned side = 0, left = UINT_MAX, top = UINT_MAX;
    for (std::sregex_iterator one(svg.begin(), svg.end(), path), end; one != end; ++one) {
        const std::string shapes = (*one)[1];
        for (std::sregex_iterator part(shapes.begin(), shapes.end(), shape); part != end; ++part) {
            const auto number = [&](size_t i) { return static_cast<uint32_t>(std::stoul((*part)[i])); };
            side = number(4), left = std::min(left, number(1)), top = std::min(top, number(2));
            for (uint32_t x = 0; x < number(3); x += side)
                bytes_at[{number(1) + x, number(2)}] = {std::stoull((*one)[2]), std::stoull((*one)[3])};
        }
    }
    CHECK(bytes_at.size() == 128 * 128);
    size_t wrong = 0;
    for (const auto& [pixel, bytes] : bytes_at) {
        const uint64_t offset = offset_of(amd, {(pixel.first - left) / side, (pixel.second - top) / side, 0, 0});
        wrong += offset < bytes.first || offset > bytes.second;
    }
    CHECK(wrong == 0);
    CHECK(svg.find(">byte 0</text>") != std::string::npos);
    CHECK(svg.find(">65535</text>") != std::string::npos);
    CHECK(svg.find(">120</text>") != std::string::npos);  // of an axis
}

TEST_CASE("on a terminal with colours show draws the tile in those of the SVG, and nowhere else") {
    const Folder folder;
    // script gives its command a terminal.
    const auto shown = [&](const std::string& settings) {
        const Ended ended = run({"env", "-u", "TILEWISE_DB", "-u", "NO_COLOR", "TERM=xterm-256color",
                                 "XDG_DATA_HOME=" + folder.path.string(), "script", "-qec",
                                 settings + " " + program_path() + " --quiet show --device 'RTX 2080'", "/dev/null"});
        REQUIRE(ended.code == 0);
        return ended.out;
    };
    const TileDrawing drawing =
        draw_tile(tile(8, 8, {"0", "0", "x0", "x1", "y0", "y1", "x2", "y2"}, {{"x", 256}, {"y", 256}}));
    std::string text = shown("");
    const std::regex block("\x1b\\[38;2;(\\d+);(\\d+);(\\d+)m\x1b\\[48;2;(\\d+);(\\d+);(\\d+)m\u2580");
    uint32_t blocks = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), block), end; at != end; ++at, blocks++)
        for (uint32_t half = 0; half < 2; half++) {
            const Rgb8 color = drawing.colors[(blocks / 8 * 2 + half) * 8 + blocks % 8];
            for (const auto& [part, value] : {std::pair(1U, color.r), std::pair(2U, color.g), std::pair(3U, color.b)})
                CHECK(std::stoi((*at)[part + half * 3]) == value);
        }
    CHECK(blocks == 8 * 4);
    for (const char* settings : {"NO_COLOR=1", "TERM=dumb"}) {
        CAPTURE(settings);
        CHECK(shown(settings).find('\x1b') == std::string::npos);
    }
    const Ended piped = run({"env", "-u", "TILEWISE_DB", "TERM=xterm-256color", "XDG_DATA_HOME=" + folder.path.string(),
                             program_path(), "--quiet", "show", "--device", "RTX 2080"});
    CHECK(piped.out.find('\x1b') == std::string::npos);
    CHECK(piped.out.find("\u2580") == std::string::npos);
}

TEST_CASE("show draws what it shows, as SVG and as PNG") {
    const Folder folder;
    // From the catalog: a user without a database.
    const auto show = [&](const Command& files) {
        Command command = {"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=" + folder.path.string(), program_path()};
        command.insert(command.end(), {"show", "--device", "RTX 2080"});
        command.insert(command.end(), files.begin(), files.end());
        return run(command);
    };
    const Ended ended = show({"--svg", folder / "tile.svg", "--png", folder / "tile.png"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    CHECK(read_text(folder / "tile.svg").find("<title>(4,0) at byte 64</title>") != std::string::npos);
    int width = 0, height = 0, channels = 0;
    unsigned char* pixels = stbi_load((folder / "tile.png").c_str(), &width, &height, &channels, 3);
    REQUIRE(pixels != nullptr);
    // Squares of 56 pixels, the first at (56, 72): axes, title and legend stand around them.
    constexpr int side = 56, left = 56, top = 72;
    REQUIRE(width >= left + 8 * side);
    REQUIRE(height > top + 8 * side);
    const TileDrawing drawing =
        draw_tile(tile(8, 8, {"0", "0", "x0", "x1", "y0", "y1", "x2", "y2"}, {{"x", 256}, {"y", 256}}));
    const auto color_at = [&](int x, int y) {
        const unsigned char* pixel = pixels + (y * width + x) * 3;
        return std::array{pixel[0], pixel[1], pixel[2]};
    };
    const auto ink_in = [&](int x, int y, int w, int h, const std::array<unsigned char, 3>& ground) {
        int ink = 0;
        for (int row = y; row < y + h; row++)
            for (int column = x; column < x + w; column++) ink += color_at(column, row) != ground;
        return ink;
    };
    const std::array<unsigned char, 3> white = {255, 255, 255};
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++) {
            const Rgb8 color = drawing.colors[element_index(drawing.extent, {x, y, 0, 0})];
            const std::array ground = {color.r, color.g, color.b};
            const int at_x = left + static_cast<int>(x) * side, at_y = top + static_cast<int>(y) * side;
            CHECK(ink_in(at_x, at_y, side, side, ground) < side * side / 2);  // most of it has its colour
            CHECK(ink_in(at_x + 10, at_y + 20, side - 20, 16, ground) > 20);  // its offset, and the path
        }
    for (int i = 0; i < 8; i++) {
        CHECK(ink_in(left + i * side, top - 24, side, 20, white) > 5);     // its column
        CHECK(ink_in(left - 40, top + i * side + 10, 36, 36, white) > 5);  // its row
    }
    const int legend = top + 8 * side + 20;
    const Rgb8 first = memory_color(0), last = memory_color(1);
    CHECK(color_at(left, legend) == std::array{first.r, first.g, first.b});
    CHECK(color_at(left + 8 * side - 1, legend) == std::array{last.r, last.g, last.b});
    CHECK(ink_in(left, legend + 10, 8 * side, 20, white) > 40);
    stbi_image_free(pixels);
    CHECK(show({"--svg", "-"}).code == 2);
}
