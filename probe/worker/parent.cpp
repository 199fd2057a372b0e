#include "probe/worker/parent.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace tilewise::probe::worker {

namespace {

void close_all(Worker& worker) {
    worker.process.channel.close();
    worker.process.output.close();
}

/// Reads available output without waiting.
void listen_to(Worker& worker) {
    std::array<char, 4096> buffer;
    std::optional<size_t> got;
    while ((got = worker.process.output.receive(buffer.data(), buffer.size())) && *got > 0)
        for (const char c : std::string_view(buffer.data(), *got)) {
            constexpr size_t longest = 400;
            if (c != '\n' && worker.partial_line.size() < longest)
                worker.partial_line += c;
            else if (c == '\n' && !worker.partial_line.empty())
                worker.last_line = std::exchange(worker.partial_line, {});
        }
    if (!got) worker.process.output.close();
}

/// A closing channel indicates a death slightly early. If the process must be killed here, its end is our doing.
std::string await_death(Worker& worker) {
    const bool ended = worker.process.wait(std::chrono::seconds(1));
    listen_to(worker);
    const ProcessEnd end = worker.process.kill(worker.partial_line.empty() ? worker.last_line : worker.partial_line);
    return ended ? end.cause : "its process closed the channel to the program and went on";
}

}  // namespace

Worker start_worker(const std::string& role, const std::vector<std::string>& arguments) {
    Worker worker;
    worker.process = start_process({role, arguments});
    return worker;
}

void dismiss(Worker& worker) {
    if (!worker.process.exists()) return;
    worker.process.channel.close();
    constexpr auto timeout = std::chrono::seconds(2);
    for (const auto until = Clock::now() + timeout; Clock::now() < until && !worker.process.has_ended();) {
        listen_to(worker);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    worker.process.kill();
}

void ask(Pending& pending, const Request& request, std::chrono::milliseconds timeout) {
    pending.worker.last_line.clear();
    pending.worker.partial_line.clear();
    pending.request = request;
    pending.sent = Clock::now();
    pending.deadline = pending.sent + timeout;
    // If the worker is already gone, end_of reports it.
    send_request(pending.worker.process.channel, pending.request);
}

size_t wait_for_any(std::span<Pending> pending, std::chrono::milliseconds at_most) {
    // How soon a death is noticed if a child of the worker keeps the channel open.
    constexpr auto heartbeat = std::chrono::milliseconds(50);
    std::vector<const Stream*> channels, streams;
    for (const Pending& one : pending) channels.push_back(&one.worker.process.channel);
    for (auto until = Clock::now() + at_most;;) {
        const auto now = Clock::now();
        auto next = std::min(until, now + heartbeat);
        streams = channels;
        for (size_t i = 0; i < pending.size(); ++i) {
            Worker& worker = pending[i].worker;
            listen_to(worker);
            if (pending[i].deadline <= now || worker.process.has_ended() || worker.process.channel.is_ready()) return i;
            next = std::min(next, pending[i].deadline);
            streams.push_back(&worker.process.output);
        }
        if (now >= until) return pending.size();
        const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - now);
        if (!wait_for_streams(streams, wait)) return pending.size();
    }
}

Ending end_of(Pending& pending) {
    Worker& worker = pending.worker;
    Ending ending;
    std::string why;
    switch (
        receive_reply(worker.process.channel, &worker.process, pending.deadline, pending.request, ending.reply, why)) {
        case ReplyState::whole: {
            ending.end = End::replied;
            worker.has_replied = true;
            const auto* failure = std::get_if<Failure>(&ending.reply);
            if (!failure || failure->kind == Failure::Kind::refused) return ending;
            dismiss(worker);
            break;
        }
        case ReplyState::late: {
            const std::chrono::duration<double> waited = pending.deadline - pending.sent;
            ending = {End::timed_out, {}, fmt::format("no reply within {:.3g} s", waited.count())};
            worker.process.kill();
            break;
        }
        case ReplyState::closed:
            ending.reason = await_death(worker);
            break;
        case ReplyState::malformed:
            worker.process.kill();
            ending.reason = "malformed reply: " + why;
    }
    close_all(worker);
    return ending;
}

void Pool::prepare(size_t count) {
    // Placed after the existing ones, which may already have opened a driver.
    while (idle.size() < count) idle.insert(idle.begin(), start_worker(role));
}

Worker Pool::take() {
    while (!idle.empty()) {
        Worker worker = std::move(idle.back());
        idle.pop_back();
        // A worker that died meanwhile, or sends something without being asked, would spoil the next request.
        if (!worker.process.channel.is_ready() && !worker.process.has_ended()) return worker;
    }
    return start_worker(role);
}

void Pool::give_back(Worker&& worker) {
    if (worker.process.exists()) idle.push_back(std::move(worker));
}

Ending Pool::ask_and_wait(const Request& request) {
    Pending pending;
    pending.worker = take();
    worker::ask(pending, request, timeout);
    while (wait_for_any({&pending, 1}, timeout) != 0) {
    }
    Ending ending = end_of(pending);
    give_back(std::move(pending.worker));
    return ending;
}

Pool::~Pool() {
    for (Worker& worker : idle) worker.process.channel.close();  // so that all clean up at once
    for (Worker& worker : idle) dismiss(worker);
}

}  // namespace tilewise::probe::worker
