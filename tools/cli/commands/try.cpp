// tilewise try: checks and times a user's compute shader in every legal order and shape, and says what to change.
#include "db/facts/json.h"
#include "db/facts/rules.h"
#include "db/facts/trial.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/files.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/measure/probe_missing.h"
#include "tools/runs/probe/facts.h"
#include "tools/runs/try/changed_source.h"
#include "tools/runs/try/fill_in_scene.h"
#include "tools/runs/try/make_scene.h"
#include "tools/runs/try/try_shader.h"
#include "tools/runs/validate/workbench.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace tilewise {

using namespace kernels;

namespace {

using Json = nlohmann::ordered_json;

struct TryOptions {
    std::string shader, entry, device, size, scene_file, groups, over, sampler, push, spirv_file, code_file, variant;
    std::vector<std::string> passes, formats, images, buffers, constants, defines;
    bool print_scene = false;
    size_t candidates = default_candidates;
    double seconds = 10, timeout_seconds = 10;
};

/// Splits "NAME=VALUE".
std::pair<std::string, std::string> named_value(const std::string& text, const char* option) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        throw UsageError(fmt::format("{}: {} is not NAME=VALUE", option, printable(text, 100)));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::array<uint32_t, 3> groups_in(const std::string& text) {
    std::array<uint32_t, 3> groups = {1, 1, 1};
    const std::vector<std::string> sides = split_fields(text);
    for (size_t i = 0; i < sides.size(); ++i) {
        uint32_t side = 0;
        const auto parsed = std::from_chars(sides[i].data(), sides[i].data() + sides[i].size(), side);
        constexpr uint32_t most = 1 << 20;
        if (i > 2 || parsed.ec != std::errc() || parsed.ptr != sides[i].data() + sides[i].size() || side == 0 ||
            side > most)
            throw UsageError(fmt::format("--groups: {} is not a number of workgroups; write 240,135 or 240,135,1",
                                         printable(text, 100)));
        groups[i] = side;
    }
    return groups;
}

/// The bytes of "65536", "64K", "1MiB", in any case; none if the text is something else.
std::optional<uint64_t> bytes_in(const std::string& text) {
    uint64_t bytes = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), bytes);
    std::string unit = to_lower({parsed.ptr, static_cast<size_t>(text.data() + text.size() - parsed.ptr)});
    for (const std::string_view end : {"ib", "b"})
        if (unit.size() > end.size() && unit.ends_with(end)) unit.resize(unit.size() - end.size());
    if (parsed.ec != std::errc()) return std::nullopt;
    constexpr std::array<std::pair<std::string_view, unsigned>, 4> units = {{{"", 0}, {"k", 10}, {"m", 20}, {"g", 30}}};
    for (const auto& [name, bits] : units)
        if (unit == name) {
            if (bytes > (UINT64_MAX >> bits)) throw UsageError(fmt::format("{} is too many bytes", text));
            return bytes << bits;
        }
    return std::nullopt;
}

void add_image(SceneText& scene, const std::string& text) {
    auto [name, contents] = named_value(text, "--image");
    ImageText& image = scene.images[name];
    // A file's name may contain an @, too.
    const size_t at = contents.rfind('@');
    if (at != std::string::npos && contents.find_first_not_of("0123456789x", at + 1) == std::string::npos) {
        const Extent_px extent = parse_extent(contents.substr(at + 1));
        image.size = {static_cast<uint32_t>(extent[0]), static_cast<uint32_t>(extent[1]),
                      static_cast<uint32_t>(extent[2])};
        contents.resize(at);
    }
    image.contents = contents;
}

void add_buffer(SceneText& scene, const std::string& text) {
    auto [name, contents] = named_value(text, "--buffer");
    BufferText& buffer = scene.buffers[name];
    const size_t colon = contents.find(':');
    if (const auto bytes = bytes_in(contents.substr(0, colon))) {
        buffer.bytes = *bytes;
        contents = colon == std::string::npos ? "" : contents.substr(colon + 1);
    }
    buffer.contents = contents;
}

/// The scene that the options describe.
SceneText scene_in(const TryOptions& options) {
    SceneText scene;
    if (!options.scene_file.empty()) {
        constexpr size_t most = 1 << 20;
        scene = scene_from_json(read_whole_file(options.scene_file, most));
        if (!options.shader.empty()) {
            const auto found = std::ranges::find(scene.passes, options.shader, &PassText::shader);
            if (found == scene.passes.end())
                throw UsageError(fmt::format("{} is not a pass of {}", printable(options.shader, 200),
                                             printable(options.scene_file, 200)));
            scene.varied = static_cast<size_t>(found - scene.passes.begin());
        }
    } else {
        if (options.shader.empty()) throw UsageError("which shader? tilewise try pass.comp --size 1920x1080");
        for (const std::string& file : options.passes) scene.passes.emplace_back().shader = file;
        if (scene.passes.empty()) scene.passes.emplace_back().shader = options.shader;
        const auto found = std::ranges::find(scene.passes, options.shader, &PassText::shader);
        if (found == scene.passes.end())
            throw UsageError(
                fmt::format("--pass: give all passes in their order, including {}", printable(options.shader, 200)));
        scene.varied = static_cast<size_t>(found - scene.passes.begin());
    }
    if (!options.size.empty()) {
        const Extent_px extent = parse_extent(options.size);
        if (extent[2] != 1) throw UsageError("--size: give two sides; write 3840x2160");
        scene.size = {static_cast<uint32_t>(extent[0]), static_cast<uint32_t>(extent[1])};
    }
    PassText& pass = scene.passes[scene.varied];
    if (!options.entry.empty()) pass.entry = options.entry;
    if (!options.groups.empty()) pass.groups = groups_in(options.groups);
    if (!options.over.empty()) pass.over = options.over;
    if (!options.push.empty()) pass.push = split_fields(options.push);
    if (!options.sampler.empty()) scene.sampler = options.sampler;
    for (const std::string& text : options.images) add_image(scene, text);
    for (const std::string& text : options.formats) {
        const auto [name, format] = named_value(text, "--format");
        scene.images[name].format = probe::format_named(format).name;
    }
    for (const std::string& text : options.buffers) add_buffer(scene, text);
    for (const std::string& text : options.constants) {
        const auto [name, value] = named_value(text, "--spec");
        pass.constants[name] = value;
    }
    for (const std::string& text : options.defines) {
        const size_t equals = text.find('=');
        pass.defines.emplace_back(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1));
    }
    return scene;
}

std::vector<TriedShader> shaders_of(const SceneText& scene) {
    std::vector<TriedShader> shaders;
    constexpr size_t most = 16 << 20;
    if (scene.passes.size() > max_scene_passes)
        throw UsageError(
            fmt::format("the scene has {} passes, and at most {} can be run", scene.passes.size(), max_scene_passes));
    for (const PassText& pass : scene.passes)
        shaders.push_back(read_shader(pass.shader, read_whole_file(pass.shader, most), pass.entry, pass.defines));
    return shaders;
}

std::string interval_text(const Estimate& estimate, const std::function<std::string(double)>& text) {
    if (!std::isfinite(estimate.high)) return "";
    return fmt::format("{}..{}", text(estimate.low), text(estimate.high));
}

std::vector<Row> table_of(const TryPlan& plan, const TrialResult& result) {
    std::vector<Row> rows = {{"variant", "ms", "95%", "samples", "speed-up", "95%", "verdict"}};
    const auto ratio = [](double value) { return fmt::format("{:.3f}", value); };
    for (size_t i = 0; i < result.variants.size(); ++i) {
        const TriedVariant& variant = result.variants[i];
        const std::string& name = plan.trial.variants[i].name;
        if (!variant.failure.empty()) {
            rows.push_back({name, "-", "", "", "", "", "WRONG: " + variant.failure});
            continue;
        }
        if (variant.ms.empty()) {
            rows.push_back({name, "-", "", "", "", "", "not timed"});
            continue;
        }
        // One or two samples say nothing about a ratio, and they may not have been taken in the same minute as the
        // baseline's.
        const std::string speedup = std::isfinite(variant.speedup.high) ? ratio(variant.speedup.value) : "-";
        rows.push_back({name, ms_text(variant.time.value), interval_text(variant.time, ms_text),
                        std::to_string(variant.ms.size()), i == 0 ? "" : speedup,
                        i == 0 ? "" : interval_text(variant.speedup, ratio),
                        variant.verdict + (variant.is_finalist && i > 0 ? ", timed again" : "")});
    }
    return rows;
}

Json estimate_json(const Estimate& estimate) {
    if (!std::isfinite(estimate.value)) return nullptr;
    Json json = {{"value", estimate.value}};
    json["interval"] = std::isfinite(estimate.high) ? Json({estimate.low, estimate.high}) : Json(nullptr);
    return json;
}

Json variant_json(const TryPlan& plan, const TrialResult& result, size_t i) {
    const TriedVariant& variant = result.variants[i];
    const ShaderCandidate& candidate = plan.candidates[i];
    const DispatchedVariant& dispatched = plan.trial.variants[i].in_scenes[0];
    Json json = {{"name", plan.trial.variants[i].name},
                 {"order", candidate.order},
                 {"local_size", candidate.variant.local_size},
                 {"columns", candidate.variant.order ? Json(columns_text(*candidate.variant.order)) : Json(nullptr)},
                 {"groups", group_order_text(candidate.variant.groups)},
                 {"dispatch", dispatched.groups},
                 {"constants", Json::object()}};
    for (const auto& [id, value] : candidate.constants) json["constants"][std::to_string(id)] = value;
    json["failure"] = variant.failure.empty() ? Json(nullptr) : Json(printable(variant.failure));
    json["ms"] = estimate_json(variant.time);
    json["samples"] = variant.ms.size();
    json["discarded"] = variant.discarded;
    json["speedup"] = i == 0 ? Json(nullptr) : estimate_json(variant.speedup);
    json["verdict"] = variant.verdict.empty() ? Json(nullptr) : Json(variant.verdict);
    json["timed_anew"] = variant.is_finalist;
    return json;
}

/// The variant that is asked for by its name, or else the advised one.
size_t chosen_variant(const TryPlan& plan, const TryVerdict& verdict, const std::string& wanted) {
    if (wanted.empty()) return verdict.best;
    const auto found = std::ranges::find(plan.trial.variants, wanted, &TrialVariant::name);
    if (found == plan.trial.variants.end())
        throw UsageError(
            fmt::format("--variant: no variant is called {}; the table lists them", printable(wanted, 100)));
    return static_cast<size_t>(found - plan.trial.variants.begin());
}

void write_spirv(const std::string& file, const std::vector<uint32_t>& words) {
    write_whole_file(file, {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)});
}

/// "dst 192, src 129": the bindings in the shader's SPIR-V.
std::string bindings_of(const TriedShader& shader) {
    std::vector<std::string> texts;
    for (const ShaderResource& resource : shader.reflection.resources)
        texts.push_back(fmt::format("{} {}{}", printable(resource.name, 60),
                                    resource.set == 0 ? "" : fmt::format("set {}, ", resource.set), resource.binding));
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::string how_to_launch(const TryPlan& plan, size_t variant) {
    const ShaderCandidate& candidate = plan.candidates[variant];
    const auto& groups = plan.trial.variants[variant].in_scenes[0].groups;
    std::string text =
        fmt::format("dispatch {} x {} x {} workgroups of {}x{}x{}", groups[0], groups[1], groups[2],
                    candidate.variant.local_size[0], candidate.variant.local_size[1], candidate.variant.local_size[2]);
    for (const auto& [id, value] : candidate.constants)
        text += fmt::format(", specialization constant {} = {}", id, value);
    if (!candidate.constants.empty() && candidate.is_reordered()) text += ", of the SPIR-V that --spirv writes";
    return text;
}

void probe_images(const probe::DeviceInfo& device, db::Database& database, std::vector<ImagePattern>& patterns,
                  const TryRequest& request) {
    std::vector<std::string> unknown;
    for (const ImagePattern& image : patterns)
        if (image.id.empty()) unknown.push_back(image.format);
    if (unknown.empty()) return;
    {
        Progress progress("readings");
        const auto show = [&](uint64_t done, const std::string& name) { progress.show(done, name); };
        const auto end =
            std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                   std::chrono::duration<double>(std::max(request.seconds, 30.0)));
        const ProbedFormats probed = probe_missing(device, database, unknown, end, interrupted, show);
        for (const std::string& format : probed.unread)
            progress.say(
                fmt::format("How {} lays out {} was not found: its memory order is not tried.", device.name, format));
    }
    patterns = image_patterns(database, device, request);
}

void print_trial(const TryPlan& plan, const TrialResult& result, const TryVerdict& verdict, const TriedShader& shader,
                 const probe::DeviceInfo& device) {
    print_line(
        fmt::format("{} ({}) on {}, {}", shader.name, shader.hash, device.name, driver_text(driver_fact(device))));
    print_columns(table_of(plan, result), 2);
    for (const std::string& line : plan.forbidden) print_line("not tried: " + line);
    print_line("verdict    " + verdict.verdict);
    print_line("reason     " + verdict.reason);
    const auto wrong =
        std::ranges::count_if(result.variants, [](const TriedVariant& variant) { return !variant.failure.empty(); });
    std::string how = "bit by bit";
    if (!plan.trial.scenes[0].float_sum_buffers.empty())
        how += fmt::format(" (sums of floats by atomics within {:g} of their size)", plan.trial.float_sums_within);
    print_line(fmt::format("checked    {} equal to the shader as it is, {}, {}",
                           counted(result.variants.size() - 1 - static_cast<size_t>(wrong), "variant"), how,
                           plan.why_no_odd_size.empty() ? fmt::format("also at {}", plan.trial.odd_size)
                                                        : "at this size only: " + plan.why_no_odd_size));
}

void try_shader(const TryOptions& options, const Globals& globals) {
    SceneText scene = scene_in(options);
    std::vector<TriedShader> shaders = shaders_of(scene);
    fill_in(scene, shaders);
    if (options.print_scene) {
        print_json(to_json(scene));
        return;
    }
    const ReadFile read_file = [](const std::string& path) { return read_whole_file(path, size_t{2} << 30); };
    TryRequest request = {scene,           std::move(shaders),      options.candidates,
                          options.seconds, options.timeout_seconds, read_file};
    stop_on_signals();
    const probe::DeviceInfo device = choose_device(options.device);
    // What the scene lacks is reported before anything takes time.
    make_scene(scene, request.shaders, scene.size, read_file);
    db::Database database = open_to_write(globals);
    std::vector<ImagePattern> patterns = image_patterns(database, device, request);
    probe_images(device, database, patterns, request);
    TryPlan plan = plan_trial(request, device, patterns);
    TrialResult result;
    {
        Progress progress("variants");
        const auto more = [&](const std::vector<double>& over_original) {
            return next_variants(plan, request, over_original);
        };
        result = run_trial(plan.trial, more, [&](size_t done, size_t total, const std::string& phase) {
            progress.show(done, fmt::format("{} {} of {}", phase, done, total));
        });
    }
    const TriedShader& shader = request.shaders[scene.varied];
    if (result.is_interrupted) throw Error("interrupted; nothing is kept");
    if (!result.failure.empty()) throw Error(fmt::format("{}: {}", shader.name, result.failure));
    const TryVerdict verdict = verdict_of(plan, result, patterns);
    for (const std::string& note : result.notes) print_warning(note);
    Json variants = Json::array();
    for (size_t i = 0; i < result.variants.size(); ++i) variants.push_back(variant_json(plan, result, i));
    const Json kept = {{"variants", variants},
                       {"forbidden", plan.forbidden},
                       {"best", plan.trial.variants[verdict.best].name},
                       {"verdict", verdict.verdict},
                       {"reason", verdict.reason}};
    Json stored = {{"size", scene.size}};
    stored.update(kept);
    db::keep_trial(database, {shader.hash, device.name, driver_text(driver_fact(device)), stored, db::utc_now(),
                              TILEWISE_VERSION});
    if (globals.json) {
        Json json = {{"tool_version", TILEWISE_VERSION},
                     {"database", database.path},
                     {"device", db::to_json(device_fact(device))},
                     {"driver", db::to_json(driver_fact(device))},
                     {"shader", printable(shader.name)},
                     {"hash", shader.hash},
                     {"scene", to_json(scene)},
                     {"odd_size", plan.why_no_odd_size.empty() ? Json(odd_size(scene.size)) : Json(nullptr)}};
        json.update(kept);
        print_json(json);
    } else {
        print_trial(plan, result, verdict, shader, device);
    }
    // A mistyped --variant loses no measurements: they are stored and printed before.
    const size_t chosen = chosen_variant(plan, verdict, options.variant);
    if (!globals.json) print_line("change     " + how_to_launch(plan, chosen));
    if (!options.spirv_file.empty()) {
        write_spirv(options.spirv_file, plan.trial.variants[chosen].in_scenes[0].spirv);
        // The compiler gives each kind of register numbers of its own, which differ from those in the text.
        if (shader.language == ShaderLanguage::hlsl)
            print_warning(fmt::format("{}: its bindings are not the registers of {}: {}", options.spirv_file,
                                      printable(shader.name), bindings_of(shader)));
    }
    if (!options.code_file.empty()) {
        const ShaderCandidate& candidate = plan.candidates[chosen];
        if (!candidate.constants.empty() && candidate.is_reordered())
            throw Error(
                fmt::format("{}: a shader whose specialization constants set the size of its workgroups has no text in "
                            "another order; --spirv writes it",
                            plan.trial.variants[chosen].name));
        if (!candidate.constants.empty())
            throw Error(fmt::format("{} is the unchanged shader with other specialization constants: {}",
                                    plan.trial.variants[chosen].name, how_to_launch(plan, chosen)));
        write_whole_file(options.code_file,
                         changed_source(shader, scene.passes[scene.varied], plan.grids[0], candidate.variant));
    }
}

}  // namespace

void add_try_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand(
        "try", "check and time your own compute shader in other orders and shapes; print a verdict and what to change");
    auto options = std::make_shared<TryOptions>();
    command->add_option("SHADER", options->shader, "GLSL, HLSL (.hlsl) or SPIR-V: the pass that is varied");
    command->add_option("--device,--gpu", options->device,
                        "a device's number, name, product or chip; default: the first GPU");
    command->add_option("--size", options->size, "size of the scene: 3840x2160");
    command->add_option("--entry", options->entry, "the entry point's name, if there are several");
    command->add_option("--format", options->formats,
                        "NAME=RGBA16F: format of an image, if the shader does not declare it");
    command->add_option("--image", options->images,
                        "NAME=noise, gradient, zero, poison, or a file (.png, else texels); add @WxH for another size");
    command->add_option("--buffer", options->buffers,
                        "NAME=BYTES, BYTES:noise, BYTES:zero, values:1,width,0.5, or a file");
    command->add_option("--push", options->push,
                        "push constants, in order: 1,0.5,width,height,1/width,1/height (of the scene)");
    command->add_option("--spec", options->constants, "NAME=VALUE or ID=VALUE: a specialization constant");
    command->add_option("--define", options->defines, "NAME or NAME=VALUE, for the compiler of GLSL and HLSL");
    command->add_option("--groups", options->groups, "workgroups: 240,135,1; default: as many as cover the size");
    command->add_option("--over", options->over, "an image whose texels the workgroups cover, in place of the size");
    command->add_option("--sampler", options->sampler,
                        "linear (the default; nearest if the device cannot filter the format) or nearest");
    command->add_option("--pass", options->passes,
                        "a pass's shader: once per pass, in order, including the pass that is varied");
    command->add_option("--scene", options->scene_file, "a file with all of this as JSON, as --print-scene prints it");
    command->add_flag("--print-scene", options->print_scene,
                      "print the scene as JSON, for you to edit, and run nothing");
    command->add_option("--candidates", options->candidates, "variants to try, at most")
        ->check(CLI::Range(1, 4000))
        ->capture_default_str();
    command->add_option("--time", options->seconds, "seconds of timing, at most")
        ->check(CLI::Range(0.0, 86400.0))
        ->capture_default_str();
    command->add_option("--timeout", options->timeout_seconds, "seconds that one run may take")
        ->check(CLI::Range(0.1, 86400.0))
        ->capture_default_str();
    command->add_option("--variant", options->variant,
                        "the variant to write, by its name in the table, in place of the best");
    command->add_option("--spirv", options->spirv_file, "a file for the SPIR-V of the best variant");
    command->add_option("--code", options->code_file,
                        "a file for the GLSL or HLSL of the best variant, to be compiled and dispatched as printed");
    command->callback([options, &globals] { try_shader(*options, globals); });
}

}  // namespace tilewise
