// Proves a language that is compiled for this machine: all snippets are in one shared library, called in this process.
#pragma once
#include "tests/prove/prove.h"
#include "tests/support/program.h"

namespace tilewise::prove {

struct NativeLanguage {
    std::string name;
    std::string source;  ///< file name
    unsigned offset_bits = 64;
    std::string prologue;  ///< comes before all snippets
    /// A claim's code, separated from that of others, and the C function `name` (see ProveFunction) that calls it.
    std::function<std::string(const Claim& claim, const std::string& name)> unit;
    std::function<Command(const std::string& source, const std::string& library)> compile;
    Share of_catalog = {};
};

/// Computes results[0 .. count * out_width) from arguments[0 .. count * in_width).
using ProveFunction = void (*)(const uint64_t* arguments, uint64_t* results, uint64_t count,
                               const uint64_t* parameters);

void prove_natively(const NativeLanguage& language, const std::string& how);

/// The `unit` of languages that are C++, or compile as it.
std::string cpp_unit(const Claim& claim, Language language, const std::string& name, const MakeVector& vector);

/// Writes NAME.cu beside the program under test. If there is an nvcc, it must compile; if there is a GPU, too, the
/// program must end with 0.
void prove_by_nvcc(const std::string& name, const std::string& program);

}  // namespace tilewise::prove
