#include "kernels/separable/separable.h"
#include "patterns/model/error.h"
#include "tests/support/kernel_bench.h"
#include "tests/support/soak.h"
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <set>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

std::vector<Order> two_orders() { return {{"row", row_order({16, 4, 1, 1})}, {"morton", morton_order({8, 8, 1, 1})}}; }

/// The mean of the three texels of a line: what docs/adding.md shows.
constexpr const char* mean_of_three = R"(struct State { vec4 sum; };
State filter_center(vec4 texel) { return State(texel); }
void filter_iteration(inout State state, vec4 texel, int offset) { state.sum += texel; }
vec4 filter_result(State state) { return state.sum / float(2 * RADIUS + 1); }
)";

}  // namespace

TEST_CASE("the reference of the Gaussian is the sum over the square, weighted by distance, clamped at the edges") {
    const Texels source = random_texels(Format::rgba32f, {6, 5}, 3);
    const std::vector<float> texels = channels_of(source), got = gaussian_reference(source, 3, Taps::single);
    for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 6; ++x) {
            double sum = 0, total = 0;
            for (int v = -3; v <= 3; ++v)
                for (int u = -3; u <= 3; ++u) {
                    const double weight = std::exp(-(u * u + v * v) / (2 * 1.5 * 1.5));
                    total += weight;
                    sum +=
                        weight *
                        static_cast<double>(
                            texels[static_cast<size_t>(std::clamp(y + v, 0, 4) * 6 + std::clamp(x + u, 0, 5)) * 4 + 2]);
                }
            CHECK(static_cast<double>(got[static_cast<size_t>(y * 6 + x) * 4 + 2]) ==
                  doctest::Approx(sum / total).epsilon(1e-6));
        }
}

TEST_CASE("the reference of the bilateral filter is the Gaussian's where texels are alike, and keeps an edge") {
    Texels step = {Format::rgba8, {16, 1}, std::vector<std::byte>(64, std::byte{20})};
    std::fill(step.bytes.begin() + 32, step.bytes.end(), std::byte{230});
    const std::vector<float> gaussian = gaussian_reference(step, 4, Taps::single);
    const std::vector<float> bilateral = bilateral_reference(step, 4, Taps::single);
    CHECK(gaussian[7 * 4] > 80.0F / 255);
    CHECK(bilateral[7 * 4] < 21.0F / 255);
    CHECK(bilateral[0] == doctest::Approx(20.0 / 255));
}

TEST_CASE("every method of every filter gives the reference in every format, odd sizes and 1x1 included") {
    KernelBench bench;
    struct Image {
        Format format;
        Size size;
        uint32_t radius;
    };
    constexpr Image images[] = {
        {Format::rgba8, {1, 1}, 3},   {Format::rgba16f, {1, 1}, 1},    {Format::rgba32f, {1, 1}, 2},
        {Format::rgba8, {37, 21}, 4}, {Format::rgba16f, {131, 19}, 1}, {Format::rgba32f, {35, 67}, 5},
        {Format::rgba8, {5, 260}, 2}, {Format::rgba16f, {259, 3}, 3},
    };
    std::set<size_t> methods;
    size_t number = 0;
    for (const FilterText& filter : {gaussian_filter(), bilateral_filter()})
        for (const Image& image : images) {
            if (!is_drawn(number++, 5)) continue;
            for (const Job& job : separable_jobs(bench.images, bench.references, filter, image.format, image.size,
                                                 image.radius, two_orders())) {
                CAPTURE(job.kernel);
                CAPTURE(job.method);
                CAPTURE(job.order);
                CAPTURE(job.radius);
                CHECK(job.check() == "");
                methods.insert(filter_method_named(job.method).value().index());
            }
        }
    CHECK(methods.contains(FilterMethod(DirectMethod{}).index()));
    CHECK(methods.contains(FilterMethod(SharedMethod{}).index()));
    CHECK(methods.contains(FilterMethod(FusedShape{}).index()));
    CHECK(methods.contains(FilterMethod(FragmentMethod{}).index()) == bench.context.graphics);
}

TEST_CASE("large radii and other shapes of workgroups give the reference, too") {
    KernelBench bench;
    size_t number = 0;
    for (const uint32_t radius : {7u, 11u, 16u, 32u}) {
        if (!is_drawn(1 + number++, 2)) continue;
        CAPTURE(radius);
        const SeparableRequest request = {gaussian_filter(), Format::rgba32f, {75, 43}, radius};
        ImagePool& images = bench.images;
        const References& references = bench.references;
        CHECK(separable_direct(images, references, request, two_orders()[1]).check() == "");
        CHECK(separable_fragment(images, references, request, Sampling::approximate).check() == "");
        CHECK(separable_shared(images, references, request, {64, 4, 3, 16}).check() == "");
        CHECK(separable_shared(images, references, request, {96, 1, 2, 8}, Sampling::midway).check() == "");
        CHECK(
            separable_fused(images, references, request, fused_shape(bench.context, request.format, radius)).check() ==
            "");
        CHECK(separable_fused(images, references, request, {96, 20, 4, 2, 5, 16, true}).check() == "");
    }
}

TEST_CASE("a user's filter runs in every method, and they agree") {
    KernelBench bench;
    const FilterText filter = user_filter("mean.glsl", mean_of_three);
    const std::vector<Job> jobs =
        separable_jobs(bench.images, bench.references, filter, Format::rgba16f, {29, 18}, 3, two_orders());
    CHECK(jobs.size() >= 6);  // two orders of the direct method, three of shared memory, the fused one
    for (const Job& job : jobs) {
        CAPTURE(job.method);
        CHECK(job.kernel == "mean.glsl");
        CHECK(job.check() == "");
    }
}

TEST_CASE("a filter that does not compile is named with its line") {
    KernelBench bench;
    const auto jobs_of = [&](const std::string& text) {
        return separable_jobs(bench.images, bench.references, user_filter("my.glsl", text), Format::rgba8, {4, 4}, 1,
                              two_orders());
    };
    std::string broken = mean_of_three;
    broken.replace(broken.find("state.sum += texel"), 18, "state.sum += texle");
    CHECK_THROWS_WITH_AS(jobs_of(broken), doctest::Contains("my.glsl:3: error: 'texle' : undeclared identifier"),
                         Error);
    CHECK_THROWS_WITH_AS(jobs_of("struct State { vec4 sum; };\n"), doctest::Contains("my.glsl: a hook is missing"),
                         Error);
    CHECK_THROWS_WITH_AS(jobs_of("#include \"other.glsl\"\n"), doctest::Contains("my.glsl:1: error: "), Error);
    CHECK_THROWS_WITH_AS(jobs_of(" \n"), doctest::Contains("my.glsl: no filter in it"), Error);
}

TEST_CASE("a radius or a workgroup that a filter cannot have is refused with the limit") {
    KernelBench bench;
    SeparableRequest request = {gaussian_filter(), Format::rgba8, {8, 8}, 33};
    CHECK_THROWS_WITH_AS(separable_direct(bench.images, bench.references, request, two_orders()[0]),
                         doctest::Contains("radius of 1 to 32, not 33"), UsageError);
    request.radius = 2;
    CHECK_THROWS_WITH_AS(separable_shared(bench.images, bench.references, request, {1024, 2, 16, 32}),
                         doctest::Contains("bytes of shared memory for a workgroup"), UsageError);
    CHECK_THROWS_WITH_AS(separable_shared(bench.images, bench.references, request, {128, 2, 4, 12}),
                         doctest::Contains("not 12"), UsageError);
    CHECK_THROWS_AS(separable_fused(bench.images, bench.references, request, {128, 100, 8, 1, 8, 32}), UsageError);
}

TEST_CASE("no two methods of a filter have one name, and each is known from its name") {
    std::set<std::string> names;
    for (const FilterMethod& method : filter_methods()) {
        const std::string name = method_name(method);
        CAPTURE(name);
        CHECK(names.insert(name).second);
        const auto found = filter_method_named(name);
        REQUIRE(found);
        CHECK(found->index() == method.index());
        CHECK(sampling_of(*found) == sampling_of(method));
        CHECK(method_name(*found) == name);
    }
    CHECK_FALSE(filter_method_named("direct, approximately"));
    CHECK_FALSE(filter_method_named("shared, 2 lines"));
}

namespace {

/// No device: fused_shape() asks for these two alone.
struct Limited : Context {
    Limited(uint32_t invocations, uint32_t bytes) {
        max_invocations = invocations;
        shared_bytes = bytes;
    }
};

}  // namespace

TEST_CASE("the fused shape of every device, format and radius is known from the name and workgroup of its timing") {
    for (const uint32_t invocations : {128u, 256u, 1024u})
        for (const uint32_t bytes : {16384u, 32768u, 49152u})
            for (const Format format : all_formats)
                for (uint32_t radius = 1; radius <= max_filter_radius; ++radius) {
                    const FusedShape shape = fused_shape(Limited(invocations, bytes), format, radius);
                    const std::string name = method_name(shape);
                    CAPTURE(name);
                    const auto found = filter_method_of(name, box_of(shape), shape.invocations);
                    REQUIRE(found);
                    CHECK(std::get<FusedShape>(*found) == shape);
                }
}

TEST_CASE("the methods that a device times are known from their names and workgroups") {
    KernelBench bench;
    for (const Job& job :
         separable_jobs(bench.images, bench.references, gaussian_filter(), Format::rgba8, {5, 4}, 2, two_orders())) {
        CAPTURE(job.method);
        const auto found = filter_method_of(job.method, {job.shape[axis_x], job.shape[axis_y]}, job.invocations);
        REQUIRE(found);
        CHECK(method_name(*found) == job.method);
    }
}
