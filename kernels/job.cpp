#include "kernels/job.h"

namespace tilewise::kernels {

Workgroup in_order(const Order& order, Size boxes) {
    const Size shape = shape_of(order.remap);
    return {order.name,
            {shape.width * boxes.width, shape.height * boxes.height, 1, 1},
            static_cast<uint32_t>(element_count(order.remap.shape)),
            order.groups};
}

Job make_job(ImagePool& pool, Task task, std::string method, Workgroup workgroup, Record record, ResultCheck check) {
    Job job = {std::move(task), std::move(workgroup), std::move(method)};
    job.memory_type = pooled_image(pool, ImageUse::source, job.format, job.size)->memory_type;
    job.record = std::move(record);
    job.check = [&context = pool.context, work = check.record ? check.record : job.record,
                 poison = std::move(check.poison), compare = std::move(check.compare)] {
        poison();
        vulkan::run_commands(context.device, context.commands, work);
        return compare();
    };
    return job;
}

Job skipped_job(Task task, std::string method, std::string reason) {
    Job job = {std::move(task), {}, std::move(method)};
    job.skipped = std::move(reason);
    return job;
}

std::string job_text(const Job& job) {
    std::string text = fmt::format("{}, {}", job.kernel, job.method);
    if (!job.order.empty()) text += fmt::format(", {} {}", job.order, shape_text(job.shape));
    if (job.groups.kind != GroupOrderKind::linear) text += fmt::format(" in {}", group_order_text(job.groups));
    if (!job.subject.empty()) return text + ", " + job.subject;
    return text + fmt::format(", radius {}, {} {}x{}", job.radius, traits_of(job.format).name, job.size.width,
                              job.size.height);
}

}  // namespace tilewise::kernels
