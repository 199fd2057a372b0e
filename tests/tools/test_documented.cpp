// What the catalog says of NVIDIA's chips before Turing and of AMD's before RDNA, whose images no driver without hardware
// lets anybody read, beside how many bytes Mesa's driver for these chips asks for.
#include "db/sqlite/open.h"
#include "patterns/model/bits.h"
#include "patterns/model/extent_text.h"
#include "tests/support/driver_sizes.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tools/answers/image/find_image.h"
#include <algorithm>
#include <bit>
#include <doctest/doctest.h>
#include <filesystem>
#include <random>

using namespace tilewise;

namespace {

constexpr const char* formats[] = {"R8_UNORM",
                                   "R16_SFLOAT",
                                   "R8G8B8A8_UNORM",
                                   "R16G16B16A16_SFLOAT",
                                   "R32G32B32A32_SFLOAT",
                                   "BC1_RGBA_UNORM_BLOCK",
                                   "BC7_UNORM_BLOCK"};

/// NVK counts the levels that an image has, as the texts about Tegra do. For GP104, as NVIDIA's driver does on an H100,
/// all levels that the image might have are counted: there, images of one level and of all of them are the same by both.
std::vector<ImageQuestion> drawn_images(const std::string& gpu, uint32_t max_rows, uint32_t max_layers) {
    std::mt19937 random(44);
    const auto side = [&](uint32_t most) {
        return std::min(most, uint32_t{1} + static_cast<uint32_t>(random()) % (16U << random() % 8));
    };
    std::vector<ImageQuestion> questions;
    for (size_t i = 0; i < 140; i++) {
        ImageQuestion question;
        question.about.gpu = asked_gpu(gpu);
        question.about.format = asked_format(formats[i % std::size(formats)]);
        question.about.extent = {side(2048), side(max_rows), 1};
        const uint32_t longest = std::ranges::max(*question.about.extent);
        const auto all = static_cast<uint32_t>(std::bit_width(longest));
        const bool counts_its_own = gpu == "Tegra X1";
        question.levels = random() % 2 ? 1 : counts_its_own ? 1 + static_cast<uint32_t>(random()) % all : all;
        question.layers = 1 + static_cast<uint32_t>(random()) % max_layers;
        questions.push_back(question);
    }
    return questions;
}

}  // namespace

TEST_CASE("images of Pascal and of a Tegra X1 take what NVK asks for there, in whole pages") {
    if (!drivers_are_here()) return;
    const db::Database catalog = db::open_catalog();
    const bool has_newest = std::filesystem::exists(source_dir() + "/build/drivers-sid/.contents");
    struct Chip {
        const char *gpu, *driver;
    };
    for (const Chip& chip : {Chip{"GTX 1080", "nvk:0x134"}, {"Tegra X1", "nvk:0x12b"}}) {
        CAPTURE(chip.gpu);
        // Mesa 26.1 has blocks of 32 GOBs, which no other driver has: they are for images of more than 128 rows. And
        // it aligns layers otherwise.
        const std::vector<ImageQuestion> questions =
            has_newest ? drawn_images(chip.gpu, 2048, 3) : drawn_images(chip.gpu, 128, 1);
        std::vector<ImageKind> images;
        for (const ImageQuestion& question : questions) {
            images.push_back(asked_kind(question));
            images.back().usage = "sampled,transfer-dst,transfer-src";
        }
        const std::vector<ImageSize> sizes = driver_sizes(chip.driver + std::string(has_newest ? "@sid" : ""), images);
        for (size_t i = 0; i < questions.size(); i++) {
            CAPTURE(images[i].format);
            CAPTURE(extent_text(images[i].extent_px));
            CAPTURE(images[i].levels);
            CAPTURE(images[i].layers);
            const Answer<FoundImage> answer = find_image(questions[i], catalog);
            REQUIRE(answer.index() == 0);
            REQUIRE(sizes[i].alignment > 0);
            CHECK(round_up(std::get<FoundImage>(answer).image.bytes, sizes[i].alignment) == sizes[i].bytes);
        }
    }
}

TEST_CASE("images of AMD's GPUs before RDNA take what RADV asks for there") {
    if (!drivers_are_here()) return;
    const db::Database catalog = db::open_catalog();
    struct Chip {
        const char *gpu, *driver;
        bool has_levels;
    };
    for (const Chip& chip : {Chip{"Vega 64", "radv:vega10", false},
                             {"Radeon VII", "radv:vega20", false},
                             {"Ryzen 5 3500U", "radv:raven", false},
                             {"Ryzen 7 5700G", "radv:renoir", false},
                             {"RX 580", "radv:polaris10", true},
                             {"RX 560", "radv:polaris11", true},
                             {"Polaris 12", "radv:polaris12", true}}) {
        CAPTURE(chip.gpu);
        std::vector<ImageQuestion> questions;
        std::vector<ImageKind> images;
        for (ImageQuestion question : drawn_images(chip.gpu, 2048, 7)) {
            if (!chip.has_levels) question.levels = 1;
            ImageKind image = asked_kind(question);
            image.usage = image.format.starts_with("BC") ? "sampled,transfer-dst,transfer-src"
                                                         : "sampled,storage,transfer-dst,transfer-src";
            questions.push_back(question);
            images.push_back(std::move(image));
        }
        const std::vector<ImageSize> sizes = driver_sizes(chip.driver, images);
        for (size_t i = 0; i < questions.size(); i++) {
            CAPTURE(images[i].format);
            CAPTURE(extent_text(images[i].extent_px));
            CAPTURE(images[i].levels);
            CAPTURE(images[i].layers);
            const Answer<FoundImage> answer = find_image(questions[i], catalog);
            REQUIRE(answer.index() == 0);
            const ImageLayout& image = std::get<FoundImage>(answer).image;
            CHECK(image.source != LayoutSource::assumed);
            CHECK(image.bytes == sizes[i].bytes);
            CHECK(image.alignment == sizes[i].alignment);
        }
    }
}
