// The device for tests of kernels: the first one with a queue for compute shaders; and the checks that they make on
// jobs.
#pragma once
#include "kernels/image/check.h"
#include <cstring>
#include <doctest/doctest.h>
#include <vector>

struct KernelBench {
    tilewise::vulkan::Instance instance;
    tilewise::kernels::Context context;
    tilewise::kernels::ImagePool images{context};
    tilewise::kernels::References references = std::make_shared<tilewise::kernels::ReferenceCache>();

    KernelBench() {
        tilewise::vulkan::open_instance(instance);
        tilewise::kernels::open_context(context, instance.devices.front());
    }
};

/// Checks the job twice: what one run leaves behind must not disturb the next.
inline void check_twice(const tilewise::kernels::Job& job) {
    CAPTURE(job.method);
    CAPTURE(job.order);
    CAPTURE(tilewise::kernels::traits_of(job.format).name);
    CAPTURE(job.size.width);
    CAPTURE(job.size.height);
    CHECK(job.check() == "");
    CHECK(job.check() == "");
}

/// Texels of RGBA32F with these reds, no green and blue, and an alpha of 1.
inline tilewise::kernels::Texels red_floats(tilewise::kernels::Size size, const std::vector<float>& reds) {
    std::vector<float> channels;
    for (const float red : reds) channels.insert(channels.end(), {red, 0, 0, 1});
    tilewise::kernels::Texels texels = {tilewise::kernels::Format::rgba32f, size,
                                        std::vector<std::byte>(channels.size() * sizeof(float))};
    std::memcpy(texels.bytes.data(), channels.data(), texels.bytes.size());
    return texels;
}
