#include "tools/runs/validate/each_device.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/probe/device_threads.h"
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace tilewise {

using probe::worker::Process;
using probe::worker::Stream;

namespace {

struct Running {
    size_t device = 0;
    Process process;
    std::string output = {}, line = {};
};

/// Reads what is available; closes the stream at its end.
void read_more(Stream& stream, std::string& text) {
    std::array<char, 4096> buffer;
    std::optional<size_t> got;
    while ((got = stream.receive(buffer.data(), buffer.size())) && *got > 0) text.append(buffer.data(), *got);
    if (!got) stream.close();
}

void pass_on_lines(const std::string& name, std::string& text, bool is_all,
                   const std::function<void(const std::string&)>& on_line) {
    if (is_all && !text.empty() && !text.ends_with('\n')) text += '\n';
    for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
        on_line(name + text.substr(0, end));
}

}  // namespace

void run_for_each(const std::vector<probe::DeviceInfo>& devices,
                  const std::function<probe::worker::Start(size_t)>& start_of,
                  const std::function<void(size_t, DeviceRun&&)>& on_end,
                  const std::function<void(const std::string& line)>& on_line) {
    stop_on_signals();
    bool told = false;  // of the Ctrl-C
    for (const std::vector<size_t>& wave : timing_waves(devices)) {
        if (interrupted) break;
        std::vector<Running> running;
        for (const size_t device : wave) running.push_back({device, start_process(start_of(device))});
        while (!running.empty()) {
            if (interrupted && !std::exchange(told, true))
                for (const Running& one : running) one.process.interrupt();
            std::vector<const Stream*> streams;
            for (const Running& one : running)
                for (const Stream* stream : {&one.process.output, &one.process.errors}) streams.push_back(stream);
            constexpr std::chrono::milliseconds heartbeat(100);  // the signal may arrive just before the wait
            wait_for_streams(streams, heartbeat);
            for (size_t i = running.size(); i-- > 0;) {
                Running& one = running[i];
                const std::string name = fmt::format("device {}: ", devices[one.device].index);
                read_more(one.process.output, one.output);
                read_more(one.process.errors, one.line);
                pass_on_lines(name, one.line, !one.process.errors.is_open(), on_line);
                if (one.process.output.is_open() || one.process.errors.is_open() || !one.process.has_ended()) continue;
                const bool succeeded = one.process.kill().succeeded;
                on_end(one.device, {std::move(one.output), succeeded});
                running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }
}

}  // namespace tilewise
