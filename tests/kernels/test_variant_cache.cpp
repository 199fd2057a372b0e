#include "kernels/separable/separable.h"
#include "kernels/shader/cache.h"
#include "patterns/model/error.h"
#include "tests/support/kernel_bench.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <unistd.h>

using namespace tilewise;
using namespace tilewise::kernels;
namespace fs = std::filesystem;

namespace {

struct CacheFolder {
    fs::path path = fs::temp_directory_path() / ("tilewise_cache_" + std::to_string(getpid()));
    ~CacheFolder() { fs::remove_all(path); }
};

/// The sum of the taps, `scale` of it.
Variant some_variant(const std::string& scale, uint32_t radius = 2) {
    const FilterText filter =
        user_filter("sum.glsl",
                    "struct State { vec4 sum; };\nState filter_center(vec4 texel) { return State(texel); }\n"
                    "void filter_iteration(inout State state, vec4 texel, int offset) { state.sum += texel; }\n"
                    "vec4 filter_result(State state) { return state.sum * " +
                        scale + "; }\n");
    return direct_variant(filter, Format::rgba8, radius, Direction::x, Sampling::exact);
}

}  // namespace

TEST_CASE("what was compiled once is not compiled again, by another process neither") {
    const CacheFolder folder;
    VariantCache first = open_variant_cache(folder.path, CacheMode::compile_changes);
    const std::vector<uint32_t> spirv = compile(first, some_variant("1"));
    CHECK(spirv == compile(some_variant("1")));
    CHECK(compile(first, some_variant("1")) == spirv);
    VariantCache second = open_variant_cache(folder.path, CacheMode::use_cached);
    CHECK(compile(second, some_variant("1")) == spirv);
    CHECK(compile(second, some_variant("1", 3)) != spirv);
    CHECK(first.compiled == 1);
    CHECK(first.reused == 1);
    CHECK(second.compiled == 1);
    CHECK(second.reused == 1);
}

TEST_CASE("a changed source is seen where changes are compiled, and not looked at where the cache is used as it is") {
    const CacheFolder folder;
    VariantCache cache = open_variant_cache(folder.path, CacheMode::compile_changes);
    const std::vector<uint32_t> before = compile(cache, some_variant("1"));
    cache.mode = CacheMode::use_cached;
    CHECK(compile(cache, some_variant("2")) == before);
    cache.mode = CacheMode::compile_changes;
    CHECK(compile(cache, some_variant("2")) == compile(some_variant("2")));
    CHECK(cache.compiled == 2);
}

TEST_CASE("to compile all empties the cache first, of its own files only") {
    const CacheFolder folder;
    VariantCache cache = open_variant_cache(folder.path, CacheMode::compile_changes);
    compile(cache, some_variant("1"));
    std::ofstream(folder.path / "notes.txt") << "mine";
    VariantCache again = open_variant_cache(folder.path, CacheMode::compile_all);
    CHECK(compile(again, some_variant("1")) == compile(some_variant("1")));
    CHECK(again.compiled == 1);
    CHECK(fs::exists(folder.path / "notes.txt"));
}

TEST_CASE("a damaged file is compiled again") {
    const CacheFolder folder;
    VariantCache cache = open_variant_cache(folder.path, CacheMode::use_cached);
    const std::vector<uint32_t> spirv = compile(cache, some_variant("1"));
    const fs::path file = fs::directory_iterator(folder.path)->path();
    const uint64_t size = fs::file_size(file);
    const auto damage = [&](uint64_t at) {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekg(static_cast<std::streamoff>(at));
        const char byte = static_cast<char>(stream.get() ^ 1);
        stream.seekp(static_cast<std::streamoff>(at));
        stream.put(byte);
    };
    // The kind, the length, the checksum, the SPIR-V; then a file that is too short, one too long, an empty one.
    for (const uint64_t at : {uint64_t{0}, uint64_t{9}, uint64_t{15}, size / 2, size - 1}) {
        CAPTURE(at);
        damage(at);
        CHECK(compile(cache, some_variant("1")) == spirv);
    }
    for (const uint64_t bytes : {size - 3, size + 4, uint64_t{0}}) {
        CAPTURE(bytes);
        fs::resize_file(file, bytes);
        CHECK(compile(cache, some_variant("1")) == spirv);
    }
    CHECK(cache.damaged == 8);
    CHECK(cache.reused == 0);
    CHECK(compile(cache, some_variant("1")) == spirv);
    CHECK(cache.reused == 1);
}

TEST_CASE("a folder that cannot be is refused; one that takes no files costs only time") {
    const CacheFolder folder;
    std::ofstream(folder.path) << "a file";
    CHECK_THROWS_WITH_AS(open_variant_cache(folder.path / "below", CacheMode::use_cached), doctest::Contains("--cache"),
                         Error);
    fs::remove(folder.path);
    VariantCache cache = open_variant_cache(folder.path, CacheMode::use_cached);
    fs::remove(folder.path);
    CHECK(compile(cache, some_variant("1")) == compile(some_variant("1")));
    CHECK(cache.not_saved == 1);
}

TEST_CASE("jobs take their shaders from the context's cache") {
    const CacheFolder folder;
    KernelBench bench;
    bench.context.variants =
        std::make_shared<VariantCache>(open_variant_cache(folder.path, CacheMode::compile_changes));
    const SeparableRequest request = {gaussian_filter(), Format::rgba8, {9, 7}, 2};
    for (int i = 0; i < 2; ++i) {
        CHECK(separable_direct(bench.images, bench.references, request, {"row", row_order({8, 8, 1, 1})}).check() ==
              "");
        CHECK(separable_fragment(bench.images, bench.references, request).check() == "");
    }
    // Two directions by compute, two by fragments, the vertex shader, which the second draw shares, and the digest,
    // which the two result images do.
    CHECK(bench.context.variants->compiled == 6);
    CHECK(bench.context.variants->reused == 8);
}

TEST_CASE("what a variant is compiled from is all that it includes") {
    const Variant variant = shared_variant(gaussian_filter(), Format::rgba8, 4, Direction::x, {}, Sampling::exact);
    const auto sources = sources_of(variant);
    for (const char* name : {"separable_shared.comp", "filter_hooks.glsl", "packed_texel.glsl", "filter_line.glsl"})
        CHECK(std::ranges::count(sources, shader_text(name)) == 1);
    CHECK(std::ranges::count(sources, std::string_view(variant.filter_text)) == 1);
    CHECK(sources.size() == 5);
    CHECK(compiler_version().find("shaderc") != std::string_view::npos);
}
