// SPIR-V of variants, kept in files, so that a program that has hundreds of them starts at once.
#pragma once
#include "kernels/context.h"
#include "kernels/shader/variant.h"
#include <filesystem>

namespace tilewise::kernels {

enum class CacheMode {
    /// What is there is used, and no source is looked at; what is missing is compiled.
    use_cached,
    /// What is there is used if nothing has changed that it was compiled from, the compiler included.
    compile_changes,
    /// The cache is emptied first.
    compile_all,
};

struct VariantCache {
    std::filesystem::path folder;
    CacheMode mode = CacheMode::compile_changes;
    uint32_t reused = 0, compiled = 0;
    /// So many of those compiled had a file that was broken.
    uint32_t damaged = 0;
    /// So many of those compiled have no file, as the folder took none.
    uint32_t not_saved = 0;
};

/// $XDG_CACHE_HOME/tilewise, or ~/.cache/tilewise. Throws Error where neither variable is set.
std::filesystem::path default_cache_folder();

/// Throws Error where the folder is not there and cannot be made.
VariantCache open_variant_cache(const std::filesystem::path& folder, CacheMode mode);

/// As compile(variant), which it calls for what the cache does not have. Several processes may share a
/// folder, and several threads a cache.
std::vector<uint32_t> compile(VariantCache& cache, const Variant& variant);

/// By the context's cache, if it has one.
std::vector<uint32_t> compile(Context& context, const Variant& variant);

}  // namespace tilewise::kernels
