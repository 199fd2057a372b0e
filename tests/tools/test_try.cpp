// Shaders of the kinds that people have, in every variant that is tried: rewritten as SPIR-V and changed as text, each
// gives what the shader gives, to the bit.
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/roles.h"
#include "tests/support/soak.h"
#include "tools/runs/try/changed_source.h"
#include "tools/runs/try/fill_in_scene.h"
#include "tools/runs/try/make_scene.h"
#include "tools/runs/try/trial_task.h"
#include "tools/runs/try/try_shader.h"
#include "tools/runs/validate/workbench.h"
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

const AddedRole validates(kernels::validate_role), tries(trial_role);

std::string shader_file(const std::string& name) { return source_dir() + "/tests/shaders/" + name; }

/// A scene as the options of `try` make it.
struct Kind {
    std::string shader;
    std::map<std::string, ImageText> images = {};
    std::map<std::string, BufferText> buffers = {};
    std::vector<std::string> push = {};
    std::string over = {};
    std::array<uint32_t, 2> size = {70, 45};
    /// Candidates that are found, at least; and part of what is forbidden.
    size_t at_least = 20;
    std::string forbidden = {};
};

ImageText image(const std::string& format, const std::string& contents = {}, std::array<uint32_t, 3> size = {}) {
    return {format, size, 1, 1, contents};
}

std::vector<Kind> all_kinds() {
    const std::string half = "R16G16B16A16_SFLOAT", bytes = "R8G8B8A8_UNORM";
    return {{"gather.comp"},
            {.shader = "blur_shared.comp",
             .images = {{"source", image(bytes)}},
             .push = {"width", "height"},
             .at_least = 1,
             .forbidden = "uses line, which the invocations of a workgroup share"},
            {.shader = "reproject.comp",
             .images = {{"now", image(half)}, {"history", image(half)}, {"motion", image("R16G16_SFLOAT")}},
             .buffers = {{"camera", {0, "values:1/width,1/height,0.9"}}}},
            {.shader = "bloom_down.comp",
             .images = {{"source", image(half)}, {"small", image(half, "", {35, 23, 1})}},
             .over = "small"},
            {.shader = "bloom_up.comp", .images = {{"small", image(half, "", {35, 23, 1})}}},
            {.shader = "mip.comp", .images = {{"below", image(bytes, "", {35, 22, 1})}}, .over = "below"},
            {.shader = "histogram.comp",
             .at_least = 3,
             .forbidden = "uses counts, which the invocations of a workgroup share"},
            {.shader = "transpose.comp", .images = {{"result", image("R32_SFLOAT", "", {45, 70, 1})}}},
            {.shader = "prefix_sum.comp",
             .buffers = {{"Numbers", {16384, "noise"}}, {"Prefixes", {16384, ""}}, {"Sums", {64, ""}}},
             .size = {4096, 1},
             .at_least = 1,
             .forbidden = "16x1 of them are in one line"},
            {.shader = "bilateral.comp", .images = {{"source", image(bytes)}}},
            {.shader = "subgroups.comp",
             .buffers = {{"Sums", {262144, ""}}},
             .at_least = 1,
             .forbidden = "order of invocations: OpGroupNonUniformIAdd in main"},
            {.shader = "sharpen.hlsl",
             .images = {{"source", image(half)}, {"result", image(half)}},
             .buffers = {{"Settings", {0, "values:width,height,0.5"}}}},
            {.shader = "tonemap.hlsl",
             .images = {{"source", image(half)}, {"result", image(bytes)}},
             .buffers = {{"exposure", {4, "values:"}}}}};
}

TryRequest request_for(const Kind& kind) {
    TryRequest request;
    request.scene.size = kind.size;
    request.scene.images = kind.images;
    request.scene.buffers = kind.buffers;
    PassText& pass = request.scene.passes.emplace_back();
    pass.shader = kind.shader;
    pass.push = kind.push;
    pass.over = kind.over;
    if (request.scene.buffers.contains("exposure")) request.scene.buffers["exposure"] = {4, "noise"};
    request.shaders = {read_shader(kind.shader, read_text(shader_file(kind.shader)), "", {})};
    request.read_file = read_text;
    fill_in(request.scene, request.shaders);
    return request;
}

/// A GPU's tile: no device is needed to have one.
ImagePattern some_pattern() {
    ImagePattern made = {"source", "R8G8B8A8_UNORM", "navi21", {}, {}, {}, false};
    made.pattern = sample::navi21().pattern;
    return made;
}

struct Bench {
    vulkan::Instance instance;
    Context context;
    Bench() {
        vulkan::open_instance(instance);
        open_context(context, instance.devices.front(), vulkan::Features::all);
    }
};

std::string differing(const SceneOnDevice& scene, const SceneResults& expected, const SceneResults& got) {
    return scene.difference(expected, got, 0);
}

}  // namespace

// First: the process that forks has no Vulkan open.
TEST_CASE("variants that are one and the same are not called faster or slower") {
    TryRequest request = request_for(all_kinds()[0]);
    request.scene.size = {320, 200};
    const size_t pairs = soaking() ? 20 : 4;
    request.seconds = soaking() ? 20 : 4;
    const probe::DeviceInfo device = choose_device("llvmpipe");
    TryPlan plan = plan_trial(request, device, {});
    TrialVariant same = plan.trial.variants[0];
    plan.trial.variants.assign(1 + pairs, same);
    const TrialResult result = run_trial(plan.trial, {}, [](size_t, size_t, const std::string&) {});
    REQUIRE(result.failure == "");
    size_t misjudged = 0;
    for (size_t i = 1; i < result.variants.size(); ++i) {
        const std::string& verdict = result.variants[i].verdict;
        if (soaking())
            MESSAGE("figures: ", verdict, " ", result.variants[i].speedup.value, " of ", result.variants[i].ms.size());
        CHECK(result.variants[i].ms.size() > 0);
        misjudged += verdict != "no difference" && verdict != "too few samples";
    }
    // Beside other tests the load can change in just the moment in which one of them has its turns.
    CHECK(misjudged <= (soaking() ? 0 : 1));
}

TEST_CASE("a variant that the device does not come back from is left out, and the others are tried anew") {
    TryRequest request = request_for(all_kinds()[0]);
    request.scene.size = {640, 400};
    request.seconds = 0;
    request.timeout_seconds = 1;
    request.candidates = 3;
    const probe::DeviceInfo device = choose_device("llvmpipe");
    TryPlan plan = plan_trial(request, device, {});
    REQUIRE(plan.trial.variants.size() == 3);
    plan.trial.scenes.resize(1);
    const std::string endless =
        "#version 450\nlayout(local_size_x = 8, local_size_y = 8) in;\n"
        "layout(binding = 0, rgba16f) uniform readonly image2D source;\n"
        "layout(binding = 1, rgba16f) uniform writeonly image2D result;\n"
        "void main() {\n    vec4 sum = vec4(0);\n"
        "    while (sum.x >= 0.0) sum += imageLoad(source, ivec2(sum.y));\n"
        "    imageStore(result, ivec2(gl_GlobalInvocationID.xy), sum);\n}\n";
    plan.trial.variants[1].in_scenes[0].spirv = read_shader("endless.comp", endless, "", {}).spirv;
    const TrialResult result = run_trial(plan.trial, {}, [](size_t, size_t, const std::string&) {});
    CHECK(result.failure == "");
    CHECK(result.variants[1].failure ==
          "did not finish in 1 s: does it have an endless loop? --timeout allows it more");
    CHECK(result.notes.size() == 1);
    CHECK(result.variants[2].failure == "");
    CHECK(result.variants[2].ms.size() > 0);
}

TEST_CASE("every variant of every kind of shader gives what the shader gives, as SPIR-V and as text") {
    Bench bench;
    size_t variants = 0, texts = 0;
    for (const Kind& kind : all_kinds()) {
        CAPTURE(kind.shader);
        const TryRequest request = request_for(kind);
        probe::DeviceInfo device;
        device.max_invocations = 1024;
        const std::vector<ImagePattern> patterns = {some_pattern()};
        TryPlan plan = plan_trial(request, device, patterns);
        // As if those that came later had been faster: one step after another away from the usual ones.
        std::vector<double> times;
        for (bool is_growing = true; is_growing;) {
            while (times.size() < plan.candidates.size())
                times.push_back(1 / (1.0 + static_cast<double>(times.size())));
            std::vector<TrialVariant> added = next_variants(plan, request, times);
            is_growing = !added.empty();
            std::ranges::move(added, std::back_inserter(plan.trial.variants));
        }
        REQUIRE(plan.candidates.size() == plan.trial.variants.size());
        CHECK(plan.candidates.size() <= default_candidates);
        CHECK(plan.candidates.size() >= kind.at_least);
        CHECK(std::ranges::any_of(plan.forbidden, [&](const std::string& line) {
                  return line.find(kind.forbidden) != line.npos;
              }) == !kind.forbidden.empty());
        CHECK(plan.trial.scenes.size() == 2);
        const TriedShader& shader = request.shaders[0];
        REQUIRE(why_not_runnable(bench.context, shader.reflection) == "");
        for (size_t which = 0; which < plan.trial.scenes.size(); ++which) {
            const Scene& made = plan.trial.scenes[which];
            SceneOnDevice scene(bench.context, made);
            const auto run = [&](const DispatchedVariant& variant) {
                return scene.run(0, *scene.make_pipeline(0, variant.spirv, variant.groups, variant.constants));
            };
            const SceneResults expected = run(plan.trial.variants[0].in_scenes[which]);
            // It writes something: what was poisoned or zero is not any more.
            const std::vector<std::byte>& before = made.written_images.empty()
                                                       ? made.buffers[made.written_buffers[0]].initial
                                                       : made.images[made.written_images[0]].initial;
            CHECK(expected[0] != before);
            for (size_t i = 1; i < plan.trial.variants.size(); ++i) {
                if (which > 0 && !is_drawn(i, 3)) continue;  // the other scene holds another size
                CAPTURE(plan.trial.variants[i].name);
                CHECK(differing(scene, expected, run(plan.trial.variants[i].in_scenes[which])) == "");
                variants++;
                const ShaderCandidate& candidate = plan.candidates[i];
                // To compile takes longer than to run: of each eight texts one.
                if (which > 0 || !candidate.constants.empty() || i % 8 != 1) continue;
                const std::string text =
                    changed_source(shader, request.scene.passes[0], plan.grids[0], candidate.variant);
                DispatchedVariant changed = plan.trial.variants[i].in_scenes[0];
                changed.spirv = read_shader(shader.name, text, "", {}).spirv;
                CHECK(changed.spirv != shader.spirv);
                CHECK(differing(scene, expected, run(changed)) == "");
                texts++;
            }
        }
    }
    CHECK(variants > 200);
    CHECK(texts > 15);
}

TEST_CASE("a changed text is changed where the compiler reads it, in what it includes, too, or is refused") {
    const Folder folder;
    const std::string head = "#version 450\n#extension GL_GOOGLE_include_directive : require\n",
                      body = "layout(binding = 0) buffer Numbers { uint numbers[]; };\n",
                      layout = "layout(local_size_x = 8, local_size_y = 8) in;\n",
                      main = "void main() { numbers[gl_GlobalInvocationID.y * 64 + gl_GlobalInvocationID.x] = 1; }\n";
    write_text(folder / "place.glsl",
               "uint place() { return gl_GlobalInvocationID.y * 64 + gl_GlobalInvocationID.x; }\n");
    write_text(folder / "size.glsl", layout);
    const std::string uses = "void main() { numbers[place()] = 1; }\n";
    const auto changed = [&](const std::string& name, const std::string& text) {
        const TriedShader shader = read_shader(folder / name, text, "", {});
        const ShaderGrid grid = {{8, 8, 1}, {4, 4, 1}};
        const ShaderVariant variant = {{16, 16, 1}, morton_order({16, 16, 1, 1}), {}};
        const std::string made = changed_source(shader, {}, grid, variant);
        CHECK(read_shader(folder / name, made, "", {}).reflection.local_size == variant.local_size);
        return made;
    };
    // Everything that names the device's invocations is renamed; what fills the new names is not.
    const std::string whole = changed("include.comp", head + layout + body + "#include \"place.glsl\"\n" + uses);
    CHECK(whole.find("gl_GlobalInvocationID") == std::string::npos);
    CHECK(whole.find("#include") == std::string::npos);
    changed("included_size.comp", head + "#include \"size.glsl\"\n" + body + main);
    changed("comment.comp", head + "// layout(local_size_x = 32, local_size_y = 1) in;\n" + layout + body + main);
    changed("parentheses.comp",
            head + "#define SIDE 8\nlayout(local_size_x = (SIDE), local_size_y = SIDE) in;\n" + body + main);
    changed("extension.comp", head + "#if 0\n#extension GL_EXT_none : require\n#endif\n" + layout + body + main);
    changed("missing.comp", head + layout + "#ifdef NEVER\n#include \"nowhere.glsl\"\n#endif\n" + body + main);
    const std::string hlsl = changed("comma.hlsl",
                                     "RWStructuredBuffer<uint> numbers : register(u0);\n[NumThreads(8, 8, 1)]\n"
                                     "void main(uint3 group : SV_GroupID, // group, in the grid\n"
                                     "uint3 id : SV_DispatchThreadID) { numbers[id.y * 64 + id.x] = group.x; }\n");
    CHECK(hlsl.find("[NumThreads") == std::string::npos);
    const auto refused = [&](const std::string& name, const std::string& text, const char* why) {
        CAPTURE(name);
        CHECK_THROWS_WITH_AS(changed(name, text), doctest::Contains(why), Error);
    };
    write_text(folder / "round.glsl", "#ifndef ROUND\n#define ROUND\n#include \"round.glsl\"\n#endif\n");
    refused("round.comp", head + layout + body + "#include \"round.glsl\"\n" + main, "includes too many files");
    refused("branch.comp",
            head + "#ifdef SMALL\nlayout(local_size_x = 4, local_size_y = 4) in;\n#else\n" + layout + "#endif\n" +
                body + main,
            "declared in another place");
    refused(
        "braces.comp",
        head + layout + body + "uvec3 ids[1] = { gl_GlobalInvocationID };\nvoid main() { numbers[ids[0].x] = 1; }\n",
        "computed before main()");
    refused(
        "call.comp",
        head + layout + body + "#include \"place.glsl\"\nuint here = place();\nvoid main() { numbers[here] = 1; }\n",
        "before main()");
}

TEST_CASE("where one specialization constant gives both sides, workgroups stay square") {
    const Folder folder;
    const TriedShader shader =
        read_shader(folder / "square.comp",
                    "#version 450\nlayout(local_size_x_id = 0, local_size_y_id = 0) in;\n"
                    "layout(binding = 0, r32f) uniform image2D image;\n"
                    "void main() { imageStore(image, ivec2(gl_GlobalInvocationID.xy), vec4(1)); }\n",
                    "", {});
    const std::vector<ImagePattern> patterns;
    const CandidateSearch search({shader, {{8, 8, 1}, {4, 4, 1}}, patterns, 1024});
    size_t sizes = 0;
    for (const ShaderCandidate& candidate : search.all()) {
        CHECK(candidate.variant.local_size[0] == candidate.variant.local_size[1]);
        sizes += candidate.variant.local_size[0] != 8;
    }
    CHECK(sizes > 0);
}

TEST_CASE("on an H100, 40 variants come within 1% of the fastest that a search through all found there") {
    // What each variant took was measured on the card: docs/results/nvidia-h100/shaders.json.
    const auto measured =
        nlohmann::json::parse(read_text(source_dir() + "/docs/results/nvidia-h100/shaders.json")).at("shaders");
    const Folder folder;
    const db::Database database = db::open_database(folder / "h100.db", db::Access::read_write);
    probe::DeviceInfo device;
    device.name = "NVIDIA H100 80GB HBM3";
    device.vendor_id = 0x10de;
    device.device_id = 0x2330;
    device.type = "discrete";
    device.driver_id = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    device.driver_name = "NVIDIA";
    device.driver_info = "580.159.04";
    device.driver_version = 580u << 22 | 159u << 14 | 4u << 6;
    device.subgroup_size = 32;
    device.max_invocations = 1024;
    size_t searched = 0, number = 0;
    for (Kind kind : all_kinds()) {
        CAPTURE(kind.shader);
        if (kind.size[1] == 1 || !is_drawn(number++, 4)) continue;
        // The scene has the shape of the one that was measured, 3840x2160; nothing is run.
        kind.size = {3840, 2160};
        for (auto& [name, image] : kind.images) {
            if (name == "small" || name == "below") image.size = {1920, 1080, 1};
            if (name == "result" && kind.shader == "transpose.comp") image.size = {2160, 3840, 1};
        }
        const TryRequest request = request_for(kind);
        const std::vector<ImagePattern> patterns = image_patterns(database, device, request);
        for (const ImagePattern& image : patterns) CHECK(image.id != "");
        TryPlan plan = plan_trial(request, device, patterns);
        const auto& search = measured.at(kind.shader).at("search");
        const double original = search.at("as_it_is").at("ms").at("value");
        std::vector<double> over_original;
        size_t unknown = 0;
        for (bool is_growing = true; is_growing;) {
            for (size_t i = over_original.size(); i < plan.candidates.size(); ++i) {
                const auto ms = search.at("median_ms").find(candidate_text(plan.candidates[i]));
                unknown += ms == search["median_ms"].end();
                over_original.push_back(ms == search["median_ms"].end() ? 0 : ms->get<double>() / original);
            }
            is_growing = !next_variants(plan, request, over_original).empty();
        }
        CHECK(plan.candidates.size() <= default_candidates);
        // Variants that gave something else were not timed, and two names may stand for one variant.
        CHECK(unknown <= 10);
        double chosen = 1;
        for (const double ratio : over_original)
            if (ratio > 0) chosen = std::min(chosen, ratio);
        CHECK(chosen <= 1.01 * search.at("best").at("ms").at("value").get<double>() / original);
        ++searched;
    }
    CHECK(searched == (soaking() ? 12 : 3));
}

TEST_CASE("a variant that gives something else is found out, with the first texel that differs") {
    Bench bench;
    const TryRequest request = request_for(all_kinds()[0]);
    const Scene made = make_scene(request.scene, request.shaders, {70, 45}, request.read_file);
    SceneOnDevice scene(bench.context, made);
    const ScenePass& pass = made.passes[0];
    const SceneResults expected = scene.run(0, *scene.make_pipeline(0, pass.spirv, pass.groups, {}));
    // Workgroups of the last column are missing.
    const SceneResults got =
        scene.run(0, *scene.make_pipeline(0, pass.spirv, {pass.groups[0] - 1, pass.groups[1], 1}, {}));
    CHECK(scene.difference(expected, got, 0) == "result, texel (64, 0)");
}

TEST_CASE("a variant is faster only where all of its samples say so: of 200 pairs of the same one none is") {
    std::mt19937 random(7);
    const auto unit = [&] { return static_cast<double>(random() % 10000) / 10000; };
    // Rounds of both: what else runs on the machine comes and stays a while, and disturbs now one and now the other.
    const auto pair_of = [&](double ratio, double noise, double drift, size_t count) {
        std::array<std::vector<double>, 2> ms;
        double slow = 0;
        for (size_t i = 0; i < count; ++i) {
            if (random() % 8 == 0) slow = random() % 3 == 0 ? unit() : 0;
            for (size_t which = 0; which < 2; ++which)
                ms[which].push_back((which == 0 ? ratio : 1) * (1 + noise * unit()) + slow * unit() +
                                    drift * static_cast<double>(i) + (random() % 20 == 0 ? unit() : 0));
        }
        return ms;
    };
    size_t wrong = 0;
    for (int pair = 0; pair < 200; ++pair) {
        const auto [a, b] =
            pair_of(1, 0.002 * (pair % 20), pair % 3 == 0 ? 0.001 : 0, 6 + static_cast<size_t>(pair) % 60);
        const std::string verdict = careful_verdict(a, b);
        wrong += verdict == "faster" || verdict == "slower";
    }
    CHECK(wrong == 0);
    const auto verdict_of_ratio = [&](double ratio, size_t count) {
        const auto [a, b] = pair_of(ratio, 0.02, 0, count);
        return careful_verdict(a, b);
    };
    CHECK(verdict_of_ratio(1.2, 60) == "faster");
    CHECK(verdict_of_ratio(0.8, 60) == "slower");
    CHECK(verdict_of_ratio(1.2, 8) == "too few samples");
}

TEST_CASE("SPIR-V that was tampered with is refused in a line, or is as good as any") {
    const std::vector<uint32_t> good = read_shader("gather.comp", read_text(shader_file("gather.comp")), "", {}).spirv;
    std::mt19937 random(3);
    size_t refused = 0;
    for (int i = 0; i < 30; ++i) {
        std::vector<uint32_t> words = good;
        for (uint32_t changes = 1 + random() % 4; changes > 0; --changes) {
            uint32_t& word = words[random() % words.size()];
            word = random() % 2 == 0 ? word ^ (1u << random() % 32) : static_cast<uint32_t>(random());
        }
        if (random() % 4 == 0) words.resize(random() % words.size());
        const std::string bytes(reinterpret_cast<const char*>(words.data()), words.size() * 4);
        try {
            const TriedShader shader = read_shader("bad.spv", bytes, "", {});
            const ShaderGrid grid = {shader.reflection.local_size, {3, 3, 1}};
            why_invalid(rewritten(
                shader.code, shader.reflection, grid,
                {{16, 16, 1}, morton_order({16, 16, 1, 1}), {GroupOrderKind::strips, 2, unit_extent, all_axes}}));
        } catch (const Error& error) {
            CHECK(std::string(error.what()).find('\n') == std::string::npos);
            refused++;
        }
    }
    CHECK(refused > 15);
}
