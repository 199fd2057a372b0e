#include "probe/routes/transfers.h"
#include <algorithm>

namespace tilewise::probe {

using namespace vulkan;

namespace {

constexpr VkDeviceSize window = 32 << 20;  // bytes

/// Only queues with these capabilities copy rows that begin anywhere.
bool copies_any_rows(const Device& device) {
    return device.traits.queue_flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
}

void submit_and_begin(Transfers& transfers) {
    submit(transfers);
    begin(transfers.bench.device, transfers.bench.commands);
    full_barrier(transfers.commands());
}

VkBufferImageCopy stage(Transfers& transfers, uint32_t pass, const Band& band) {
    const SubjectImage& subject = transfers.subject;
    HostBuffer& staging = transfers.bench.staging;
    if (staging.size - transfers.staged < staged_bytes(subject, band)) submit_and_begin(transfers);
    write_pass(subject.payload, pass, band.first,
               staging.bytes().subspan(transfers.staged, band.elements * subject.payload.carrier.texel_bytes()));
    VkBufferImageCopy region = {};
    region.bufferOffset = transfers.staged;
    region.imageSubresource = band.part->sub.layers;
    region.imageOffset = band.offset;
    region.imageExtent = band.extent;
    transfers.staged += staged_bytes(subject, band);
    return region;
}

}  // namespace

Transfers open_transfers(Bench& bench, const SubjectImage& subject) {
    Transfers transfers = {bench, subject};
    transfers.bands = bands_of(subject, copies_any_rows(bench.device) ? window : ~VkDeviceSize{0});
    const uint32_t passes = pass_count(subject.payload.carrier);
    VkDeviceSize all = 0, largest = 0;
    for (const Band& band : transfers.bands) {
        all += passes * staged_bytes(subject, band);
        largest = std::max(largest, staged_bytes(subject, band));
    }
    reserve_buffer(bench.device, bench.staging, std::min(all, std::max(window, largest)),
                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, 0);
    if (subject.probed.image.samples > 1) open_samples(bench.device, bench.samples, subject.probed, bench.staging);
    if (subject.alias)
        reserve_buffer(bench.device, bench.readback, std::min(passes * subject.span, window),
                       VK_BUFFER_USAGE_TRANSFER_DST_BIT, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    begin(bench.device, bench.commands);
    return transfers;
}

void record_texels(Transfers& transfers, uint32_t pass) {
    const VkImage image = transfers.subject.image;
    const VkImageAspectFlags aspects = transition_aspects(transfers.subject.probed.image);
    image_barrier(transfers.commands(), image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                  aspects);
    for (const Band& band : transfers.bands) {
        const VkBufferImageCopy region = stage(transfers, pass, band);
        if (transfers.subject.probed.image.samples > 1)
            record_samples(transfers.commands(), transfers.bench.samples, region, image);
        else
            vkCmdCopyBufferToImage(transfers.commands(), transfers.bench.staging.handle.handle, image,
                                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    }
    image_barrier(transfers.commands(), image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL, aspects);
}

void record_reading(Transfers& transfers, std::span<std::byte> to) {
    HostBuffer& readback = transfers.bench.readback;
    for (VkDeviceSize at = 0; at < to.size();) {
        if (readback.size == transfers.landed) submit_and_begin(transfers);
        const VkBufferCopy copy = {at, transfers.landed,
                                   std::min<VkDeviceSize>(to.size() - at, readback.size - transfers.landed)};
        fill_sentinel(readback.bytes().subspan(copy.dstOffset, copy.size));
        vkCmdCopyBuffer(transfers.commands(), transfers.subject.alias, readback.handle.handle, 1, &copy);
        transfers.landings.push_back({copy.dstOffset, to.subspan(at, copy.size)});
        transfers.landed += copy.size;
        at += copy.size;
    }
}

void submit(Transfers& transfers) {
    host_barrier(transfers.commands());
    submit_and_wait(transfers.bench.device, transfers.bench.commands);
    for (const Transfers::Landing& landing : transfers.landings)
        copy_out(landing.to, transfers.bench.readback.memory.map + landing.from);
    transfers.landings.clear();
    transfers.staged = transfers.landed = 0;
}

}  // namespace tilewise::probe
