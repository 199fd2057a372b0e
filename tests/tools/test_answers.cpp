// What an answer may claim of a chip, a driver, a format or a size that nobody probed.
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/model/error.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/model/layout_json.h"
#include "patterns/rules/learn.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include "tools/answers/image/alike_format.h"
#include "tools/answers/image/find_image.h"
#include "tools/answers/image/observed_image.h"
#include "tools/answers/image/said_pattern.h"
#include "tools/answers/pattern/choose_pattern.h"
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sstream>

using namespace tilewise;

namespace {

const db::Database& catalog() {
    static const db::Database database = db::open_catalog();
    return database;
}

ImageQuestion question_of(const std::string& gpu, const std::string& format, const Extent_px& extent,
                          uint32_t levels = 1) {
    ImageQuestion question;
    question.about.gpu = asked_gpu(gpu);
    question.about.format = asked_format(format);
    question.about.extent = extent;
    question.levels = levels;
    return question;
}

FoundImage found(const ImageQuestion& question) {
    Answer<FoundImage> answer = find_image(question, catalog());
    const auto* refusal = std::get_if<Refusal>(&answer);
    CAPTURE((refusal ? refusal->why : ""));
    REQUIRE(!refusal);
    return std::get<FoundImage>(std::move(answer));
}

std::string refusal(const ImageQuestion& question) {
    const Answer<FoundImage> answer = find_image(question, catalog());
    const auto* refused = std::get_if<Refusal>(&answer);
    return refused ? refused->why : "answered";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a chip that several versions of a driver were read on is answered by the newest, and whose it is is said") {
    // NVK 26.2 means to match NVIDIA's driver, which takes 8847360 bytes on an H100; NVK 26.1 took 9830400.
    for (const char* gpu : {"RTX 3060", "GTX 1650", "RTX 2080 Ti", "A100", "RTX 3050 Laptop", "gtx 1660 super"}) {
        CAPTURE(gpu);
        ImageQuestion question = question_of(gpu, "RGBA8", {1920, 1080, 1});
        const FoundImage newest = found(question);
        CHECK(newest.image.bytes == 8847360);
        CHECK(says(newest.image.evidence, "Mesa 26.2"));
        CHECK(says(newest.said, "this is from Mesa's driver NVK; NVIDIA's own was read on NVIDIA H100"));
        question.about.driver = "26.1";
        CHECK(found(question).image.bytes == 9830400);
    }
}

TEST_CASE("NVIDIA's own driver on a chip that it was not read on is assumed with its odds, or refused") {
    ImageQuestion plain = question_of("RTX 3060", "RGBA8", {1920, 1080, 1});
    plain.about.driver = "nvidia";
    const FoundImage assumed = found(plain);
    CHECK(assumed.image.source == LayoutSource::assumed);
    CHECK(assumed.image.bytes == 8847360);
    CHECK(says(assumed.image.evidence, "usual images of this kind"));
    // Blackwell's GOBs of small texels are others.
    ImageQuestion other = question_of("RTX 5090", "R8_UNORM", {1920, 1080, 1});
    other.about.driver = "nvidia";
    CHECK(says(refusal(other), "lays out 0 of "));
    other.assume = true;
    CHECK(found(other).image.source == LayoutSource::assumed);
}

TEST_CASE("a chip of an architecture whose chips seldom agree is refused with the odds") {
    // What decides is the address configuration of each chip: of Navi 22's texels 98% lie elsewhere than Navi 21's.
    for (const char* gpu : {"Xbox Series X", "xbox series s", "Scarlett"}) {
        CAPTURE(gpu);
        ImageQuestion question = question_of(gpu, "RGBA8", {1920, 1080, 1});
        const std::string why = refusal(question);
        CAPTURE(why);
        CHECK(says(why, "pairs of chips of RDNA2 that were probed"));
        CHECK(says(why, "--assume"));
        question.assume = true;
        CHECK(found(question).image.source == LayoutSource::assumed);
    }
}

TEST_CASE("where one chip of an architecture was probed, the odds are those of the vendor's other architectures") {
    for (const char* gpu : {"Strix Halo", "Radeon 8060S", "Krackan", "Radeon 860M"}) {
        CAPTURE(gpu);
        ImageQuestion question = question_of(gpu, "RGBA8", {1920, 1080, 1});
        CHECK(says(refusal(question), "pairs of AMD's chips of the same architecture that were probed"));
        question.assume = true;
        CHECK(found(question).image.source == LayoutSource::assumed);
    }
    // Of Arm no two chips were probed.
    CHECK(says(found(question_of("Mali-G78", "RGBA8", {256, 256, 1})).image.evidence, "is not known"));
}

TEST_CASE(
    "what was not read by Mesa's driver is refused with what was, and with NVIDIA's own driver where that answers") {
    const std::string depth = refusal(question_of("RTX 3080", "D32", {1920, 1080, 1}));
    CHECK(says(depth, "--driver nvidia"));
    ImageQuestion own = question_of("RTX 3080", "D32", {1920, 1080, 1});
    own.about.driver = "nvidia";
    CHECK(found(own).image.source == LayoutSource::assumed);
    const std::string both = refusal(question_of("RX 6800", "D24S8", {1920, 1080, 1}));
    CHECK(says(both, "the depth and stencil formats that were read: D16_UNORM"));
    CHECK(!says(both, "--driver nvidia"));
}

TEST_CASE("where a text defines what nobody read on a chip, the refusal names the mode, and the mode answers") {
    // Layers of Intel's images, and formats that were not read on a Mali.
    constexpr std::tuple<const char*, const char*, uint32_t> modes[] = {
        {"Iris Xe", "I915_FORMAT_MOD_Y_TILED", 2},
        {"Arc A770", "I915_FORMAT_MOD_4_TILED", 2},
        {"Mali-G610", "ARM_16X16_BLOCK_U_INTERLEAVED", 1}};
    for (const auto& [gpu, mode, layers] : modes)
        for (const char* format : {"BC3", "D32"}) {
            ImageQuestion question = question_of(gpu, format, {1024, 1024, 1});
            question.layers = layers;
            const std::string why = refusal(question);
            CAPTURE(why);
            const size_t at = why.find("--modifier ");
            REQUIRE(at != std::string::npos);
            std::istringstream words(why.substr(at));
            std::string option, modifier;
            words >> option >> modifier;
            CHECK(says(modifier, mode));
            const std::string extent = "1024x1024", texel = "37,21";
            const Ended by_hint = run(tilewise::tilewise(
                {"layout", option, modifier, "--format", format, "--extent", extent, "--at", texel}));
            CHECK(by_hint.code == 0);
        }
    // Levels are placed by a driver's own rules; AMD's modes differ by chip, NVIDIA's blocks by image.
    CHECK(!says(refusal(question_of("Arc A770", "BC3", {512, 512, 1}, 10)), "--modifier"));
    CHECK(!says(refusal(question_of("RX 6800", "D24S8", {1920, 1080, 1})), "--modifier"));
    CHECK(!says(refusal(question_of("RTX 3080", "D24S8", {1920, 1080, 1})), "--modifier"));
}

TEST_CASE("what cannot be, is not known, or is another's is not answered as if it were known") {
    ImageQuestion array = question_of("RTX 4090", "RGBA8", {64, 64, 16});
    array.layers = 2;
    CHECK(says(refusal(array), "no 3D image has 2 layers"));
    for (const auto& [samples, levels] : {std::pair{3U, 1U}, {4U, 2U}}) {
        ImageQuestion question = question_of("H100", "RGBA8", {100, 100, 1}, levels);
        question.samples = samples;
        CHECK(says(refusal(question), "samples are 1, 2, 4"));
    }
    ImageQuestion blocks = question_of("RX 6800", "BC7", {256, 256, 1});
    blocks.samples = 4;
    CHECK(says(refusal(blocks), "no image of BC7_UNORM_BLOCK has 4 samples"));
    // Nobody learned rules of D16 and of 1D images on an H100, but on an H200, which has the same chip.
    ImageQuestion line = question_of("H100", "RGBA8", {4096, 1, 1});
    line.type = ImageType::one_d;
    for (const ImageQuestion& question : {question_of("H100", "D16", {200, 20, 1}), line}) {
        const FoundImage of_chip = found(question);
        CHECK(of_chip.image.source == LayoutSource::assumed);
        CHECK(says(of_chip.assumed.front(), "this is how it is on NVIDIA H200"));
    }
    // A layer of Intel's begins within a tile (isl: array pitches are no multiples of tiles).
    ImageQuestion layers = question_of("UHD 770", "RGBA8", {256, 256, 1});
    layers.layers = 4;
    CHECK(says(refusal(layers), "levels, layers and slices of Intel's images"));
    // v3dv, on Mesa's shim of it, asks for these bytes; they are 1920x1080 texels, with no row of blocks more.
    const FoundImage of_pi = found(question_of("Raspberry Pi 5", "RGBA8", {1920, 1080, 1}));
    CHECK(of_pi.image.source == LayoutSource::assumed);
    CHECK(of_pi.image.bytes == 8294400);
    // Xclipse are AMD's RDNA, whose chips are seldom alike.
    CHECK(says(refusal(question_of("Exynos 2200", "RGBA8", {1000, 700, 1})), "pairs of chips of RDNA2"));
    for (const char* word : {"GeForce", "Apple"})
        CHECK(found(question_of(word, "RGBA8", {300, 200, 1})).image.source == LayoutSource::assumed);
    CHECK(found(question_of("RX 6800", "BC2", {300, 200, 1})).image.source == LayoutSource::predicted);
    CHECK(found(question_of("RX 6800", "ETC2_RGB8", {300, 200, 1})).image.source == LayoutSource::assumed);
    CHECK(says(refusal(question_of("Snapdragon 7+ Gen 3", "RGBA8", {1000, 700, 1})), "--assume"));
}

TEST_CASE("strides that are given are no device's, and are of whole tiles") {
    ImageQuestion pitched = question_of("RTX 4090", "RGBA8", {256, 256, 1});
    pitched.strides.pitch = 2048;
    const ImageLayout image = found(pitched).image;
    CHECK(image.source == LayoutSource::given);
    CHECK(image.bytes == 0);
    pitched.strides.pitch = 2000;
    CHECK(says(refusal(pitched), "tiles are 64 bytes wide"));
}

TEST_CASE("a version of NVIDIA's own driver asks for that, not for Mesa's") {
    for (const char* version : {"580.159.04", "535", "nvidia"}) {
        ImageQuestion question = question_of("RTX 4090", "RGBA8", {1920, 1080, 1});
        question.about.driver = version;
        CHECK(says(found(question).image.evidence, "NVIDIA's own driver was read on"));
    }
}

TEST_CASE("NVIDIA's chips before Turing lie as the tests of tegra_swizzle say") {
    CHECK(found(question_of("Tegra X1", "RGBA8", {33, 33, 33})).image.bytes == 368640);
    CHECK(found(question_of("Nintendo Switch", "RGBA8", {200, 60, 1})).image.bytes == 53248);
    CHECK(found(question_of("Nintendo Switch", "RGBA8", {100, 30, 1})).image.bytes == 14336);
    // block_height_mip0(): 85 rows of blocks and half as many are 127, which is below 128; 86 are 129.
    const auto rows_of_block = [](uint32_t height) {
        const ImageLayout image = found(question_of("Nintendo Switch", "BC3", {512, height, 1})).image;
        return image.subresources[0].layout.pattern.tile[axis_y];
    };
    for (const auto& [rows, gobs] :
         {std::pair(10U, 1U), {11, 2}, {21, 2}, {22, 4}, {42, 4}, {43, 8}, {75, 8}, {85, 8}, {86, 16}, {200, 16}})
        CHECK(rows_of_block(4 * rows) == 8 * gobs);
    // A GOB is 64 bytes by 8 rows, in images of two rows of GOBs, too: 10 rows of blocks.
    const auto at_row_8 = [](const char* format, Extent_px extent, uint32_t levels) {
        const ImageLayout image = found(question_of("Nintendo Switch", format, extent, levels)).image;
        const Subresource& level_0 = image.subresources.front();
        return offset_of(level_0.layout, {0, 8, 0, 0}) - level_0.layout.base;
    };
    CHECK(at_row_8("BC7", {4, 40, 1}, 1) == 512);
    CHECK(at_row_8("BC1", {12, 36, 1}, 1) == 512);
    CHECK(at_row_8("ASTC_6x6_UNORM_BLOCK", {4, 56, 1}, 4) == 512);
    // swizzled_surface_size(): the levels that the image has, and layers that are multiples of a block.
    ImageQuestion few = question_of("Nintendo Switch", "RGBA8", {512, 300, 1}, 2);
    few.layers = 6;
    CHECK(found(few).image.bytes == 6291456);
    CHECK(found(few).image.subresources[0].layer_stride_B == 1048576);
    CHECK(found(question_of("Tegra X2", "RGBA32F", {64, 64, 1}, 3)).image.bytes == 86016);
    // A 3D image of one slice has blocks as high as those of a 2D image: 4 GOBs for 41 rows.
    ImageQuestion deep = question_of("Nintendo Switch", "RGBA16F", {130, 41, 1});
    deep.type = ImageType::three_d;
    CHECK(found(deep).image.bytes == 69632);
    const ImageLayout levels = found(question_of("Nintendo Switch", "BC3", {512, 512, 1}, 10)).image;
    constexpr uint64_t offsets[] = {0,      262144, 327680, 344064, 348160,
                                    349184, 349696, 350208, 350720, 351232};  // issue 33 of tegra_swizzle
    REQUIRE(levels.subresources.size() == std::size(offsets));
    for (size_t i = 0; i < std::size(offsets); i++) CHECK(levels.subresources[i].layout.base == offsets[i]);
    CHECK(levels.source == LayoutSource::assumed);
    CHECK(found(question_of("GTX 1080", "ASTC_8x8_UNORM_BLOCK", {300, 200, 1})).image.subresources.size() == 1);
    // The catalog's pattern of GM20B is from other texts than its rules.
    CHECK(pattern_id(found(question_of("Tegra X1", "RGBA8", {256, 256, 1})).image.subresources[0].layout.pattern) ==
          "d99d65837184dd94");
}

TEST_CASE("on Adreno an XOR of rows of tiles depends on how many bytes a row takes, whatever the element size") {
    // fd6_tiled_memcpy.cc, get_bank_mask(): with 1-byte elements and highest_bank_bit 16, the second one is on in rows
    // of a multiple of 8192 bytes.
    const auto at = [](const char* gpu, const char* format, Extent_px extent, Coord element) {
        const ImageLayout image = found(question_of(gpu, format, extent)).image;
        CHECK(image.source == LayoutSource::predicted);
        return address_of(image, {image.subresources[0].aspect, 0, 0, element});
    };
    for (const char* gpu : {"Adreno 650", "Adreno 660", "Adreno 690", "Adreno 725", "Adreno 730", "Adreno 740",
                            "Adreno 750", "Adreno X1-85"})
        for (const char* format : {"R8_UNORM", "S8_UINT"}) {
            CAPTURE(std::string(gpu));
            CHECK(at(gpu, format, {8192, 893, 1}, {1062, 886, 0, 0}) == 7143580);
        }
}

TEST_CASE("what texts or a few texels tell of one size is not stretched to another") {
    for (const auto& [asked, levels] :
         {std::pair("UHD 770", 3U), {"Arc A770", 9U}, {"Raspberry Pi 4", 1U}, {"Vega 64", 4U}}) {
        const char* const gpu = asked;
        CAPTURE(gpu);
        CHECK(says(refusal(question_of(gpu, "RGBA8", {310, 210, 1}, levels)), "nobody has probed this very image"));
    }
}

TEST_CASE("where one level or one layer is known, further ones are refused, also as an assumption") {
    for (const auto& [asked, levels, layers] :
         {std::tuple("Vega 64", 4U, 1U), {"Raspberry Pi 4", 2U, 1U}, {"UHD 770", 2U, 1U}, {"UHD 770", 1U, 2U}}) {
        const char* const gpu = asked;
        CAPTURE(gpu);
        ImageQuestion question = question_of(gpu, "RGBA8", {512, 512, 1}, levels);
        question.layers = layers;
        question.assume = true;
        CHECK(says(refusal(question), "nobody has probed this very image"));
    }
}

TEST_CASE("a format with elements like those of a probed one is answered, as predicted where a rule is of them") {
    const FoundImage by_rule = found(question_of("RTX 4090", "R8G8B8A8_USCALED", {300, 200, 1}));
    CHECK(by_rule.image.format == "R8G8B8A8_USCALED");
    CHECK(by_rule.image.source == LayoutSource::predicted);
    const FoundImage by_likeness = found(question_of("Mali-G610", "BGRA8", {256, 256, 1}));
    CHECK(by_likeness.image.source == LayoutSource::assumed);
    CHECK(says(by_likeness.image.evidence, "nobody has probed B8G8R8A8_UNORM there"));
}

TEST_CASE("formats have the names of drm_fourcc.h") {
    // Its comments give the components from the highest bit down, in a little-endian word.
    constexpr std::pair<const char*, const char*> names[] = {
        {"XR24", "B8G8R8A8_UNORM"},      {"AB24", "R8G8B8A8_UNORM"},      {"xb30", "A2B10G10R10_UNORM_PACK32"},
        {"AB4H", "R16G16B16A16_SFLOAT"}, {"RG16", "R5G6B5_UNORM_PACK16"}, {"NV12", "G8_B8R8_2PLANE_420_UNORM"}};
    for (const auto& [fourcc, name] : names) CHECK(asked_format(fourcc).name == name);
}

TEST_CASE("a PlayStation 5 is answered by the chip that a readback of its memory is like, as an assumption") {
    // The whole target was read back and published: texel (15,15) lies at 4348, where Raphael has it at 3324.
    const FoundImage ps5 = found(question_of("PS5", "RGBA8", {1920, 1080, 1}));
    CHECK(ps5.image.source == LayoutSource::assumed);
    CHECK(says(ps5.assumed.front(), "nobody has probed that chip; this is that of Navi 10 (RDNA1)"));
    CHECK(address_of(ps5.image, {Aspect::color, 0, 0, {15, 15, 0, 0}}) == 4348);
}

TEST_CASE("a format that nobody has probed there has one pattern, whether a pattern is asked for or an image") {
    size_t compared = 0;
    for (const char* gpu :
         {"navi10", "navi21", "navi31", "phoenix", "adreno 740", "adreno 630", "M1", "TU104", "GA102"})
        for (const char* format : {"B8G8R8A8_UNORM", "R8G8B8A8_SRGB", "R8G8B8A8_UINT", "R16G16_SNORM", "R32_UINT"}) {
            CAPTURE(std::string(gpu));
            CAPTURE(std::string(format));
            const ImageQuestion question = question_of(gpu, format, {1920, 1080, 1});
            Scope asked = ask(catalog(), question.about);
            const std::string alike = take_alike_format(catalog(), asked, question.about.format);
            if (const auto newest = of_newest_driver(catalog(), asked)) asked = *newest;
            if (alike.empty()) {
                CHECK(asked.filter.format == format);
                continue;
            }
            CHECK(alike.find(format) != std::string::npos);
            CHECK(alike.find(asked.filter.format) != std::string::npos);
            if (db::find_observations(catalog(), asked.filter).empty()) continue;
            // A rule's pattern may have XORs that an image of this size does not reach: what counts is where texels lie.
            const ImageLayout image = found(question).image;
            const ChosenPattern chosen = choose_pattern(catalog(), asked.filter);
            size_t apart = 0;
            for (uint32_t y = 0; y < 1080; y += 7)
                for (uint32_t x = 0; x < 1920; x += 11)
                    apart += offset_of(image.subresources.front().layout, {x, y, 0, 0}) !=
                             offset_of(*chosen.image.fact.layout, {x, y, 0, 0});
            CHECK(apart == 0);
            compared++;
        }
    MESSAGE(compared, " compared");
    CHECK(compared >= 20);
}

TEST_CASE("where only small images of a format alike were read, an extent is asked for") {
    constexpr std::pair<const char*, const char*> unread[] = {
        {"navi21", "BC5"}, {"H100", "BC1_RGBA"}, {"lavapipe", "BGRA8"}};
    for (const auto& [name, format] : unread) {
        const std::string gpu = name;
        CAPTURE(gpu);
        Question about = question_of(gpu, format, {256, 256, 1}).about;
        Scope asked = ask(catalog(), about);
        CHECK(says(take_alike_format(catalog(), asked, about.format), about.format.name));
        about.extent.reset();
        asked = ask(catalog(), about);
        std::string why;
        try {
            take_alike_format(catalog(), asked, about.format);
        } catch (const Error& error) {
            why = error.what();
        }
        CHECK(says(why, "nobody has probed " + about.format.name + " there"));
        CHECK(says(why, "--extent"));
    }
}

TEST_CASE("a card's images lie as its DRM modifier says that drivers of such cards offer") {
    // Where each was seen is in db/catalog/README.md; the last is by the rule that is said there.
    constexpr std::pair<const char*, uint64_t> cards[] = {{"RX 6900 XT", 0x0200000020801b03},
                                                          {"RX 6700 XT", 0x0200000018801b03},
                                                          {"RX 6650 XT", 0x0200000018601b03},
                                                          {"Radeon 680M", 0x0200000010401b03},
                                                          {"RX 6400", 0x0200000010401b03}};
    for (const auto& [asked, modifier] : cards)
        for (const char* format : {"R8", "RGBA8", "RGBA16F", "RGBA32F"}) {
            const std::string card = asked;
            CAPTURE(card);
            CAPTURE(std::string(format));
            const ImageLayout image = found(question_of(card, format, {1920, 1080, 1})).image;
            const Coord extent = {1920, 1080, 1, 1};
            const Layout said = said_layout(pattern_of_modifier(modifier), asked_format(format).element, extent);
            size_t apart = 0;
            for (uint32_t y = 0; y < 1080; y += 7)
                for (uint32_t x = 0; x < 1920; x += 11)
                    apart +=
                        offset_of(image.subresources.front().layout, {x, y, 0, 0}) != offset_of(said, {x, y, 0, 0});
            CHECK(apart == 0);
        }
}

TEST_CASE("what rests on a rule for the chip that no card has shown is assumed") {
    for (const char* gpu : {"RX 6400", "RX 6500 XT", "navi24", "Radeon Pro W6400"}) {
        CAPTURE(std::string(gpu));
        const FoundImage image = found(question_of(gpu, "RGBA8", {1920, 1080, 1}));
        CHECK(image.image.source == LayoutSource::assumed);
        CHECK(says(image.assumed.front(), "nobody has read that of a card"));
    }
    for (const char* gpu : {"RX 6600", "RX 6700 XT", "RX 7800 XT"})
        CHECK(found(question_of(gpu, "RGBA8", {1920, 1080, 1})).image.source == LayoutSource::probed);
}

TEST_CASE("images with creation flags lie as is predicted of them, as drivers lay out images that nobody had probed") {
    if (!drivers_are_here()) return;
    struct Drawn {
        const char *driver, *gpu, *flags, *format;
        Extent_px extent;
        uint32_t levels, layers;
    };
    constexpr Drawn drawn[] = {
        {"radv:navi21", "RX 6800", "cube-compatible", "R16G16B16A16_SFLOAT", {320, 320, 1}, 3, 6},
        {"radv:navi33", "RX 7600", "mutable-format", "R8_UNORM", {777, 431, 1}, 2, 1},
        {"nvk:0x172", "RTX 3080", "cube-compatible", "R8G8B8A8_UNORM", {130, 130, 1}, 4, 12},
        {"nvk:0x172", "RTX 3080", "mutable-format", "BC7_UNORM_BLOCK", {1000, 500, 1}, 1, 2},
        {"turnip:740", "Adreno 740", "cube-compatible", "R8G8B8A8_UNORM", {512, 512, 1}, 5, 6},
        {"turnip:740", "Adreno 740", "mutable-format", "R8G8B8A8_UNORM", {1023, 767, 1}, 3, 1},
        {"apple", "M1", "cube-compatible", "R32_SFLOAT", {200, 200, 1}, 1, 6},
        {"apple", "M1", "mutable-format", "R8G8B8A8_UNORM", {1920, 1080, 1}, 11, 1},
    };
    const Folder folder;
    for (const Drawn& image : drawn) {
        CAPTURE(std::string(image.driver));
        CAPTURE(std::string(image.flags));
        ImageQuestion question = question_of(image.gpu, image.format, image.extent, image.levels);
        question.layers = image.layers;
        question.flags = image.flags;
        if (std::string(image.driver).starts_with("nvk")) question.about.driver = "26.1";
        const FoundImage answer = found(question);
        CHECK(answer.image.source == LayoutSource::predicted);
        CHECK(answer.image.flags == image.flags);
        const Ended ended = run(tilewise_on(
            image.driver,
            {"--db", folder / "t.db", "--json", "probe", "--no-lanes", "--route", "host-copy", "--formats",
             image.format, "--extents", fmt::format("{}x{}", image.extent[0], image.extent[1]), "--levels",
             std::to_string(image.levels), "--layers", std::to_string(image.layers), "--flags", image.flags}));
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        const nlohmann::json printed = parse(ended);
        const nlohmann::json& observations = printed.at("devices").at(0).at("observations");
        size_t compared = 0;
        for (const auto& each : observations) {
            if (each.at("route") != "host-copy") continue;
            const uint32_t level = each.at("level"), layer = each.at("layer");
            const Subresource* part = find_subresource(answer.image, Aspect::color, level, layer);
            REQUIRE(part);
            const Layout predicted = layout_of_layer(*part, layer), probed = layout_from_json(each.at("layout"));
            const Coord end = extent_el(answer.image, *part);
            size_t apart = 0;
            for (uint32_t y = 0; y < end[axis_y]; y++)
                for (uint32_t x = 0; x < end[axis_x]; x++)
                    apart += offset_of(predicted, {x, y, 0, 0}) != offset_of(probed, {x, y, 0, 0});
            CHECK(apart == 0);
            CHECK(each.at("bytes") == answer.image.bytes);
            compared++;
        }
        CHECK(compared == size_t{image.levels} * image.layers);
    }
    // What changes with a flag, or was not probed with it, is no matter of the rules without.
    for (const char* flags : {"sparse-residency", "2d-array-compatible"}) {
        ImageQuestion question = question_of("RX 6800", "RGBA8", {1920, 1080, 1});
        question.flags = flags;
        CHECK(says(refusal(question), std::string("with the flags ") + flags));
    }
    for (const auto& [extent, layers] :
         {std::pair(Extent_px{512, 256, 1}, 6U), std::pair(Extent_px{512, 512, 1}, 5U)}) {
        ImageQuestion no_cube = question_of("RX 6800", "RGBA8", extent);
        no_cube.layers = layers;
        no_cube.flags = "cube-compatible";
        CHECK(says(refusal(no_cube), "no cube is "));
    }
    ImageQuestion of_another_usage = question_of("lavapipe", "RGBA8", {300, 300, 1});  // read by alias
    of_another_usage.layers = 6;
    of_another_usage.flags = "cube-compatible";
    CHECK(found(of_another_usage).image.source == LayoutSource::predicted);
    // Both were probed, each alone.
    ImageQuestion both = question_of("RX 6800", "RGBA8", {512, 512, 1});
    both.layers = 6;
    both.flags = "cube-compatible,mutable-format";
    CHECK(says(found(both).assumed.front(), "with each of them alone"));
}

TEST_CASE("images of every format lie where the drivers put them, unless the answer is an assumption") {
    if (!drivers_are_here()) return;
    const db::Database catalog = db::open_catalog();
    size_t number = 0;
    for (const auto& [driver, gpu] : {std::pair{"turnip:740", "Adreno 740"},
                                      {"turnip:660", "Adreno 660"},
                                      {"radv:navi21", "RX 6800"},
                                      {"apple", "M1"}}) {
        if (!is_drawn(number++, 2)) continue;
        const std::string name = driver;
        CAPTURE(name);
        const Folder folder;
        const Ended probed =
            run(tilewise_on(driver, {"--db", folder / "t.db", "--quiet", "probe", "--no-lanes", "--route", "host-copy",
                                     "--formats", "all", "--extents", "333x77"}));
        if (probed.code == 77) {
            MESSAGE("SKIPPED: " << probed.err);
            continue;
        }
        const db::Database fresh = db::open_database(folder / "t.db", db::Access::read_only);
        std::vector<db::ObservationRow> rows = db::find_observations(fresh, {});
        std::erase_if(rows, [](const db::ObservationRow& row) {
            return !row.fact.layout || row.fact.extent_px != Extent_px{333, 77, 1} ||
                   row.fact.type != ImageType::two_d || !row.fact.flags.empty() ||
                   db::is_dated_to_the_day(row.fact.time);
        });
        std::vector<const db::ObservationRow*> all;
        for (const db::ObservationRow& row : rows) all.push_back(&row);
        size_t sure = 0;
        for (const ObservedImage& each : observed_images(all)) {
            const ImageLayout& seen = each.image;
            CAPTURE(seen.format);
            const auto answer = find_image(question_of(gpu, seen.format, seen.extent_px), catalog);
            if (answer.index() != 0) continue;
            const ImageLayout& image = std::get<FoundImage>(answer).image;
            if (image.source == LayoutSource::assumed) continue;
            CHECK(misplaced_element(image, seen) == "");
            if (image.bytes != 0) CHECK(image.bytes == seen.bytes);
            sure++;
        }
        CHECK(sure >= 60);
    }
}

TEST_CASE("a format that its driver lays out by another rule than those of as many bytes is no prediction") {
    const db::Database catalog = db::open_catalog();
    // Turnip has rules of RGBA8 and of BGRA8, which differ: of what neither names, none says anything.
    ImageQuestion question = question_of("Adreno 740", "R8G8B8A8_USCALED", {300, 200, 1});
    const auto answer = find_image(question, catalog);
    REQUIRE(answer.index() == 0);
    CHECK(std::get<FoundImage>(answer).image.source == LayoutSource::assumed);
    // A swapchain's usage compresses there, whatever format of as many bytes does not.
    ImageQuestion drawn = question_of("Adreno 740", "BGRA8", {1920, 1080, 1});
    drawn.about.usage = "color,sampled";
    CHECK(says(refusal(drawn), "takes 8392704 bytes"));
}

TEST_CASE("leave to guess changes no answer that needs none, and no 3D image is like a 2D one") {
    const db::Database catalog = db::open_catalog();
    size_t answered = 0, number = 0;
    for (const char* gpu : {"H100", "H200", "RTX 4090", "RX 6800 XT", "Adreno 740", "Apple M1"}) {
        if (!is_drawn(number++, 3)) continue;
        for (const char* format :
             {"RGBA8", "R64_UINT", "R64_SINT", "RG32_UINT", "R16_SFLOAT", "BC7", "D32_SFLOAT", "S8_UINT"})
            for (const Extent_px extent : {Extent_px{300, 200, 1}, {16, 16, 4}, {9, 7, 5}}) {
                CAPTURE(gpu);
                CAPTURE(format);
                CAPTURE(extent[2]);
                ImageQuestion question = question_of(gpu, format, extent);
                const auto sure = find_image(question, catalog);
                question.assume = true;
                const auto guessed = find_image(question, catalog);
                if (sure.index() == 0) {
                    answered++;
                    REQUIRE(guessed.index() == 0);
                    CHECK(to_json(std::get<FoundImage>(sure).image) == to_json(std::get<FoundImage>(guessed).image));
                }
                // Where no 3D images of depth were read, 2D images and color formats say nothing about them.
                const bool is_depth = format[0] == 'D' || format[0] == 'S';
                if (sure.index() != 0 && is_depth && extent[2] > 1) CHECK(guessed.index() != 0);
            }
    }
    CHECK(answered > (soaking() ? 60 : 20));
}

TEST_CASE("usages that drivers were not asked about are assumptions, and those that no such format has are errors") {
    ImageQuestion input = question_of("RX 6800", "RGBA8", {300, 200, 1});
    input.about.usage = "input";
    CHECK(found(input).image.source == LayoutSource::assumed);
    ImageQuestion depth = question_of("RX 6800", "RGBA8_SRGB", {300, 200, 1});
    depth.about.usage = "depth-stencil,sampled";
    CHECK(says(refusal(depth), "no image of R8G8B8A8_SRGB, a color format, has that usage"));
}

TEST_CASE("a product with several chips, or with a plus that was not said, is an assumption") {
    CHECK(says(refusal(question_of("Radeon 610M", "RGBA8", {256, 256, 1})), "has the chip Raphael or Mendocino"));
    const FoundImage plus = found(question_of("Snapdragon 7 Gen 2", "RGBA8", {256, 256, 1}));
    CHECK(plus.image.source == LayoutSource::assumed);
    CHECK(says(plus.assumed.front(), "if it has that of the Snapdragon 7+ Gen 2"));
}
