#include "tests/faults/fault.h"
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tilewise::faults {

namespace {

constexpr std::pair<std::string_view, Kind> kinds[] = {
    {"record", Kind::record},
    {"error", Kind::error},
    {"failing", Kind::failing},
    {"drop", Kind::drop},
    {"abort", Kind::abort},
    {"segfault", Kind::segfault},
    {"bus-error", Kind::bus_error},
    {"realtime-signal", Kind::realtime_signal},
    {"exit", Kind::exit},
    {"hang", Kind::hang},
    {"fork-abort", Kind::fork_abort},
    {"scribble", Kind::scribble},
    {"flip", Kind::flip},
    {"swap", Kind::swap},
    {"stale", Kind::stale},
    {"duplicate", Kind::duplicate},
    {"erase", Kind::erase},
    {"relayout", Kind::relayout},
    {"twice", Kind::twice},
    {"other-image", Kind::other_image},
};

Fault read_environment() {
    Fault fault;
    const char* text = std::getenv("TILEWISE_FAULT");
    if (!text) return fault;
    std::istringstream words(text);
    std::string kind;
    words >> kind >> fault.call >> fault.nth >> fault.seed >> fault.value;
    for (const auto& [name, value] : kinds)
        if (name == kind) return fault.kind = value, fault;
    std::fprintf(stderr, "TILEWISE_FAULT: there is no fault %s\n", kind.c_str());
    std::abort();
}

void log(const char* call) {
    const char* path = std::getenv("TILEWISE_FAULT_LOG");
    if (!path) return;
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string line = std::to_string(getpid()) + " " + call + "\n";
    if (file < 0 || write(file, line.data(), line.size()) < 0) std::abort();
    close(file);
}

bool is_first() {
    const char* path = std::getenv("TILEWISE_FAULT_ONCE");
    if (!path) return true;
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

void scribble() {
    std::array<unsigned char, 64> bytes = {};
    size_t size = 1 + draw(bytes.size());
    switch (draw(3)) {
        case 0:  // noise
            for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(draw(256));
            break;
        case 1:  // lengths that no memory holds
            bytes.fill(0x7f);
            break;
        default:  // small numbers, that may pass for lengths
            for (size_t i = 0; i < bytes.size(); i += 8) bytes[i] = static_cast<unsigned char>(draw(256));
    }
    for (int file = 3; file < 1024; ++file) {
        struct stat about = {};
        if (fstat(file, &about) != 0) continue;
        const bool is_foreign = S_ISSOCK(about.st_mode) || S_ISFIFO(about.st_mode) || S_ISREG(about.st_mode);
        // A driver's own memory (memfd) has no name.
        if (is_foreign && (about.st_nlink > 0 || !S_ISREG(about.st_mode)) && write(file, bytes.data(), size) < 0)
            continue;
    }
}

void leave_child_and_abort() {
    if (fork() == 0)
        for (;;) pause();
    std::abort();
}

/// Does not return from most.
void act() {
    if (const char* words = std::getenv("TILEWISE_FAULT_WORDS")) std::fprintf(stderr, "%s\n", words);
    switch (fault().kind) {
        case Kind::abort:
            std::abort();
        case Kind::segfault:
            raise(SIGSEGV);
            break;
        case Kind::bus_error:
            raise(SIGBUS);
            break;
        case Kind::realtime_signal:
            raise(SIGRTMIN + static_cast<int>(draw(8)));
            break;
        case Kind::exit:
            std::exit(fault().value);
        case Kind::hang:
            for (;;) pause();
        case Kind::fork_abort:
            leave_child_and_abort();
            break;
        case Kind::scribble:
            scribble();
            break;
        default:
            break;
    }
}

}  // namespace

const Fault& fault() {
    static const Fault fault = read_environment();
    return fault;
}

uint64_t draw(uint64_t limit) {
    static std::mt19937_64 numbers(fault().seed);
    return numbers() % limit;
}

bool strikes(const char* call, uint64_t occurrence) {
    if (fault().kind == Kind::record) log(call);
    if (fault().kind <= Kind::record || occurrence != fault().nth || fault().call != call || !is_first()) return false;
    log(call);
    act();
    return true;
}

}  // namespace tilewise::faults
