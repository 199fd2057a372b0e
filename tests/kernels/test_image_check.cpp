#include "kernels/box/box.h"
#include "kernels/image/check.h"
#include "tests/support/kernel_bench.h"
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

uint64_t digest_of(KernelBench& bench, const Texels& texels) {
    const auto texture = pooled_image(bench.images, ImageUse::result, texels.format, texels.size);
    upload(bench.context, *texture, texels);
    return digest(bench.context, *pooled_digest(bench.images, texture));
}

std::string check_image(KernelBench& bench, const Record& record, const std::shared_ptr<Texture>& result,
                        const Expectation& expectation) {
    return make_job(bench.images, {"test", result->format, result->size}, "", {}, record,
                    image_check(bench.images, bench.references, result, expectation))
        .check();
}

/// "Writes" these texels into the image that is checked.
Record copy_of(const std::shared_ptr<Texture>& from, const std::shared_ptr<Texture>& to) {
    return [from, to](VkCommandBuffer commands) {
        VkImageCopy region = {};
        region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        region.extent = {from->size.width, from->size.height, 1};
        vkCmdCopyImage(commands, from->image.handle, VK_IMAGE_LAYOUT_GENERAL, to->image.handle, VK_IMAGE_LAYOUT_GENERAL,
                       1, &region);
    };
}

}  // namespace

TEST_CASE("a digest depends on every texel, to the bit, and on where it is") {
    KernelBench bench;
    for (const Format format : all_formats)
        for (const Size size : {Size{1, 1}, Size{37, 21}}) {
            const Texels texels = random_texels(format, size, 3);
            const uint64_t unchanged = digest_of(bench, texels);
            CHECK(digest_of(bench, texels) == unchanged);
            const size_t bytes = traits_of(format).bytes;
            for (size_t at = 0; at < texels.bytes.size(); at += texels.bytes.size() < 100 ? 1 : 97) {
                Texels other = texels;
                other.bytes[at] ^= std::byte{1};
                CAPTURE(at);
                CHECK(digest_of(bench, other) != unchanged);
            }
            if (count(size) == 1) continue;
            Texels other = texels;
            std::swap_ranges(other.bytes.begin(), other.bytes.begin() + static_cast<std::ptrdiff_t>(bytes),
                             other.bytes.begin() + static_cast<std::ptrdiff_t>(bytes));
            CHECK(digest_of(bench, other) != unchanged);
        }
}

TEST_CASE("texels that were right are right again without a reference, unless more is expected of them") {
    KernelBench bench;
    const Format format = Format::rgba32f;
    const Size size = {37, 21};
    const auto source = pooled_image(bench.images, ImageUse::source, format, size);
    const auto result = pooled_image(bench.images, ImageUse::result, format, size);
    const auto work = copy_of(source, result);
    int asked = 0;
    const auto nearly = [&] {
        ++asked;
        std::vector<float> channels = channels_of(*source_texels(bench.images, format, size));
        for (float& channel : channels) channel += 0.01F;
        return channels;
    };
    const auto check = [&](const Expectation& expectation) { return check_image(bench, work, result, expectation); };
    CHECK(check({"nearly", nearly, 1, 0.02}) == "");
    // Whoever wants the reference again must ask for it again.
    bench.references->entries.at("nearly").channels.clear();
    CHECK(check({"nearly", nearly, 1, 0.02}) == "");
    CHECK(check({"nearly", nearly, 1, 0.03}) == "");
    CHECK(check({"nearly", nearly, 2, 0.02}) == "");
    CHECK(asked == 1);
    CHECK(check({"nearly", nearly, 1, 0.001}).starts_with("texel (0, 0) r is "));
    CHECK(asked == 2);
    bench.references->entries.at("nearly").channels.clear();
    CHECK(check({"nearly", nearly, 0, 0.02}) == "");
    CHECK(asked == 3);
}

TEST_CASE("a wrong image is found after one that was right") {
    KernelBench bench;
    const Size size = {37, 21};
    for (const Format format : all_formats) {
        const auto source = pooled_image(bench.images, ImageUse::source, format, size);
        const auto result = pooled_image(bench.images, ImageUse::result, format, size);
        const auto scratch = pooled_image(bench.images, ImageUse::scratch, format, size);
        const Texels& texels = *source_texels(bench.images, format, size);
        const Expectation exactly = {traits_of(format).name, [&] { return channels_of(texels); }};
        CHECK(check_image(bench, copy_of(source, result), result, exactly) == "");

        Texels wrong = texels;
        const size_t texel = 20 * size.width + 36, top_byte = traits_of(format).bytes / 4 - 1;
        wrong.bytes[texel * traits_of(format).bytes + top_byte] ^= std::byte{0x10};
        upload(bench.context, *scratch, wrong);
        CHECK(check_image(bench, copy_of(scratch, result), result, exactly).starts_with("texel (36, 20) r "));
        const auto nothing = [](VkCommandBuffer) {};
        CHECK(check_image(bench, nothing, result, exactly).starts_with("texel (0, 0) r is 0, "));
        CHECK(check_image(bench, copy_of(source, result), result, exactly) == "");
    }
}

TEST_CASE("what stands in for a reference may write into the image that is checked") {
    KernelBench bench;
    const Format format = Format::rgba32f;
    const Size size = {37, 21};
    const auto result = pooled_image(bench.images, ImageUse::result, format, size);
    const Job wrong = box_direct(bench.images, bench.references, {format, size, 2}, {"row", row_order({8, 8, 1, 1})});
    const auto reference = [&] {
        upload(bench.context, *result, *source_texels(bench.images, format, size));
        return channels_of(*source_texels(bench.images, format, size));
    };
    CHECK(check_image(bench, wrong.record, result, {"texels", reference}).starts_with("texel (0, 0) "));
}

TEST_CASE("a job runs, and is checked, after the pool and the references that it was made with are gone") {
    KernelBench bench;
    const BoxRequest request = {Format::rgba16f, {37, 21}, 2};
    std::vector<Job> jobs;
    {
        ImagePool images{bench.context};
        const References references = std::make_shared<ReferenceCache>();
        for (const Coord& shape : {Coord{8, 8, 1, 1}, Coord{16, 4, 1, 1}})
            jobs.push_back(box_direct(images, references, request, {"row", row_order(shape)}));
    }
    for (const Job& job : jobs) check_twice(job);
}

TEST_CASE("channels of halves are their numbers") {
    const std::array<uint16_t, 8> halves = {0x3c00, 0x0001, 0x0400, 0x7bff, 0x8000, 0xc500, 0x7c00, 0x3555};
    Texels texels = {Format::rgba16f, {2, 1}, std::vector<std::byte>(sizeof halves)};
    std::memcpy(texels.bytes.data(), halves.data(), sizeof halves);
    // IEEE 754: 1; the smallest subnormal and normal numbers; the largest; minus zero; -5; infinity; the half nearest
    // to 1/3.
    const std::vector<float> numbers = {1, 0x1p-24F, 0x1p-14F, 65504, 0, -5, HUGE_VALF, 0.333251953125F};
    CHECK(channels_of(texels) == numbers);
}
