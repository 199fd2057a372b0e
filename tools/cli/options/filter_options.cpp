#include "tools/cli/options/filter_options.h"
#include "probe/formats/formats.h"
#include "tools/cli/options/parse.h"
#include <CLI/CLI.hpp>

namespace tilewise {

void add_filter_options(CLI::App& command, FilterOptions& options) {
    command.add_option("--gpu", options.gpu, "a product, chip, PCI id or architecture: \"RTX 4090\", AD102, 10de:2684");
    command.add_option("--vendor", options.vendor, "NVIDIA, AMD, Intel, .., or an id: 0x10de");
    command.add_option("--device", options.device, "part of a device's name");
    command.add_option("--driver", options.driver, "part of a driver's name or version");
    command.add_option("--format", options.format, "R8G8B8A8_UNORM, RGBA8, DXGI_FORMAT_BC7_UNORM, ..");
    command.add_option("--extent", options.extent, "256x200, or 64x64x32");
    command.add_option("--usage", options.usage,
                       "images created with at least these usages, and maybe more: sampled,storage");
    command.add_option("--mode", options.mode, "part of a mode's name or DRM modifier: 64KB_R_X, Tile4, BLOCK_LINEAR");
}

db::Filter parse_filter(const FilterOptions& options) {
    db::Filter filter;
    filter.vendor = options.vendor;
    filter.device = options.device;
    filter.driver = options.driver;
    // What is not known here may still be in the file.
    const probe::Format* format = probe::find_format(options.format);
    filter.format = format ? format->name : options.format;
    filter.usage = options.usage;
    filter.mode = options.mode;
    if (!options.extent.empty()) {
        const ParsedExtent extent = parse_extent(options.extent);
        filter.extent = {extent.width, extent.height, extent.depth};
    }
    return filter;
}

}  // namespace tilewise
