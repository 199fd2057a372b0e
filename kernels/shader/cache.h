// SPIR-V of variants, stored in files, so that a program with hundreds of variants starts at once.
#pragma once
#include "kernels/context.h"
#include "kernels/shader/variant.h"
#include <filesystem>

namespace tilewise::kernels {

enum class CacheMode {
    /// Use what is there without looking at sources; compile what is missing.
    use_cached,
    /// Use what is there if nothing that it was compiled from has changed, including the compiler.
    compile_changes,
    /// Empty the cache first.
    compile_all,
};

struct VariantCache {
    std::filesystem::path folder;
    CacheMode mode = CacheMode::compile_changes;
    uint32_t reused = 0, compiled = 0;
    /// Compiled variants whose file was broken.
    uint32_t damaged = 0;
    /// Compiled variants without a file, because the folder could not be written.
    uint32_t not_saved = 0;
};

/// $XDG_CACHE_HOME/tilewise, or ~/.cache/tilewise. Throws Error if neither variable is set.
std::filesystem::path default_cache_folder();

/// Throws Error if the folder does not exist and cannot be created.
VariantCache open_variant_cache(const std::filesystem::path& folder, CacheMode mode);

/// Like compile(variant), which is called for variants that the cache does not have. Several processes may share a
/// folder, and several threads a cache.
std::vector<uint32_t> compile(VariantCache& cache, const Variant& variant);

/// Uses the context's cache, if it has one.
std::vector<uint32_t> compile(Context& context, const Variant& variant);

}  // namespace tilewise::kernels
