// The files of tests/data/fuzz: each was found to crash, to hang or to contradict itself, and does so no more.
#include "tests/fuzz/targets.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewise;

namespace {

constexpr rlim_t most_seconds = 20;

struct Target {
    const char* name;
    void (*run)(fuzz::Input input);
};
constexpr Target targets[] = {
    {"tables", fuzz::tables},       {"layouts", fuzz::layouts},   {"bundles", fuzz::bundles},
    {"catalogs", fuzz::catalogs},   {"filters", fuzz::filters},   {"images", fuzz::images},
    {"databases", fuzz::databases}, {"textures", fuzz::textures}, {"equations", fuzz::equations},
    {"modifiers", fuzz::modifiers}, {"scenes", fuzz::scenes},     {"spirv", fuzz::spirv},
    {"shared", fuzz::shared}};

/// In a process of its own, which may die. How it ended: a status as waitpid() gives it.
int replay(const Target& target, const std::string& bytes) {
    std::fflush(stdout);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const rlimit seconds = {most_seconds, most_seconds};
        setrlimit(RLIMIT_CPU, &seconds);
        // doctest would report the end of this process as its own.
        for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGTERM}) std::signal(number, SIG_DFL);
        if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(2);
        target.run({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return status;
}

}  // namespace

TEST_CASE("every input that was found by fuzzing is handled now") {
    for (const Target& target : targets) {
        const std::filesystem::path folder = std::filesystem::path(source_dir()) / "tests/data/fuzz" / target.name;
        if (!std::filesystem::exists(folder)) continue;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            CAPTURE(entry.path().string());
            CHECK(replay(target, read_text(entry.path())) == 0);
        }
    }
}

TEST_CASE("what does not hold is noticed") {
    constexpr Target broken = {"broken", [](fuzz::Input) { fuzz::require(false, "as meant"); }};
    CHECK(replay(broken, "") != 0);
}
