// tile, detile, identify: the program on files, checked against the tables of tests/data/layouts and the catalog.
#include "db/facts/observation.h"
#include "db/sqlite/open.h"
#include "patterns/convert/convert.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/one_to_one.h"
#include "patterns/solve/solve.h"
#include "tests/support/db_sample.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tools/identify/possible_layouts.h"
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <random>

using namespace tilewise;

namespace {

std::string noise(size_t bytes, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::string text(bytes, '\0');
    for (char& c : text) c = static_cast<char>(random() >> 56);
    return text;
}

struct Rgb {
    double r = 0, g = 0, b = 0;
};

/// A picture: a sky of smooth shades with disks and a checkered floor in it, and a little noise as cameras have it.
Rgb shade(double x, double y, std::mt19937_64& random) {
    Rgb color = {0.2 + 0.3 * y, 0.4 + 0.3 * std::sin(3 * x + 2 * y), 0.9 - 0.5 * y};
    const auto disk = [&](double cx, double cy, double radius, Rgb paint) {
        if (std::hypot(x - cx, y - cy) < radius) color = paint;
    };
    disk(0.3, 0.3, 0.17, {0.9, 0.3, 0.2});
    disk(0.7, 0.45, 0.22, {0.2, 0.8, 0.3 + 0.4 * x});
    if (y > 0.75 && (static_cast<int>(x * 12) + static_cast<int>(y * 12)) % 2 == 0) color = {0.05, 0.05, 0.1};
    for (double* channel : {&color.r, &color.g, &color.b})
        *channel = std::clamp(*channel + 0.02 * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5), 0.0, 1.0);
    return color;
}

/// Rows of RGBA8, or of as many copies of shades as the element has bytes.
std::string picture(uint32_t width, uint32_t height, uint32_t element_bytes) {
    std::mt19937_64 random(11);
    std::string rows;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const Rgb color = shade(double{1} * x / width, double{1} * y / height, random);
            for (uint32_t byte = 0; byte < element_bytes; byte++) {
                const double value = byte % 4 == 0 ? color.r : byte % 4 == 1 ? color.g : byte % 4 == 2 ? color.b : 1;
                rows += static_cast<char>(std::lround(value * 255));
            }
        }
    return rows;
}

/// The file by tile, through patterns/ alone.
std::string tiled_by(const Layout& layout, const Coord& extent, const std::string& rows) {
    std::string tiled(tiled_bytes(layout, {{}, extent}), '\0');
    tile(layout, {{}, extent}, std::as_bytes(std::span(rows)), std::as_writable_bytes(std::span(tiled)));
    return tiled;
}

/// Exit code and complaint of a run that must fail, leaving nothing in the folder but what was there.
void fails(const Folder& folder, const Command& arguments, int code, const std::string& mentions) {
    const auto count = [&] { return std::distance(std::filesystem::directory_iterator(folder.path), {}); };
    const auto before = count();
    const Ended ended = run(tilewise::tilewise(arguments));
    CAPTURE(ended.err);
    CHECK(ended.code == code);
    CHECK(ended.out == "");
    CHECK(ended.err.find(mentions) != std::string::npos);
    CHECK(is_one_complaint(ended.err.substr(ended.err.rfind("tilewise: "))));
    CHECK(count() == before);
}

/// The catalog's facts in a database of the test's own, so that nothing depends on the user's.
struct Catalog : Folder {
    std::string db = *this / "catalog.db";
    Catalog() {
        const std::string empty =
            R"({"format":"tilewise-bundle","version":1,"devices":[],"drivers":[],"patterns":[],"observations":[],"disagreements":[]})";
        REQUIRE(run(tilewise::tilewise({"--db", db, "db", "import", "-"}), empty).code == 0);
    }
};

const Command rgba8 = {"--format", "R8G8B8A8_UNORM"};
/// A Mali's images have no rule.
const Command without_rule = {"--format", "R32G32B32A32_SFLOAT"};

}  // namespace

TEST_CASE("detile reads a dump by the layout that solve found, and tile writes it back") {
    for (const char* name : {"amd_gfx103-navi21_64KB-R-X_32bpp", "nvidia_turing-ada_h300w200_32bpp"}) {
        CAPTURE(name);
        const Folder folder;
        const Table table = parse_table_csv(layout_table(name));
        write_text(folder / "layout.json", run(tilewise::tilewise({"solve", "--json", "-"}), layout_table(name)).out);
        const std::string dump = noise(*std::ranges::max_element(table.offsets) + 4, 1);
        write_text(folder / "dump", dump);
        const std::string extent = std::to_string(table.extent[axis_x]) + "x" + std::to_string(table.extent[axis_y]);
        const Command image = {"--layout", folder / "layout.json", "--extent", extent};
        const Ended detiled = run(tilewise::tilewise(Command{"detile", folder / "dump", folder / "rows"} + image));
        CHECK(detiled.err == "");
        REQUIRE(detiled.code == 0);
        const std::string rows = read_text(folder / "rows");
        REQUIRE(rows.size() == table.offsets.size() * 4);
        uint64_t wrong = 0;
        for (size_t i = 0; i < table.offsets.size(); i++)
            wrong += rows.compare(i * 4, 4, dump, table.offsets[i], 4) != 0;
        CHECK(wrong == 0);
        REQUIRE(run(tilewise::tilewise(Command{"tile", folder / "rows", folder / "again"} + image)).code == 0);
        const std::string again = read_text(folder / "again");
        CHECK(again.size() % 8192 == 0);  // whole tiles
        for (size_t i = 0; i < table.offsets.size(); i++)
            wrong += again.compare(table.offsets[i], 4, dump, table.offsets[i], 4) != 0;
        CHECK(wrong == 0);
    }
}

TEST_CASE("an image of a device is laid out as it was observed there, else as said on stderr") {
    const Catalog folder;
    write_text(folder / "rows", noise(256 * 256 * 16, 2));
    const Command command = {"--db",           folder.db, "tile",      folder / "rows",
                             folder / "tiled", "--gpu",   "Mali-G610", "--json"};
    const Ended observed = run(tilewise::tilewise(command + without_rule + Command{"--extent", "256x256"}));
    REQUIRE(observed.code == 0);
    CHECK(observed.err == "");
    CHECK(parse(observed)["assumed"].empty());
    CHECK(parse(observed)["subresources"].size() == 1);
    const Ended other = run(tilewise::tilewise(command + without_rule + Command{"--extent", "255x256", "--assume"}));
    CHECK(other.err.find("255x256 is laid out like 256x256") != std::string::npos);
    CHECK(parse(other)["assumed"].size() == 1);
}

TEST_CASE("what was not observed of this very image is converted only with --assume") {
    const Catalog folder;
    write_text(folder / "in", noise(1 << 22, 8));
    for (const char* name : {"tile", "detile"}) {
        const Command command =
            Command{"--db", folder.db, name, folder / "in", folder / "out", "--gpu", "Mali-G610"} + without_rule;
        const auto refuses = [&](const Command& image, const char* differs) {
            fails(folder, command + image, 1, "give --assume");
            fails(folder, command + image, 1, differs);
            const Ended assumed = run(tilewise::tilewise(command + image + Command{"--assume"}));
            CAPTURE(assumed.err);
            CHECK(assumed.code == 0);
            CHECK(assumed.err.starts_with("Assumed: "));
            std::filesystem::remove(folder / "out");
        };
        refuses({"--extent", "255x256"}, "255x256 is laid out like 256x256 on ");
        refuses({"--extent", "256x256", "--levels", "9"},
                "256x256 of 9 levels is laid out like 256x256 of 1 level on ");
        refuses({"--extent", "256x256", "--layers", "2"},
                "256x256 of 2 layers is laid out like 256x256 of 1 layer on ");
        CHECK(run(tilewise::tilewise(command + Command{"--extent", "256x256"})).code == 0);
        std::filesystem::remove(folder / "out");
    }
}

TEST_CASE("a layout is taken for the extent that it was solved at, and for no other") {
    const Folder folder;
    const std::string table = layout_table("nvidia_turing-ada_h300w200_32bpp");
    nlohmann::json solution = nlohmann::json::parse(run(tilewise::tilewise({"solve", "--json", "-"}), table).out);
    write_text(folder / "solved.json", solution.dump());
    write_text(folder / "bare.json", solution["layout"].dump());
    write_text(folder / "dump", noise(1 << 20, 9));
    const auto detile = [&](const char* layout, const char* extent) {
        return Command{"detile", folder / "dump", folder / "out", "--layout", folder / layout, "--extent", extent};
    };
    CHECK(solution["extent"] == nlohmann::json({200, 300, 1}));
    fails(folder, detile("solved.json", "200x299"), 1, "solved at another extent");
    fails(folder, detile("solved.json", "100x100"), 1, "give --assume");
    fails(folder, detile("bare.json", "200x300"), 1, "says of no extent");
    // Twice as wide, rows of tiles would lie on one another: with or without --assume.
    for (const Command& assume : {Command{}, Command{"--assume"}})
        fails(folder, detile("solved.json", "400x300") + assume, 1, "two tiles would overlap");
    CHECK(run(tilewise::tilewise(detile("solved.json", "200x300"))).code == 0);
}

TEST_CASE("strides that put two texels at one place are refused, whoever says so") {
    const Catalog folder;
    write_text(folder / "in", noise(1 << 20, 10));
    const Command linear = {"--pattern", "linear", "--extent", "64x64"};
    for (const char* name : {"tile", "detile"}) {
        const Command command = Command{"--db", folder.db, name, folder / "in", folder / "out"} + rgba8;
        fails(folder, command + linear + Command{"--pitch", "128"}, 1, "two tiles would overlap");
        fails(folder, command + linear + Command{"--stride-x", "2"}, 1, "two tiles would overlap");
        fails(folder, command + linear + Command{"--layers", "2", "--layer-stride", "4096"}, 1, "share the byte");
    }
}

TEST_CASE("levels and layers of odd sizes come back as they were, through files, pipes and device files") {
    const Catalog folder;
    // 77x45 has levels of 38x22, 19x11, 9x5, 4x2, 2x1 and 1x1.
    size_t texels = 0;
    for (uint32_t level = 0; level < 7; level++) texels += std::max(77U >> level, 1U) * std::max(45U >> level, 1U);
    const std::string rows = noise(3 * texels * 4, 3);
    write_text(folder / "rows", rows);
    for (const auto& [gpu, has_rules] : std::initializer_list<std::pair<const char*, bool>>{
             {"M1", true}, {"H200", true}, {"Mali-G610", false}, {"Adreno (TM) 630", true}}) {
        CAPTURE(gpu);
        const Command image = Command{"--db",     folder.db, "--gpu",    gpu, "--extent", "77x45",
                                      "--levels", "7",       "--layers", "3", "--assume"} +
                              rgba8;
        const Ended tiled = run(tilewise::tilewise(Command{"tile", folder / "rows", folder / "tiled"} + image));
        CAPTURE(tiled.err);
        REQUIRE(tiled.code == 0);
        CHECK((tiled.err.find("levels follow one another") == std::string::npos) == has_rules);
        REQUIRE(run(tilewise::tilewise(Command{"detile", folder / "tiled", folder / "back"} + image)).code == 0);
        CHECK(read_text(folder / "back") == rows);
        const Ended piped = run(tilewise::tilewise(Command{"detile", "-", "-"} + image), read_text(folder / "tiled"));
        CHECK(piped.out == rows);
        CHECK(run(tilewise::tilewise(Command{"detile", folder / "tiled", "/dev/null"} + image)).code == 0);
    }
    // In place: the input is read to its end before the output takes its name.
    const Command linear = {"--pattern", "linear", "--extent", "77x45", "--format", "R8G8B8A8_UNORM"};
    write_text(folder / "file", rows);
    REQUIRE(
        run(tilewise::tilewise(Command{"tile", folder / "file", folder / "file", "--pitch", "512"} + linear)).code ==
        0);
    CHECK(read_text(folder / "file").size() == 44 * 512 + 77 * 4);
    REQUIRE(
        run(tilewise::tilewise(Command{"detile", folder / "file", folder / "file", "--pitch", "512"} + linear)).code ==
        0);
    CHECK(read_text(folder / "file") == rows.substr(0, 77 * 45 * 4));
}

TEST_CASE("blocks of compressed formats and 3D images convert by their elements") {
    const Catalog folder;
    const std::string blocks = noise(size_t{25} * 13 * 8, 4);  // 99x50 texels
    write_text(folder / "rows", blocks);
    const Ended patterns = run(
        tilewise::tilewise({"--db", folder.db, "query", "--json", "--device", "H200", "--format", "R32G32_SFLOAT"}));
    const std::string id = parse(patterns)["patterns"][0]["id"];
    const Command image = {
        "--db", folder.db, "--pattern", id, "--extent", "99x50", "--format", "BC1_RGBA_UNORM_BLOCK", "--assume"};
    REQUIRE(run(tilewise::tilewise(Command{"tile", folder / "rows", folder / "tiled"} + image)).code == 0);
    REQUIRE(run(tilewise::tilewise(Command{"detile", folder / "tiled", folder / "back"} + image)).code == 0);
    CHECK(read_text(folder / "back") == blocks);
    CHECK(read_text(folder / "tiled").substr(0, blocks.size()) != blocks);
}

TEST_CASE("bad input of tile and detile is one line, and leaves no file") {
    const Catalog folder;
    write_text(folder / "rows", noise(1000, 5));
    const Command detile = {"--db", folder.db, "detile", folder / "rows", folder / "out"};
    const Command extent = {"--extent", "64x64"}, device = {"--gpu", "navi21"};
    fails(folder, detile + extent + device + rgba8, 1, "has 1000 bytes");
    fails(folder, detile + extent + device + rgba8, 1, "tiles need 16384");
    fails(folder, Command{"--db", folder.db, "tile", folder / "rows", folder / "out"} + extent + device + rgba8, 1,
          "rows need 16384");
    fails(folder, detile + extent, 2, "--gpu");
    fails(folder, detile + device + rgba8, 2, "--extent");
    fails(folder, detile + extent + Command{"--gpu", "Voodoo"} + rgba8, 1, "Voodoo");
    fails(folder, detile + extent + device + Command{"--format", "R8G8B8A9_UNORM"}, 2, "R8G8B8A8_UNORM");
    fails(folder, detile + extent + Command{"--gpu", "Adreno"} + rgba8, 2, "choose by");
    fails(folder, detile + extent + Command{"--pattern", "zz"}, 1, "zz");
    fails(folder, detile + extent + Command{"--pattern", "linear"}, 2, "--format");
    fails(folder, detile + extent + device + rgba8 + Command{"--levels", "8"}, 2, "at most 7 levels");
    fails(folder, detile + extent + device + rgba8 + Command{"--levels", "2", "--pitch", "256"}, 2, "one level");
    fails(folder, detile + extent + device + rgba8 + Command{"--layers", "0"}, 2, "layers");
    fails(folder, detile + extent + device + rgba8 + Command{"--layout", folder / "rows"}, 1, "no JSON");
    fails(folder, detile + extent + Command{"--pattern", "linear", "--pitch", "100"} + rgba8, 1,
          "two tiles would overlap");
    fails(folder,
          {"detile", folder / "missing", folder / "out", "--pattern", "linear", "--extent", "4x4", "--format",
           "R8_UNORM"},
          1, "missing");
    fails(folder,
          {"detile", folder / "rows", "/proc/no/out", "--pattern", "linear", "--extent", "4x4", "--format", "R8_UNORM"},
          1, "/proc/no/out");
    fails(folder,
          {"detile", folder / "rows", "-", "--json", "--pattern", "linear", "--extent", "4x4", "--format", "R8_UNORM"},
          2, "standard output");
    fails(folder,
          {"tile", folder / "rows", folder / "out", "--pattern", "linear", "--extent", "4000000000x4000000000",
           "--format", "R8_UNORM"},
          2, "larger than any image");
    fails(folder,
          {"tile", folder / "rows", folder / "out", "--pattern", "linear", "--extent", "16000000x16000000x16000000",
           "--format", "R32G32B32A32_SFLOAT"},
          1, "64 bits");
}

TEST_CASE("identify finds the layout of each table of tests/data/layouts, at the table's size and at another") {
    const Catalog folder;
    std::map<std::string, Layout> layouts;
    std::map<std::string, Coord> extents;
    {
        db::Database database = db::open_database(folder.db, db::Access::read_write);
        for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/tests/data/layouts")) {
            if (entry.path().extension() != ".xz") continue;
            const std::string name = entry.path().stem().stem().string();
            const Table table = parse_table_csv(layout_table(name));
            layouts[name] = solve(table).layout;
            extents[name] = table.extent;
            db::ObservationFact fact;
            fact.format = "FORMAT_OF_" + std::to_string(table.element.bytes);
            fact.usage = "sampled";
            fact.extent = {table.extent[axis_x], table.extent[axis_y], 1};
            fact.route = "table";
            fact.result = "exact";
            fact.layout = layouts[name];
            fact.elements = table.offsets.size();
            fact.time = "2026-01-01T00:00:00Z";
            fact.provenance = "published table";
            db::add_observation(database, {.vendor_id = 1, .name = name}, {.name = "table"}, fact);
        }
    }
    REQUIRE(layouts.size() == 19);
    const auto check_found = [&](const Layout& layout, const Coord& extent) {
        const uint32_t bytes = layout.pattern.element.bytes;
        write_text(folder / "dump", tiled_by(layout, extent, picture(extent[axis_x], extent[axis_y], bytes)));
        const Ended ended = run(tilewise::tilewise(
            {"--db", folder.db, "--json", "identify", folder / "dump", "--element-bytes", std::to_string(bytes),
             "--extent", std::to_string(extent[axis_x]) + "x" + std::to_string(extent[axis_y])}));
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        // By another name, perhaps: patterns that are equal at this size are one picture.
        const Layout winner = layout_from_json(parse(ended)["ranking"][0]["layouts"][0]["layout"]);
        uint64_t wrong = 0;
        for (uint64_t i = 0; i < element_count(extent); i++)
            wrong += offset_of(winner, element_at_index(extent, i)) != offset_of(layout, element_at_index(extent, i));
        CHECK(wrong == 0);
    };
    for (const auto& named : layouts) {
        const auto& [name, layout] = named;
        CAPTURE(named.first);
        check_found(layout, extents[name]);
        Layout dense = dense_layout(layout.pattern, {333, 215, 1, 1});
        dense.constant = layout.constant;
        check_found(dense, {333, 215, 1, 1});
    }
}

TEST_CASE("identify does not take a layout that nobody knows for the known one that is most like it") {
    const Catalog folder;
    const Coord extent = {333, 215, 1, 1};
    const std::string rows = picture(extent[axis_x], extent[axis_y], 4);
    for (const char* name :
         {"nvidia_turing-ada_bl16_32bpp", "amd_gfx103-navi21_64KB-R-X_32bpp", "apple_agx_twiddled_32bpp"}) {
        const Pattern known = solve(parse_table_csv(layout_table(name))).layout.pattern;
        const auto bits = static_cast<unsigned>(std::bit_width(known.tile_bytes - 1));
        for (unsigned low = 4; low + 1 < bits; low += 4) {
            CAPTURE(name);
            CAPTURE(low);
            // The same but for one address bit, which has changed places with the highest.
            Pattern unknown = known;
            for (std::vector<uint64_t>& columns : unknown.equation.columns)
                for (uint64_t& column : columns) {
                    const uint64_t differs = (column >> low ^ column >> (bits - 1)) & 1;
                    column ^= differs << low ^ differs << (bits - 1);
                }
            write_text(folder / "dump", tiled_by(dense_layout(unknown, extent), extent, rows));
            const Ended ended = run(tilewise::tilewise(
                Command{"--db", folder.db, "identify", folder / "dump", "--extent", "333x215"} + rgba8));
            CAPTURE(ended.out);
            CHECK(ended.code == 1);
            CHECK(is_one_complaint(ended.err));
        }
    }
}

TEST_CASE("identify says how detile is called, and draws the picture") {
    const Catalog folder;
    const std::string rows = picture(300, 200, 4);
    write_text(folder / "rows", rows);
    const Command image = Command{"--db", folder.db, "--gpu", "navi21", "--extent", "300x200"} + rgba8;
    REQUIRE(run(tilewise::tilewise(Command{"tile", folder / "rows", folder / "dump"} + image)).code == 0);
    const Ended ended = run(tilewise::tilewise(Command{"--db", folder.db, "--json", "identify", folder / "dump",
                                                       "--extent", "300x200", "--png", folder / "picture.png"} +
                                               rgba8));
    REQUIRE(ended.code == 0);
    const nlohmann::json json = parse(ended);
    CHECK(json["verdict"] == "found");
    CHECK(json["confidence"] > 0.25);
    std::string command = json["command"];
    command.replace(command.find("tilewise "), 9,
                    tilewise::tilewise({"--db", folder.db})[0] + " --db " + folder.db + " ");
    command.replace(command.find("OUT"), 3, folder / "back");
    REQUIRE(run({"sh", "-c", command}).code == 0);
    CHECK(read_text(folder / "back") == rows);
    const std::string png = read_text(folder / "picture.png");
    CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
    CHECK(png.substr(16, 8) == std::string("\0\0\1\x2c\0\0\0\xc8", 8));  // 300x200
}

TEST_CASE("identify finds no pattern in noise, nor in what is the same everywhere, and draws nothing") {
    const Catalog folder;
    for (const std::string& dump : {noise(1 << 18, 6), std::string(1 << 18, 'x')}) {
        write_text(folder / "dump", dump);
        const Ended ended = run(tilewise::tilewise(
            Command{"--db", folder.db, "identify", folder / "dump", "--extent", "256x256", "--png", folder / "png"} +
            rgba8));
        CHECK(ended.code == 1);
        CHECK(ended.out.find("confidence 0.0") != std::string::npos);
        CHECK(ended.err.find("no pattern stands out") != std::string::npos);
        CHECK(!std::filesystem::exists(folder / "png"));
    }
    fails(folder,
          {"--db", folder.db, "identify", folder / "dump", "--extent", "4096x4096", "--format", "R8G8B8A8_UNORM"}, 1,
          "needs at least 67108864");
    fails(folder, {"--db", folder.db, "identify", folder / "dump", "--extent", "16x16"}, 2, "--format");
    fails(folder,
          {"--db", folder.db, "identify", folder / "dump", "--extent", "16x16", "--format", "R8_UNORM", "--png", "-"},
          2, "--png");
}

TEST_CASE("identify tries no reading whose elements would overlap") {
    const sample::Folder folder;
    db::Database database = sample::empty_database(folder / "t.db");
    // Blocks of 4x4 texels: the strides of so many texels, and too small for so many elements.
    Layout layout = sample::layout_of(16, {0x10, 0x20}, {0x40, 0x80});
    layout.pattern.element.width = layout.pattern.element.height = 4;
    layout.stride = {256, 5 * 256, 0, 0};
    db::ObservationFact fact = sample::observed(layout, "2025-03-01T12:00:00Z");
    fact.format = "BC7_UNORM_BLOCK";
    fact.extent = {75, 50, 1};
    db::add_observation(database, sample::h100(), sample::nvidia_580(), fact);
    const auto tried = [&](const Element& element, const Coord& extent) {
        const auto fitting = possible_layouts(database, element, extent, 0, 1 << 20).fitting;
        for (const PossibleLayout& choice : fitting) CHECK(why_not_one_to_one(choice.layout, extent) == nullptr);
        return std::ranges::count_if(fitting,
                                     [](const PossibleLayout& choice) { return choice.placed.starts_with("as seen"); });
    };
    CHECK(tried({16, 4, 4}, {19, 13, 1, 1}) == 1);
    CHECK(tried({16, 1, 1}, {75, 50, 1, 1}) == 0);
}
