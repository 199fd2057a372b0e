#include "system/files.h"
#include "system/wide.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <io.h>
#include <string_view>

namespace tilewise::system {

namespace {

/// errno for what Windows says.
void take_error() {
    switch (GetLastError()) {
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND:
        case ERROR_INVALID_NAME:
        case ERROR_BAD_PATHNAME:
            errno = ENOENT;
            break;
        case ERROR_ACCESS_DENIED:
        case ERROR_SHARING_VIOLATION:
        case ERROR_LOCK_VIOLATION:
        case ERROR_WRITE_PROTECT:
            errno = EACCES;
            break;
        case ERROR_FILE_EXISTS:
        case ERROR_ALREADY_EXISTS:
            errno = EEXIST;
            break;
        case ERROR_DISK_FULL:
        case ERROR_HANDLE_DISK_FULL:
            errno = ENOSPC;
            break;
        case ERROR_NOT_ENOUGH_MEMORY:
        case ERROR_OUTOFMEMORY:
        case ERROR_COMMITMENT_LIMIT:
            errno = ENOMEM;
            break;
        default:
            errno = EIO;
    }
}

/// Others may read, rename and remove it meanwhile, as on other systems.
int opened(const std::string& path, DWORD access, DWORD how, int flags) {
    const HANDLE file = CreateFileW(wide(path).c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                    nullptr, how, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE) {
        take_error();
        return -1;
    }
    return _open_osfhandle(reinterpret_cast<intptr_t>(file), flags | _O_BINARY | _O_NOINHERIT);
}

HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

}  // namespace

int open_to_read(const std::string& path) { return opened(path, GENERIC_READ, OPEN_EXISTING, _O_RDONLY); }

int create_new(const std::string& path) {
    return opened(path, GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW, _O_RDWR);
}

/// Windows gives it the rights of its folder.
bool allow_as_for(int, const std::string&) { return true; }

void close_file(int file) { _close(file); }

int64_t read_some(int file, void* to, size_t size) {
    constexpr size_t most = 1 << 30;
    return _read(file, to, static_cast<unsigned>(std::min(size, most)));
}

FileKind kind_of(int file) {
    FileKind kind;
    const HANDLE handle = handle_of(file);
    LARGE_INTEGER bytes = {};
    DWORD mode = 0;
    switch (GetFileType(handle)) {
        case FILE_TYPE_DISK:
            kind.is_regular = GetFileSizeEx(handle, &bytes) != 0;
            kind.bytes = static_cast<uint64_t>(bytes.QuadPart);
            break;
        case FILE_TYPE_CHAR:
            kind.is_device = GetConsoleMode(handle, &mode) == 0;
            break;
        default:
            break;
    }
    return kind;
}

std::FILE* stream_on(int file) {
    const int again = _dup(file);
    return again < 0 ? nullptr : _fdopen(again, "wb");
}

std::FILE* open_to_write(const std::string& path) { return _wfopen(wide(path).c_str(), L"wb"); }

bool write_to_disk(std::FILE* stream) { return std::fflush(stream) == 0 && _commit(_fileno(stream)) == 0; }

bool is_for_a_file(const std::string& path) {
    std::array<wchar_t, 16> begin = {};
    const std::wstring name = wide(path);
    // Devices alone have a short whole name, "\\\\.\\NUL"; one that does not fit is not written.
    const DWORD length = GetFullPathNameW(name.c_str(), begin.size(), begin.data(), nullptr);
    if (length < begin.size() && std::wstring_view(begin.data()).starts_with(L"\\\\.\\")) return false;
    const DWORD attributes = GetFileAttributesW(name.c_str());
    return attributes == INVALID_FILE_ATTRIBUTES || !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

bool rename_over(const std::string& from, const std::string& to) {
    if (MoveFileExW(wide(from).c_str(), wide(to).c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
        return true;
    take_error();
    return false;
}

bool remove_file(const char* path) { return DeleteFileW(wide(path).c_str()) != 0; }

bool place_new_file(const std::filesystem::path& path, std::span<const std::span<const std::byte>> parts) {
    const std::string name = unguessable_name(text_of(path));
    const int file = create_new(name);
    if (file < 0) return false;
    bool whole = true;
    for (std::span<const std::byte> part : parts)
        while (whole && !part.empty()) {
            constexpr size_t most = 1 << 20;
            const int count = _write(file, part.data(), static_cast<unsigned>(std::min(part.size(), most)));
            whole = count > 0;
            if (whole) part = part.subspan(static_cast<size_t>(count));
        }
    whole = whole && _commit(file) == 0;
    close_file(file);
    const bool placed = whole && MoveFileExW(wide(name).c_str(), path.c_str(), MOVEFILE_WRITE_THROUGH) != 0;
    if (!placed) remove_file(name.c_str());
    return placed;
}

namespace {

std::byte* mapped(HANDLE file, size_t size, DWORD protection, DWORD access) {
    const auto high = static_cast<DWORD>(uint64_t{size} >> 32), low = static_cast<DWORD>(size);
    const HANDLE mapping = CreateFileMappingW(file, nullptr, protection, high, low, nullptr);
    void* address = mapping ? MapViewOfFile(mapping, access, 0, 0, size) : nullptr;
    if (!address) take_error();
    if (mapping) CloseHandle(mapping);
    return static_cast<std::byte*>(address);
}

}  // namespace

std::byte* map_to_read(int file, size_t size) { return mapped(handle_of(file), size, PAGE_READONLY, FILE_MAP_READ); }

/// Windows takes the room when the file gets its size.
std::byte* map_to_write(int file, size_t size) {
    return mapped(handle_of(file), size, PAGE_READWRITE, FILE_MAP_READ | FILE_MAP_WRITE);
}

std::byte* map_memory(size_t size) {
    return mapped(INVALID_HANDLE_VALUE, size, PAGE_READWRITE, FILE_MAP_READ | FILE_MAP_WRITE);
}

void unmap(const std::byte* data, size_t) { UnmapViewOfFile(data); }

}  // namespace tilewise::system
