#include "kernels/image/check.h"
#include "kernels/shader/compute_pass.h"
#include <algorithm>
#include <cstring>

namespace tilewise::kernels {

uint64_t digest(Workspace& workspace, const std::shared_ptr<const Texture>& texture) {
    Context& context = workspace.context;
    uint64_t sums = 0;
    const auto buffer = device_buffer(workspace, "digest", sizeof sums);
    auto& stage = workspace.digests[texture];
    if (!stage) {
        ComputePassInputs inputs;
        inputs.buffers = {buffer->handle.handle};
        inputs.textures = {texture->view.handle};
        inputs.groups = groups_over(texture->size, {8, 8});
        stage = std::make_shared<const ComputePass>(create_compute_pass(context, {"digest.comp"}, inputs));
    }
    fill(context, *buffer, sizeof sums, 0);
    vulkan::begin(context.device, context.commands);
    vulkan::full_barrier(context.commands.buffer);
    record(context.commands.buffer, *stage);
    vulkan::submit_and_wait(context.device, context.commands);
    std::memcpy(&sums, download(context, *buffer, sizeof sums).data(), sizeof sums);
    return sums;
}

std::string check_image(Workspace& workspace, const std::function<void(VkCommandBuffer)>& record,
                        const std::shared_ptr<const Texture>& result, const Expectation& expectation) {
    Context& context = workspace.context;
    // Zero is no result: the texels of every source are above it.
    clear(context, *result, {0, 0, 0, 0});
    vulkan::begin(context.device, context.commands);
    record(context.commands.buffer);
    vulkan::submit_and_wait(context.device, context.commands);

    Expected& expected = workspace.expected[expectation.key];
    const RightImage image = {digest(workspace, result), expectation.additions, expectation.slack};
    const bool known = std::ranges::any_of(expected.right, [&](const RightImage& right) {
        return right.digest == image.digest && right.additions <= image.additions && right.slack <= image.slack;
    });
    if (known) return {};
    const Texels got = download(context, *result);  // what stands in for a reference may run on the same image
    if (expected.channels.empty()) expected.channels = expectation.reference();
    std::string difference = first_difference(got, expected.channels, expectation.additions, expectation.slack);
    if (difference.empty()) expected.right.push_back(image);
    return difference;
}

}  // namespace tilewise::kernels
