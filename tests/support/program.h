// Runs a program as a person does: its output, its error messages, its exit code.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tilewise {

/// A folder that is removed with this object.
struct Folder {
    std::filesystem::path path;
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string operator/(const std::string& name) const { return (path / name).string(); }
};

struct Ended {
    int code = -1;  ///< exit code; 128 + the signal's number if a signal ended it
    std::string out, err;
};

/// A running program, in a process group of its own; its output goes to files.
struct Running {
    pid_t pid = -1;
    std::filesystem::path out, err;
};

using Command = std::vector<std::string>;
/// The arguments of `b` after those of `a`.
Command operator+(Command a, const Command& b);

Running start(const Command& command, const std::string& input = "");
Ended wait_for(const Running& running);
Ended run(const Command& command, const std::string& input = "");

/// {program, arguments...}
Command tilewise(const Command& arguments);
/// Likewise under tools/with-driver; `driver` as there ("system", "lavapipe", "radv:navi21").
Command tilewise_on(const std::string& driver, const Command& arguments);

nlohmann::json parse(const Ended& ended);

/// Whether the text is one line that begins "tilewise: ", or its JSON form with --json, and nothing else.
bool is_one_complaint(const std::string& err);

/// Runs a command that must fail: with that exit code, nothing on stdout, and one error message that mentions the text.
void fails(const Command& arguments, int code, const std::string& mentions, const std::string& input = "");
/// Likewise; afterwards the folder must hold as many files as before; notes may come before the error message.
void fails(const Folder& folder, const Command& arguments, int code, const std::string& mentions);

/// Whether the program is started directly, so that this system's limits, signals and drivers apply to it. Says that
/// the test is skipped if a script starts it, as tests/windows/run does with wine.
bool program_is_of_this_system();

/// Whether the private drivers were unpacked; says that the test is skipped if not.
bool drivers_are_here();

std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);

/// The unpacked table of tests/data/layouts.
std::string layout_table(const std::string& name);

}  // namespace tilewise
