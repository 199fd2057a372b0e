#include "tools/runs/try/trial.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/try/trial_work.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewise {

using namespace kernels;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

std::string careful_verdict(std::span<const double> baseline, std::span<const double> samples) {
    const std::string whole = verdict_text(speedup(baseline, samples));
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

struct Process {
    pid_t pid = -1;
    int channel = -1;
    std::string text = {};
};

/// What a driver prints is not the program's.
[[noreturn]] void live(const Trial& trial, const TrialState& state, int channel) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    const auto say = [&](const Json& json) {
        const std::string line = json.dump(-1, ' ', true, Json::error_handler_t::replace) + '\n';
        for (size_t at = 0; at < line.size();) {
            const ssize_t written = write(channel, line.data() + at, line.size() - at);
            if (written < 0 && errno != EINTR) _exit(1);
            at += static_cast<size_t>(std::max<ssize_t>(written, 0));
        }
    };
    work_on_trial(trial, state, say);
    // A device that is at work still would be waited for by whoever frees what it uses.
    _exit(0);
}

Process start(const Trial& trial, const TrialState& state) {
    std::fflush(stdout);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("cannot start a process: pipe: {}", std::strerror(errno)));
    const pid_t pid = fork();
    if (pid == 0) live(trial, state, ends[1]);
    const int reason = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        throw Error(fmt::format("cannot start a process: fork: {}", std::strerror(reason)));
    }
    return {pid, ends[0]};
}

/// How it ended, in words; empty: in good order.
std::string end_of(const Process& process) {
    int status = 0;
    while (waitpid(process.pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) return fmt::format("the driver died of it ({})", strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0) return "the driver ended the process";
    return {};
}

class Run {
public:
    Run(const Trial& trial, const OnTrial& on_progress) : trial_(trial), on_progress_(on_progress) {
        result_.variants.resize(trial.variants.size());
        state_.failures.resize(trial.variants.size());
        state_.is_right.resize(trial.variants.size());
    }

    TrialResult run() {
        // Each process but the last has lost a variant.
        for (size_t started = 0; started <= trial_.variants.size(); ++started)
            if (is_over_after(start(trial_, state_))) break;
        summarise();
        return std::move(result_);
    }

private:
    /// Pipelines are compiled, and a dispatch may take as long as it is given.
    double patience_seconds() const { return trial_.timeout_seconds * 3 + 30; }

    bool is_over_after(Process process) {
        at_ = 0;
        is_done_ = is_refused_ = has_lost_ = false;
        bool is_late = false;
        auto deadline = Clock::now() + std::chrono::duration<double>(patience_seconds());
        for (;;) {
            if (interrupted || Clock::now() >= deadline) {
                is_late = !interrupted;
                kill(process.pid, SIGKILL);
                break;
            }
            pollfd file = {process.channel, POLLIN, 0};
            constexpr int heartbeat_ms = 100;
            if (poll(&file, 1, heartbeat_ms) <= 0) continue;
            char bytes[16384];
            const ssize_t got = read(process.channel, bytes, sizeof bytes);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            process.text.append(bytes, static_cast<size_t>(got));
            constexpr size_t most = size_t{64} << 20;
            if (process.text.size() > most) kill(process.pid, SIGKILL);
            for (size_t end; (end = process.text.find('\n')) != std::string::npos; process.text.erase(0, end + 1))
                hear(process.text.substr(0, end));
            deadline = Clock::now() + std::chrono::duration<double>(patience_seconds());
        }
        close(process.channel);
        const std::string ending = end_of(process);
        if (interrupted) {
            result_.is_interrupted = true;
            return true;
        }
        if (is_done_ || is_refused_) return true;
        if (!has_lost_)
            lose(at_, is_late          ? fmt::format("did not come to its end in {:g} s", patience_seconds())
                      : ending.empty() ? "the process ended early"
                                       : ending);
        if (!state_.failures[0].empty()) {
            result_.failure = fmt::format("the shader as it is: {}", state_.failures[0]);
            return true;
        }
        return false;
    }

    /// A driver may write anything anywhere: what is no line of ours is passed over.
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
        if (json.contains("timed") && json["timed"].is_array())
            for (const Json& one : json["timed"]) take_times(one);
        is_done_ = is_done_ || json.contains("done");
    }

    void take_times(const Json& json) {
        if (!json.is_object() || !json.contains("variant") || !json["variant"].is_number_unsigned() ||
            !json.contains("ms") || !json["ms"].is_array())
            return;
        const auto i = json["variant"].get<size_t>();
        if (i >= result_.variants.size()) return;
        TriedVariant& variant = result_.variants[i];
        variant.ms.clear();
        for (const Json& ms : json["ms"])
            if (ms.is_number()) variant.ms.push_back(ms.get<double>());
        variant.discarded = json.value("discarded", 0u);
        variant.is_finalist = json.value("last", false);
        if (i == 0 && !variant.is_finalist) first_baseline_ = variant.ms;
    }

    void lose(size_t variant, const std::string& why) {
        state_.failures[variant] = why;
        if (variant != 0)
            result_.notes.push_back(fmt::format("{}: {}; it was left out, and the others were started anew",
                                                trial_.variants[variant].name, why));
    }

    void summarise() {
        for (size_t i = 0; i < result_.variants.size(); ++i) {
            TriedVariant& variant = result_.variants[i];
            variant.failure = state_.failures[i];
            if (!variant.failure.empty()) variant.ms.clear();
            variant.time = median_estimate(variant.ms);
            // Samples are compared with those of the same round.
            const std::vector<double>& baseline =
                variant.is_finalist || first_baseline_.empty() ? result_.variants[0].ms : first_baseline_;
            variant.speedup = speedup(baseline, variant.ms);
            if (!variant.ms.empty()) variant.verdict = i == 0 ? "baseline" : careful_verdict(baseline, variant.ms);
        }
    }

    const Trial& trial_;
    const OnTrial& on_progress_;
    TrialState state_;
    TrialResult result_;
    std::vector<double> first_baseline_;
    size_t at_ = 0;
    bool is_done_ = false, is_refused_ = false, has_lost_ = false;
};

}  // namespace

TrialResult run_trial(const Trial& trial, const OnTrial& on_progress) { return Run(trial, on_progress).run(); }

}  // namespace tilewise
