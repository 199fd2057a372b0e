#include "tools/runs/validate/rehearse.h"
#include "kernels/separable/separable.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "system/terminal.h"
#include <cstdlib>
#include <fmt/format.h>

namespace tilewise {

using namespace kernels;

void rehearse(Workbench& bench, const FilterText& filter, Format format, std::span<const uint32_t> radii) {
    constexpr uint64_t timeout_s = 10;
    const std::string loop =
        fmt::format("{}: the filter did not finish in {} s: does it have an endless loop?", filter.name, timeout_s);
    bench.context.commands.timeout_ns = timeout_s * 1'000'000'000;
    ImagePool images{bench.context};
    const References references = std::make_shared<ReferenceCache>();
    for (const uint32_t radius : radii) {
        const SeparableRequest request = {filter, format, {64, 64}, radius};
        const Job job = separable_direct(images, references, request, {"row", row_order({8, 8, 1, 1})});
        try {
            vulkan::run_commands(bench.context.device, bench.context.commands, job.record);
        } catch (const vulkan::VulkanError& error) {
            if (error.result == VK_ERROR_DEVICE_LOST) throw Error(loop);  // by the driver's own timeout
            if (error.result == VK_TIMEOUT) end_with_device_at_work(loop);
            throw;
        }
    }
}

void end_with_device_at_work(const std::string& message) {
    system::print_to_stderr(printable("tilewise: " + message) + '\n');
    std::_Exit(1);
}

std::string advice_on_wrong_filter(const Context& context, const FilterText& filter) {
    std::string text = fmt::format("its methods disagree: is {} a filter as docs/adding.md says?", filter.name);
    if (const uint64_t most = context.max_loop_iterations; most != UINT64_MAX)
        text += fmt::format(
            " This driver ends all loops after {} iterations without a word: does the filter have that many, or an "
            "endless loop?",
            most);
    return text;
}

}  // namespace tilewise
