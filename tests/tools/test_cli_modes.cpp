// Images that are said by a DRM modifier, a mode's definition, an equation or a kept pattern, as people ask for them:
// no GPU is named, and each answer says whose word it is.
#include "patterns/model/drm_modifier.h"
#include "patterns/model/extent_text.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;

namespace {

struct Asking {
    Folder folder;
    std::string file = folder / "t.db";

    Ended ask(const Command& command) const {
        return run(tilewise::tilewise(Command{"--db", file, "--quiet"} + command));
    }
    nlohmann::json json(const Command& command) const {
        const Ended ended = ask(Command{"--json"} + command);
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return parse(ended);
    }
    void refuse(const Command& command, int code, const std::string& mentions) const {
        const Ended ended = ask(command);
        std::string line;
        for (const std::string& word : command) line += word + " ";
        CAPTURE(line);
        CAPTURE(ended.err);
        CHECK(ended.code == code);
        CHECK(is_one_complaint(ended.err));
        CHECK(ended.err.find(mentions) != std::string::npos);
    }
};

const Command rgba8_300x200 = {"--format", "RGBA8", "--extent", "300x200"};

}  // namespace

TEST_CASE("a modifier is the same in drm_info's, the kernel's, libdrm's and a number's spelling") {
    const Asking asking;
    const nlohmann::json by_number = asking.json(Command{"layout", "--modifier", "0x0300000000606014"} + rgba8_300x200);
    CHECK(by_number.at("source") == "documented");
    CHECK(by_number.at("evidence").get<std::string>().find("drm_fourcc.h") != std::string::npos);
    CHECK(by_number.at("modifier").at("name") == "NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,4)");
    for (const char* spelling :
         {"NVIDIA_BLOCK_LINEAR_2D(h=4, k=6, g=2, s=1, c=0)", "DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D(0, 1, 2, 0x06, 4)",
          "NVIDIA_BLOCK_LINEAR_2D,HEIGHT=4,KIND=6,GEN=2,SECTOR=1,COMPRESSION=0", "216172782120099860"}) {
        CAPTURE(std::string(spelling));
        CHECK(asking.json(Command{"layout", "--modifier", spelling} + rgba8_300x200) == by_number);
    }
    // What was probed on a device with that modifier lies in the same tiles.
    const nlohmann::json probed = asking.json(
        {"layout", "--gpu", "H200", "--modifier", "0x0300000000606014", "--format", "RGBA8", "--extent", "300x200"});
    CHECK(probed.at("source") != "documented");
    CHECK(probed.at("subresources") == by_number.at("subresources"));
}

TEST_CASE("a modifier of a chip that nobody probed is decoded, and where data are compressed no layout is made up") {
    const Asking asking;
    const nlohmann::json afbc = asking.json({"query", "--modifier", "ARM_AFBC(BLOCK_SIZE = 16x16, YTR, SPARSE)"});
    CHECK(afbc.at("patterns").empty());
    CHECK(afbc.at("modifier").at("number") == "0x0800000000000051");
    CHECK(afbc.at("modifier").at("compressed") == true);
    const nlohmann::json shown = asking.json({"show", "--modifier", "0x0700000000006004"});
    CHECK(shown.at("modifier").at("fields").at(0) ==
          nlohmann::json({{"name", "COL_HEIGHT"}, {"bits", "55..8"}, {"value", 96}, {"meaning", ""}}));
    asking.refuse(Command{"layout", "--modifier", "ARM_AFBC(BLOCK_SIZE=16x16,YTR)"} + rgba8_300x200, 1, "compressed");
    asking.refuse(Command{"layout", "--modifier", "0x0200000020937b03"} + rgba8_300x200, 1, "compressed");
    asking.refuse(Command{"layout", "--modifier", "QCOM_TILED3"} + rgba8_300x200, 1, "--gpu");
    asking.refuse(Command{"layout", "--modifier", "0x7f00000000000001"} + rgba8_300x200, 1, "nothing is known");
    asking.refuse(Command{"layout", "--modifier", "NVIDIA_BLOCK_LINEAR_3D"} + rgba8_300x200, 2,
                  "NVIDIA_BLOCK_LINEAR_2D");
    asking.refuse(Command{"layout", "--modifier", "0x0100000000000002", "--pitch", "1250"} + rgba8_300x200, 2,
                  "multiple of 128");
    asking.refuse(Command{"layout", "--modifier", "LINEAR", "--mode", "tiley"} + rgba8_300x200, 2, "leave one out");
}

TEST_CASE("AMD's modifier is the layout that its driver was seen to give on chips of that address configuration") {
    const Asking asking;
    struct Chip {
        const char *gpu, *modifier;
    };
    // As RADV lists them for each, without DCC.
    for (const Chip& chip : {Chip{"navi10", "0x0200000000801b02"}, Chip{"navi21", "0x0200000020801b03"},
                             Chip{"vangogh", "0x0200000008401b03"}, Chip{"rembrandt", "0x0200000010401b03"},
                             Chip{"navi31", "0x0200000028a01b04"}, Chip{"navi33", "0x0200000018601b04"},
                             Chip{"phoenix", "0x0200000010401b04"}})
        for (const char* format : {"R8_UNORM", "RGBA8", "RGBA32F"}) {
            CAPTURE(std::string(chip.gpu));
            CAPTURE(std::string(format));
            const Command image = {"--format", format, "--extent", "1000x700"};
            const nlohmann::json said = asking.json(Command{"layout", "--modifier", chip.modifier} + image);
            const nlohmann::json seen = asking.json(Command{"layout", "--gpu", chip.gpu, "--assume"} + image);
            const auto &a = said.at("subresources").at(0).at("layout"), &b = seen.at("subresources").at(0).at("layout");
            CHECK(a.at("equation") == b.at("equation"));
            CHECK(a.at("stride") == b.at("stride"));
        }
}

TEST_CASE("a file is tiled and detiled by a mode, a modifier, an equation and a kept pattern, and comes back") {
    const Asking asking;
    const std::string rows = asking.folder / "rows", tiled = asking.folder / "tiled", again = asking.folder / "again";
    std::string text;
    for (unsigned i = 0; i < 61 * 47 * 4; i++) text += static_cast<char>(i * 2654435761U >> 13);
    write_text(rows, text);
    CHECK(asking.ask({"solve", "--equation", "x0 y0 x1^y1 y1", "--element-bytes", "4", "--keep", "mine"}).code == 0);
    const Command ways[] = {{"--mode", "block_linear", "--param", "gobs=2"},
                            {"--modifier", "0x0100000000000009"},
                            {"--equation", "x0 y0 x1^y1 y1"},
                            {"--pattern", "mine"},
                            {"--mode", "morton"},
                            {"--mode", "sand", "--param", "width=32"},
                            {"--mode", "64KB_S"}};
    for (const Command& way : ways) {
        CAPTURE(way.back());
        const Command of = way + Command{"--element-bytes", "4", "--extent", "61x47"};
        const Ended made = asking.ask(Command{"tile", rows, tiled} + of);
        CAPTURE(made.err);
        CHECK(made.code == 0);
        CHECK(read_text(tiled) != text);
        CHECK(asking.ask(Command{"detile", tiled, again} + of).code == 0);
        CHECK(read_text(again) == text);
    }
}

TEST_CASE("layers of a mode are whole blocks of it apart, and AMD's modes with an XOR change their constants") {
    const Asking asking;
    const Command of_gfx10 = {"--mode",   "64KB_R_X", "--param",  "gfx=10",  "--param",  "pipes=4",
                              "--format", "RGBA8",    "--extent", "320x210", "--layers", "3"};
    const nlohmann::json parts = asking.json(Command{"layout"} + of_gfx10).at("subresources");
    REQUIRE(parts.size() == 3);
    // As AMD's address library places them.
    const uint64_t constants[] = {0, 2048, 1024};
    for (size_t layer = 0; layer < 3; layer++) {
        CHECK(parts[layer].at("layout").at("base") == layer * 393216);
        CHECK(parts[layer].at("layout").at("constant") == constants[layer]);
    }
    CHECK(asking.ask(Command{"layout", "--layer", "1", "--at", "0,0"} + of_gfx10).out == "395264\n");
    const auto layer_stride = [&](const Command& image) {
        const nlohmann::json said =
            asking.json(Command{"layout", "--layers", "3"} + image).at("subresources").at(0).at("layer_stride");
        return said.get<uint64_t>();
    };
    CHECK(layer_stride({"--mode", "64KB_S", "--element-bytes", "1", "--extent", "77x45"}) == 65536);
    CHECK(layer_stride({"--mode", "4KB_S", "--element-bytes", "4", "--extent", "1x1"}) == 4096);
    CHECK(layer_stride({"--mode", "4KB_S", "--element-bytes", "4", "--extent", "9x9", "--pitch", "512"}) == 16384);
}

TEST_CASE("tile writes whole blocks of a mode") {
    const Asking asking;
    struct Written {
        Command mode;
        const char* bytes;
        Extent_px extent;
        uint64_t size;
    };
    const Written all[] = {
        {{"--mode", "tiley"}, "4", {7, 5, 1}, 4096},
        {{"--mode", "block_linear", "--param", "gobs=1"}, "1", {7, 5, 1}, 512},
        {{"--mode", "morton"}, "1", {129, 1, 1}, 256},
        {{"--mode", "morton"}, "4", {1, 1, 1}, 4},
        {{"--mode", "sand", "--param", "width=256", "--param", "rows=2304"}, "1", {333, 217, 1}, 1179648},
        {{"--mode", "uif"}, "4", {333, 217, 1}, 360448},
    };
    const std::string rows = asking.folder / "rows", tiled = asking.folder / "tiled";
    for (const Written& each : all) {
        CAPTURE(each.mode.back());
        write_text(rows, std::string(size_t{each.extent[0]} * each.extent[1] * std::stoul(each.bytes), 'x'));
        const Command image = {"--element-bytes", each.bytes, "--extent", extent_text(each.extent)};
        const Ended made = asking.ask(Command{"tile", rows, tiled} + image + each.mode);
        CAPTURE(made.err);
        CHECK(made.code == 0);
        CHECK(read_text(tiled).size() == each.size);
    }
}

TEST_CASE("a layout that was solved and kept holds for its extent, and for others where a pitch is given") {
    const Asking asking;
    const std::string table = asking.folder / "table.csv";
    const Command of = {"layout", "--gpu", "DG2", "--format", "RGBA8", "--extent", "256x256", "--table", table};
    REQUIRE(asking.ask(of).code == 0);
    REQUIRE(asking.ask({"solve", table, "--keep", "from-table"}).code == 0);
    const nlohmann::json same = asking.json({"layout", "--pattern", "from-table", "--extent", "256x256"});
    CHECK(same.at("source") == "given");
    CHECK(same.at("evidence").get<std::string>().find("not read from a device") != std::string::npos);
    const nlohmann::json other =
        asking.json({"layout", "--pattern", "from-table", "--extent", "300x200", "--pitch", "1280"});
    CHECK(other.at("source") == "given");
    CHECK(other.at("subresources") ==
          asking.json({"layout", "--mode", "tile4", "--element-bytes", "4", "--extent", "300x200"}).at("subresources"));
    CHECK(asking.json({"layout", "--pattern", "from-table", "--extent", "300x200"}).at("source") == "assumed");
    CHECK(asking.json({"show", "from-table"}).at("said").at("source") == "given");
    for (const Command& command : {Command{"show", "from-table"}, Command{"snippet", "--pattern", "from-table"},
                                   Command{"layout", "--pattern", "from-table"}})
        asking.refuse(command + Command{"--format", "BC1", "--extent", "256x256"}, 2, "8 bytes");
    // A base is one image's.
    const std::string with_base = asking.folder / "base.csv";
    write_text(with_base, "0,0,4096\n1,0,4100\n0,1,4104\n1,1,4108\n");
    REQUIRE(asking.ask({"solve", with_base, "--keep", "with-base"}).code == 0);
    const auto base_of = [&](const char* extent, bool is_said) {
        const Ended told = asking.ask({"--json", "layout", "--pattern", "with-base", "--extent", extent});
        CHECK((told.out.find("began at 4096") != std::string::npos) == is_said);
        return nlohmann::json::parse(told.out).at("subresources")[0].at("layout").at("base").get<int>();
    };
    CHECK(base_of("2x2", false) == 4096);
    CHECK(base_of("4x4", true) == 0);
    const nlohmann::json kept = asking.json({"modes", "from-table"}).at("kept");
    REQUIRE(kept.size() == 1);
    CHECK(kept[0].at("name") == "from-table");
    CHECK(kept[0].at("origin") == table);
    CHECK(asking.json({"modes", "tiley"}).at("kept").empty());
    CHECK(asking.json({"snippet", "--pattern", "from-table", "--lang", "glsl", "--kind", "address"})
              .at("code")
              .get<std::string>()
              .find("not read from a device") != std::string::npos);
    asking.refuse({"layout", "--pattern", "from-tabel", "--extent", "64x64", "--format", "RGBA8"}, 1, "from-tabel");
    asking.refuse({"solve", table, "--keep", "abc123"}, 2, "--keep abc123");
    asking.refuse({"solve", table, "--keep", "no blanks"}, 2, "not a name");
    asking.refuse({"solve", "--equation", "x0 y0", "--keep", "my-eq"}, 2, "--element-bytes");
    asking.refuse({"layout", "--pattern", "from-table", "--gpu", "H200", "--extent", "64x64"}, 2, "leave out");
}

TEST_CASE("what is said twice, or of nothing, is refused by the option") {
    const Asking asking;
    asking.refuse({"layout", "--mode", "tiley", "--extent", "64x64"}, 2, "--element-bytes");
    asking.refuse({"layout", "--mode", "block_linear", "--param", "gobs", "--element-bytes", "4", "--extent", "64x64"},
                  2, "gobs=16");
    asking.refuse(Command{"layout", "--mode", "block_linear", "--param", "gobs=16", "--gpu", "H200"} + rgba8_300x200, 2,
                  "--param");
    asking.refuse(Command{"layout", "--param", "gobs=16"} + rgba8_300x200, 2, "--mode");
    asking.refuse(Command{"layout", "--mode", "tiley", "--element-bytes", "8"} + rgba8_300x200, 2, "--element-bytes 8");
    asking.refuse(Command{"layout", "--equation", "x0 y0", "--gpu", "H200"} + rgba8_300x200, 2, "--equation");
    asking.refuse({"layout", "--equation", "x0 y0", "--extent", "64x64"}, 2, "--element-bytes");
    // What a pattern does not say of is not made up.
    asking.refuse({"layout", "--modifier", "0x0300000000606014", "--format", "NV12", "--extent", "64x64"}, 2,
                  "several planes");
    asking.refuse(Command{"layout", "--mode", "tile4", "--levels", "3"} + rgba8_300x200, 2, "--levels 3");
    asking.refuse(Command{"layout", "--mode", "tile4", "--samples", "4"} + rgba8_300x200, 2, "one sample");
    asking.refuse({"layout", "--mode", "tile4", "--format", "RGBA8", "--extent", "16x16x16"}, 2, "2D");
    // drm_fourcc.h: without a height, SAND's columns are as high as the image.
    CHECK(
        asking.json({"layout", "--modifier", "BROADCOM_SAND128", "--format", "R8", "--extent", "256x96"})
            .at("subresources")
            .at(0)
            .at("layout") ==
        asking.json({"layout", "--modifier", "BROADCOM_SAND128_COL_HEIGHT(96)", "--format", "R8", "--extent", "256x96"})
            .at("subresources")
            .at(0)
            .at("layout"));
    asking.refuse(
        Command{"layout", "--modifier", "BROADCOM_SAND128_COL_HEIGHT(1048577)", "--format", "R8", "--extent", "256x96"},
        1, "at most 1048576 rows");
    asking.refuse(Command{"layout", "--modifier", "INVALID"} + rgba8_300x200, 1, "no modifier");
    asking.refuse(Command{"layout", "--mode", "tlie4"} + rgba8_300x200, 1, "did you mean tile4?");
    asking.refuse(Command{"layout", "--mode", "nosuch", "--param", "a=1"} + rgba8_300x200, 2, "tile4");
}

TEST_CASE("snippets of a mode compute what layout says, in a language that runs here") {
    const Asking asking;
    const Command mode = {"--mode",  "block_linear", "--param",         "gobs=4",
                          "--param", "kind=fermi",   "--element-bytes", "8"};
    const nlohmann::json snippet = asking.json(
        Command{"snippet", "--lang", "cpp", "--kind", "address", "--levels", "1", "--extent", "97x61"} + mode);
    const std::string source = asking.folder / "a.cpp", program = asking.folder / "a";
    std::string code = snippet.at("code");
    code +=
        "\n#include <cstdio>\nint main() { std::printf(\"%llu\\n\", (unsigned long long)tilewise_address({77, 49})); "
        "}\n";
    write_text(source, code);
    const Ended built = run({"g++", "-std=c++20", "-o", program, source});
    CAPTURE(built.err);
    REQUIRE(built.code == 0);
    CHECK(run({program}).out == asking.ask(Command{"layout", "--extent", "97x61", "--at", "77,49"} + mode).out);
}

TEST_CASE("a modifier with which no image of the named device was read is answered by its definition, and says so") {
    const Asking asking;
    const Command one_gob = {"layout",   "--gpu", "H200",     "--modifier", "0x0300000000606010",
                             "--format", "RGBA8", "--extent", "256x256"};
    const nlohmann::json image = asking.json(one_gob);
    CHECK(image.at("source") == "documented");
    CHECK(image.at("evidence").get<std::string>().find("no such image of H200 was read") != std::string::npos);
    asking.refuse(
        {"layout", "--gpu", "navi21", "--modifier", "0x0200000020937b03", "--format", "RGBA8", "--extent", "64x64"}, 1,
        "compressed");
}

TEST_CASE(
    "a modifier beside a device that nobody has, or whose chips are another maker's, is refused by every command") {
    const Asking asking;
    write_text(asking.folder / "rows", std::string(size_t{300} * 200 * 4, 'x'));
    const std::pair<const char*, const char*> of_makers[] = {{"0x0300000000606014", "H100"},
                                                             {"Y_TILED", "DG2"},
                                                             {"APPLE_GPU_TILED", "M1"},
                                                             {"QCOM_TILED3", "Adreno 740"},
                                                             {"AMD(TILE_VERSION=GFX11,TILE=64KB_D)", "RX 7900 XTX"}};
    const Command of_all[] = {
        {"layout"}, {"layout", "--at", "1,1"}, {"tile", asking.folder / "rows", asking.folder / "tiled"}};
    for (const auto& [modifier, own] : of_makers)
        for (const auto& [of_another, gpu] : of_makers) {
            if (gpu == own) continue;
            CAPTURE(of_another);
            asking.refuse(Command{"layout", "--modifier", modifier, "--gpu", gpu} + rgba8_300x200, 2, "tile like this");
        }
    for (const Command& command : of_all) {
        const Command tiled = command + rgba8_300x200 + Command{"--modifier", "Y_TILED"};
        asking.refuse(tiled + Command{"--gpu", "zzz"}, 1, "zzz");
        asking.refuse(tiled + Command{"--driver", "nonsense"}, 1, "nonsense");
        asking.refuse(tiled + Command{"--vendor", "AMD"}, 2, "tile like this");
    }
    const Command fermi = {"--modifier", "0x03000000000fe014", "--gpu", "RTX 3060"};
    const Ended at =
        run(tilewise::tilewise(Command{"--db", asking.file, "layout", "--at", "1,1"} + rgba8_300x200 + fermi));
    CHECK(at.code == 0);
    CHECK(at.err.find("no such image of RTX 3060 was read with this modifier") != std::string::npos);
}

TEST_CASE("a format of several planes or aspects is refused where one pattern, or no GPU, is all that is said") {
    const Asking asking;
    write_text(asking.folder / "dump", std::string(1 << 16, 'x'));
    for (const auto& [format, mentions] : {std::pair{"NV12", "R8_UNORM or R8G8_UNORM"},
                                           {"P010", "several planes"},
                                           {"I420", "R8_UNORM"},
                                           {"D32S8", "D32_SFLOAT or S8_UINT"}}) {
        const Command image = {"--format", format, "--extent", "100x70"};
        for (const Command& rows : {Command{"--modifier", "LINEAR"}, {"--pattern", "linear"}})
            asking.refuse(Command{"layout"} + image + rows, 2, mentions);
        asking.refuse(Command{"identify", asking.folder / "dump"} + image, 2, mentions);
        asking.refuse(Command{"layout"} + image, 2, "--gpu");
        asking.refuse(Command{"layout", "--vendor", "NVIDIA"} + image, 2, "--gpu");
    }
}

TEST_CASE("options that contradict one another, or of which nothing has the use, are refused") {
    const Asking asking;
    const Command image = {"--gpu", "H100", "--format", "RGBA8", "--extent", "1000x700"};
    asking.refuse(Command{"layout", "--mode", "tiley", "--stride-y", "81920", "--pitch", "1280"} + rgba8_300x200, 2,
                  "--pitch");
    for (const char* kernel : {"average", "brightest", "histogram", "mip-chain"}) {
        asking.refuse(Command{"advise", "--kernel", kernel, "--radius", "3"} + image, 2, "--radius 3");
        asking.refuse(Command{"snippet", "--kernel", kernel, "--radius", "3"} + image, 2, "--radius 3");
    }
    asking.refuse(Command{"snippet", "--warps", "4"} + image, 2, "--warps");
    asking.refuse(Command{"snippet", "--kind", "group-order", "--strip-width", "4"} + image, 2, "--strip-width");
    for (const char* order : {"learned", "row", "morton"})
        asking.refuse(Command{"snippet", "--invocations", "0", "--order", order} + image, 2, "0 invocations");
    for (const char* option : {"--gpu", "--mode", "--vendor", "--pattern"})
        asking.refuse(Command{"layout", option, ""} + rgba8_300x200, 2, fmt::format("{} is empty", option));
    asking.refuse(Command{"layout", "--equation="} + rgba8_300x200, 2, "--equation is empty");
    // What says the pattern twice, or of an image that a definition does not have.
    asking.refuse({"layout", "--pattern", "23ed76f9", "--modifier", "I915_FORMAT_MOD_Y_TILED", "--extent", "64x64"}, 2,
                  "--modifier and --pattern");
    for (const char* option : {"--usage", "--flags"})
        asking.refuse(
            Command{"layout", "--mode", "tiley", option, option[2] == 'u' ? "color" : "mutable-format"} + rgba8_300x200,
            2, option);
    asking.refuse({"layout", "--equation", "x0 y0", "--element-bytes", "1", "--samples", "2", "--extent", "64x64"}, 2,
                  "one sample");
    asking.refuse(Command{"layout", "--mode", "tiley", "--stride-z", "65536"} + rgba8_300x200, 2, "--stride-z");
    for (const char* option : {"--levels", "--layers", "--base", "--pitch"})
        asking.refuse({"layout", "--verify", "2", option, "3"}, 2, option);
    asking.refuse({"show", "23ed76f9", "--element-bytes", "8"}, 2, "--element-bytes");
    asking.refuse({"layout", "--modifier", "I915_FORMAT_MOD_4_TILED", "--format", "UYVY", "--extent", "33x33"}, 1,
                  "multiples of 2x1");
    write_text(asking.folder / "mean.glsl", "struct State { vec4 sum; };");
    for (const char* command : {"advise", "snippet"})
        asking.refuse(Command{command, "--filter", asking.folder / "mean.glsl", "--kernel", "box"} + image, 2,
                      "replaces --kernel");
    asking.refuse(Command{"advise", "--kernel", "gaussian", "--sigma", "2.5", "--code", "glsl"} + image, 2,
                  "--radius 8");
    asking.refuse({"advise", "--shader", "0123456789abcdef", "--gpu", "H100"}, 2, "--shader");
}

TEST_CASE("a mode of no extent is shown without strides, which are an image's") {
    const Asking asking;
    const Command mode = {"show", "--mode", "BLOCK_LINEAR", "--param", "gobs=16", "--element-bytes", "4"};
    const Ended alone = asking.ask(mode);
    REQUIRE(alone.code == 0);
    CHECK(alone.out.find("16x128 elements, 8192 bytes") != std::string::npos);
    CHECK(alone.out.find("stride") == std::string::npos);
    const Ended of_image = asking.ask(mode + Command{"--extent", "1920x1080"});
    REQUIRE(of_image.code == 0);
    // 120 blocks of 16 elements are a row.
    CHECK(of_image.out.find("x 8192, y 983040 bytes") != std::string::npos);
}
