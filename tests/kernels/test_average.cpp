#include "kernels/average/average.h"
#include "patterns/model/error.h"
#include "tests/support/kernel_bench.h"
#include <cstring>
#include <doctest/doctest.h>
#include <set>

using namespace tilewise;
using namespace tilewise::kernels;

TEST_CASE("the mean of texels is that of each channel by itself") {
    const std::array<float, 12> numbers = {1, 2, 3, 4, 3, 6, 9, 12, 5, 10, 15, 20};
    Texels texels = {Format::rgba32f, {3, 1}, std::vector<std::byte>(sizeof numbers)};
    std::memcpy(texels.bytes.data(), numbers.data(), sizeof numbers);
    CHECK(mean_of(texels) == std::array<double, 4>{3, 6, 9, 12});
}

TEST_CASE("every way to the average gives the reference in each format, odd sizes, powers of two and 1x1") {
    KernelBench bench;
    const Order row = {"row", row_order({16, 16, 1, 1})}, rdna = {"rdna", rdna_order()};
    std::set<std::string> methods;
    for (const Format format : all_formats)
        for (const Size size : {Size{1, 1}, Size{201, 77}, Size{64, 128}})
            for (const Job& job : average_jobs(bench.images, format, size, {size.width == 201 ? row : rdna})) {
                check_twice(job);
                methods.insert(fmt::format("{} of {}x{}", job.method, size.width, size.height));
            }
    CHECK(methods.contains("one invocation (to 65536 texels) of 1x1"));
    for (const char* method : {"iterative by row", "iterative by column", "groupshared"})
        for (const char* size : {"1x1", "201x77", "64x128"})
            CHECK(methods.contains(fmt::format("{} of {}", method, size)));
    CHECK(methods.contains("subgroups, one dispatch of 201x77") == (bench.context.subgroup_size > 0));
    CHECK(methods.contains("mip chain of 64x128") == bench.context.graphics);
    CHECK(!methods.contains("mip chain of 201x77"));
}

TEST_CASE("the one-dispatch average is right for any number of workgroups and texels in flight") {
    KernelBench bench;
    const Order order = {"morton", morton_order({16, 8, 1, 1})};
    for (const AverageSteps& steps : {AverageSteps{1, 1, 1}, AverageSteps{3, 4, 2}, AverageSteps{5000, 2, 1}})
        check_twice(average_subgroups(bench.images, Format::rgba16f, {333, 130}, order, steps));
}

TEST_CASE("an average in steps of nothing is refused") {
    KernelBench bench;
    const Order order = {"morton", morton_order({16, 8, 1, 1})};
    for (const AverageSteps& steps : {AverageSteps{0, 1, 1}, AverageSteps{1, 0, 1}, AverageSteps{1, 1, 0}})
        CHECK_THROWS_AS(average_subgroups(bench.images, Format::rgba16f, {8, 8}, order, steps), UsageError);
}

TEST_CASE("the mip chain goes down to one texel from any powers of two, and from nothing else") {
    KernelBench bench;
    if (!bench.context.graphics) return;
    for (const Format format : all_formats)
        for (const Size size : {Size{2, 1}, Size{256, 4}, Size{1, 64}})
            check_twice(average_mip_chain(bench.images, format, size));
    CHECK_THROWS_WITH_AS(average_mip_chain(bench.images, Format::rgba8, {12, 8}),
                         doctest::Contains("12x8 does not give each texel the same weight"), UsageError);
}

TEST_CASE("one sum does not take on what would take it ages") {
    KernelBench bench;
    CHECK_THROWS_AS(average_blending(bench.images, Format::rgba8, {1024, 65}), UsageError);
    CHECK_THROWS_AS(average_one_invocation(bench.images, Format::rgba8, {1024, 65}), UsageError);
}

TEST_CASE(
    "an average that needs more loop iterations than a driver runs is skipped, with the reason, and all else is "
    "right") {
    KernelBench bench;
    bench.context.max_loop_iterations = 65535;  // llvmpipe's
    const Order order = {"row", row_order({16, 16, 1, 1})};
    for (const Size size : {Size{256, 256}, Size{256, 255}, Size{3, 16384}}) {
        size_t skipped = 0;
        for (const Job& job : average_jobs(bench.images, Format::rgba8, size, {order})) {
            CAPTURE(job.method);
            skipped += !job.skipped.empty();
            if (job.skipped.empty()) CHECK(job.check() == "");
        }
        CHECK(skipped == 1);
    }
    CHECK(average_one_invocation(bench.images, Format::rgba8, {256, 256})
              .skipped.starts_with("its loops have 66049 iterations, and "));
    check_twice(average_one_invocation(bench.images, Format::rgba8, {256, 254}));  // 65533
    bench.context.max_loop_iterations = UINT64_MAX;
    CHECK(average_one_invocation(bench.images, Format::rgba8, {256, 256}).skipped == "");
}
