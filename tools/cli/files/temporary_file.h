// A file in preparation: it replaces another file as a whole, or not at all.
#pragma once
#include <string>

namespace tilewise {

/// A new file beside `path`, with an unguessable name. keep() renames it to `path`; otherwise it is removed, even if a
/// signal ends the program. It has the permissions of the file that it replaces. Throws Error that names `path` if that
/// is a symbolic link or an SQLite database, or cannot be written.
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

/// From now on, a signal that ends the program (SIGINT, SIGTERM, SIGHUP) removes its temporary files first. A signal
/// that is ignored, as under nohup, stays ignored.
void remove_temporary_files_on_signals();

}  // namespace tilewise
