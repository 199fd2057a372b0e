#include "kernels/histogram/histogram.h"
#include "patterns/model/error.h"
#include "tests/support/kernel_bench.h"
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <set>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

Texels greys(const std::vector<float>& luminances) {
    std::vector<float> channels;
    for (const float grey : luminances) channels.insert(channels.end(), {grey, grey, grey, 1});
    Texels texels = {Format::rgba32f,
                     {static_cast<uint32_t>(luminances.size()), 1},
                     std::vector<std::byte>(channels.size() * sizeof(float))};
    std::memcpy(texels.bytes.data(), channels.data(), texels.bytes.size());
    return texels;
}

Texels bytes_of(const std::vector<std::array<uint8_t, 3>>& colours) {
    Texels texels = {Format::rgba8, {static_cast<uint32_t>(colours.size()), 1}, {}};
    for (const auto& [r, g, b] : colours)
        for (const uint8_t channel : {r, g, b, uint8_t{255}}) texels.bytes.push_back(std::byte{channel});
    return texels;
}

Histogram with(const std::vector<std::pair<uint32_t, uint32_t>>& bins, float average, float exposure) {
    Histogram histogram = {{}, average, exposure};
    for (const auto& [bin, texels] : bins) histogram.texels[bin] = texels;
    return histogram;
}

}  // namespace

TEST_CASE("a histogram of floats has bins of 16/255 of a stop above 2^-12; one of bytes bins of equal luminance") {
    // 2^-4 is 8 stops above: 127.5 bins. The average is the bin's middle: 2^(127.5 * 16/255 - 12) = 2^-4.
    const float sixteenth = 1.0F / 16;
    CHECK(wrong_histogram(greys({sixteenth, sixteenth, 0}), with({{0, 1}, {128, 2}}, sixteenth, 2.88F)) == "");
    CHECK(wrong_histogram(greys({sixteenth, sixteenth, 0}), with({{0, 1}, {127, 2}}, sixteenth, 2.88F))
              .starts_with("bins 0 to 127 have 3 texels, should have 1"));
    CHECK(wrong_histogram(greys({sixteenth}), with({{128, 1}}, 0.063F, 2.88F))
              .starts_with("the average luminance is 0.063"));
    CHECK(wrong_histogram(greys({sixteenth}), with({{128, 1}}, sixteenth, 2.9F)).starts_with("the exposure is 2.9"));
    CHECK(wrong_histogram(greys({sixteenth}), with({{128, 2}}, sixteenth, 2.88F)) != "");
    // All above goes to the last bin; 2^-12 is the very border of the first: either side is right.
    const float last = 15.65582F;  // 2^(254.5 * 16/255 - 12)
    CHECK(wrong_histogram(greys({1e6F}), with({{255, 1}}, last, 0.18F / last)) == "");
    const float first = 2.495078e-4F;  // 2^(0.5 * 16/255 - 12)
    CHECK(wrong_histogram(greys({1.0F / 4096}), with({{1, 1}}, first, 0.18F / first)) == "");
    CHECK(wrong_histogram(greys({1.0F / 4096}), with({{0, 1}}, 0, 0.18F * 4096)) == "");
    CHECK(wrong_histogram(greys({1.01F / 4096}), with({{0, 1}}, 0, 0.18F * 4096)) != "");

    // (54 * 10 + 183 * 20 + 19 * 30 + 128) / 256 = 19.1
    const Texels bytes = bytes_of({{10, 20, 30}, {255, 255, 255}, {0, 0, 0}});
    const float mean = (19.0F + 255) / 3 / 255;
    CHECK(wrong_histogram(bytes, with({{0, 1}, {19, 1}, {255, 1}}, mean, 0.18F / mean)) == "");
    CHECK(wrong_histogram(bytes, with({{0, 1}, {18, 1}, {255, 1}}, mean, 0.18F / mean)) != "");
}

TEST_CASE("every way counts every texel in each format, odd sizes and 1x1, and gives the exposure") {
    KernelBench bench;
    const std::vector<Order> orders = {{"row", row_order({16, 16, 1, 1})}, {"rdna", rdna_order()}};
    std::set<std::string> methods;
    for (const Format format : all_formats)
        for (const Size size : {Size{1, 1}, Size{1, 7}, Size{300, 200}, Size{641, 353}})
            for (const Job& job : histogram_jobs(bench.images, format, size, orders)) {
                check_twice(job);
                methods.insert(job.method);
            }
    CHECK(methods.contains(histogram_one_name));
    CHECK(methods.contains(histogram_two_name));
}

TEST_CASE("a histogram is right for any number of workgroups, texels in flight and sets of bins") {
    KernelBench bench;
    const Order order = {"morton", morton_order({16, 8, 1, 1})};
    for (const HistogramSteps& steps :
         {HistogramSteps{1, 1, 1}, HistogramSteps{400, 4, 9}, HistogramSteps{640000, 2, 3}}) {
        check_twice(histogram_one(bench.images, Format::rgba16f, {333, 130}, order, steps));
        check_twice(histogram_two(bench.images, Format::rgba8, {333, 130}, order, steps));
    }
    for (const HistogramSteps& steps : {HistogramSteps{0, 1, 1}, HistogramSteps{1, 0, 1}, HistogramSteps{1, 1, 0}})
        CHECK_THROWS_AS(histogram_one(bench.images, Format::rgba16f, {8, 8}, order, steps), UsageError);
}

TEST_CASE("black, what is no number and what is brighter than all bins are counted, too") {
    KernelBench bench;
    const Order order = {"row", row_order({16, 16, 1, 1})};
    const std::vector<float> luminances = {0, 1e-30F, 1.0F / 4096, 1, 15.9F, 16, 1e30F, -1, NAN};
    const Texels texels = greys(luminances);
    bench.images.texels[{Format::rgba32f, texels.size}] = std::make_shared<const Texels>(texels);
    check_twice(histogram_one(bench.images, Format::rgba32f, texels.size, order));
    const Texels black = greys({0, 0, 0});
    bench.images.texels[{Format::rgba32f, black.size}] = std::make_shared<const Texels>(black);
    check_twice(histogram_one(bench.images, Format::rgba32f, black.size, order));
    CHECK(histogram_one(bench.images, Format::rgba32f, black.size, order).check() == "");
}
