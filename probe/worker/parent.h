// A worker process: it replies to one request after another, and may die, hang or send garbage without harm.
#pragma once
#include "probe/worker/protocol.h"
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewise::probe::worker {

/// Killed, with everything that it started, when its object is destroyed and it still lives.
struct Worker {
    Process process;        ///< its output is captured, so that drivers do not write over the program's
    std::string last_line;  ///< of its output since the last request
    std::string partial_line;
    bool has_replied = false;  ///< to any request: it has opened its driver
};

/// Starts a process of this program that plays the role and serves requests.
Worker start_worker(const std::string& role, const std::vector<std::string>& arguments = {});

/// Tells the worker that there are no more requests, and waits a little so that the driver can clean up.
void dismiss(Worker& worker);

/// A request under way.
struct Pending {
    Worker worker;
    size_t id = 0;
    Request request;
    Clock::time_point sent, deadline;
};
void ask(Pending& pending, const Request& request, std::chrono::milliseconds timeout);

enum class End { replied, died, timed_out };
struct Ending {
    End end = End::died;
    Reply reply;         ///< valid only if the worker replied
    std::string reason;  ///< how it died: "SIGABRT: driver.c:12: assertion failed", or how long the wait was
};

/// Waits for the end of one of the requests, for at most that long or until a signal comes. Returns the request's
/// position, or size() for none.
size_t wait_for_any(std::span<Pending> pending, std::chrono::milliseconds at_most);
/// The outcome of the request that wait_for_any found. The worker lives on only if it replied and still has its device.
Ending end_of(Pending& pending);

/// The reply, or why there is none: how the worker died, how long the wait was, or what the worker reported as the
/// problem.
template <typename Body>
struct Answer {
    std::optional<Body> reply;
    End end = End::died;
    std::string why_not;
};

/// The idle workers, and how to start one.
struct Pool {
    std::string role;
    std::chrono::milliseconds timeout;
    std::vector<Worker> idle;

    /// Starts workers until `count` are idle.
    void prepare(size_t count);
    Worker take();
    bool next_is_new() const { return idle.empty() || !idle.back().has_replied; }
    /// Keeps the worker for the next request, if it still lives.
    void give_back(Worker&& worker);
    Ending ask_and_wait(const Request& request);
    ~Pool();

    template <typename Asked>
    Answer<typename Asked::Reply> ask(const Asked& request) {
        Ending ending = ask_and_wait(request);
        if (const auto* failure = std::get_if<Failure>(&ending.reply); failure && ending.end == End::replied)
            return {{}, ending.end, failure->reason};
        if (ending.end != End::replied) return {{}, ending.end, ending.reason};
        return {std::get<typename Asked::Reply>(std::move(ending.reply)), ending.end, {}};
    }
};

}  // namespace tilewise::probe::worker
