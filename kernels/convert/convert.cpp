#include "kernels/convert/convert.h"
#include "kernels/shader/cache.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include <algorithm>
#include <cstring>
#include <random>

namespace tilewise::kernels {

namespace {

using Buffers = std::shared_ptr<const ConvertBuffers>;

ConvertResult result_of(ConvertDirection direction) {
    return direction == ConvertDirection::tile ? ConvertResult::memory : ConvertResult::rows;
}

std::vector<VkBuffer> from_to(const Buffers& buffers, ConvertDirection direction) {
    const VkBuffer rows = buffers->rows.handle.handle, memory = buffers->memory.handle.handle;
    return direction == ConvertDirection::tile ? std::vector{rows, memory} : std::vector{memory, rows};
}

}  // namespace

Job convert_job(Context& context, const ConvertImage& image, ConvertJob how) {
    Job job;
    job.kernel = "convert";
    job.minimum_bytes = 2 * image.rows.size();
    job.subject = image.name;
    job.method = std::move(how.method);
    job.invocations = how.invocations;
    job.memory_type = device_memory_type(context, ~0U);
    job.record = std::move(how.record);
    job.check = [&context, &image, buffers = how.buffers, gives = how.gives,
                 record = how.check ? how.check : job.record]() -> std::string {
        upload(context, buffers->rows, image.rows);
        upload(context, buffers->memory, image.memory);
        const bool rows = gives == ConvertResult::rows;
        const DeviceBuffer& result = rows ? buffers->rows : buffers->memory;
        const std::span<const std::byte> expected = gives == ConvertResult::memory ? image.memory : image.rows;
        fill(context, result, result.size, 0);
        vulkan::run_commands(context.device, context.commands, record);
        const std::vector<std::byte> got = download(context, result, expected.size());
        const auto [wrong, right] = std::ranges::mismatch(got, expected);
        if (wrong == got.end()) return "";
        return fmt::format("byte {} is {:#04x}, not {:#04x}", wrong - got.begin(), std::to_integer<unsigned>(*wrong),
                           std::to_integer<unsigned>(*right));
    };
    return job;
}

ConvertImage make_convert_image(std::string name, std::vector<ConvertPart> parts) {
    ConvertImage image;
    image.name = std::move(name);
    image.parts = std::move(parts);
    uint64_t rows_B = 0, memory_B = 0;
    for (ConvertPart& part : image.parts) {
        part.rows_layer_stride_B = rows_bytes(part.layout.pattern.element, part.extent);
        part.rows_B = rows_B;
        rows_B += part.layers * part.rows_layer_stride_B;
        memory_B =
            std::max(memory_B, tiled_bytes(part.layout, {{}, part.extent}) + (part.layers - 1) * part.layer_stride_B);
    }
    image.rows.resize(round_up(rows_B, 16));
    image.memory.resize(round_up(memory_B, 16));
    std::mt19937_64 random(1);
    for (size_t at = 0; at < image.rows.size(); at += 8) {
        const uint64_t noise = random();
        std::memcpy(image.rows.data() + at, &noise, 8);
    }
    for (const ConvertPart& part : image.parts)
        for (uint32_t layer = 0; layer < part.layers; layer++) {
            Layout layout = part.layout;
            layout.base += layer * part.layer_stride_B;
            tile(
                layout, {{}, part.extent},
                std::span(image.rows).subspan(part.rows_B + layer * part.rows_layer_stride_B, part.rows_layer_stride_B),
                image.memory);
        }
    // Bytes at the end that belong to no row are not moved.
    std::fill(image.rows.begin() + static_cast<std::ptrdiff_t>(rows_B), image.rows.end(), std::byte{0});
    return image;
}

std::shared_ptr<const ConvertBuffers> create_convert_buffers(Context& context, const ConvertImage& image) {
    auto buffers = std::make_shared<ConvertBuffers>();
    buffers->rows = create_device_buffer(context, image.rows.size());
    buffers->memory = create_device_buffer(context, std::max(image.memory.size(), image.rows.size()));
    return buffers;
}

ComputePass create_emitted_pass(Context& context, const ConvertRequest& request, std::vector<VkBuffer> from_to) {
    const ConvertKernel kernel = emit_convert_kernel(request);
    ComputePassInputs inputs;
    inputs.buffers = std::move(from_to);
    inputs.groups = {kernel.groups[0], kernel.groups[1], 1};
    return create_compute_pass(context, compile_emitted("convert", kernel.code), inputs);
}

Job emitted_convert(Context& context, const Buffers& buffers, const ConvertImage& image, ConvertRequest request) {
    request.language = Language::glsl;
    request.parts = image.parts;
    std::vector<ComputePass> passes;
    passes.push_back(create_emitted_pass(context, request, from_to(buffers, request.direction)));
    return convert_job(context, image,
                       {.buffers = buffers,
                        .method = fmt::format("emitted, {}, {} pieces", convert_direction_name(request.direction),
                                              request.pieces_per_invocation),
                        .gives = result_of(request.direction),
                        .invocations = request.invocations,
                        .record = record_passes(std::move(passes), {buffers})});
}

Job per_element_convert(Context& context, const Buffers& buffers, const ConvertImage& image,
                        ConvertDirection direction) {
    const std::string method = fmt::format("an element an invocation, {}", convert_direction_name(direction));
    std::vector<ComputePass> passes;
    for (const ConvertPart& part : image.parts) {
        const Layout& layout = part.layout;
        const uint64_t element_B = layout.pattern.element.bytes;
        if (!std::has_single_bit(element_B) || element_B < 4 || element_B > 16 || snippet_dimensions(layout) != 2)
            return skipped_job(Task{.kernel = "convert", .subject = image.name}, method,
                               "for 2D images of elements of 4, 8 and 16 bytes");
        SnippetRequest snippet;
        snippet.kind = SnippetKind::address;
        snippet.layout = layout;
        Variant variant = {"per_element.comp",
                           {{"ELEMENT", element_B == 4 ? "uint" : fmt::format("uvec{}", element_B / 4)},
                            {"ELEMENT_BYTES", fmt::format("{}u", element_B)}}};
        if (direction == ConvertDirection::detile) variant.defines.emplace_back("DETILE", "");
        variant.filter_name = "address";
        variant.filter_text = emit_snippet(snippet);
        ComputePassInputs inputs;
        inputs.buffers = from_to(buffers, direction);
        inputs.groups = groups_over({part.extent[axis_x], part.extent[axis_y]}, {16, 16});
        inputs.groups[2] = part.layers;
        const auto word = [](uint64_t value) { return static_cast<uint32_t>(value); };
        inputs.push = {
            part.extent[axis_x],         part.extent[axis_y],           part.layers,
            word(layout.stride[axis_x]), word(layout.stride[axis_y]),   word(layout.base),
            word(part.layer_stride_B),   word(part.rows_B / element_B), word(part.rows_layer_stride_B / element_B)};
        passes.push_back(create_compute_pass(context, variant, inputs));
    }
    // Levels do not overlap: no barriers between them.
    const auto all = std::make_shared<const std::vector<ComputePass>>(std::move(passes));
    const Record work = [all, buffers](VkCommandBuffer commands) {
        for (const ComputePass& pass : *all) record(commands, pass);
    };
    return convert_job(
        context, image,
        {.buffers = buffers, .method = method, .gives = result_of(direction), .invocations = 256, .record = work});
}

Job plain_copy(Context& context, const Buffers& buffers, const ConvertImage& image) {
    constexpr uint64_t pieces_each = 4, invocations = 256;
    const uint64_t pieces = image.rows.size() / 16;
    const Variant variant = {
        "plain_copy.comp", {{"PIECES", fmt::format("{}u", pieces)}, {"PIECES_EACH", fmt::format("{}u", pieces_each)}}};
    ComputePassInputs inputs;
    inputs.buffers = from_to(buffers, ConvertDirection::tile);
    const auto [x, y] = groups_in_two_axes(ceil_div(pieces, pieces_each * invocations));
    inputs.groups = {x, y, 1};
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(context, variant, inputs));
    return convert_job(context, image,
                       {.buffers = buffers,
                        .method = "copy of the bytes",
                        .gives = ConvertResult::rows_in_memory,
                        .invocations = 256,
                        .record = record_passes(std::move(passes), {buffers})});
}

}  // namespace tilewise::kernels
