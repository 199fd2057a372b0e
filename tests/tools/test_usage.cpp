// An image asked for with a usage that nobody probed: what is said of it is what its driver says.
#include "db/sqlite/open.h"
#include "patterns/model/text.h"
#include "probe/formats/names.h"
#include "tests/support/driver_sizes.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include "tools/answers/image/find_image.h"
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>

using namespace tilewise;

namespace {

/// Images as people have them, with usages as people give them.
std::vector<ImageQuestion> draw_images(const std::string& gpu, int count, uint32_t seed) {
    std::mt19937 random(seed);
    const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
    constexpr const char* formats[] = {"R8_UNORM",
                                       "R8G8_UNORM",
                                       "R8G8B8A8_UNORM",
                                       "R16G16B16A16_SFLOAT",
                                       "R32G32B32A32_SFLOAT",
                                       "A2B10G10R10_UNORM_PACK32"};
    constexpr const char* usages[] = {"sampled,transfer-dst",
                                      "sampled",
                                      "color,sampled",
                                      "color",
                                      "sampled,transfer-dst,transfer-src",
                                      "storage",
                                      "sampled,storage",
                                      "color,sampled,transfer-src",
                                      "color,input,sampled",
                                      "host-transfer,sampled",
                                      "color,host-transfer,sampled",
                                      "sampled,storage,transfer-dst,transfer-src"};
    constexpr uint32_t sides[] = {16,  64,  72,   100,  158,  256,  300,  512, 640,
                                  720, 800, 1000, 1024, 1080, 1280, 1366, 1920};
    std::uniform_int_distribution<uint32_t> any_side(1, 2000);
    std::vector<ImageQuestion> images;
    for (int i = 0; i < count; i++) {
        ImageQuestion asked;
        Question& about = asked.about;
        about.gpu = asked_gpu(gpu);
        about.format = asked_format(one_of(formats));
        about.usage = one_of(usages);
        about.extent = {one_of(sides), one_of(sides), 1};
        if (random() % 4 == 0) about.extent = {any_side(random), any_side(random), 1};
        const auto& [width, height, depth] = *about.extent;
        asked.levels = random() % 3 == 0 ? static_cast<uint32_t>(std::bit_width(std::max(width, height))) : 1;
        asked.layers = random() % 4 == 0 ? 6 : 1;
        images.push_back(std::move(asked));
    }
    return images;
}

}  // namespace

TEST_CASE("what is probed or predicted of an image with any usage has the size that its driver asks for") {
    if (!drivers_are_here()) return;
    const db::Database catalog = db::open_catalog();
    struct Driver {
        const char *name, *gpu;
    };
    size_t number = 0;
    for (const Driver& driver : {Driver{"turnip:740", "Adreno 740"},
                                 {"turnip:630", "Adreno 630"},
                                 {"apple", "M1"},
                                 {"radv:navi21", "RX 6800"},
                                 {"radv:navi31", "RX 7900 XTX"}}) {
        if (!is_drawn(number++, 3)) continue;
        CAPTURE(driver.name);
        const std::vector<ImageQuestion> images = draw_images(driver.gpu, 60, 11);
        std::vector<ImageKind> kinds;
        kinds.reserve(images.size());
        for (const ImageQuestion& asked : images) kinds.push_back(asked_kind(asked));
        const std::vector<ImageSize> sizes = driver_sizes(driver.name, kinds);
        int sure = 0, assumed = 0, refused = 0;
        for (size_t i = 0; i < images.size(); i++) {
            const ImageQuestion& asked = images[i];
            const ImageSize& size = sizes[i];
            const Question& about = asked.about;
            const std::string image =
                fmt::format("{} {}x{} {} levels {} layers as {}", about.format.name, (*about.extent)[0],
                            (*about.extent)[1], *asked.levels, *asked.layers, about.usage);
            CAPTURE(image);
            const Answer<FoundImage> answer = find_image(asked, catalog);
            if (const auto* refusal = std::get_if<Refusal>(&answer)) {
                CAPTURE(refusal->why);
                // Where it says a size, it is the right one.
                const bool says_size = refusal->why.find(" bytes") != std::string::npos;
                CHECK((!says_size || refusal->why.find(fmt::format(" {} bytes", size.bytes)) != std::string::npos));
                const bool says_odds =
                    refusal->why.find("images the driver asks for another size") != std::string::npos;
                CHECK((size.bytes == 0 || says_size || says_odds));
                refused++;
                continue;
            }
            const FoundImage& found = std::get<FoundImage>(answer);
            CAPTURE(found.image.evidence);
            if (found.image.source == LayoutSource::assumed) {
                CHECK(!found.assumed.empty());
                assumed++;
                continue;
            }
            CHECK(found.image.bytes == size.bytes);
            CHECK(found.image.alignment == size.alignment);
            CHECK(probe::usage_named(found.image.usage) == probe::usage_named(about.usage));
            sure++;
        }
        MESSAGE(driver.name, ": ", sure, " probed or predicted, ", assumed, " assumed, ", refused, " refused");
        CHECK(sure > 0);
    }
}

TEST_CASE("a compressed image is refused with its own size, which the driver tells") {
    const db::Database catalog = db::open_catalog();
    // Sizes by vkGetImageMemoryRequirements of Mesa 26.1.6.
    struct Case {
        const char *gpu, *usage, *bytes;
    };
    for (const Case& c :
         {Case{"Adreno 740", "sampled,transfer-dst", "8392704"}, {"M1", "sampled,transfer-dst", "8486912"}}) {
        CAPTURE(c.gpu);
        ImageQuestion question;
        question.about.gpu = asked_gpu(c.gpu);
        question.about.format = asked_format("RGBA8");
        question.about.usage = c.usage;
        question.about.extent = {1920, 1080, 1};
        const Answer<FoundImage> answer = find_image(question, catalog);
        const auto* refusal = std::get_if<Refusal>(&answer);
        REQUIRE(refusal);
        CHECK(refusal->why.find(fmt::format("takes {} bytes", c.bytes)) != std::string::npos);
        // Without a usage, the answer is that of the usage that was probed, and names this one as another.
        question.about.usage.clear();
        const Answer<FoundImage> plain = find_image(question, catalog);
        REQUIRE(plain.index() == 0);
        const FoundImage& found = std::get<FoundImage>(plain);
        CHECK(found.image.bytes == 8355840);
        const auto other = std::ranges::find(found.other_usages, c.usage, &OtherUsage::usage);
        REQUIRE(other != found.other_usages.end());
        CHECK(std::to_string(other->size.bytes) == c.bytes);
    }
}

TEST_CASE("usages are compared by what was asked with both, and of several drivers one that differs counts") {
    const auto row_of = [](uint64_t with_sampled, uint64_t with_color) {
        UsageSizes sizes;
        sizes.images = {{ImageType::two_d, {64, 64, 1}}};
        sizes.classes = {{{probe::usage_named("sampled")}, {{with_sampled, 64}}},
                         {{probe::usage_named("color")}, {{with_color, 64}}}};
        db::UsageSizesRow row;
        row.fact.sizes = to_json(sizes);
        return row;
    };
    ImageKind image;
    image.extent_px = {64, 64, 1};
    const auto compared = compare_usages({row_of(100, 200), row_of(100, 100)}, image, "sampled", "color");
    REQUIRE(compared);
    CHECK(compared->asked == 2);
    CHECK(compared->equal == 1);
    CHECK(compared->size->bytes == 100);
    CHECK(compared->beside->bytes == 200);
    // Neither image is offered with both.
    CHECK_FALSE(compare_usages({row_of(100, 0)}, image, "sampled", "color"));
    // What a stranger's database calls a usage need not be one.
    CHECK_FALSE(compare_usages({row_of(100, 100)}, image, "sampled", "no-such-usage"));
    CHECK_FALSE(compare_usages({row_of(100, 100)}, image, "storage", "color")->is_offered);
}
