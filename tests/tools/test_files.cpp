// Files that the program reads and writes: pipes, permissions, links, and what a signal or a limit leaves behind.
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <map>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tilewise;
namespace fs = std::filesystem;

namespace {

const std::string rgba8_64 = " --pattern linear --format RGBA8 --extent 64x64";

size_t files_in(const fs::path& folder) {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

mode_t mode_of(const std::string& file) {
    struct stat status = {};
    REQUIRE(stat(file.c_str(), &status) == 0);
    return status.st_mode & 0777;
}

Ended in_shell(const std::string& text) { return run({"bash", "-c", text}); }

std::string program() { return tilewise::tilewise({}).front(); }

std::string gradient() {
    std::string rows(size_t{64} * 64 * 4, '\0');
    for (size_t i = 0; i < rows.size(); i++) rows[i] = static_cast<char>(i * 7 + i / 251);
    return rows;
}

}  // namespace

TEST_CASE("a pipe is opened once: tile, detile and identify read all of it") {
    const Folder folder;
    write_text(folder / "rows", gradient());
    for (const std::string command : {"tile", "detile", "identify"})
        for (int i = 0; i < 5; i++) {
            CAPTURE(command);
            const std::string out = command == "identify" ? "" : " " + folder / "out";
            const std::string options = command == "identify" ? " --format RGBA8 --extent 64x64" : rgba8_64;
            const auto by = [&](const std::string& input) {
                return fmt::format("{} {} {}{}{}", program(), command, input, out, options);
            };
            const Ended from_file = in_shell("timeout 20 " + by(folder / "rows"));
            const std::string expected = out.empty() ? from_file.out : read_text(folder / "out");
            fs::remove(folder / "out");
            fs::remove(folder / "pipe");
            const Ended from_pipe = in_shell(fmt::format("mkfifo {0}; cat {1} > {0} & timeout 20 {2}", folder / "pipe",
                                                         folder / "rows", by(folder / "pipe")));
            CAPTURE(from_pipe.err);
            CHECK(from_pipe.code == from_file.code);
            CHECK((out.empty() ? from_pipe.out : read_text(folder / "out")).size() == expected.size());
            CHECK((command == "identify" || read_text(folder / "out") == expected));
        }
}

TEST_CASE("a file that is replaced keeps its permissions, and a new one has what the umask leaves") {
    if (!program_is_of_this_system()) return;
    const Folder folder;
    write_text(folder / "rows", gradient());
    write_text(folder / "old", "x");
    REQUIRE(chmod((folder / "old").c_str(), 0600) == 0);
    const std::string tile = program() + " tile " + folder / "rows" + " ";
    REQUIRE(in_shell("umask 027; " + tile + folder / "old" + rgba8_64).code == 0);
    REQUIRE(in_shell("umask 027; " + tile + folder / "new" + rgba8_64).code == 0);
    CHECK(mode_of(folder / "old") == 0600);
    CHECK(mode_of(folder / "new") == 0640);
    CHECK(read_text(folder / "old") == gradient());
    write_text(folder / "bundle", "x");
    REQUIRE(chmod((folder / "bundle").c_str(), 0600) == 0);
    REQUIRE(run(tilewise::tilewise({"--db", folder / "none.db", "db", "export", folder / "bundle"})).code == 0);
    CHECK(mode_of(folder / "bundle") == 0600);
    CHECK(files_in(folder.path) == 4);
}

TEST_CASE("a link is neither followed nor replaced") {
    const Folder folder;
    write_text(folder / "rows", gradient());
    write_text(folder / "target", "kept");
    fs::create_symlink("target", folder / "link");
    fs::create_symlink("nowhere", folder / "dangling");
    for (const std::string name : {"link", "dangling"}) {
        fails(folder,
              {"tile", folder / "rows", folder / name, "--pattern", "linear", "--format", "RGBA8", "--extent", "64x64"},
              1, "is a symbolic link");
        fails(folder, {"--db", folder / "none.db", "db", "export", folder / name}, 1, "is a symbolic link");
    }
    CHECK(read_text(folder / "target") == "kept");
    CHECK(fs::is_symlink(folder / "link"));
    CHECK_FALSE(fs::exists(folder / "nowhere"));
}

TEST_CASE("no command writes over a database, be it its own or another") {
    const Folder folder;
    const std::string database = folder / "own.db", other = folder / "other.db";
    for (const std::string& file : {database, other})
        CHECK(run(tilewise::tilewise({"--db", file, "db", "init"})).code == 0);
    const std::string before = read_text(database), before_of_other = read_text(other);
    for (const std::string& file : {database, other}) {
        fails(folder, {"--db", database, "db", "export", file}, 1, "is a database");
        fails(folder,
              {"--db", database, "layout", "--gpu", "H100", "--format", "RGBA8", "--extent", "64x64", "--table", file},
              1, "is a database");
    }
    CHECK(read_text(database) == before);
    CHECK(read_text(other) == before_of_other);
}

TEST_CASE("a signal leaves no temporary file, and an ignored one does not end the program") {
    if (!program_is_of_this_system()) return;
    const Folder folder;
    write_text(folder / "rows", "");
    fs::resize_file(folder / "rows", uint64_t{16384} * 8192 * 4);
    const Command command = {"tile",     folder / "rows", folder / "out", "--pattern", "linear",
                             "--format", "RGBA8",         "--extent",     "16384x8192"};
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        CAPTURE(signal);
        bool was_there = false;
        const Running running = start(tilewise::tilewise(command));
        for (int i = 0; i < 20000 && !was_there; i++) {
            was_there = files_in(folder.path) == 2;
            if (!was_there) std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        REQUIRE(was_there);
        kill(running.pid, signal);
        const Ended ended = wait_for(running);
        // Who was done before the signal came has the file whole.
        CHECK((ended.code == 128 + signal || fs::exists(folder / "out")));
        fs::remove(folder / "out");
        CHECK(files_in(folder.path) == 1);
    }
    const Ended ignored =
        in_shell(fmt::format("trap '' HUP; {} tile {} {}{} & pid=$!; kill -HUP $pid; wait $pid", program(),
                             folder / "rows", folder / "out", " --pattern linear --format RGBA8 --extent 16384x8192"));
    CHECK(ignored.code == 0);
    CHECK(fs::file_size(folder / "out") == uint64_t{16384} * 8192 * 4);
}

TEST_CASE("a limit of file sizes or of memory is an error of one line, and what was there stays") {
    if (!program_is_of_this_system()) return;
    const Folder folder;
    const std::string bundle = folder / "all.json", database = folder / "t.db";
    REQUIRE(run(tilewise::tilewise({"--db", database, "db", "export", bundle})).code == 0);
    const std::string tilewise_on = program() + " --db " + database;
    const auto is_error = [&](const std::string& text) {
        CAPTURE(text);
        const Ended ended = in_shell(text);
        CAPTURE(ended.code);
        CAPTURE(ended.err);
        const size_t last = ended.err.rfind('\n', ended.err.size() - 2);
        CHECK(ended.code == 1);
        CHECK(is_one_complaint(ended.err.substr(last == std::string::npos ? 0 : last + 1)));
    };
    is_error("ulimit -f 100; " + tilewise_on + " db import " + bundle);
    is_error("ulimit -f 100; " + program() + " --db " + folder / "none.db" + " db export " + folder / "b.json");
    for (const char* kib :
         soaking() ? std::vector{"70000", "80000", "100000", "110000", "120000"} : std::vector{"70000", "100000"})
        is_error(fmt::format("ulimit -v {}; {} db import {}", kib, tilewise_on, bundle));
    CHECK_FALSE(fs::exists(folder / "b.json"));
    CHECK(run(tilewise::tilewise({"--db", database, "db", "check"})).code == 0);
}

namespace {

/// Name -> bytes.
std::map<std::string, std::string> contents_of(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) files[entry.path().filename()] = read_text(entry.path());
    return files;
}

/// What writes a file: each by its arguments, the file last or in the place of FILE.
const std::vector<Command>& writing_commands() {
    static const std::vector<Command> commands = {
        {"tile", "ROWS", "FILE", "--pattern", "linear", "--format", "RGBA8", "--extent", "512x512"},
        {"detile", "ROWS", "FILE", "--pattern", "linear", "--format", "RGBA8", "--extent", "512x512"},
        {"tile", "ROWS", "FILE", "--pattern", "linear", "--format", "RGBA8", "--extent", "512x512", "--container",
         "raw"},
        {"layout", "--pattern", "linear", "--format", "RGBA8", "--extent", "300x300", "--table", "FILE"},
        {"db", "export", "FILE"},
        {"--db", "FILE", "db", "import", "BUNDLE"},
        {"report", "--gpu", "AD102", "--output", "FILE"},
    };
    return commands;
}

Command with_names(const Command& command, const std::string& file, const std::string& rows,
                   const std::string& bundle) {
    Command named = command;
    // The user's own may be of any version.
    if (named.front() != "--db") named.insert(named.begin(), {"--db", rows + ".none.db"});
    for (std::string& part : named) {
        if (part == "FILE") part = file;
        if (part == "ROWS") part = rows;
        if (part == "BUNDLE") part = bundle;
    }
    return named;
}

/// A process whose writes to files (descriptors above 2) and whose reservations of their room meet an exceeded quota.
Ended run_beyond_quota(const Command& command, const Folder& logs) {
    const std::string out = logs / "out", err = logs / "err";
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    // sock_filter's jumps count instructions. Numbers of files are 32 bits of an argument.
    constexpr uint32_t call_at = offsetof(seccomp_data, nr), file_at = offsetof(seccomp_data, args);
    const sock_filter filter[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, call_at},
        {BPF_JMP | BPF_JEQ | BPF_K, 5, 0, SYS_fallocate},
        {BPF_JMP | BPF_JEQ | BPF_K, 2, 0, SYS_pwrite64},
        {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_write},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, file_at},
        {BPF_JMP | BPF_JGT | BPF_K, 0, 1, 2},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EDQUOT},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog program = {std::size(filter), const_cast<sock_filter*>(filter)};
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const int to = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600),
                  errors = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (dup2(to, 1) < 0 || dup2(errors, 2) < 0) _exit(126);
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
            _exit(125);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text(out), read_text(err)};
}

/// One complaint, which may stand behind notes.
bool ends_with_complaint(const std::string& err) {
    const size_t last = err.size() < 2 ? std::string::npos : err.rfind('\n', err.size() - 2);
    return is_one_complaint(err.substr(last == std::string::npos ? 0 : last + 1));
}

}  // namespace

TEST_CASE("a full file system is an error of one line, and nothing half-written is left") {
    const Folder folder, inputs;
    write_text(inputs / "rows", std::string(size_t{512} * 512 * 4, 'x'));
    REQUIRE(run(tilewise::tilewise({"--db", inputs / "none.db", "db", "export", inputs / "bundle"})).code == 0);
    const std::string small = folder / "small", mount = "mount -t tmpfs -o size=64k none " + small;
    fs::create_directory(small);
    if (in_shell("unshare -rm bash -c '" + mount + "'").code != 0) {
        MESSAGE("SKIPPED: file systems may not be mounted here (unshare -rm)");
        return;
    }
    size_t number = 0;
    for (const Command& command : writing_commands()) {
        if (!is_drawn(1 + number++, 2)) continue;
        std::string line;
        for (const std::string& part :
             tilewise::tilewise(with_names(command, small + "/file", inputs / "rows", inputs / "bundle")))
            line += "\"" + part + "\" ";
        CAPTURE(line);
        // Its files are seen by those alone who are in there.
        const Ended ended =
            in_shell(fmt::format("unshare -rm bash -c '{}; echo kept > {}/other; {}; code=$?; ls -A {}; exit $code'",
                                 mount, small, line, small));
        CAPTURE(ended.out);
        CAPTURE(ended.err);
        CHECK(ended.code == 1);
        CHECK(ends_with_complaint(ended.err));
        CHECK(ended.out.ends_with("other\n"));
        CHECK(ended.out.find(".part") == std::string::npos);
        // A database that was made before the disk was full is a database.
        const bool is_database = command.front() == "--db";
        CHECK((is_database || ended.out.find("file") == std::string::npos));
    }
    const Ended printed =
        in_shell(fmt::format("unshare -rm bash -c '{0}; {1} --db {3} db export - > {2}/out; code=$?; exit $code'",
                             mount, program(), small, inputs / "none.db"));
    CHECK(printed.code == 1);
    CHECK(ends_with_complaint(printed.err));
    CHECK(printed.err.find("cannot write the result: No space left on device") != std::string::npos);
    // What a first command left of the user's own database hides no catalog.
    const Ended asked =
        in_shell(fmt::format("unshare -rm bash -c '{0}; export TILEWISE_DB={2}/own.db; {1} db init; "
                             "test -s {2}/own.db || echo none; {1} gpus H100'",
                             "mount -t tmpfs -o size=6m none " + small, program(), small));
    CAPTURE(asked.err);
    CHECK(asked.code == 0);
    CHECK(asked.out.find("GH100") != std::string::npos);
    CHECK(asked.out.find("none\n") == std::string::npos);
    CHECK(asked.err.find("is unfinished and empty") != std::string::npos);
}

TEST_CASE("an exceeded quota is an error of one line, and what was there stays") {
    if (!program_is_of_this_system()) return;
    const Folder folder, inputs, logs;
    write_text(inputs / "rows", std::string(size_t{512} * 512 * 4, 'x'));
    REQUIRE(run(tilewise::tilewise({"--db", inputs / "none.db", "db", "export", inputs / "bundle"})).code == 0);
    const std::string no_filter = "seccomp filters are not allowed here";
    size_t number = 0;
    for (const bool is_there : {false, true})
        for (const Command& command : writing_commands()) {
            if (!is_drawn(number++, 3)) continue;
            CAPTURE(command.front());
            const bool is_database = command.front() == "--db";
            fs::remove(folder / "file");
            if (is_there && !is_database) write_text(folder / "file", "kept");
            if (is_there && is_database)
                REQUIRE(run(tilewise::tilewise({"--db", folder / "file", "--quiet", "solve", "--equation", "x0 x1",
                                                "--element-bytes", "4", "--keep", "mine"}))
                            .code == 0);
            const auto before = contents_of(folder.path);
            const Ended ended = run_beyond_quota(
                tilewise::tilewise(with_names(command, folder / "file", inputs / "rows", inputs / "bundle")), logs);
            if (ended.code == 125) {
                MESSAGE("SKIPPED: " << no_filter);
                return;
            }
            CAPTURE(ended.err);
            CHECK(ended.code == 1);
            CHECK(ends_with_complaint(ended.err));
            CHECK(ended.err.find("quota exceeded") != std::string::npos);
            if (!is_database) CHECK((contents_of(folder.path) == before));
            for (const auto& [name, bytes] : contents_of(folder.path)) CHECK(name.find(".part") == std::string::npos);
            if (is_database && is_there)
                CHECK(run(tilewise::tilewise({"--db", folder / "file", "db", "check"})).code == 0);
            for (const auto& entry : fs::directory_iterator(folder.path)) fs::remove(entry.path());
        }
}

TEST_CASE("a name that SQLite takes for no file is refused, so that nothing is kept nowhere") {
    const Folder folder;
    write_text(folder / "b.json", "{}");
    for (const char* name : {":memory:", "file:x.db", ":temp:"})
        fails({"--db", name, "db", "import", folder / "b.json"}, 1, "is not the name of a file to SQLite");
}
