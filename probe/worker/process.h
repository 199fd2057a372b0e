// Processes of this very program, started anew for a role that its main() knows, and what differs there between operating
// systems: starting, waiting, ending with all that was started, limits, last words, channels.
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
    /// All of it, however long the other end takes. False where that is gone.
    bool send(const void* data, size_t size);
    /// What has come, at most so many bytes: 0 for nothing yet, none where nothing will come any more.
    std::optional<size_t> receive(void* data, size_t size);
    /// Whether receive() would not give 0.
    bool is_ready() const;

    struct State;
    explicit Stream(std::unique_ptr<State> state);
    State* state() const { return state_.get(); }

private:
    std::unique_ptr<State> state_;
};

/// Two ends of one channel, both ways.
std::pair<Stream, Stream> make_channel();

/// Waits until something has come on one of the streams, or one has ended; at most so long. Those that are not open are
/// left out. False where a signal came first.
bool wait_for_streams(std::span<const Stream* const> streams, std::chrono::milliseconds at_most);

/// What a process is started for.
struct Start {
    std::string role;  ///< of those that main() gives to play_role
    std::vector<std::string> arguments = {};
    bool has_channel = true;
    /// What it prints: to `output`, to `output` and `errors` each by itself, or nowhere.
    enum class Prints { together, apart, nowhere } prints = Prints::together;
    /// It runs what may do anything, such as a driver: it gains no privileges, leaves no memory dump, and goes first
    /// where memory runs out.
    bool is_dangerous = true;
    std::string input = {};            ///< what it reads on stdin
    uint64_t more_memory_bytes = 0;    ///< than it has when it starts; 0: as much as there is
    std::chrono::seconds cpu_time{0};  ///< 0: as long as it likes
};

struct ProcessEnd {
    bool succeeded = false;
    bool aborted = false;      ///< by itself, as libraries without exceptions do where memory runs out
    bool out_of_time = false;  ///< its own, or it was killed by someone
    /// "SIGABRT", "access violation in driver.dll", "its process left with status 3"; of one that printed something at
    /// last, with that.
    std::string cause;
};

/// Killed with its object if it still runs, and with it all that it started. Out of the reach of Ctrl-C, which is the
/// program's to answer. It also ends where the thread that started it does.
class Process {
public:
    Process();
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    ~Process();

    Stream channel, output, errors;

    /// Whether there is one that kill() was not called for.
    bool exists() const { return state_ != nullptr; }
    /// Whether it has ended by itself.
    bool has_ended() const;
    /// Waits until it has, at most so long. Whether it has.
    bool wait(std::chrono::milliseconds at_most) const;
    /// Ends it, and all that it started. How it ended, if it had done so already; `last_words` belong to that.
    ProcessEnd kill(std::string_view last_words = {});
    /// What Ctrl-C does to a program.
    void interrupt() const;
    /// Some systems do not let a process read its child's memory: then false.
    bool read_memory(uint64_t address, std::span<std::byte> to) const;
    /// As the system counts processes.
    int64_t id() const;

    struct State;
    explicit Process(std::unique_ptr<State> state);

private:
    std::unique_ptr<State> state_;
};

/// Throws Error where the system does not let it, or where main() does not begin with play_role.
Process start_process(const Start& start);

/// What the role's function gets.
struct Playing {
    Stream channel;
    std::vector<std::string> arguments;
};

struct Role {
    std::string name;
    /// The exit code.
    int (*play)(Playing& playing);
};

/// What main() begins with. Where this process was started by start_process, it plays its role and returns the exit
/// code. Where not, it remembers how the program was started (which may be by a dynamic loader of its own), for those
/// that are to come.
std::optional<int> play_role(int argc, char** argv, std::span<const Role> roles);

/// What main() was given behind the program's name. Where the system has it in another encoding as well, in UTF-8.
std::vector<std::string> arguments_of(int argc, char** argv);

}  // namespace tilewise::probe::worker
