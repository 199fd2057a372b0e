// An image's memory on disk: it comes back as it was, and only for what it was kept for.
#include "patterns/model/error.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tools/cli/files/kept_image.h"
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

KeptFor some_image() {
    KeptFor kept;
    kept.chip = "10de:2330";
    kept.driver = "NVIDIA 580.159.04";
    kept.tiling_layout_uuid = "dd417e4b11b1aba949b577eed4fbe38d";
    kept.format = "BC7_UNORM_BLOCK";
    kept.usage = "sampled,transfer-dst";
    kept.extent_px = {256, 128, 1};
    kept.levels = 9;
    kept.bytes = 5;
    return kept;
}

const std::array<std::byte, 5> memory = {std::byte{1}, std::byte{0}, std::byte{255}, std::byte{10}, std::byte{7}};

std::string refusal(const KeptFor& here) {
    try {
        require_same("a.kept", some_image(), here);
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("a kept image has its header and, 4096 bytes from the start, the memory's bytes") {
    const Folder folder;
    write_kept_image(folder / "a.kept", some_image(), memory);
    CHECK(read_kept_header(folder / "a.kept") == some_image());
    const std::string bytes = read_text(folder / "a.kept");
    REQUIRE(bytes.size() == 4101);
    CHECK(bytes.substr(4096) == std::string("\x01\0\xff\n\x07", 5));
    CHECK(bytes[4095] == '\n');
}

TEST_CASE("a kept image is refused by the first thing that differs") {
    CHECK(refusal(some_image()) == "");
    KeptFor here = some_image();
    here.levels = 8;
    CHECK(refusal(here) == "a.kept: was kept for levels 9, and here it is 8: keep the image again on this device");
    here.tiling_layout_uuid = "00000000000000000000000000000000";
    CHECK(refusal(here).starts_with(
        "a.kept: was kept for tiling_layout_uuid \"dd417e4b11b1aba949b577eed4fbe38d\", and here"));
    here.driver = "NVIDIA 590.10";
    CHECK(refusal(here).starts_with(
        "a.kept: was kept for driver \"NVIDIA 580.159.04\", and here it is \"NVIDIA 590.10\""));
}

TEST_CASE("what is no kept image is refused by its name") {
    const Folder folder;
    const std::string path = folder / "a.kept";
    CHECK_THROWS_WITH(read_kept_header(path), (path + ": is not a kept image: it has no header of 4096 bytes").c_str());
    write_text(path, std::string(5000, ' '));
    CHECK_THROWS_AS(read_kept_header(path), Error);
    write_text(path, "{\"kind\":\"tilewise-kept-image\",\"version\":1}" + std::string(5000, ' '));
    CHECK_THROWS_WITH(read_kept_header(path), (path + ": is not a kept image of version 1").c_str());
    write_kept_image(path, some_image(), memory);
    const std::string whole = read_text(path);
    write_text(path, whole.substr(0, whole.size() - 1));
    CHECK_THROWS_WITH(read_kept_header(path), (path + ": has 4100 bytes, but its header says 4101").c_str());
    write_text(path, whole + "x");
    CHECK_THROWS_WITH(read_kept_header(path), (path + ": has 4102 bytes, but its header says 4101").c_str());
}

TEST_CASE(
    "kept memory is loaded by MEMCPY where the driver's raw copy is the image's memory, and refused where it is not") {
    if (!drivers_are_here()) return;
    const Folder folder;
    const auto line_on = [&](const char* driver) {
        const Ended ended = run({source_dir() + "/tools/with-driver", driver, "--",
                                 std::filesystem::path(program_path()).parent_path() / "tilewise_bench_load", "--size",
                                 "128", "--times", "1", "--folder", folder.path});
        CAPTURE(ended.err);
        CHECK(ended.code == 0);
        const size_t at = ended.out.find("kept memory, host copy MEMCPY");
        return at == std::string::npos ? ended.out : ended.out.substr(at, ended.out.find('\n', at) - at);
    };
    for (const char* driver : {"nvk:0x164", "apple"}) CHECK(line_on(driver).find(" ms  ") != std::string::npos);
    CHECK(line_on("radv:navi21")
              .ends_with("refused: the raw copy of level 0 of layer 0 is not laid out as its memory is"));
}
