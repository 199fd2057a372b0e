// Numbers of strangers that are a loop's end or a size: each class of them with huge values, under limits of time and
// memory. docs/trust.md lists them.
#include "db/sqlite/open.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/raw_database.h"
#include <cstring>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;

namespace {

/// Seconds of one core, and KiB of addresses: lavapipe maps gigabytes that it does not use.
constexpr int most_seconds = 20, most_kib = 4'000'000, most_kib_of_driver = 24'000'000;

Ended within_limits(const Command& command, int kib = most_kib) {
    static const Folder own;  // the user's database may hold anything
    return run(
        Command{"bash", "-c",
                fmt::format("export TILEWISE_DB={}; ulimit -v {} -t {}; exec \"$@\"", own / "t.db", kib, most_seconds),
                "bash"} +
        command);
}

std::string last_line(const std::string& text) {
    const size_t end = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
    return end == std::string::npos ? text : text.substr(end + 1);
}

/// It ends by itself, with one complaint that mentions the thing.
void is_refused(const Ended& ended, const std::string& mentions) {
    CAPTURE(ended.code);
    CAPTURE(ended.err);
    CHECK((ended.code == 1 || ended.code == 2));
    CHECK(is_one_complaint(last_line(ended.err)));
    CHECK(ended.err.find(mentions) != std::string::npos);
}

void is_refused(const Command& arguments, const std::string& mentions) {
    is_refused(within_limits(tilewise::tilewise(arguments)), mentions);
}

void try_is_refused(const Command& arguments, const std::string& mentions) {
    is_refused(within_limits(tilewise_on("system", Command{"--quiet", "try"} + arguments), most_kib_of_driver),
               mentions);
}

std::string file_in(const Folder& folder, const std::string& name, const std::string& text) {
    write_text(folder / name, text);
    return folder / name;
}

std::string repeated(const std::string& text, size_t times) {
    std::string all;
    for (size_t i = 0; i < times; i++) all += text;
    return all;
}

std::string shader(const std::string& name) { return source_dir() + "/tests/shaders/" + name; }

std::string words(std::initializer_list<uint32_t> values) {
    std::string bytes;
    for (const uint32_t value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return bytes;
}

/// A layout of one-byte elements in tiles of 2^x by 2^y, along x and then y.
std::string layout_of(unsigned x, unsigned y, uint64_t stride_x, uint64_t stride_y, uint64_t base = 0) {
    std::string rows;
    for (unsigned bit = 0; bit < x + y; bit++)
        rows += fmt::format("{}\"{}{}\"", bit == 0 ? "" : ",", bit < x ? 'x' : 'y', bit < x ? bit : bit - x);
    return fmt::format(
        R"({{"element":{{"bytes":1,"width":1,"height":1}},"tile":{{"width":{},"height":{},"depth":1,"bytes":{}}},)"
        R"("equation":[{}],"outer_xor":{{}},"stride":{{"x":{},"y":{},"z":0,"xor":{{}}}},"constant":0,"base":{}}})",
        1U << x, 1U << y, uint64_t{1} << (x + y), rows, stride_x, stride_y, base);
}

std::string image_of(uint32_t side, uint32_t levels, uint32_t layers, const std::string& parts) {
    return fmt::format(
        R"({{"format":"R8_UNORM","usage":"sampled","image_type":"2D","extent":[{},{},1],"levels":{},"layers":{},)"
        R"("samples":1,"flags":"","bytes":0,"alignment":1,"source":"given","evidence":"","subresources":[{}]}})",
        side, side, levels, layers, parts);
}

/// SPIR-V of the text, as spirv-as makes it.
std::string assembled(const Folder& folder, const std::string& name, const std::string& text) {
    write_text(folder / (name + ".txt"), text);
    const Ended ended = run({"spirv-as", "--target-env", "vulkan1.1", folder / (name + ".txt"), "-o", folder / name});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    return folder / name;
}

const std::string head_of_module =
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
    "OpExecutionMode %main LocalSize 1 1 1\n";
const std::string types =
    "%void = OpTypeVoid\n%f = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%zero = OpConstant %u 0\n";

}  // namespace

TEST_CASE("tables: coordinates and offsets of rows") {
    const Folder folder;
    is_refused({"solve", file_in(folder, "a.csv", "0,0,0\n4294967294,4294967294,4\n"), "--element-bytes", "4"},
               "is foreign");
    is_refused({"solve", file_in(folder, "b.csv", "4294967294,4294967293,0\n4294967293,4294967294,4\n")},
               "too few for an image");
    std::string diagonal = "x,y,z,s,byte_offset\n";
    for (int i = 0; i < 65536; i++) diagonal += fmt::format("{0},{0},{0},{0},{1}\n", i, 4 * i);
    is_refused({"solve", file_in(folder, "c.csv", diagonal)}, "too few for an image");
}

TEST_CASE("textures: sides, levels, layers and places of a header") {
    const Folder folder;
    const auto ktx2 = [&](std::initializer_list<uint32_t> fields) {
        return file_in(folder, "a.ktx2", "\xABKTX 20\xBB\r\n\x1A\n" + words(fields) + std::string(4096, '\xff'));
    };
    constexpr uint32_t all = ~0U, far = 1 << 24;
    for (const auto& fields : {std::initializer_list<uint32_t>{37, 1, far, far, far, 0, 1, 25, 0, 80, 92, 0, 0},
                               {37, 1, far, far, 0, 16384, 1, 25, 0, all, all, all, all},
                               {37, 1, far, far, 0, 16384, 6, 25, 0, 80, all, 0, all},
                               {37, 1, all, all, all, all, all, all, 0, all, all, all, all}})
        is_refused({"tile", ktx2(fields), folder / "out", "--pattern", "linear"}, "a.ktx2: ");
    std::string dds = "DDS " + std::string(144, '\0');
    const auto put = [&](size_t at, uint32_t value) { std::memcpy(dds.data() + at, &value, sizeof value); };
    for (const auto& [at, value] : std::vector<std::pair<size_t, uint32_t>>{{4, 124},
                                                                            {8, 0xa21007},
                                                                            {12, far},
                                                                            {16, far},
                                                                            {24, 1},
                                                                            {28, 25},
                                                                            {76, 32},
                                                                            {80, 4},
                                                                            {84, 0x30315844},
                                                                            {128, 2},
                                                                            {132, 3},
                                                                            {140, 16384}})
        put(at, value);
    is_refused({"tile", file_in(folder, "a.dds", dds), folder / "out", "--pattern", "linear"}, "a.dds: the image");
    put(132, 4);
    put(140, 1);
    put(24, far);
    is_refused({"tile", file_in(folder, "a.dds", dds), folder / "out", "--pattern", "linear"}, "a.dds: the image");
}

TEST_CASE("layouts: tiles, strides, levels and layers of a JSON file") {
    const Folder folder;
    const std::string memory = file_in(folder, "memory", std::string(4096, 'x'));
    const auto detile = [&](const std::string& json, const std::string& extent) {
        Command command = {"detile", memory, folder / "out", "--layout", file_in(folder, "layout.json", json)};
        if (!extent.empty()) command = command + Command{"--format", "R8_UNORM", "--extent", extent, "--assume"};
        return command;
    };
    for (const char* extent : {"16777216x16777216", "3x3", "1x16777216"}) {
        CAPTURE(extent);
        is_refused(detile(layout_of(24, 24, 1ULL << 48, 1ULL << 48), extent), "memory has 4096 bytes");
        is_refused(detile(layout_of(0, 0, 1ULL << 32, 1ULL << 63), extent), "");
    }
    // One entry of all that the image says to have.
    const std::string part = fmt::format(
        R"({{"aspect":"color","level":0,"layer":0,"layers":16384,"layer_stride":2251799813685248,"extent":[16777216,)"
        R"(16777216,1],"layout":{}}})",
        layout_of(24, 24, 0, 0));
    is_refused(detile(image_of(1 << 24, 25, 16384, part), ""), "16384 of its 25 levels and 16384 layers");
    is_refused(detile(image_of(1 << 24, 1, 16384, part), ""), "reach beyond 64 bits");
    // Two layers, byte by byte among one another: proved apart by looking at each, but not over any distance.
    const auto woven = [&](unsigned side) {
        return image_of(
            1U << side, 1, 2,
            fmt::format(R"({{"aspect":"color","level":0,"layer":0,"layers":2,"layer_stride":1,"extent":[{0},)"
                        R"({0},1],"layout":{1}}})",
                        1U << side, layout_of(0, 0, 2, 2ULL << side)));
    };
    is_refused(detile(woven(16), ""), "too much to prove them apart");
    is_refused(detile(woven(14), ""), "memory has 4096 bytes");
}

TEST_CASE("bundles and rows of a database: rules, trials, observations") {
    const Folder folder;
    const std::string file = folder / "t.db";
    nlohmann::json bundle = nlohmann::json::parse(read_text(source_dir() + "/db/catalog/nvidia-h100.json"));
    nlohmann::json& observation = bundle["observations"][0];
    for (const char* member : {"width", "height", "levels", "layers"}) {
        CAPTURE(member);
        nlohmann::json huge = bundle;
        if (observation.contains("extent") && (member == std::string("width") || member == std::string("height")))
            huge["observations"][0]["extent"] = {4294967295U, 4294967295U, 4294967295U};
        else
            huge["observations"][0][member] = 4294967295U;
        is_refused({"--db", file, "db", "import", file_in(folder, "b.json", huge.dump())}, "b.json");
    }
    REQUIRE(
        run(tilewise::tilewise({"--db", file, "db", "import", source_dir() + "/db/catalog/nvidia-nvk.json"})).code ==
        0);
    // What is kept of a shader is JSON: 200,000 lists in one another, and what is no such thing.
    for (const std::string& result : {repeated("[", 200'000), std::string(R"({"variants":[{"name":5}]})")}) {
        damage(file,
               "INSERT OR REPLACE INTO trial (shader, device, driver, result, time, tool_version) VALUES "
               "('0123456789abcdef', 'd', 'v', '" +
                   result + "', '', '')");
        is_refused({"--db", file, "advise", "--shader", "0123456789abcdef"}, "shader");
    }
    damage(file,
           "UPDATE rule_content SET content = json_set(content, '$.modes[0].layer_xor', "
           "json('[1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536]'))");
    const Ended checked = within_limits(tilewise::tilewise({"--db", file, "db", "check"}));
    CHECK(checked.code == 1);
    CHECK(checked.out.find("layer_xor") != std::string::npos);
}

TEST_CASE("equations, modifiers and modes that are typed in") {
    const auto layout = [](const Command& by, const std::string& extent = "16777216x16777216") {
        return within_limits(tilewise::tilewise(Command{"--quiet", "layout"} + by + Command{"--extent", extent}));
    };
    std::string bits;
    for (int i = 0; i < 24; i++) bits += fmt::format("x{} ", i);
    for (int i = 0; i < 16; i++) bits += fmt::format("y{} ", i);
    CHECK(layout({"--equation", bits, "--element-bytes", "1"}).code == 0);
    is_refused(layout({"--equation", bits + "y16", "--element-bytes", "1"}), "at most 40");
    is_refused(layout({"--equation", "x4294967295", "--element-bytes", "1"}), "not a coordinate bit");
    is_refused(layout({"--equation", repeated("x0 ", 40'000), "--element-bytes", "1"}), "40000 address bits");
    CHECK(layout({"--equation", repeated("x0^", 40'000) + "x0 y0", "--element-bytes", "4096"}).code == 0);
    for (unsigned vendor = 0; vendor < 16; vendor++) {
        const Ended ended =
            layout({"--modifier", fmt::format("0x{:02x}ffffffffffffff", vendor), "--format", "R8_UNORM"});
        CAPTURE(vendor);
        CAPTURE(ended.err);
        CHECK((ended.code == 0 || is_one_complaint(last_line(ended.err))));
    }
    for (const char* parameter : {"gobs=4294967296", "gobs=18446744073709551616", "gobs=-1", "gobs_deep=1e9"})
        is_refused(layout({"--mode", "block_linear", "--param", parameter, "--format", "R8_UNORM"}), "gobs");
    is_refused(layout({"--mode", "sand", "--param", "rows=18446744073709551615", "--format", "R8_UNORM"}), "");
    is_refused(layout({"--mode", "morton", "--format", "R8_UNORM"}), "at most 40");
}

TEST_CASE("extents and counts of the command line") {
    const Folder folder;
    const std::string memory = file_in(folder, "memory", std::string(4096, 'x'));
    const Command linear = {"--pattern", "linear", "--format", "R8_UNORM"};
    is_refused(Command{"layout", "--extent", "16777216x16777216", "--table", folder / "t.csv"} + linear,
               "a table of 281474976710656 elements");
    CHECK(std::filesystem::exists(folder / "t.csv") == false);
    for (const char* verb : {"tile", "detile"})
        is_refused(Command{verb, memory, folder / "out", "--extent", "16777216x16777216"} + linear,
                   "memory has 4096 bytes");
    is_refused(Command{"identify", memory, "--format", "R8_UNORM", "--extent", "16777216x16777216"},
               "memory has 4096 bytes");
    is_refused(Command{"layout", "--extent", "16777216x16777216x16777216"} + linear, "beyond 64 bits");
    is_refused(Command{"layout", "--extent", "64x64", "--layers", "4294967295"} + linear, "from 1 to");
    is_refused({"layout", "--verify", "18446744073709551615"}, "--verify");
}

TEST_CASE("scenes: sizes that wrap, values in one another, passes without number") {
    const Folder folder;
    const auto scene = [&](const std::string& size, const std::string& format) {
        return file_in(folder, "scene.json",
                       fmt::format(R"({{"size":[64,40],"images":{{"source":{{"format":"{}","size":{}}}}},)"
                                   R"("passes":[{{"shader":"{}"}}]}})",
                                   format, size, shader("bilateral.comp")));
    };
    // 2^60 texels of 16 bytes are 2^64.
    try_is_refused({"--scene", scene("[1048576,1048576,1048576]", "R32G32B32A32_SFLOAT")}, "the scene is too large");
    for (const char* size : {"4294967295x4294967295", "2147483648x2147483648", "65536x65536"}) {
        CAPTURE(size);
        const Command format = {"--format", "source=R8G8B8A8_UNORM"};
        try_is_refused(Command{shader("bilateral.comp"), "--size", size} + format, "the scene is too large");
        try_is_refused(
            Command{shader("bilateral.comp"), "--size", "64x40", "--image", "source=noise@" + std::string(size)} +
                format,
            "the scene is too large");
    }
    try_is_refused({shader("prefix_sum.comp"), "--size", "64x1", "--buffer", "Numbers=18446744073709551615", "--buffer",
                    "Prefixes=17179869183G", "--buffer", "Sums=64"},
                   "the scene is too large");
    const std::string lists = repeated("[", 200'000) + repeated("]", 200'000);
    try_is_refused({"--scene", file_in(folder, "deep.json", "{\"passes\":[{\"shader\":\"a\",\"push\":" + lists + "}]}"),
                    "--print-scene"},
                   "nested deeper");
    std::string passes;
    for (int i = 0; i < 5000; i++)
        passes += fmt::format("{}{{\"shader\":\"{}\"}}", i == 0 ? "" : ",", shader("gather.comp"));
    try_is_refused({"--scene", file_in(folder, "many.json", "{\"size\":[64,40],\"passes\":[" + passes + "]}")},
                   "has 5000 passes");
}

TEST_CASE("SPIR-V: workgroups, blocks, pointers and barriers without end") {
    const Folder folder;
    const std::string sized = file_in(folder, "sized.comp",
                                      "#version 450\nlayout(local_size_x_id = 0, local_size_y_id = 1) in;\n"
                                      "layout(std430, binding = 0) buffer Numbers { uint numbers[]; };\n"
                                      "void main() { numbers[gl_LocalInvocationIndex] = 1; }\n");
    for (const char* side : {"65536", "4294967295"})
        try_is_refused({sized, "--size", "64x64", "--buffer", "Numbers=64", "--spec", fmt::format("0={}", side),
                        "--spec", fmt::format("1={}", side)},
                       "invocations, of which");

    // Each struct holds the one before it twice.
    constexpr unsigned depth = 20;
    std::string module = head_of_module + "OpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0\n", chain;
    for (unsigned i = 0; i < depth; i++) {
        module += fmt::format("OpMemberDecorate %s{} 0 Offset 0\n", i);
        if (i > 0) module += fmt::format("OpMemberDecorate %s{} 1 Offset {}\n", i, 4U << (i - 1));
        chain += " %zero";
    }
    module += fmt::format("OpDecorate %s{} BufferBlock\n", depth - 1) + types + "%s0 = OpTypeStruct %u\n";
    for (unsigned i = 1; i < depth; i++) module += fmt::format("%s{0} = OpTypeStruct %s{1} %s{1}\n", i, i - 1);
    module += fmt::format("%p = OpTypePointer Uniform %s{}\n", depth - 1) +
              "%pu = OpTypePointer Uniform %u\n%v = OpVariable %p Uniform\n%main = OpFunction %void None %f\n"
              "%l = OpLabel\n%a = OpAccessChain %pu %v" +
              chain + "\nOpStore %a %zero\nOpReturn\nOpFunctionEnd\n";
    try_is_refused({assembled(folder, "twice.spv", module), "--size", "64x64", "--buffer", "v=64M"},
                   "blocks of more than 262144 parts");

    // Each pointer leads to one variable more than the one before it.
    constexpr unsigned variables = 6000;
    module =
        "OpCapability Shader\nOpCapability VariablePointersStorageBuffer\n"
        "OpExtension \"SPV_KHR_variable_pointers\"\n" +
        head_of_module.substr(head_of_module.find('\n') + 1) + "OpMemberDecorate %s 0 Offset 0\nOpDecorate %s Block\n";
    for (unsigned i = 0; i < variables; i++)
        module += fmt::format("OpDecorate %v{0} DescriptorSet 0\nOpDecorate %v{0} Binding {0}\n", i);
    module += types +
              "%b = OpTypeBool\n%true = OpConstantTrue %b\n%s = OpTypeStruct %u\n"
              "%p = OpTypePointer StorageBuffer %s\n";
    std::string body = "%main = OpFunction %void None %f\n%l = OpLabel\n%c1 = OpSelect %p %true %v0 %v1\n";
    for (unsigned i = 0; i < variables; i++) {
        module += fmt::format("%v{} = OpVariable %p StorageBuffer\n", i);
        if (i > 1) body += fmt::format("%c{0} = OpSelect %p %true %c{1} %v{0}\n", i, i - 1);
    }
    try_is_refused({assembled(folder, "leads.spv", module + body + "OpReturn\nOpFunctionEnd\n"), "--size", "64x64"},
                   "lead to too many variables");

    constexpr unsigned barriers = 100'000;
    module =
        head_of_module + types +
        "%two = OpConstant %u 2\n%semantics = OpConstant %u 264\n%main = OpFunction %void None %f\n%l = OpLabel\n" +
        repeated("OpControlBarrier %two %two %semantics\n", barriers) + "OpReturn\nOpFunctionEnd\n";
    try_is_refused({assembled(folder, "barriers.spv", module), "--size", "64x64"}, "write nothing");
}
