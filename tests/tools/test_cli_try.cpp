// `tilewise try` on Debian 12's lavapipe: shaders of the user's own, scenes, what is refused, and what cannot be right.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;
using nlohmann::json;

namespace {

std::string shader(const std::string& name) { return source_dir() + "/tests/shaders/" + name; }

/// One database for all: the device is probed once.
const std::string& database() {
    static const Folder folder;
    static const std::string file = folder / "try.db";
    return file;
}

Ended tried(const Command& options) {
    return run(tilewise_on("system", Command{"--db", database(), "--quiet", "try"} + options));
}

json found(const Command& options) {
    const Ended ended = tried(options + Command{"--json", "--time", "0"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    return parse(ended);
}

void refused(const Command& options, int code, const std::string& mentions) {
    const Ended ended = tried(options);
    CAPTURE(ended.err);
    CHECK(ended.code == code);
    CHECK(ended.out.empty());
    CHECK(is_one_complaint(ended.err));
    CHECK(ended.err.find(mentions) != std::string::npos);
}

std::string written(const Folder& folder, const std::string& name, const std::string& statements,
                    const std::string& local = "local_size_x = 64") {
    const std::string file = folder / name;
    write_text(file, "#version 450\nlayout(" + local +
                         ") in;\nlayout(std430, binding = 0) buffer Numbers { uint numbers[]; };\nvoid main() {\n" +
                         statements + "\n}\n");
    return file;
}

}  // namespace

TEST_CASE("a shader's variants are equal to it, timed, and written as SPIR-V and as text that are found again") {
    const Folder folder;
    const json told = found({shader("gather.comp"), "--size", "64x40", "--candidates", "8", "--spirv",
                             folder / "best.spv", "--code", folder / "best.comp", "--variant", "morton 8x8"});
    CHECK(told.at("odd_size") == json::array({63, 39}));
    REQUIRE(told.at("variants").size() == 8);
    CHECK(told["variants"][0]["verdict"] == "baseline");
    for (const json& variant : told["variants"]) {
        CAPTURE(variant.dump());
        CHECK(variant.at("failure") == nullptr);
        CHECK(variant.at("samples") > 0);
        CHECK(variant.at("dispatch").size() == 3);
    }
    CHECK(told["variants"][1]["columns"] == "x0 y0 x1 y1 x2 y2");
    CHECK(run({"spirv-val", "--target-env", "vulkan1.1", folder / "best.spv"}).code == 0);
    // The GLSL says what the SPIR-V does; both are tried like any shader.
    for (const std::string file : {"best.spv", "best.comp"}) {
        const json again = found({folder / file, "--size", "64x40", "--candidates", "2"});
        CHECK(again.at("variants").size() == 2);
        CHECK(again["variants"][1]["failure"] == nullptr);
    }
}

TEST_CASE("two passes are run one after the other, and --print-scene writes what --scene reads") {
    const Folder folder;
    std::filesystem::copy_file(shader("bloom_down.comp"), folder / "down.comp");
    std::filesystem::copy_file(shader("bloom_up.comp"), folder / "up.comp");
    const Command options = {folder / "up.comp", "--pass",  folder / "down.comp", "--pass",         folder / "up.comp",
                             "--size",           "64x40",   "--format",           "source=RGBA16F", "--image",
                             "result=gradient",  "--image", "small=poison@32x20"};
    const Ended printed = tried(options + Command{"--print-scene"});
    CHECK(printed.code == 0);
    json scene = json::parse(printed.out);
    CHECK(scene["images"]["small"]["size"] == json::array({32, 20, 1}));
    CHECK(scene["passes"][1]["varied"] == true);
    scene["passes"][0]["over"] = "small";
    write_text(folder / "scene.json", scene.dump());
    const json told = found({"--scene", folder / "scene.json", "--candidates", "5"});
    CHECK(told.at("scene").at("passes").size() == 2);
    for (const json& variant : told.at("variants")) CHECK(variant.at("failure") == nullptr);
}

TEST_CASE("a shader that is not deterministic is refused, and so is what is missing, each in a line") {
    refused({shader("race.comp"), "--size", "2097152x1", "--buffer", "Numbers=256K"}, 1, "is not deterministic");
    refused({shader("gather.comp")}, 2, "--size");
    refused({shader("bilateral.comp"), "--size", "64x40"}, 2, "of which format is source? --format source=");
    refused({shader("prefix_sum.comp"), "--size", "64x1"}, 2, "how many bytes has");
    refused({shader("reproject.comp"), "--size", "64x40", "--format", "now=RGBA8", "--format", "history=RGBA8",
             "--format", "motion=RG8"},
            2, "what is in camera? --buffer camera=values:");
    refused({shader("blur_shared.comp"), "--size", "64x40", "--format", "source=RGBA8", "--push", "1"}, 2,
            "takes 2 numbers (size.x, size.y), and 1 came");
    refused({shader("gather.comp"), "--size", "64x40", "--image", "nowhere=noise"}, 2,
            "no shader has an image nowhere");
    refused({shader("gather.comp"), "--size", "64x40", "--format", "source=R32_UINT"}, 2, "has other numbers");
    refused({shader("transpose.comp"), "--size", "64x40", "--spec", "depth=3"}, 2, "it has: columns, rows");
    refused({shader("gather.comp"), "--size", "64x40", "--entry", "other"}, 2, "the entry point of GLSL is main");
    refused({shader("tonemap.hlsl"), "--size", "64x40", "--entry", "CSmain"}, 1, "has no entry point CSmain");
    refused({"nowhere.comp", "--size", "64x40"}, 1, "nowhere.comp");
}

TEST_CASE("what is hostile costs a line, and nothing hangs") {
    const Folder folder;
    SUBCASE("scenes that are too large") {
        refused({shader("gather.comp"), "--size", "60000x60000"}, 1, "the scene is too large");
        refused({shader("prefix_sum.comp"), "--size", "64x1", "--buffer", "Numbers=4G", "--buffer", "Prefixes=4G",
                 "--buffer", "Sums=4G"},
                1, "the scene is too large");
    }
    SUBCASE("a shader that never ends") {
        // lavapipe ends loops after 65535 rounds: here is one in a million invocations.
        const std::string loop = written(folder, "loop.comp",
                                         "uint i = 1;\nwhile (numbers[0] == 0) i = i * 3u + numbers[1];\n"
                                         "numbers[3] = i;");
        const auto start = std::chrono::steady_clock::now();
        refused({loop, "--size", "1000000x1", "--buffer", "Numbers=64:zero", "--timeout", "0.5"}, 1,
                "did not come to its end in 0.5 s: has it an endless loop?");
        // Not how fast it is, but that it ends.
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
    }
    SUBCASE("names full of escapes, in files and in shaders") {
        const std::string file = folder / "a\033[31m\nb.comp";
        std::filesystem::copy_file(shader("bilateral.comp"), file);
        refused({file, "--size", "64x40"}, 2, "of which format is source?");
        refused({file, "--size", "64x40", "--format", "so\033[2Jurce=RGBA8"}, 2, "<U+001B>[2Jurce");
        write_text(folder / "bad.comp", "#version 450\nvoid main() { \033[2J }\n");
        refused({folder / "bad.comp", "--size", "64x40"}, 1, "error");
    }
    SUBCASE("files that are no shaders and no scenes") {
        write_text(folder / "a.spv", std::string("\x03\x02\x23\x07", 4) + std::string(64, '\xff'));
        refused({folder / "a.spv", "--size", "64x40"}, 1, "is no valid SPIR-V");
        write_text(folder / "b.spv", "nothing");
        refused({folder / "b.spv", "--size", "64x40"}, 1, "is no SPIR-V");
        for (const std::string text :
             {"", "[]", "{}", "{\"passes\": 3}", "{\"passes\": [{\"shader\": 4}]}",
              "{\"size\": [-1, 4], \"passes\": [{}]}", "{\"images\": {\"a\": 1}, \"passes\": []}"}) {
            write_text(folder / "scene.json", text);
            refused({"--scene", folder / "scene.json"}, 1, "scene");
        }
    }
    SUBCASE("workgroups that no device has") {
        refused({written(folder, "big.comp", "numbers[0] = 1;", "local_size_x = 4096"), "--size", "64x1", "--buffer",
                 "Numbers=64"},
                1, "");
    }
}
