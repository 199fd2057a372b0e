#include "kernels/image/digest.h"
#include <cstring>

namespace tilewise::kernels {

DigestPass create_digest_pass(Context& context, const std::shared_ptr<const Texture>& texture,
                              const std::shared_ptr<const DeviceBuffer>& sums) {
    ComputePassInputs inputs;
    inputs.buffers = {sums->handle.handle};
    inputs.textures = {texture->view.handle};
    inputs.groups = groups_over(texture->size, {8, 8});
    return {texture, sums, create_compute_pass(context, {"digest.comp"}, inputs)};
}

uint64_t digest(Context& context, const DigestPass& pass) {
    uint64_t sums = 0;
    static_assert(sizeof sums == digest_bytes);
    fill(context, *pass.sums, digest_bytes, 0);
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        vulkan::full_barrier(commands);
        record(commands, pass.pass);
    });
    std::memcpy(&sums, download(context, *pass.sums, digest_bytes).data(), sizeof sums);
    return sums;
}

}  // namespace tilewise::kernels
