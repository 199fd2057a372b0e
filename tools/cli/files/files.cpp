#include "tools/cli/files/files.h"
#include "patterns/model/error.h"
#include "tools/cli/terminal/print.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewise {

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::string read_whole_file(const std::string& path, size_t max_bytes) {
    const bool is_stdin = path == "-";
    const std::string name = is_stdin ? "standard input" : path;
    std::unique_ptr<std::FILE, CloseFile> opened(is_stdin ? nullptr : std::fopen(path.c_str(), "rb"));
    std::FILE* file = is_stdin ? stdin : opened.get();
    if (file == nullptr) throw Error(fmt::format("cannot open {}: {}; check the name", name, std::strerror(errno)));
    struct stat status = {};
    const bool has_status = fstat(fileno(file), &status) == 0;
    if (has_status && S_ISCHR(status.st_mode) && isatty(fileno(file)) == 0)
        throw Error(fmt::format("cannot read {}: it is a device, not a file", name));
    std::string bytes;
    constexpr size_t chunk = 1 << 20;
    if (has_status && S_ISREG(status.st_mode))
        bytes.reserve(std::min(static_cast<size_t>(status.st_size), max_bytes) + chunk);
    size_t got = 1;
    for (; got != 0 && bytes.size() <= max_bytes;) {
        const size_t before = bytes.size();
        bytes.resize(before + chunk);
        got = std::fread(bytes.data() + before, 1, chunk, file);
        bytes.resize(before + got);
    }
    if (std::ferror(file) != 0) throw Error(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
    if (bytes.size() > max_bytes)
        throw Error(fmt::format("{} has more than {} bytes: that is too much for what it should be", name, max_bytes));
    return bytes;
}

void write_file(const std::string& path, const std::function<void(const WriteBytes&)>& produce) {
    if (path == "-") return produce(print_bytes);
    // Devices and pipes are written in place: renaming would replace them by a file.
    std::error_code ignored;
    const auto kind = std::filesystem::status(path, ignored).type();
    const bool in_place = kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found;
    const std::string temporary = in_place ? path : fmt::format("{}.{}.part", path, getpid());
    const auto fail = [&](int reason) {
        throw Error(fmt::format("cannot write {}: {}; choose another place", path, std::strerror(reason)));
    };
    std::unique_ptr<std::FILE, CloseFile> file(std::fopen(temporary.c_str(), "wb"));
    if (!file) fail(errno);
    try {
        produce([&](std::string_view bytes) {
            if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) fail(errno);
        });
        if (std::fflush(file.get()) != 0 || (!in_place && fsync(fileno(file.get())) != 0)) fail(errno);
        if (std::fclose(file.release()) != 0) fail(errno);
        if (!in_place && std::rename(temporary.c_str(), path.c_str()) != 0) fail(errno);
    } catch (...) {
        if (!in_place) std::remove(temporary.c_str());
        throw;
    }
}

void write_whole_file(const std::string& path, std::string_view bytes) {
    write_file(path, [&](const WriteBytes& write) { write(bytes); });
}

}  // namespace tilewise
