// The code of a method as it was timed: compiled by glslc from the text alone, dispatched as its comment says, it gives
// what the job gives that was timed.
#include "kernels/average/average.h"
#include "kernels/bloom/bloom.h"
#include "kernels/box/box.h"
#include "kernels/brightest/brightest.h"
#include "kernels/code/method_code.h"
#include "kernels/histogram/histogram.h"
#include "kernels/mip_chain/mip_chain.h"
#include "kernels/reference.h"
#include "kernels/separable/separable.h"
#include "patterns/model/error.h"
#include "tests/prove/host_code.h"
#include "tests/support/kernel_bench.h"
#include "tests/support/soak.h"
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <set>

using namespace tilewise;
using namespace tilewise::kernels;
using namespace tilewise::prove;

namespace {

std::vector<Order> some_orders() {
    const GroupOrder tiles = {GroupOrderKind::tiles, 0, {2, 3, 1, 1}};
    return {{"row", row_order({16, 4, 1, 1})}, {"morton", morton_order({8, 8, 1, 1})}, {"rdna", rdna_order(), tiles}};
}

TimedMethod timed_method(const Job& job, const std::vector<Order>& orders) {
    TimedMethod timed;
    timed.kernel = job.kernel;
    timed.method = job.method;
    timed.format = job.format;
    timed.radius = job.radius;
    timed.shape = {job.shape[axis_x], job.shape[axis_y]};
    timed.invocations = job.invocations;
    for (const Order& order : orders) {
        if (order.name != job.order) continue;
        timed.remap = order.remap;
        timed.groups = order.groups;
    }
    return timed;
}

/// By the command that the comment gives, where the text has two passes.
std::vector<uint32_t> compiled(const std::string& text, uint32_t pass) {
    const Folder folder;
    write_text(folder / "kernel.comp", text);
    const Ended ended = run({"glslc", "--target-env=vulkan1.1", "-fshader-stage=compute", "-Werror",
                             fmt::format("-DPASS={}", pass), "-o", folder / "kernel.spv", folder / "kernel.comp"});
    INFO(ended.err.substr(0, 4000));
    REQUIRE(ended.code == 0);
    const std::string bytes = read_text(folder / "kernel.spv");
    std::vector<uint32_t> spirv(bytes.size() / sizeof(uint32_t));
    std::memcpy(spirv.data(), bytes.data(), bytes.size());
    return spirv;
}

std::shared_ptr<void> host_library(const std::string& code) {
    return built({"cc", "-std=c11", "-Wall", "-Wextra", "-Werror"}, "#include <stdint.h>\n" + host_code(code),
                 "host.c");
}

void dispatch(Context& context, const std::vector<uint32_t>& spirv, const ComputePassInputs& inputs) {
    const ComputePass pass = create_compute_pass(context, spirv, inputs);
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) { record(commands, pass); });
}

/// The number behind "NAME = " in the line about push constants.
uint32_t pushed(const std::string& code, const std::string& name) {
    return static_cast<uint32_t>(std::stoul(between(code, name + " = ", "\n")));
}

ComputePassInputs image_inputs(const std::string& code, const Texture& from, const Texture& to) {
    ComputePassInputs inputs;
    inputs.images = {to.view.handle};
    if (code.find("#define LOAD\n") != std::string::npos)
        inputs.images.push_back(from.view.handle);
    else
        inputs.textures = {code.find("R32_UINT") != std::string::npos ? from.packed.handle : from.view.handle};
    inputs.bilinear = code.find("bilinear") != std::string::npos;
    inputs.push = {from.size.width, from.size.height};
    for (const char* name : {"strip_rows", "radius"})
        if (code.find(std::string(", ") + name + " = ") != std::string::npos) inputs.push.push_back(pushed(code, name));
    return inputs;
}

/// What the code makes of the source that the job was checked with.
Texels image_of(KernelBench& bench, const Job& job, const std::string& code) {
    Context& context = bench.context;
    const auto source = pooled_image(bench.images, ImageUse::source, job.format, job.size);
    const auto library = host_library(code);
    Texture result;
    create_texture(context, job.format, job.size, {}, result);
    clear(context, result, {});
    const Size size = job.size;
    if (code.find("#if PASS == 1\n") == std::string::npos) {
        ComputePassInputs inputs = image_inputs(code, *source, result);
        function_in<void(uint32_t, uint32_t, uint32_t*)>(library, "tilewise_groups")(size.width, size.height,
                                                                                     inputs.groups.data());
        dispatch(context, compiled(code, 1), inputs);
        return download(context, result);
    }
    const std::string second = between(code, "which the second one reads to write ", "\n");
    CHECK(second == traits_of(job.format).name);
    Texture between_passes;
    create_texture(context, format_of(between(code, "// writes ", ", ")), job.size, {}, between_passes);
    for (const uint32_t pass : {1u, 2u}) {
        ComputePassInputs inputs =
            pass == 1 ? image_inputs(code, *source, between_passes) : image_inputs(code, between_passes, result);
        function_in<void(uint32_t, uint32_t, uint32_t, uint32_t*)>(library, "tilewise_groups")(
            pass, size.width, size.height, inputs.groups.data());
        dispatch(context, compiled(code, pass), inputs);
    }
    return download(context, result);
}

/// The job is right; the code gives the same but for how its compiler rounds.
void check_image(KernelBench& bench, const Job& job, const TimedMethod& timed) {
    CAPTURE(job.kernel);
    CAPTURE(job.method);
    CAPTURE(job.order);
    CAPTURE(job.radius);
    CAPTURE(traits_of(job.format).name);
    REQUIRE(job.check() == "");
    const Texels is = download(bench.context, *pooled_image(bench.images, ImageUse::result, job.format, job.size));
    const std::string code = method_code(timed, "");
    CHECK(code.find("#include") == std::string::npos);
    CHECK(first_difference(image_of(bench, job, code), channels_of(is), 64,
                           job.format == Format::rgba8 ? 0.5 / 255 : 0) == "");
}

bool is_drawn(const Job& job) {
    const auto method = filter_method_named(job.method);
    return method && std::holds_alternative<FragmentMethod>(*method);
}

}  // namespace

TEST_CASE("the code of every compute method of a filter, user's filters included, gives what was timed") {
    KernelBench bench;
    struct Image {
        Format format;
        Size size;
        uint32_t radius;
    };
    constexpr Image images[] = {{Format::rgba8, {141, 37}, 4}, {Format::rgba32f, {37, 139}, 1}};
    const FilterText mean = user_filter("mean.glsl", R"(struct State { vec4 sum; };
State filter_center(vec4 texel) { return State(texel); }
void filter_iteration(inout State state, vec4 texel, int offset) { state.sum += texel; }
vec4 filter_result(State state) { return state.sum / float(2 * RADIUS + 1); }
)");
    const std::vector<Order> orders = some_orders();
    // The suite has of each filter and image every fourth way, beginning with another one each time.
    const size_t one_in = soaking() ? 1 : 4;
    size_t first = 0;
    std::set<std::pair<std::string, std::string>> proved;
    for (const Image& image : images)
        for (const FilterText& filter : {gaussian_filter(), bilateral_filter(), mean}) {
            size_t way = first++;
            for (const Job& job : separable_jobs(bench.images, bench.references, filter, image.format, image.size,
                                                 image.radius, orders)) {
                TimedMethod timed = timed_method(job, orders);
                timed.filter = filter;
                if (is_drawn(job)) {
                    CHECK_THROWS_AS(method_code(timed, ""), Error);
                    continue;
                }
                if (way++ % one_in != 0) continue;
                check_image(bench, job, timed);
                proved.insert({job.method, job.order});
            }
            CHECK(way >= first - 1 + orders.size() + 4);
        }
    CHECK(proved.size() >= orders.size() + 4);
}

TEST_CASE("the code of every method of the box blur gives what was timed") {
    KernelBench bench;
    const std::vector<Order> orders = some_orders();
    const References& references = bench.references;
    for (const auto& [format, radius] :
         std::vector<std::pair<Format, uint32_t>>{{Format::rgba8, 3}, {Format::rgba16f, 8}, {Format::rgba32f, 16}}) {
        const BoxRequest request = {format, {147, 61}, radius};
        size_t way = 0;
        for (const Order& order : orders)
            for (const Access access : {Access::fetch, Access::load})
                for (const bool run_time : {false, true}) {
                    // One in five of the suite has each order, each access, and both kinds of radius.
                    if (way++ % 5 != 0 && !soaking()) continue;
                    const Job job = box_direct(bench.images, references, request, order, {access, run_time});
                    check_image(bench, job, timed_method(job, orders));
                }
        const Job running = box_running(bench.images, references, request, running_shape(bench.context, request));
        const bool is_known_shape =
            box_method_of(request, running.method, {running.shape[axis_x], running.shape[axis_y]}, running.invocations)
                .has_value();
        REQUIRE(is_known_shape);
        check_image(bench, running, timed_method(running, orders));
    }
}

TEST_CASE("the code of an average gives the mean, twice in a row, and that of the brightest texels all of them") {
    KernelBench bench;
    if (bench.context.subgroup_size == 0) {
        MESSAGE("SKIPPED: the device has no subgroup arithmetic");
        return;
    }
    const Size size = {203, 141};
    const auto source = pooled_image(bench.images, ImageUse::source, Format::rgba8, size);
    const auto texels = source_texels(bench.images, Format::rgba8, size);
    const std::vector<Order> orders = some_orders();
    for (const Order& order : orders) {
        CAPTURE(order.name);
        const Job job = average_subgroups(bench.images, Format::rgba8, size, order);
        const std::string code = method_code(timed_method(job, orders), "");
        struct Push {
            uint32_t size[2], steps[2], stride[2];
            float scale;
        } push = {};
        const auto library = host_library(code);
        const uint32_t groups = function_in<uint32_t(uint32_t, uint32_t, Push*)>(library, "tilewise_groups")(
            size.width, size.height, &push);
        const DeviceBuffer mean = create_device_buffer(bench.context, 32),
                           sums = create_device_buffer(bench.context, VkDeviceSize{16} * groups);
        ComputePassInputs inputs;
        inputs.buffers = {mean.handle.handle, sums.handle.handle};
        inputs.textures = {source->view.handle};
        inputs.groups = {groups, 1, 1};
        inputs.push.resize(sizeof push / sizeof(uint32_t));
        std::memcpy(inputs.push.data(), &push, sizeof push);
        const std::vector<uint32_t> spirv = compiled(code, 0);
        for (int run = 0; run < 2; run++) {
            fill(bench.context, mean, 16, ~0u);
            dispatch(bench.context, spirv, inputs);
            std::array<float, 4> got = {};
            std::memcpy(got.data(), download(bench.context, mean, sizeof got).data(), sizeof got);
            const std::array<double, 4> expected = mean_of(*texels);
            for (size_t i = 0; i < 4; i++)
                CHECK(static_cast<double>(got[i]) == doctest::Approx(expected[i]).epsilon(1e-5));
        }
    }
    if (!has_brightest_subgroups(bench.context)) {
        MESSAGE("brightest is left out: the device has no subgroups of up to 64 with arithmetic");
        return;
    }
    for (const Order& order : orders) {
        CAPTURE(order.name);
        const Job job = brightest_subgroups(bench.images, Format::rgba8, size, order);
        const std::string code = method_code(timed_method(job, orders), "");
        const auto library = host_library(code);
        ComputePassInputs inputs;
        inputs.constants.resize(21);
        const uint32_t groups = function_in<uint32_t(uint32_t, uint32_t, uint32_t*)>(library, "tilewise_groups")(
            size.width, size.height, &inputs.constants[16]);
        const uint64_t squares = uint64_t{26} * 18;
        const DeviceBuffer counters = create_device_buffer(bench.context, 512),
                           list = create_device_buffer(bench.context, squares * sizeof(BrightPoint));
        inputs.buffers = {counters.handle.handle, list.handle.handle};
        inputs.textures = {source->view.handle};
        inputs.groups = {groups, 1, 1};
        const float threshold = brightest_threshold(Format::rgba8);
        inputs.push = {size.width, size.height, std::bit_cast<uint32_t>(threshold)};
        const std::vector<uint32_t> spirv = compiled(code, 0);
        for (int run = 0; run < 2; run++) {
            dispatch(bench.context, spirv, inputs);
            uint32_t total = 0;
            std::memcpy(&total, download(bench.context, counters, sizeof total).data(), sizeof total);
            REQUIRE(total <= squares);
            std::vector<BrightPoint> points(total);
            const std::vector<std::byte> bytes = download(bench.context, list, total * sizeof(BrightPoint));
            std::memcpy(points.data(), bytes.data(), bytes.size());
            CHECK(wrong_points(*texels, threshold, points) == "");
        }
    }
}

TEST_CASE("the code of a mip chain makes every level, twice in a row, in one dispatch and in one a level") {
    KernelBench bench;
    const Size size = {301, 200};
    const auto source = pooled_image(bench.images, ImageUse::source, Format::rgba16f, size);
    const auto levels = pooled_image(bench.images, ImageUse::levels, Format::rgba16f, level_size(size, 1));
    const DeviceBuffer counter = create_device_buffer(bench.context, 4);
    const std::vector<Order> orders = some_orders();
    const auto check_levels = [&](double slack_of_first) {
        Texels above = *source_texels(bench.images, Format::rgba16f, size);
        for (uint32_t level = 0; level < levels->levels; level++) {
            Texels own = download(bench.context, *levels, level);
            CAPTURE(level);
            CHECK(wrong_level(above, own, 2, level == 0 ? slack_of_first : 0) == "");
            above = std::move(own);
        }
        clear(bench.context, *levels, {});
    };
    const auto code_of = [&](const Job& job) {
        CAPTURE(job.method);
        return method_code(CodeRequest{.method = timed_method(job, orders), .format = "", .size = size}, "").text;
    };
    const auto groups_of = [](const std::string& code, Size of) {
        std::array<uint32_t, 3> groups = {};
        function_in<void(uint32_t, uint32_t, uint32_t*)>(host_library(code), "tilewise_groups")(of.width, of.height,
                                                                                                groups.data());
        return groups;
    };
    for (const MipShape& shape : mip_shapes) {
        CAPTURE(mip_chain_one_name(shape));
        const std::string one = code_of(mip_chain_one(bench.images, Format::rgba16f, size, orders.back(), shape));
        CHECK(one.find("bindings 1 to 8: levels 1 to 8") != std::string::npos);
        CHECK((one.find("a sampler that is bilinear and clamps to the edge") != std::string::npos) == shape.is_sampled);
        const std::vector<uint32_t> one_spirv = compiled(one, 0);
        ComputePassInputs all;
        all.buffers = {counter.handle.handle};
        for (const auto& level : levels->each_level) all.images.push_back(level.handle);
        all.textures = {source->view.handle};
        all.bilinear = shape.is_sampled;
        all.push = {size.width, size.height};
        all.groups = groups_of(one, size);
        for (int run = 0; run < 2; run++) {
            dispatch(bench.context, one_spirv, all);
            check_levels(shape.is_sampled ? 2.0 / 256 : 0);
        }
    }
    const std::string by_level =
        code_of(mip_chain_by_level(bench.images, Format::rgba16f, size, {orders[1].name, orders[1].remap}));
    const std::vector<uint32_t> level_spirv = compiled(by_level, 0);
    for (uint32_t level = 0; level < levels->levels; level++) {
        const Size above = level_size(size, level);
        ComputePassInputs inputs;
        inputs.images = {levels->each_level[level].handle};
        inputs.textures = {level == 0 ? source->view.handle : levels->each_level[level - 1].handle};
        inputs.push = {above.width, above.height};
        inputs.groups = groups_of(by_level, level_size(size, level + 1));
        dispatch(bench.context, level_spirv, inputs);
    }
    check_levels(0);
}

TEST_CASE("the code of a histogram counts every texel, twice in a row") {
    KernelBench bench;
    const Size size = {301, 200};
    const std::vector<Order> orders = some_orders();
    const DeviceBuffer bins = create_device_buffer(bench.context, histogram_bytes({})),
                       result = create_device_buffer(bench.context, sizeof(Histogram));
    for (const Format format : {Format::rgba8, Format::rgba32f}) {
        const auto source = pooled_image(bench.images, ImageUse::source, format, size);
        const Job job = histogram_one(bench.images, format, size, orders[1]);
        const std::string code = method_code(timed_method(job, orders), "");
        struct Push {
            uint32_t size[2], steps[2], stride[2];
        } push = {};
        ComputePassInputs inputs;
        inputs.groups[0] = function_in<uint32_t(uint32_t, uint32_t, Push*)>(host_library(code), "tilewise_groups")(
            size.width, size.height, &push);
        inputs.buffers = {bins.handle.handle, result.handle.handle};
        inputs.textures = {source->view.handle};
        inputs.push.resize(sizeof push / sizeof(uint32_t));
        std::memcpy(inputs.push.data(), &push, sizeof push);
        const std::vector<uint32_t> spirv = compiled(code, 0);
        for (int run = 0; run < 2; run++) {
            fill(bench.context, result, sizeof(Histogram), ~0u);
            dispatch(bench.context, spirv, inputs);
            Histogram histogram;
            std::memcpy(&histogram, download(bench.context, result, sizeof histogram).data(), sizeof histogram);
            CHECK(wrong_histogram(*source_texels(bench.images, format, size), histogram) == "");
        }
    }
}

TEST_CASE("the code of a bloom's steps, down and up, is right over levels of any size") {
    KernelBench bench;
    const std::vector<Order> orders = some_orders();
    for (const BloomTaps taps : {BloomTaps::sampler, BloomTaps::fetches}) {
        const Order& order = orders[taps == BloomTaps::sampler ? 2 : 1];
        const Size size = {101, 67}, half = level_size(size, 1);
        const Job job = bloom_direct(bench.images, bench.references, Format::rgba16f, size, order, taps);
        const std::string code = method_code(timed_method(job, orders), "");
        CHECK((code.find("sampler is bilinear") != std::string::npos) == (taps == BloomTaps::sampler));
        Texture source, down, up;
        for (const auto& [texture, of] : {std::pair(&source, size), {&down, half}, {&up, size}})
            create_texture(bench.context, Format::rgba16f, of, {}, *texture);
        upload(bench.context, source, random_texels(Format::rgba16f, size, 5));
        for (const auto& [pass, from, to] : {std::tuple(1u, &source, &down), {2u, &down, &up}}) {
            ComputePassInputs inputs;
            inputs.images = {to->view.handle};
            inputs.textures = {from->view.handle};
            inputs.bilinear = taps == BloomTaps::sampler;
            inputs.push = {to->size.width, to->size.height, from->size.width, from->size.height};
            function_in<void(uint32_t, uint32_t, uint32_t*)>(host_library(code), "tilewise_groups")(
                to->size.width, to->size.height, inputs.groups.data());
            dispatch(bench.context, compiled(code, pass), inputs);
            CHECK(wrong_bloom_step(download(bench.context, *from), download(bench.context, *to),
                                   pass == 1 ? BloomStep::down : BloomStep::up) == "");
        }
    }
}

TEST_CASE("a workgroup or method that this program does not make is refused, whatever its numbers are") {
    TimedMethod timed;
    timed.kernel = "gaussian";
    timed.filter = gaussian_filter();
    timed.radius = 2;
    const auto is_refused = [&](const char* method, Size shape, uint32_t invocations) {
        timed.method = method;
        timed.shape = shape;
        timed.invocations = invocations;
        CHECK_THROWS_AS(method_code(timed, ""), Error);
    };
    is_refused("shared, 0 lines, 4 results, 32 bit", {256, 2}, 128);
    is_refused("shared, 2 lines, 0 results, 32 bit", {256, 2}, 128);
    is_refused("shared, 2 lines, 4 results, 32 bit", {256, 4}, 128);
    is_refused("shared, 2 lines, 4 results, 32 bit; more", {256, 2}, 128);
    is_refused("shared, 99999999999 lines, 4 results, 32 bit", {256, 2}, 128);
    is_refused("fused, 8 rows, 1 strips, 0 results, 32 bit", {112, 8}, 128);
    is_refused("fused, 0 rows, 1 strips, 8 results, 32 bit", {112, 0}, 128);
    is_refused("fused, 8 rows, 1 strips, 8 results, 32 bit", {112, 8}, 0);
    is_refused("direct", {16, 16}, 256);  // in which order?
    timed.kernel = "box";
    is_refused("running sums", {112, 0}, 128);
    is_refused("running sums", {1000, 296}, 128);
    timed.kernel = "brightest";
    is_refused("subgroups", {16, 0}, 256);
    is_refused("subgroups", {16, 1u << 31}, 256);
    is_refused("subgroups", {16, 130}, 256);  // whole squares of 8x8: 128 rows
    timed.kernel = "unheard of";
    timed.filter.reset();
    is_refused("direct", {16, 16}, 256);
}
