// A file on its way: what replaces another one does so whole, or not at all.
#pragma once
#include <string>

namespace tilewise {

/// A new file beside `path`, with a name that nobody can guess, which becomes `path` by keep() and is gone without it,
/// also where a signal ends the program. It has the permissions of the file that it replaces. Throws Error naming
/// `path`: where it is a symbolic link or an SQLite database, or cannot be written.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& path);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    int descriptor() const { return file_; }
    void keep();

private:
    void close_now();

    std::string path_, name_;
    int file_ = -1;
};

/// From now on a signal that ends the program (SIGINT, SIGTERM, SIGHUP) removes its temporary files first. A signal
/// that is ignored, as under nohup, stays so.
void remove_temporary_files_on_signals();

}  // namespace tilewise
