#include "tests/builds/installed.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>

namespace tilewise {

std::string installed() {
    static const Folder folder;
    static const std::string prefix = folder / "prefix";
    static const Ended ended =
        run({"cmake", "--install", std::filesystem::path(program_path()).parent_path(), "--prefix", prefix});
    REQUIRE_MESSAGE(ended.code == 0, ended.err);
    return prefix;
}

}  // namespace tilewise
