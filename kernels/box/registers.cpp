#include "kernels/box/registers.h"
#include "kernels/shader/cache.h"
#include "patterns/model/parallel.h"

namespace tilewise::kernels {

std::vector<std::optional<uint32_t>> box_registers(ImagePool& pool, const BoxRequest& request,
                                                   std::span<const Order> orders) {
    std::vector<std::optional<uint32_t>> registers(orders.size());
    if (!pool.context.device.traits.pipeline_statistics) return registers;
    std::vector<ComputePassInputs> inputs;
    for (const Order& order : orders) {
        inputs.push_back(box_direct_inputs(pool, request, order));
        inputs.back().statistics = true;
    }
    const std::vector<uint32_t> spirv = compile(pool.context, box_direct_variant(request));
    parallel_for(registers.size(), [&](size_t i) {
        registers[i] = create_compute_pass(pool.context, spirv, inputs[i]).compute.registers;
    });
    return registers;
}

}  // namespace tilewise::kernels
