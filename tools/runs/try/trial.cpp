#include "tools/runs/try/trial.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/try/trial_task.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <iterator>

namespace tilewise {

using namespace kernels;
using namespace probe::worker;
using Json = nlohmann::json;

std::string careful_verdict(std::span<const double> baseline, std::span<const double> samples) {
    std::string whole = verdict_text(speedup(baseline, samples));
    if (whole != "faster" && whole != "slower") return whole;
    constexpr size_t min_samples = 10;
    if (std::min(baseline.size(), samples.size()) < min_samples) return "too few samples";
    const auto first_half = [](std::span<const double> all) { return median(all.first(all.size() / 2)); };
    const auto second_half = [](std::span<const double> all) { return median(all.subspan(all.size() / 2)); };
    const auto fastest_quarter = [](std::span<const double> all) {
        std::vector<double> sorted(all.begin(), all.end());
        std::ranges::sort(sorted);
        return sorted[sorted.size() / 4];
    };
    const auto fastest = [](std::span<const double> all) { return *std::ranges::min_element(all); };
    const auto agrees = [&](const auto& of) {
        constexpr double threshold = 0.005;
        const double ratio = of(baseline) / of(samples);
        return whole == "faster" ? ratio > 1 + threshold : ratio < 1 - threshold;
    };
    return agrees(first_half) && agrees(second_half) && agrees(fastest_quarter) && agrees(fastest) ? whole
                                                                                                   : "no difference";
}

namespace {

Process start_trial(const Trial& trial, const TrialState& state) {
    Start start = {trial_role.name};
    start.prints = Start::Prints::nowhere;
    Process process = start_process(start);
    // If the process is gone already, its exit status says so.
    send_trial(process.channel, trial, state);
    return process;
}

class Run {
public:
    Run(Trial& trial, const MoreVariants& more, const OnTrial& on_progress)
        : trial_(trial), more_(more), on_progress_(on_progress) {
        make_room();
    }

    TrialResult run() {
        for (bool is_going_on = true; is_going_on;) {
            state_.is_last = !is_growing_;
            // Each process but the last loses a variant.
            for (size_t started = 0; started <= trial_.variants.size(); ++started)
                if (is_over_after(start_trial(trial_, state_))) break;
            is_going_on = is_growing_ && result_.failure.empty() && !result_.is_interrupted;
            if (is_going_on) grow();
        }
        summarise();
        return std::move(result_);
    }

private:
    void make_room() {
        const size_t count = trial_.variants.size();
        result_.variants.resize(count);
        baselines_.resize(count);
        state_.failures.resize(count);
        state_.is_right.resize(count);
        state_.over_original.resize(count);
    }

    void grow() {
        std::vector<TrialVariant> added = more_(state_.over_original);
        is_growing_ = !added.empty();
        std::ranges::move(added, std::back_inserter(trial_.variants));
        make_room();
    }

    /// Pipelines are compiled first, and each dispatch may take as long as the timeout.
    double patience_seconds() const { return trial_.timeout_seconds * 3 + 30; }

    bool is_over_after(Process process) {
        at_ = 0;
        is_done_ = is_refused_ = has_lost_ = false;
        const bool is_late = !hear_to_the_end(process.channel) && !interrupted;
        if (!is_late && !interrupted) process.wait(std::chrono::seconds(1));
        const ProcessEnd end = process.kill();
        if (interrupted) {
            result_.is_interrupted = true;
            return true;
        }
        if (is_done_ || is_refused_) return true;
        if (!has_lost_)
            lose(at_, is_late         ? fmt::format("did not finish in {:g} s", patience_seconds())
                      : end.succeeded ? "the process ended early"
                                      : fmt::format("the driver died of it ({})", end.cause));
        if (!state_.failures[0].empty()) {
            result_.failure = fmt::format("the shader as it is: {}", state_.failures[0]);
            return true;
        }
        return false;
    }

    /// Returns false if the process says nothing for too long, or says too much, or if the user interrupts.
    bool hear_to_the_end(Stream& channel) {
        std::string text;
        auto deadline = Clock::now() + std::chrono::duration<double>(patience_seconds());
        while (!interrupted && Clock::now() < deadline) {
            std::array<char, 16384> bytes;
            const std::optional<size_t> got = channel.receive(bytes.data(), bytes.size());
            if (!got) return true;
            if (*got == 0) {
                constexpr std::chrono::milliseconds heartbeat(100);
                const Stream* const stream = &channel;
                wait_for_streams({&stream, 1}, heartbeat);
                continue;
            }
            text.append(bytes.data(), *got);
            constexpr size_t most = size_t{64} << 20;
            if (text.size() > most) return false;
            for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
                hear(text.substr(0, end));
            deadline = Clock::now() + std::chrono::duration<double>(patience_seconds());
        }
        return false;
    }

    /// A driver may write anything anywhere: lines that are not the trial's own are skipped.
    void hear(const std::string& line) {
        const Json json = Json::parse(line, nullptr, false);
        if (!json.is_object()) return;
        const auto variant = [&](const char* name) -> std::optional<size_t> {
            const auto found = json.find(name);
            if (found == json.end() || !found->is_number_unsigned()) return std::nullopt;
            const auto number = found->get<size_t>();
            return number < trial_.variants.size() ? std::optional(number) : std::nullopt;
        };
        const std::string why = json.contains("why") && json["why"].is_string() ? json["why"].get<std::string>() : "";
        if (const auto i = variant("at")) {
            at_ = *i;
            on_progress_(at_, trial_.variants.size(), "checked");
        }
        if (const auto i = variant("right")) state_.is_right[*i] = true;
        if (const auto i = variant("wrong")) state_.failures[*i] = why;
        if (const auto i = variant("lost")) {
            has_lost_ = true;
            lose(*i, why);
        }
        if (json.contains("refused") && json["refused"].is_string()) {
            is_refused_ = true;
            result_.failure = json["refused"].get<std::string>();
        }
        if (json.contains("timing") && json["timing"].is_number())
            on_progress_(static_cast<size_t>(100 * json["timing"].get<double>()), 100, "timed");
        if (json.contains("timed") && json["timed"].is_array()) take_times(json["timed"]);
        is_done_ = is_done_ || json.contains("done");
    }

    /// Samples are compared with those of the same round.
    void take_times(const Json& round) {
        std::vector<size_t> taken;
        for (const Json& one : round)
            if (const auto i = take_samples(one)) taken.push_back(*i);
        const std::vector<double> baseline = result_.variants[0].ms;
        for (const size_t i : taken) {
            baselines_[i] = baseline;
            const std::vector<double>& ms = result_.variants[i].ms;
            if (!ms.empty() && !baseline.empty()) state_.over_original[i] = median(ms) / median(baseline);
        }
    }

    std::optional<size_t> take_samples(const Json& json) {
        if (!json.is_object() || !json.contains("variant") || !json["variant"].is_number_unsigned() ||
            !json.contains("ms") || !json["ms"].is_array())
            return std::nullopt;
        const auto i = json["variant"].get<size_t>();
        if (i >= result_.variants.size()) return std::nullopt;
        TriedVariant& variant = result_.variants[i];
        variant.ms.clear();
        for (const Json& ms : json["ms"])
            if (ms.is_number()) variant.ms.push_back(ms.get<double>());
        variant.discarded = json.value("discarded", 0u);
        variant.is_finalist = json.value("last", false);
        return i;
    }

    void lose(size_t variant, const std::string& why) {
        state_.failures[variant] = why;
        if (variant != 0)
            result_.notes.push_back(fmt::format("{}: {}; it was left out, and the others were started again",
                                                trial_.variants[variant].name, why));
    }

    void summarise() {
        for (size_t i = 0; i < result_.variants.size(); ++i) {
            TriedVariant& variant = result_.variants[i];
            variant.failure = state_.failures[i];
            if (!variant.failure.empty()) variant.ms.clear();
            variant.time = median_estimate(variant.ms);
            variant.speedup = speedup(baselines_[i], variant.ms);
            if (!variant.ms.empty()) variant.verdict = i == 0 ? "baseline" : careful_verdict(baselines_[i], variant.ms);
        }
    }

    Trial& trial_;
    const MoreVariants& more_;
    const OnTrial& on_progress_;
    bool is_growing_ = static_cast<bool>(more_);
    TrialState state_;
    TrialResult result_;
    /// By variant: the samples of the unchanged shader in the round in which the variant was timed.
    std::vector<std::vector<double>> baselines_;
    size_t at_ = 0;
    bool is_done_ = false, is_refused_ = false, has_lost_ = false;
};

}  // namespace

TrialResult run_trial(Trial& trial, const MoreVariants& more, const OnTrial& on_progress) {
    return Run(trial, more, on_progress).run();
}

}  // namespace tilewise
