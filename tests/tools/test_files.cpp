// Files that the program reads and writes: pipes, permissions, links, and what a signal or a limit leaves behind.
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <thread>
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

TEST_CASE("a signal leaves no temporary file, and an ignored one does not end the program") {
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
         soaking() ? std::vector{"60000", "80000", "100000", "110000", "120000"} : std::vector{"60000", "100000"})
        is_error(fmt::format("ulimit -v {}; {} db import {}", kib, tilewise_on, bundle));
    CHECK_FALSE(fs::exists(folder / "b.json"));
    CHECK(run(tilewise::tilewise({"--db", database, "db", "check"})).code == 0);
}

TEST_CASE("a name that SQLite takes for no file is refused, so that nothing is kept nowhere") {
    const Folder folder;
    write_text(folder / "b.json", "{}");
    for (const char* name : {":memory:", "file:x.db", ":temp:"})
        fails({"--db", name, "db", "import", folder / "b.json"}, 1, "names no file to SQLite");
}
