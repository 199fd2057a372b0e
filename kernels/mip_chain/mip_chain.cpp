#include "kernels/mip_chain/mip_chain.h"
#include "kernels/reference.h"
#include "kernels/shader/compute_pass.h"
#include "patterns/model/bits.h"
#include "patterns/model/parallel.h"
#include <algorithm>
#include <cmath>

namespace tilewise::kernels {

namespace {

constexpr uint32_t tile_side = 32;  // of the first level that is computed
constexpr VkDeviceSize counter_bytes = 4;
/// The position of a sampler, and of a blit, between two texels has 8 bits: in each direction it may be off by one
/// step.
constexpr double sampler_slack = 2.0 / 256;

Task mip_chain_task(Format format, Size size) {
    uint64_t texels = 0;
    for (uint32_t level = 0; level < all_levels(size); ++level) texels += count(level_size(size, level));
    return {"mip-chain", format, size, 0, texels * traits_of(format).bytes};
}

/// The image with the smaller levels: its level 0 is the first that is computed.
std::shared_ptr<Texture> smaller_levels(ImagePool& pool, Format format, Size size) {
    return pooled_image(pool, ImageUse::levels, format, level_size(size, 1));
}

/// Each level is compared with the stored level that it was computed from, so that an error in one level is not hidden
/// by the next. A sampler computed the first `sampled` of them.
ResultCheck levels_check(ImagePool& pool, const Task& task, uint32_t sampled) {
    ResultCheck check;
    const auto levels = smaller_levels(pool, task.format, task.size);
    check.poison = [&context = pool.context, levels] { clear(context, *levels, {0, 0, 0, 0}); };
    check.compare = [&context = pool.context, levels, sampled,
                     source = source_texels(pool, task.format, task.size)]() -> std::string {
        // One rounding of the level itself, and one by which the level stored above may differ from what was added up.
        constexpr double roundings = 2;
        Texels above = *source;
        for (uint32_t level = 0; level < levels->levels; ++level) {
            Texels own = download(context, *levels, level);
            const std::string wrong = wrong_level(above, own, roundings, level < sampled ? sampler_slack : 0);
            if (!wrong.empty()) return fmt::format("level {}: {}", level + 1, wrong);
            above = std::move(own);
        }
        return {};
    };
    return check;
}

VkOffset3D corner(Size size) { return {static_cast<int32_t>(size.width), static_cast<int32_t>(size.height), 1}; }

void record_halving(VkCommandBuffer commands, const Texture& from, uint32_t from_level, const Texture& to,
                    uint32_t to_level) {
    const Size above = level_size(from.size, from_level), size = level_size(to.size, to_level);
    VkImageBlit blit = {};
    blit.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, from_level, 0, 1};
    blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, to_level, 0, 1};
    blit.srcOffsets[1] = corner({std::min(2 * size.width, above.width), std::min(2 * size.height, above.height)});
    blit.dstOffsets[1] = corner(size);
    vkCmdBlitImage(commands, from.image.handle, VK_IMAGE_LAYOUT_GENERAL, to.image.handle, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &blit, VK_FILTER_LINEAR);
}

/// Why there is nothing to compute; empty if there is.
std::string no_levels(Size size) { return count(size) == 1 ? "an image of one texel has no smaller level" : ""; }

/// Why the device does not run it; empty if it does.
std::string one_refused(const Context& context, Format format, uint32_t levels, const MipShape& shape) {
    if (shape.is_sampled && !has_features(context, format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT))
        return fmt::format("the sampler has no bilinear filter for {}", traits_of(format).name);
    const uint32_t images = context.device.traits.properties.limits.maxPerStageDescriptorStorageImages;
    if (levels > images)
        return fmt::format("a shader can write {} images here, and there are {} levels", images, levels);
    if (mip_chain_invocations(shape.quads) > context.max_invocations)
        return fmt::format("a workgroup has {} invocations here at most, not {}", context.max_invocations,
                           mip_chain_invocations(shape.quads));
    return {};
}

}  // namespace

bool can_blit(const Context& context, Format format) {
    return context.graphics && has_features(context, format,
                                            VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT |
                                                VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
}

void record_blits(VkCommandBuffer commands, const Texture& source, const Texture& levels) {
    record_halving(commands, source, 0, levels, 0);
    for (uint32_t level = 1; level < levels.levels; ++level) {
        vulkan::full_barrier(commands);
        record_halving(commands, levels, level - 1, levels, level);
    }
}

Job mip_chain_blits(ImagePool& pool, Format format, Size size) {
    const Task task = mip_chain_task(format, size);
    if (std::string reason = no_levels(size); !reason.empty())
        return skipped_job(task, mip_chain_blits_name, std::move(reason));
    if (!can_blit(pool.context, format))
        throw Error(fmt::format("the device cannot halve {} by blits", traits_of(format).name));
    const auto source = pooled_image(pool, ImageUse::source, format, size);
    const auto levels = smaller_levels(pool, format, size);
    const Record work = [source, levels](VkCommandBuffer commands) { record_blits(commands, *source, *levels); };
    return make_job(pool, task, mip_chain_blits_name, {"", {2, 2, 1, 1}, 0}, work,
                    levels_check(pool, task, levels->levels));
}

Variant mip_chain_level_variant(Format format) {
    return {"mip_chain_level.comp", {{"FORMAT", traits_of(format).qualifier}}};
}

Job mip_chain_by_level(ImagePool& pool, Format format, Size size, const Order& order) {
    const Task task = mip_chain_task(format, size);
    if (std::string reason = no_levels(size); !reason.empty())
        return skipped_job(task, mip_chain_level_name, std::move(reason));

    // Create
    const auto source = pooled_image(pool, ImageUse::source, format, size);
    const auto levels = smaller_levels(pool, format, size);
    std::vector<ComputePass> passes;
    for (uint32_t level = 0; level < levels->levels; ++level) {
        const Size above = level_size(size, level);
        ComputePassInputs inputs;
        inputs.images = {levels->each_level[level].handle};
        inputs.textures = {level == 0 ? source->view.handle : levels->each_level[level - 1].handle};
        inputs.constants = order_constants(order.remap);
        inputs.push = {above.width, above.height};
        inputs.groups = groups_over(level_size(size, level + 1), shape_of(order.remap));
        passes.push_back(create_compute_pass(pool.context, mip_chain_level_variant(format), inputs));
    }

    // Record, check
    return make_job(pool, task, mip_chain_level_name, in_order({order.name, order.remap}),
                    record_passes(std::move(passes), {source, levels}), levels_check(pool, task, 0));
}

std::string mip_chain_one_name(const MipShape& shape) {
    return fmt::format("one dispatch{}, {}", shape.is_sampled ? " by the sampler" : "",
                       shape.workgroups == 0 ? "a tile each" : fmt::format("{} workgroups", shape.workgroups));
}

Variant mip_chain_one_variant(Format format, uint32_t levels, const MipShape& shape) {
    Variant variant = {"mip_chain_one.comp",
                       {{"FORMAT", traits_of(format).qualifier},
                        {"LEVELS", std::to_string(levels)},
                        {"QUADS", std::to_string(shape.quads)},
                        {"PRECISION", format == Format::rgba32f ? "32" : "16"}}};
    if (shape.is_sampled) variant.defines.emplace_back("SAMPLED", "");
    if (shape.is_sampled && shape.workgroups > 0) variant.defines.emplace_back("AHEAD", "");
    return variant;
}

Remap mip_chain_order(const Remap& remap) { return order_in_square(order_in_square(remap, 0, 3), 0, 5); }

std::array<uint32_t, 3> mip_chain_groups(Size size, const MipShape& shape) {
    const auto tiles = groups_over(size, {2 * tile_side, 2 * tile_side});
    const uint32_t all = tiles[0] * tiles[1];
    return {shape.workgroups == 0 ? all : std::min(all, shape.workgroups), 1, 1};
}

Job mip_chain_one(ImagePool& pool, Format format, Size size, const Order& order, const MipShape& shape) {
    const Task task = mip_chain_task(format, size);
    const uint32_t made = all_levels(size) - 1;
    std::string reason = no_levels(size);
    if (reason.empty()) reason = one_refused(pool.context, format, made, shape);
    if (!reason.empty()) return skipped_job(task, mip_chain_one_name(shape), std::move(reason));

    // Create
    const auto source = pooled_image(pool, ImageUse::source, format, size);
    const auto levels = smaller_levels(pool, format, size);
    const auto counter = pooled_buffer(pool, "mip chain", counter_bytes);
    ComputePassInputs inputs;
    inputs.buffers = {counter->handle.handle};
    for (const vulkan::OwnedImageView& level : levels->each_level) inputs.images.push_back(level.handle);
    inputs.textures = {source->view.handle};
    inputs.bilinear = shape.is_sampled;
    inputs.constants = order_constants(mip_chain_order(order.remap));
    inputs.constants.front() = mip_chain_invocations(shape.quads);
    inputs.push = {size.width, size.height};
    inputs.groups = mip_chain_groups(size, shape);
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(pool.context, mip_chain_one_variant(format, made, shape), inputs));

    // Record, check
    constexpr Coord box = {2 * tile_side, 2 * tile_side, 1, 1};
    return make_job(pool, task, mip_chain_one_name(shape), {order.name, box, mip_chain_invocations(shape.quads)},
                    record_passes(std::move(passes), {source, levels, counter}),
                    levels_check(pool, task, shape.is_sampled ? 1 : 0));
}

std::vector<Job> mip_chain_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders) {
    std::vector<Job> jobs;
    jobs.reserve((1 + std::size(mip_shapes)) * orders.size() + 1);
    for (const Order& order : orders) jobs.push_back(mip_chain_by_level(pool, format, size, order));
    for (const MipShape& shape : mip_shapes)
        for (const Order& order : orders) jobs.push_back(mip_chain_one(pool, format, size, order, shape));
    if (can_blit(pool.context, format)) jobs.push_back(mip_chain_blits(pool, format, size));
    return jobs;
}

std::string wrong_level(const Texels& above, const Texels& level, double roundings, double slack) {
    const Size from = above.size, size = level.size;
    std::vector<std::string> wrong(size.height);
    for_rows(size.height, [&](uint32_t first, uint32_t last) {
        for (uint32_t y = first; y < last; ++y) {
            const uint32_t rows[2] = {2 * y, std::min(2 * y + 1, from.height - 1)};
            const std::vector<float> is = channels_of(level, y, y + 1),
                                     upper = channels_of(above, rows[0], rows[0] + 1),
                                     lower = channels_of(above, rows[1], rows[1] + 1);
            for (size_t i = 0; i < is.size() && wrong[y].empty(); ++i) {
                const uint32_t x = static_cast<uint32_t>(i / 4), right = std::min(2 * x + 1, from.width - 1);
                double sum = 0;
                for (const std::vector<float>* row : {&upper, &lower})
                    for (const uint32_t column : {2 * x, right})
                        sum += static_cast<double>((*row)[size_t{column} * 4 + i % 4]);
                const double should = sum / 4, off = std::abs(static_cast<double>(is[i]) - should);
                if (!(off <= roundings * tolerance(level.format, should, 4) + slack))
                    wrong[y] = fmt::format("texel ({}, {}) {} is {}, should be {}", x, y, "rgba"[i % 4], is[i], should);
            }
        }
    });
    const auto found = std::ranges::find_if(wrong, [](const std::string& text) { return !text.empty(); });
    return found == wrong.end() ? std::string() : *found;
}

}  // namespace tilewise::kernels
