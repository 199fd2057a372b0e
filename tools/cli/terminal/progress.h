// How far a long command is: one line on stderr, rewritten in place. Nothing in the first second (unless
// TILEWISE_PROGRESS is "now"), nor where stderr is no terminal, nor after be_quiet(). One thread at a time may use it.
#pragma once
#include "patterns/model/advance.h"
#include <chrono>
#include <cstdint>
#include <string>

namespace tilewise {

class Progress {
public:
    /// `unit` names what is counted, in the plural: "images". Where the total is not known yet, or never, it is 0.
    explicit Progress(std::string unit, uint64_t total = 0);
    ~Progress();  ///< takes the line away
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows the count with its rate and the time left; `note` says what was done last.
    void show(uint64_t done, const std::string& note);
    /// What work calls that tells its total as it goes. The Progress must outlive it.
    Advance listener();
    /// The same for the next part of the work, counted in something else; it begins with the first call.
    Advance listener(std::string unit);
    /// The next part of the work, counted in something else.
    void begin(std::string unit);
    /// Takes the line away, for a line of the result on stdout.
    void hide();
    /// Prints a line of its own above the progress line, terminal or not.
    void say(const std::string& line);

private:
    using Clock = std::chrono::steady_clock;

    std::string unit_;
    uint64_t total_;
    bool terminal_;
    bool shown_ = false;
    Clock::time_point first_ = Clock::now(), start_ = first_;  ///< of the whole work, and of this part of it
    Clock::time_point last_ = {};
};

}  // namespace tilewise
