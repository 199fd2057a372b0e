// Processes of this very program, started anew for a role that its main() knows. Covers what differs between operating
// systems: starting, waiting, ending a process with everything that it started, limits, last words, channels.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewise::probe::worker {

using Clock = std::chrono::steady_clock;

/// One end of a stream of bytes between two processes. Closed with its object.
class Stream {
public:
    Stream();
    Stream(Stream&& other) noexcept;
    Stream& operator=(Stream&& other) noexcept;
    ~Stream();

    bool is_open() const { return state_ != nullptr; }
    void close();
    /// Sends all of it, however long the other end takes. Returns false if the other end is gone.
    bool send(const void* data, size_t size);
    /// Receives what has come, at most `size` bytes: 0 if nothing has come yet, none if nothing will come any more.
    std::optional<size_t> receive(void* data, size_t size);
    /// Whether receive() would return something other than 0.
    bool is_ready() const;

    struct State;
    explicit Stream(std::unique_ptr<State> state);
    State* state() const { return state_.get(); }

private:
    std::unique_ptr<State> state_;
};

/// The two ends of one bidirectional channel.
std::pair<Stream, Stream> make_channel();

/// Waits until something has come on one of the streams, or one has ended, for at most that long. Streams that are not
/// open are ignored. Returns false if a signal came first.
bool wait_for_streams(std::span<const Stream* const> streams, std::chrono::milliseconds at_most);

/// How a process is started.
struct Start {
    std::string role;  ///< one of the roles that main() passes to play_role
    std::vector<std::string> arguments = {};
    bool has_channel = true;
    /// Where its output goes: all to `output`, to `output` and `errors` separately, or nowhere.
    enum class Prints { together, apart, nowhere } prints = Prints::together;
    /// It runs code that may do anything, such as a driver: it gains no privileges, leaves no memory dump, and is
    /// killed first if memory runs out.
    bool is_dangerous = true;
    std::string input = {};            ///< what it reads on stdin
    uint64_t more_memory_bytes = 0;    ///< that it may use beyond what it has at its start; 0: no limit
    std::chrono::seconds cpu_time{0};  ///< 0: no limit
};

struct ProcessEnd {
    bool succeeded = false;
    bool aborted = false;      ///< by itself, as libraries without exceptions do if memory runs out
    bool out_of_time = false;  ///< it exceeded its CPU time, or someone killed it
    /// "SIGABRT", "access violation in driver.dll", "its process left with status 3"; followed by its last output, if
    /// any.
    std::string cause;
};

/// Killed, with everything that it started, when its object is destroyed and it still runs. Ctrl-C does not reach it;
/// the program decides how to respond. It also ends when the thread that started it does.
class Process {
public:
    Process();
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    ~Process();

    Stream channel, output, errors;

    /// Whether there is a process for which kill() was not called.
    bool exists() const { return state_ != nullptr; }
    /// Whether it has ended by itself.
    bool has_ended() const;
    /// Waits for its end, for at most that long; returns whether it has ended.
    bool wait(std::chrono::milliseconds at_most) const;
    /// Ends it and everything that it started. Returns how it ended, if it had already ended; `last_words` belong to
    /// that.
    ProcessEnd kill(std::string_view last_words = {});
    /// Does to it what Ctrl-C does to a program.
    void interrupt() const;
    /// Returns false on systems that do not let a process read its child's memory.
    bool read_memory(uint64_t address, std::span<std::byte> to) const;
    /// The system's process id.
    int64_t id() const;

    struct State;
    explicit Process(std::unique_ptr<State> state);

private:
    std::unique_ptr<State> state_;
};

/// Throws Error if the system does not allow it, or if main() does not begin with play_role.
Process start_process(const Start& start);

/// What the role's function receives.
struct Playing {
    Stream channel;
    std::vector<std::string> arguments;
};

struct Role {
    std::string name;
    /// Returns the exit code.
    int (*play)(Playing& playing);
};

/// main() begins with this. In a process started by start_process, it plays the role and returns the exit code.
/// Otherwise it remembers how the program was started (possibly by a dynamic loader of its own), for the processes to
/// come.
std::optional<int> play_role(int argc, char** argv, std::span<const Role> roles);

/// The arguments of main() after the program's name. They are in UTF-8 even if the system also has them in another
/// encoding.
std::vector<std::string> arguments_of(int argc, char** argv);

}  // namespace tilewise::probe::worker
