// tile and detile on whole images in KTX2 and DDS files, judged by npm's ktx-parse, Python's Pillow and NVIDIA Texture
// Tools (tools/deps --test).
#include "patterns/model/image_layout_json.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sstream>

using namespace tilewise;
using nlohmann::json;

namespace {

const std::string ktx_module = source_dir() + "/build/npm/node_modules/ktx-parse/dist/index.mjs";

bool judges_are_here() {
    if (std::filesystem::exists(ktx_module) && std::filesystem::exists("/usr/bin/nvddsinfo") &&
        run({"/usr/bin/python3", "-c", "import PIL"}).code == 0)
        return true;
    MESSAGE("SKIPPED: no ktx-parse in build/npm, no Pillow or no nvddsinfo (tools/deps --test fetches them)");
    return false;
}

Ended ktx_parse(const Command& arguments) {
    Command command = {"node", source_dir() + "/tests/tools/ktx_parse.mjs", ktx_module};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run(command);
}

std::string noise(size_t bytes) {
    std::string text(bytes, '\0');
    uint64_t state = 1;
    for (char& c : text) c = static_cast<char>((state = state * 6364136223846793005U + 1442695040888963407U) >> 56);
    return text;
}

/// A real driver's image: RADV's for an RX 6800, whose levels lie from the smallest to the largest.
const std::string navi21 = source_dir() + "/tests/data/images/radv-navi21.json";

ImageLayout image() { return image_layout_from_json(json::parse(read_text(navi21))); }

uint64_t bytes_of_level(const ImageLayout& of, uint32_t level) {
    const Extent_px extent = level_extent_px(of.extent_px, level);
    return uint64_t{4} * extent[0] * extent[1] * extent[2];
}

uint64_t bytes_of_layer(const ImageLayout& of) {
    uint64_t bytes = 0;
    for (uint32_t level = 0; level < of.levels; level++) bytes += bytes_of_level(of, level);
    return bytes;
}

/// The rows, which lie layer by layer, level by level in each.
std::string by_level(const ImageLayout& of, const std::string& rows) {
    std::string sorted;
    uint64_t at = 0;
    for (uint32_t level = 0; level < of.levels; at += bytes_of_level(of, level++))
        for (uint32_t layer = 0; layer < of.layers; layer++)
            sorted += rows.substr(layer * bytes_of_layer(of) + at, bytes_of_level(of, level));
    return sorted;
}

void succeeds(const Command& arguments) {
    const Ended ended = run(tilewise::tilewise(arguments));
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
}

/// A folder with the image as rows, tiled, KTX2 and DDS.
struct Files : Folder {
    ImageLayout of = image();
    std::string rows = noise(bytes_of_layer(of) * of.layers);
    Command by = {"--layout", navi21};

    Files() {
        write_text(*this / "rows", rows);
        convert("tile", "rows", "tiled");
        convert("detile", "tiled", "a.ktx2");
        convert("detile", "tiled", "a.dds");
    }
    void convert(const char* verb, const char* from, const char* to, const Command& more = {}) const {
        Command command = {verb, *this / from, *this / to};
        command.insert(command.end(), by.begin(), by.end());
        command.insert(command.end(), more.begin(), more.end());
        succeeds(command);
    }
    std::string text(const char* name) const { return read_text(*this / name); }
};

}  // namespace

TEST_CASE("each texel of each level and layer lies where the image layout says, whatever --jobs") {
    const Files files;
    const std::string tiled = files.text("tiled");
    uint64_t wrong = 0;
    for (uint32_t layer = 0; layer < files.of.layers; layer++) {
        uint64_t at = layer * bytes_of_layer(files.of);
        for (uint32_t level = 0; level < files.of.levels; level++) {
            const Extent_px extent = level_extent_px(files.of.extent_px, level);
            for (uint32_t y = 0; y < extent[1]; y++)
                for (uint32_t x = 0; x < extent[0]; x++, at += 4)
                    wrong += tiled.compare(address_of(files.of, {Aspect::color, level, layer, {x, y, 0, 0}}), 4,
                                           files.rows, at, 4) != 0;
        }
    }
    CHECK(wrong == 0);
    for (const char* jobs : {"1", "3"}) {
        files.convert("tile", "rows", "again", {"--jobs", jobs});
        CHECK(files.text("again") == tiled);
        files.convert("detile", "tiled", "back", {"--jobs", jobs});
        CHECK(files.text("back") == files.rows);
    }
}

TEST_CASE("bands of a large image, converted by several threads, come back as they were") {
    const Folder folder;
    const std::string rows = noise(size_t{2048} * 5000 * 4);  // more than two bands
    write_text(folder / "rows", rows);
    const Command image = {"--pattern", "linear",  "--format", "R8G8B8A8_UNORM", "--extent",
                           "2048x5000", "--pitch", "8448",     "--jobs",         "4"};
    Command tile = {"tile", folder / "rows", folder / "tiled"}, detile = {"detile", folder / "tiled", folder / "back"};
    tile.insert(tile.end(), image.begin(), image.end());
    detile.insert(detile.end(), image.begin(), image.end());
    succeeds(tile);
    succeeds(detile);
    CHECK(read_text(folder / "back") == rows);
    CHECK(read_text(folder / "tiled").substr(8448 * 4999, 8192) == rows.substr(8192 * 4999));
}

TEST_CASE("ktx-parse reads the KTX2 file that detile writes, and tile reads the one that ktx-parse writes") {
    if (!judges_are_here()) return;
    const Files files;
    const Ended read = ktx_parse({"read", files / "a.ktx2", files / "levels"});
    CAPTURE(read.err);
    REQUIRE(read.code == 0);
    const json header = parse(read);
    CHECK(header["vkFormat"] == 37);
    CHECK(header["typeSize"] == 1);
    CHECK(header["pixelWidth"] == files.of.extent_px[0]);
    CHECK(header["pixelHeight"] == files.of.extent_px[1]);
    CHECK(header["pixelDepth"] == 0);
    CHECK(header["layerCount"] == files.of.layers);
    CHECK(header["faceCount"] == 1);
    CHECK(header["supercompressionScheme"] == 0);
    CHECK(header["levels"].size() == files.of.levels);
    CHECK(header["writer"].get<std::string>().starts_with("tilewise "));
    const json descriptor = header["dataFormatDescriptor"][0];
    CHECK(descriptor["colorModel"] == 1);
    CHECK(descriptor["transferFunction"] == 1);
    CHECK(descriptor["bytesPlane"][0] == 4);
    CHECK(descriptor["samples"].size() == 4);
    for (unsigned i = 0; i < 4; i++) {
        CHECK(descriptor["samples"][i]["bitOffset"] == 8 * i);
        CHECK(descriptor["samples"][i]["bitLength"] == 7);  // as in the file: one less
        CHECK(descriptor["samples"][i]["channelType"] == (i == 3 ? 15U : i));
        CHECK(descriptor["samples"][i]["sampleUpper"] == 255);
    }
    CHECK(files.text("levels") == by_level(files.of, files.rows));

    json own = {{"levels", header["levels"]}};
    for (const char* name : {"vkFormat", "typeSize", "pixelWidth", "pixelHeight", "pixelDepth", "layerCount",
                             "levelCount", "faceCount", "dataFormatDescriptor"})
        own[name] = header[name];
    const Ended written = ktx_parse({"write", files / "own.ktx2", files / "levels", own.dump()});
    CAPTURE(written.err);
    REQUIRE(written.code == 0);
    files.convert("tile", "own.ktx2", "again");
    CHECK(files.text("again") == files.text("tiled"));
}

TEST_CASE(
    "formats of all kinds have a descriptor that ktx-parse reads, with the block's size and the transfer function") {
    if (!judges_are_here()) return;
    struct ExpectedFile {
        const char* format;
        unsigned vk, model, samples, bytes, block, transfer, type_size;
    };
    for (const ExpectedFile& e : {ExpectedFile{"BC1_RGBA_UNORM_BLOCK", 133, 128, 1, 8, 4, 1, 1},
                                  {"BC3_SRGB_BLOCK", 138, 130, 2, 16, 4, 2, 1},
                                  {"BC6H_SFLOAT_BLOCK", 144, 133, 1, 16, 4, 1, 1},
                                  {"ETC2_R8G8B8A8_UNORM_BLOCK", 151, 161, 2, 16, 4, 1, 1},
                                  {"ASTC_8x6_SRGB_BLOCK", 170, 162, 1, 16, 8, 2, 1},
                                  {"R16G16B16A16_SFLOAT", 97, 1, 4, 8, 1, 1, 2},
                                  {"A2B10G10R10_UNORM_PACK32", 64, 1, 4, 4, 1, 1, 4},
                                  {"E5B9G9R9_UFLOAT_PACK32", 123, 1, 6, 4, 1, 1, 4},
                                  {"R8_SNORM", 10, 1, 1, 1, 1, 1, 1},
                                  {"D32_SFLOAT", 126, 1, 1, 4, 1, 1, 4}}) {
        CAPTURE(e.format);
        const Folder folder;
        write_text(folder / "tiled", noise(1 << 16));
        succeeds({"detile", folder / "tiled", folder / "a.ktx2", "--pattern", "linear", "--format", e.format,
                  "--extent", "20x12"});
        const Ended read = ktx_parse({"read", folder / "a.ktx2", folder / "levels"});
        REQUIRE(read.code == 0);
        const json header = parse(read), descriptor = header["dataFormatDescriptor"][0];
        CHECK(header["vkFormat"] == e.vk);
        CHECK(header["typeSize"] == e.type_size);
        CHECK(header["layerCount"] == 0);
        CHECK(descriptor["colorModel"] == e.model);
        CHECK(descriptor["samples"].size() == e.samples);
        CHECK(descriptor["bytesPlane"][0] == e.bytes);
        CHECK(descriptor["texelBlockDimension"][0] == e.block - 1);
        CHECK(descriptor["transferFunction"] == e.transfer);
        succeeds({"tile", folder / "a.ktx2", folder / "back", "--pattern", "linear"});
        CHECK(read_text(folder / "tiled").starts_with(read_text(folder / "back")));
    }
}

TEST_CASE("DDS holds the rows as they are; Pillow shows the picture that detile wrote, and tile reads Pillow's") {
    if (!judges_are_here()) return;
    const Files files;
    CHECK(files.text("a.dds").substr(148) == files.rows);
    files.convert("tile", "a.dds", "again");
    CHECK(files.text("again") == files.text("tiled"));
    const auto python = [&](const std::string& code) {
        const Ended ended = run({"/usr/bin/python3", "-c", "from PIL import Image\nimport sys\n" + code,
                                 files / "a.dds", files / "pixels", files / "own.dds"});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
    };
    python(
        "i = Image.open(sys.argv[1]); open(sys.argv[2], 'wb').write(i.convert('RGBA').tobytes()); "
        "i.convert('RGBA').save(sys.argv[3])");
    CHECK(files.text("pixels") == files.rows.substr(0, bytes_of_level(files.of, 0)));
    // Pillow writes level 0 alone, BGRA by masks.
    const std::string extent = fmt::format("{}x{}", files.of.extent_px[0], files.of.extent_px[1]);
    succeeds({"tile", files / "own.dds", files / "linear", "--pattern", "linear"});
    std::string swapped = files.rows.substr(0, bytes_of_level(files.of, 0));
    for (size_t i = 0; i < swapped.size(); i += 4) std::swap(swapped[i], swapped[i + 2]);
    const std::string linear = files.text("linear");
    const bool as_rgba = linear == files.text("pixels");
    CHECK((as_rgba || linear == swapped));
}

TEST_CASE("cubes, arrays of them, arrays and volumes go both ways between KTX2 and ktx-parse") {
    if (!judges_are_here()) return;
    struct Kind {
        const char* extent;
        uint32_t levels, layers;
        const char* flags;
        uint32_t layer_count, faces, depth;
    };
    for (const Kind& kind : {Kind{"16x16", 5, 6, "cube-compatible", 0, 6, 0},
                             {"16x16", 3, 12, "cube-compatible", 2, 6, 0},
                             {"20x12", 2, 5, "", 5, 1, 0},
                             {"20x12x9", 4, 1, "", 0, 1, 9}}) {
        CAPTURE(kind.extent);
        CAPTURE(kind.layers);
        ImageLayout of;
        of.levels = kind.levels;
        of.layers = kind.layers;
        of.extent_px = {kind.depth == 0 && kind.faces == 6 ? 16U : 20U, kind.faces == 6 ? 16U : 12U,
                        std::max(kind.depth, 1U)};
        const Folder folder;
        const std::string rows = noise(bytes_of_layer(of) * of.layers);
        write_text(folder / "rows", rows);
        const auto convert = [&](const char* verb, const char* from, const char* to, bool says_which) {
            Command command = {verb, folder / from, folder / to, "--pattern", "linear", "--assume"};
            if (says_which)
                for (const std::string& more : Command{"--format", "R8G8B8A8_UNORM", "--extent", kind.extent,
                                                       "--levels", std::to_string(kind.levels), "--layers",
                                                       std::to_string(kind.layers), "--flags", kind.flags})
                    command.push_back(more);
            succeeds(command);
            return read_text(folder / to);
        };
        const std::string tiled = convert("tile", "rows", "tiled", true);
        convert("detile", "tiled", "a.ktx2", true);
        const Ended read = ktx_parse({"read", folder / "a.ktx2", folder / "levels"});
        CAPTURE(read.err);
        REQUIRE(read.code == 0);
        const json header = parse(read);
        CHECK(header["layerCount"] == kind.layer_count);
        CHECK(header["faceCount"] == kind.faces);
        CHECK(header["pixelDepth"] == kind.depth);
        CHECK(header["levels"].size() == kind.levels);
        CHECK((read_text(folder / "levels") == by_level(of, rows)));

        json own = header;
        own.erase("writer");
        const Ended written = ktx_parse({"write", folder / "own.ktx2", folder / "levels", own.dump()});
        CAPTURE(written.err);
        REQUIRE(written.code == 0);
        CHECK((convert("tile", "own.ktx2", "again", false) == tiled));

        // DDS puts layer after layer, as rows do.
        convert("detile", "tiled", "a.dds", true);
        const std::string dds = read_text(folder / "a.dds");
        CHECK((dds.substr(dds.size() - rows.size()) == rows));
        CHECK((convert("tile", "a.dds", "again", false) == tiled));
        const std::string info = run({"nvddsinfo", folder / "a.dds"}).out;
        CAPTURE(info);
        CHECK(info.find(fmt::format("Mipmap count: {}\n", kind.levels)) != std::string::npos);
        CHECK(info.find(fmt::format("Depth: {}\n", kind.depth)) != std::string::npos);
        CHECK((info.find("DDSCAPS2_CUBEMAP_ALL_FACES") != std::string::npos) == (kind.faces == 6));
        CHECK((info.find("DDSCAPS2_VOLUME") != std::string::npos) == (kind.depth > 0));
        // The older header holds one image, cube or volume.
        CHECK((info.find("DX10") != std::string::npos) == (kind.layer_count > 0));
        if (kind.layer_count > 0) {
            CHECK(info.find(fmt::format("Array size: {}\n", kind.layer_count)) != std::string::npos);
            CHECK(info.find(kind.faces == 6 ? "Misc flag: 4\n" : "Misc flag: 0\n") != std::string::npos);
        }
    }
}

namespace {

/// A block all of whose texels decode to the colour, which 5, 6 and 5 bits hold.
std::string solid_block(const std::string& format, unsigned r5, unsigned g6, unsigned b5) {
    const unsigned packed = r5 << 11 | g6 << 5 | b5;
    const std::string color = {char(packed), char(packed >> 8), char(packed), char(packed >> 8), 0, 0, 0, 0};
    const auto one_channel = [](unsigned value) { return std::string(2, char(value)) + std::string(6, '\0'); };
    if (format.starts_with("BC1")) return color;
    if (format.starts_with("BC2")) return std::string(8, '\xff') + color;
    if (format.starts_with("BC3")) return one_channel(0xff) + color;
    if (format.starts_with("BC4")) return one_channel(r5 << 3);
    if (format.starts_with("BC5")) return one_channel(r5 << 3) + one_channel(g6 << 2);
    // BC7's mode 6: twice R, G, B, A of 7 bits from bit 7 on, two bits that follow all, and indices.
    uint64_t low = 1 << 6, high = 0;
    unsigned at = 7;
    for (unsigned channel : {r5 << 2, g6 << 1, b5 << 2, 127U})
        for (int end = 0; end < 2; end++, at += 7) {
            low |= uint64_t{channel} << at;
            if (at > 57) high |= uint64_t{channel} >> (64 - at);
        }
    std::string block(16, '\0');
    std::memcpy(block.data(), &low, 8);
    std::memcpy(block.data() + 8, &high, 8);
    return block;
}

}  // namespace

TEST_CASE("the type of image that a file is of is that of the layout: a volume of one slice is tiled as a volume") {
    const Folder folder;
    write_text(folder / "rows", noise(64 * 64 * 4));
    const Command of_3d = {"--gpu",    "RX 6800", "--format",     "R8G8B8A8_UNORM",
                           "--extent", "64x64x1", "--image-type", "3D"};
    succeeds(Command{"tile", folder / "rows", folder / "tiled"} + of_3d);
    succeeds(Command{"detile", folder / "tiled", folder / "a.ktx2"} + of_3d);
    succeeds({"tile", folder / "a.ktx2", folder / "again", "--gpu", "RX 6800"});
    CHECK(read_text(folder / "again") == read_text(folder / "tiled"));
    succeeds({"tile", folder / "rows", folder / "as_2d", "--gpu", "RX 6800", "--format", "R8G8B8A8_UNORM", "--extent",
              "64x64"});
    CHECK(read_text(folder / "as_2d") != read_text(folder / "tiled"));
    const Ended refused =
        run(tilewise::tilewise({"tile", folder / "a.ktx2", folder / "none", "--gpu", "RX 6800", "--image-type", "2D"}));
    CHECK(refused.code == 2);
    CHECK(refused.err.find("is of another image: R8G8B8A8_UNORM 64x64x1, 3D, 1 level, 1 layer") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder / "none"));
}

TEST_CASE("each block of BC formats is shown where it stood, by NVIDIA Texture Tools or by Pillow") {
    if (!judges_are_here()) return;
    constexpr unsigned across = 9, down = 5;
    for (const std::string format : {"BC1_RGBA_UNORM_BLOCK", "BC2_UNORM_BLOCK", "BC3_UNORM_BLOCK", "BC4_UNORM_BLOCK",
                                     "BC5_UNORM_BLOCK", "BC7_UNORM_BLOCK"}) {
        CAPTURE(format);
        const Folder folder;
        std::string rows;
        for (unsigned i = 0; i < across * down; i++) rows += solid_block(format, i % 31, i, 31 - i % 31);
        const size_t block_B = rows.size() / (across * down);
        rows += std::string(block_B * (5 * 3 + 3 * 2 + 1), '\0');  // three more levels
        write_text(folder / "linear", rows);
        const std::string extent = fmt::format("{}x{}", 4 * across, 4 * down);
        succeeds({"detile", folder / "linear", folder / "a.dds", "--pattern", "linear", "--format", format, "--extent",
                  extent, "--levels", "4", "--assume"});
        const bool by_pillow = format.starts_with("BC7");
        if (!by_pillow) REQUIRE(run({"env", "-C", folder.path.string(), "nvdecompress", "a.dds"}).code == 0);
        const Ended shown = run({"/usr/bin/python3", "-c",
                                 "from PIL import Image\nimport sys\n"
                                 "i = Image.open(sys.argv[1]).convert('RGBA')\n"
                                 "print(*i.size, *(v for y in range(1, i.height, 4) for x in range(2, i.width, 4)"
                                 " for v in i.getpixel((x, y))))",
                                 folder / (by_pillow ? "a.dds" : "a.tga")});
        CAPTURE(shown.err);
        REQUIRE(shown.code == 0);
        std::istringstream values(shown.out);
        unsigned width = 0, height = 0, wrong = 0;
        values >> width >> height;
        CHECK(width == 4 * across);
        CHECK(height == 4 * down);
        for (unsigned i = 0; i < across * down; i++) {
            int r = 0, g = 0, b = 0, a = 0;
            values >> r >> g >> b >> a;
            // The lower bits may be filled in where a channel has 5 or 6.
            wrong += r >> 3 != static_cast<int>(i % 31);
            if (!format.starts_with("BC4")) wrong += g >> 2 != static_cast<int>(i);
            if (format[2] != '4' && format[2] != '5') wrong += b >> 3 != static_cast<int>(31 - i % 31);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("tile reads the levels, cubes and volumes that NVIDIA Texture Tools write, and detile writes the like") {
    if (!judges_are_here()) return;
    const Folder folder;
    const auto in_folder = [&](const Command& arguments) {
        Command command = {"env", "-C", folder.path.string()};
        command.insert(command.end(), arguments.begin(), arguments.end());
        const Ended ended = run(command);
        CAPTURE(ended.out);
        REQUIRE(ended.code == 0);
    };
    in_folder({"/usr/bin/python3", "-c",
               "from PIL import Image\nfor i in range(6):\n"
               "  Image.effect_noise((32, 16), 9 + i).convert('RGBA').save(f'{i}.tga')\n"
               "  Image.effect_noise((16, 16), 9 + i).convert('RGBA').save(f'face{i}.tga')"});
    const auto there_and_back = [&](const std::string& theirs, const std::string& format, const Command& image) {
        CAPTURE(format);
        succeeds({"tile", folder / theirs, folder / "linear", "--pattern", "linear", "--assume"});
        const std::string rows = read_text(folder / theirs).substr(128);
        Command command = {"detile",   folder / "linear", folder / "a.dds", "--pattern", "linear",
                           "--assume", "--format",        format,           "--extent"};
        command.insert(command.end(), image.begin(), image.end());
        succeeds(command);
        CHECK((read_text(folder / "a.dds").substr(128) == rows));
        CHECK(run({"nvddsinfo", folder / "a.dds"}).code == 0);
    };
    for (const char* name : {"bc1", "bc2", "bc3", "bc4", "bc5"}) {
        in_folder({"nvcompress", "-nocuda", "-fast", std::string("-") + name, "0.tga", "theirs.dds"});
        there_and_back("theirs.dds",
                       name == std::string("bc1") ? "BC1_RGBA_UNORM_BLOCK" : fmt::format("BC{}_UNORM_BLOCK", name[2]),
                       {"32x16", "--levels", "6"});
    }
    in_folder({"nvassemble", "-cube", "face0.tga", "face1.tga", "face2.tga", "face3.tga", "face4.tga", "face5.tga"});
    there_and_back("output.dds", "B8G8R8A8_UNORM", {"16x16", "--layers", "6", "--flags", "cube-compatible"});
    // Debian's nvassemble writes the header of a cube for a volume, too.
    in_folder({"nvassemble", "-volume", "0.tga", "1.tga", "2.tga", "3.tga", "4.tga", "5.tga"});
    fails(folder, {"tile", folder / "output.dds", folder / "no", "--pattern", "linear", "--assume"}, 1, "not square");
}

TEST_CASE("a file that is not what its header says, or of another image, is refused in one line without an output") {
    const Files files;
    const Command by = {"--layout", navi21};
    const auto refuses = [&](const char* name, const std::string& bytes, const std::string& mentions) {
        write_text(files / name, bytes);
        fails(files, {"tile", files / name, files / "out", "--layout", navi21}, 1, mentions);
    };
    for (const char* name : {"a.ktx2", "a.dds"}) {
        CAPTURE(name);
        const std::string good = files.text(name);
        const std::string bad = std::string("bad") + (std::strchr(name, 'k') ? ".ktx2" : ".dds");
        refuses(bad.c_str(), good.substr(0, good.size() - 1), "header says");
        refuses(bad.c_str(), good + "x", "header says");
        refuses(bad.c_str(), good.substr(0, 100), "");
        refuses(bad.c_str(), "", "");
        refuses(bad.c_str(), "x" + good.substr(1), "is not a ");
    }
    const auto patched = [&](const char* name, size_t at, uint32_t value) {
        std::string bytes = files.text(name);
        std::memcpy(bytes.data() + at, &value, sizeof value);
        return bytes;
    };
    refuses("bad.ktx2", patched("a.ktx2", 12, 4711), "VkFormat 4711");
    refuses("bad.ktx2", patched("a.ktx2", 12, 0), "VkFormat 0");
    refuses("bad.ktx2", patched("a.ktx2", 20, 0), "no such extent");
    refuses("bad.ktx2", patched("a.ktx2", 20, 0xffffffff), "no such extent");
    refuses("bad.ktx2", patched("a.ktx2", 32, 0xffffffff), "layers");
    refuses("bad.ktx2", patched("a.ktx2", 36, 5), "5 faces");
    refuses("bad.ktx2", patched("a.ktx2", 40, 30), "30 levels");
    refuses("bad.ktx2", patched("a.ktx2", 44, 2), "supercompressed (Zstandard)");
    refuses("bad.ktx2", patched("a.ktx2", 48, 0xfffffff0), "outside of it");
    refuses("bad.ktx2", patched("a.ktx2", 80, 0), "level 0 begins at byte 0");
    refuses("bad.ktx2", patched("a.ktx2", 88, 4), "level 0 has 4 bytes and needs");
    refuses("bad.dds", patched("a.dds", 132, 2), "1D image of");
    refuses("bad.dds", patched("a.dds", 136, 4), "not square");
    refuses("bad.dds", patched("a.dds", 132, 4), "do not say that it has a depth");
    refuses("bad.dds", patched("a.dds", 128, 4711), "DXGI format 4711");
    refuses("bad.dds", patched("a.dds", 16, 0), "no such extent");
    refuses("bad.dds", patched("a.dds", 140, 0), "0 layers");
    refuses("bad.dds", patched("a.dds", 28, 40), "40 levels");
    refuses("bad.dds", patched("a.dds", 84, 0x30315844 + 1), "pixel format");

    // DDPF_PALETTEINDEXED8 has the 8 bits of R8, but names colours.
    std::string palette = "DDS " + std::string(124, '\0') + std::string(256, 'x');
    const auto put = [&](size_t at, uint32_t value) { std::memcpy(palette.data() + at, &value, sizeof value); };
    for (const auto& [at, value] : std::vector<std::pair<size_t, uint32_t>>{
             {4, 124}, {8, 0x1007}, {12, 16}, {16, 16}, {76, 32}, {80, 0x20}, {88, 8}, {92, 0xff}, {108, 0x1000}})
        put(at, value);
    refuses("bad.dds", palette, "pixel format");
    put(80, 0x20000);
    write_text(files / "gray.dds", palette);
    CHECK(run(tilewise::tilewise({"tile", files / "gray.dds", files / "out", "--pattern", "linear"})).code == 0);
    std::filesystem::remove(files / "out");

    write_text(files / "bad.ktx2", files.text("a.ktx2"));
    fails(files, {"tile", files / "a.ktx2", files / "out", "--pattern", "linear", "--format", "R8G8B8A8_SRGB"}, 2,
          "is of another image");
    fails(files, {"tile", files / "a.ktx2", files / "out", "--pattern", "linear", "--extent", "8x8"}, 2,
          "is of another image");
    fails(files, {"tile", files / "a.ktx2", files / "out", "--pattern", "linear", "--levels", "1"}, 2,
          "is of another image");
    fails(files, {"tile", files / "rows", files / "out", "--container", "png", "--layout", navi21}, 2, "container");
    fails(files,
          {"detile", files / "tiled", files / "out.dds", "--pattern", "linear", "--extent", "4x4", "--format",
           "ASTC_4x4_UNORM_BLOCK"},
          1, "write KTX2 instead");
    fails(files, {"detile", files / "tiled", files / "out.ktx2", "--layout", navi21, "--aspect", "depth"}, 2,
          "no aspect depth");
}

namespace {

/// A change of a good file's header, what the specification asks there, and what is said; "" where it is harmless:
/// then `asks` says why.
struct Mutation {
    const char* asks;
    std::vector<std::pair<size_t, uint32_t>> words;
    std::string says;
};

std::string mutated(std::string bytes, const Mutation& mutation) {
    for (const auto& [at, value] : mutation.words) std::memcpy(bytes.data() + at, &value, sizeof value);
    return bytes;
}

/// Each is refused in a line that names it, or gives what the good file gives.
void requirements_hold(const Folder& folder, const std::string& good, const std::string& name,
                       const std::vector<Mutation>& mutations) {
    write_text(folder / ("good." + name), good);
    succeeds({"tile", folder / ("good." + name), folder / "expected", "--pattern", "linear", "--assume"});
    for (const Mutation& mutation : mutations) {
        CAPTURE(mutation.asks);
        const std::string bad = folder / ("bad." + name);
        write_text(bad, mutated(good, mutation));
        const Command tile = {"tile", bad, folder / "out", "--pattern", "linear", "--assume"};
        if (mutation.says.empty()) {
            succeeds(tile);
            CHECK((read_text(folder / "out") == read_text(folder / "expected")));
            std::filesystem::remove(folder / "out");
            std::filesystem::remove(bad);
        } else {
            fails(folder, tile, 1, mutation.says);
        }
    }
}

/// Rows of an image as a file of that kind.
std::string texture(const Folder& folder, const std::string& name, const std::string& format, const Command& image) {
    write_text(folder / "memory", noise(1 << 16));
    succeeds(
        Command{"detile", folder / "memory", folder / name, "--pattern", "linear", "--assume", "--format", format} +
        image);
    const std::string bytes = read_text(folder / name);
    std::filesystem::remove(folder / name);
    std::filesystem::remove(folder / "memory");
    return bytes;
}

}  // namespace

TEST_CASE("KTX2: each requirement of the specification on a header's fields is refused by its name, or harmless") {
    const Folder folder;
    // The fields, from byte 12 on: 12 vkFormat, 16 typeSize, 20 pixelWidth, 24 pixelHeight, 28 pixelDepth, 32 layerCount,
    // 36 faceCount, 40 levelCount, 44 supercompressionScheme, 48 dfdByteOffset, 52 dfdByteLength, 56 kvdByteOffset,
    // 60 kvdByteLength, 64 sgdByteOffset, 72 sgdByteLength; 80 the level index. The sections are those of the KTX
    // 2.0 specification, registry.khronos.org/KTX/specs/2.0/ktxspec.v2.html.
    const std::string plain = texture(folder, "a.ktx2", "R8G8B8A8_UNORM", {"--extent", "12x8", "--levels", "2"});
    const auto word = [&](const std::string& bytes, size_t at) {
        uint32_t value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        return value;
    };
    const uint32_t dfd = word(plain, 48), dfd_bytes = word(plain, 52), kvd = word(plain, 56),
                   kvd_bytes = word(plain, 60);
    const uint32_t sample = dfd + 28, block = dfd + 8;
    requirements_hold(
        folder, plain, "ktx2",
        {
            {"identifier: these twelve bytes", {{0, 0x58544baa}}, "is not a KTX2 file"},
            {"vkFormat: a format of Vulkan", {{12, 4711}}, "VkFormat 4711"},
            {"vkFormat: VK_FORMAT_UNDEFINED wants a mapping in the metadata, which is not read",
             {{12, 0}},
             "VkFormat 0"},
            {"vkFormat: not one of the prohibited formats", {{12, 39}}, "which KTX2 prohibits"},
            {"typeSize: the bytes of a component of unpacked formats", {{16, 4}}, "typeSize of 4"},
            {"typeSize: never 0", {{16, 0}}, "typeSize of 0"},
            {"dimensions: pixelWidth is not 0", {{20, 0}}, "no such extent"},
            {"dimensions: no depth without a height", {{24, 0}, {28, 2}}, "no such extent"},
            {"dimensions: sides of images that there are", {{20, 0xffffffff}}, "no such extent"},
            {"dimensions: cubes are square", {{36, 6}}, "not square"},
            {"dimensions: cubes have no depth", {{20, 8}, {28, 2}, {36, 6}}, "not square"},
            {"layerCount: arrays of 3D images are allowed, and no graphics API has them",
             {{28, 2}, {32, 2}},
             "array of 3D images"},
            {"layerCount: 0 where there is no array; an array of one image has the same bytes", {{32, 1}}, ""},
            {"layerCount: as many as images have", {{32, 0xffffffff}}, "layers"},
            {"faceCount: 6 or 1", {{36, 5}}, "5 faces"},
            {"faceCount: never 0", {{36, 0}}, "0 faces"},
            {"levelCount: no more than the largest side has", {{40, 30}}, "30 levels"},
            {"levelCount: 32 bits", {{40, 0xffffffff}}, "levels"},
            {"supercompressionScheme: packed files are named", {{44, 2}}, "supercompressed (Zstandard)"},
            {"supercompressionScheme: reserved numbers", {{44, 0xffff}}, "supercompressed (unknown)"},
            {"dfdByteOffset: behind the level index", {{48, 80}}, "a data format descriptor outside of it"},
            {"dfdByteOffset: in the file", {{48, 0xfffffff0}}, "a data format descriptor outside of it"},
            {"dfdByteLength: there is a descriptor", {{48, 0}, {52, 0}}, "no data format descriptor"},
            {"dfdByteLength: equals dfdTotalSize", {{52, dfd_bytes - 4}}, "it says another length"},
            {"dfdTotalSize: equals dfdByteLength", {{dfd, dfd_bytes + 4}}, "it says another length"},
            {"dfdTotalSize: kvdByteOffset - dfdByteOffset", {{56, kvd + 4}, {60, kvd_bytes - 4}}, "do not follow"},
            {"DFD: the basic block of Khronos", {{dfd + 4, 5}}, "is not the basic one"},
            {"DFD: the block's size is that of its samples", {{block, 2 | 25 << 16}}, "no number of samples"},
            {"DFD restrictions: texelBlockDimension as the format's", {{dfd + 16, 3}}, "other sides"},
            {"DFD restrictions: bytesPlane0 as the format's", {{dfd + 20, 8}}, "other bytes than 4"},
            {"DFD restrictions: bytesPlane4 as the format's", {{dfd + 24, 1}}, "other bytes than 4"},
            {"DFD restrictions: samples lie in the texel block",
             {{sample, 32 | 7 << 16}},
             "outside of the texel block"},
            {"DFD restrictions: colorPrimaries are free, and change no byte", {{dfd + 12, 1 | 4 << 8 | 1 << 16}}, ""},
            {"DFD restrictions: transferFunction should not be sRGB's, and changes no byte",
             {{dfd + 12, 1 | 1 << 8 | 2 << 16}},
             ""},
            {"DFD: premultiplied alpha is a flag, and changes no byte",
             {{dfd + 12, 1 | 1 << 8 | 1 << 16 | 1 << 24}},
             ""},
            {"kvdByteOffset: 0 where kvdByteLength is 0", {{60, 0}}, "of no length"},
            {"kvdByteLength: 0 where kvdByteOffset is 0", {{56, 0}}, "of no length"},
            {"Key/Value Data: padded pairs add up to kvdByteLength", {{kvd, kvd_bytes}}, "a pair of"},
            {"keyAndValueByteLength: at least 2", {{kvd, 1}}, "a pair of 1 bytes"},
            {"keyAndValue: a key is not empty", {{kvd + 4, 0}}, "a key that is empty"},
            {"sgdByteOffset: 0 where sgdByteLength is 0", {{64, 80}}, "has global data"},
            {"sgdByteLength: 0 without supercompression", {{72, 4}}, "has global data"},
            {"levels[p].byteOffset: the smallest level first, aligned", {{80, 0}}, "level 0 begins at byte 0"},
            {"levels[p].byteOffset: a multiple of lcm(block, 4)", {{80, word(plain, 80) + 2}}, "level 0 begins at"},
            {"levels[p].byteLength: all layers, faces, slices and rows", {{88, 4}}, "level 0 has 4 bytes and needs"},
            {"levels[p].uncompressedByteLength: the same without supercompression", {{96, 4}}, "nothing is packed"},
        });
    const std::string blocks =
        texture(folder, "b.ktx2", "BC1_RGBA_UNORM_BLOCK", {"--extent", "8x8", "--image-type", "2D"});
    requirements_hold(
        folder, blocks, "ktx2",
        {
            {"dimensions: pixelHeight is not 0 for block-compressed formats", {{24, 0}}, "blocks of two dimensions"},
            {"levelCount: not 0 for block-compressed formats", {{40, 0}}, "has no levels"},
            {"typeSize: 1 for _BLOCK", {{16, 8}}, "typeSize of 8"},
            {"DFD restrictions: colorModel of the compressed format",
             {{word(blocks, 48) + 12, 129 | 1 << 8 | 1 << 16}},
             "its color model"},
        });
    const std::string srgb = texture(folder, "c.ktx2", "R8G8B8A8_SRGB", {"--extent", "8x8"});
    requirements_hold(folder, srgb, "ktx2",
                      {{"levelCount: 0 asks loaders to make levels; level 0 is there", {{40, 0}}, ""},
                       {"DFD restrictions: transferFunction of _SRGB formats",
                        {{word(srgb, 48) + 12, 1 | 1 << 8 | 1 << 16}},
                        "is not sRGB's"}});
    const std::string depth = texture(folder, "d.ktx2", "D16_UNORM", {"--extent", "8x8"});
    requirements_hold(folder, depth, "ktx2",
                      {{"dimensions: pixelDepth is 0 for depth and stencil formats", {{28, 1}}, "has a depth of 1"},
                       {"typeSize: 2 for D16_UNORM", {{16, 1}}, "typeSize of 1"}});

    // Keys: twice the same one, and one that nothing ends.
    const auto with_pairs = [&](const std::string& pairs) {
        std::string bytes = srgb;
        const uint32_t at = word(bytes, 56), before = word(bytes, 60), from = word(bytes, 80);
        const uint32_t length = static_cast<uint32_t>(pairs.size()), moved = (at + length + 3) / 4 * 4;
        bytes = bytes.substr(0, at) + pairs + std::string(moved - at - length, '\0') + bytes.substr(from);
        std::memcpy(&bytes[60], &length, 4);
        std::memcpy(&bytes[80], &moved, 4);
        CHECK(before > 0);
        return bytes;
    };
    const auto pair = [](std::string text) {
        const auto length = static_cast<uint32_t>(text.size());
        text.resize((text.size() + 3) / 4 * 4);
        return std::string(reinterpret_cast<const char*>(&length), 4) + text;
    };
    const std::string a("a\0x", 3), b("b\0y", 3);
    write_text(folder / "bad.ktx2", with_pairs(pair(a) + pair(b)));
    succeeds({"tile", folder / "bad.ktx2", folder / "out", "--pattern", "linear"});
    for (const auto& [pairs, says] :
         std::vector<std::pair<std::string, std::string>>{{pair(a) + pair(a), "has the key a twice"},
                                                          {pair("abcd"), "that no zero byte ends"},
                                                          {pair(a) + "\2\0\0", "ends within the length"}}) {
        write_text(folder / "bad.ktx2", with_pairs(pairs));
        fails(folder, {"tile", folder / "bad.ktx2", folder / "none", "--pattern", "linear"}, 1, says);
    }
}

TEST_CASE("DDS: the pixel formats of older files, by the masks that Direct3D 9's documentation gives them") {
    // D3DFORMAT of learn.microsoft.com, and the DXGI format that its programming guide for DDS has for each.
    struct Old {
        const char* name;
        uint32_t flags, bits;
        std::array<uint32_t, 4> masks;
        const char* format;
    };
    constexpr uint32_t rgb = 0x40, alpha = 1, luminance = 0x20000;
    const Old formats[] = {
        {"X8R8G8B8", rgb, 32, {0xff0000, 0xff00, 0xff, 0}, "B8G8R8A8_UNORM"},
        {"X8B8G8R8", rgb, 32, {0xff, 0xff00, 0xff0000, 0}, "R8G8B8A8_UNORM"},
        {"A2B10G10R10", rgb | alpha, 32, {0x3ff, 0xffc00, 0x3ff00000, 0xc0000000}, "A2B10G10R10_UNORM_PACK32"},
        {"G16R16", rgb, 32, {0xffff, 0xffff0000, 0, 0}, "R16G16_UNORM"},
        {"A1R5G5B5", rgb | alpha, 16, {0x7c00, 0x3e0, 0x1f, 0x8000}, "A1R5G5B5_UNORM_PACK16"},
        {"A4R4G4B4", rgb | alpha, 16, {0xf00, 0xf0, 0xf, 0xf000}, "A4R4G4B4_UNORM_PACK16"},
        {"L16", luminance, 16, {0xffff, 0, 0, 0}, "R16_UNORM"},
        {"A8L8", luminance | alpha, 16, {0xff, 0, 0, 0xff00}, "R8G8_UNORM"},
    };
    const Folder folder;
    for (const Old& old : formats) {
        CAPTURE(old.name);
        std::array<uint32_t, 32> header = {0x20534444, 124, 0x1007, 4, 8};
        header[19] = 32;
        header[20] = old.flags;
        header[22] = old.bits;
        std::ranges::copy(old.masks, header.begin() + 23);
        header[27] = 0x1000;
        std::string file(reinterpret_cast<const char*>(header.data()), sizeof header);
        const std::string rows = noise(8 * 4 * old.bits / 8);
        write_text(folder / "old.dds", file + rows);
        const auto tiled = [&](const char* format) {
            return run(tilewise::tilewise(
                           {"tile", folder / "old.dds", folder / "tiled", "--pattern", "linear", "--format", format}))
                .code;
        };
        CHECK(tiled(old.format) == 0);
        CHECK(read_text(folder / "tiled") == rows);
        CHECK(tiled("R32G32_SFLOAT") == 2);
    }
}

TEST_CASE("DDS: each requirement of the documentation on a header's fields is refused by its name, or harmless") {
    const Folder folder;
    // learn.microsoft.com/windows/win32/direct3ddds: DDS_HEADER (4 dwSize, 8 dwFlags, 12 dwHeight, 16 dwWidth, 20
    // dwPitchOrLinearSize, 24 dwDepth, 28 dwMipMapCount, 108 dwCaps, 112 dwCaps2), DDS_PIXELFORMAT (76 dwSize, 80
    // dwFlags, 84 dwFourCC, 88 dwRGBBitCount, 92 masks), DDS_HEADER_DXT10 (128 dxgiFormat, 132 resourceDimension,
    // 136 miscFlag, 140 arraySize, 144 miscFlags2).
    const std::string plain = texture(folder, "a.dds", "R8G8B8A8_UNORM", {"--extent", "12x8", "--levels", "2"});
    requirements_hold(
        folder, plain, "dds",
        {
            {"the magic number", {{0, 0x21534444}}, "is not a DDS file"},
            {"DDS_HEADER: dwSize is 124", {{4, 123}}, "another size"},
            {"DDS_PIXELFORMAT: dwSize is 32", {{76, 31}}, "another size"},
            {"DDS_HEADER: readers do not rely on the flags of caps, pixel format and levels", {{8, 0xe}}, ""},
            {"DDS_HEADER: readers compute the pitch themselves", {{20, 1}}, ""},
            {"DDS_HEADER: dwCaps is for programs that place surfaces; some writers leave it out", {{108, 0}}, ""},
            {"DDS_HEADER: a width", {{16, 0}}, "no such extent"},
            {"DDS_HEADER: a height", {{12, 0}}, "no such extent"},
            {"DDS_HEADER: sides of images that there are", {{12, 0xffffffff}}, "no such extent"},
            {"DDS_HEADER: levels that the sides have", {{28, 40}}, "40 levels"},
            {"DDS_HEADER: the levels that are there", {{28, 3}}, "header says"},
            {"DDS_HEADER: a depth is a volume's", {{8, 0x821007}, {24, 2}}, "is not a volume"},
            {"DDS_HEADER: dwDepth counts only with DDSD_DEPTH", {{24, 2}}, ""},
            {"DDS_HEADER: volumes have DDSD_DEPTH", {{24, 2}, {112, 0x200000}}, "do not say that it has a depth"},
            {"DDS_HEADER: cubes have all six faces", {{112, 0x200}}, "without all its faces"},
            {"DDS_HEADER: cubes are square", {{112, 0xfe00}}, "not square"},
            {"DDS_HEADER: a cube is no volume", {{8, 0x821007}, {24, 1}, {112, 0x20fe00}}, "3D image with layers"},
            {"DDS_PIXELFORMAT: a FourCC that is known", {{80, 4}, {84, 0x30315845}}, "pixel format"},
            {"DDS_PIXELFORMAT: masks go with the flags", {{80, 0x20000}}, "pixel format"},
            {"DDS_PIXELFORMAT: masks of a known format", {{92, 0xfe}}, "pixel format"},
            {"DDS_PIXELFORMAT: bits of a known format", {{88, 24}}, "pixel format"},
            {"DDS_PIXELFORMAT: DDPF_PALETTEINDEXED8 names colors", {{80, 0x20}, {88, 8}}, "pixel format"},
        });
    const std::string array =
        texture(folder, "b.dds", "R8G8B8A8_SRGB", {"--extent", "8x8", "--layers", "6", "--levels", "2"});
    requirements_hold(
        folder, array, "dds",
        {
            {"DDS_HEADER_DXT10: a DXGI format that is known", {{128, 4711}}, "DXGI format 4711"},
            {"DDS_HEADER_DXT10: DXGI_FORMAT_UNKNOWN is none", {{128, 0}}, "DXGI format 0"},
            {"DDS_HEADER_DXT10: dimensions are 2, 3 and 4", {{132, 1}}, "dimension 1"},
            {"DDS_HEADER_DXT10: dimensions are 2, 3 and 4", {{132, 5}}, "dimension 5"},
            {"DDS_HEADER_DXT10: 1D images have one row", {{132, 2}}, "1D image of 8 rows"},
            {"DDS_HEADER_DXT10: 3D images have DDSD_DEPTH", {{132, 4}, {140, 1}}, "do not say that it has a depth"},
            {"DDS_HEADER_DXT10: arraySize is 1 for 3D images", {{8, 0x821007}, {24, 1}, {132, 4}}, "with layers"},
            {"DDS_HEADER_DXT10: arraySize is not 0", {{140, 0}}, "0 layers"},
            {"DDS_HEADER_DXT10: as many as images have", {{140, 0xffffffff}}, "layers"},
            {"DDS_HEADER_DXT10: arraySize counts cubes, not faces", {{136, 4}}, "header says"},
            {"DDS_HEADER_DXT10: cubes are 2D", {{12, 1}, {132, 2}, {136, 4}}, "not square"},
            {"DDS_HEADER: the older capabilities do not contradict: cube", {{112, 0xfe00}}, "none by its other flags"},
            {"DDS_HEADER: the older capabilities do not contradict: volume",
             {{112, 0x200000}},
             "none by its dimension"},
            {"DDS_HEADER_DXT10: miscFlag has flags of resources beside that of cubes, which move no byte",
             {{136, 1}},
             ""},
            {"DDS_HEADER_DXT10: miscFlags2 says what alpha means", {{144, 2}}, ""},
        });
}
