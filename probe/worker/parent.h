// A worker process: it answers one message after the other, and may die or hang without harm.
#pragma once
#include "probe/worker/protocol.h"
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tilewise::probe {

/// Runs in the worker until it returns; `channel` carries the messages.
using Serve = std::function<void(int channel)>;

/// Killed with its object if it still lives.
struct Worker {
    pid_t pid = -1;
    int channel = -1;
    int chatter = -1;       ///< what the worker prints, so that drivers do not write over the program's output
    std::string last_line;  ///< of the chatter, since the last question
    std::string partial_line;

    Worker() = default;
    Worker(Worker&& other) noexcept { *this = std::move(other); }
    Worker& operator=(Worker&& other) noexcept;
    ~Worker();
};

/// Forks, but does not exec: a program that was started through another one (ld.so --preload) could not start anew.
Worker start_worker(const Serve& serve);

/// Asks it to leave and waits a little, so that the driver can clean up.
void dismiss(Worker& worker);

using Clock = std::chrono::steady_clock;

/// A question under way.
struct Question {
    Worker worker;
    size_t id = 0;
    Clock::time_point asked, deadline;
};
void ask(Question& question, const Message& message, std::chrono::milliseconds limit);

enum class End { answered, died, late };
struct Ending {
    End end = End::died;
    Message answer;
    std::string reason;  ///< how it died: "SIGABRT: driver.c:12: assertion failed", or how long it was waited for
};

/// Why there is no answer: how the worker died, how long it was waited for, or what it says went wrong. "" where there is.
std::string why_no_answer(const Ending& ending);

/// Waits, at most so long or until a signal comes, for the end of one of the questions. Its position; size() for none.
size_t wait_for_any(std::span<Question> questions, std::chrono::milliseconds at_most);
/// What became of the question that wait_for_any found. The worker lives on only if it answered.
Ending end_of(Question& question);

/// The idle workers, and how to start one.
struct Pool {
    Serve serve;
    std::chrono::milliseconds time_limit;
    std::vector<Worker> idle;

    Worker take();
    /// The worker is kept for the next question, unless it is gone or has lost its device.
    Ending ask_and_wait(const Message& message);
    ~Pool();
};

}  // namespace tilewise::probe
