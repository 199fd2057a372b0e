#include "kernels/box/box.h"
#include "kernels/reference.h"
#include "patterns/model/bits.h"
#include "patterns/snippet/kernel.h"
#include <algorithm>

namespace tilewise::kernels {

namespace {

void require_radius(uint32_t radius) {
    if (radius < 1 || radius > max_box_radius)
        throw UsageError(fmt::format("a box blur has a radius of 1 to {}, not {}", max_box_radius, radius));
}

Task box_task(const BoxRequest& request) {
    require_radius(request.radius);
    const uint64_t image_bytes = count(request.size) * traits_of(request.format).bytes;
    return {"box", request.format, request.size, request.radius, 2 * image_bytes};
}

// Create: the bindings of a pass.

struct BoxImages {
    std::shared_ptr<const Texture> source, result;
};

BoxImages images_of(ImagePool& pool, const BoxRequest& request) {
    return {pooled_image(pool, ImageUse::source, request.format, request.size),
            pooled_image(pool, ImageUse::result, request.format, request.size)};
}

// Record: one pass.

Record record_box(ComputePass pass, const BoxImages& images) {
    std::vector<ComputePass> passes;
    passes.push_back(std::move(pass));
    return record_passes(std::move(passes), {images.source, images.result});
}

// Check: against the reference.

ResultCheck box_check(ImagePool& pool, const References& references, const BoxRequest& request, uint32_t additions,
                      double slack = 0) {
    const std::string key = fmt::format("box {} {} {}x{}", request.radius, traits_of(request.format).name,
                                        request.size.width, request.size.height);
    const auto reference = [radius = request.radius, texels = source_texels(pool, request.format, request.size)] {
        return box_reference(*texels, radius);
    };
    return image_check(pool, references, images_of(pool, request).result, {key, reference, additions, slack});
}

std::string name_of(const BoxDirect& method) {
    return fmt::format("{}{}{}", direct_name, method.access == Access::load ? " imageLoad" : "",
                       method.run_time_radius ? ", radius at run time" : "");
}

std::string name_of(const RunningShape&) { return "running sums"; }

}  // namespace

std::string method_name(const BoxMethod& method) {
    return std::visit([](const auto& each) { return name_of(each); }, method);
}

Variant box_direct_variant(const BoxRequest& request, BoxDirect method) {
    Variant variant = {"box_direct.comp", {{"FORMAT", traits_of(request.format).qualifier}}};
    if (method.access == Access::load) variant.defines.emplace_back("LOAD", "");
    if (method.run_time_radius)
        variant.defines.emplace_back("RUN_TIME", "");
    else if (request.radius <= max_unrolled_radius)
        variant.defines.emplace_back("UNROLL", "");
    return variant;
}

ComputePassInputs box_direct_inputs(ImagePool& pool, const BoxRequest& request, const Order& order, BoxDirect method) {
    require_radius(request.radius);
    const BoxImages images = images_of(pool, request);
    ComputePassInputs inputs;
    inputs.images = {images.result->view.handle};
    (method.access == Access::load ? inputs.images : inputs.textures).push_back(images.source->view.handle);
    inputs.constants = order_constants(order.remap, order.groups);
    inputs.constants.push_back(request.radius);
    inputs.push = {request.size.width, request.size.height, request.radius};
    inputs.groups = dispatched_groups(order.groups, order.remap.shape, {request.size.width, request.size.height});
    return inputs;
}

RegisterCounts box_direct_registers(ImagePool& pool, const BoxRequest& request, std::span<const Order> orders) {
    std::vector<ComputePassInputs> passes;
    passes.reserve(orders.size());
    for (const Order& order : orders) passes.push_back(box_direct_inputs(pool, request, order));
    return registers_of(pool.context, box_direct_variant(request), std::move(passes));
}

Job box_direct(ImagePool& pool, const References& references, const BoxRequest& request, const Order& order,
               ComputePass pass, BoxDirect method) {
    const uint32_t diameter = 2 * request.radius + 1;
    return make_job(pool, box_task(request), method_name(method), in_order(order),
                    record_box(std::move(pass), images_of(pool, request)),
                    box_check(pool, references, request, diameter * diameter));
}

Job box_direct(ImagePool& pool, const References& references, const BoxRequest& request, const Order& order,
               BoxDirect method) {
    const ComputePassInputs inputs = box_direct_inputs(pool, request, order, method);
    ComputePass pass = create_compute_pass(pool.context, box_direct_variant(request, method), inputs);
    return box_direct(pool, references, request, order, std::move(pass), method);
}

uint32_t strip_width(const BoxRequest& request, const RunningShape& shape) {
    const uint32_t columns = shape.invocations - std::min(shape.invocations, 2 * request.radius);
    return shape.results == 0 ? 0 : columns / shape.results * shape.results;
}

namespace {

/// How many of the lowest bits of a column's sum of bytes must be cut off so that the total of a row fits into half a
/// word; none if that takes more than two.
std::optional<uint32_t> bits_cut(uint32_t radius) {
    const uint32_t diameter = 2 * radius + 1;
    for (uint32_t bits = 0; bits <= 2; ++bits)
        if ((diameter * 255 >> bits) * diameter <= 0xffff) return bits;
    return std::nullopt;
}

/// The largest loss from that, as a part of a texel's value from 0 to 1.
double loss_of_cut(const BoxRequest& request) {
    if (request.format != Format::rgba8) return 0;
    const uint32_t most_of_a_column = (1U << bits_cut(request.radius).value_or(0)) - 1;
    return most_of_a_column / 2.0 / (2 * request.radius + 1) / 255;
}

uint32_t sum_bytes(const BoxRequest& request) { return request.format == Format::rgba8 ? 8 : 16; }

/// SKEW of box_running.comp, in sums.
uint32_t row_skew(const BoxRequest& request, const RunningShape& shape) {
    constexpr uint32_t bank_bytes = 128;  // of all shared memory banks together: 32 banks of 4 bytes
    const uint32_t sums_at_once = bank_bytes / sum_bytes(request);
    return shape.results * (std::max(sums_at_once / shape.rows, 1U) - 1);
}

/// The number of sums that shared memory holds.
uint32_t running_sums(const BoxRequest& request, const RunningShape& shape) {
    return shape.rows * (shape.invocations + 1) + shape.rows / shape.results * row_skew(request, shape);
}

}  // namespace

uint32_t running_bytes(const BoxRequest& request, const RunningShape& shape) {
    return running_sums(request, shape) * sum_bytes(request);
}

namespace {

void require_shape(const Context& context, const BoxRequest& request, const RunningShape& shape) {
    if (strip_width(request, shape) == 0 || shape.rows == 0 || shape.strip_rows % shape.rows != 0)
        throw UsageError(
            fmt::format("running sums over radius {} cannot have {} invocations with {} results, strips of "
                        "{} rows, {} at once",
                        request.radius, shape.invocations, shape.results, shape.strip_rows, shape.rows));
    const uint32_t bytes = running_bytes(request, shape);
    if (bytes > context.shared_bytes)
        throw Error(fmt::format(
            "running sums of {} invocations and {} rows need {} bytes of shared memory, of which {} "
            "allows {}: take fewer",
            shape.invocations, shape.rows, bytes, context.device.traits.properties.deviceName, context.shared_bytes));
}

/// The assumed number of multiprocessors if a driver does not report it.
constexpr uint32_t usual_multiprocessors = 32;

/// Measured on an H100 or H200, 4096x4096, driver 580.159.04 (docs/results/nvidia-h100-tried.md).
struct FastestShape {
    Format format;
    uint32_t up_to_radius;
    /// If strip_rows is 0, it is chosen so that all workgroups run at once.
    RunningShape shape;
    /// Workgroups that each multiprocessor runs at once.
    uint32_t on_each = 4;

    bool is_for(const BoxRequest& request) const { return format == request.format && request.radius <= up_to_radius; }
};
constexpr FastestShape fastest_shapes[] = {
    {Format::rgba8, 2, {64, 8, 4, 40}},
    {Format::rgba8, 4, {136, 8, 4, 0}, 5},
    {Format::rgba8, 6, {112, 8, 4, 0}, 6},
    {Format::rgba8, 8, {160, 8, 4, 0}},
    {Format::rgba8, 10, {128, 8, 4, 0}, 5},
    {Format::rgba8, max_box_radius, {128, 8, 8, 0}, 5},
    {Format::rgba16f, 4, {64, 8, 4, 32}},
    {Format::rgba16f, 7, {64, 8, 4, 48}},
    {Format::rgba16f, 8, {160, 8, 4, 0, true}, 2},
    {Format::rgba16f, 10, {96, 8, 4, 0, true}, 3},
    {Format::rgba16f, 11, {128, 8, 8, 0, true}},
    {Format::rgba16f, 12, {160, 8, 8, 0, true}},
    {Format::rgba16f, 15, {128, 8, 8, 0, true}},
    {Format::rgba16f, max_box_radius, {160, 16, 16, 0, true}},
    {Format::rgba32f, 5, {128, 8, 4, 24}},
    {Format::rgba32f, 8, {112, 8, 8, 32}},
    {Format::rgba32f, 10, {128, 8, 4, 32}},
    {Format::rgba32f, 12, {128, 8, 4, 40}},
    {Format::rgba32f, max_box_radius, {128, 8, 8, 40}},
};

/// Earlier versions used these shapes; databases, including the shipped catalog, have timings with them that only give
/// the workgroup.
constexpr FastestShape earlier_shapes[] = {
    {Format::rgba8, 4, {64, 8, 4, 40}},
    {Format::rgba8, 5, {96, 8, 4, 64}},
    {Format::rgba8, 6, {160, 8, 4, 0}},
    {Format::rgba8, 10, {128, 8, 8, 0}},
    {Format::rgba8, max_box_radius, {160, 8, 8, 0, true}},
    {Format::rgba16f, 5, {64, 4, 4, 32}},
    {Format::rgba16f, 10, {128, 8, 8, 0, true}},
    {Format::rgba16f, 12, {64, 8, 8, 48, true}},
    {Format::rgba16f, 15, {160, 16, 16, 0, true}},
    {Format::rgba32f, 4, {64, 8, 4, 32}},
    {Format::rgba32f, 6, {128, 8, 4, 24}},
    {Format::rgba32f, 12, {128, 8, 8, 32}},
    {Format::rgba32f, max_box_radius, {128, 8, 12, 48, true}},
};

uint32_t strip_rows_at_once(const WorkgroupLimits& limits, const BoxRequest& request, const RunningShape& shape,
                            uint32_t on_each) {
    const uint32_t workgroups_at_once =
        on_each * (limits.multiprocessors == 0 ? usual_multiprocessors : limits.multiprocessors);
    const uint32_t strips_across = ceil_div(request.size.width, strip_width(request, shape));
    const uint32_t strips_down = std::max(workgroups_at_once / strips_across, 1u);
    return ceil_div(ceil_div(request.size.height, strips_down), shape.rows) * shape.rows;
}

const FastestShape& fastest_shape(const BoxRequest& request) {
    require_radius(request.radius);
    return *std::ranges::find_if(fastest_shapes, [&](const FastestShape& each) { return each.is_for(request); });
}

/// The shape of this version, then those of earlier ones.
std::vector<RunningShape> known_shapes(const BoxRequest& request) {
    std::vector<RunningShape> shapes = {fastest_shape(request).shape};
    for (const FastestShape& earlier : earlier_shapes)
        if (earlier.is_for(request)) shapes.push_back(earlier.shape);
    return shapes;
}

/// The shape `known` if it has this workgroup.
std::optional<RunningShape> with_workgroup(const BoxRequest& request, const RunningShape& known, Size workgroup,
                                           uint32_t invocations) {
    if (invocations != known.invocations || workgroup.width != strip_width(request, known)) return std::nullopt;
    const bool is_height = known.strip_rows == 0 ? workgroup.height > 0 && workgroup.height % known.rows == 0
                                                 : workgroup.height == known.strip_rows;
    if (!is_height) return std::nullopt;
    RunningShape shape = known;
    shape.strip_rows = workgroup.height;
    return shape;
}

}  // namespace

RunningShape running_shape(const WorkgroupLimits& limits, const BoxRequest& request) {
    const FastestShape& fastest = fastest_shape(request);
    RunningShape shape = fastest.shape;
    shape.invocations = std::min(shape.invocations, limits.max_invocations);
    while (shape.rows > 1 && running_bytes(request, shape) > limits.shared_bytes) shape.rows /= 2;
    if (shape.strip_rows == 0) shape.strip_rows = strip_rows_at_once(limits, request, shape, fastest.on_each);
    return shape;
}

std::optional<BoxMethod> box_method_of(const BoxRequest& request, const std::string& name, Size workgroup,
                                       uint32_t invocations) {
    for (const Access access : {Access::fetch, Access::load})
        for (const bool run_time_radius : {false, true})
            if (const BoxMethod direct = BoxDirect{access, run_time_radius}; method_name(direct) == name) return direct;
    if (name != method_name(RunningShape{})) return std::nullopt;
    for (const RunningShape& known : known_shapes(request))
        if (const auto shape = with_workgroup(request, known, workgroup, invocations)) return *shape;
    return std::nullopt;
}

Variant running_variant(const BoxRequest& request, const RunningShape& shape) {
    const auto number = [](uint32_t value) { return std::to_string(value); };
    Variant variant = {"box_running.comp",
                       {{"FORMAT", traits_of(request.format).qualifier},
                        {"RADIUS", number(request.radius)},
                        {"INVOCATIONS", number(shape.invocations)},
                        {"ROWS", number(shape.rows)},
                        {"RESULTS", number(shape.results)},
                        {"SKEW", number(row_skew(request, shape))},
                        {"SUMS", number(running_sums(request, shape))},
                        {"STRIP_WIDTH", number(strip_width(request, shape))}}};
    if (request.format == Format::rgba8) {
        variant.defines.emplace_back("BYTES", "");
        if (const auto bits = bits_cut(request.radius)) variant.defines.emplace_back("CUT", number(*bits));
    }
    if (request.format == Format::rgba16f) variant.defines.emplace_back("HALF", "");
    if (shape.refetch) variant.defines.emplace_back("REFETCH", "");
    return variant;
}

Job box_running(ImagePool& pool, const References& references, const BoxRequest& request, const RunningShape& shape) {
    require_shape(pool.context, request, shape);
    const Size strip = {strip_width(request, shape), shape.strip_rows};

    // Create
    const BoxImages images = images_of(pool, request);
    ComputePassInputs inputs;
    inputs.images = {images.result->view.handle};
    inputs.textures = {request.format == Format::rgba8 ? images.source->packed.handle : images.source->view.handle};
    inputs.push = {request.size.width, request.size.height, shape.strip_rows};
    inputs.groups = groups_over(request.size, strip);
    ComputePass pass = create_compute_pass(pool.context, running_variant(request, shape), inputs);

    // Record, check
    const uint32_t additions = 2 * (2 * request.radius + 1) + 2 * shape.strip_rows + 2 * shape.results;
    return make_job(pool, box_task(request), method_name(shape),
                    {"", {strip.width, strip.height, 1, 1}, shape.invocations}, record_box(std::move(pass), images),
                    box_check(pool, references, request, additions, loss_of_cut(request)));
}

}  // namespace tilewise::kernels
