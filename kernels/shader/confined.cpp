#include "kernels/shader/confined.h"
#include "patterns/model/error.h"
#include "patterns/model/error_text.h"
#include <array>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <new>
#include <optional>

namespace tilewise::kernels {

using namespace probe::worker;

namespace {

constexpr uint64_t more_memory_MiB = 1024;
constexpr std::chrono::seconds cpu_time{30};
constexpr size_t max_answer = size_t{64} << 20;
/// Guards against a process that waits forever; one that works is ended by its limit of CPU time.
constexpr std::chrono::seconds max_wait{300};

// The first byte of an answer.
constexpr char answered = 'a', refused = 'r', out_of_memory = 'm';

/// Waits for bytes until the process ends, or until that time. None if there will be no more.
std::optional<size_t> await_bytes(Stream& channel, void* data, size_t size, Clock::time_point until) {
    for (;;) {
        const std::optional<size_t> got = channel.receive(data, size);
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
        if (!got || *got > 0) return got;
        if (left.count() <= 0) return {};
        const Stream* const stream = &channel;
        wait_for_streams({&stream, 1}, left);
    }
}

/// Everything that the process sends until its end, or until it sends too much.
std::string read_answer(Stream& channel) {
    const auto until = Clock::now() + max_wait;
    std::string answer;
    std::array<char, 65536> bytes;
    while (answer.size() <= max_answer) {
        const std::optional<size_t> got = await_bytes(channel, bytes.data(), bytes.size(), until);
        if (!got) break;
        answer.append(bytes.data(), *got);
    }
    return answer;
}

}  // namespace

int answer_task(Playing& playing, std::string (*work)(std::string_view task)) {
    uint64_t size = 0;
    const auto receive = [&](void* to, size_t bytes) {
        for (auto* at = static_cast<char*>(to); bytes > 0;) {
            const std::optional<size_t> got = await_bytes(playing.channel, at, bytes, Clock::now() + max_wait);
            if (!got) return false;
            at += *got;
            bytes -= *got;
        }
        return true;
    };
    if (!receive(&size, sizeof size)) return 1;
    std::string answer;
    try {
        std::string task(size, '\0');
        if (!receive(task.data(), task.size())) return 1;
        answer = answered + work(task);
    } catch (const std::bad_alloc&) {
        answer = out_of_memory;
    } catch (const std::exception& error) {
        answer = refused + error_text(error);
    }
    return playing.channel.send(answer.data(), answer.size()) ? 0 : 1;
}

std::string run_confined(const Role& role, std::string_view subject, std::string_view task) {
    Start start = {role.name};
    start.prints = Start::Prints::nowhere;
    start.more_memory_bytes = more_memory_MiB << 20;
    start.cpu_time = cpu_time;
    Process process = start_process(start);
    const uint64_t size = task.size();
    // If the process is already gone, its answer says so.
    if (process.channel.send(&size, sizeof size)) process.channel.send(task.data(), task.size());
    const std::string answer = read_answer(process.channel);
    if (answer.size() <= max_answer) process.wait(std::chrono::seconds(1));
    const ProcessEnd end = process.kill();
    const char kind = end.succeeded && !answer.empty() ? answer.front() : '\0';
    if (kind == answered) return answer.substr(1);
    if (kind == refused) throw Error(answer.substr(1));
    // Libraries without exceptions abort.
    if (kind == out_of_memory || end.aborted)
        throw Error(fmt::format("{}: takes more than {} MiB of memory to {}", subject, more_memory_MiB, role.name));
    if (end.out_of_time)
        throw Error(fmt::format("{}: takes more than {} s to {}", subject, cpu_time.count(), role.name));
    throw Error(fmt::format("{}: crashes what is to {} it", subject, role.name));
}

}  // namespace tilewise::kernels
