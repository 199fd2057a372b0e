#include "kernels/shader/registers.h"
#include "kernels/shader/cache.h"
#include "patterns/model/parallel.h"

namespace tilewise::kernels {

RegisterCounts registers_of(Context& context, const Variant& variant, std::vector<ComputePassInputs> passes) {
    RegisterCounts registers(passes.size());
    if (!context.device.traits.pipeline_statistics) return registers;
    const std::vector<uint32_t> spirv = compile(context, variant);
    parallel_for(passes.size(), [&](size_t i) {
        passes[i].statistics = true;
        registers[i] = create_compute_pass(context, spirv, passes[i]).compute.registers;
    });
    return registers;
}

}  // namespace tilewise::kernels
