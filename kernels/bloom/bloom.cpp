#include "kernels/bloom/bloom.h"
#include "kernels/shader/compute_pass.h"
#include <algorithm>

namespace tilewise::kernels {

namespace {

/// One of the images of a blur, and its level.
struct Stage {
    std::shared_ptr<const Texture> texture;
    uint32_t level = 0;
    Size size() const { return level_size(texture->size, level); }
};

/// The source, the levels down, the levels up, the result. Each is a separate image, so that each step can be checked.
std::vector<Stage> stages_of(ImagePool& pool, Format format, Size size) {
    const uint32_t levels = bloom_levels(size);
    const Size half = level_size(size, 1);
    const std::shared_ptr<const Texture> down = pooled_image(pool, ImageUse::levels, format, half),
                                         up = pooled_image(pool, ImageUse::levels_up, format, half);
    std::vector<Stage> stages = {{pooled_image(pool, ImageUse::source, format, size), 0}};
    for (uint32_t level = 0; level < levels; ++level) stages.push_back({down, level});
    for (uint32_t level = levels - 1; level > 0; --level) stages.push_back({up, level - 1});
    stages.push_back({pooled_image(pool, ImageUse::result, format, size), 0});
    return stages;
}

BloomStep step_to(size_t stage, uint32_t levels) { return stage <= levels ? BloomStep::down : BloomStep::up; }

std::string wrong_blur(Context& context, const std::vector<Stage>& stages, const Texels& source, uint32_t levels) {
    Texels before = source;
    for (size_t i = 1; i < stages.size(); ++i) {
        Texels own = download(context, *stages[i].texture, stages[i].level);
        const std::string wrong = wrong_bloom_step(before, own, step_to(i, levels));
        if (!wrong.empty())
            return fmt::format("step {} of {}, {}: {}", i, stages.size() - 1,
                               step_to(i, levels) == BloomStep::down ? "down" : "up", wrong);
        before = std::move(own);
    }
    return {};
}

/// Equal results from equal sources went through equal levels, so only one of them is compared.
ResultCheck blur_check(ImagePool& pool, const References& references, const Task& task, std::vector<Stage> stages) {
    ResultCheck check;
    check.poison = [&context = pool.context, stages] {
        for (size_t i = 1; i < stages.size(); ++i)
            if (stages[i].level == 0 || i == 1) clear(context, *stages[i].texture, {0, 0, 0, 0});
    };
    check.compare = [&context = pool.context, references, stages, levels = bloom_levels(task.size),
                     pass = pooled_digest(pool, stages.back().texture),
                     key =
                         fmt::format("bloom {} {}x{}", traits_of(task.format).name, task.size.width, task.size.height),
                     texels = source_texels(pool, task.format, task.size)]() -> std::string {
        ReferenceCache::Entry& known = references->entries[key];
        const uint64_t own = digest(context, *pass);
        if (std::ranges::count(known.right, own, &ReferenceCache::RightImage::digest) > 0) return {};
        std::string wrong = wrong_blur(context, stages, *texels, levels);
        if (wrong.empty()) known.right.push_back({own, 0, 0});
        return wrong;
    };
    return check;
}

}  // namespace

uint32_t bloom_levels(Size size) {
    constexpr uint32_t most = 5;
    return std::min(all_levels(size) - 1, most);
}

std::string bloom_name(BloomTaps taps) {
    return taps == BloomTaps::sampler ? direct_name : fmt::format("{}, fetches", direct_name);
}

Variant bloom_variant(Format format, BloomStep step, BloomTaps taps) {
    Variant variant = {"bloom.comp", {{"FORMAT", traits_of(format).qualifier}}};
    if (step == BloomStep::up) variant.defines.emplace_back("UP", "");
    if (taps == BloomTaps::fetches) variant.defines.emplace_back("FETCHES", "");
    return variant;
}

Job bloom_direct(ImagePool& pool, const References& references, Format format, Size size, const Order& order,
                 BloomTaps taps) {
    const Task task = {"bloom", format, size, 0, 2 * count(size) * traits_of(format).bytes};
    const uint32_t levels = bloom_levels(size);
    if (levels == 0) return skipped_job(task, bloom_name(taps), "an image of one texel has no smaller level");
    if (taps == BloomTaps::sampler &&
        !has_features(pool.context, format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT))
        return skipped_job(task, bloom_name(taps),
                           fmt::format("the sampler has no bilinear filter for {}", traits_of(format).name));

    // Create
    const std::vector<Stage> stages = stages_of(pool, format, size);
    std::vector<ComputePass> passes;
    std::vector<std::shared_ptr<const void>> bound_to = {stages.front().texture};
    for (size_t i = 1; i < stages.size(); ++i) {
        const Stage &from = stages[i - 1], &to = stages[i];
        ComputePassInputs inputs;
        inputs.images = {to.texture->each_level[to.level].handle};
        inputs.textures = {from.texture->each_level[from.level].handle};
        inputs.bilinear = taps == BloomTaps::sampler;
        inputs.constants = order_constants(order.remap, order.groups);
        inputs.push = {to.size().width, to.size().height, from.size().width, from.size().height};
        inputs.groups = dispatched_groups(order.groups, order.remap.shape, {to.size().width, to.size().height});
        passes.push_back(create_compute_pass(pool.context, bloom_variant(format, step_to(i, levels), taps), inputs));
        bound_to.push_back(to.texture);
    }

    // Record, check
    return make_job(pool, task, bloom_name(taps), in_order(order),
                    record_passes(std::move(passes), std::move(bound_to)), blur_check(pool, references, task, stages));
}

std::vector<Job> bloom_jobs(ImagePool& pool, const References& references, Format format, Size size,
                            const std::vector<Order>& orders, const std::vector<Order>& one_of_each) {
    std::vector<Job> jobs;
    jobs.reserve(orders.size() + one_of_each.size());
    for (const Order& order : orders) jobs.push_back(bloom_direct(pool, references, format, size, order));
    for (const Order& order : one_of_each)
        jobs.push_back(bloom_direct(pool, references, format, size, order, BloomTaps::fetches));
    return jobs;
}

}  // namespace tilewise::kernels
