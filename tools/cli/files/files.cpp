#include "tools/cli/files/files.h"
#include "patterns/model/error.h"
#include "tools/cli/files/temporary_file.h"
#include "tools/cli/terminal/print.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewise {

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

OpenFile::~OpenFile() {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

std::string read_open_file(int file, const std::string& name, size_t max_bytes) {
    struct stat status = {};
    const bool has_status = fstat(file, &status) == 0;
    if (has_status && S_ISCHR(status.st_mode) && isatty(file) == 0)
        throw Error(fmt::format("cannot read {}: it is a device, not a file", name));
    std::string bytes;
    constexpr size_t chunk = 1 << 20;
    if (has_status && S_ISREG(status.st_mode))
        bytes.reserve(std::min(static_cast<size_t>(status.st_size), max_bytes) + chunk);
    for (ssize_t got = 1; got != 0 && bytes.size() <= max_bytes;) {
        const size_t before = bytes.size();
        bytes.resize(before + chunk);
        do {
            got = read(file, bytes.data() + before, chunk);
        } while (got < 0 && errno == EINTR);
        if (got < 0) throw Error(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
        bytes.resize(before + static_cast<size_t>(got));
    }
    if (bytes.size() > max_bytes)
        throw Error(fmt::format("{} has more than {} bytes: that is too much for what it should be", name, max_bytes));
    return bytes;
}

OpenFile open_input(const std::string& path) {
    if (path == "-") return OpenFile(STDIN_FILENO);
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw Error(fmt::format("cannot open {}: {}; check the name", path, std::strerror(errno)));
    return OpenFile(file);
}

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string read_whole_file(const std::string& path, size_t max_bytes) {
    return read_open_file(open_input(path).descriptor(), input_name(path), max_bytes);
}

void write_file(const std::string& path, const std::function<void(const WriteBytes&)>& produce) {
    if (path == "-") return produce(print_bytes);
    const auto fail = [&](int reason) {
        throw Error(fmt::format("cannot write {}: {}; choose another place", path, std::strerror(reason)));
    };
    std::optional<TemporaryFile> temporary;
    if (!is_written_in_place(path)) temporary.emplace(path);
    const std::unique_ptr<std::FILE, CloseFile> file(
        temporary ? fdopen(fcntl(temporary->descriptor(), F_DUPFD_CLOEXEC, 0), "wb") : std::fopen(path.c_str(), "wb"));
    if (!file) fail(errno);
    produce([&](std::string_view bytes) {
        if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) fail(errno);
    });
    if (std::fflush(file.get()) != 0 || (temporary && fsync(fileno(file.get())) != 0)) fail(errno);
    if (temporary) temporary->keep();
}

void write_whole_file(const std::string& path, std::string_view bytes) {
    write_file(path, [&](const WriteBytes& write) { write(bytes); });
}

}  // namespace tilewise
