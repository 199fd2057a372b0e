#include "tools/cli/terminal/progress.h"
#include "patterns/model/text.h"
#include "system/folders.h"
#include "system/terminal.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/width.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <utility>

namespace tilewise {

namespace {

std::string duration_text(double seconds) {
    const auto whole = std::lround(seconds);
    if (whole < 60) return fmt::format("{} s", whole);
    return fmt::format("{}:{:02} min", whole / 60, whole % 60);
}

std::chrono::milliseconds silence() {
    return std::chrono::milliseconds(system::environment("TILEWISE_PROGRESS") == "now" ? 0 : 1000);
}

size_t terminal_width() {
    const size_t columns = system::terminal_columns(system::Output::err).value_or(80);
    return columns > 1 ? columns - 1 : 79;
}

}  // namespace

Progress::Progress(std::string unit, uint64_t total)
    : unit_(std::move(unit)), total_(total), terminal_(system::is_terminal(system::Output::err) && !is_quiet()) {}

Progress::~Progress() { hide(); }

Advance Progress::listener() {
    if (!terminal_) return {};
    return [this](uint64_t done, uint64_t total) {
        total_ = total;
        show(done, "");
    };
}

Advance Progress::listener(std::string unit) {
    if (!terminal_) return {};
    return [this, unit = std::move(unit), has_begun = false](uint64_t done, uint64_t total) mutable {
        if (!std::exchange(has_begun, true)) begin(unit);
        total_ = total;
        show(done, "");
    };
}

void Progress::begin(std::string unit) {
    unit_ = std::move(unit);
    total_ = 0;
    start_ = Clock::now();
}

void Progress::hide() {
    if (shown_) system::print_to_stderr("\r\x1b[K");
    shown_ = false;
}

void Progress::show(uint64_t done, const std::string& note) {
    if (!terminal_) return;
    const auto now = Clock::now();
    if (now - first_ < silence() || (done != total_ && now - last_ < std::chrono::milliseconds(100))) return;
    last_ = now;
    const double elapsed = std::max(1e-3, std::chrono::duration<double>(now - start_).count());
    const double rate = static_cast<double>(done) / elapsed;
    const std::string count = total_ > 0 ? fmt::format("{} of {}", done, total_) : fmt::format("{}", done);
    std::string line = fmt::format("{} {}, {:.1f}/s", count, unit_, rate);
    if (done > 0 && done < total_) line += ", " + duration_text(static_cast<double>(total_ - done) / rate) + " left";
    if (!note.empty()) line += "  " + note;
    system::print_to_stderr("\r\x1b[K" + cut_to_width(printable(line), terminal_width()));
    shown_ = true;
}

void Progress::say(const std::string& line) {
    hide();
    print_note(line);
}

}  // namespace tilewise
