// What the cache of compiled variants gains: 640 variants of the separable filters (Gaussian and bilateral, radius 1 to
// 16, both directions, five methods, exact and approximate), compiled, and read from files.
//   tilewise_bench_variants [--optimize] [FOLDER]    the folder's cached variants are lost; default: a temporary folder
#include "kernels/separable/separable.h"
#include "kernels/shader/cache.h"
#include "patterns/model/error.h"
#include "tools/bench/timing.h"
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

std::vector<Variant> all_variants(const FilterText& filter, bool optimize) {
    std::vector<Variant> variants;
    for (uint32_t radius = 1; radius <= 16; ++radius)
        for (const Direction direction : {Direction::y, Direction::x})
            for (const Sampling sampling : {Sampling::exact, Sampling::approximate}) {
                const Format format = Format::rgba16f;
                variants.push_back(direct_variant(filter, format, radius, direction, sampling));
                variants.push_back(fragment_variant(filter, radius, direction, sampling));
                const Sampling midway = sampling == Sampling::exact ? sampling : Sampling::midway;
                for (const uint32_t precision : {32u, 16u, 8u})
                    variants.push_back(
                        shared_variant(filter, format, radius, direction, {128, 2, 4, precision}, midway));
            }
    for (Variant& variant : variants) variant.optimize = optimize;
    return variants;
}

void time_all(const char* what, const std::filesystem::path& folder, CacheMode mode,
              const std::vector<Variant>& variants) {
    VariantCache cache;
    const double seconds = seconds_of(BenchClock::wall, [&] {
        cache = open_variant_cache(folder, mode);
        for (const Variant& variant : variants) compile(cache, variant);
    });
    fmt::print("{:46} {:9.1f} ms  {:4} compiled {:4} from files\n", what, 1e3 * seconds, cache.compiled, cache.reused);
}

void run(const std::filesystem::path& folder, bool optimize) {
    std::vector<Variant> variants = all_variants(gaussian_filter(), optimize);
    const size_t unchanged = variants.size();
    FilterText bilateral = bilateral_filter();
    for (const Variant& variant : all_variants(bilateral, optimize)) variants.push_back(variant);
    fmt::print("{} variants{}; {}\n", variants.size(), optimize ? ", optimized by the compiler" : "",
               compiler_version());
    time_all("compile all (the cache is emptied)", folder, CacheMode::compile_all, variants);
    time_all("use cached", folder, CacheMode::use_cached, variants);
    time_all("compile changes, nothing has changed", folder, CacheMode::compile_changes, variants);
    for (size_t i = unchanged; i < variants.size(); ++i) variants[i].filter_text += "// changed\n";
    time_all("compile changes, the bilateral filter has", folder, CacheMode::compile_changes, variants);
}

}  // namespace

int main(int argc, char** argv) {
    bool optimize = false;
    std::filesystem::path folder;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--optimize") == 0)
            optimize = true;
        else
            folder = argv[i];
    }
    const bool temporary = folder.empty();
    if (temporary) folder = std::filesystem::temp_directory_path() / fmt::format("tilewise_variants_{}", getpid());
    try {
        run(folder, optimize);
    } catch (const Error& error) {
        fmt::print(stderr, "tilewise_bench_variants: {}\n", error.what());
        return 1;
    }
    if (temporary) std::filesystem::remove_all(folder);
    return 0;
}
