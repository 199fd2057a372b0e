// A stand-in for an image on the GPU: texels to read, bytes to write.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

struct StandInImage {
    unsigned width = 0, height = 0;
    std::vector<float> channels;       ///< four per texel, to read
    std::vector<unsigned char> bytes;  ///< as they were written
    std::vector<unsigned> writes;      ///< by texel: how often it was written
    mutable unsigned long reads = 0;   ///< of single texels

    /// Clamps to the edges, like a sampler.
    const float* texel(float x, float y) const {
        reads++;
        const float right = static_cast<float>(width) - 1, bottom = static_cast<float>(height) - 1;
        const auto column = static_cast<size_t>(std::clamp(std::floor(x), 0.0f, right));
        const auto row = static_cast<size_t>(std::clamp(std::floor(y), 0.0f, bottom));
        return &channels.at((row * width + column) * 4);
    }
    /// Interpolates between texels; (0, 0) is a corner of the image, (1, 1) the opposite one.
    void sample(float u, float v, float* texel_of) const {
        const float x = u * static_cast<float>(width) - 0.5f, y = v * static_cast<float>(height) - 0.5f;
        const float left = std::floor(x), top = std::floor(y), across = x - left, down = y - top;
        for (int i = 0; i < 4; i++) {
            const float above = texel(left, top)[i] * (1 - across) + texel(left + 1, top)[i] * across;
            const float below = texel(left, top + 1)[i] * (1 - across) + texel(left + 1, top + 1)[i] * across;
            texel_of[i] = above * (1 - down) + below * down;
        }
    }
    bool has(size_t x, size_t y) const { return x < width && y < height; }
    /// A write beyond the edges ends the program.
    void write(const void* texel, size_t texel_bytes, size_t x_bytes, size_t y) {
        if (x_bytes % texel_bytes != 0 || x_bytes / texel_bytes >= width)
            throw std::out_of_range("a write beside the texels");
        const size_t at = y * width + x_bytes / texel_bytes;
        writes.at(at)++;
        bytes.resize(size_t{width} * height * texel_bytes);
        std::memcpy(&bytes.at(at * texel_bytes), texel, texel_bytes);
    }
};
