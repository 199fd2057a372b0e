// The options of every command.
#pragma once
#include <string>

namespace tilewise {

/// What every command accepts, before or after its name.
struct Globals {
    std::string database;  ///< the file of --db; empty: the user's own (db::default_path)
    bool json = false;     ///< one JSON document on stdout, and nothing else
};

}  // namespace tilewise
