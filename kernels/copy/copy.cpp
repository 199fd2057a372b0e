#include "kernels/copy/copy.h"
#include <algorithm>
#include <array>
#include <bit>

namespace tilewise::kernels {

namespace {

/// The texels that each invocation of `Traffic::fetch` has read, as a mean at the place of its first texel; zero
/// elsewhere.
std::vector<float> means_of_fetched(const Texels& from, Size shape, uint32_t texels) {
    const std::vector<float> channels = channels_of(from);
    std::vector<float> means(channels.size(), 0.0F);
    for (uint32_t y = 0; y < from.size.height; ++y)
        if (y % (shape.height * texels) < shape.height)
            for (uint32_t i = 0; i < texels; ++i) {
                const size_t pitch = size_t{from.size.width} * 4;
                const size_t row = std::min(y + i * shape.height, from.size.height - 1);
                for (size_t k = 0; k < pitch; ++k)
                    means[y * pitch + k] += channels[row * pitch + k] / static_cast<float>(texels);
            }
    return means;
}

}  // namespace

std::string copy_name(uint32_t texels, Traffic traffic) {
    constexpr const char* names[] = {direct_name, "fetch alone", "store alone"};
    const char* name = names[static_cast<size_t>(traffic)];
    return texels > 1 ? fmt::format("{}, {} texels", name, texels) : name;
}

Job texel_copy(ImagePool& pool, const References& references, Format format, Size size, const Order& order,
               uint32_t texels, Traffic traffic) {
    const Task task = {"copy", format, size, 0,
                       (traffic == Traffic::copy ? 2 : 1) * count(size) * traits_of(format).bytes};
    const Size order_shape = shape_of(order.remap), shape = {order_shape.width, order_shape.height * texels};

    // Create
    const auto source = pooled_image(pool, ImageUse::source, format, size);
    const auto result = pooled_image(pool, ImageUse::result, format, size);
    Variant variant = {"copy.comp", {{"FORMAT", traits_of(format).qualifier}, {"TEXELS", std::to_string(texels)}}};
    if (traffic != Traffic::copy) variant.defines.emplace_back(traffic == Traffic::fetch ? "FETCH" : "STORE", "");
    ComputePassInputs inputs;
    inputs.images = {result->view.handle};
    inputs.textures = {source->view.handle};
    inputs.constants = order_constants(order.remap);
    inputs.push = {size.width, size.height, std::bit_cast<uint32_t>(0.0F)};
    inputs.groups = groups_over(size, shape);
    const auto pass = std::make_shared<const ComputePass>(create_compute_pass(pool.context, variant, inputs));

    // Record
    const Record work = [pass, source, result](VkCommandBuffer commands) { record(commands, *pass); };

    // Check
    const auto reference = [traffic, order_shape, texels, from = source_texels(pool, format, size)] {
        if (traffic == Traffic::copy) return channels_of(*from);
        if (traffic == Traffic::store) return std::vector<float>(count(from->size) * 4, 0.5F);
        return means_of_fetched(*from, order_shape, texels);
    };
    const std::string fetched =
        traffic == Traffic::fetch ? fmt::format(" {}x{} {}", order_shape.width, order_shape.height, texels) : "";
    const std::string key =
        fmt::format("{} {} {}x{}{}", copy_name(1, traffic), traits_of(format).name, size.width, size.height, fetched);
    ResultCheck check = image_check(pool, references, result, {key, reference, 2 * texels + 1});
    check.record = [pass, source, size, texels](VkCommandBuffer commands) {
        const float above_every_sum = static_cast<float>(texels) * 2;  // so that all texels are written
        const std::array push = {size.width, size.height, std::bit_cast<uint32_t>(above_every_sum)};
        vulkan::dispatch(commands, pass->compute, pass->groups, std::as_bytes(std::span(push)));
    };
    return make_job(pool, task, copy_name(texels, traffic), in_order(order, {1, texels}), work, std::move(check));
}

}  // namespace tilewise::kernels
