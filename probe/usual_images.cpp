#include "probe/usual_images.h"
#include <array>

namespace tilewise::probe {

std::vector<ImageShape> usual_images(ImageType type) {
    if (type == ImageType::three_d)
        return {{type, {16, 16, 16}},   {type, {32, 32, 32}},    {type, {33, 33, 33}},   {type, {64, 64, 32}},
                {type, {64, 64, 64}},   {type, {64, 64, 64}, 7}, {type, {256, 256, 8}},  {type, {300, 200, 10}},
                {type, {128, 128, 64}}, {type, {128, 128, 128}}, {type, {512, 512, 16}}, {type, {100, 80, 60}, 3}};
    std::vector<ImageShape> images;
    constexpr std::array<std::array<uint32_t, 2>, 31> extents = {
        {{1, 1},       {8, 8},       {16, 16},     {32, 32},     {64, 64},     {100, 100},   {128, 128},   {200, 150},
         {256, 256},   {300, 200},   {72, 158},    {512, 512},   {640, 480},   {800, 600},   {1000, 700},  {1024, 1024},
         {1280, 720},  {1366, 768},  {1600, 900},  {1920, 1080}, {1920, 1200}, {2048, 2048}, {2560, 1440}, {3440, 1440},
         {3840, 2160}, {4000, 3000}, {4096, 4096}, {7680, 4320}, {1024, 1},    {1, 1024},    {333, 1500}}};
    for (const auto& [width, height] : extents) images.push_back({type, {width, height, 1}});
    struct Many {
        uint32_t width, height, levels, layers, samples;
    };
    constexpr std::array<Many, 21> others = {{{256, 256, 9, 1, 1},    {512, 512, 10, 1, 1},   {1024, 1024, 11, 1, 1},
                                              {2048, 2048, 12, 1, 1}, {4096, 4096, 13, 1, 1}, {1920, 1080, 11, 1, 1},
                                              {300, 200, 9, 1, 1},    {1000, 700, 10, 1, 1},  {64, 64, 1, 6, 1},
                                              {256, 256, 1, 6, 1},    {512, 512, 1, 6, 1},    {300, 200, 1, 2, 1},
                                              {1024, 1024, 1, 4, 1},  {1920, 1080, 1, 2, 1},  {256, 256, 9, 6, 1},
                                              {1024, 1024, 11, 6, 1}, {64, 64, 1, 1, 4},      {256, 256, 1, 1, 4},
                                              {1920, 1080, 1, 1, 2},  {1920, 1080, 1, 1, 4},  {1920, 1080, 1, 1, 8}}};
    for (const Many& many : others)
        images.push_back({type, {many.width, many.height, 1}, many.levels, many.layers, many.samples});
    return images;
}

}  // namespace tilewise::probe
