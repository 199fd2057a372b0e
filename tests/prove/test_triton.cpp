// Emitted Triton layouts: run as Python with a stand-in for Triton, and written down for a machine that has it and a
// GPU.
#include "patterns/model/error.h"
#include "tests/prove/prove.h"
#include "tests/prove/tiles.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/table_files.h"
#include <bit>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace tilewise;
using namespace tilewise::prove;

namespace {

SnippetRequest request_of(const Layout& layout, SnippetKind kind) {
    SnippetRequest request;
    request.language = Language::triton;
    request.kind = kind;
    request.layout = layout;
    // Names from outside, in what may end a comment's line.
    request.provenance = "a fault\r\u2028\"\"\"\n#fault \\\n";
    return request;
}

/// None where the pattern is no LinearLayout.
nlohmann::json pattern_proof(const TileCase& tile) {
    const Pattern& pattern = tile.layout.pattern;
    const size_t axes = snippet_dimensions(tile.layout);
    nlohmann::json proof = {{"name", tile.name},
                            {"element_bytes", pattern.element.bytes},
                            {"base", tile.layout.base},
                            {"offsets", tile.offsets}};
    try {
        proof["address"] = emit_snippet(request_of(tile.layout, SnippetKind::address));
        proof["texel"] = emit_snippet(request_of(tile.layout, SnippetKind::texel));
    } catch (const Error&) {
        return nullptr;
    }
    for (size_t axis = 0; axis < axes; ++axis) {
        proof["tile"].push_back(pattern.tile[axis]);
        proof["stride"].push_back(tile.layout.stride[axis]);
        if (tile.is_table) proof["extent"].push_back(tile.extent[axis]);
    }
    if (!tile.is_table)
        for (const Coord& at : tile.places)
            proof["places"].push_back(
                std::vector<uint32_t>(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(axes)));
    return proof;
}

nlohmann::json remap_proof(const std::string& name, const Remap& remap, uint32_t lanes, std::optional<uint32_t> warps) {
    SnippetRequest request = request_of({}, SnippetKind::remap);
    request.remap = remap;
    request.subgroup_size = lanes;
    request.warps = warps;
    const unsigned axes = remap.shape[axis_z] > 1 ? 3 : 2;
    const auto in_tensor = [&](const Coord& at) {
        std::vector<uint32_t> reversed(at.begin(), at.begin() + axes);
        std::ranges::reverse(reversed);
        return reversed;
    };
    const uint64_t count = element_count(remap.shape);
    const uint32_t in_warps = warps.value_or(static_cast<uint32_t>(count / lanes));
    nlohmann::json proof = {{"name", fmt::format("{}, {} lanes, {} warps", name, lanes, in_warps)},
                            {"code", emit_snippet(request)},
                            {"shape", in_tensor(remap.shape)},
                            {"lane_bits", std::countr_zero(lanes)},
                            {"warp_bits", std::countr_zero(in_warps)},
                            {"reg_bits", std::countr_zero(count / lanes / in_warps)}};
    for (uint32_t index = 0; index < count; ++index) proof["texels"].push_back(in_tensor(remap(index)));
    return proof;
}

/// What Triton 3.6 on an H100 asks of a distributed layout: "each base must move in at most one dimension".
bool moves_along_one_axis(const Remap& remap) {
    return std::ranges::all_of(
        remap.columns, [](const Coord& column) { return std::ranges::count(column, 0U) + 1 >= std::ssize(column); });
}

nlohmann::json remap_proofs() {
    nlohmann::json proofs = nlohmann::json::array();
    for (const char* table :
         {"nvidia_turing-ada_bl16_32bpp", "nvidia_turing-ada_bl16_128bpp", "amd_gfx103-navi21_64KB-R-X_32bpp",
          "apple_agx_twiddled_32bpp", "intel_gen125plus_Tile4_32bpp", "mali_utgard-valhall_u-interleaved_32bpp"}) {
        const Pattern pattern = table_layout(table).pattern;
        for (const uint32_t lanes : {32U, 64U}) {
            const Remap small = derive_remap(pattern, {256, lanes, 0, {}}).remap,
                        large = derive_remap(pattern, {1024, lanes, 0, {}}).remap;
            if (moves_along_one_axis(small)) proofs.push_back(remap_proof(table, small, lanes, std::nullopt));
            if (moves_along_one_axis(large)) proofs.push_back(remap_proof(table, large, lanes, 4));
        }
    }
    proofs.push_back(remap_proof("Morton order, 3D", morton_order({8, 8, 4, 1}), 32, 2));
    if (moves_along_one_axis(rdna_order()))
        proofs.push_back(remap_proof("rotated 8x8", rdna_order(), 32, std::nullopt));
    return proofs;
}

}  // namespace

TEST_CASE("a pattern's and a remap's Triton layouts give every element's place, and the way back") {
    nlohmann::json proof = {{"patterns", nlohmann::json::array()}, {"remaps", remap_proofs()}};
    size_t tables = 0;
    for (const TileCase& tile : tile_cases(100)) {
        nlohmann::json pattern = pattern_proof(tile);
        if (pattern.is_null()) continue;
        tables += tile.is_table;
        proof["patterns"].push_back(std::move(pattern));
    }
    CHECK(tables >= 12);
    CHECK(proof["remaps"].size() >= 15);
    const std::string file = (std::filesystem::path(program_path()).parent_path() / "triton_proof.json").string();
    const std::string script = source_dir() + "/tests/prove/triton_run.py";
    write_text(file, proof.dump());
    fmt::print("Triton: no GPU is used here; where there is one: python3 {} {}\n", script, file);
    if (run({"python3", "--version"}).code != 0) {
        MESSAGE("SKIPPED: the stand-in for Triton needs python3");
        return;
    }
    const Ended ended = run({"python3", script, "--stand-in", file});
    fmt::print("{}", ended.out);
    INFO(ended.err.substr(0, 4000));
    CHECK(ended.code == 0);
}

TEST_CASE("what is no LinearLayout is refused in one line that says why") {
    const auto refusal = [](const SnippetRequest& request) -> std::string {
        try {
            emit_snippet(request);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const auto of_table = [](const char* name) { return request_of(table_layout(name), SnippetKind::address); };
    CHECK(refusal(of_table("lavapipe_llvmpipe_linear-37x20_96bpp"))
              .starts_with("not expressible in Triton: the pattern is linear"));
    CHECK(refusal(of_table("broadcom_v3d42-71_UIF-XOR_32bpp")).find("into its index (F)") != std::string::npos);
    SnippetRequest request = of_table("amd_gfx103-navi21_64KB-R-X_32bpp");
    request.layout.constant = 0x100;
    CHECK(refusal(request).find("the constant 0x100 ") != std::string::npos);
    request.kind = SnippetKind::group_order;
    CHECK(refusal(request).find("kinds remap, and address and texel") != std::string::npos);

    SnippetRequest remap = request_of({}, SnippetKind::remap);
    remap.remap = row_order({8, 8, 1, 1});
    remap.remap.columns[3] = {1, 1, 0, 0};
    CHECK(refusal(remap).starts_with("not expressible in Triton: a bit of the index moves along two axes"));
    remap.remap = row_order({16, 8, 1, 1});
    remap.warps = 8;
    CHECK(refusal(remap) == "128 texels are less than 8 warps of 32 lanes: give more --invocations");
    remap.warps = 3;
    CHECK(refusal(remap) == "--warps 3: Triton takes powers of two");
    remap.remap = row_order({8, 2, 1, 1});
    remap.warps.reset();
    CHECK(refusal(remap) == "16 texels are less than a warp of 32 lanes: give more --invocations");
}
