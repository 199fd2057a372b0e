#include "tools/runs/try/trial_work.h"
#include "patterns/model/error.h"
#include "patterns/model/error_text.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tilewise {

using namespace kernels;
using Json = nlohmann::json;

namespace {

class Worker {
public:
    Worker(const Trial& trial, const TrialState& state, const SayLine& say)
        : trial_(trial), failures_(state.failures), is_right_(state.is_right), say_(say) {}

    void work() {
        say_({{"at", 0}});
        vulkan::open_instance(instance_);
        if (trial_.device >= instance_.devices.size()) return refuse(trial_.device_name + " went away; try again");
        open_context(context_, instance_.devices[trial_.device], vulkan::Features::all);
        if (context_.device.traits.properties.deviceName != trial_.device_name)
            return refuse(trial_.device_name + " went away; try again");
        require_timestamps(context_);
        context_.commands.timeout_ns = static_cast<uint64_t>(trial_.timeout_seconds * 1e9);
        for (const ScenePass& pass : trial_.scenes[0].passes)
            if (const std::string why = why_not_runnable(context_, reflect(parse_spirv(pass.spirv), pass.entry));
                !why.empty())
                return refuse(fmt::format("{}: {}", pass.name, why));
        // The scene that is timed comes last, and stays.
        for (size_t i = trial_.scenes.size(); i-- > 0;)
            if (!check_scene(i)) return;
        time_all();
        say_({{"done", true}});
    }

private:
    void refuse(const std::string& why) { say_({{"refused", why}}); }

    /// What went wrong with one run, in words; the device is lost or hung after most of these.
    std::string in_words(const vulkan::VulkanError& error) const {
        if (error.result == VK_TIMEOUT)
            return fmt::format("did not come to its end in {:g} s: has it an endless loop? --timeout gives it longer",
                               trial_.timeout_seconds);
        return fmt::format("the device failed: {}", error.what());
    }

    SceneResults run(SceneOnDevice& scene, const SceneOnDevice::Pipeline& pipeline) {
        return scene.run(trial_.varied_pass, pipeline);
    }

    std::shared_ptr<const SceneOnDevice::Pipeline> pipeline(SceneOnDevice& scene, size_t which, size_t variant) {
        const DispatchedVariant& dispatched = trial_.variants[variant].in_scenes[which];
        return scene.make_pipeline(trial_.varied_pass, dispatched.spirv, dispatched.groups, dispatched.constants);
    }

    std::string size_text(size_t which) const { return which == 0 ? "" : fmt::format(" (at {})", trial_.odd_size); }

    /// False where nothing more is to be done.
    bool check_scene(size_t which) {
        auto scene = std::make_unique<SceneOnDevice>(context_, trial_.scenes[which]);
        SceneResults expected;
        const auto original = pipeline(*scene, which, 0);
        try {
            expected = run(*scene, *original);
            constexpr int repeats = 2;
            for (int i = 0; i < repeats; ++i)
                if (const std::string where =
                        scene->difference(expected, run(*scene, *original), trial_.float_sums_within);
                    !where.empty()) {
                    refuse(
                        fmt::format("the shader is not deterministic: two runs of it differ ({}){}; nothing can be "
                                    "compared with it",
                                    where, size_text(which)));
                    return false;
                }
        } catch (const vulkan::VulkanError& error) {
            refuse("the shader " + in_words(error));
            return false;
        }
        pipelines_.assign(trial_.variants.size(), nullptr);
        pipelines_[0] = original;
        for (size_t i = 1; i < trial_.variants.size(); ++i) {
            if (!failures_[i].empty()) continue;
            say_({{"at", i}});
            try {
                pipelines_[i] = pipeline(*scene, which, i);
                if (!is_right_[i]) {
                    const std::string where =
                        scene->difference(expected, run(*scene, *pipelines_[i]), trial_.float_sums_within);
                    if (!where.empty()) fail(i, fmt::format("differs: {}{}", where, size_text(which)));
                    if (failures_[i].empty() && which == 0) say_({{"right", i}});
                }
            } catch (const vulkan::VulkanError& error) {
                say_({{"lost", i}, {"why", in_words(error)}});
                return false;
            } catch (const Error& error) {
                fail(i, error.what());
            }
        }
        say_({{"at", 0}});
        scene_ = std::move(scene);
        return true;
    }

    void fail(size_t variant, const std::string& why) {
        failures_[variant] = why;
        pipelines_[variant].reset();
        say_({{"wrong", variant}, {"why", why}});
    }

    /// Those of `which`, among themselves and the original, in so many seconds. False where the device was lost.
    bool time(const std::vector<size_t>& which, Limits limits, bool is_last) {
        std::vector<Job> jobs;
        for (const size_t i : which) {
            Job job;
            job.kernel = trial_.scenes[0].passes[trial_.varied_pass].name;
            job.method = trial_.variants[i].name;
            job.subject = "--timeout gives it longer";
            job.record = [this, i](VkCommandBuffer commands) {
                scene_->record(commands, trial_.varied_pass, *pipelines_[i]);
            };
            if (trial_.scenes[0].changes_its_input)
                job.prepare = [this](VkCommandBuffer commands) { scene_->record_reset(commands); };
            jobs.push_back(std::move(job));
        }
        limits.check = false;
        limits.timeout_seconds = trial_.timeout_seconds;
        const auto progress = [&](const char*, double done, double total) {
            say_({{"timing", std::min(done / total, 1.0)}});
        };
        const Measurements measured = measure(context_, jobs, limits, progress);
        Json timed = Json::array();
        for (size_t i = 0; i < which.size(); ++i)
            timed.push_back({{"variant", which[i]},
                             {"ms", measured.jobs[i].ms},
                             {"discarded", measured.jobs[i].discarded},
                             {"last", is_last}});
        say_({{"timed", timed}});
        medians_.resize(trial_.variants.size());
        for (size_t i = 0; i < which.size(); ++i) medians_[which[i]] = measured.jobs[i].time.value;
        if (measured.failure.empty()) return true;
        // Its text ends with the job that was last begun.
        size_t lost = which.front();
        for (size_t i = 0; i < which.size(); ++i)
            if (measured.failure.ends_with(job_text(jobs[i]))) lost = which[i];
        say_({{"lost", lost}, {"why", "the device failed while it was timed: " + measured.failure}});
        return false;
    }

    void time_all() {
        std::vector<size_t> right;
        for (size_t i = 0; i < trial_.variants.size(); ++i)
            if (failures_[i].empty()) right.push_back(i);
        // A few samples of each; then the best ones again, from the start, so that it is not luck that chose them.
        Limits first;
        first.seconds = trial_.seconds / 3;
        first.max_samples = 12;
        first.min_samples = 12;
        first.warm_up_seconds = std::min(1.0, trial_.seconds / 10);
        if (right.size() == 1) first.seconds = trial_.seconds;
        if (!time(right, first, right.size() == 1) || right.size() == 1) return;
        std::vector<size_t> best(right.begin() + 1, right.end());
        std::ranges::stable_sort(best, {}, [&](size_t i) { return medians_[i]; });
        constexpr size_t finalists = 4;
        best.resize(std::min(best.size(), finalists));
        best.insert(best.begin(), 0);
        Limits last;
        last.seconds = trial_.seconds * 2 / 3;
        last.warm_up_seconds = std::min(0.3, trial_.seconds / 20);
        time(best, last, true);
    }

    const Trial& trial_;
    std::vector<std::string> failures_;
    std::vector<bool> is_right_;
    const SayLine& say_;
    vulkan::Instance instance_;
    Context context_;
    std::vector<double> medians_;
    std::unique_ptr<SceneOnDevice> scene_;
    std::vector<std::shared_ptr<const SceneOnDevice::Pipeline>> pipelines_;
};

}  // namespace

void work_on_trial(const Trial& trial, const TrialState& state, const SayLine& say) {
    try {
        Worker(trial, state, say).work();
    } catch (const std::exception& error) {
        say({{"refused", printable(error_text(error))}});
    }
}

}  // namespace tilewise
