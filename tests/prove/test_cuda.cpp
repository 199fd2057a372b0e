// Emitted CUDA: run as C++ against a stand-in for CUDA's types, and as CUDA where there is a compiler and a GPU.
#include "tests/prove/native.h"
#include "tests/support/paths.h"
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::prove;

namespace {

std::string cuda_vector(const std::vector<std::string>& values, bool wide) {
    return fmt::format("{}{}{{{}}}", wide ? "ulonglong" : "uint", values.size(), fmt::join(values, ", "));
}

constexpr Share of_catalog = {18, 3};

/// The program's constant part: places and checksums are computed as in tests/prove/prove.cpp.
constexpr const char* program_head =
    R"(// Written by the tests of Tilewise: all emitted CUDA code and what it must give.
//   nvcc -std=c++17 -arch=native -o prove_cuda prove_cuda.cu && ./prove_cuda
#include <cstdint>
#include <cstdio>

__host__ __device__ inline uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

struct Call {
    uint64_t extent[4], parameters[4], count;
    bool scattered;
    uint64_t checksum;
};

__device__ inline void place(const Call& call, uint64_t i, uint64_t* at) {
    uint64_t rest = i;
    for (int axis = 0; axis < 4; ++axis) {
        at[axis] = (call.scattered ? mix(4 * i + axis + 1) : rest) % call.extent[axis];
        rest /= call.extent[axis];
    }
}

template <typename Snippet>
__global__ void ask(Call call, unsigned long long* checksum) {
    const uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
    if (i >= call.count) return;
    uint64_t at[4], result[4] = {};
    place(call, i, at);
    const int width = Snippet::answer(i, at, call.parameters, result);
    uint64_t value = i + 1;
    for (int k = 0; k < width; ++k) value = mix(value + result[k]);
    atomicAdd(checksum, (unsigned long long)value);
}

uint64_t snippets = 0, values = 0, wrong = 0;

template <typename Snippet>
void prove(const char* name, const Call* calls, int count) {
    static unsigned long long* sum = nullptr;
    if (!sum) cudaMalloc(&sum, sizeof *sum);
    bool right = true;
    for (int k = 0; k < count && right; ++k) {
        cudaMemset(sum, 0, sizeof *sum);
        ask<Snippet><<<unsigned((calls[k].count + 127) / 128), 128>>>(calls[k], sum);
        unsigned long long got = 0;
        const cudaError_t error = cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost);
        right = error == cudaSuccess && got == calls[k].checksum;
        values += calls[k].count;
        if (!right) printf("%s: wrong in call %d: %s\n", name, k, cudaGetErrorString(error));
    }
    ++snippets;
    wrong += !right;
}
)";

constexpr const char* program_tail = R"(
    cudaDeviceProp device = {};
    cudaGetDeviceProperties(&device, 0);
    printf("CUDA: %llu snippets, %llu values, %llu wrong (compiled by nvcc, run on %s)\n", (unsigned long long)snippets,
           (unsigned long long)values, (unsigned long long)wrong, device.name);
    return wrong != 0;
}
)";

/// Variables a0, a1, .. and p0, p1, .. of the types that the call takes.
std::string variables(const Claim& claim, const char* argument) {
    const SnippetKind kind = claim.request.kind;
    std::string text;
    for (unsigned k = 0; k < claim.in_width(); ++k)
        text += fmt::format("        const {} a{} = {};\n",
                            kind == SnippetKind::texel ? "unsigned long long" : "unsigned int", k,
                            fmt::format(fmt::runtime(argument), k));
    for (unsigned k = 0; k < claim.parameters(); ++k)
        text += fmt::format("        const {} p{} = p[{}];\n",
                            claim.wide_parameters() ? "unsigned long long" : "unsigned int", k, k);
    return text;
}

/// The claim's code, in a namespace of its own, and a struct that asks it: for an offset, that of the place.
std::string device_unit(const Claim& claim, const std::string& name) {
    const SnippetKind kind = claim.request.kind;
    std::string text = fmt::format("\n// {}\nnamespace {} {{\n{}", claim.name, name, emit(claim, Language::cuda));
    const char* argument = kind == SnippetKind::address ? "at[{}]" : "i";
    Claim address = claim;
    address.request.kind = SnippetKind::address;
    if (kind == SnippetKind::texel) text += emit(address, Language::cuda);
    text += "struct Snippet {\n";
    if (kind == SnippetKind::texel) {
        text += fmt::format(
            "    static __device__ uint64_t offset(const uint64_t* at, const uint64_t* p) {{\n{}"
            "        return {};\n    }}\n",
            variables(address, "at[{}]"), call_text(address, cuda_vector));
        argument = "offset(at, p) + i % element_bytes";
        text += fmt::format("    static constexpr unsigned element_bytes = {};\n", claim.element_bytes());
    }
    text += fmt::format(
        "    static __device__ int answer([[maybe_unused]] uint64_t i, [[maybe_unused]] const uint64_t* at, "
        "[[maybe_unused]] const uint64_t* p, uint64_t* result) {{\n{}        const auto answer = {};\n",
        variables(claim, argument), call_text(claim, cuda_vector));
    if (claim.out_width() == 1) text += "        result[0] = answer;\n";
    for (unsigned k = 0; k < claim.out_width() && claim.out_width() > 1; ++k)
        text += fmt::format("        result[{}] = answer.{};\n", k, "xyzw"[k]);
    return text + fmt::format("        return {};\n    }}\n}};\n}}  // namespace {}\n", claim.out_width(), name);
}

uint64_t checksum(const Claim& claim, const Question& asked) {
    uint64_t sum = 0;
    const unsigned width = claim.out_width();
    for (uint64_t i = 0; i < asked.invocations; ++i) {
        uint64_t value = i + 1;
        for (unsigned k = 0; k < width; ++k) value = mix(value + asked.expected[i * width + k]);
        sum += value;
    }
    return sum;
}

std::string program() {
    const std::vector<Claim> claims = all_claims(64, of_catalog);
    std::string text = program_head, main_text = "\nint main() {\n";
    for (size_t i = 0; i < claims.size(); ++i) {
        const std::string name = fmt::format("claim_{}", i);
        text += device_unit(claims[i], name);
        main_text += fmt::format("    static const Call {}_calls[] = {{\n", name);
        for (const Claim::Call& call : claims[i].calls) {
            const Question asked = question(claims[i], call);
            main_text += fmt::format("        {{{{{}}}, {{{}}}, {}, {}, {}u}},\n", fmt::join(call.extent, ", "),
                                     fmt::join(call.parameters, ", "), asked.invocations, call.scattered,
                                     checksum(claims[i], asked));
        }
        main_text += fmt::format("    }};\n    prove<{0}::Snippet>(\"{1}\", {0}_calls, {2});\n", name, claims[i].name,
                                 claims[i].calls.size());
    }
    return text + main_text + program_tail;
}

}  // namespace

TEST_CASE("every snippet in CUDA gives what patterns/ gives, at every invocation, as C++") {
    prove_natively({.name = "CUDA",
                    .source = "proof.cpp",
                    .prologue = "#include \"cuda.h\"\n#include <cstdint>\n",
                    .unit = [](const Claim& claim,
                               const std::string& name) { return cpp_unit(claim, Language::cuda, name, cuda_vector); },
                    .compile = [](const std::string& source, const std::string& library) -> Command {
                        return {"g++",     "-std=c++17", "-O1",  "-Wall",
                                "-Wextra", "-Werror",    "-I",   source_dir() + "/tests/prove/stand_in",
                                "-fPIC",   "-shared",    source, "-o",
                                library};
                    },
                    .of_catalog = of_catalog},
                   "compiled as C++, against a stand-in for CUDA's types");
}

TEST_CASE("every snippet in CUDA is compiled by nvcc, and gives what patterns/ gives on a GPU, where there are such") {
    prove_by_nvcc("prove_cuda", program());
}
