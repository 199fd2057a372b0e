// Loads files into an image on the device, ready to be sampled: compares rows, the usual way to store images, with the
// image's own memory.
//   tilewise_bench_load [--size N] [--device N] [--format F] [--folder FOLDER] [--times N]
// The files stay in the page cache: the time is that of reading them, of the bus, and of the device's work.
#include "kernels/convert/load.h"
#include "kernels/convert/host_load.h"
#include "patterns/model/error.h"
#include "probe/formats/names.h"
#include "probe/worker/child.h"
#include "tools/bench/probed_image.h"
#include "tools/bench/timing.h"
#include "tools/cli/files/files.h"
#include "tools/cli/files/kept_image.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

struct Options {
    ProbedImageRequest image = {"R8G8B8A8_UNORM", 4096, 1};
    uint32_t device = 0;
    int times = 9;
    std::string folder = std::filesystem::temp_directory_path();
};

constexpr const char* usage = "--size N, --device N, --format F, --folder FOLDER, --times N";

KeptFor kept_for(const probe::DeviceInfo& device, const ConvertImage& image) {
    KeptFor kept;
    kept.chip = fmt::format("{:04x}:{:04x}", device.vendor_id, device.device_id);
    kept.driver = driver_text(driver_fact(device));
    kept.tiling_layout_uuid = device.tiling_layout_uuid;
    kept.format = probe::format_name(static_cast<uint32_t>(image.format));
    kept.usage = "sampled,transfer-dst,transfer-src";
    kept.extent_px = image.extent_px;
    kept.levels = image.levels;
    kept.layers = image.layers;
    kept.bytes = image.memory.size();
    return kept;
}

void read_into(const std::string& path, uint64_t from, std::span<std::byte> to) {
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(from));
    if (!file.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size())))
        throw Error(fmt::format("{}: cannot be read", path));
}

void run(const Options& options) {
    ConvertImage image;
    KeptFor here;
    {
        probe::Workers workers;
        const std::vector<probe::DeviceInfo> devices = list_devices(workers);
        if (options.device >= devices.size())
            throw UsageError(fmt::format("no device {}: see tilewise devices", options.device));
        image = probed_image(workers, devices[options.device], options.image);
        here = kept_for(devices[options.device], image);
    }
    const std::string rows_path = options.folder + "/image.rows", kept_path = options.folder + "/image.kept";
    write_whole_file(rows_path, {reinterpret_cast<const char*>(image.rows.data()), image.rows.size()});
    write_kept_image(kept_path, here, image.memory);

    vulkan::Instance instance;
    vulkan::open_instance(instance);
    Context context;
    open_context(context, instance.devices.at(options.device));
    const auto buffers = create_convert_buffers(context, image);
    const OwnedLoadedImage by_rows = create_loaded_image(context, image, LoadMethod::rows);
    const OwnedLoadedImage by_kernel = create_loaded_image(context, image, LoadMethod::emitted_kernel);
    const OwnedLoadedImage by_memory = create_loaded_image(context, image, LoadMethod::memory);

    const OwnedHostImage by_host = create_host_image(context, image);
    const std::string why_not = by_host ? why_not_memory(context, *by_host, *buffers) : "not offered for this image";

    struct Way {
        const char* name;
        std::function<void()> run;
        std::function<std::vector<std::byte>()> texels;
        std::vector<double> seconds = {};
    };
    const auto by_queue = [&](const char* name, const LoadedImage& loaded, const std::string& path, uint64_t from) {
        return Way{name,
                   [&, path, from] {
                       if (from != 0) require_same(path, read_kept_header(path), here);
                       read_into(path, from, staging_of(loaded));
                       load(context, loaded);
                   },
                   [&] { return texels_of(context, loaded, *buffers); }};
    };
    std::vector<Way> ways = {by_queue("rows, vkCmdCopyBufferToImage", *by_rows, rows_path, 0),
                             by_queue("rows, emitted kernel", *by_kernel, rows_path, 0),
                             by_queue("kept memory", *by_memory, kept_path, kept_header_B)};
    const auto by_host_copy = [&](const char* name, HostContents of, const std::string& path, uint64_t from) {
        const auto run = [&, of, path, from] {
            if (from != 0) require_same(path, read_kept_header(path), here);
            read_into(path, from, staging_of(*by_host, of));
            load(context, *by_host, of);
        };
        ways.push_back({name, run, [&, run] {
                            // Both ways share the image: leftovers of one must not pass as the result of the other.
                            std::ranges::fill(staging_of(*by_host, HostContents::rows), std::byte{0});
                            load(context, *by_host, HostContents::rows);
                            run();
                            return texels_of(context, *by_host, *buffers);
                        }});
    };
    if (by_host) by_host_copy("rows, host image copy", HostContents::rows, rows_path, 0);
    if (why_not.empty()) by_host_copy("kept memory, host copy MEMCPY", HostContents::memory, kept_path, kept_header_B);

    fmt::print("{}\n{}: {:.1f} MB of rows, {:.1f} MB of memory, from {} in the page cache\n",
               context.device.traits.properties.deviceName, image.name, 1e-6 * static_cast<double>(image.rows.size()),
               1e-6 * static_cast<double>(image.memory.size()), options.folder);
    for (int i = -1; i < options.times; i++)  // the first round is the warm-up
        for (Way& way : ways) {
            const double of_this = seconds_of(BenchClock::wall, way.run);
            if (i >= 0) way.seconds.push_back(of_this);
        }
    for (Way& way : ways) {
        const std::vector<std::byte> texels = way.texels();
        const bool right = std::ranges::equal(texels, image.rows);
        std::ranges::sort(way.seconds);
        const Rate rate = rate_of(way.seconds, 1e-9 * static_cast<double>(image.rows.size()), way.seconds.size() / 4);
        fmt::print("  {:<30} {}\n", way.name,
                   right ? fmt::format("{:>8.2f} ms  {:.2f} GB/s, half of the runs between {:.2f} and {:.2f}",
                                       1e3 * way.seconds[way.seconds.size() / 2], rate.median, rate.low, rate.high)
                         : "WRONG: the image holds other texels");
    }
    if (!why_not.empty()) fmt::print("  {:<30} refused: {}\n", "kept memory, host copy MEMCPY", why_not);
    std::filesystem::remove(rows_path);
    std::filesystem::remove(kept_path);
}

}  // namespace

int main(int argc, char** argv) try {
    if (const auto code = tilewise::probe::worker::play_role(argc, argv, {&tilewise::probe::worker::vulkan_role, 1}))
        return *code;
    Options options;
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        if (i + 1 == argc) throw UsageError(fmt::format("{}: {}", name, usage));
        const char* value = argv[i + 1];
        if (name == "--size")
            options.image.side_px = static_cast<uint32_t>(std::atoi(value));
        else if (name == "--device")
            options.device = static_cast<uint32_t>(std::atoi(value));
        else if (name == "--format")
            options.image.format = value;
        else if (name == "--folder")
            options.folder = value;
        else if (name == "--times")
            options.times = std::max(1, std::atoi(value));
        else
            throw UsageError(fmt::format("{}: {}", name, usage));
    }
    run(options);
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "tilewise_bench_load: {}\n", error.what());
    return 1;
}
