// The catalog against tables and figures that others made.
#include "db/bundle/bundle.h"
#include "db/facts/image_rule.h"
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "db/query/check.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/rules/rule.h"
#include "patterns/rules/rule_json.h"
#include "patterns/solve/solve.h"
#include "probe/formats/formats.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <sstream>

using namespace tilewise;

namespace {

const db::Database& catalog() {
    static const db::Database database = db::open_catalog();
    return database;
}

std::vector<db::ObservationRow> observations(const std::string& device, const std::string& format) {
    return db::find_observations(catalog(), {.device = device, .format = format});
}

/// The layout that the catalog has of an image of that size.
Layout layout_of(const std::string& device, const std::string& format, uint32_t width, uint32_t height) {
    CAPTURE(device);
    const auto found = db::find_observations(
        catalog(), {.device = device, .format = format, .extent = std::array<uint32_t, 3>{width, height, 1}});
    REQUIRE(!found.empty());
    return found.front().fact.layout.value();
}

/// Elements of the table's upper left corner that the layout has elsewhere.
uint64_t differing(const Layout& layout, const Table& table, uint32_t width, uint32_t height) {
    REQUIRE(width <= table.extent[axis_x]);
    REQUIRE(height <= table.extent[axis_y]);
    uint64_t count = 0;
    for (uint32_t y = 0; y < height; ++y)
        for (uint32_t x = 0; x < width; ++x)
            count += offset_of(layout, {x, y}) != table.offsets[element_index(table.extent, {x, y})];
    return count;
}

struct SameAsTable {
    const char *device, *format, *table;
    uint32_t width, height;                            ///< of the catalog's image
    uint32_t compared_width = 0, compared_height = 0;  ///< 0: the table's
};

const std::string published_file = source_dir() + "/db/catalog/published/detect-image-z-curve.txt";

}  // namespace

TEST_CASE(
    "each file of the catalog stands alone, holds proved layouts and why there are none, and tells no board's UUID") {
    uint64_t bytes = 0;
    for (const db::CatalogFile& file : db::embedded_catalog()) {
        CAPTURE(file.name);
        bytes += file.text.size();
        db::Database alone = db::open_catalog({});
        const db::Imported imported = db::import_bundle(alone, file.text, std::string(file.name));
        CHECK(imported.observations > 0);
        CHECK(imported.known_observations == 0);  // nothing is said twice
        for (const db::ObservationRow& row : db::find_observations(alone, {})) {
            if (!row.fact.layout) CHECK(row.fact.reason != "");
            CHECK(row.device.uuid == "");
        }
    }
    CHECK(bytes < 15'500'000);
}

TEST_CASE("the whole catalog is sound and contradicts itself nowhere") {
    const db::Report report = db::check_database(catalog());
    CHECK(report.faults.empty());
    CHECK(report.contradictions.empty());
}

TEST_CASE(
    "what the catalog's rules predict of small images, and of one larger than any that was probed, keeps all elements "
    "apart") {
    size_t predicted = 0;
    const size_t one_in = soaking() ? 1 : 12;
    std::set<std::string> contents;  // what several chips say alike is looked at once
    for (const db::ImageRuleRow& row : db::find_facts<db::ImageRuleFact>(catalog())) {
        if (!contents.insert(db::content_id(row.fact.rule)).second) continue;
        if (contents.size() % one_in != 0) continue;
        const Rule rule = rule_from_json(row.fact.rule);
        for (const Extent_px& extent : {Extent_px{1, 18, 1}, {16, 32, 1}, {100, 60, 1}, {1651, 572, 138}}) {
            ImageLayout wanted;
            wanted.format = row.fact.formats.substr(0, row.fact.formats.find(','));
            wanted.type = rule.image_type;
            wanted.extent_px = {extent[0], rule.image_type == ImageType::one_d ? 1 : extent[1],
                                rule.image_type == ImageType::three_d ? extent[2] : 1};
            wanted.levels = rule.image_type == ImageType::one_d ? 1 : 5;
            wanted.layers = rule.image_type == ImageType::three_d ? 1 : 2;
            wanted.samples = rule.samples;
            const std::optional<ImageLayout> image = predict(rule, wanted).image;
            if (!image) continue;
            predicted++;
            CAPTURE(row.device.name);
            CAPTURE(row.fact.formats);
            CHECK_NOTHROW(require_consistent(*image));
        }
    }
    CHECK(predicted > 300 / one_in);
}

TEST_CASE("a chip of every architecture has the common formats at seven sizes, marked as seen without hardware") {
    for (const char* device :
         {"NAVI10", "NAVI21", "NAVI31", "GFX1201", "NVK TU104 (0x164)", "NVK GA102 (0x172)", "NVK AD102 (0x192)",
          "NVK GB202 (0x1b2)", "Adreno (TM) 630", "Adreno (TM) 740", "Adreno (TM) 830", "Apple M1"}) {
        CAPTURE(device);
        for (const uint32_t format : probe::common_formats()) {
            CAPTURE(probe::format_name(format));
            std::set<std::array<uint32_t, 3>> extents;
            for (const db::ObservationRow& row : observations(device, probe::format_name(format))) {
                extents.insert(row.fact.extent_px);
                CHECK(row.fact.provenance == "driver without hardware");
                CHECK(row.fact.route == "host-copy");
            }
            CHECK(extents.size() >= 7);
        }
    }
}

TEST_CASE(
    "every driver that started without hardware shows common formats, compressed blocks, levels, layers and volumes") {
    std::map<std::string, std::set<std::string>> seen;
    for (const db::ObservationRow& row : db::find_observations(catalog(), {})) {
        std::set<std::string>& of = seen[row.device.name];
        if (row.fact.route != "host-copy" || row.fact.provenance != "driver without hardware") continue;
        if (row.fact.level == 7) of.insert("levels");
        if (row.fact.layer == 1) of.insert("layers");
        if (row.fact.extent_px[2] > 1) of.insert("3D");
        of.insert(row.fact.format);
    }
    size_t probed = 0;
    for (const auto& entry : seen) {
        const auto& [device, what] = entry;
        if (what.empty()) continue;
        CAPTURE(entry.first);
        ++probed;
        for (const uint32_t format : probe::common_formats()) CHECK(what.contains(probe::format_name(format)));
        CHECK(what.contains("3D"));
        // Intel's levels and layers begin within tiles, which no image layout expresses.
        const bool is_intel = device.starts_with("Intel");
        for (const char* other : {"levels", "layers"}) CHECK((is_intel || what.contains(other)));
        CHECK((what.contains("BC7_UNORM_BLOCK") || what.contains("ASTC_4x4_UNORM_BLOCK")));
    }
    CHECK(probed >= 55);
    CHECK(seen.size() >= 70);
}

TEST_CASE("lavapipe, the H100 and the H200 executed: their common formats have several routes") {
    for (const char* device : {"lavapipe", "H100", "H200"})
        for (const uint32_t format : probe::common_formats()) {
            CAPTURE(device);
            std::set<std::string> routes;
            for (const db::ObservationRow& row : observations(device, probe::format_name(format))) {
                routes.insert(row.fact.route);
                CHECK(row.fact.provenance == "hardware");
            }
            CHECK(routes.contains("alias"));
            CHECK(routes.contains("host-copy"));
        }
    const auto versions = db::find_patterns(catalog(), {.device = "lavapipe", .format = "R8_UNORM"}).at(0).devices;
    CHECK(versions.size() == 3);  // Debian 12's, 13's and that of its backports
}

TEST_CASE("the orders of lanes and of workgroups are there of GPUs that executed") {
    std::set<std::string> devices;
    for (const db::LaneOrderRow& row : db::find_facts<db::LaneOrderFact>(catalog())) devices.insert(row.device.name);
    CHECK(devices == std::set<std::string>{"NVIDIA H100 80GB HBM3", "NVIDIA H200"});
    const auto launches = db::find_facts<db::LaunchOrderFact>(catalog());
    CHECK(launches.size() == 2);
    for (const db::LaunchOrderRow& row : launches) {
        CHECK(devices.contains(row.device.name));
        CHECK(row.fact.visit == "row");
    }
}

TEST_CASE("the H100's layouts are those that another program printed on such a card") {
    std::istringstream lines(read_text(source_dir() + "/tests/data/nvidia-h100-columns.txt"));
    size_t images = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#")) continue;
        std::istringstream words(line);
        std::string word, format;
        std::map<std::string, std::vector<uint64_t>> columns;
        std::vector<uint64_t>* axis = nullptr;
        words >> word >> format;
        while (words >> word)
            if (word == "x:" || word == "y:")
                axis = &columns[word];
            else if (axis)
                axis->push_back(std::stoull(word, nullptr, 16));
        CAPTURE(format);
        REQUIRE(columns["x:"].size() == 8);
        REQUIRE(columns["y:"].size() == 8);
        const Layout layout = layout_of("H100", format, 256, 256);
        uint64_t elsewhere = 0;
        for (uint32_t y = 0; y < 256; ++y)
            for (uint32_t x = 0; x < 256; ++x) {
                uint64_t offset = 0;
                for (uint32_t bit = 0; bit < 8; ++bit)
                    offset ^= (x >> bit & 1 ? columns["x:"][bit] : 0) ^ (y >> bit & 1 ? columns["y:"][bit] : 0);
                elsewhere += offset_of(layout, {x, y}) != offset;
            }
        CHECK(elsewhere == 0);
        ++images;
    }
    CHECK(images == 4);
}

TEST_CASE("a Mali is there as another program printed it") {
    std::set<std::string> formats;
    for (const db::ObservationRow& row : observations("Mali-G610", "")) {
        formats.insert(row.fact.format);
        CHECK(row.fact.provenance == "driver without hardware");
        CHECK(row.driver.version == "unknown");
        CHECK(row.fact.reason != "");
    }
    CHECK(formats.size() == 5);
}

TEST_CASE("the published tables come out again, element by element") {
    std::string device;
    uint64_t place = 0, elements = 0;
    const std::string text = read_text(published_file);
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find_first_of(" \n", at), text.size());
        const std::string word = text.substr(at, end - at);
        const size_t line_end = std::min(text.find('\n', at), text.size());
        at = end + 1;
        if (word == "device") {
            device = text.substr(end + 1, line_end - end - 1);
            place = 0;
        }
        uint32_t x = 0, y = 0;
        if (sscanf(word.c_str(), "[%u,%u]", &x, &y) != 2) continue;
        CAPTURE(device);
        const auto found = observations(device, "R8G8B8A8_UNORM");
        REQUIRE(found.size() == 1);
        CHECK(found[0].fact.provenance == "published table");
        CHECK(found[0].fact.reason.find("Detect Image Z-curve (Vulkan only)") != std::string::npos);
        CHECK(found[0].fact.layout->stride == std::array<uint64_t, axis_count>{});  // tile order: unknown
        CHECK(offset_of(*found[0].fact.layout, {x, y}) == 4 * place++);
        ++elements;
    }
    CHECK(elements == 16 + 64 + 16 + 64);
}

TEST_CASE("published corners agree with drivers of the same hardware") {
    const auto corner_agrees = [](const Layout& published, const Layout& driver, uint32_t side) {
        for (uint32_t y = 0; y < side; ++y)
            for (uint32_t x = 0; x < side; ++x)
                if (offset_of(published, {x, y}) != offset_of(driver, {x, y})) return false;
        return true;
    };
    const std::string rgba8 = "R8G8B8A8_UNORM";
    CHECK(corner_agrees(layout_of("RTX 2080", rgba8, 8, 8), layout_of("NVK TU104", rgba8, 256, 256), 8));
    CHECK(corner_agrees(layout_of("RTX 2080", rgba8, 8, 8), layout_of("H200", rgba8, 256, 256), 8));
    CHECK(corner_agrees(layout_of("UHD 620", rgba8, 4, 4), layout_of("KBL", rgba8, 256, 256), 4));
    CHECK(!corner_agrees(layout_of("GTX 1070", rgba8, 4, 4), layout_of("NVK TU104", rgba8, 256, 256), 4));
    const Table fermi_to_volta = parse_table_csv(layout_table("nvidia_fermi-volta_bl16_32bpp"));
    CHECK(differing(layout_of("GTX 1070", rgba8, 4, 4), fermi_to_volta, 4, 4) == 0);
}

TEST_CASE("layouts of the catalog put every element where tables of other programs have it") {
    const SameAsTable cases[] = {
        {"NAVI21", "R8G8B8A8_UNORM", "amd_gfx103-navi21_64KB-R-X_32bpp", 256, 256},
        {"GFX1201", "R8G8B8A8_UNORM", "amd_gfx12-gfx1201_64KB-2D_32bpp", 256, 256},
        {"Apple M1", "R8G8B8A8_UNORM", "apple_agx_twiddled_32bpp", 256, 256},
        {"Adreno (TM) 630", "R8G8B8A8_UNORM", "qcom_a6xx_TILE6-3-4ch_32bpp", 256, 256},
        {"H200", "R8_UNORM", "nvidia_turing-ada_bl16_8bpp", 256, 256},
        {"H200", "R8G8_UNORM", "nvidia_turing-ada_bl16_16bpp", 256, 256},
        {"H200", "R8G8B8A8_UNORM", "nvidia_turing-ada_bl16_32bpp", 256, 256},
        {"H200", "R8G8B8A8_UNORM", "nvidia_turing-ada_h300w200_32bpp", 200, 300},
        {"H100", "R8_UNORM", "nvidia_turing-ada_bl16_8bpp", 256, 256},
        {"H100", "R8G8B8A8_UNORM", "nvidia_turing-ada_bl16_32bpp", 256, 256},
        // The image is twice as wide as the table, so that only the first 128 rows start alike.
        {"H200", "R16G16B16A16_SFLOAT", "nvidia_turing-ada_bl16_64bpp", 256, 256, 128, 128},
        {"H200", "R32G32B32A32_SFLOAT", "nvidia_turing-ada_bl16_128bpp", 256, 256, 128, 128},
        {"H100", "R16G16B16A16_SFLOAT", "nvidia_turing-ada_bl16_64bpp", 256, 256, 128, 128},
        {"H100", "R32G32B32A32_SFLOAT", "nvidia_turing-ada_bl16_128bpp", 256, 256, 128, 128},
        // Mesa 26.1.6 stacks 32 GOBs where the tables' version stacked 16: one column of 16 is alike.
        {"NVK TU104", "R8_UNORM", "nvidia_turing-ada_bl16_8bpp", 256, 256, 64, 128},
        {"NVK TU104", "R8G8_UNORM", "nvidia_turing-ada_bl16_16bpp", 256, 256, 32, 128},
        {"NVK TU104", "R8G8B8A8_UNORM", "nvidia_turing-ada_bl16_32bpp", 256, 256, 16, 128},
        {"NVK TU104", "R16G16B16A16_SFLOAT", "nvidia_turing-ada_bl16_64bpp", 256, 256, 8, 128},
        {"NVK TU104", "R32G32B32A32_SFLOAT", "nvidia_turing-ada_bl16_128bpp", 256, 256, 4, 128},
        {"NVK GA102", "R8G8B8A8_UNORM", "nvidia_turing-ada_bl16_32bpp", 256, 256, 16, 128},
        {"GTX 1080 (GP104)", "R8G8B8A8_UNORM", "nvidia_fermi-volta_bl16_32bpp", 256, 256},
        {"V3D 4.2", "R8G8B8A8_UNORM", "broadcom_v3d42-71_UIF-XOR_32bpp", 128, 256},
        {"V3D 7.1", "R8G8B8A8_UNORM", "broadcom_v3d42-71_UIF-XOR_32bpp", 128, 256},
        {"lavapipe", "R8G8B8A8_UNORM", "lavapipe_llvmpipe_linear-300x50_32bpp", 300, 200},
    };
    for (const SameAsTable& expected : cases) {
        CAPTURE(expected.device);
        CAPTURE(expected.table);
        const Table table = parse_table_csv(layout_table(expected.table));
        const uint32_t width = expected.compared_width ? expected.compared_width : table.extent[axis_x];
        const uint32_t height = expected.compared_height ? expected.compared_height : table.extent[axis_y];
        CHECK(differing(layout_of(expected.device, expected.format, expected.width, expected.height), table, width,
                        height) == 0);
    }
}

TEST_CASE(
    "what texts describe is said to be documented, with the text; Tegra X1 is as emulators of the Switch have it") {
    for (const char* device : {"GTX 1080 (GP104)", "Tegra X1 (GM20B)", "V3D 4.2", "V3D 7.1"})
        for (const db::ObservationRow& row : observations(device, "")) {
            CAPTURE(device);
            CHECK(row.fact.provenance == "documented");
            CHECK(row.fact.reason != "");
        }
    const Layout layout = layout_of("Tegra X1 (GM20B)", "R8_UNORM", 256, 256);
    uint64_t elsewhere = 0;
    for (uint32_t y = 0; y < 256; ++y)
        for (uint32_t x = 0; x < 256; ++x) {
            const uint32_t gob = x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
            elsewhere += offset_of(layout, {x, y}) != gob + y % 128 / 8 * 512 + (x / 64 + y / 128 * 4) * 8192;
        }
    CHECK(elsewhere == 0);
}

TEST_CASE("images of another size than the tables' have the tables' pattern: TileY0, Tile4, Mali") {
    const auto id_of_table = [](const char* name) {
        return pattern_id(solve(parse_table_csv(layout_table(name))).layout.pattern);
    };
    const auto id_of = [](const char* device) {
        return pattern_id(layout_of(device, "R8G8B8A8_UNORM", 256, 256).pattern);
    };
    for (const char* device : {"SKL", "KBL", "ICL", "TGL", "ADL"})
        CHECK(id_of(device) == id_of_table("intel_gen6-gen12_TileY0_32bpp"));
    for (const char* device : {"DG2", "MTL", "LNL", "BMG"})
        CHECK(id_of(device) == id_of_table("intel_gen125plus_Tile4_32bpp"));
    CHECK(id_of("Mali-G610") == id_of_table("mali_utgard-valhall_u-interleaved_32bpp"));
}

TEST_CASE("a database of an earlier version answers with this version's catalog, or says that it does not have it") {
    const Folder folder;
    const std::string own = folder / "tilewise/tilewise.db", given = folder / "given.db";
    {
        const db::Database database = db::open_database(own, db::Access::read_write);
        db::execute(database.sqlite, "UPDATE meta SET value = 'another' WHERE key = 'catalog'; DELETE FROM rule");
    }
    std::filesystem::copy_file(own, given);
    const auto asked = [&](const Command& more) {
        Command command = {"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=" + folder.path.string()};
        const Command program =
            tilewise::tilewise(more + Command{"--json", "layout", "--gpu", "gfx1201", "--format", "BC1_RGBA_SRGB_BLOCK",
                                              "--extent", "988x217x324", "--levels", "7"});
        command.insert(command.end(), program.begin(), program.end());
        return run(command);
    };
    const Ended answered = asked({});
    CHECK(answered.err == "");
    CHECK(parse(answered).at("source") == "predicted");
    CHECK(parse(answered).at("bytes") == 84934656);  // as RADV has it
    const Ended stale = asked({"--db", given});
    CHECK(stale.err.starts_with(given + ": has the catalog of another version of tilewise"));
    CHECK(asked({"--db", given, "--quiet"}).err.find("another version") == std::string::npos);
}

TEST_CASE("a machine without a database is served from the catalog") {
    const Folder folder;
    const auto without_database = [&](const Command& arguments) {
        Command command = {"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=" + folder.path.string()};
        const Command program = tilewise::tilewise(arguments);
        command.insert(command.end(), program.begin(), program.end());
        return run(command);
    };
    const Ended by_name = without_database({"query", "--device", "RTX 2080"});
    CHECK(by_name.code == 0);
    CHECK(by_name.out.find("8x8 tile of 256 bytes") != std::string::npos);
    CHECK(by_name.err.find("shipped catalog") != std::string::npos);
    CHECK(without_database({"query", "--vendor", "Apple"}).out.find("Apple M1") != std::string::npos);
    const nlohmann::json amd = parse(without_database({"query", "--vendor", "AMD", "--json"}));
    for (const auto& pattern : amd.at("patterns"))
        for (const auto& use : pattern.at("devices")) CHECK(use.at("device").at("vendor") == "AMD");

    const Ended by_format = without_database({"query", "--format", "R8G8B8A8_UNORM"});
    const size_t shared = by_format.out.find("shared by several chips");
    REQUIRE(shared != std::string::npos);
    CHECK(by_format.out.find("GH100, ", shared) != std::string::npos);

    const Ended show = without_database({"show", "--device", "RX 570"});
    CHECK(show.code == 0);
    CHECK(show.out.find("[0,0] [1,0] [2,0] [3,0] [0,1] [1,1] [2,1] [3,1]\n"
                        "[4,0] [5,0] [6,0] [7,0] [4,1] [5,1] [6,1] [7,1]\n") != std::string::npos);
    CHECK(show.out.find("published table: the readme of \"Detect Image Z-curve (Vulkan only)\"") != std::string::npos);
    CHECK(std::filesystem::is_empty(folder.path));
}
