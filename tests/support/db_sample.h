// Facts to store: measured layouts, and the devices that they were measured on.
#pragma once
#include "db/facts/figure.h"
#include "db/facts/observation.h"
#include "db/facts/tuning.h"
#include "db/sqlite/open.h"
#include <bit>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace sample {

/// A folder for one test, removed with this object.
struct Folder {
    std::filesystem::path path;
    Folder() {
        std::random_device random;
        do path = std::filesystem::temp_directory_path() / ("tilewise-test-" + std::to_string(random()));
        while (!std::filesystem::create_directory(path));
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path operator/(const char* name) const { return path / name; }
};

inline std::string file_bytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// One tile as a whole image: what each bit of x, and of y, XORs into the byte offset.
inline tilewise::Layout layout_of(uint32_t element_bytes, std::initializer_list<uint64_t> x,
                                  std::initializer_list<uint64_t> y) {
    tilewise::Layout layout;
    layout.pattern.element.bytes = element_bytes;
    layout.pattern.tile = {1u << x.size(), 1u << y.size(), 1, 1};
    layout.pattern.tile_bytes = element_bytes * tilewise::element_count(layout.pattern.tile);
    layout.pattern.equation.columns[tilewise::axis_x] = x;
    layout.pattern.equation.columns[tilewise::axis_y] = y;
    return layout;
}

/// The 64 B x 128 row block of NVIDIA's block-linear layout at 32 bits a texel (H100), in a 300x200 image.
inline tilewise::Layout gob_of_16() {
    tilewise::Layout layout = layout_of(4, {0x4, 0x8, 0x40, 0x100}, {0x10, 0x20, 0x80, 0x200, 0x400, 0x800, 0x1000});
    layout.stride = {8192, 19 * 8192, 0, 0};
    return layout;
}

/// RADV, navi21, R8G8B8A8: a 64 KiB tile with XORed rows, in a 300x200 image.
inline tilewise::Layout navi21() {
    tilewise::Layout layout =
        layout_of(4, {0x4, 0x8, 0x40, 0x1000, 0x200, 0x800, 0xc000}, {0x10, 0x20, 0x80, 0x2000, 0x300, 0x400, 0x8000});
    layout.stride = {65536, 3 * 65536, 0, 0};
    return layout;
}

/// Vulkan's standard block for 8 bits per texel; the levels that do not fill one share 64 KiB per layer.
inline tilewise::SparseBlocks sparse_of_r8() {
    return {.granularity_px = {256, 256, 1},
            .standard = true,
            .mip_tail_first_level = 1,
            .mip_tail_bytes = 65536,
            .mip_tail_offset = 131072,
            .mip_tail_stride = 196608};
}

inline tilewise::db::DeviceFact h100() {
    return {.vendor_id = 0x10de,
            .device_id = 0x2330,
            .name = "NVIDIA H100 80GB HBM3",
            .type = "discrete",
            .uuid = "0123456789abcdef0123456789abcdef"};
}

inline tilewise::db::DriverFact nvidia_580() {
    return {.name = "NVIDIA",
            .info = "580.159.04",
            .id = "NVIDIA_PROPRIETARY",
            .version = "580.159.04",
            .api_version = "1.4.312",
            .uuid = "00112233445566778899aabbccddeeff"};
}

/// What `devices --measure` might find on that device.
inline tilewise::db::FigureFact fetches_of_rgba8() {
    tilewise::db::FigureFact fact;
    fact.name = "texels_2x2_per_us";
    fact.format = "R8G8B8A8_UNORM";
    fact.value = 1980000;
    fact.interval = {1979000, 1982000};
    fact.time = "2026-11-24T12:00:00.000Z";
    fact.tool_version = "0.1.0";
    return fact;
}

/// What tune might find on that device.
inline tilewise::db::TuningFact tuned_box() {
    tilewise::db::TuningFact fact;
    fact.kernel = "box";
    fact.method = "direct";
    fact.order = "permutation";
    fact.format = "R8G8B8A8_UNORM";
    fact.pattern = "0123456789abcdef";
    fact.extent = {4096, 4096};
    fact.radius = 4;
    fact.shape = {4, 32};
    fact.columns = "y0 x0 y1 y2 y3 y4 x1";
    fact.group_order = "strips of 8";
    fact.candidates = 1040;
    fact.samples = 41;
    fact.discarded = 2;
    fact.median_ms = 0.41;
    fact.interval_ms = {0.408, 0.412};
    fact.over_row = 2.05;
    fact.over_row_interval = {2.04, 2.06};
    fact.over_morton = 1.5;
    fact.over_morton_interval = {1.49, 1.51};
    fact.over_derived = 1.01;
    fact.over_derived_interval = {1.008, 1.012};
    fact.over_best = 0.998;
    fact.over_best_interval = {0.996, 1};
    fact.time = "2026-11-23T19:00:00.000Z";
    fact.tool_version = "0.1.0";
    return fact;
}

inline tilewise::db::DeviceFact radeon() {
    return {
        .vendor_id = 0x1002, .device_id = 0x73bf, .name = "AMD Radeon RX 6800 XT (RADV NAVI21)", .type = "discrete"};
}

inline tilewise::db::DriverFact radv() {
    return {.name = "radv",
            .info = "Mesa 26.1.0-1",
            .id = "MESA_RADV",
            .version = "26.1.0",
            .api_version = "1.4.330",
            .tiling_layout_uuid = "ffeeddccbbaa99887766554433221100"};
}

inline tilewise::db::ObservationFact observed(const tilewise::Layout& layout, const std::string& time) {
    tilewise::db::ObservationFact fact;
    fact.format = "R8G8B8A8_UNORM";
    fact.usage = "sampled,storage,transfer-src";
    fact.extent_px = {300, 200, 1};
    fact.route = "alias";
    fact.memory_type = 1;
    fact.memory_flags = "DEVICE_LOCAL";
    fact.result = "exact";
    fact.layout = layout;
    fact.elements = 60000;
    fact.time = time;
    fact.tool_version = "0.1.0";
    return fact;
}

inline tilewise::db::ObservationFact failed(const std::string& result, const std::string& reason,
                                            const std::string& time) {
    tilewise::db::ObservationFact fact = observed(gob_of_16(), time);
    fact.layout.reset();
    fact.result = result;
    fact.reason = reason;
    return fact;
}

/// A new, empty database.
inline tilewise::db::Database empty_database(const std::filesystem::path& path) {
    return tilewise::db::open_database(path, tilewise::db::Access::read_write, {});
}

}  // namespace sample
