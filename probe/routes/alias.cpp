// The routes `alias` and `alias-map`: the GPU copies texels into the image, and a buffer over the same memory (or its
// mapping) shows where they went.
#include "probe/routes/routes.h"
#include <algorithm>

namespace tilewise::probe {

using namespace vulkan;

namespace {

void stage_texels(Bench& bench, const Subject& subject) {
    const uint32_t passes = pass_count(subject.payload.carrier);
    reserve_buffer(bench.device, bench.staging, passes * subject.staged_bytes,
                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, 0);
    for (uint32_t pass = 0; pass < passes; ++pass)
        stage_pass(subject, pass, bench.staging.bytes().subspan(pass * subject.staged_bytes, subject.staged_bytes));
    if (subject.probed.image.samples > 1) open_samples(bench.device, bench.samples, subject.probed, bench.staging);
}

/// Ends in the layout GENERAL, in which drivers keep the texels least disguised.
void record_texel_copy(const Bench& bench, const Subject& subject, uint32_t pass) {
    const VkCommandBuffer commands = bench.commands.buffer;
    const VkImageAspectFlags aspects = transition_aspects(subject.probed.image);
    image_barrier(commands, subject.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, aspects);
    std::vector<VkBufferImageCopy> regions;
    for (const Part& part : subject.parts) {
        VkBufferImageCopy region = {};
        region.bufferOffset = pass * subject.staged_bytes + part.staged_at;
        region.imageSubresource = part.sub.layers;
        region.imageExtent = part.sub.texels;
        regions.push_back(region);
    }
    if (subject.probed.image.samples > 1)
        record_samples(commands, bench.samples, regions, subject.image);
    else
        vkCmdCopyBufferToImage(commands, bench.staging.handle.handle, subject.image,
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, static_cast<uint32_t>(regions.size()),
                               regions.data());
    image_barrier(commands, subject.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL, aspects);
}

}  // namespace

Passes read_by_alias(Bench& bench, const Subject& subject) {
    const uint32_t passes = pass_count(subject.payload.carrier);
    stage_texels(bench, subject);
    reserve_buffer(bench.device, bench.readback, passes * subject.span, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                   VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    // A queue that does nothing at all must leave the sentinel here, too.
    fill_sentinel(bench.readback.bytes().first(passes * subject.span));

    const VkCommandBuffer commands = bench.commands.buffer;
    begin(bench.device, bench.commands);
    for (uint32_t pass = 0; pass < passes; ++pass) {
        full_barrier(commands);
        vkCmdFillBuffer(commands, subject.alias, 0, VK_WHOLE_SIZE, sentinel_word);
        full_barrier(commands);
        record_texel_copy(bench, subject, pass);
        full_barrier(commands);
        const VkBufferCopy copy = {0, pass * subject.span, subject.span};
        vkCmdCopyBuffer(commands, subject.alias, bench.readback.handle.handle, 1, &copy);
    }
    host_barrier(commands);
    submit_and_wait(bench.device, bench.commands);

    Passes result;
    for (uint32_t pass = 0; pass < passes; ++pass)
        result.emplace_back(bench.readback.bytes().subspan(pass * subject.span, subject.span));
    return result;
}

Passes read_by_alias_map(Bench& bench, const Subject& subject) {
    const uint32_t passes = pass_count(subject.payload.carrier);
    stage_texels(bench, subject);
    Passes result;
    for (uint32_t pass = 0; pass < passes; ++pass) {
        fill_mapped(bench, subject);
        begin(bench.device, bench.commands);
        full_barrier(bench.commands.buffer);
        record_texel_copy(bench, subject, pass);
        host_barrier(bench.commands.buffer);
        submit_and_wait(bench.device, bench.commands);
        result.emplace_back(snapshot(bench, subject, pass));
    }
    return result;
}

}  // namespace tilewise::probe
