#include "kernels/brightest/brightest.h"
#include "kernels/shader/compute_pass.h"
#include "patterns/model/bits.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tilewise::kernels {

namespace {

constexpr uint32_t texels_of_square = square_side * square_side;
constexpr VkDeviceSize counters_bytes = 512;  // `Counters` in brightest.glsl
static_assert(sizeof(BrightPoint) == 32);

Size squares_of(Size size) { return {ceil_div(size.width, square_side), ceil_div(size.height, square_side)}; }

struct List {
    std::shared_ptr<DeviceBuffer> counters, points;
};

List list_of(ImagePool& pool, Size size) {
    return {pooled_buffer(pool, "counters", counters_bytes),
            pooled_buffer(pool, "bright points", count(squares_of(size)) * sizeof(BrightPoint))};
}

std::string wrong_list(Context& context, const List& list, const Texels& texels) {
    uint32_t total = 0;
    std::memcpy(&total, download(context, *list.counters, sizeof total).data(), sizeof total);
    if (total > count(squares_of(texels.size)))
        return fmt::format("there are {} points in {} squares", total, count(squares_of(texels.size)));
    std::vector<BrightPoint> points(total);
    if (total > 0) {
        const VkDeviceSize bytes = total * sizeof(BrightPoint);
        std::memcpy(points.data(), download(context, *list.points, bytes).data(), bytes);
    }
    return wrong_points(texels, brightest_threshold(texels.format), points);
}

enum class Total { cleared_before, left_by_kernel };

Job brightest_job(ImagePool& pool, const char* method, Format format, Size size, const std::string& order, Size shape,
                  const Variant& variant, ComputePassInputs inputs, Total total) {
    const uint64_t points_bytes = count(squares_of(size)) * sizeof(BrightPoint) / 2;
    const Task task = {"brightest", format, size, 0, count(size) * traits_of(format).bytes + points_bytes};

    // Create
    const List list = list_of(pool, size);
    const auto source = pooled_image(pool, ImageUse::source, format, size);
    inputs.buffers = {list.counters->handle.handle, list.points->handle.handle};
    inputs.textures = {source->view.handle};
    inputs.push = {size.width, size.height, std::bit_cast<uint32_t>(brightest_threshold(format))};
    const auto pass = std::make_shared<const ComputePass>(create_compute_pass(pool.context, variant, inputs));

    // Record
    const Record work = [pass, source, list, total](VkCommandBuffer commands) {
        if (total == Total::cleared_before) {
            vkCmdFillBuffer(commands, list.counters->handle.handle, 0, sizeof(uint32_t), 0);
            vulkan::full_barrier(commands);
        }
        record(commands, *pass);
    };

    // Check
    ResultCheck check;
    check.poison = [&context = pool.context, list] {
        fill(context, *list.counters, sizeof(uint32_t), ~0u);
        fill(context, *list.points, list.points->size, ~0u);
    };
    check.compare = [&context = pool.context, list, texels = source_texels(pool, format, size)] {
        return wrong_list(context, list, *texels);
    };
    return make_job(pool, task, method, {order, {shape.width, shape.height, 1, 1}, inputs.constants.front()}, work,
                    std::move(check));
}

/// One workgroup per square, whose invocations take `region` by `region` texels each.
Job shared_job(ImagePool& pool, const char* method, Format format, Size size, const Order& order, uint32_t region,
               bool tree) {
    Variant variant = {"brightest_shared.comp", {{"REGION", std::to_string(region)}}};
    if (tree) variant.defines.emplace_back("TREE", "");
    const uint32_t from = region / 2;
    ComputePassInputs inputs;
    inputs.constants = order_constants(order_in_square(order.remap, from, 3 - from));
    inputs.groups = groups_over(size, {square_side, square_side});
    return brightest_job(pool, method, format, size, order.name, {square_side, square_side}, variant, std::move(inputs),
                         Total::cleared_before);
}

}  // namespace

float brightest_threshold(Format format) {
    // Channels are spread evenly over (0, 1]; halves are spread evenly over four exponents, so that few are high.
    return format == Format::rgba16f ? 0.84F : 0.91F;
}

Job brightest_one_searches(ImagePool& pool, Format format, Size size, const Order& order) {
    return shared_job(pool, "groupshared, one searches", format, size, order, 1, false);
}

Job brightest_tree(ImagePool& pool, Format format, Size size, const Order& order) {
    return shared_job(pool, "groupshared, tree", format, size, order, 1, true);
}

Job brightest_quads_tree(ImagePool& pool, Format format, Size size, const Order& order) {
    return shared_job(pool, "2x2 an invocation, tree", format, size, order, 2, true);
}

Job brightest_whole_square(ImagePool& pool, Format format, Size size, const Order& order) {
    ComputePassInputs inputs;
    inputs.constants = order_constants(order.remap);
    const Size shape = {shape_of(order.remap).width * square_side, shape_of(order.remap).height * square_side};
    inputs.groups = groups_over(size, shape);
    return brightest_job(pool, "8x8 an invocation", format, size, order.name, shape, {"brightest_alone.comp"},
                         std::move(inputs), Total::cleared_before);
}

TicketRounds ticket_rounds(Size size, uint32_t boxes) {
    const auto count_bits = static_cast<uint32_t>(std::bit_width(count(squares_of(size))));
    const uint32_t max_groups = 1u << (32 - count_bits);
    return {ceil_div(boxes, max_groups), count_bits};
}

bool has_brightest_subgroups(const Context& context) {
    return context.subgroup_size > 0 && context.subgroup_size <= texels_of_square;
}

Remap square_order(const Remap& remap) { return order_in_square(remap, 0, 3); }

Variant brightest_subgroups_variant(uint32_t subgroup_size, const BrightestDeal& deal) {
    return {"brightest_subgroups.comp",
            {{"SUBGROUP", std::to_string(subgroup_size)}, {"BLOCKS", std::to_string(deal.squares)}}};
}

Job brightest_subgroups(ImagePool& pool, Format format, Size size, const Order& order, const BrightestDeal& deal) {
    const uint32_t subgroup = pool.context.subgroup_size;
    if (!has_brightest_subgroups(pool.context))
        throw Error(fmt::format("the device has no subgroups of up to {} with arithmetic", texels_of_square));
    const uint32_t squares = deal.invocations / subgroup * deal.squares;
    if (squares == 0 || deal.along_x == 0 || deal.invocations % subgroup != 0 || squares % deal.along_x != 0)
        throw UsageError(fmt::format("{} squares for each of {} invocations cannot be dealt out {} along x",
                                     deal.squares, deal.invocations, deal.along_x));
    const Size box = {deal.along_x, squares / deal.along_x};
    const Size shape = {box.width * square_side, box.height * square_side};
    const auto boxes = groups_over(size, shape);

    const uint32_t all = boxes[0] * boxes[1];
    const TicketRounds rounds = ticket_rounds(size, all);

    ComputePassInputs inputs;
    inputs.constants = order_constants(square_order(order.remap));
    inputs.constants.front() = deal.invocations;
    for (const uint32_t constant : {box.width, box.height, boxes[0], rounds.count, rounds.count_bits})
        inputs.constants.push_back(constant);
    inputs.groups = {ceil_div(all, rounds.count), 1, 1};
    return brightest_job(pool, brightest_subgroups_name, format, size, order.name, shape,
                         brightest_subgroups_variant(subgroup, deal), std::move(inputs), Total::left_by_kernel);
}

std::vector<Job> brightest_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders) {
    std::vector<Job> jobs;
    for (const Order& order : orders) {
        jobs.push_back(brightest_one_searches(pool, format, size, order));
        jobs.push_back(brightest_whole_square(pool, format, size, order));
        jobs.push_back(brightest_tree(pool, format, size, order));
        jobs.push_back(brightest_quads_tree(pool, format, size, order));
        if (has_brightest_subgroups(pool.context)) jobs.push_back(brightest_subgroups(pool, format, size, order));
    }
    return jobs;
}

}  // namespace tilewise::kernels
