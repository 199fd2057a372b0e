// Samples that shaders store, and the same samples drawn: in this process, where a feature of lavapipe's can be denied.
#include "probe/routes/routes.h"
#include "tests/support/lavapipe.h"
#include <doctest/doctest.h>
#include <vulkan/vulkan_core.h>

using namespace tilewise;
using namespace tilewise::probe;

namespace {

Case case_of(VkFormat format) {
    Case probed;
    probed.image.format = format;
    probed.image.extent_px = {37, 20, 1};
    probed.image.samples = 4;
    probed.image.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    return probed;
}

Reading read_samples(Bench& bench, VkFormat format) {
    const Case probed = case_of(format);
    return std::move(probe_cases(bench, {&probed, 1}).front());
}

}  // namespace

TEST_CASE("samples that a device's shaders cannot store are drawn, and lie where stored ones do") {
    Workers workers;
    const auto here = lavapipe(workers);
    if (!here) return;
    vulkan::Instance instance;
    open_instance(instance);
    Bench bench;
    open_bench(bench, instance.devices.at(here->index));
    VkPhysicalDeviceFeatures& features = bench.device.traits.features;
    for (const VkFormat format : {VK_FORMAT_R8_UNORM, VK_FORMAT_R16_SFLOAT, VK_FORMAT_R8G8B8A8_SRGB,
                                  VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT}) {
        CAPTURE(format);
        features.shaderStorageImageMultisample = VK_TRUE;
        const Reading stored = read_samples(bench, format);
        CHECK(stored.outcome == Outcome::read);
        CHECK(bench.samples.compute != nullptr);
        features.shaderStorageImageMultisample = VK_FALSE;
        const Reading drawn = read_samples(bench, format);
        CHECK(drawn.reason == "");
        CHECK(bench.samples.compute == nullptr);
        CHECK(drawn.table.faults.empty());
        CHECK(drawn.table.offsets == stored.table.offsets);
    }
}

TEST_CASE("samples that can neither be stored nor drawn are refused, with both reasons") {
    Workers workers;
    const auto here = lavapipe(workers);
    if (!here) return;
    vulkan::Instance instance;
    open_instance(instance);
    Bench bench;
    open_bench(bench, instance.devices.at(here->index));
    bench.device.traits.features.shaderStorageImageMultisample = VK_FALSE;
    bench.device.traits.queue_flags &= ~VkQueueFlags{VK_QUEUE_GRAPHICS_BIT};
    const Reading color = read_samples(bench, VK_FORMAT_R8_UNORM);
    CHECK(color.outcome == Outcome::unsupported);
    CHECK(color.reason ==
          "the device's shaders store no samples (shaderStorageImageMultisample), and its queue draws none");
}
