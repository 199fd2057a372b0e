#include "tests/support/program.h"
#include "tests/support/paths.h"
#include <algorithm>
#include <atomic>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewise {

namespace {

std::filesystem::path unique_path(const char* what) {
    static std::atomic<unsigned> count = 0;
    return std::filesystem::temp_directory_path() /
           ("tilewise-test-" + std::to_string(getpid()) + "-" + std::to_string(count++) + what);
}

void redirect(const std::filesystem::path& path, int flags, int to) {
    const int file = open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (file < 0 || dup2(file, to) < 0) _exit(126);
}

}  // namespace

Command operator+(Command a, const Command& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Running start(const Command& command, const std::string& input) {
    Running running;
    running.out = unique_path(".out");
    running.err = unique_path(".err");
    const std::filesystem::path in = unique_path(".in");
    write_text(in, input);
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    running.pid = fork();
    if (running.pid < 0) throw std::runtime_error("fork failed");
    if (running.pid == 0) {
        setpgid(0, 0);
        redirect(in, O_RDONLY, STDIN_FILENO);
        redirect(running.out, O_WRONLY | O_CREAT, STDOUT_FILENO);
        redirect(running.err, O_WRONLY | O_CREAT, STDERR_FILENO);
        unlink(in.c_str());
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    setpgid(running.pid, running.pid);
    return running;
}

Ended wait_for(const Running& running) {
    int status = 0;
    if (waitpid(running.pid, &status, 0) != running.pid) throw std::runtime_error("waitpid failed");
    Ended ended;
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ended.out = read_text(running.out);
    ended.err = read_text(running.err);
    std::filesystem::remove(running.out);
    std::filesystem::remove(running.err);
    return ended;
}

Ended run(const Command& command, const std::string& input) { return wait_for(start(command, input)); }

Command tilewise(const Command& arguments) {
    Command command = {program_path()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

Command tilewise_on(const std::string& driver, const Command& arguments) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    // Shims read their chip before a sanitizer lets them see the environment: treated as if there were no drivers.
    if (driver.find(':') != std::string::npos || driver == "apple") return {"sh", "-c", "exit 77"};
#endif
    Command command = {source_dir() + "/tools/with-driver", driver, "--", program_path()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

nlohmann::json parse(const Ended& ended) { return nlohmann::json::parse(ended.out); }

bool is_one_complaint(const std::string& err) {
    return (err.starts_with("tilewise: ") || err.starts_with("{\"error\":\"")) &&
           std::count(err.begin(), err.end(), '\n') == 1 && err.back() == '\n';
}

void fails(const Command& arguments, int code, const std::string& mentions, const std::string& input) {
    const Ended ended = run(tilewise(arguments), input);
    std::string line;
    for (const std::string& argument : arguments) line += argument + ' ';
    CAPTURE(line);
    CAPTURE(ended.err);
    CHECK(ended.code == code);
    CHECK(ended.out == "");
    CHECK(is_one_complaint(ended.err));
    CHECK(ended.err.find(mentions) != std::string::npos);
}

void fails(const Folder& folder, const Command& arguments, int code, const std::string& mentions) {
    const auto count = [&] { return std::distance(std::filesystem::directory_iterator(folder.path), {}); };
    const auto before = count();
    const Ended ended = run(tilewise(arguments));
    CAPTURE(ended.err);
    CHECK(ended.code == code);
    CHECK(ended.out == "");
    CHECK(ended.err.find(mentions) != std::string::npos);
    const size_t complaint = std::min(ended.err.rfind("tilewise: "), ended.err.rfind("{\"error\":"));
    CHECK((complaint != std::string::npos && is_one_complaint(ended.err.substr(complaint))));
    CHECK(count() == before);
}

bool program_is_of_this_system() {
    char begin[2] = {};
    std::ifstream(program_path()).read(begin, sizeof(begin));
    if (std::string_view(begin, sizeof(begin)) != "#!") return true;
    MESSAGE("SKIPPED: a script starts the program: what this system would do to it, that does to the script");
    return false;
}

bool drivers_are_here() {
    if (!program_is_of_this_system()) return false;
    if (std::filesystem::exists(source_dir() + "/build/drivers/.contents")) return true;
    MESSAGE("SKIPPED: the private drivers are not here; run tools/drivers");
    return false;
}

std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::string layout_table(const std::string& name) {
    Ended unpacked = run({"xz", "-dc", source_dir() + "/tests/data/layouts/" + name + ".csv.xz"});
    if (unpacked.code != 0) throw std::runtime_error("xz: " + unpacked.err);
    return std::move(unpacked.out);
}

Folder::Folder() : path(unique_path(".d")) { std::filesystem::create_directory(path); }

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

}  // namespace tilewise
