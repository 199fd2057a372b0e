#include "db/sqlite/own_files.h"
#include "patterns/model/error.h"
#include "system/files.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <sqlite3.h>
#include <string_view>

namespace fs = std::filesystem;

namespace tilewise::db {

namespace {

constexpr std::string_view journal_ending = "-journal", log_ending = "-wal", shared_memory_ending = "-shm";

/// Returns whether there is no such file, or a file without another name: writing to it changes nothing else, and it
/// has an end.
bool is_plain(const std::string& name) {
    const fs::path file = system::path_of(name);
    std::error_code error;
    const fs::file_type type = fs::symlink_status(file, error).type();
    if (type != fs::file_type::regular) return type == fs::file_type::not_found;
    const uintmax_t names = fs::hard_link_count(file, error);
    return names == 1 || error == std::errc::no_such_file_or_directory;  // another process has deleted it since
}

constexpr std::array<unsigned char, 8> journal_magic = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

/// Returns bytes of a file from a position on; none if the file is too short.
template <size_t count>
std::optional<std::array<unsigned char, count>> bytes_at(std::ifstream& file, std::streamoff at,
                                                         std::ios::seekdir from) {
    std::array<char, count> bytes = {};
    file.clear();
    if (!file.seekg(at, from) || !file.read(bytes.data(), bytes.size())) return {};
    std::array<unsigned char, count> found = {};
    std::memcpy(found.data(), bytes.data(), count);
    return found;
}

uint64_t big_endian(const unsigned char* bytes) {
    return uint64_t{bytes[0]} << 24 | uint64_t{bytes[1]} << 16 | uint64_t{bytes[2]} << 8 | bytes[3];
}

/// SQLite completes what a rollback journal beside the file describes. A journal can end with the name of a second one,
/// a super-journal, which SQLite then deletes, whatever file that is. SQLite writes such a name only if several
/// databases are attached, which Tilewise never does. A journal also says how many pages the database had, and SQLite
/// then makes the database that long. No version of Tilewise makes a database smaller, so it must have that many pages
/// already. A name ends, and a journal begins, with SQLite's magic number (https://www.sqlite.org/fileformat2.html,
/// section 3, and readSuperJournal() in SQLite's pager.c).
void require_own_journal(const fs::path& database, const std::string& journal) {
    const auto refuse = [&](std::string_view what) {
        throw Error(
            fmt::format("{}: its journal, {}, {}; tilewise writes no such journal: move it away, or use a copy of the "
                        "database from someone you trust",
                        system::text_of(database), journal, what));
    };
    std::ifstream file(system::path_of(journal), std::ios::binary);
    constexpr size_t pages_at = 16, page_bytes_at = 24, header_bytes = 28;
    if (const auto end =
            bytes_at<journal_magic.size()>(file, -static_cast<std::streamoff>(journal_magic.size()), std::ios::end);
        end == journal_magic)
        refuse("names another file, which opening it would delete");
    const auto header = bytes_at<header_bytes>(file, 0, std::ios::beg);
    if (!header || !std::equal(journal_magic.begin(), journal_magic.end(), header->begin())) return;
    std::error_code none;
    const uintmax_t size = fs::file_size(database, none);
    const uint64_t bytes = big_endian(header->data() + pages_at) * big_endian(header->data() + page_bytes_at);
    if (!none && bytes > size) refuse(fmt::format("would make it a file of {} bytes, from {}", bytes, size));
}

/// The names of the databases that this process opened. Closed ones are kept: the files that go with them still belong
/// to them.
class OpenedNames {
public:
    void add(std::string_view name) {
        const std::lock_guard lock(mutex_);
        names_.emplace(name);
    }
    /// Returns whether the name is that of a journal or a log of one of these databases.
    bool go_with(std::string_view name) {
        const std::lock_guard lock(mutex_);
        return std::ranges::any_of(std::array{journal_ending, log_ending}, [&](std::string_view ending) {
            return name.ends_with(ending) && names_.contains(name.substr(0, name.size() - ending.size()));
        });
    }

private:
    std::mutex mutex_;
    std::set<std::string, std::less<>> names_;
};

OpenedNames& opened_names() {
    static OpenedNames names;
    return names;
}

/// The functions of `real` that are not replaced are called with this struct, which begins with a copy of theirs.
struct OwnFilesVfs : sqlite3_vfs {
    sqlite3_vfs* real;
    std::string own_name;
};

sqlite3_vfs* real(sqlite3_vfs* vfs) { return static_cast<OwnFilesVfs*>(vfs)->real; }

int open_own(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    file->pMethods = nullptr;  // so that SQLite does not close what was not opened
    if (name && (flags & SQLITE_OPEN_MAIN_DB) != 0) {
        opened_names().add(name);
        if (!is_plain(std::string(name).append(shared_memory_ending))) return SQLITE_CANTOPEN;
    } else if (name && !(opened_names().go_with(name) && is_plain(name))) {
        return SQLITE_CANTOPEN;
    }
    return real(vfs)->xOpen(real(vfs), name, file, flags, out_flags);
}

int delete_own(sqlite3_vfs* vfs, const char* name, int sync) {
    if (!opened_names().go_with(name)) return SQLITE_IOERR_DELETE;
    return real(vfs)->xDelete(real(vfs), name, sync);
}

/// Returns the file that SQLite really opens, next to which it looks for the others.
std::string linked_to(const fs::path& database) {
    std::error_code unresolved;
    const fs::path target = fs::canonical(database, unresolved);
    return system::text_of(unresolved ? database : target);
}

}  // namespace

bool has_log(const fs::path& database) {
    std::error_code missing;
    const uintmax_t bytes = fs::file_size(system::path_of(linked_to(database).append(log_ending)), missing);
    return !missing && bytes != 0;
}

void require_own_files(const fs::path& database) {
    const std::string name = linked_to(database);
    for (const std::string_view ending : {journal_ending, log_ending, shared_memory_ending})
        if (const std::string file = name + std::string(ending); !is_plain(file))
            throw Error(
                fmt::format("{}: {} is a link, or no plain file, so that opening the database may harm another file: "
                            "move it away, or use a copy of the database from someone you trust",
                            system::text_of(database), file));
    require_own_journal(database, name + std::string(journal_ending));
}

std::string own_files_vfs() {
    static std::mutex mutex;
    static std::list<OwnFilesVfs> made;
    const std::lock_guard lock(mutex);
    sqlite3_vfs* current = sqlite3_vfs_find(nullptr);
    const auto found = std::ranges::find(made, current, &OwnFilesVfs::real);
    if (found != made.end()) return found->own_name;
    OwnFilesVfs& vfs = made.emplace_back();
    static_cast<sqlite3_vfs&>(vfs) = *current;
    vfs.real = current;
    vfs.own_name = fmt::format("own-files-{}", current->zName);
    vfs.zName = vfs.own_name.c_str();
    vfs.pNext = nullptr;
    vfs.xOpen = open_own;
    vfs.xDelete = delete_own;
    sqlite3_vfs_register(&vfs, 0);
    return vfs.own_name;
}

}  // namespace tilewise::db
