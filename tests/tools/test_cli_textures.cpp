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
        refuses(bad.c_str(), "x" + good.substr(1), "is no ");
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
    // KTX 2.0, section 3.3: typeSize; 3.4, 3.6, 3.7: sides, layers and faces; 3.9: key/value data; 4: levels.
    refuses("bad.ktx2", patched("a.ktx2", 16, 4), "typeSize of 4");
    refuses("bad.ktx2", patched("a.ktx2", 28, 2), "array of 3D images");
    refuses("bad.ktx2", patched("a.ktx2", 36, 6), "not square");
    refuses("bad.ktx2", patched("a.ktx2", 56, 0), "key/value data of no length");
    refuses("bad.ktx2", patched("a.ktx2", 96, 4), "though nothing is packed");
    refuses("bad.dds", patched("a.dds", 132, 2), "1D image of");
    refuses("bad.dds", patched("a.dds", 136, 4), "not square");
    refuses("bad.dds", patched("a.dds", 132, 4), "3D image with layers");
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
