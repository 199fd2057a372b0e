// The options of every command.
#pragma once
#include <string>
#include <vector>

namespace tilewise {

/// What every command accepts, before or after its name.
struct Globals {
    std::string database;  ///< the file of --db; empty: the user's own (db::default_path)
    bool json = false;     ///< one JSON document on stdout, and nothing else
    /// The command line without the program's name, for child processes that run it again.
    std::vector<std::string> arguments;
    /// In such a process: the number of its device, one of all that the command is for. Empty: all of them.
    std::string one_device;
};

}  // namespace tilewise
