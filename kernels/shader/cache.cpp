#include "kernels/shader/cache.h"
#include "patterns/model/error.h"
#include "system/files.h"
#include "system/folders.h"
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <optional>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tilewise::kernels {

namespace {

/// A file is this header, then the SPIR-V. Files belong to the machine that wrote them, so byte order does not matter.
struct Header {
    char kind[8] = {'T', 'W', 'S', 'P', 'I', 'R', 'V', '1'};
    uint64_t words = 0;
    /// The hash of everything that it was compiled from.
    XXH128_hash_t sources = {};
    /// The hash of the SPIR-V.
    uint64_t checksum = 0;
};
constexpr const char* extension = ".variant";

/// Appends each string with its length, so that no two lists of strings give the same text.
void append(std::string& text, std::string_view part) {
    text += fmt::format("{} ", part.size());
    text += part;
}

/// The variant's identity, without any sources.
std::string name_of(const Variant& variant) {
    std::string text;
    append(text, variant.source);
    append(text, variant.filter_name);
    append(text, variant.optimize ? "optimized" : "");
    for (const auto& [name, value] : variant.defines) {
        append(text, name);
        append(text, value);
    }
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    return fmt::format("{:016x}{:016x}{}", hash.high64, hash.low64, extension);
}

XXH128_hash_t hash_of_sources(const Variant& variant) {
    std::string text;
    append(text, compiler_version());
    for (const std::string_view source : sources_of(variant)) append(text, source);
    return XXH3_128bits(text.data(), text.size());
}

struct Entry {
    XXH128_hash_t sources = {};
    std::vector<uint32_t> spirv;
};

/// None if the file does not exist or is broken; `there` is whether it exists.
std::optional<Entry> read_entry(const std::filesystem::path& file, bool& there) {
    std::ifstream stream(file, std::ios::binary);
    there = stream.is_open();
    Header header;
    const Header expected;
    if (!stream.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
    std::error_code unreadable;
    const uint64_t bytes = std::filesystem::file_size(file, unreadable);
    if (unreadable || std::memcmp(header.kind, expected.kind, sizeof header.kind) != 0 || header.words > bytes ||
        bytes != sizeof header + header.words * sizeof(uint32_t))
        return {};
    Entry entry = {header.sources, std::vector<uint32_t>(header.words)};
    const size_t size = entry.spirv.size() * sizeof(uint32_t);
    if (!stream.read(reinterpret_cast<char*>(entry.spirv.data()), static_cast<std::streamsize>(size))) return {};
    if (XXH3_64bits(entry.spirv.data(), size) != header.checksum) return {};
    return entry;
}

/// Writes under another name first: a reader finds the whole file or none.
bool write_entry(const std::filesystem::path& file, const Entry& entry) {
    Header header;
    const size_t size = entry.spirv.size() * sizeof(uint32_t);
    header.words = entry.spirv.size();
    header.sources = entry.sources;
    header.checksum = XXH3_64bits(entry.spirv.data(), size);
    const std::string unfinished = system::unguessable_name(system::text_of(file));
    const int made = system::create_new(unfinished);
    if (made < 0) return false;
    system::close_file(made);
    std::ofstream stream(system::path_of(unfinished), std::ios::binary);
    stream.write(reinterpret_cast<const char*>(&header), sizeof header);
    stream.write(reinterpret_cast<const char*>(entry.spirv.data()), static_cast<std::streamsize>(size));
    stream.close();
    std::error_code failed;
    if (stream) std::filesystem::rename(unfinished, file, failed);
    if (stream && !failed) return true;
    std::filesystem::remove(unfinished, failed);
    return false;
}

}  // namespace

std::filesystem::path default_cache_folder() {
    if (const auto folder = system::cache_folder()) return *folder;
    throw Error(
        fmt::format("no folder for compiled shaders: set {}, or name one with --cache", system::cache_variable));
}

VariantCache open_variant_cache(const std::filesystem::path& folder, CacheMode mode) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (!std::filesystem::is_directory(folder))
        throw Error(fmt::format("{}: cannot make this folder for compiled shaders: name another with --cache",
                                system::text_of(folder)));
    if (mode == CacheMode::compile_all)
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.path().extension() == extension) std::filesystem::remove(entry.path(), failed);
    return {folder, mode};
}

std::vector<uint32_t> compile(VariantCache& cache, const Variant& variant) {
    static std::mutex one_at_a_time;  // for the counters, and the file that one thread writes and the next reads
    const std::lock_guard lock(one_at_a_time);
    const std::filesystem::path file = cache.folder / name_of(variant);
    bool there = false;
    std::optional<Entry> entry = read_entry(file, there);
    const bool known = entry.has_value();
    const bool looks = !known || cache.mode != CacheMode::use_cached;
    const XXH128_hash_t sources = looks ? hash_of_sources(variant) : entry->sources;
    if (known && XXH128_isEqual(entry->sources, sources)) {
        ++cache.reused;
        return std::move(entry->spirv);
    }
    entry = {sources, compile(variant)};
    ++cache.compiled;
    cache.damaged += there && !known;
    cache.not_saved += !write_entry(file, *entry);
    return std::move(entry->spirv);
}

std::vector<uint32_t> compile(Context& context, const Variant& variant) {
    return context.variants ? compile(*context.variants, variant) : compile(variant);
}

}  // namespace tilewise::kernels
