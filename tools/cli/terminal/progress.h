// Shows the progress of a long command: one line on stderr, rewritten in place. It shows nothing in the first second
// (unless TILEWISE_PROGRESS is "now"), if stderr is no terminal, or after be_quiet(). Only one thread at a time may use
// it.
#pragma once
#include "patterns/model/advance.h"
#include <chrono>
#include <cstdint>
#include <string>

namespace tilewise {

class Progress {
public:
    /// `unit` names what is counted, in the plural: "images". `total` is 0 if it is not known yet, or never will be.
    explicit Progress(std::string unit, uint64_t total = 0);
    ~Progress();  ///< removes the line
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows the count with its rate and the time left; `note` says what was done last.
    void show(uint64_t done, const std::string& note);
    /// Returns the callback for work that reports its total as it proceeds. The Progress must outlive it.
    Advance listener();
    /// Likewise for the next part of the work, counted in another unit; that part begins with the first call.
    Advance listener(std::string unit);
    /// Begins the next part of the work, counted in another unit.
    void begin(std::string unit);
    /// Removes the line, to make room for a line of the result on stdout.
    void hide();
    /// Prints a separate line above the progress line, on a terminal or not.
    void say(const std::string& line);

private:
    using Clock = std::chrono::steady_clock;

    std::string unit_;
    uint64_t total_;
    bool terminal_;
    bool shown_ = false;
    Clock::time_point first_ = Clock::now(), start_ = first_;  ///< the start of the whole work, and of the current part
    Clock::time_point last_ = {};
};

}  // namespace tilewise
