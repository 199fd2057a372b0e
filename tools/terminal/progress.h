// How far a long command is: one line on stderr, rewritten in place; nothing where stderr is no terminal, or after
// be_quiet().
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace tilewise {

class Progress {
public:
    /// `unit` names what is counted, in the plural: "images".
    Progress(std::string unit, uint64_t total);
    ~Progress();  ///< takes the line away
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows the count with its rate and the time left; `note` says what was done last.
    void show(uint64_t done, const std::string& note);
    /// Prints a line of its own above the progress line, terminal or not.
    void say(const std::string& line);

private:
    using Clock = std::chrono::steady_clock;
    void clear();

    std::string unit_;
    uint64_t total_;
    bool terminal_;
    bool shown_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = {};
};

}  // namespace tilewise
