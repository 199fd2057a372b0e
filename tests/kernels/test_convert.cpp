// Jobs that convert a whole image between two buffers: what each leaves is compared with tile(), to the byte.
#include "kernels/convert/convert.h"
#include "tests/support/kernel_bench.h"

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

/// NVIDIA's 16x8 elements of RGBA8 in 40x20, three layers, and a level of 20x10 after them.
ConvertImage two_levels() {
    Layout layout;
    layout.pattern.element.bytes = 4;
    layout.pattern.tile = {16, 8, 1, 1};
    layout.pattern.tile_bytes = 512;
    layout.pattern.equation.columns[axis_x] = {0x4, 0x8, 0x40, 0x100};
    layout.pattern.equation.columns[axis_y] = {0x10, 0x20, 0x80};
    layout.stride = {512, 3 * 512, 0, 0};
    ConvertPart large = {.layout = layout, .extent = {40, 20, 1, 1}, .layers = 3};
    layout.stride = {512, 2 * 512, 0, 0};
    layout.base = 9 * 512;
    ConvertPart small = {.layout = layout, .extent = {20, 10, 1, 1}, .layers = 3};
    large.layer_stride_B = small.layer_stride_B = 13 * 512;
    return make_convert_image("two levels", {large, small});
}

}  // namespace

TEST_CASE("a whole image is converted both ways, by the emitted kernel and element by element") {
    KernelBench bench;
    const ConvertImage image = two_levels();
    const auto buffers = create_convert_buffers(bench.context, image);
    for (const ConvertDirection direction : {ConvertDirection::tile, ConvertDirection::detile}) {
        for (const uint32_t pieces : {1u, 3u}) {
            ConvertRequest request;
            request.direction = direction;
            request.pieces_per_invocation = pieces;
            CHECK(emitted_convert(bench.context, buffers, image, request).check() == "");
        }
        CHECK(per_element_convert(bench.context, buffers, image, direction).check() == "");
    }
    CHECK(plain_copy(bench.context, buffers, image).check() == "");
}

TEST_CASE("a conversion that gives other bytes is told so, by the first of them") {
    KernelBench bench;
    ConvertImage image = two_levels();
    const auto buffers = create_convert_buffers(bench.context, image);
    const Job job = emitted_convert(bench.context, buffers, image, {});
    image.memory[5] ^= std::byte{1};
    CHECK(job.check().starts_with("byte 5 is "));
}
