// `tilewise try` on Debian 12's lavapipe: shaders of the user's own, scenes, what is refused, and what cannot be right.
#include "db/query/query.h"
#include "tests/support/db_sample.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <set>
#include <thread>

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
    std::string file = folder / name;
    write_text(file, "#version 450\nlayout(" + local +
                         ") in;\nlayout(std430, binding = 0) buffer Numbers { uint numbers[]; };\nvoid main() {\n" +
                         statements + "\n}\n");
    return file;
}

}  // namespace

TEST_CASE("with --groups, a scene of buffers alone needs no size") {
    const Folder folder;
    const std::string file = written(folder, "fill.comp", "numbers[gl_GlobalInvocationID.x] = gl_WorkGroupID.x;");
    const json told = found({file, "--groups", "4", "--buffer", "Numbers=1024", "--candidates", "3"});
    CHECK(told.at("variants").size() > 1);
    refused({file, "--buffer", "Numbers=1024"}, 2, "how large is the scene?");
}

TEST_CASE("images that shaders only read, of depth or sRGB, are probed and known, too") {
    const Folder folder;
    const std::string file = folder / "read.comp";
    write_text(file,
               "#version 450\nlayout(local_size_x = 8, local_size_y = 8) in;\n"
               "layout(binding = 0) uniform sampler2D source;\n"
               "layout(binding = 1, rgba8) uniform writeonly image2D result;\nvoid main() {\n"
               "ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
               "imageStore(result, at, texelFetch(source, at, 0).xxxx);\n}\n");
    for (const char* format : {"D32_SFLOAT", "R8G8B8A8_SRGB"}) {
        CAPTURE(format);
        const json told =
            found({file, "--size", "64x40", "--candidates", "2", "--format", fmt::format("source={}", format)});
        CHECK(told.at("reason").get<std::string>().find("not known") == std::string::npos);
    }
}

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

TEST_CASE(
    "of a shader whose workgroups constants give their size, another order is the SPIR-V, and another size is not") {
    const Folder folder;
    const std::string file = written(folder, "sized.comp",
                                     "uint at = gl_GlobalInvocationID.y * 64u + gl_GlobalInvocationID.x;\n"
                                     "numbers[at] = numbers[at] * 3u + at;",
                                     "local_size_x_id = 10, local_size_y_id = 11");
    const Command scene = {file,           "--size", "64x64",  "--spec", "10=8",     "--spec",       "11=8",
                           "--candidates", "4000",   "--time", "0",      "--buffer", "Numbers=16384"};
    const Ended row = tried(scene + Command{"--variant", "row 16x16"});
    CAPTURE(row.err);
    REQUIRE(row.code == 0);
    CHECK(row.out.find("specialization constant 11 = 16\n") != std::string::npos);
    const Ended morton = tried(scene + Command{"--variant", "morton 16x16", "--spirv", folder / "m.spv"});
    CHECK(morton.out.find("specialization constant 11 = 16, of the SPIR-V that --spirv writes") != std::string::npos);
    const Ended text = tried(scene + Command{"--variant", "morton 16x16", "--code", folder / "m.comp"});
    CHECK(text.code == 1);
    CHECK(text.err.find("another order") != std::string::npos);
    CHECK(text.err.find("as it is") == std::string::npos);
}

TEST_CASE("a device with tiles: their memory order is tried, and the reason counts what the choice touches") {
    // As a GPU's: lavapipe's own images lie in rows.
    const Folder folder;
    const std::string file = folder / "tiles.db";
    const auto on_tiles = [&](const Command& options) {
        return run(tilewise_on("system", Command{"--db", file, "--quiet"} + options));
    };
    REQUIRE(on_tiles({"probe", "--formats", "R8G8B8A8_UNORM", "--extents", "64x40"}).code == 0);
    {
        db::Database database = db::open_database(file, db::Access::read_write);
        const auto rows = db::find_observations(database, {.device = "llvmpipe", .format = "R8G8B8A8_UNORM"});
        REQUIRE(!rows.empty());
        for (const auto& row : rows) {
            db::ObservationFact fact = sample::observed(sample::gob_of_16(), "2099-03-01T12:00:00.000Z");
            fact.usage = row.fact.usage;
            db::add_observation(database, row.device, row.driver, fact);
        }
    }
    const Ended ended = on_tiles({"--json", "try", shader("bilateral.comp"), "--size", "64x40", "--format",
                                  "source=RGBA8", "--candidates", "100", "--time", "0"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const json told = parse(ended);
    std::set<std::string> orders;
    for (const json& variant : told.at("variants")) {
        CAPTURE(variant.dump());
        CHECK(variant.at("failure") == nullptr);
        orders.insert(variant.at("order"));
    }
    CHECK(orders == std::set<std::string>{"as it is", "row", "morton", "memory order of source"});
    const std::string reason = told.at("reason");
    CAPTURE(reason);
    CHECK(reason.find(" segments of 32 bytes") != std::string::npos);
}

TEST_CASE("what was found is kept, also where the file for the best variant cannot be written") {
    const Folder folder;
    const std::string file = folder / "kept.db";
    const Ended ended =
        run(tilewise_on("system", {"--db", file, "--quiet", "try", shader("gather.comp"), "--size", "64x40",
                                   "--candidates", "2", "--time", "0", "--spirv", folder / "nowhere/best.spv"}));
    CHECK(ended.code == 1);
    CHECK(is_one_complaint(ended.err));
    CHECK(ended.err.find("nowhere/best.spv") != std::string::npos);
    const std::string shader_hash = run({"sqlite3", file, "SELECT shader FROM trial"}).out;
    REQUIRE(shader_hash.size() == 17);
    const Ended told = run(tilewise::tilewise({"--db", file, "advise", "--shader", shader_hash.substr(0, 16)}));
    CHECK(told.out.find("\nsize       64x40\n") != std::string::npos);
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
    // Where other work keeps a core busy, chance may give the same numbers three times.
    const Command race = {shader("race.comp"), "--size", "2097152x1", "--buffer", "Numbers=256K", "--candidates", "1"};
    Ended ended;
    for (int times = 0; times < 10 && ended.code != 1; ++times) ended = tried(race + Command{"--time", "0"});
    CHECK(ended.code == 1);
    CHECK(is_one_complaint(ended.err));
    CHECK(ended.err.find("is not deterministic") != std::string::npos);
    refused({shader("gather.comp")}, 2, "--size");
    refused({shader("bilateral.comp"), "--size", "64x40"}, 2, "which format does source have? --format source=");
    refused({shader("prefix_sum.comp"), "--size", "64x1"}, 2, "how many bytes does");
    refused({shader("reproject.comp"), "--size", "64x40", "--format", "now=RGBA8", "--format", "history=RGBA8",
             "--format", "motion=RG8"},
            2, "what is in camera? --buffer camera=values:");
    refused({shader("blur_shared.comp"), "--size", "64x40", "--format", "source=RGBA8", "--push", "1"}, 2,
            "takes 2 numbers (size.x, size.y), and 1 came");
    refused({shader("gather.comp"), "--size", "64x40", "--image", "nowhere=noise"}, 2,
            "no shader has an image nowhere");
    refused({shader("gather.comp"), "--size", "64x40", "--format", "source=R32_UINT"}, 2,
            "the shader declares R16G16B16A16_SFLOAT");
    refused({shader("transpose.comp"), "--size", "64x40", "--spec", "depth=3"}, 2, "it has: columns, rows");
    refused({shader("gather.comp"), "--size", "64x40", "--entry", "other"}, 2, "the entry point of GLSL is main");
    refused({shader("tonemap.hlsl"), "--size", "64x40", "--entry", "CSmain"}, 1, "has no entry point CSmain");
    refused({"nowhere.comp", "--size", "64x40"}, 1, "nowhere.comp");
    refused({shader("gather.comp"), "--size", "64x40", "--format", "result=R32_SFLOAT"}, 2, "the shader declares");
    const Folder folder;
    write_text(folder / "pass.wgsl", "@compute @workgroup_size(64) fn main() {}");
    refused({folder / "pass.wgsl", "--size", "64x1"}, 2, "translate it to SPIR-V");
    write_text(folder / "shadow.comp",
               "#version 450\nlayout(local_size_x = 8) in;\nlayout(binding = 0) uniform sampler2DShadow map;\n"
               "layout(binding = 1, r32f) uniform writeonly image2D result;\nvoid main() {\n"
               "imageStore(result, ivec2(gl_GlobalInvocationID), vec4(textureLod(map, vec3(0.5), 0.0)));\n}\n");
    refused({folder / "shadow.comp", "--size", "64x1", "--format", "map=D32_SFLOAT"}, 1, "a shadow sampler");
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
                "did not finish in 0.5 s: does it have an endless loop?");
        // Not how fast it is, but that it ends.
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
    }
    SUBCASE("names full of escapes, in files and in shaders") {
        const std::string file = folder / "a\033[31m\nb.comp";
        std::filesystem::copy_file(shader("bilateral.comp"), file);
        refused({file, "--size", "64x40"}, 2, "which format does source have?");
        refused({file, "--size", "64x40", "--format", "so\033[2Jurce=RGBA8"}, 2, "<U+001B>[2Jurce");
        write_text(folder / "bad.comp", "#version 450\nvoid main() { \033[2J }\n");
        refused({folder / "bad.comp", "--size", "64x40"}, 1, "error");
    }
    SUBCASE("files that are no shaders and no scenes") {
        write_text(folder / "a.spv", std::string("\x03\x02\x23\x07", 4) + std::string(64, '\xff'));
        refused({folder / "a.spv", "--size", "64x40"}, 1, "is not valid SPIR-V");
        write_text(folder / "b.spv", "nothing");
        refused({folder / "b.spv", "--size", "64x40"}, 1, "is not SPIR-V");
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

TEST_CASE("an index that lies outside of a buffer costs a line or nothing, and never the program") {
    const Folder folder;
    // lavapipe keeps such accesses in the buffer; a GPU may lose the device. Both are answers.
    for (const char* index : {"0xffffffffu", "gl_GlobalInvocationID.x * 65536u", "1u << 30"}) {
        CAPTURE(index);
        const std::string file = written(
            folder, "outside.comp",
            fmt::format(
                "uint at = {};\nnumbers[at] = numbers[at + 1u] + 1u;\nnumbers[gl_GlobalInvocationID.x & 15u] = 3u;",
                index));
        const Ended ended = tried({file, "--size", "640x1", "--buffer", "Numbers=64:noise", "--candidates", "3",
                                   "--time", "0", "--timeout", "5"});
        CAPTURE(ended.err);
        CHECK((ended.code == 0 || (ended.code == 1 && is_one_complaint(ended.err))));
    }
}

TEST_CASE("sums of floats by atomics are equal within a bound, which is said") {
    const Folder folder;
    write_text(
        folder / "sum.comp",
        "#version 450\n#extension GL_EXT_shader_atomic_float : require\nlayout(local_size_x = 16, local_size_y = 4) "
        "in;\nlayout(std430, binding = 0) buffer Sums { float sums[4]; };\nvoid main() {\n"
        "    uvec2 at = gl_GlobalInvocationID.xy;\n"
        "    if (at.x < 64 && at.y < 40) atomicAdd(sums[at.x & 3u], 1.0 / float(1u + at.x * 40u + at.y));\n}\n");
    const Ended ended = tried({folder / "sum.comp", "--size", "64x40", "--groups", "4,10", "--buffer", "Sums=16:zero",
                               "--candidates", "6", "--time", "0"});
    CAPTURE(ended.err);
    if (ended.code != 0 && ended.err.find("capability") != std::string::npos) {
        MESSAGE("SKIPPED: this lavapipe adds no floats by atomics");
        return;
    }
    CHECK(ended.code == 0);
    CHECK(ended.out.find("WRONG") == std::string::npos);
    CHECK(ended.out.find("within 0.0001") != std::string::npos);
}

TEST_CASE("images of one dimension, of three and arrays are made, and their variants are equal") {
    const Folder folder;
    struct Shader {
        const char *name, *local, *declares, *does;
        Command options;
        size_t variants;
    };
    for (const Shader& shader :
         {Shader{"line.comp",
                 "local_size_x = 64",
                 "layout(binding = 0, r32f) uniform readonly image1D source;\n"
                 "layout(binding = 1, r32f) uniform writeonly image1D result;\n",
                 "int at = int(gl_GlobalInvocationID.x);\nif (at < imageSize(source))\n"
                 "imageStore(result, at, imageLoad(source, max(at - 1, 0)) + imageLoad(source, at));",
                 {"--size", "300x1"},
                 2},
          {"volume.comp",
           "local_size_x = 4, local_size_y = 4, local_size_z = 2",
           "layout(binding = 0, r32f) uniform readonly image3D source;\n"
           "layout(binding = 1, r32f) uniform writeonly image3D result;\n",
           "ivec3 at = ivec3(gl_GlobalInvocationID);\nif (all(lessThan(at, imageSize(source))))\n"
           "imageStore(result, at, imageLoad(source, at.zyx) * float(at.z + 1));",
           {"--size", "16x16", "--image", "source=noise@16x16x16", "--image", "result=poison@16x16x16", "--groups",
            "4,4,8"},
           4},
          {"layers.comp",
           "local_size_x = 8, local_size_y = 8",
           "layout(binding = 0, rgba8) uniform readonly image2DArray source;\n"
           "layout(binding = 1, rgba8) uniform writeonly image2DArray result;\n",
           "ivec3 at = ivec3(gl_GlobalInvocationID);\nif (all(lessThan(at, imageSize(source))))\n"
           "imageStore(result, at, imageLoad(source, ivec3(at.xy, 2 - at.z)));",
           {"--size", "40x24", "--groups", "5,3,3"},
           4},
          // What is said of an array is said of each of its images.
          {"parts.comp",
           "local_size_x = 8, local_size_y = 8",
           "layout(binding = 0) uniform sampler2D parts[2];\n"
           "layout(binding = 1, rgba8) uniform writeonly image2D result;\n",
           "ivec2 at = ivec2(gl_GlobalInvocationID);\nif (all(lessThan(at, imageSize(result))))\n"
           "imageStore(result, at, texelFetch(parts[0], at, 0) + texelFetch(parts[1], at.xy, 0));",
           {"--size", "40x24", "--format", "parts=RGBA8"},
           4}}) {
        CAPTURE(shader.name);
        write_text(folder / shader.name, fmt::format("#version 450\nlayout({}) in;\n{}void main() {{\n{}\n}}\n",
                                                     shader.local, shader.declares, shader.does));
        Command options = Command{folder / shader.name} + shader.options;
        // Layers are the scene's to say.
        if (shader.name == std::string("layers.comp")) {
            const Ended printed = tried(options + Command{"--print-scene"});
            REQUIRE(printed.code == 0);
            json scene = json::parse(printed.out);
            for (const char* image : {"source", "result"}) scene["images"][image]["layers"] = 3;
            write_text(folder / "scene.json", scene.dump());
            options = {"--scene", folder / "scene.json"};
        }
        const json told = found(options + Command{"--candidates", "8"});
        CHECK(told.at("variants").size() >= shader.variants);
        for (const json& variant : told.at("variants")) {
            CAPTURE(variant.dump());
            CHECK(variant.at("failure") == nullptr);
        }
    }
}

TEST_CASE("values of a block before an array without an end come in the block's order") {
    const Folder folder;
    write_text(folder / "table.comp",
               "#version 450\nlayout(local_size_x = 8) in;\n"
               "layout(std430, binding = 0) readonly buffer Table { uint count; float scale; float values[]; };\n"
               "layout(std430, binding = 1) buffer Result { float result[]; };\n"
               "void main() {\n    uint at = gl_GlobalInvocationID.x;\n"
               "    if (at < 64u) result[at] = at < count ? values[at % 4u] * scale : -1.0;\n}\n");
    const Command options = {folder / "table.comp", "--size", "64x1", "--buffer", "Result=256"};
    const json told = found(options + Command{"--buffer", "Table=64:values:40,0.5", "--candidates", "3"});
    CHECK(told.at("scene").at("buffers").at("Table").at("contents") == "values:40,0.5");
    for (const json& variant : told.at("variants")) CHECK(variant.at("failure") == nullptr);
    refused(options + Command{"--buffer", "Table=64:values:40"}, 2, "takes 2 numbers (count, scale), and 1 came");
    refused(options + Command{"--buffer", "Table=4:values:40,0.5"}, 2, "and the shader reads 8");
}

TEST_CASE(
    "GLSL whose globals are computed before main() has no text in another order, and numbers are no such globals") {
    const Folder folder;
    const std::string main =
        "layout(std430, set = 0, binding = 0) buffer Numbers { uint numbers[]; };\n"
        "const uint wide = gl_WorkGroupSize.x; float half_of = 1.0 / float(2);\n"
        "uint twice(const uint a) { uint b = 2u * a; return b; }\n/* uint no = gl_WorkGroupID.x; */\n";
    const std::string body =
        "void main() { uint at = gl_GlobalInvocationID.y * 64u + gl_GlobalInvocationID.x;\n"
        "numbers[at] = numbers[at] * 3u + twice(at) + wide + uint(half_of); }\n";
    const std::string head = "#version 450\nlayout(local_size_x = 8, local_size_y = 8) in;\n";
    write_text(folder / "plain.comp", head + main + body);
    write_text(folder / "global.comp", head + main + "uvec2 place = gl_GlobalInvocationID.xy;\n" + body);
    const auto text_of = [&](const char* name) {
        return tried({folder / name, "--size", "64x64", "--candidates", "8", "--time", "0", "--buffer", "Numbers=16384",
                      "--variant", "morton 8x8", "--code", folder / "made.comp"});
    };
    const Ended plain = text_of("plain.comp");
    CAPTURE(plain.err);
    CHECK(plain.code == 0);
    std::filesystem::remove(folder / "made.comp");
    const Ended global = text_of("global.comp");
    CHECK(global.code == 1);
    CHECK(global.err.find("computed before main()") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder / "made.comp"));
}

TEST_CASE("HLSL in another order is told the number of workgroups, and its SPIR-V's bindings are listed") {
    const Folder folder;
    write_text(folder / "fill.hlsl",
               "[[vk::image_format(\"r32f\")]] RWTexture2D<float> result : register(u0);\n"
               "[numthreads(8, 8, 1)]\nvoid main(in const uint3 id : SV_DispatchThreadID) {\n"
               "    result[id.xy] = id.x + 64 * id.y;\n}\n");
    const Ended made = tried({folder / "fill.hlsl", "--size", "64x40", "--candidates", "4", "--time", "0", "--variant",
                              "morton 8x8", "--code", folder / "made.hlsl", "--spirv", folder / "made.spv"});
    CAPTURE(made.err);
    CHECK(made.code == 0);
    CHECK(made.err.find("result 192") != std::string::npos);
    const std::string text = read_text(folder / "made.hlsl");
    CHECK(text.find("#define TILEWISE_GROUPS uint3(8, 5, 1)") != std::string::npos);
    CHECK(text.find("tilewise_order(TILEWISE_GROUPS,") != std::string::npos);
    CHECK(run({"spirv-dis", folder / "made.spv"}).out.find("Binding 192") != std::string::npos);
}

TEST_CASE("HLSL whose entry point takes a struct is rewritten as SPIR-V; its text is said not to be changed") {
    const Folder folder;
    write_text(
        folder / "struct.hlsl",
        "struct Input { uint3 group : SV_GroupID; uint3 local : SV_GroupThreadID; uint index : SV_GroupIndex; };\n"
        "[[vk::image_format(\"r32f\")]] RWTexture2D<float> result : register(u0);\n"
        "[numthreads(8, 8, 1)]\nvoid main(Input input) {\n    uint2 at = input.group.xy * 8 + input.local.xy;\n"
        "    result[at] = input.index + 64 * at.x;\n}\n");
    const Command options = {folder / "struct.hlsl", "--size", "64x40"};
    const json told =
        found(options + Command{"--candidates", "4", "--variant", "morton 8x8", "--spirv", folder / "a.spv"});
    CHECK(told.at("variants").size() == 4);
    for (const json& variant : told.at("variants")) CHECK(variant.at("failure") == nullptr);
    CHECK(run({"spirv-val", "--target-env", "vulkan1.1", folder / "a.spv"}).code == 0);
    const Ended text = tried(
        options + Command{"--candidates", "4", "--variant", "morton 8x8", "--time", "0", "--code", folder / "b.hlsl"});
    CAPTURE(text.err);
    CHECK(text.code == 1);
    CHECK(is_one_complaint(text.err));
    CHECK(text.err.find("--spirv") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder / "b.hlsl"));
}

TEST_CASE("Ctrl-C ends it soon, with nothing kept and nothing left behind") {
    const Folder folder;
    const std::string file = folder / "t.db";
    // Once, so that the device is known and the database is there.
    const Command first = tilewise_on("system", {"--db", file, "--quiet", "try", shader("gather.comp"), "--size",
                                                 "64x40", "--candidates", "2", "--time", "0"});
    REQUIRE(run(first).code == 0);
    const auto tried_shaders = [&] {
        const Ended ended = run({"sqlite3", file, "SELECT count(*) FROM trial"});
        return ended.code == 0 ? ended.out : std::string("no sqlite3");
    };
    const std::string before = tried_shaders();
    for (const int milliseconds : {300, 2500}) {
        CAPTURE(milliseconds);
        const Running running =
            start(tilewise_on("system", {"--db", file, "--quiet", "try", shader("bilateral.comp"), "--size", "640x400",
                                         "--format", "source=RGBA8", "--time", "600", "--spirv", folder / "best.spv"}));
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        const auto asked = std::chrono::steady_clock::now();
        kill(-running.pid, SIGINT);
        const Ended ended = wait_for(running);
        // Not how fast it is, but that it does not wait for the ten minutes.
        CHECK(std::chrono::steady_clock::now() - asked < std::chrono::seconds(30));
        CAPTURE(ended.err);
        // Before the shader is compiled the signal has its usual end.
        CHECK((ended.code == 1 || ended.code == 128 + SIGINT));
        if (ended.code == 1) CHECK(ended.err.find("interrupted; nothing is kept") != std::string::npos);
        CHECK_FALSE(std::filesystem::exists(folder / "best.spv"));
        // A process of the program names its role.
        CHECK(run({"pgrep", "-f", file}).out.empty());
    }
    CHECK(tried_shaders() == before);
    CHECK(run(tilewise::tilewise({"--db", file, "db", "check"})).code == 0);
    CHECK(static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder.path), {})) <= 3);
}
