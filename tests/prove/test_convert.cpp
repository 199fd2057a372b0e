// Emitted kernels that convert whole images, run over images of every kind that the model has: the very bytes that
// tile() and detile() give, and no other byte touched.
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include "patterns/snippet/convert_kernel.h"
#include "tests/prove/native.h"
#include "tests/prove/spirv.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/random_layout.h"
#include "tests/support/soak.h"
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>

using namespace tilewise;
using namespace tilewise::prove;

namespace {

struct Image {
    std::vector<ConvertPart> parts;
    uint64_t rows_B = 0, memory_B = 0;
};

/// One to four levels, none like another, with gaps between them; layers where there are no slices.
Image image_of(std::mt19937_64& random) {
    Image image;
    for (uint64_t n = 1 + random() % 4; n > 0; n--) {
        RandomImage level = random_image(random);
        if (random() % 3 == 0) level = with_holes(level, random);
        ConvertPart part = {.layout = level.layout, .extent = level.extent};
        if (part.extent[axis_z] == 1) part.layers = static_cast<uint32_t>(1 + random() % 3);
        const uint64_t tile_B = part.layout.pattern.tile_bytes;
        part.layout.base = round_up(image.memory_B, std::lcm(tile_B, uint64_t{4})) + tile_B * (random() % 3);
        part.layer_stride_B = round_up(tiled_bytes(part.layout, {{}, part.extent}), tile_B) - part.layout.base;
        part.layer_stride_B = round_up(part.layer_stride_B, tile_B) + tile_B * (random() % 2);
        part.rows_B = image.rows_B;
        part.rows_layer_stride_B = rows_bytes(part.layout.pattern.element, part.extent);
        image.rows_B += part.layers * part.rows_layer_stride_B;
        image.memory_B = part.layout.base + part.layers * part.layer_stride_B + tile_B;
        image.parts.push_back(part);
    }
    image.rows_B = round_up(image.rows_B, 16);
    image.memory_B = round_up(image.memory_B, 16);
    return image;
}

/// As in cuda_head.
std::vector<std::byte> noise(uint64_t seed, uint64_t bytes) {
    std::mt19937_64 random(seed);
    std::vector<std::byte> noise(bytes);
    for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
    return noise;
}

struct Conversion {
    ConvertRequest request;
    std::vector<std::byte> from, to, expected;  ///< `to`: before
};

Conversion conversion_of(const Image& image, ConvertDirection direction, std::mt19937_64& random) {
    const bool tiles = direction == ConvertDirection::tile;
    Conversion conversion = {.request = {},
                             .from = noise(1, tiles ? image.rows_B : image.memory_B),
                             .to = noise(2, tiles ? image.memory_B : image.rows_B),
                             .expected = {}};
    conversion.request.direction = direction;
    conversion.request.parts = image.parts;
    conversion.request.pieces_per_invocation = static_cast<uint32_t>(1 + random() % 4);
    conversion.request.invocations = 64;
    conversion.request.provenance = "a name \u202e\n";
    conversion.expected = conversion.to;
    for (const ConvertPart& part : image.parts)
        for (uint32_t layer = 0; layer < part.layers; layer++) {
            Layout layout = part.layout;
            layout.base += layer * part.layer_stride_B;
            const uint64_t rows = part.rows_B + layer * part.rows_layer_stride_B;
            const std::span from(conversion.from), to(conversion.expected);
            if (tiles)
                tile(layout, {{}, part.extent}, from.subspan(rows, part.rows_layer_stride_B), to);
            else
                detile(layout, {{}, part.extent}, from, to.subspan(rows, part.rows_layer_stride_B));
        }
    return conversion;
}

/// `count`: under tools/soak; the suite has the first fourth of them.
std::vector<Conversion> conversions(size_t count) {
    if (!soaking()) count /= 4;
    std::mt19937_64 random(12);
    std::vector<Conversion> all;
    for (size_t i = 0; i < count; i++)
        all.push_back(
            conversion_of(image_of(random), i % 2 ? ConvertDirection::tile : ConvertDirection::detile, random));
    return all;
}

std::string first_difference(const Conversion& conversion, std::span<const std::byte> got) {
    for (size_t i = 0; i < got.size(); i++)
        if (got[i] != conversion.expected[i]) return fmt::format("byte {} of {}", i, got.size());
    return "";
}

void prove_shaders(Language language, size_t count) {
    Machine machine;
    if (!open(machine)) return;
    const std::vector<Conversion> all = conversions(count);
    const Folder folder;
    std::vector<ConvertKernel> kernels;
    Command command = glslc_in(folder.path.string(), language);
    for (size_t i = 0; i < all.size(); i++) {
        ConvertRequest request = all[i].request;
        request.language = language;
        kernels.push_back(emit_convert_kernel(request));
        write_text(folder / std::to_string(i), kernels.back().code);
        command.push_back(std::to_string(i));
    }
    const Ended compiled = run(command);
    INFO(compiled.err.substr(0, 4000));
    REQUIRE(compiled.code == 0);
    for (size_t i = 0; i < all.size(); i++) {
        const std::string bytes = read_text(folder / fmt::format("{}.spv", i));
        const std::span spirv(reinterpret_cast<const uint32_t*>(bytes.data()), bytes.size() / sizeof(uint32_t));
        vulkan::Compute compute;
        vulkan::create_compute(machine.device, {.spirv = spirv, .buffers = 2, .push_bytes = 0, .constants = {}},
                               compute);
        for (auto [buffer, content] : {std::pair(&machine.in, &all[i].from), {&machine.out, &all[i].to}}) {
            vulkan::reserve_buffer(machine.device, *buffer, content->size(), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                   VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
            std::ranges::copy(*content, buffer->memory.map);
        }
        vulkan::bind_buffers(machine.device, compute.bindings,
                             std::array{machine.in.handle.handle, machine.out.handle.handle});
        const auto [x, y] = kernels[i].groups;
        vulkan::run_compute(machine.device, machine.commands, compute, {x, y, 1}, {});
        INFO(kernels[i].code);
        CHECK(first_difference(all[i], std::span(machine.out.memory.map, all[i].to.size())) == "");
    }
}

}  // namespace

TEST_CASE("a convert kernel in GLSL gives the bytes that tile and detile give") { prove_shaders(Language::glsl, 120); }

TEST_CASE("a convert kernel in HLSL gives the bytes that tile and detile give") { prove_shaders(Language::hlsl, 40); }

TEST_CASE("a convert kernel in CUDA, run as C++, gives the bytes that tile and detile give") {
    const std::vector<Conversion> all = conversions(60);
    std::string text = fmt::format("#include \"{}/tests/prove/stand_in/cuda.h\"\n", source_dir());
    std::vector<ConvertKernel> kernels;
    for (size_t i = 0; i < all.size(); i++) {
        ConvertRequest request = all[i].request;
        request.language = Language::cuda;
        kernels.push_back(emit_convert_kernel(request));
        text += fmt::format(
            "namespace n{0} {{\n{1}}}\nextern \"C\" void convert_{0}(const void* from, void* to) {{\n"
            "    gridDim = {{{2}, {3}, 1}};\n"
            "    for (blockIdx.y = 0; blockIdx.y < {3}; blockIdx.y++)\n"
            "        for (blockIdx.x = 0; blockIdx.x < {2}; blockIdx.x++)\n"
            "            for (threadIdx.x = 0; threadIdx.x < {4}; threadIdx.x++) n{0}::tilewise_convert(from, "
            "to);\n}}\n",
            i, kernels.back().code, kernels.back().groups[0], kernels.back().groups[1], request.invocations);
    }
    const Folder folder;
    write_text(folder / "convert.cpp", text);
    const Ended compiled = run({"c++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o",
                                folder / "convert.so", folder / "convert.cpp"});
    INFO(compiled.err.substr(0, 4000));
    REQUIRE(compiled.code == 0);
    const std::unique_ptr<void, int (*)(void*)> library(dlopen((folder / "convert.so").c_str(), RTLD_NOW), dlclose);
    REQUIRE(library != nullptr);
    for (size_t i = 0; i < all.size(); i++) {
        const auto convert =
            reinterpret_cast<void (*)(const void*, void*)>(dlsym(library.get(), fmt::format("convert_{}", i).c_str()));
        REQUIRE((convert != nullptr));
        std::vector<std::byte> to = all[i].to;
        convert(all[i].from.data(), to.data());
        INFO(kernels[i].code);
        CHECK(first_difference(all[i], to) == "");
    }
}

namespace {

/// All that a machine with nvcc needs: what the kernels must give is a checksum of every byte.
constexpr const char* cuda_head =
    R"(// Written by the tests of Tilewise: emitted kernels that convert whole images, and what they must give.
//   nvcc -std=c++17 -arch=native -o prove_convert_cuda prove_convert_cuda.cu && ./prove_convert_cuda
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

std::vector<unsigned char> noise(uint64_t seed, uint64_t bytes) {
    std::mt19937_64 random(seed);
    std::vector<unsigned char> noise(bytes);
    for (unsigned char& byte : noise) byte = static_cast<unsigned char>(random());
    return noise;
}

uint64_t kernels = 0, bytes = 0, wrong = 0;

void prove(const char* name, void (*convert)(const void*, void*), dim3 groups, unsigned invocations, uint64_t from_B,
           uint64_t to_B, uint64_t checksum) {
    const std::vector<unsigned char> source = noise(1, from_B);
    std::vector<unsigned char> result = noise(2, to_B);
    void *from = nullptr, *to = nullptr;
    cudaMalloc(&from, from_B);
    cudaMalloc(&to, to_B);
    cudaMemcpy(from, source.data(), from_B, cudaMemcpyHostToDevice);
    cudaMemcpy(to, result.data(), to_B, cudaMemcpyHostToDevice);
    convert<<<groups, invocations>>>(from, to);
    const cudaError_t error = cudaMemcpy(result.data(), to, to_B, cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
    uint64_t got = 0xcbf29ce484222325u;
    for (const unsigned char byte : result) got = (got ^ byte) * 0x100000001b3u;
    const bool right = error == cudaSuccess && got == checksum;
    if (!right) printf("%s: wrong: %s\n", name, cudaGetErrorString(error));
    ++kernels;
    bytes += to_B;
    wrong += !right;
}
)";

constexpr const char* cuda_tail = R"(
    cudaDeviceProp device = {};
    cudaGetDeviceProperties(&device, 0);
    printf("CUDA: %llu convert kernels, %llu bytes, %llu kernels wrong (compiled by nvcc, run on %s)\n",
           (unsigned long long)kernels, (unsigned long long)bytes, (unsigned long long)wrong, device.name);
    return wrong != 0;
}
)";

std::string cuda_program(const std::vector<Conversion>& all) {
    std::string text = cuda_head, main_text = "\nint main() {\n";
    for (size_t i = 0; i < all.size(); i++) {
        ConvertRequest request = all[i].request;
        request.language = Language::cuda;
        const ConvertKernel kernel = emit_convert_kernel(request);
        text += fmt::format("\nnamespace n{} {{\n{}}}\n", i, kernel.code);
        uint64_t checksum = 0xcbf29ce484222325U;
        for (const std::byte byte : all[i].expected)
            checksum = (checksum ^ std::to_integer<uint64_t>(byte)) * 0x100000001b3U;
        main_text +=
            fmt::format("    prove(\"{0}, {1}\", n{0}::tilewise_convert, dim3({2}, {3}), {4}, {5}, {6}, {7}u);\n", i,
                        convert_direction_name(request.direction), kernel.groups[0], kernel.groups[1],
                        request.invocations, all[i].from.size(), all[i].to.size(), checksum);
    }
    return text + main_text + cuda_tail;
}

}  // namespace

TEST_CASE("a convert kernel in CUDA is compiled by nvcc, and converts on a GPU, where there are such") {
    prove_by_nvcc("prove_convert_cuda", cuda_program(conversions(60)));
}

TEST_CASE("a convert kernel is refused where there is none") {
    ConvertRequest request;
    request.language = Language::msl;
    CHECK_THROWS_WITH(emit_convert_kernel(request), "no convert kernel in msl; there are glsl, hlsl and cuda");

    // Two layers of 16384x16384 elements of 16 bytes: more than 2^32 bytes, but not pieces.
    ConvertPart large = {.layout = {}, .extent = {16384, 16384, 1, 1}};
    large.layout.pattern.element.bytes = 16;
    large.layout.pattern.tile_bytes = 16;
    large.layout.stride = {16, 16384 * 16, 0, 0};
    large.layers = 2;
    large.layer_stride_B = large.rows_layer_stride_B = uint64_t{1} << 32;
    request.parts = {large};
    for (const Language language : {Language::glsl, Language::hlsl}) {
        request.language = language;
        CHECK_THROWS_WITH(emit_convert_kernel(request),
                          "the image reaches beyond 2^32 bytes, and no buffer of a shader does: take cuda");
    }
    request.language = Language::cuda;
    CHECK_NOTHROW(emit_convert_kernel(request));
    request.parts[0].layers = 16;
    CHECK_THROWS_WITH(emit_convert_kernel(request),
                      "the image has 2^32 pieces of 16 bytes or more, and a shader counts them in 32 bits");
}

TEST_CASE("an image's parts have their rows where tile and detile have them") {
    ImageLayout image;
    image.format = "R8G8B8A8_UNORM";
    image.extent_px = {16, 8, 1};
    image.levels = 2;
    image.layers = 3;
    Pattern linear;
    linear.element.bytes = 4;
    linear.tile_bytes = 4;
    for (uint32_t level = 0; level < 2; level++) {
        tilewise::Subresource part;
        part.level = level;
        part.layers = 3;
        part.layer_stride_B = 4096;
        part.extent_px = {16U >> level, 8U >> level, 1};
        part.layout.pattern = linear;
        part.layout.stride = {4, 64, 0, 0};
        part.layout.base = level * 1024;
        image.subresources.push_back(part);
    }
    const std::vector<ConvertPart> parts = convert_parts(image);
    REQUIRE(parts.size() == 2);
    // Layer by layer, the levels of each from the largest: 512 and 128 bytes.
    CHECK(parts[0].rows_B == 0);
    CHECK(parts[0].rows_layer_stride_B == 640);
    CHECK(parts[1].rows_B == 512);
    CHECK(parts[1].rows_layer_stride_B == 640);
    CHECK(parts[1].extent == Coord{8, 4, 1, 1});
    CHECK(parts[1].layout.base == 1024);
    CHECK(parts[1].layer_stride_B == 4096);
}
