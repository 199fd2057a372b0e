#include "tests/fuzz/targets.h"
#include "tools/cli/files/texture_file.h"
#include <algorithm>

namespace tilewise::fuzz {

namespace {

using ReadFunction = TextureFile (*)(std::span<const std::byte>, const std::string&);
using Make = TextureFile (*)(const TextureImage&);

void read(Input input, ReadFunction read_file, Make make_file) {
    accepted([&] {
        const TextureFile file = read_file(std::as_bytes(input), "a file");
        require(file.bytes == input.size(), "a file has the bytes that its header says");
        require(file.levels.size() == file.image.levels, "each level has a place");
        for (uint32_t level = 0; level < file.image.levels; level++) {
            const LevelRows& rows = file.levels[level];
            const uint64_t end =
                rows.at_B + (file.image.layers - 1) * rows.layer_stride_B + level_bytes(file.image, level);
            require(end <= input.size(), "each level lies in the file");
        }
        accepted([&] {
            const TextureFile again = make_file(file.image);
            require(again.header.size() <= again.levels.back().at_B, "the rows stand behind the header");
        });
    });
}

}  // namespace

void textures(Input input) {
    read(input, read_ktx2, make_ktx2);
    read(input, read_dds, make_dds);
}

}  // namespace tilewise::fuzz
