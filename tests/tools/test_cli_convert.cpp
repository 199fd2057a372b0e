// tile, detile, identify: the program on files, checked against the tables of tests/data/layouts and the catalog.
#include "patterns/convert/convert.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/table.h"
#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "tests/support/program.h"
#include <algorithm>
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

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
    write_text(folder / "rows", noise(255 * 256 * 16, 2));
    const Ended other = run(tilewise::tilewise(command + without_rule + Command{"--extent", "255x256", "--assume"}));
    CHECK(other.err.find("255x256 is laid out like 256x256") != std::string::npos);
    CHECK(parse(other)["assumed"].size() == 1);
}

TEST_CASE("what was not observed of this very image is converted only with --assume") {
    const Catalog folder;
    for (const std::string name : {"tile", "detile"}) {
        const auto write_input = [&](size_t texels) {
            write_text(folder / "in", noise(name == "tile" ? texels * 16 : 1 << 22, 8));
        };
        const Command command =
            Command{"--db", folder.db, name, folder / "in", folder / "out", "--gpu", "Mali-G610"} + without_rule;
        const auto refuses = [&](const Command& image, size_t texels, const char* differs) {
            write_input(texels);
            fails(folder, command + image, 1, "give --assume");
            fails(folder, command + image, 1, differs);
            const Ended assumed = run(tilewise::tilewise(command + image + Command{"--assume"}));
            CAPTURE(assumed.err);
            CHECK(assumed.code == 0);
            CHECK(assumed.err.starts_with("Assumed: "));
            std::filesystem::remove(folder / "out");
        };
        refuses({"--extent", "255x256"}, size_t{255} * 256, "255x256 is laid out like 256x256 on ");
        constexpr size_t square = 256 * 256, chain = square + square / 4 + square / 16 + 1024 + 256 + 64 + 16 + 4 + 1;
        refuses({"--extent", "256x256", "--levels", "9"}, chain,
                "256x256 of 9 levels is laid out like 256x256 of 1 level on ");
        refuses({"--extent", "256x256", "--layers", "2"}, 2 * square,
                "256x256 of 2 layers is laid out like 256x256 of 1 layer on ");
        write_input(square);
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
    fails(folder, detile("bare.json", "200x300"), 1, "names no extent");
    // Twice as wide, rows of tiles would lie on one another: with or without --assume.
    for (const Command& assume : {Command{}, Command{"--assume"}})
        fails(folder, detile("solved.json", "400x300") + assume, 1, "two tiles would overlap");
    CHECK(run(tilewise::tilewise(detile("solved.json", "200x300"))).code == 0);
    // Blocks of 4x4 texels, counted as elements in the table: the same image, by the format.
    const Command blocks = {"layout", "--gpu", "RX 7900 XTX", "--format", "BC7", "--extent", "300x200"};
    const std::string offsets = run(tilewise::tilewise(blocks + Command{"--table", "-"})).out;
    write_text(folder / "blocks.json", run(tilewise::tilewise({"solve", "--json", "-"}), offsets).out);
    const auto rows_by = [&](const Command& layout) {
        const Command image = {"detile", folder / "dump", folder / "out", "--format", "BC7", "--extent", "300x200"};
        CHECK(run(tilewise::tilewise(image + layout)).code == 0);
        return read_text(folder / "out");
    };
    const bool is_same = rows_by({"--layout", folder / "blocks.json"}) == rows_by({"--gpu", "RX 7900 XTX", "--assume"});
    CHECK(is_same);
}

TEST_CASE("strides that put two texels at one place are refused, whoever says so") {
    const Catalog folder;
    write_text(folder / "in", noise(1 << 20, 10));
    const Command linear = {"--pattern", "linear", "--extent", "64x64"};
    for (const char* name : {"tile", "detile"}) {
        const Command command = Command{"--db", folder.db, name, folder / "in", folder / "out"} + rgba8;
        fails(folder, command + linear + Command{"--pitch", "128"}, 2, "a row of the image has 256 bytes");
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
    for (const char* gpu : {"M1", "H200", "Mali-G610", "Adreno (TM) 630"}) {
        CAPTURE(gpu);
        const bool has_rules = gpu != std::string("Mali-G610");
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
    write_text(folder / "file", rows.substr(0, 77 * 45 * 4));
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

TEST_CASE("rows that are longer than the image are of another one") {
    const Catalog folder;
    const Command image = {"--db", folder.db, "--gpu", "navi21", "--extent", "64x64"};
    for (const size_t more : {size_t{1}, size_t{4}, size_t{64 * 4}, size_t{2600000}}) {
        CAPTURE(more);
        write_text(folder / "rows", noise(64 * 64 * 4 + more, 6));
        const Command tile = {"tile", folder / "rows", folder / "out"};
        fails(folder, tile + image + rgba8, 1, std::to_string(more) + " more than the image's rows");
        // The memory of an image may go on: that of another one follows it.
        write_text(folder / "dump", noise(64 * 64 * 4 * 2 + more, 7));
        CHECK(run(tilewise::tilewise(Command{"detile", folder / "dump", "-"} + image + rgba8)).out.size() ==
              64 * 64 * 4);
    }
}

TEST_CASE("a file that is named as a picture is neither written nor read as rows") {
    const Folder folder;
    write_text(folder / "memory", noise(64, 8));
    const Command image = {"--pattern", "linear", "--extent", "4x4", "--format", "R8G8B8A8_UNORM"};
    for (const std::string name : {"o.png", "P.PNG", "o.jpg", "o.tga", "o.exr", "a.dds.png"}) {
        CAPTURE(name);
        fails(folder, Command{"detile", folder / "memory", folder / name} + image, 2, "--container raw");
        fails(folder, Command{"tile", folder / name, folder / "out"} + image, 2, "--container raw");
        const Command as_raw = {"detile", folder / "memory", folder / name, "--container", "raw"};
        CHECK(run(tilewise::tilewise(as_raw + image)).code == 0);
        CHECK(read_text(folder / name) == read_text(folder / "memory"));
    }
    CHECK(run(tilewise::tilewise(Command{"detile", folder / "memory", folder / "png"} + image)).code == 0);
    // Memory is no KTX2 or DDS file.
    for (const std::string name : {"o.ktx2", "O.DDS"})
        fails(folder, Command{"tile", folder / "memory", folder / name} + image, 2, "tilewise detile writes rows");
}

TEST_CASE("a mode that is asked for is the answer's, or nothing is written") {
    const Catalog folder;
    write_text(folder / "dump", noise(1 << 20, 9));
    const Command detile = {"--db", folder.db, "detile", folder / "dump", folder / "rows"};
    const Command image = {"--gpu", "navi10", "--extent", "320x160"}, mode = {"--mode", "64KB_R_X"};
    // By the rule of this extent it is 4KB_S_X.
    fails(folder, detile + image + rgba8 + mode, 1, "give --assume");
    fails(folder, detile + image + rgba8 + Command{"--mode", "TILE6_3"}, 1, "in the mode \"TILE6_3\"");
    REQUIRE(run(tilewise::tilewise(detile + image + rgba8 + mode + Command{"--assume"})).code == 0);
    const Command by_pattern = {"--pattern",  "36f0f1a9", "--extent",   "320x160",
                                "--stride-x", "65536",    "--stride-y", "196608"};
    const Command other = {"--db", folder.db, "detile", folder / "dump", folder / "other"};
    REQUIRE(run(tilewise::tilewise(other + by_pattern + rgba8)).code == 0);
    CHECK(read_text(folder / "rows") == read_text(folder / "other"));
}

TEST_CASE("conditions that a layout of the command line cannot meet are refused, not dropped") {
    const Catalog folder;
    write_text(folder / "rows", noise(64, 10));
    const Command tile = {"--db", folder.db, "tile", folder / "rows", folder / "out", "--extent", "4x4"};
    for (const std::string option : {"--gpu", "--vendor", "--device", "--driver"})
        fails(folder, tile + rgba8 + Command{"--pattern", "linear", option, "NVIDIA"}, 2, option);
    fails(folder, tile + rgba8 + Command{"--pattern", "linear", "--mode", "64KB_R_X"}, 2, "--mode 64KB_R_X");
    fails(folder, tile + rgba8 + Command{"--gpu", "navi10", "--levels", "2", "--constant", "16"}, 2, "one level");
    CHECK(run(tilewise::tilewise(tile + rgba8 + Command{"--pattern", "linear", "--mode", "LINEAR"})).code == 0);
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
    fails(folder, detile + extent + Command{"--gpu", "Adreno"} + rgba8, 1, "name one of them");
    fails(folder, detile + extent + Command{"--vendor", "Qualcomm"} + rgba8, 2, "choose by");
    fails(folder, detile + extent + Command{"--pattern", "zz"}, 1, "zz");
    fails(folder, detile + extent + Command{"--pattern", "linear"}, 2, "--format");
    fails(folder, detile + extent + device + rgba8 + Command{"--levels", "8"}, 2, "at most 7 levels");
    fails(folder, detile + extent + device + rgba8 + Command{"--levels", "2", "--pitch", "256"}, 2, "one level");
    fails(folder, detile + extent + device + rgba8 + Command{"--layers", "0"}, 2, "layers");
    fails(folder, detile + extent + device + rgba8 + Command{"--layout", folder / "rows"}, 1, "is not JSON");
    fails(folder, detile + extent + Command{"--pattern", "linear", "--pitch", "100"} + rgba8, 2,
          "a row of the image has");
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
    const nlohmann::json answer = parse(ended);
    CHECK(answer["verdict"] == "found");
    CHECK(answer["confidence"] > 0.25);
    std::string command = answer["command"];
    command.replace(command.find("tilewise "), 9,
                    tilewise::tilewise({"--db", folder.db})[0] + " --db " + folder.db + " ");
    command.replace(command.find("OUT"), 3, folder / "back");
    REQUIRE(run({"sh", "-c", command}).code == 0);
    CHECK(read_text(folder / "back") == rows);
    const Layout found = layout_from_json(answer["ranking"][0]["layouts"][0]["layout"]);
    const std::string dump = read_text(folder / "dump");
    std::string read(rows.size(), '\0');
    detile(found, {{}, {300, 200, 1, 1}}, std::as_bytes(std::span(dump)), std::as_writable_bytes(std::span(read)));
    const bool is_same = read == rows;
    CHECK(is_same);
    const std::string png = read_text(folder / "picture.png");
    CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
    CHECK(png.substr(16, 8) == std::string("\0\0\1\x2c\0\0\0\xc8", 8));  // 300x200
    std::string colors;
    for (size_t at = 0; at < rows.size(); at += 4) colors += rows.substr(at, 3);
    const Ended decoded = run(
        {"/usr/bin/python3", "-c",
         "import sys; from PIL import Image; sys.stdout.buffer.write(Image.open(sys.argv[1]).tobytes('raw', 'RGB'))",
         folder / "picture.png"});
    REQUIRE(decoded.code == 0);
    const bool is_same_picture = decoded.out == colors;
    CHECK(is_same_picture);
}

TEST_CASE("identify's command reads what was asked for without a format, rows and a mode by its definition") {
    const Catalog folder;
    const std::string rows = picture(300, 200, 4);
    write_text(folder / "rows", rows);
    const Command elements = {"--extent", "300x200", "--element-bytes", "4"};
    for (const Command& way : {Command{"--pattern", "linear", "--pitch", "1280"}, {"--mode", "tilex"}}) {
        REQUIRE(run(tilewise::tilewise(Command{"tile", folder / "rows", folder / "dump"} + elements + way)).code == 0);
        const Ended ended = run(tilewise::tilewise(Command{"--json", "identify", folder / "dump"} + elements));
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        std::string command = parse(ended)["command"];
        CAPTURE(command);
        command.replace(command.find("tilewise "), 9, tilewise::tilewise({})[0] + " ");
        command.replace(command.find("OUT"), 3, folder / "back");
        REQUIRE(run({"sh", "-c", command}).code == 0);
        CHECK((read_text(folder / "back") == rows));
    }
}

TEST_CASE("identify refuses files with headers that are known, and says where a header may shift rows") {
    const Catalog folder;
    const std::string rows = picture(640, 360, 4);
    write_text(folder / "rows", rows);
    const Command elements = {"--extent", "640x360", "--format", "R8G8B8A8_UNORM"};
    for (const std::string name : {"a.ktx2", "a.dds"}) {
        CAPTURE(name);
        REQUIRE(
            run(tilewise::tilewise(Command{"detile", folder / "rows", folder / name, "--pattern", "linear"} + elements))
                .code == 0);
        fails(folder, Command{"--db", folder.db, "identify", folder / name} + elements, 2,
              name == "a.dds" ? "a.dds is a DDS file" : "a.ktx2 is a KTX2 file");
    }
    const std::string header(128, '\0');
    write_text(folder / "dump", header + rows);
    const auto identified = [&](const Command& base) {
        return run(tilewise::tilewise(Command{"--db", folder.db, "identify", folder / "dump"} + elements + base));
    };
    CHECK(identified({}).err.find("128 bytes follow these rows") != std::string::npos);
    const Ended based = identified({"--base", "128"});
    CHECK(based.err.find("follow these rows") == std::string::npos);
    CHECK(based.out.find("--base 128") != std::string::npos);
}

TEST_CASE("identify finds a pattern that the user keeps, and its command reads it by its name") {
    const Catalog folder;
    const std::string rows = picture(256, 128, 4);
    write_text(folder / "rows", rows);
    const Command elements = {"--extent", "256x128", "--element-bytes", "4"};
    const Command own = {"--db", folder.db, "--quiet"};
    REQUIRE(run(tilewise::tilewise(own + Command{"solve", "--equation", "y0 x1 y1 x0 x2^y0 y2", "--keep", "own"} +
                                   Command{"--element-bytes", "4"}))
                .code == 0);
    REQUIRE(
        run(tilewise::tilewise(own + Command{"tile", folder / "rows", folder / "dump", "--pattern", "own"} + elements))
            .code == 0);
    const Ended ended = run(tilewise::tilewise(own + Command{"--json", "identify", folder / "dump"} + elements));
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    std::string command = parse(ended)["command"];
    CHECK(command.find("--pattern own ") != std::string::npos);
    command.replace(command.find("tilewise "), 9, tilewise::tilewise({})[0] + " --db " + folder.db + " ");
    command.replace(command.find("OUT"), 3, folder / "back");
    REQUIRE(run({"sh", "-c", command}).code == 0);
    CHECK((read_text(folder / "back") == rows));
}

TEST_CASE("identify finds no pattern in noise, nor in what is the same everywhere, and draws nothing") {
    const Catalog folder;
    for (const std::string& dump : {noise(1 << 16, 6), std::string(1 << 16, 'x')}) {
        write_text(folder / "dump", dump);
        const Ended ended = run(tilewise::tilewise(
            Command{"--db", folder.db, "identify", folder / "dump", "--extent", "128x128", "--png", folder / "png"} +
            rgba8));
        CHECK(ended.code == 1);
        CHECK(ended.out.find("confidence 0.0") != std::string::npos);
        CHECK(ended.err.find("no pattern stands out") != std::string::npos);
        CHECK((ended.err.find("all its bytes are the same") != std::string::npos) ==
              (dump[0] == 'x' && dump[1] == 'x'));
        CHECK(is_one_complaint(ended.err));
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
