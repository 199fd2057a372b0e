#define DOCTEST_CONFIG_IMPLEMENT
#include "tests/support/roles.h"
#include <cstdio>
#include <doctest/doctest.h>

int main(int argc, char** argv) {
    using namespace tilewise;
    if (const auto code = probe::worker::play_role(argc, argv, test_roles())) return *code;
    // A line at a time, even into a pipe: a fork must find nothing unwritten that its end would write again.
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    return doctest::Context(argc, argv).run();
}
