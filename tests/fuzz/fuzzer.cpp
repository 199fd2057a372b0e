// libFuzzer's entry for the target TILEWISE_FUZZ_TARGET.
#include "tests/fuzz/targets.h"
#include <cstdio>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    // What commands print is no part of the log.
    return std::freopen("/dev/null", "w", stdout) == nullptr;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    tilewise::fuzz::TILEWISE_FUZZ_TARGET({bytes, size});
    return 0;
}
