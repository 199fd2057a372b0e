// The device that tests of kernels run on: the first one with a queue for compute shaders.
#pragma once
#include "kernels/job.h"

struct KernelBench {
    tilewise::vulkan::Instance instance;
    tilewise::kernels::Context context;
    tilewise::kernels::Workspace workspace{context, {}, {}, {}, {}};

    KernelBench() {
        tilewise::vulkan::open_instance(instance);
        tilewise::kernels::open_context(context, instance.devices.front());
    }
};
