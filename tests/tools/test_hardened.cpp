// A released program is hardened, as its ELF file shows.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the program lies at a random address, and what is relocated cannot be written") {
    const Ended ended = run({"readelf", "-W", "-h", "-l", "-d", program_path()});
    REQUIRE(ended.code == 0);
    CHECK(has(ended.out, "DYN (Position-Independent Executable file)"));
    CHECK(has(ended.out, "GNU_RELRO"));
    CHECK(has(ended.out, "BIND_NOW"));
    CHECK_FALSE(has(ended.out, "RWE"));  // no segment, the stack among them, is written and executed
    CHECK_FALSE(has(ended.out, "TEXTREL"));
}

TEST_CASE("the program checks its stack, the sizes of buffers and the bounds of the library's containers") {
    const Ended ended = run({"readelf", "-W", "--dyn-syms", program_path()});
    REQUIRE(ended.code == 0);
    CHECK(has(ended.out, "__stack_chk_fail"));
    CHECK(has(ended.out, "__memcpy_chk"));           // _FORTIFY_SOURCE
    CHECK(has(ended.out, "__glibcxx_assert_fail"));  // _GLIBCXX_ASSERTIONS
}
