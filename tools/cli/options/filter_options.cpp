#include "tools/cli/options/filter_options.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "probe/formats/names.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tilewise {

namespace {

void add_parameter(const std::string& text, ModeParameters& parameters) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        throw UsageError(
            fmt::format("--param {}: not a parameter; write NAME=VALUE, such as gobs=16", printable(text, 40)));
    if (!parameters.emplace(to_lower(text.substr(0, equals)), text.substr(equals + 1)).second)
        throw UsageError(fmt::format("--param {}: given twice", printable(text, 40)));
}

}  // namespace

CLI::Option* add_extent_option(CLI::App& command, std::optional<Extent_px>& extent, const std::string& description) {
    return command
        .add_option_function<std::string>(
            "-e,--extent", [&extent](const std::string& text) { extent = parse_extent(text); }, description)
        ->type_name("EXTENT");
}

void add_gpu_option(CLI::App& command, const std::string& name, AskedGpu& gpu, const std::string& description) {
    command
        .add_option_function<std::string>(
            name, [&gpu](const std::string& text) { gpu = asked_gpu(text); }, description)
        ->type_name(name == "--device" ? "NAME" : "GPU");
}

CLI::Option* add_format_option(CLI::App& command, AskedFormat& format, const std::string& description) {
    return command
        .add_option_function<std::string>(
            "-f,--format", [&format](const std::string& text) { format = asked_format(text); }, description)
        ->type_name("FORMAT");
}

void add_filter_options(CLI::App& command, Question& question) {
    add_gpu_option(command, "-g,--gpu", question.gpu,
                   "a product, chip, PCI id or architecture: \"RTX 4090\", AD102, 10de:2684");
    command.add_option("--vendor", question.vendor, "NVIDIA, AMD, Intel, .., or an id: 0x10de");
    add_gpu_option(command, "--device", question.device, "part of a device's name");
    command.add_option("--driver", question.driver, "part of a driver's name or version");
    add_format_option(command, question.format, "R8G8B8A8_UNORM, RGBA8, DXGI_FORMAT_BC7_UNORM, ..");
    add_extent_option(command, question.extent, "256x200, or 64x64x32");
    command.add_option_function<std::string>(
        "--usage", [&question](const std::string& text) { question.usage = probe::usage_as_stored(text); },
        "images created with at least these usages: sampled,storage");
    command.add_option("--mode", question.mode,
                       "words of a mode's name or DRM modifier: 64KB_R_X, Tile4, BLOCK_LINEAR");
    command.add_option_function<std::string>(
        "--modifier", [&question](const std::string& text) { question.modifier = parse_modifier(text); },
        "a DRM format modifier, as a number or as drm_fourcc.h, libdrm or drm_info writes it: 0x0300000000606014");
    command
        .add_option_function<std::vector<std::string>>(
            "--param",
            [&question](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) add_parameter(text, question.mode_parameters);
            },
            "a parameter of --mode as documents define it, if no GPU is named: gobs=16")
        ->allow_extra_args(false);
}

}  // namespace tilewise
