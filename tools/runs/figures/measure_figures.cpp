#include "tools/runs/figures/measure_figures.h"
#include "kernels/measure/gpu_timer.h"
#include "tools/runs/validate/rehearse.h"
#include "tools/runs/validate/workbench.h"
#include <memory>
#include <string>

namespace tilewise {

namespace {

db::FigureFact fact_of(const kernels::Figure& figure) {
    db::FigureFact fact;
    fact.name = figure.name;
    fact.format = figure.format;
    fact.value = figure.value.value;
    fact.interval = {figure.value.low, figure.value.high};
    fact.time = db::utc_now();
    fact.tool_version = TILEWISE_VERSION;
    return fact;
}

}  // namespace

FigureFacts measure_figures(const probe::DeviceInfo& device, db::Database& database) {
    FigureFacts figures;
    std::unique_ptr<Workbench> bench;  // must outlive a device that hangs
    try {
        bench = open_workbench(std::to_string(device.index));
        kernels::ImagePool images{bench->context};
        kernels::Limits limits;
        limits.seconds = 2;
        limits.warm_up_seconds = 0.3;
        const bool is_cpu = device.type == "cpu";
        const kernels::Figures measured =
            kernels::measure_figures(images, is_cpu ? kernels::load_of_cpus : kernels::load_of_gpus, limits);
        db::Transaction transaction(database.sqlite);
        for (const kernels::Figure& figure : measured.known) {
            figures.known.push_back(fact_of(figure));
            db::add_fact(database, bench->device, bench->driver, figures.known.back());
        }
        transaction.commit();
        figures.failures = measured.failures;
    } catch (const kernels::RunFailed& failed) {
        if (failed.hung) end_with_device_at_work(failed.what());
        figures.failures.push_back({"figures", failed.what()});
    } catch (const Error& error) {
        figures.failures.push_back({"figures", error.what()});
    }
    return figures;
}

}  // namespace tilewise
