#include "tests/support/driver_sizes.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sstream>

namespace tilewise {

std::vector<ImageSize> driver_sizes(const std::string& driver, std::span<const ImageKind> images) {
    std::string lines;
    for (const ImageKind& image : images)
        lines += fmt::format("{} {} {} {} {} {} {} {} {}\n", probe::format_named(image.format).id,
                             static_cast<int>(image.type), image.extent_px[0], image.extent_px[1], image.extent_px[2],
                             image.levels, image.layers, image.samples, probe::usage_named(image.usage));
    const Ended ended = run({source_dir() + "/tools/with-driver", driver, "--", image_bytes_path()}, lines);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    std::istringstream answers(ended.out);
    std::vector<ImageSize> sizes(images.size());
    for (ImageSize& size : sizes) REQUIRE(static_cast<bool>(answers >> size.bytes >> size.alignment));
    return sizes;
}

}  // namespace tilewise
