// libFuzzer's entry for the target TILEWISE_FUZZ_TARGET.
#include "tests/fuzz/targets.h"
#ifdef TILEWISE_FUZZ_COMPILES
#include "kernels/shader/confined.h"
#endif
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerInitialize([[maybe_unused]] int* argc, [[maybe_unused]] char*** argv) {
#ifdef TILEWISE_FUZZ_COMPILES
    using namespace tilewise;
    if (const auto code = probe::worker::play_role(*argc, *argv, {&kernels::compile_role, 1})) std::_Exit(*code);
#endif
    // What commands print is no part of the log.
    return std::freopen("/dev/null", "w", stdout) == nullptr;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    tilewise::fuzz::TILEWISE_FUZZ_TARGET({bytes, size});
    return 0;
}
