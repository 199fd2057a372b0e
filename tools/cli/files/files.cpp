#include "tools/cli/files/files.h"
#include "patterns/model/error.h"
#include "system/files.h"
#include "tools/cli/files/temporary_file.h"
#include "tools/cli/terminal/print.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace tilewise {

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

OpenFile::~OpenFile() {
    if (descriptor_ != system::standard_input) system::close_file(descriptor_);
}

std::string read_open_file(int file, const std::string& name, size_t max_bytes) {
    const system::FileKind kind = system::kind_of(file);
    if (kind.is_device) throw Error(fmt::format("cannot read {}: it is a device, not a file", name));
    std::string bytes;
    constexpr size_t chunk = 1 << 20;
    if (kind.is_regular) bytes.reserve(std::min<uint64_t>(kind.bytes, max_bytes) + chunk);
    for (int64_t got = 1; got != 0 && bytes.size() <= max_bytes;) {
        const size_t before = bytes.size();
        bytes.resize(before + chunk);
        got = system::read_some(file, bytes.data() + before, chunk);
        if (got < 0) throw Error(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
        bytes.resize(before + static_cast<size_t>(got));
    }
    if (bytes.size() > max_bytes)
        throw Error(fmt::format("{} has more than {} bytes: too many for such a file", name, max_bytes));
    return bytes;
}

OpenFile open_input(const std::string& path) {
    if (path == "-") return OpenFile(system::standard_input);
    const int file = system::open_to_read(path);
    if (file < 0) throw Error(fmt::format("cannot open {}: {}; check the name", path, std::strerror(errno)));
    return OpenFile(file);
}

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string read_whole_file(const std::string& path, size_t max_bytes) {
    return read_open_file(open_input(path).descriptor(), input_name(path), max_bytes);
}

bool is_sqlite_file(const std::string& path) {
    const int file = system::open_to_read(path);
    if (file < 0) return false;
    std::array<char, sqlite_head.size()> bytes = {};
    const int64_t got = system::read_some(file, bytes.data(), bytes.size());
    system::close_file(file);
    return got == static_cast<int64_t>(bytes.size()) && std::string_view(bytes.data(), bytes.size()) == sqlite_head;
}

void write_file(const std::string& path, const std::function<void(const WriteBytes&)>& produce) {
    if (path == "-") return produce(print_bytes);
    const auto fail = [&](int reason) {
        throw Error(fmt::format("cannot write {}: {}; choose another place", path, std::strerror(reason)));
    };
    std::optional<TemporaryFile> temporary;
    if (system::is_for_a_file(path)) temporary.emplace(path);
    std::unique_ptr<std::FILE, CloseFile> file(temporary ? system::stream_on(temporary->descriptor())
                                                         : system::open_to_write(path));
    if (!file) fail(errno);
    produce([&](std::string_view bytes) {
        if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) fail(errno);
    });
    if (temporary ? !system::write_to_disk(file.get()) : std::fflush(file.get()) != 0) fail(errno);
    file.reset();
    if (temporary) temporary->keep();
}

void write_whole_file(const std::string& path, std::string_view bytes) {
    write_file(path, [&](const WriteBytes& write) { write(bytes); });
}

}  // namespace tilewise
