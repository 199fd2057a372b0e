#include "tools/runs/try/trial_work.h"
#include "patterns/model/error.h"
#include "patterns/model/error_text.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace tilewise {

using namespace kernels;
using Json = nlohmann::json;

namespace {

class Worker {
public:
    Worker(const Trial& trial, const TrialState& state, const SayLine& say) : trial_(trial), state_(state), say_(say) {
        for (size_t i = 1; i < trial.variants.size(); ++i) {
            if (!state_.failures[i].empty()) continue;
            (state_.over_original[i] == 0 ? pending_ : screened_).push_back(i);
        }
    }

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
        // The scene that is timed comes last, and stays on the device.
        for (size_t i = trial_.scenes.size(); i-- > 0;)
            if ((i == 0 || has_unchecked()) && !check_scene(i)) return;
        time_all();
        say_({{"done", true}});
    }

private:
    void refuse(const std::string& why) { say_({{"refused", why}}); }

    /// What went wrong in one run, in words; after most of these errors the device is lost or hung.
    std::string in_words(const vulkan::VulkanError& error) const {
        if (error.result == VK_TIMEOUT)
            return fmt::format("did not finish in {:g} s: does it have an endless loop? --timeout allows it more",
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

    bool has_unchecked() const {
        return !state_.is_right[0] || std::ranges::any_of(pending_, [&](size_t i) { return !state_.is_right[i]; });
    }

    /// Whether the variant will be checked or timed in this process.
    bool is_wanted(size_t variant) const {
        return std::ranges::find(pending_, variant) != pending_.end() ||
               (state_.is_last && std::ranges::find(screened_, variant) != screened_.end());
    }

    /// Returns false if there is nothing more to do.
    bool check_scene(size_t which) {
        auto scene = std::make_unique<SceneOnDevice>(context_, trial_.scenes[which]);
        SceneResults expected;
        const auto original = pipeline(*scene, which, 0);
        try {
            expected = run(*scene, *original);
            const int repeats = state_.is_right[0] ? 0 : 2;
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
            if (!is_wanted(i) || !state_.failures[i].empty() || (which != 0 && state_.is_right[i])) continue;
            say_({{"at", i}});
            try {
                pipelines_[i] = pipeline(*scene, which, i);
                if (!state_.is_right[i]) {
                    const std::string where =
                        scene->difference(expected, run(*scene, *pipelines_[i]), trial_.float_sums_within);
                    if (!where.empty()) fail(i, fmt::format("differs: {}{}", where, size_text(which)));
                    if (state_.failures[i].empty() && which == 0) say_({{"right", i}});
                }
            } catch (const vulkan::VulkanError& error) {
                say_({{"lost", i}, {"why", in_words(error)}});
                return false;
            } catch (const Error& error) {
                fail(i, error.what());
            }
        }
        say_({{"at", 0}});
        if (which == 0) say_({{"right", 0}});
        scene_ = std::move(scene);
        return true;
    }

    void fail(size_t variant, const std::string& why) {
        state_.failures[variant] = why;
        pipelines_[variant].reset();
        say_({{"wrong", variant}, {"why", why}});
    }

    /// Times these variants among themselves and the original, within the limits. Returns false if the device was lost.
    bool time(const std::vector<size_t>& which, Limits limits, bool is_last) {
        std::vector<Job> jobs;
        for (const size_t i : which) {
            Job job;
            job.kernel = trial_.scenes[0].passes[trial_.varied_pass].name;
            job.method = trial_.variants[i].name;
            job.subject = "--timeout allows it more";
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
        if (!is_last)
            for (size_t i = 0; i < which.size(); ++i)
                state_.over_original[which[i]] = measured.jobs[i].time.value / measured.jobs[0].time.value;
        if (measured.failure.empty()) return true;
        // The failure's text ends with the job that was begun last.
        size_t lost = which.front();
        for (size_t i = 0; i < which.size(); ++i)
            if (measured.failure.ends_with(job_text(jobs[i]))) lost = which[i];
        say_({{"lost", lost}, {"why", "the device failed while it was timed: " + measured.failure}});
        return false;
    }

    void time_all() {
        const auto is_right = [&](size_t i) { return state_.failures[i].empty(); };
        std::vector<size_t> fresh = {0}, all;
        std::ranges::copy_if(pending_, std::back_inserter(fresh), is_right);
        const bool is_alone = fresh.size() == 1 && screened_.empty();
        if (fresh.size() > 1 && !screen(fresh)) return;
        if (!state_.is_last) return;
        // The best ones are timed again from the start, so that none of them was chosen by luck.
        std::ranges::copy_if(screened_, std::back_inserter(all), is_right);
        all.insert(all.end(), fresh.begin() + 1, fresh.end());
        std::ranges::stable_sort(all, {}, [&](size_t i) { return state_.over_original[i]; });
        constexpr size_t finalists = 4;
        all.resize(std::min(all.size(), finalists));
        all.insert(all.begin(), 0);
        Limits last;
        last.seconds = is_alone ? trial_.seconds : trial_.seconds * 2 / 3;
        last.warm_up_seconds = std::min(0.3, trial_.seconds / 20);
        time(all, last, true);
    }

    /// Takes a few samples of each variant.
    bool screen(const std::vector<size_t>& which) {
        const size_t planned = std::max({trial_.planned, trial_.variants.size(), size_t{2}}) - 1;
        Limits first;
        first.seconds = trial_.seconds / 3 * static_cast<double>(which.size() - 1) / static_cast<double>(planned);
        first.max_samples = 12;
        first.min_samples = 12;
        first.warm_up_seconds = std::min(screened_.empty() ? 1.0 : 0.2, trial_.seconds / 10);
        return time(which, first, false);
    }

    const Trial& trial_;
    TrialState state_;
    /// The variants to be timed for the first time, and those that were.
    std::vector<size_t> pending_, screened_;
    const SayLine& say_;
    vulkan::Instance instance_;
    Context context_;
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
