// tilewise_add_snippet, in projects that are configured and built against an installed Tilewise.
#include "tests/builds/installed.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>
#include <filesystem>

using namespace tilewise;
namespace fs = std::filesystem;

namespace {

/// A build folder of a project.
struct Project {
    Folder folder;
    std::string source = folder.path;

    Ended configure() const {
        return run(
            {"cmake", "-G", "Ninja", "-S", source, "-B", folder / "build", "-DCMAKE_PREFIX_PATH=" + installed()});
    }
    Ended build() const { return run({"cmake", "--build", folder / "build"}); }
    std::string written(const std::string& name) const { return read_text(folder / ("build/" + name)); }

    /// A project of one target that compiles nothing, and has this code.
    void ask_for(const std::string& arguments) const {
        write_text(folder / "CMakeLists.txt",
                   "cmake_minimum_required(VERSION 3.25)\nproject(small LANGUAGES NONE)\n"
                   "find_package(tilewise REQUIRED)\nadd_custom_target(code ALL)\n"
                   "tilewise_add_snippet(" +
                       arguments + ")\n");
    }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the code that a build writes has the addresses of another program's table, and is what a shader needs") {
    Project project;
    project.source = source_dir() + "/tests/builds/example";
    REQUIRE(project.configure().code == 0);
    const Ended built = project.build();
    REQUIRE_MESSAGE(built.code == 0, built.out << built.err);

    const std::string table = layout_table("amd_gfx103-navi21_64KB-R-X_32bpp");
    const std::string header = "\nx,y,byte_offset\n";
    const Ended compared = run({project.folder / "build/addresses"}, table.substr(table.find(header) + header.size()));
    CHECK(compared.out == "65536 texels are where the table says\n");
    CHECK(run({project.folder / "build/addresses"}, "1,0,4\n1,1,4\n").out == "(1,1) is elsewhere\n");
    CHECK(run({"spirv-val", project.folder / "build/blur.spv"}).code == 0);
}

TEST_CASE("a build writes the kernel that it names, of its own filter, too, and again when that file has changed") {
    const Project project;
    const std::string hooks =
        "struct State { vec4 sum; };\n"
        "State filter_center(vec4 texel) { return State(texel); }\n"
        "void filter_iteration(inout State state, vec4 texel, int offset) { state.sum += texel; }\n"
        "vec4 filter_result(State state) { return state.sum / float(2 * RADIUS + 1); }\n";
    write_text(project.folder / "mean.glsl", hooks);
    write_text(project.folder / "body.hlsl", "    float4 value = source.Load(int3(at, 0));\n");
    project.ask_for(
        "TARGET code LANG hlsl KIND kernel GPU \"RTX 4070\" FORMAT RGBA16F KERNEL gaussian RADIUS 5 SIGMA 2 OUTPUT "
        "g.hlsl)\n"
        "tilewise_add_snippet(TARGET code LANG cuda KIND kernel GPU H100 FORMAT RGBA8 FILTER mean.glsl RADIUS 3 "
        "OUTPUT m.cuh)\n"
        "tilewise_add_snippet(TARGET code LANG hlsl KIND kernel GPU H100 FORMAT RGBA8 BODY body.hlsl OUTPUT b.hlsl");
    REQUIRE(project.configure().code == 0);
    const Ended built = project.build();
    REQUIRE_MESSAGE(built.code == 0, built.out << built.err);
    CHECK(has(project.written("g.hlsl"), "// weights   of sigma 2 texels\n"));
    CHECK(has(project.written("g.hlsl"), "filter_iteration(inout State state"));
    CHECK(has(project.written("m.cuh"), "    return state.sum "));
    CHECK(has(project.written("b.hlsl"), "    float4 value = source.Load(int3(at, 0));\n    // ---- To here."));
    write_text(project.folder / "mean.glsl", hooks + "// another\n");
    CHECK(has(project.build().out, "m.cuh"));
}

TEST_CASE("a GPU that nobody knows stops the build, in Tilewise's own words") {
    const Project project;
    project.ask_for(R"(TARGET code LANG hlsl GPU "Frobnicator 9" FORMAT RGBA8)");
    REQUIRE(project.configure().code == 0);
    const Ended built = project.build();
    CHECK(built.code != 0);
    CHECK(has(built.out, "\ntilewise: no GPU is known by the name \"Frobnicator 9\""));
    CHECK(project.written("tilewise/code/tilewise_remap.hlsl").empty());
}

TEST_CASE("the code is written again when an argument or the database has changed, and only then") {
    const Project project;
    const std::string database = project.folder / "lab.db";
    REQUIRE(
        run(tilewise::tilewise({"--db", database, "db", "import", source_dir() + "/tests/data/bundle_version_1.json"}))
            .code == 0);
    project.ask_for("TARGET code LANG CUDA GPU H200 FORMAT RGBA8 EXTENT 256x256 KIND address DB lab.db");
    REQUIRE(project.configure().code == 0);
    const Ended first = project.build();
    REQUIRE_MESSAGE(first.code == 0, first.out << first.err);
    const std::string code = project.written("tilewise/code/tilewise_address.cuh");
    CHECK(has(code, "tilewise_address(uint2 texel"));
    CHECK(has(project.build().out, "no work to do"));

    fs::last_write_time(database, fs::file_time_type::clock::now());
    CHECK(has(project.build().out, "Writing "));
    CHECK(has(project.build().out, "no work to do"));

    project.ask_for("TARGET code LANG CUDA GPU H200 FORMAT RGBA16F EXTENT 256x256 KIND address DB lab.db");
    REQUIRE(project.build().code == 0);
    CHECK(project.written("tilewise/code/tilewise_address.cuh") != code);
}

TEST_CASE("what is only assumed of a GPU is a warning of CMake in the build, what was probed is none") {
    const auto said = [](const std::string& arguments) {
        const Project project;
        project.ask_for(arguments);
        REQUIRE(project.configure().code == 0);
        const Ended built = project.build();
        REQUIRE_MESSAGE(built.code == 0, built.out << built.err);
        return built.out + built.err;
    };
    const std::string assumed =
        said(R"(TARGET code LANG glsl KIND address GPU "GTX 1050 Ti" FORMAT RGBA8 EXTENT 200x100)");
    CHECK(has(assumed, "CMake Warning"));
    CHECK(has(assumed, "Assumed: GTX 1050 Ti has the chip GP107"));
    CHECK(!has(said("TARGET code LANG glsl KIND address GPU H100 FORMAT RGBA8 EXTENT 256x256"), "Warning"));
}

TEST_CASE("a kernel, a filter or a body makes a whole kernel without KIND") {
    const Project project;
    project.ask_for("TARGET code LANG hlsl GPU H100 FORMAT RGBA8 KERNEL box RADIUS 3");
    REQUIRE(project.configure().code == 0);
    const Ended built = project.build();
    REQUIRE_MESSAGE(built.code == 0, built.out << built.err);
    CHECK(has(project.written("tilewise/code/tilewise_kernel.hlsl"), "[numthreads("));
}

TEST_CASE("the user's own database does not change what a project gets") {
    const Project project;
    project.ask_for("TARGET code LANG wgsl GPU H200 FORMAT RGBA8 EXTENT 256x256");
    const Folder data;
    fs::create_directory(data.path / "tilewise");
    write_text(data / "tilewise/tilewise.db", "no database");
    REQUIRE(project.configure().code == 0);
    CHECK(run({"env", "XDG_DATA_HOME=" + data.path.string(), "TILEWISE_DB=" + (data / "tilewise/tilewise.db"), "cmake",
               "--build", project.folder / "build"})
              .code == 0);
    CHECK(has(project.written("tilewise/code/tilewise_remap.wgsl"), "fn tilewise_remap("));
}

TEST_CASE("what the function does not know stops the configuration, and is named") {
    const auto complaint = [](const std::string& arguments) {
        const Project project;
        project.ask_for(arguments);
        const Ended ended = project.configure();
        CHECK(ended.code != 0);
        return ended.err;
    };
    CHECK(has(complaint("TARGET code LANG glsl GPU H200 FROMAT RGBA8"), "FROMAT RGBA8"));
    CHECK(has(complaint("TARGET code LANG glsl FORMAT RGBA8 GPU"), "GPU without a value"));
    CHECK(has(complaint("TARGET cod LANG glsl GPU H200 FORMAT RGBA8"), "TARGET \"cod\" is no target"));
    CHECK(has(complaint("TARGET code GPU H200 FORMAT RGBA8"), "LANG is missing"));
}
