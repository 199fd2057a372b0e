// `tilewise snippet` from the shipped catalog, on a machine that has no database.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace tilewise;

namespace {

Ended snippet(const Command& arguments, const Command& global = {}) {
    const Folder empty;
    Command command = {"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=" + empty.path.string(), program_path()};
    command.insert(command.end(), global.begin(), global.end());
    command.push_back("snippet");
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run(command);
}

/// The last line of stderr: that there is no database comes first.
std::string complaint(const Ended& ended) {
    const std::string text = ended.err.substr(0, ended.err.find_last_not_of('\n') + 1);
    return text.substr(text.rfind('\n') + 1);
}

void refuses(const Command& arguments, int code, const std::string& mentions) {
    const Ended ended = snippet(arguments);
    CAPTURE(ended.err);
    CHECK(ended.code == code);
    CHECK(ended.out == "");
    CHECK(complaint(ended).starts_with("tilewise: "));
    CHECK(complaint(ended).find(mentions) != std::string::npos);
}

bool has_bmi2() {
#ifdef __x86_64__
    return __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

}  // namespace

TEST_CASE("snippet prints code and nothing else, and names pattern, device and provenance in it") {
    const Ended ended = snippet({"--gpu", "RTX 2080", "--format", "R8G8B8A8_UNORM", "--lang", "hlsl"});
    CHECK(ended.code == 0);
    CHECK(ended.out.starts_with("// tilewise "));
    CHECK(ended.out.find("// NVK TU104 (0x164) (NVK Mesa") != std::string::npos);
    CHECK(ended.out.find("// learned from driver without hardware") != std::string::npos);
    CHECK(ended.out.find("// RTX 2080 has the chip TU104 (Turing)\n") != std::string::npos);
    CHECK(ended.out.find("uint2 tilewise_remap(uint index) {") != std::string::npos);
    CHECK(ended.out.ends_with("}\n"));
}

TEST_CASE("an extent that nobody observed has the pattern that layout predicts, which show has, too") {
    for (const char* extent : {"2560x1440", "3x3"}) {
        CAPTURE(extent);
        const Folder empty;
        const auto asked = [&](const Command& of) {
            Command command = {"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=" + empty.path.string(), program_path()};
            command.insert(command.end(), of.begin(), of.end());
            command.insert(command.end(), {"--gpu", "RTX 4090", "--format", "R8G8B8A8_UNORM", "--extent", extent});
            return run(command);
        };
        const Ended layout = asked({"layout"}), show = asked({"--json", "show"}),
                    code = asked({"--json", "snippet", "--lang", "glsl"});
        CAPTURE(code.err);
        REQUIRE(code.code == 0);
        CHECK(code.err.find("There is no database") == code.err.rfind("There is no database"));
        const auto snippet_json = nlohmann::json::parse(code.out);
        const std::string pattern = snippet_json.at("pattern"), text = snippet_json.at("code");
        CHECK(layout.out.find(pattern) != std::string::npos);
        CHECK(nlohmann::json::parse(show.out).at("id") == pattern);
        CHECK(text.find(std::string("images of ") + extent + "\n// predicted, by the rule learned from ") !=
              std::string::npos);
    }
    const auto code_of = [](const char* extent) {
        const Ended ended =
            snippet({"--gpu", "RTX 4090", "--format", "R8G8B8A8_UNORM", "--extent", extent, "--lang", "glsl"});
        return ended.out.substr(ended.out.find("uvec2"));
    };
    CHECK(code_of("2560x1440") == code_of("1000x700"));  // the same blocks, and the latter was observed
}

TEST_CASE("what has to be assumed of an extent is said, whatever --quiet says, and in the code") {
    const Ended ended =
        snippet({"--gpu", "Mali-G610", "--format", "R32G32B32A32_SFLOAT", "--extent", "2560x1440", "--lang", "glsl"},
                {"--quiet"});
    CHECK(ended.code == 0);
    CHECK(complaint(ended).starts_with("Assumed: 2560x1440 is laid out like "));
    CHECK(ended.out.find("// assumed, like ") != std::string::npos);
}

TEST_CASE("snippet --json has the members of the contract") {
    const Ended ended = snippet({"--gpu", "NAVI21", "--format", "R8G8B8A8_UNORM", "--lang", "wgsl"}, {"--json"});
    const auto parsed = parse(ended);
    CHECK(parsed.size() == 5);
    CHECK(parsed.at("language") == "wgsl");
    CHECK(parsed.at("kind") == "remap");
    CHECK(parsed.at("pattern").get<std::string>().size() == 16);
    CHECK(parsed.at("code").get<std::string>().find("fn tilewise_remap(index: u32)") != std::string::npos);
    CHECK(parsed.at("explanation").get<std::string>().find("segments") != std::string::npos);
}

TEST_CASE("snippet --explain puts the derivation into the comment") {
    const Command arguments = {"--gpu", "NAVI21", "--format", "R8G8B8A8_UNORM", "--lang", "glsl"};
    CHECK(snippet(arguments).out.find("segments") == std::string::npos);
    Command explained = arguments;
    explained.emplace_back("--explain");
    CHECK(snippet(explained).out.find("// order ") != std::string::npos);
}

TEST_CASE("a kernel with a radius gets a tall box where workgroups are known to start along rows") {
    Command arguments = {"--gpu", "H200", "--format", "R16G16B16A16_SFLOAT", "--lang", "glsl"};
    CHECK(snippet(arguments).out.find("workgroup of 16x16;") != std::string::npos);
    arguments.insert(arguments.end(), {"--radius", "2"});
    CHECK(snippet(arguments).out.find("workgroup of 2x128;") != std::string::npos);
    // Nothing is known of this one's order.
    arguments[1] = "RTX 2080";
    arguments[3] = "R8G8B8A8_UNORM";
    CHECK(snippet(arguments).out.find("workgroup of 16x16;") != std::string::npos);
}

TEST_CASE("a filter that reads a line gets a wider box than a kernel that reads a square, a user's own filter, too") {
    const Folder folder;
    write_text(folder / "mine.glsl", "vec4 filter_step(vec4 sum, vec4 texel, int i) { return sum + texel; }");
    // With --subgroup it is another question than what was measured. The boxes are those of docs/remap.md.
    const auto shape_of = [&](const Command& kernel) {
        const Command common = {"--gpu",  "H200", "--format",   "R16G16B16A16_SFLOAT",
                                "--lang", "glsl", "--subgroup", "32"};
        const std::string out = snippet(common + kernel).out, title = "in a workgroup of ";
        const size_t at = out.find(title) + title.size();
        return out.substr(at, out.find(';', at) - at);
    };
    const Command radius = {"--radius", "8"};
    for (const Command& lines :
         {Command{"--kernel", "gaussian"}, {"--kernel", "bilateral"}, {"--filter", folder / "mine.glsl"}})
        CHECK(shape_of(radius + lines) == "8x32");
    CHECK(shape_of(radius) == "4x64");
    CHECK(shape_of(radius + Command{"--kernel", "box"}) == "4x64");
    CHECK(shape_of({"--kernel", "average"}) == "16x16");
}

TEST_CASE("without the kernel's registers snippet says which number of invocations it assumes") {
    const Command asked = {"--gpu",    "H100", "--format", "R32G32B32A32_SFLOAT", "--lang", "glsl",
                           "--radius", "2",    "--explain"};
    CHECK(snippet(asked).out.find("found by tune, of 125 orders and shapes, on NVIDIA H100") != std::string::npos);
    CHECK(snippet(asked).err.find("registers") == std::string::npos);
    Command arguments = asked;
    arguments.insert(arguments.end(), {"--subgroup", "32"});  // another question than what was measured
    const Ended assumed = snippet(arguments);
    const std::string line =
        "registers unknown: 256 invocations assumed; tilewise validate on the device measures them\n";
    CHECK(assumed.err.find(line) != std::string::npos);
    CHECK(assumed.out.find("// " + line) != std::string::npos);
    CHECK(assumed.out.find("workgroup of 2x128;") != std::string::npos);
    // 1,024 is what validate takes there.
    Command given = arguments;
    given.insert(given.end(), {"--invocations", "1024"});
    const Ended measured = snippet(given);
    CHECK(measured.err.find("registers") == std::string::npos);
    CHECK(measured.out.find("workgroup of 64x16;") != std::string::npos);
    CHECK(measured.out.find("y0 y1 x0 y2 x1 | ") != std::string::npos);
    CHECK(snippet({"--gpu", "H100", "--format", "R32G32B32A32_SFLOAT", "--lang", "glsl"}).err.find("registers") ==
          std::string::npos);
}

TEST_CASE("snippet --shape gives memory order in that box, or any other order in it") {
    Command arguments = {"--gpu", "RTX 2080", "--format", "R8G8B8A8_UNORM", "--lang",
                         "glsl",  "--shape",  "32x8",     "--explain"};
    const Ended ended = snippet(arguments);
    CHECK(ended.out.find("workgroup of 32x8;") != std::string::npos);
    CHECK(ended.out.find("x0 x1 y0 y1 x2 | y2 x3 x4 ") != std::string::npos);
    CHECK(ended.out.find("Shape 32x8: as requested.") != std::string::npos);
    arguments.insert(arguments.end(), {"--order", "morton"});
    CHECK(snippet(arguments).out.find("workgroup of 32x8;") != std::string::npos);
}

TEST_CASE("what cannot be served is said in one line, with what there is instead") {
    refuses({}, 2, "--gpu");
    refuses({"--lang", "glsl"}, 2, "--gpu");
    refuses({"--lang", "perl", "--device", "2080"}, 2, "wgsl");
    refuses({"--lang", "glsl", "--device", "2080", "--kind", "swizzle"}, 2, "group-order");
    refuses({"--lang", "glsl", "--gpu", "RTX 2081"}, 1, "RTX 2080");
    refuses({"--lang", "glsl", "--device", "2080", "--format", "R8G8B8A8_UNORN"}, 1, "R8G8B8A8_UNORM");
    refuses({"--lang", "glsl", "--gpu", "RADV", "--format", "R8G8B8A8_UNORM"}, 1, "name one of them");
    refuses({"--lang", "glsl", "--vendor", "AMD", "--format", "R8G8B8A8_UNORM"}, 2, "--pattern");
    refuses({"--lang", "glsl", "--gpu", "lavapipe", "--format", "R8G8B8A8_UNORM"}, 1, "row order");
    refuses({"--lang", "glsl", "--pattern", "zzz"}, 1, "zzz");
    refuses({"--lang", "glsl", "--device", "2080", "--order", "rdna"}, 2, "--invocations 64");
    refuses({"--lang", "glsl", "--device", "2080", "--invocations", "100"}, 2, "100");
    refuses({"--lang", "glsl", "--device", "2080", "--kernel", "sobel", "--radius", "1"}, 2, "gaussian");
    refuses({"--lang", "glsl", "--device", "2080", "--kernel", "gaussian"}, 2, "--radius");
    refuses({"--lang", "glsl", "--device", "2080", "--filter", "/no/such.glsl", "--radius", "1"}, 1, "/no/such.glsl");
    refuses({"--lang", "glsl", "--device", "2080", "--shape", "24x8"}, 2, "24x8: give sides that are powers of two");
    refuses({"--lang", "glsl", "--device", "2080", "--shape", "256"}, 2, "--shape 256");
    refuses({"--lang", "glsl", "--device", "2080", "--shape", "0x8"}, 2, "--shape 0x8");
    refuses({"--lang", "glsl", "--device", "2080", "--shape", "128x64"}, 2, "more than 4096 invocations");
    refuses({"--lang", "glsl", "--device", "2080", "--shape", "16x8", "--invocations", "256"}, 2, "not 256");
    refuses({"--lang", "glsl", "--device", "2080", "--kind", "group-order", "--group-order", "strips", "--strip-width",
             "0"},
            2, "width");
}

TEST_CASE("linear patterns have addresses, and groups row by row") {
    const auto code = [](const Command& more) {
        Command command = {"--gpu", "lavapipe", "--format", "R8G8B8A8_UNORM", "--lang", "cpp", "--kind"};
        command.insert(command.end(), more.begin(), more.end());
        const Ended ended = snippet(command);
        REQUIRE(ended.code == 0);
        return ended.out.substr(ended.out.find("constexpr"));
    };
    CHECK(code({"address"}).find("x * stride.x + y * stride.y") != std::string::npos);
    CHECK(code({"texel"}).find(" tilewise_texel(") != std::string::npos);
    // A tile of one group has no place within it: y is what whole rows are counted by, x is what is left.
    const std::string groups = code({"group-order", "--group-order", "tiles"});
    CHECK(groups.find("top = rest / groups.x;") != std::string::npos);
    CHECK(groups.find("rest = rest % groups.x;") != std::string::npos);
}

TEST_CASE("a snippet of a whole image has its bases as constants, and takes the level and layer that vary") {
    const auto snippet = [](const char* image, const Command& more) {
        Command command = {"snippet", "--lang", "cpp", "--layout", source_dir() + "/tests/data/images/" + image};
        command.insert(command.end(), more.begin(), more.end());
        return run(tilewise::tilewise(command));
    };
    const Ended address = snippet("turnip-630.json", {"--kind", "address"});
    CAPTURE(address.err);
    REQUIRE(address.code == 0);
    CHECK(address.out.find("// probed, as seen on ") != std::string::npos);
    CHECK(address.out.find("level (0 to 5), layer (0 to 1)") != std::string::npos);
    CHECK(
        address.out.find("constexpr uint64_t tilewise_address(TilewiseUint2 texel, uint32_t level, uint32_t layer)") !=
        std::string::npos);
    const Ended deep = snippet("nvk-turing-3d.json", {"--kind", "texel"});
    CHECK(deep.out.find("constexpr TilewiseUint3 tilewise_texel(uint64_t offset, uint32_t level)") !=
          std::string::npos);
    const Ended samples = snippet("four-samples.json", {"--kind", "address", "--json"});
    CHECK(parse(samples)["code"].get<std::string>().find("tilewise_address(TilewiseUint4 texel, uint32_t layer)") !=
          std::string::npos);
    for (const Command& wrong : {Command{"--kind", "remap"}, Command{"--kind", "address", "--aspect", "depth"},
                                 Command{"--kind", "address", "--levels", "3"}}) {
        const Ended ended = snippet("turnip-630.json", wrong);
        CHECK(ended.code == 2);
        CHECK(ended.out == "");
        CHECK(is_one_complaint(ended.err));
    }
}

TEST_CASE("snippet --kind convert prints a whole shader, which compiles, or says for what there is none") {
    const Command image = {"--gpu", "H100", "--format", "R8G8B8A8_UNORM", "--extent", "256x256", "--kind", "convert"};
    const auto with = [&](Command more) {
        more.insert(more.begin(), image.begin(), image.end());
        return more;
    };
    const Folder folder;
    for (const std::string direction : {"tile", "detile"})
        for (const std::string language : {"glsl", "hlsl"}) {
            CAPTURE(language);
            const Ended ended = snippet(with({"--lang", language, "--direction", direction}));
            CAPTURE(ended.err);
            CHECK(ended.code == 0);
            CHECK(ended.out.find(direction + "s an image of 1 subresource") != std::string::npos);
            const std::string file = folder / (direction + language);
            write_text(file, ended.out);
            const Ended compiled = run({"glslc", "-x", language, "-fshader-stage=compute", "--target-env=vulkan1.1",
                                        "-Werror", "-o", file + ".spv", file});
            CAPTURE(compiled.err);
            CHECK(compiled.code == 0);
        }
    refuses(with({"--lang", "wgsl"}), 2, "no convert kernel in wgsl; there are glsl, hlsl and cuda");
    refuses(with({"--lang", "glsl", "--direction", "up"}), 2, "tile, detile");
}

TEST_CASE("snippet --kind kernel prints a whole shader, whatever the case of the language, and JSON carries it") {
    const Command image = {"--gpu", "NAVI21", "--format", "R8G8B8A8_UNORM", "--kind", "kernel", "--radius", "2"};
    const Ended text = snippet(image + Command{"--lang", "GLSL"});
    CAPTURE(text.err);
    CHECK(text.out.starts_with("#version 450\n"));
    CHECK(text.out.find("learned from driver without hardware") != std::string::npos);
    CHECK(text.out.find("rgba8) writeonly") != std::string::npos);
    CHECK(text.out.find("y <= 2") != std::string::npos);
    const auto parsed = parse(snippet(image + Command{"--lang", "Glsl"}, {"--json"}));
    CHECK(parsed.size() == 5);
    CHECK(parsed.at("language") == "glsl");
    CHECK(parsed.at("kind") == "kernel");
    CHECK(parsed.at("code") == text.out);
    CHECK(parsed.at("explanation").get<std::string>().find("segments") != std::string::npos);
    CHECK(snippet(image + Command{"--lang", "glsl", "--explain"}).out.find("// order ") != std::string::npos);
}

TEST_CASE("a kernel over an image that nobody observed is of the format that was asked for") {
    const std::vector<std::array<const char*, 3>> asked = {{"RX 6800", "R8G8B8A8_UNORM", "500x333"},
                                                           {"RTX 4090", "R16G16B16A16_SFLOAT", "2560x1440"},
                                                           {"Steam Deck", "R8G8B8A8_UNORM", "1280x800"},
                                                           {"H100", "R32G32B32A32_SFLOAT", "3840x2160"},
                                                           {"Adreno 740", "R8_UNORM", "1920x1080"}};
    for (const auto& question : asked) {
        const char *const gpu = question[0], *const format = question[1], *const extent = question[2];
        CAPTURE(gpu);
        CAPTURE(format);
        const Ended code = snippet(
            {"--lang", "glsl", "--kind", "kernel", "--gpu", gpu, "--format", format, "--extent", extent, "--assume"});
        CAPTURE(code.err);
        REQUIRE(code.code == 0);
        CHECK(code.out.find(std::string("texels, ") + format + "\n") != std::string::npos);
    }
    const Ended blocks = snippet({"--lang", "glsl", "--kind", "kernel", "--gpu", "RTX 4090", "--format",
                                  "BC7_UNORM_BLOCK", "--extent", "1000x500", "--assume"});
    CHECK(blocks.code != 0);
    CHECK(blocks.err.find("no kernel in glsl writes BC7_UNORM_BLOCK") != std::string::npos);
    // A pattern's images have several formats, and none goes before the others.
    const Ended which = snippet({"--lang", "glsl", "--kind", "kernel", "--pattern", "23ed76f96e845e2b"});
    CHECK(which.code == 2);
    CHECK(which.err.find("give --format") != std::string::npos);
}

TEST_CASE("a kernel has no remap where row order is memory order") {
    const Command kernel = {"--format", "R8G8B8A8_UNORM", "--kind", "kernel", "--lang", "hlsl"};
    const Ended tall = snippet(kernel + Command{"--gpu", "H200", "--radius", "3"});
    CHECK(tall.out.find("[numthreads(4, 32, 1)]") != std::string::npos);
    CHECK(tall.out.find("tilewise_remap") == std::string::npos);
    CHECK(snippet(kernel + Command{"--gpu", "H200"}).out.find("tilewise_remap(index)") != std::string::npos);
    const Command linear = kernel + Command{"--gpu", "lavapipe"};
    CHECK(snippet(linear).out.find("[numthreads(16, 16, 1)]") != std::string::npos);
    CHECK(snippet(linear + Command{"--invocations", "128"}).out.find("[numthreads(16, 8, 1)]") != std::string::npos);
    CHECK(snippet(linear + Command{"--shape", "64x4"}).out.find("[numthreads(64, 4, 1)]") != std::string::npos);
    refuses(linear + Command{"--order", "morton"}, 2, "--order morton");
    refuses(linear + Command{"--invocations", "100"}, 2, "a workgroup of 100 invocations");
}

TEST_CASE("a kernel that cannot be is refused, with what there is instead") {
    const auto kernel = [](const char* format, const char* language, const Command& more) {
        return Command{"--gpu", "NAVI21", "--format", format, "--kind", "kernel", "--lang", language} + more;
    };
    refuses(kernel("R8G8B8A8_UNORM", "cpp", {}), 2, "no kernel in cpp; there are glsl, hlsl, wgsl, msl and cuda");
    refuses(kernel("BC1_RGBA_UNORM_BLOCK", "glsl", {}), 2,
            "no kernel in glsl writes BC1_RGBA_UNORM_BLOCK; there are: R8_");
    refuses(
        kernel("B8G8R8A8_UNORM", "glsl", {}), 2,
        "no kernel in glsl writes B8G8R8A8_UNORM: take --format R8G8B8A8_UNORM and a view of that format, whose red "
        "and blue are exchanged");
    refuses(kernel("R8G8B8A8_SRGB", "hlsl", {}), 2,
            "take --format R8G8B8A8_UNORM and a view of that format, whose channels are not decoded");
    refuses(kernel("R8_UNORM", "wgsl", {}), 2, "no kernel in wgsl writes R8_UNORM; there are: R8G8B8A8_UNORM");
    refuses(kernel("R8G8B8A8_UNORM", "glsl", {"--invocations", "2048"}), 2, "more than the 1024");
    refuses(kernel("R8G8B8A8_UNORM", "glsl", {"--radius", "65"}), 2, "a radius of 0 to 64, not 65");
    refuses(kernel("R8G8B8A8_UNORM", "glsl", {"--extent", "300x200", "--levels", "3"}), 2, "address and texel");
    // Observed, and predicted.
    for (const auto& [gpu, extent] : {std::pair("NAVI21", "64x64x32"), {"H100", "1000x700x3"}})
        refuses({"--gpu", gpu, "--format", "R8G8B8A8_UNORM", "--extent", extent, "--kind", "kernel", "--lang", "glsl"},
                2, "a kernel needs a 2D image");
}

TEST_CASE("triton and cute give layouts, and refuse in one line what is none") {
    const Command h200 = {"--gpu", "H200", "--format", "R8G8B8A8_UNORM", "--extent", "1000x700"};
    const auto code = [&](const Command& more) {
        const Ended ended = snippet(h200 + more);
        CAPTURE(ended.err);
        CHECK(ended.code == 0);
        return ended.out;
    };
    const std::string remap = code({"--lang", "Triton", "--invocations", "1024", "--warps", "4"});
    CHECK(remap.starts_with("# tilewise "));
    CHECK(remap.find("reg_bases=[[8, 0], [16, 0], [0, 16]],\n") != std::string::npos);
    CHECK(remap.find("warp_bases=[[4, 0], [0, 8]],\n") != std::string::npos);
    CHECK(code({"--lang", "cute", "--kind", "address"}).find("//   ((4,2,2),(4,2,16)):((1,16,64),(4,32,128))\n") !=
          std::string::npos);
    CHECK(code({"--lang", "c-pdep", "--kind", "address"}).find("_pdep_u32(x, 0x14cu) | _pdep_u32(y, 0x1eb0u);\n") !=
          std::string::npos);
    for (const char* kind : {"texel", "group-order"})
        refuses(h200 + Command{"--lang", "cute", "--kind", kind}, 2,
                "in CuTe there are snippets of the kinds remap, and address");
    refuses(h200 + Command{"--lang", "cute", "--kind", "convert"}, 2, "no convert kernel in cute");
    refuses(h200 + Command{"--lang", "triton", "--kind", "kernel"}, 2, "no kernel in triton");
    refuses(h200 + Command{"--lang", "triton", "--kind", "address", "--levels", "2"}, 2, "of one tile");
    refuses(h200 + Command{"--lang", "triton", "--warps", "64"}, 2, "256 texels are less than 64 warps");
    refuses({"--gpu", "NAVI21", "--format", "R8G8B8A8_UNORM", "--extent", "1000x700", "--lang", "cute", "--kind",
             "address"},
            1, "not expressible in CuTe: bits of the tile's coordinates");
}

TEST_CASE("show has the number of the DRM modifier that a pattern is, and none where it is none") {
    const auto shown = [](const Command& more) {
        const Folder empty;
        return run(Command{"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=" + empty.path.string(), program_path(), "--json",
                           "show", "--format", "R8G8B8A8_UNORM", "--extent", "256x256", "--gpu"} +
                   more);
    };
    CHECK(parse(shown({"H200"})).at("mode").at("modifier_number") == "0x0300000000606014");
    CHECK(parse(shown({"NAVI21"})).at("mode").at("modifier_number") == "0x0200000020801b03");
    // It has two names: the mode of GFX12, and that of GFX11.
    CHECK(parse(shown({"GFX1201"})).at("mode").at("modifier_number") == "");
}

TEST_CASE("an image beyond 4 GiB has its offsets computed in 64 bits, in C and C++") {
    const Folder folder;
    for (const std::string language : {"cpp", "c-pdep"}) {
        CAPTURE(language);
        if (language == "c-pdep" && !has_bmi2()) continue;
        const Ended ended = snippet({"--gpu", "H200", "--format", "R32G32B32A32_SFLOAT", "--extent", "32768x32768",
                                     "--levels", "2", "--kind", "address", "--lang", language});
        REQUIRE(ended.code == 0);
        // The last texel ends where level 1 begins.
        const std::string file = folder / (language == "cpp" ? "last.cpp" : "last.c");
        write_text(file, "#include <stdio.h>\n" + ended.out +
                             "int main(void) {\n    const TilewiseUint2 last = {32767, 32767};\n"
                             "    printf(\"%llu\", (unsigned long long)tilewise_address(last, 0));\n}\n");
        const Ended compiled =
            run((language == "cpp" ? Command{"g++"} : Command{"gcc", "-mbmi2"}) + Command{"-o", folder / "last", file});
        CAPTURE(compiled.err);
        REQUIRE(compiled.code == 0);
        CHECK(run({folder / "last"}).out == "17179869168");
    }
}

TEST_CASE("an option of another kind of snippet is an error that says of which it is") {
    const Command image = {"--gpu", "RX 6800 XT", "--format", "RGBA8", "--extent", "1920x1080"};
    struct Misplaced {
        const char* kind;
        Command option;
        const char* of;
    };
    for (const Misplaced& each : {Misplaced{"address", {"--radius", "4"}, "remap, kernel"},
                                  {"convert", {"--shape", "8x8"}, "remap, kernel"},
                                  {"remap", {"--sigma", "2"}, "kernel"},
                                  {"texel", {"--strip-width", "4"}, "group-order"},
                                  {"kernel", {"--direction", "detile"}, "convert"}}) {
        const Ended ended = snippet(image + Command{"--kind", each.kind} + each.option);
        CAPTURE(ended.err);
        CHECK(ended.code == 2);
        CHECK(ended.err.find(each.option[0] + " is for --kind " + each.of + ", and this is --kind " + each.kind) !=
              std::string::npos);
    }
    CHECK(snippet(image + Command{"--kind", "kernel", "--kernel", "gaussian", "--radius", "4", "--sigma", "2"}).code ==
          0);
}
