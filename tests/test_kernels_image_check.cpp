#include "kernels/box.h"
#include "kernels/image_check.h"
#include "tests/kernel_bench.h"
#include <doctest/doctest.h>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

uint64_t digest_of(KernelBench& bench, const Texels& texels) {
    const auto texture = result_texture(bench.workspace, texels.format, texels.size);
    upload(bench.context, *texture, texels);
    return digest(bench.workspace, *texture);
}

/// "Writes" these texels into the image that is checked.
std::function<void(VkCommandBuffer)> copy_of(const std::shared_ptr<Texture>& from, const std::shared_ptr<Texture>& to) {
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
            const uint64_t usual = digest_of(bench, texels);
            CHECK(digest_of(bench, texels) == usual);
            const size_t bytes = traits_of(format).bytes;
            for (size_t at = 0; at < texels.bytes.size(); at += texels.bytes.size() < 100 ? 1 : 97) {
                Texels other = texels;
                other.bytes[at] ^= std::byte{1};
                CAPTURE(at);
                CHECK(digest_of(bench, other) != usual);
            }
            if (count(size) == 1) continue;
            Texels other = texels;
            std::swap_ranges(other.bytes.begin(), other.bytes.begin() + static_cast<std::ptrdiff_t>(bytes),
                             other.bytes.begin() + static_cast<std::ptrdiff_t>(bytes));
            CHECK(digest_of(bench, other) != usual);
        }
}

TEST_CASE("texels that were right are right again without a reference, unless more is expected of them") {
    KernelBench bench;
    const Format format = Format::rgba32f;
    const Size size = {37, 21};
    const auto source = source_texture(bench.workspace, format, size);
    const auto result = result_texture(bench.workspace, format, size);
    const auto work = copy_of(source, result);
    int asked = 0;
    const auto nearly = [&] {
        ++asked;
        std::vector<float> channels = channels_of(*source_texels(bench.workspace, format, size));
        for (float& channel : channels) channel += 0.01F;
        return channels;
    };
    const auto check = [&](const Expectation& expectation) {
        return check_image(bench.workspace, work, *result, expectation);
    };
    CHECK(check({"nearly", nearly, 1, 0.02}) == "");
    CHECK(check({"nearly", nearly, 1, 0.02}) == "");
    CHECK(check({"nearly", nearly, 1, 0.03}) == "");
    CHECK(asked == 1);
    CHECK(check({"nearly", nearly, 1, 0.001}).starts_with("texel (0, 0) r is "));
    CHECK(asked == 1);
    const auto exactly = [&] { return channels_of(*source_texels(bench.workspace, format, size)); };
    CHECK(check({"exactly", exactly, 1, 0}) == "");
}

TEST_CASE("what stands in for a reference may write into the image that is checked") {
    KernelBench bench;
    const Format format = Format::rgba32f;
    const Size size = {37, 21};
    const auto result = result_texture(bench.workspace, format, size);
    const Job wrong = box_direct(bench.workspace, {format, size, 2}, {"row", row_order({8, 8, 1, 1})});
    const auto reference = [&] {
        upload(bench.context, *result, *source_texels(bench.workspace, format, size));
        return channels_of(*source_texels(bench.workspace, format, size));
    };
    CHECK(check_image(bench.workspace, wrong.record, *result, {"texels", reference}).starts_with("texel (0, 0) "));
}
