#include "tools/lookup/open.h"
#include "tools/terminal/print.h"
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

namespace tilewise {

namespace {

std::filesystem::path chosen_path(const Globals& globals) {
    return globals.database.empty() ? db::default_path() : std::filesystem::path(globals.database);
}

}  // namespace

db::Database open_to_read(const Globals& globals) {
    const std::filesystem::path path = chosen_path(globals);
    const bool chosen = !globals.database.empty() || std::getenv("TILEWISE_DB") != nullptr;
    std::error_code unreadable;
    if (chosen || std::filesystem::exists(path, unreadable) || unreadable)
        return db::open_database(path, db::Access::read_only);
    static bool is_told = false;
    if (!std::exchange(is_told, true))
        print_note(fmt::format("There is no database {} yet: answering from the shipped catalog.", path.string()));
    return db::open_catalog();
}

db::Database open_if_there(const Globals& globals) {
    const std::filesystem::path path = chosen_path(globals);
    std::error_code unreadable;
    if (std::filesystem::exists(path, unreadable) || unreadable) return db::open_database(path, db::Access::read_only);
    return db::open_catalog();
}

db::Database open_to_write(const Globals& globals) {
    return db::open_database(chosen_path(globals), db::Access::read_write);
}

}  // namespace tilewise
