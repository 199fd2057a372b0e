// --gpu in the commands: what was probed answers, what is of the same architecture is assumed aloud, all else is
// refused with names that are like it.
#include "db/facts/pattern_mode.h"
#include "db/sqlite/open.h"
#include "patterns/model/error.h"
#include "patterns/model/mode_words.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/find_image.h"
#include <doctest/doctest.h>
#include <random>
#include <set>
#include <sstream>

using namespace tilewise;

namespace {

/// A new database, which holds the catalog.
struct Catalog : Folder {
    Ended ask(Command command) const {
        command.insert(command.begin(), {"--quiet", "--db", *this / "new.db"});
        return run(tilewise::tilewise(command));
    }
    Catalog() { db::open_database(*this / "new.db", db::Access::read_write); }
};

}  // namespace

TEST_CASE("most names that people type have an answer in the catalog, the others say whose chips there are") {
    const db::Database catalog = db::open_catalog();
    std::istringstream lines(read_text(source_dir() + "/tests/data/gpu_names.txt"));
    size_t probed = 0, assumed = 0, none = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::string name = line.substr(0, line.find(" | "));
        CAPTURE(name);
        try {
            const FoundGpu found = find_gpu(catalog, asked_gpu(name), GpuAnswer::one_chip);
            CHECK(!found.devices.empty());
            (found.assumed.empty() ? probed : assumed)++;
        } catch (const Error& error) {
            CHECK(std::string(error.what()).find("nobody has probed a chip of that architecture") != std::string::npos);
            none++;
        }
    }
    MESSAGE(probed << " probed, " << assumed << " assumed, " << none << " without an answer");
    CHECK((probed + assumed) * 100 > (probed + assumed + none) * 93);
}

TEST_CASE("of names drawn by lot most have an answer, and the others an error that says what to do") {
    const db::Database catalog = db::open_catalog();
    std::istringstream lines(read_text(source_dir() + "/tests/data/gpu_names_drawn.txt"));
    size_t names = 0, answered = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::string name = line.substr(0, line.find(" | "));
        CAPTURE(name);
        names++;
        try {
            const FoundGpu found = find_gpu(catalog, asked_gpu(name), GpuAnswer::one_chip);
            REQUIRE(found.named);
            // Another chip than the named one is said to be.
            if (found.rests_on != found.named->chip.name) CHECK(found.assumed != "");
            answered++;
        } catch (const Error& error) {
            const std::string why = error.what();
            const auto says = [&](const char* text) { return why.find(text) != std::string::npos; };
            CHECK((says("nobody has probed a chip of that architecture") || says("chips of several architectures") ||
                   says("the most similar names") || says("nor by a similar one")));
        }
    }
    MESSAGE(answered << " of " << names << " answered");
    CHECK(answered * 100 > names * 83);
}

TEST_CASE("a word that says too little is not taken for the one device that has it in its name without a word") {
    const db::Database catalog = db::open_catalog();
    for (const char* name : {"RTX", "Mali", "740"}) {
        CAPTURE(name);
        const FoundGpu found = find_gpu(catalog, asked_gpu(name), GpuAnswer::one_chip);
        CHECK(found.names.size() == 1);
        CHECK(found.assumed.starts_with(std::string(name) + " is only part of a GPU's name: this is "));
    }
    // What they have in common may be nothing.
    for (const std::string name : {"NVK", "AMD Radeon(TM) Graphics", "Radeon Graphics", "AMD", "Intel"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(find_gpu(catalog, asked_gpu(name), GpuAnswer::one_chip), Error);
        CHECK_THROWS_AS(find_gpu(catalog, asked_gpu(name), GpuAnswer::one_chip_if_any), Error);
        CHECK(find_gpu(catalog, asked_gpu(name), GpuAnswer::all).names.size() > 1);
    }
    CHECK(find_gpu(catalog, asked_gpu("lavapipe"), GpuAnswer::one_chip).assumed == "");
    CHECK_THROWS_AS(find_gpu(catalog, asked_gpu("Arc GPU of mine"), GpuAnswer::one_chip), Error);
}

TEST_CASE("what was left out of a name to find it is said") {
    const db::Database catalog = db::open_catalog();
    CHECK(find_gpu(catalog, asked_gpu("Quadro RTX 6000 Laptop"), GpuAnswer::one_chip).assumed ==
          "Quadro RTX 6000 Laptop has the chip TU102 (Turing), if it has that of the Quadro RTX 6000; this is that of "
          "TU102 "
          "(Turing), as seen on NVK TU102 (0x162)");
}

TEST_CASE("a device of that very name goes before others with its chip") {
    const db::Database catalog = db::open_catalog();
    CHECK(find_gpu(catalog, asked_gpu("H100"), GpuAnswer::one_chip).names ==
          std::vector<std::string>{"NVIDIA H100 80GB HBM3"});
    CHECK(find_gpu(catalog, asked_gpu("H200"), GpuAnswer::one_chip).names == std::vector<std::string>{"NVIDIA H200"});
    const FoundGpu chip = find_gpu(catalog, asked_gpu("GH100"), GpuAnswer::one_chip);
    CHECK(chip.names.size() == 2);
    CHECK(chip.assumed == "");
}

TEST_CASE("a published table and what a driver gave for the chip are one product's evidence; the larger one decides") {
    const db::Database catalog = db::open_catalog();
    CHECK(find_gpu(catalog, asked_gpu("RTX 2080"), GpuAnswer::all).names ==
          std::vector<std::string>{"NVK TU104 (0x164)", "RTX 2080"});
    CHECK(find_gpu(catalog, asked_gpu("RTX 2080"), GpuAnswer::one_chip).names ==
          std::vector<std::string>{"NVK TU104 (0x164)"});
    CHECK(find_gpu(catalog, asked_gpu("RX 570"), GpuAnswer::one_chip).names ==
          std::vector<std::string>{"AMD Radeon RX 580 Series (RADV POLARIS10)"});
}

TEST_CASE(
    "a chip that nobody probed is assumed to be like the nearest of its architecture, and said so whatever the "
    "options") {
    const Catalog catalog;
    const Command image = {"--format", "R8G8B8A8_UNORM", "--extent", "300x200"};
    const auto with = [&](Command command, const char* gpu) {
        command.insert(command.end(), {"--gpu", gpu});
        command.insert(command.end(), image.begin(), image.end());
        return catalog.ask(command);
    };
    const std::string assumed =
        "Assumed: Xbox Series X has the chip Scarlett (RDNA2), which nobody has probed; this is that of Raphael "
        "(RDNA2), as "
        "seen on AMD Radeon Graphics (RADV RAPHAEL_MENDOCINO).\n";
    // Eight chips of RDNA2 were.
    const std::string odds = "Assumed: of 28 pairs of chips of RDNA2 that were probed, ";
    CHECK(with({"--json", "layout"}, "Xbox Series X").code == 1);
    const Ended layout = with({"--json", "layout", "--assume"}, "Xbox Series X");
    CHECK(layout.code == 0);
    CHECK(layout.err.starts_with(assumed + odds));
    CHECK(parse(layout)["source"] == "assumed");
    CHECK(parse(layout)["evidence"].get<std::string>().find("Scarlett") != std::string::npos);
    const Ended snippet = with({"snippet", "--lang", "glsl"}, "Xbox Series X");
    CHECK(snippet.err.starts_with(assumed));
    CHECK(snippet.out.find("// assumed: Xbox Series X has the chip Scarlett") != std::string::npos);

    write_text(catalog / "rows", std::string(300 * 200 * 4, 'x'));
    const Ended tile = with({"tile", catalog / "rows", catalog / "out"}, "Xbox Series X");
    CHECK(tile.code == 1);
    CHECK(is_one_complaint(tile.err));
    CHECK(tile.err.find("Scarlett") != std::string::npos);
    CHECK(!std::filesystem::exists(catalog / "out"));
    CHECK(
        with({"tile", catalog / "rows", catalog / "out", "--assume"}, "Xbox Series X").err.starts_with(assumed + odds));
    // The chip itself was probed: nothing is assumed.
    CHECK(with({"tile", catalog / "rows", catalog / "out"}, "RX 6900 XT").err == "");
    CHECK(parse(with({"--json", "layout"}, "RX 6900 XT"))["source"] == "probed");
}

TEST_CASE("an architecture that nobody probed has the layouts of its relative where a text says why, and else none") {
    const db::Database catalog = db::open_catalog();
    const auto assumed = [&](const char* name) {
        return find_gpu(catalog, asked_gpu(name), GpuAnswer::one_chip).assumed;
    };
    CHECK(assumed("M3 Max") ==
          "M3 Max is of the architecture G15, and nobody has probed a chip of that architecture; this is that of M1 "
          "(G13), as seen on Apple M1 (G13G A0), because drm_fourcc.h describes one layout of Apple's GPUs "
          "(APPLE_GPU_TILED); no open driver has shown it on this one");
    CHECK(assumed("Titan V").find("that of GP104 (Pascal), as texts describe it: GeForce GTX 1080 (GP104), because "
                                  "Mesa's nil") != std::string::npos);
    CHECK(assumed("Nintendo Switch") ==
          "Nintendo Switch has the chip GM20B (Maxwell (Tegra)); nobody has read it: this is how public texts "
          "describe Tegra X1 (GM20B)");
    CHECK(find_gpu(catalog, asked_gpu("Titan V"), GpuAnswer::one_chip).rests_on == "GP104");
    for (const char* name : {"MI300X", "R9 390", "Pixel 10", "MTT S80"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(find_gpu(catalog, asked_gpu(name), GpuAnswer::one_chip), Error);
    }
}

TEST_CASE("which of several chips it is matters only if they are not known to lay images out alike") {
    const db::Database catalog = db::open_catalog();
    const auto found = [&](const char* name) { return find_gpu(catalog, asked_gpu(name), GpuAnswer::one_chip); };
    const FoundGpu card = found("RTX 3060");
    CHECK(card.assumed == "");
    CHECK(card.rests_on == "GA106");
    CHECK(card.said == "RTX 3060 has the chip GA106 (Ampere), or GA104, which lays images out alike");
    CHECK(to_json(card)["other_chips"] == std::vector<std::string>{"GA104"});
    CHECK(to_json(card)["source"] == "probed");
    // A device has the name, and others have it, too.
    CHECK(found("Iris Xe Graphics").assumed == "");
    CHECK(found("Iris Xe Graphics").said.find("Tiger Lake (Xe-LP), or Alder Lake or Raptor Lake or DG1, which") !=
          std::string::npos);
    CHECK(found("10de:2487").said == "10de:2487 has the chip GA104 (Ampere)");
    CHECK(found("Radeon 740M").assumed.find("Phoenix2 (RDNA3), or Phoenix") != std::string::npos);
}

TEST_CASE("chips that texts describe as alike were read alike, wherever two of them were") {
    const db::Database catalog = db::open_catalog();
    const std::vector<db::ListedDevice> devices = db::list_devices(catalog);
    size_t pairs = 0;
    for (const db::ListedDevice& one : devices)
        for (const db::ListedDevice& other : devices) {
            if (one.row >= other.row || one.published_only || other.published_only) continue;
            const auto a = db::gpu_of_device(one.fact), b = db::gpu_of_device(other.fact);
            if (!a || !b || a->chip == b->chip || !db::are_alike(a->chip, b->chip)) continue;
            CAPTURE(one.fact.name);
            CAPTURE(other.fact.name);
            for (const char* driver : {"26.2", "anv"})
                for (const Extent_px extent : {Extent_px{300, 200, 1}, Extent_px{256, 256, 1}}) {
                    const auto ids = [&](int64_t row) {
                        std::set<std::string> all;
                        const db::Filter filter = {.driver = driver,
                                                   .format = "R8G8B8A8_UNORM",
                                                   .extent = extent,
                                                   .devices = std::vector<int64_t>{row}};
                        for (const db::PatternSummary& pattern : db::find_patterns(catalog, filter))
                            all.insert(pattern.id);
                        return all;
                    };
                    const std::set<std::string> of_one = ids(one.row), of_other = ids(other.row);
                    if (of_one.empty() || of_other.empty()) continue;
                    CHECK(of_one == of_other);
                    pairs++;
                }
        }
    CHECK(pairs > 30);
}

TEST_CASE(
    "a version that lays images out differently by the driver's source is refused, and doubted where nobody looked") {
    const db::Database catalog = db::open_catalog();
    const auto asked = [&](const char* gpu, const char* driver) {
        Question question;
        question.gpu = asked_gpu(gpu);
        question.driver = driver;
        return ask(catalog, question).gpu->assumed;
    };
    // Mesa 25.0.7's ac_surface.c: RGBA8 at 1920x1080 in blocks of 256 KiB is 10485760 bytes, and 26.1.6's is 8847360.
    for (const char* gpu : {"navi31", "RX 7900 XTX", "RX 7600", "gfx1201"})
        for (const char* driver : {"Mesa 25.0.7", "radv Mesa 24.3.1", "Mesa 25.0.7-2"}) {
            CAPTURE(gpu);
            CAPTURE(driver);
            CHECK_THROWS_WITH_AS(asked(gpu, driver), doctest::Contains("blocks of up to 256 KiB"), Error);
        }
    CHECK(asked("navi31", "Mesa 25.3.1").find("and it may differ: RADV of Mesa 25.0") != std::string::npos);
    // Newer versions, and chips without memory of their own: what was said before.
    CHECK(asked("navi31", "Mesa 27.0").ends_with("the newest before it that was probed"));
    for (const char* gpu : {"Radeon 780M", "RX 6800 XT"}) {
        CAPTURE(gpu);
        CHECK(asked(gpu, "Mesa 25.0.7").ends_with("the oldest that was probed"));
    }
    CHECK(asked("navi31", "Mesa 26.1.6") == "");
}

TEST_CASE("query says which chip a name means and how that is known") {
    const Catalog catalog;
    const auto gpu_of = [&](const char* name) {
        const Ended ended = catalog.ask({"--json", "query", "--gpu", name});
        CAPTURE(ended.err);
        return parse(ended)["gpu"];
    };
    CHECK(gpu_of("10de:1e82")["chip"] == "TU104");
    CHECK(gpu_of("10de:1e82")["named_by"] == "pci.ids 10de:1e82");
    CHECK(gpu_of("10de:1e82")["source"] == "probed");
    CHECK(gpu_of("Steam Deck")["chip"] == "Van Gogh");
    CHECK(gpu_of("RDNA2")["architecture"] == "RDNA2");
    CHECK(gpu_of("RDNA2")["source"] == "probed");
    CHECK(catalog.ask({"query", "--gpu", "RTX 2080"})
              .out.starts_with(
                  "RTX 2080: TU104, Turing, by products.txt: NVIDIA: Turing architecture white paper; probed\n"));
    // --device is part of a device's name, and where it is not, a name like any other.
    CHECK(catalog.ask({"query", "--device", "RX 6800 XT"}).out.find("NAVI21") != std::string::npos);
}

TEST_CASE("names that nobody has are one line, with those that are like them, whatever is in them") {
    const Catalog catalog;
    const auto complaint = [&](const std::string& name) {
        const Ended ended = catalog.ask({"query", "--gpu", name});
        CHECK(ended.code == 1);
        CHECK(is_one_complaint(ended.err));
        return ended.err;
    };
    CHECK(complaint("RTX 4099").find("GeForce RTX 4090") != std::string::npos);
    CHECK(complaint("Radeon\x1b[31m\n\xe2\x80\xae"
                    "fake")
              .find('\x1b') == std::string::npos);
    CHECK(complaint(std::string(100000, 'Z')).size() < 400);
    // GeForces are called so.
    CHECK(complaint("AMD Radeon 940M").find("is not the name of a GPU; without the vendor it is that of GM10") !=
          std::string::npos);
    CHECK(complaint("MI300X").find(
              "has the chip Aqua Vanjaram (CDNA3), and nobody has probed a chip of that architecture") !=
          std::string::npos);
}

TEST_CASE("a mode is called by its name, its modifier and their words, and not by a part of one") {
    const Mode block_linear = {"NVIDIA block-linear (Turing and later)", "16 GOBs high",
                               "NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,4)"};
    for (const char* name : {"BLOCK_LINEAR", "block_linear", "NVIDIA_BLOCK_LINEAR_2D", "block-linear", "NVIDIA",
                             "Turing", "NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,4)", "16 GOBs high"})
        CHECK(is_called(block_linear, name));
    for (const char* name : {"LINEAR", "linear", "2D", "LINEAR_2D", "BLOCK_LIN", "6 GOBs", "tile4"})
        CHECK(!is_called(block_linear, name));
    CHECK(is_called({"rows in scan order", "", "LINEAR"}, "linear"));
    CHECK(is_called({"AMD 64KB_S_X", "", ""}, "64KB"));
    CHECK(!is_called({"AMD 64KB_S_X", "", ""}, "64KB_S"));
    CHECK(!is_called({"AMD 64KB_S_X", "", ""}, "4KB_S_X"));
    CHECK(is_called({"Intel Tile4", "", "I915_FORMAT_MOD_4_TILED"}, "4_TILED"));
    const db::Database catalog = db::open_catalog();
    for (const auto& [id, mode] : db::modes_of_patterns(catalog)) {
        const std::string whole_name = full_name(mode);
        CAPTURE(whole_name);
        CHECK(is_called(mode, mode.name));
        CHECK(is_called(mode, mode.modifier));
        if (mode.modifier != "LINEAR") CHECK(!is_called(mode, "LINEAR"));
    }
}

TEST_CASE("images of every chip, drawn by lot: each has the mode that was asked for, or there is no answer") {
    const db::Database catalog = db::open_catalog();
    std::mt19937 random(7);
    const auto one_of = [&](const auto& all) { return all[random() % std::size(all)]; };
    const std::vector<std::string> gpus = {"navi10",     "navi21",     "navi31",    "gfx1201", "TU104", "H100",
                                           "Adreno 740", "Adreno 630", "Mali-G610", "M1",      "DG2",   "polaris10"};
    const std::vector<std::string> formats = {"R8_UNORM", "R8G8B8A8_UNORM", "R16G16B16A16_SFLOAT"};
    const std::vector<std::string> modes = {"64KB_R_X", "4KB_S_X",      "64KB_S", "LINEAR",       "BLOCK_LINEAR",
                                            "TILE6_3",  "256KB_R_X",    "Tile4",  "TileY0",       "APPLE_GPU_TILED",
                                            "Z-order",  "16 GOBs high", "64KB",   "u-interleaved"};
    size_t answered = 0, refused = 0;
    for (int i = 0; i < (soaking() ? 300 : 120); i++) {
        ImageQuestion question;
        question.about.gpu = asked_gpu(one_of(gpus));
        question.about.format = asked_format(one_of(formats));
        question.about.mode = one_of(modes);
        const auto side = [&] { return static_cast<uint32_t>(1 + random() % 700); };
        question.about.extent = Extent_px{side(), side(), 1};
        if (random() % 4 == 0) question.levels = 2;
        CAPTURE(question.about.gpu.said);
        CAPTURE(question.about.mode);
        CAPTURE(question.about.format.name);
        const Answer<FoundImage> answer = find_image(question, catalog);
        if (const auto* found = std::get_if<FoundImage>(&answer)) {
            CHECK(is_called(mode_of(found->image.subresources.front().layout.pattern), question.about.mode));
            answered++;
        } else {
            refused++;
        }
    }
    CHECK(answered > 6);
    CHECK(refused > 8);
}

TEST_CASE("a constant that is given leaves a predicted image predicted") {
    const db::Database catalog = db::open_catalog();
    ImageQuestion question;
    question.about.gpu = asked_gpu("navi21");
    question.about.format = asked_format("R8G8B8A8_UNORM");
    question.about.extent = Extent_px{1111, 777, 1};
    const FoundImage plain = or_throw(find_image(question, catalog));
    question.strides.constant = 0x100;
    const FoundImage moved = or_throw(find_image(question, catalog));
    CHECK(plain.image.source == LayoutSource::predicted);
    CHECK(moved.image.source == LayoutSource::predicted);
    Layout expected = plain.image.subresources.front().layout;
    expected.constant = 0x100;
    CHECK(moved.image.subresources.front().layout == expected);
}

TEST_CASE("commands that read answer from the catalog where the file of --db is not there yet") {
    const Folder folder;
    for (const Command& command : std::vector<Command>{
             {"query", "--gpu", "navi21", "--format", "R8G8B8A8_UNORM"},
             {"show", "--gpu", "TU104", "--format", "R8G8B8A8_UNORM", "--extent", "256x256"},
             {"layout", "--gpu", "navi21", "--format", "R8G8B8A8_UNORM", "--extent", "300x200"},
             {"advise", "--gpu", "H100", "--format", "R8G8B8A8_UNORM"},
             {"snippet", "--gpu", "TU104", "--format", "R8G8B8A8_UNORM", "--extent", "256x256", "--lang", "glsl"}}) {
        const Ended ended = run(tilewise::tilewise(Command{"--db", folder / "none.db"} + command));
        CAPTURE(ended.err);
        CHECK(ended.code == 0);
        CHECK(ended.err.find("answering from the shipped catalog") != std::string::npos);
        CHECK(!std::filesystem::exists(folder / "none.db"));
    }
}
