// Names that people type and drivers print: which chip they mean, by lists that others keep and by ours.
#include "db/names/lists.h"
#include "db/names/names.h"
#include "db/names/product_index.h"
#include "db/names/read_products.h"
#include "db/names/words.h"
#include "patterns/model/text.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <sstream>

using namespace tilewise;
using namespace tilewise::db;

namespace {

std::string chip_of(std::string_view text) {
    const auto named = gpu_named(text);
    return named ? named->chip.name : "none";
}

std::string device_chip(const std::string& name, uint32_t vendor = 0, uint32_t device = 0) {
    const auto named = gpu_of_device({.vendor_id = vendor, .device_id = device, .name = name});
    return named ? named->chip.name : "none";
}

std::vector<std::string> list_lines(const std::string& list) {
    for (const NameList& file : embedded_names()) {
        if (file.name != list) continue;
        std::vector<std::string> lines;
        std::istringstream text{std::string(file.text)};
        for (std::string line; std::getline(text, line);)
            if (!line.empty() && line[0] != '#') lines.push_back(line);
        return lines;
    }
    return {};
}

}  // namespace

TEST_CASE("the build's index of products says what the lists say, product by product") {
    const Products products = read_products();
    const auto same = [](const std::vector<db::Candidate>& a, const std::vector<db::Candidate>& b) {
        return std::ranges::equal(a, b, [](const db::Candidate& x, const db::Candidate& y) {
            return x.chip == y.chip && x.weight == y.weight && x.product == y.product && x.list == y.list;
        });
    };
    CHECK(products.by_words.size() > 2000);
    for (const auto& of_words : products.by_words) {
        const std::string& words = of_words.first;
        const std::vector<db::Candidate>& candidates = of_words.second;
        CAPTURE(words);
        CHECK(same(candidates_of_words(words), candidates));
        CHECK(candidates_of_words(words + " ").empty());
        CHECK(candidates_of_words(words.substr(0, words.size() - 1)).empty() !=
              products.by_words.contains(words.substr(0, words.size() - 1)));
    }
    for (const auto& of_id : products.devices) {
        const std::string& id = of_id.first;
        CAPTURE(id);
        CHECK(same({candidate_of_id(id).value()}, {of_id.second}));
    }
    CHECK(candidates_of_words("").empty());
    CHECK(candidates_of_words("zzzz").empty());
    size_t groups = 0;
    each_product([&](std::string_view words, std::string_view lines) {
        groups++;
        CHECK(same(candidates_in(lines), products.by_words.at(std::string(words))));
    });
    CHECK(groups == products.by_words.size());
}

TEST_CASE("over 370 names of GPUs that people type mean their chips") {
    std::istringstream lines(read_text(source_dir() + "/tests/data/gpu_names.txt"));
    size_t names = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#') continue;
        const size_t bar = line.find(" | ");
        const std::string name = line.substr(0, bar);
        CAPTURE(name);
        CHECK(chip_of(name) == line.substr(bar + 3));
        names++;
    }
    CHECK(names > 370);
}

TEST_CASE("names drawn by lot from public lists mean the chip and the architecture that these lists say, or none") {
    std::istringstream lines(read_text(source_dir() + "/tests/data/gpu_names_drawn.txt"));
    size_t names = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#') continue;
        const size_t first = line.find(" | "), second = line.find(" | ", first + 3),
                     third = line.find(" | ", second + 3);
        const std::string name = line.substr(0, first);
        CAPTURE(name);
        const auto named = gpu_named(name);
        CHECK((named ? named->chip.name : "none") == line.substr(first + 3, second - first - 3));
        CHECK((named ? named->chip.architecture : "none") == line.substr(second + 3, third - second - 3));
        names++;
    }
    CHECK(names > 600);
}

TEST_CASE("a name that two makers use is none until the maker is said") {
    CHECK(chip_of("A16") == "none");
    CHECK(meanings_of("A16").size() == 2);
    CHECK(chip_of("NVIDIA A16") == "GA107");
    CHECK(chip_of("A16 PCIe") == "none");
    CHECK(chip_of("A16 Bionic") == "Apple A16");
    CHECK(chip_of("Apple A16 GPU") == "Apple A16");
    CHECK(chip_of("740") == "none");  // GeForce GT 740, Adreno 740
    CHECK(meanings_of("UHD Graphics").size() > 2);
    for (const char* several : {"Legion Go S", "Framework 16", "Framework Laptop 16", "UHD Graphics", "Galaxy S24",
                                "Samsung Galaxy S22 Ultra", "galaxy s21", "Galaxy Note20"}) {
        CAPTURE(several);
        CHECK(chip_of(several) == "none");
        std::set<std::string> architectures;
        for (const Chip& chip : meanings_of(several)) architectures.insert(chip.architecture);
        CHECK(architectures.size() > 1);
    }
    // Samsung sells them with a chip of its own in one region, and with Qualcomm's in another.
    CHECK(chip_of("Galaxy S24 Exynos") == "Xclipse 940");
    CHECK(chip_of("Galaxy S24+ Snapdragon") == "Adreno 750");
    CHECK(meanings_of("RTX 4099").empty());
}

TEST_CASE("a name is not that of a longer one, nor with a letter more") {
    CHECK(chip_of("Ryzen Z2") == "Phoenix");
    CHECK(chip_of("Ryzen Z2 Go") == "Rembrandt");
    CHECK(chip_of("Galaxy S24 FE") == "Xclipse 940");
    for (const char* name :
         {"Galaxy S24", "Samsung Galaxy S24", "Galaxy S23 FE", "Pixel 10b", "Xiaomi 13T", "RTX 4070 Ti XT"})
        CHECK(chip_of(name) == "none");
    CHECK(chip_of("RTX 4090 FE") == "AD102");
    CHECK(chip_of("RTX PRO 5000") == "GB202");
}

TEST_CASE("a part for laptops is found wherever the word stands, and taken for the other one aloud") {
    for (const char* name : {"RTX 4000 Ada Laptop GPU", "rtx 4000 laptop ada", "RTX 4000 Mobile Ada Generation"})
        CHECK(chip_of(name) == "AD104");
    CHECK(!gpu_named("RTX 4090 Laptop")->nearly);
    CHECK(gpu_named("RTX 4090 Laptop")->chip.name == "AD103");
    CHECK(gpu_named("Quadro P5200 Max-Q")->nearly);
    CHECK(gpu_named("Quadro P5200 Max-Q")->product == "Quadro P5200 Mobile");
    CHECK(gpu_named("UHD Graphics 620 Mobile")->nearly);
    CHECK(gpu_named("UHD Graphics 620 Mobile")->chip.name == "Kaby Lake");
}

TEST_CASE("what drivers, layers and shared cards put around a name is left out") {
    CHECK(device_chip("V3D 7.1.7.0") == "V3D 7.1");
    CHECK(chip_of("V3D 7.1.10.2") == "V3D 7.1");
    CHECK(chip_of("NVIDIA Tegra Orin (nvgpu)") == "GA10B");
    CHECK(chip_of("NVIDIA Tegra Orin (nvgpu)/integrated") == "GA10B");
    CHECK(chip_of("NVIDIA Tegra Xavier (nvgpu)/integrated") == "GV11B");
    CHECK(chip_of("NVIDIA Thor") == "GB10B");
    CHECK(chip_of("AMD Thor") == "none");
    CHECK(chip_of("Mali-G610 (Panfrost)") == "Mali-G610");
    CHECK(chip_of("Mali-G610 r0p0") == "Mali-G610");
    for (const char* layer : {"Microsoft Direct3D12 (NVIDIA GeForce RTX 3060)", "D3D12 (NVIDIA GeForce RTX 3060)",
                              "Virtio-GPU Venus (NVIDIA GeForce RTX 3060)",
                              "zink Vulkan 1.3(NVIDIA GeForce RTX 3060 (NVIDIA_PROPRIETARY))"})
        CHECK(chip_of(layer) == "GA106");
    CHECK(chip_of("GRID T4-16Q") == "TU104");
    CHECK(chip_of("NVIDIA L40S-48Q") == "AD102");
    CHECK(chip_of("NVIDIA A100-SXM4-80GB MIG 1g.10gb") == "GA100");
    CHECK(chip_of("480GB") == "none");
    CHECK(chip_of("ROG Strix RTX 3080") == "GA102");
    CHECK(chip_of("EVGA GeForce RTX 3080 FTW3 Ultra Gaming") == "GA102");
    CHECK(chip_of("Poco F5") == "Adreno 725");
    CHECK(chip_of("MI355X") == "gfx950");
    CHECK(chip_of("powercolor red devil rx 7900 xtx") == "Navi 31");
    CHECK(chip_of("Gigabyte Aorus RTX 4090 Master") == "AD102");
    for (const auto& [name, chip] : {std::pair{"MSI GeForce RTX 3060 VENTUS 2X 12G OC", "GA106"},
                                     {"Gigabyte GeForce RTX 4070 SUPER WINDFORCE OC 12G", "AD104"},
                                     {"ZOTAC GAMING GeForce RTX 5090 SOLID", "GB202"},
                                     {"XFX Speedster MERC 310 Radeon RX 7900 XTX", "Navi 31"},
                                     {"ASRock Challenger Arc B580 12GB OC", "Battlemage"},
                                     {"PNY GeForce RTX 4070 Ti VERTO", "AD104"},
                                     {"Palit GeForce RTX 4090 GameRock", "AD102"}})
        CHECK_MESSAGE(chip_of(name) == chip, name);
    CHECK(chip_of("VENTUS 2X") == "none");
    CHECK(chip_of("ROG Strix") == "none");
    CHECK(chip_of("Strix") == "Strix");
}

TEST_CASE("computers and abbreviations") {
    CHECK(chip_of("Nitro+ RX 7900 XTX") == "Navi 31");
    CHECK(chip_of("Sapphire Nitro+ RX 7900 XTX") == "Navi 31");
    CHECK(chip_of("MacBook Pro 14 M3 Pro") == "M3 Pro");
    CHECK(chip_of("iPad Pro 11 inch M4") == "M4");
    CHECK(chip_of("Mac Pro M2 Ultra") == "M2 Ultra");
    CHECK(chip_of("MacBook Pro T4") == "none");
    CHECK(chip_of("SD 710") == "Adreno 616");
    CHECK(chip_of("rpi 5") == "V3D 7.1");
    CHECK(chip_of("Iris Xe 96EU") == "Tiger Lake");
    CHECK(chip_of("Mali-G720-Immortalis MC12") == "Mali-G720");
}

TEST_CASE("a line of lspci means the chip that stands before the product, which several chips may have") {
    for (const auto& [line, chip] : std::map<std::string, std::string>{
             {"00:02.0 VGA compatible controller: Intel Corporation Alder Lake-P GT2 [Iris Xe Graphics] (rev 0c)",
              "Alder Lake"},
             {"00:02.0 VGA compatible controller: Intel Corporation Raptor Lake-P [Iris Xe Graphics] (rev 04)",
              "Raptor Lake"},
             {"00:02.0 VGA compatible controller: Intel Corporation TigerLake-LP GT2 [Iris Xe Graphics] (rev 01)",
              "Tiger Lake"},
             {"00:02.0 VGA compatible controller: Intel Corporation TigerLake-H GT1 [UHD Graphics] (rev 01)",
              "Tiger Lake"},
             {"00:02.0 VGA compatible controller: Intel Corporation Alder Lake-N [UHD Graphics]", "Alder Lake"},
             {"00:02.0 VGA compatible controller: Intel Corporation UHD Graphics 620 (rev 07)", "Kaby Lake"},
             {"00:02.0 VGA compatible controller: Intel Corporation HD Graphics 530 (rev 06)", "Skylake"},
             {"00:02.0 VGA compatible controller: Intel Corporation Iris Plus Graphics G7 (rev 07)", "Ice Lake"},
             {"06:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Raphael (rev c1)", "Raphael"},
             {"65:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Phoenix1 (rev 05)", "Phoenix"},
             {"c4:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] HawkPoint1 (rev c8)",
              "Phoenix"},
             {"03:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900 "
              "XT/7900 XTX/7900 GRE/7900M] (rev c8)",
              "Navi 31"},
             {"01:00.0 VGA compatible controller: NVIDIA Corporation TU117M [GeForce GTX 1650 Mobile / Max-Q] (rev a1)",
              "TU117"},
             {"01:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)", "GH100"},
             {"NVIDIA Corporation AD102 [GeForce RTX 4090]", "AD102"}}) {
        CAPTURE(line);
        CHECK(chip_of(line) == chip);
    }
}

TEST_CASE("another maker's name before a chip is none of that chip") {
    for (const char* name : {"Intel M3", "AMD Radeon M3", "Intel M5", "Samsung 17 Pro Max", "Xiaomi 17e"}) {
        CAPTURE(name);
        CHECK(chip_of(name) == "none");
    }
    CHECK(chip_of("Xiaomi 17 Pro Max") == "Adreno 840");
    CHECK(chip_of("iPhone 17 Pro Max") == "A19 Pro");
}

TEST_CASE("what renderers are called: ANGLE's line by the id in it, virgl, nouveau") {
    CHECK(chip_of("ANGLE (Intel, Intel(R) Iris(R) Xe Graphics (0x000046A6) Direct3D11 vs_5_0 ps_5_0, D3D11)") ==
          "Alder Lake");
    CHECK(chip_of("ANGLE (Intel, Intel(R) Iris(R) Xe Graphics (0x0000A7A0) Direct3D11 vs_5_0 ps_5_0, D3D11)") ==
          "Raptor Lake");
    CHECK(chip_of("ANGLE (AMD, AMD Radeon(TM) Graphics (0x00001638) Direct3D11 vs_5_0 ps_5_0, D3D11)") == "Renoir");
    CHECK(chip_of("virgl (AMD Radeon RX 580)") == chip_of("RX 580"));
    CHECK(chip_of("NV164") == "TU104");
    CHECK(chip_of("VC4 V3D 2.1") == "VideoCore IV");
    CHECK(chip_of("PowerVR D-Series DXT-48-1536 MC1") == "PowerVR DXT-48-1536");
    CHECK(chip_of("Snapdragon(R) X Elite - X1E78100 - Qualcomm(R) Adreno(TM) GPU") == "Adreno X1-85");
    CHECK(names_like("GForce RTX 4090", 1).front() == "GeForce RTX 4090");
}

TEST_CASE("a cloud instance is named by its kind, of any size") {
    // The GPUs of the makers' pages: A10G, T4, V100, A100, H100, L4.
    for (const auto& [name, chip] : std::map<std::string, std::string>{{"g5.xlarge", "GA102"},
                                                                       {"g5.48xlarge", "GA102"},
                                                                       {"AWS g4dn.12xlarge", "TU104"},
                                                                       {"p3.2xlarge", "GV100"},
                                                                       {"p4d.24xlarge", "GA100"},
                                                                       {"p5.48xlarge", "GH100"},
                                                                       {"p6-b200.48xlarge", "GB100"},
                                                                       {"p6-b200.xlarge", "GB100"},
                                                                       {"g6.4xlarge", "AD104"},
                                                                       {"a2-highgpu-1g", "GA100"},
                                                                       {"g2-standard-4", "AD104"},
                                                                       {"NC24ads A100 v4", "GA100"},
                                                                       {"Standard_NC24ads_A100_v4", "GA100"}}) {
        CAPTURE(name);
        CHECK(chip_of(name) == chip);
    }
    for (const char* other : {"xlarge", "g9.xlarge", "m5.xlarge"}) CHECK(chip_of(other) == "none");
}

TEST_CASE("names are compared by words, whatever their case, punctuation and marks") {
    for (const char* name : {"Adreno 740", "adreno740", "Adreno (TM) 740", "ADRENO-740",
                             "Qualcomm(R) Adreno(TM) 740 GPU", "  Adreno\t740 ", "a740", "Adreno\xe2\x84\xa2 740"})
        CHECK(chip_of(name) == "Adreno 740");
    for (const char* name :
         {"RX 6800 XT", "rx6800xt", "AMD Radeon RX 6800 XT", "6800 xt", "Navi 21", "NAVI21", "gfx1030"})
        CHECK(chip_of(name) == "Navi 21");
}

TEST_CASE("a name that goes on, or stops before the end, is another one's") {
    CHECK(chip_of("RTX 4060") == "AD107");
    CHECK(chip_of("RTX 4060 Ti") == "AD106");
    CHECK(chip_of("RTX 4060 Ti 16GB") == "AD106");
    CHECK(chip_of("RTX 4090") == "AD102");
    CHECK(chip_of("RTX 4090 Laptop GPU") == "AD103");
    CHECK(chip_of("RX 570") == "Polaris 10");
    CHECK(chip_of("RX 5700") == "Navi 10");
    CHECK(chip_of("RX 57") == "none");
    CHECK(chip_of("GeForce 840M") == "GM108");
    CHECK(chip_of("Radeon 840M") == "Krackan2");
    CHECK(chip_of("RTX 4090 Ti") == "none");
    CHECK(chip_of("Galaxy A14") == "none");  // no Apple A14 in it
    CHECK(chip_of("MacBook Pro M3 Max") == "M3 Max");
    CHECK(chip_of("ASUS TUF Gaming GeForce RTX 4070 Ti OC Edition 12GB") == "AD104");
    CHECK(chip_of("NVIDIA GeForce RTX 3080/PCIe/SSE2") == "GA102");
    CHECK(chip_of("Turnip Adreno (TM) 740") == "Adreno 740");
    CHECK(chip_of("M1") == "M1");
    CHECK(chip_of("M1 Max") == "M1 Max");
}

TEST_CASE("what drivers call devices has its chip") {
    CHECK(device_chip("AMD Radeon RX 6800 (RADV NAVI21)") == "Navi 21");
    CHECK(device_chip("AMD Radeon Graphics (RADV GFX1201)") == "Navi 48");
    CHECK(device_chip("AMD Radeon Graphics (RADV RAPHAEL_MENDOCINO)", 0x1002, 0x164e) == "Raphael");
    CHECK(device_chip("AMD Radeon 610M (RADV RAPHAEL_MENDOCINO)", 0x1002, 0x1506) == "Mendocino");
    CHECK(device_chip("AMD Radeon Graphics (RADV GFX1013)") == "Cyan Skillfish");
    CHECK(device_chip("AMD Radeon Graphics (RADV GFX1103_R1)") == "Phoenix");
    CHECK(device_chip("AMD Radeon 740M (RADV GFX1103_R2)") == "Phoenix2");
    CHECK(chip_of("GFX1103_R1") == "Phoenix");
    CHECK(device_chip("AMD Radeon Graphics (RADV GFX1200)") == "Navi 44");
    CHECK(device_chip("AMD Custom GPU 0405 (RADV VANGOGH)") == "Van Gogh");
    CHECK(device_chip("AMD Radeon 890M Graphics (RADV STRIX1)") == "Strix");
    CHECK(device_chip("AMD Radeon RX 7900 XTX", 0x1002, 0x744c) == "Navi 31");
    CHECK(device_chip("NVK TU104 (0x164)") == "TU104");
    CHECK(device_chip("NVK AD102 (0x192)", 0x10de, 0x1e82) == "AD102");
    CHECK(device_chip("NVIDIA GeForce RTX 2080 (NVK TU104)") == "TU104");
    CHECK(device_chip("NVIDIA H100 80GB HBM3", 0x10de, 0x2330) == "GH100");
    CHECK(device_chip("NVIDIA H200", 0x10de, 0x2335) == "GH100");
    CHECK(device_chip("NVIDIA Tegra X1 (nvgpu)") == "GM20B");
    CHECK(device_chip("Turnip Adreno (TM) 740") == "Adreno 740");
    CHECK(device_chip("Adreno (TM) 830") == "Adreno 830");
    CHECK(device_chip("Intel(R) Arc(tm) A770M Graphics (DG2)") == "DG2");
    CHECK(device_chip("Intel(R) UHD Graphics 770 (ADL-S GT1)") == "Alder Lake");
    CHECK(device_chip("Intel(R) Graphics (LNL)") == "Lunar Lake");
    CHECK(device_chip("Intel(R) Graphics (BMG G21)") == "Battlemage");
    CHECK(device_chip("Intel(R) Iris(R) Xe Graphics (TGL GT2)") == "Tiger Lake");
    CHECK(device_chip("Mali-G610 MC4") == "Mali-G610");
    CHECK(device_chip("Apple M1 (G13G A0)") == "M1");
    CHECK(device_chip("V3D 4.2.14.0") == "V3D 4.2");
    CHECK(device_chip("llvmpipe (LLVM 15.0.6, 256 bits)") == "lavapipe");
    CHECK(device_chip("SwiftShader Device (LLVM 10.0.0)") == "SwiftShader");
    CHECK(device_chip("Microsoft Direct3D12 (NVIDIA GeForce RTX 3080)") == "GA102");
    // A driver without hardware has a made-up id, and says no more than its own name.
    CHECK(device_chip("NVK ", 0x10de, 0x1e82) == "none");
    CHECK(device_chip("some GPU") == "none");
}

TEST_CASE("PCI ids, with a revision where that tells products apart") {
    CHECK(chip_of("10de:2684") == "AD102");
    CHECK(chip_of("0x10DE:0x2684") == "AD102");
    CHECK(chip_of("10de:ffff") == "none");
    CHECK(chip_of("8086:64a0") == "Lunar Lake");  // whose line has the processors' name
    CHECK(gpu_named("1002:73bf:c1")->product == "AMD Radeon RX 6800 XT");
    CHECK(gpu_named("1002:73bf:c1")->list == "amdgpu.ids 1002:73bf:c1");
    CHECK(gpu_named("1002:73bf:c1")->chip.architecture == "RDNA2");
}

TEST_CASE("an architecture is named, too, and a name that fits several of them is none") {
    const auto ada = gpu_named("Ada");
    REQUIRE(ada);
    CHECK(ada->chip == Chip{"NVIDIA", "", "Ada"});
    CHECK(gpu_named("RTX") == std::nullopt);
    CHECK(gpu_named("Radeon") == std::nullopt);
    // P2000 is on two chips of one architecture: the likelier one, and the other is told.
    CHECK(gpu_named("P2000")->other_chips == std::vector<std::string>{"GP107"});
}

TEST_CASE("a product of our list that others have with more chips of its architecture is told with these, ours first") {
    struct Sold {
        const char* name;
        const char* chip;
        std::vector<std::string> others;  // as pci.ids has them: the more ids, the earlier
    };
    for (const Sold& sold : {Sold{"Iris Xe Graphics", "Tiger Lake", {"Alder Lake", "Raptor Lake", "DG1"}},
                             {"Intel(R) Iris(R) Xe Graphics", "Tiger Lake", {"Alder Lake", "Raptor Lake", "DG1"}},
                             {"UHD 770", "Alder Lake", {"Raptor Lake"}},
                             {"UHD Graphics 730", "Alder Lake", {"Rocket Lake"}},
                             {"UHD Graphics 620", "Kaby Lake", {"Whiskey Lake", "Coffee Lake", "Comet Lake"}},
                             {"GTX 1650", "TU117", {"TU106", "TU116"}},
                             {"RTX 3060", "GA106", {"GA104"}},
                             {"RTX 3060 Ti", "GA104", {"GA103"}},
                             {"RTX 4060", "AD107", {"AD106"}},
                             {"RTX 5070", "GB205", {"GB203"}},
                             {"RTX 3050 Ti Laptop", "GA107", {"GA106"}}}) {
        CAPTURE(sold.name);
        const auto named = gpu_named(sold.name);
        REQUIRE(named);
        CHECK(named->chip.name == sold.chip);
        std::vector<std::string> others = named->other_chips, expected = sold.others;
        std::ranges::sort(others);
        std::ranges::sort(expected);
        CHECK(others == expected);
        CHECK(named->others_are_alike);
    }
    // What has more ids comes earlier.
    CHECK(gpu_named("Iris Xe Graphics")->other_chips.front() == "Alder Lake");
    // AMD's chips differ in their pipes.
    CHECK(gpu_named("RX 550")->other_chips == std::vector<std::string>{"Polaris 11"});
    CHECK(!gpu_named("RX 550")->others_are_alike);
    CHECK(gpu_named("Radeon 740M")->other_chips == std::vector<std::string>{"Phoenix"});
    CHECK(!gpu_named("Radeon 740M")->others_are_alike);
    // What names the chip decides it, and so does another word of the product.
    for (const char* name : {"10de:2487", "NVIDIA Corporation GA104 [GeForce RTX 3060]", "RTX 4060 Laptop", "RTX 3080",
                             "ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 (0x00002487) Direct3D11 vs_5_0 ps_5_0, D3D11)",
                             "Snapdragon 7 Gen 3", "RX 6800 XT", "B200"}) {
        CAPTURE(name);
        CHECK(gpu_named(name)->other_chips.empty());
        CHECK(!gpu_named(name)->others_are_alike);
    }
    CHECK(chip_of("10de:2487") == "GA104");
}

TEST_CASE("chips are alike only where a line of alike.txt has both, and each line names chips that there are") {
    const auto chip = [](const char* name) { return gpu_named(name)->chip; };
    CHECK(are_alike(chip("TU102"), chip("TU117")));
    CHECK(are_alike(chip("GB202"), chip("GB207")));
    CHECK(!are_alike(chip("GB202"), chip("GB20B")));  // of GB10, whose small texels lie otherwise
    CHECK(!are_alike(chip("GB202"), chip("GB100")));
    CHECK(!are_alike(chip("TU102"), chip("GA102")));
    CHECK(!are_alike(chip("Navi 21"), chip("Navi 23")));
    CHECK(!are_alike(chip("Navi 21"), chip("TU102")));
    std::set<std::string> known;  // with their vendors
    for (const std::string& line : list_lines("chips.txt")) {
        const std::vector<std::string> fields = split_fields(line, '|');
        known.insert(trimmed(fields[0]) + " " + trimmed(fields[1]));
        known.insert(trimmed(fields[0]) + " " + trimmed(fields[2]));
    }
    const std::vector<std::string> lines = list_lines("alike.txt");
    CHECK(lines.size() > 3);
    for (const std::string& line : lines) {
        CAPTURE(line);
        const std::vector<std::string> fields = split_fields(line, '|');
        REQUIRE(fields.size() == 3);
        for (const std::string& name : split(fields[1]))
            CHECK(known.contains(trimmed(fields[0]) + " " + trimmed(name)));
        CHECK(trimmed(fields[2]).size() > 20);
    }
}

TEST_CASE("systems on a chip by the numbers and platforms that Android has for them") {
    // By the makers' product briefs.
    for (const auto& [number, product] : std::map<std::string, std::string>{{"SM8750", "Snapdragon 8 Elite"},
                                                                            {"SM8850", "Snapdragon 8 Elite Gen 5"},
                                                                            {"SM8735", "Snapdragon 8s Gen 4"},
                                                                            {"SM8635", "Snapdragon 8s Gen 3"},
                                                                            {"SM7675", "Snapdragon 7+ Gen 3"},
                                                                            {"SM7550", "Snapdragon 7 Gen 3"},
                                                                            {"SM6450", "Snapdragon 6 Gen 1"},
                                                                            {"SM7325", "Snapdragon 778G"},
                                                                            {"SM6375", "Snapdragon 695"},
                                                                            {"X1E80100", "Snapdragon X Elite"},
                                                                            {"MT6991", "Dimensity 9400"},
                                                                            {"MT6989", "Dimensity 9300"},
                                                                            {"MT6985", "Dimensity 9200"},
                                                                            {"MT6897", "Dimensity 8300"},
                                                                            {"MT6893", "Dimensity 1200"},
                                                                            {"MT6855", "Dimensity 7020"},
                                                                            {"MT6765", "Helio P35"},
                                                                            {"s5e9945", "Exynos 2400"},
                                                                            {"s5e9955", "Exynos 2500"},
                                                                            {"s5e8845", "Exynos 1480"},
                                                                            {"gs101", "Google Tensor"},
                                                                            {"gs201", "Tensor G2"},
                                                                            {"zuma", "Tensor G3"},
                                                                            {"zumapro", "Tensor G4"},
                                                                            {"kalama", "Snapdragon 8 Gen 2"},
                                                                            {"pineapple", "Snapdragon 8 Gen 3"},
                                                                            {"Qualcomm sun", "Snapdragon 8 Elite"}}) {
        CAPTURE(number);
        REQUIRE(gpu_named(product));
        CHECK(chip_of(number) == chip_of(product));
    }
    // Several systems have one platform's name.
    CHECK(gpu_named("pineapple")->other_chips.size() == 2);
    CHECK(!gpu_named("pineapple")->others_are_alike);
    CHECK(chip_of("taro") == "none");
    CHECK(meanings_of("taro").size() == 3);
    // AMD's Hainan is called so, too.
    CHECK(chip_of("sun") == "none");
    CHECK(meanings_of("sun").size() == 3);
    CHECK(chip_of("AMD Sun") == "Hainan");
}

TEST_CASE("Moore Threads' cards have the chips that its compute architectures tell apart, 21 and 22") {
    CHECK(chip_of("MTT S3000") == chip_of("MTT S80"));
    CHECK(chip_of("MTT S90") == chip_of("MTT S4000"));
    CHECK(chip_of("MTT S80") != chip_of("MTT S4000"));
}

TEST_CASE("names of any kind and length are looked up without harm") {
    CHECK(chip_of("") == "none");
    CHECK(chip_of(std::string(1 << 20, 'x')) == "none");
    CHECK(chip_of(std::string(1 << 16, '(')) == "none");
    CHECK(chip_of("\xff\xfe\x80 [\n]|;%s") == "none");
    CHECK(device_chip(std::string(1 << 16, '(') + "NAVI21") != "");
    CHECK(names_like(std::string(1 << 20, '4'), 5).empty());
    CHECK(names_like("", 3).size() <= 3);
}

TEST_CASE("the names most like it come first") {
    CHECK(names_like("4090 RTX", 1).front() == "GeForce RTX 4090");
    CHECK(names_like("XT 6800 RX", 1).front() == "Radeon RX 6800 XT");
    CHECK(names_like("Adreno 747", 1).front().starts_with("Adreno 74"));
    CHECK(names_like("RTX 4099", 1).front() == "GeForce RTX 4090");
    CHECK(names_like("Andreno 740", 1).front() == "Adreno 740");
    CHECK(names_like("iPone 15", 1).front() == "iPhone 15");
    // A number alike is not enough: these are Samsung's and Google's.
    for (const std::string& name : names_like("s5e9935", 5)) CHECK(name.starts_with("s5e"));
    for (const std::string& name : names_like("gs102", 5)) CHECK(name.starts_with("gs"));
    for (const char* computer : {"ROG Zephyrus G14", "Dell XPS 15", "Razer Blade 14"}) {
        CAPTURE(computer);
        CHECK(names_like(computer, 5).empty());
    }
}

TEST_CASE("each chip of our list has a name of its own, and each product of it a chip of the list") {
    std::map<std::string, std::string> chips;  // by any of their names
    for (const std::string& line : list_lines("chips.txt")) {
        CAPTURE(line);
        CHECK(std::ranges::count(line, '|') == 3);
        const auto field = [&](size_t n) {
            size_t at = 0;
            for (; n > 0; n--) at = line.find('|', at) + 1;
            return line.substr(at, line.find('|', at) - at);
        };
        const std::string chip = words_of_name(field(2));
        std::istringstream others(field(3));
        std::set<std::string> names = {chip};
        for (std::string name; std::getline(others, name, ',');)
            if (!words_of_name(name).empty()) names.insert(words_of_name(name));
        for (const std::string& name : names) {
            CAPTURE(name);
            // RADV has one name for two chips.
            CHECK((chips.emplace(name, chip).second || name == "raphael mendocino"));
        }
    }
    for (const std::string& line : list_lines("products.txt")) {
        CAPTURE(line);
        CHECK(std::ranges::count(line, '|') == 2);
        CHECK(chips.contains(words_of_name(line.substr(0, line.find('|')))));
    }
}

TEST_CASE("a relative is an architecture or a chip of the same vendor, and none has one itself; each says why") {
    std::set<std::string> architectures, chips;  // with their vendors
    for (const std::string& line : list_lines("chips.txt")) {
        const std::vector<std::string> fields = split_fields(line, '|');
        architectures.insert(trimmed(fields[0]) + " " + trimmed(fields[1]));
        chips.insert(trimmed(fields[0]) + " " + trimmed(fields[2]));
    }
    size_t relatives = 0;
    for (const std::string& line : list_lines("relatives.txt")) {
        CAPTURE(line);
        const std::vector<std::string> fields = split_fields(line, '|');
        const std::string vendor = trimmed(fields[0]), name = trimmed(fields[1]);
        const bool is_chip = chips.contains(vendor + " " + name);
        CHECK((is_chip || architectures.contains(vendor + " " + name)));
        const auto of = [&](const std::string& named) {
            return relative_of({.vendor = vendor, .name = is_chip ? named : "", .architecture = is_chip ? "" : named});
        };
        const auto relative = of(name);
        REQUIRE(relative);
        CHECK(relative->chip.empty() != relative->architecture.empty());
        CHECK(relative->chip.empty() != is_chip);
        CHECK((is_chip ? chips : architectures).contains(vendor + " " + relative->chip + relative->architecture));
        CHECK(relative->why.size() > 20);
        CHECK((relative->chip == name || !of(relative->chip + relative->architecture)));
        relatives++;
    }
    CHECK(relatives > 10);
    CHECK(!relative_of({.vendor = "AMD", .name = "Vega 10", .architecture = "GCN5"}));
}

TEST_CASE("every product that pci.ids has in brackets is found, with a chip of its architecture") {
    size_t products = 0, other = 0;
    for (const std::string& line : list_lines("pci.txt")) {
        const size_t open = line.find('['), close = line.find(']');
        if (open == std::string::npos || close == std::string::npos) continue;
        const std::string id = line.substr(0, 4) + ":" + line.substr(5, 4),
                          product = line.substr(open + 1, close - open - 1);
        const auto by_id = gpu_named(id);
        CAPTURE(line);
        REQUIRE(by_id);
        if (product.find('/') != std::string::npos) continue;
        products++;
        const auto by_name = gpu_named(product);
        // Vendors sell one name on several architectures: "Radeon R5 Graphics", "GeForce MX150".
        other += !by_name || by_name->chip.architecture != by_id->chip.architecture;
    }
    CHECK(products > 900);
    MESSAGE(other << " of " << products << " products of pci.ids are of several architectures, or of none");
    CHECK(other * 8 < products);
}

TEST_CASE(
    "what tools print of a GPU is that GPU: hardware ids, lines of lspci, ids of vulkaninfo, renderers of ANGLE") {
    size_t asked = 0, told_by_device = 0;
    for (const std::string& line : list_lines("pci.txt")) {
        const std::string vendor = line.substr(0, 4), device = line.substr(5, 4);
        const auto known = gpu_named(vendor + ":" + device);
        if (!known || asked++ % 7 != 0) continue;
        CAPTURE(line);
        const std::string name = line.substr(line.find_last_of("|\t") + 1);
        for (const std::string& text :
             {"PCI\\VEN_" + vendor + "&DEV_" + device + "&SUBSYS_16F110DE&REV_A1", "0x" + vendor + " 0x" + device,
              "[" + vendor + ":" + device + "]",
              "01:00.0 VGA compatible controller [0300]: " + name + " [" + vendor + ":" + device + "] (rev a1)"}) {
            CAPTURE(text);
            const auto named = gpu_named(text);
            REQUIRE(named);
            CHECK(named->chip == known->chip);
        }
        // A device's id that two vendors have is nobody's.
        const auto alone = gpu_named("0x" + device);
        if (alone) CHECK(alone->chip.architecture == known->chip.architecture);
        told_by_device += alone.has_value();
    }
    CHECK(asked > 1000);
    CHECK(told_by_device * 7 * 2 > asked);

    CHECK(chip_of("744c") == "Navi 31");
    CHECK(chip_of("2684") == "none");  // it may be a number
    CHECK(chip_of("0xffff") == "none");
    CHECK(chip_of("VGA compatible controller: NVIDIA Corporation AD102 [GeForce RTX 4090] (rev a1)") == "AD102");
    CHECK(chip_of(
              "03:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 22 [Radeon RX 6700/6700 "
              "XT/6750 XT / 6800M/6850M XT] (rev c1)") == "Navi 22");
    CHECK(
        chip_of("00:02.0 VGA compatible controller: Intel Corporation TigerLake-LP GT2 [Iris Xe Graphics] (rev 01)") ==
        "Tiger Lake");
    // As WebGL's WEBGL_debug_renderer_info gives them, in several years.
    CHECK(chip_of("ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 Direct3D11 vs_5_0 ps_5_0, D3D11)") == "GA106");
    CHECK(chip_of("ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 (0x00002504) Direct3D11 vs_5_0 ps_5_0, D3D11)") == "GA106");
    CHECK(chip_of("ANGLE (AMD, AMD Radeon RX 6800 XT (navi21, LLVM 15.0.7, DRM 3.49), OpenGL 4.6)") == "Navi 21");
    CHECK(chip_of("ANGLE (Intel, Intel(R) UHD Graphics 630 Direct3D11 vs_5_0 ps_5_0, D3D11-27.20.100.8681)") ==
          "Coffee Lake");
    CHECK(chip_of("ANGLE (Apple, ANGLE Metal Renderer: Apple M1 Pro, Unspecified Version)") == "M1 Pro");
    // On Android.
    CHECK(chip_of("ANGLE (Qualcomm, Vulkan 1.3.128 (Adreno (TM) 740 (0x43050A01)), Qualcomm proprietary driver)") ==
          "Adreno 740");
    CHECK(chip_of("ANGLE (Qualcomm, Vulkan 1.1.128 (Adreno (TM) 650 (0x06050002)), Qualcomm Technologies Inc. Adreno "
                  "Vulkan Driver-512.502.0)") == "Adreno 650");
    CHECK(chip_of("ANGLE (Qualcomm, Adreno (TM) 740, OpenGL ES 3.2 V@0676.42)") == "Adreno 740");
    CHECK(chip_of("ANGLE (Samsung Electronics Co., Ltd., Vulkan 1.3.231 (Samsung Xclipse 920 (0x73A01234)), "
                  "Xclipse-3.0.0)") == "Xclipse 920");
    CHECK(chip_of("ANGLE (ARM, Vulkan 1.3.247 (Mali-G715 (0xB8A21010)), Mali G715-44.1.0)") == "Mali-G715");
    for (const char* text : {"ANGLE (", "ANGLE (,)", "ANGLE (), ))((,)", "[", "[]", "[10de:]", "VEN_&DEV_", "ANGLE ()",
                             "x [y] [z]", ": [ ] (rev "})
        CHECK(chip_of(text) == "none");
}
