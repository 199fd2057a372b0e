// DirectDraw surfaces (learn.microsoft.com/windows/win32/direct3ddds). The Direct3D 10 header is written only if the
// older one cannot describe the image: many programs read only the older one.
//
//     0  "DDS ", then 31 words of 32 bits: size, flags, height, width, pitch or size of level 0, depth, levels,
//        11 reserved, the pixel format (size, flags, FourCC, bits, masks of R, G, B, A), four words of capabilities,
//        reserved
//   128  with the FourCC "DX10": DXGI format, dimension, flags (cube), array size (cubes count once), alpha mode
//   148  the rows, layer by layer, each layer from the largest level down, slice by slice
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "probe/formats/formats.h"
#include "tools/cli/files/little_endian.h"
#include "tools/cli/files/texture_file.h"
#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace tilewise {

namespace {

constexpr size_t header_end = 128, dx10_end = 148;

constexpr uint32_t fourcc(std::string_view text) {
    uint32_t value = 0;
    for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<uint8_t>(text[i]);
    return value;
}

// Words of the header, counted from the end of the magic number.
enum Word : size_t {
    word_size,
    word_flags,
    word_height,
    word_width,
    word_pitch,
    word_depth,
    word_levels,
    word_pixel_size = 18,
    word_pixel_flags,
    word_fourcc,
    word_bits,
    word_red,
    word_green,
    word_blue,
    word_alpha,
    word_caps,
    word_caps2,
    word_count = 31
};

constexpr uint32_t has_caps_size_format = 0x1007, has_pitch = 0x8, has_levels = 0x20000, has_linear_size = 0x80000,
                   has_depth = 0x800000;
constexpr uint32_t caps_texture = 0x1000, caps_complex = 0x8, caps_levels = 0x400000;
constexpr uint32_t caps2_cube = 0x200, caps2_all_faces = 0xfc00, caps2_volume = 0x200000;
constexpr uint32_t pixel_alpha = 0x1, pixel_fourcc = 0x4, pixel_rgb = 0x40, pixel_luminance = 0x20000;
constexpr uint32_t dimension_1d = 2, dimension_2d = 3, dimension_3d = 4, dx10_cube = 0x4;

struct DxgiFormat {
    uint32_t dxgi;
    const char* vulkan;
};
/// DXGI_FORMAT by number; if a number has several entries, a file with it is read as the first.
constexpr DxgiFormat dxgi_formats[] = {
    {2, "R32G32B32A32_SFLOAT"},
    {3, "R32G32B32A32_UINT"},
    {4, "R32G32B32A32_SINT"},
    {6, "R32G32B32_SFLOAT"},
    {7, "R32G32B32_UINT"},
    {8, "R32G32B32_SINT"},
    {10, "R16G16B16A16_SFLOAT"},
    {11, "R16G16B16A16_UNORM"},
    {12, "R16G16B16A16_UINT"},
    {13, "R16G16B16A16_SNORM"},
    {14, "R16G16B16A16_SINT"},
    {16, "R32G32_SFLOAT"},
    {17, "R32G32_UINT"},
    {18, "R32G32_SINT"},
    {24, "A2B10G10R10_UNORM_PACK32"},
    {25, "A2B10G10R10_UINT_PACK32"},
    {26, "B10G11R11_UFLOAT_PACK32"},
    {28, "R8G8B8A8_UNORM"},
    {29, "R8G8B8A8_SRGB"},
    {30, "R8G8B8A8_UINT"},
    {31, "R8G8B8A8_SNORM"},
    {32, "R8G8B8A8_SINT"},
    {34, "R16G16_SFLOAT"},
    {35, "R16G16_UNORM"},
    {36, "R16G16_UINT"},
    {37, "R16G16_SNORM"},
    {38, "R16G16_SINT"},
    {40, "D32_SFLOAT"},
    {41, "R32_SFLOAT"},
    {42, "R32_UINT"},
    {43, "R32_SINT"},
    {49, "R8G8_UNORM"},
    {50, "R8G8_UINT"},
    {51, "R8G8_SNORM"},
    {52, "R8G8_SINT"},
    {54, "R16_SFLOAT"},
    {55, "D16_UNORM"},
    {56, "R16_UNORM"},
    {57, "R16_UINT"},
    {58, "R16_SNORM"},
    {59, "R16_SINT"},
    {61, "R8_UNORM"},
    {62, "R8_UINT"},
    {63, "R8_SNORM"},
    {64, "R8_SINT"},
    {65, "A8_UNORM"},
    {67, "E5B9G9R9_UFLOAT_PACK32"},
    {71, "BC1_RGBA_UNORM_BLOCK"},
    {71, "BC1_RGB_UNORM_BLOCK"},
    {72, "BC1_RGBA_SRGB_BLOCK"},
    {72, "BC1_RGB_SRGB_BLOCK"},
    {74, "BC2_UNORM_BLOCK"},
    {75, "BC2_SRGB_BLOCK"},
    {77, "BC3_UNORM_BLOCK"},
    {78, "BC3_SRGB_BLOCK"},
    {80, "BC4_UNORM_BLOCK"},
    {81, "BC4_SNORM_BLOCK"},
    {83, "BC5_UNORM_BLOCK"},
    {84, "BC5_SNORM_BLOCK"},
    {85, "R5G6B5_UNORM_PACK16"},
    {86, "A1R5G5B5_UNORM_PACK16"},
    {87, "B8G8R8A8_UNORM"},
    {91, "B8G8R8A8_SRGB"},
    {95, "BC6H_UFLOAT_BLOCK"},
    {96, "BC6H_SFLOAT_BLOCK"},
    {98, "BC7_UNORM_BLOCK"},
    {99, "BC7_SRGB_BLOCK"},
    {115, "A4R4G4B4_UNORM_PACK16"},
};

/// The formats in files without the Direct3D 10 header: a FourCC, or a Direct3D 9 number in its place. If a format has
/// several entries, the first one is written.
struct OldFormat {
    uint32_t fourcc;
    const char* vulkan;
};
constexpr OldFormat old_formats[] = {
    {fourcc("DXT1"), "BC1_RGBA_UNORM_BLOCK"},
    {fourcc("DXT3"), "BC2_UNORM_BLOCK"},
    {fourcc("DXT5"), "BC3_UNORM_BLOCK"},
    {fourcc("ATI1"), "BC4_UNORM_BLOCK"},
    {fourcc("BC4U"), "BC4_UNORM_BLOCK"},
    {fourcc("BC4S"), "BC4_SNORM_BLOCK"},
    {fourcc("ATI2"), "BC5_UNORM_BLOCK"},
    {fourcc("BC5U"), "BC5_UNORM_BLOCK"},
    {fourcc("BC5S"), "BC5_SNORM_BLOCK"},
    {36, "R16G16B16A16_UNORM"},
    {111, "R16_SFLOAT"},
    {112, "R16G16_SFLOAT"},
    {113, "R16G16B16A16_SFLOAT"},
    {114, "R32_SFLOAT"},
    {115, "R32G32_SFLOAT"},
    {116, "R32G32B32A32_SFLOAT"},
};

/// .. or given by masks.
struct MaskedFormat {
    uint32_t bits, red, green, blue, alpha;
    const char* vulkan;
};
constexpr MaskedFormat masked_formats[] = {
    {32, 0xff, 0xff00, 0xff0000, 0xff000000, "R8G8B8A8_UNORM"},
    {32, 0xff0000, 0xff00, 0xff, 0xff000000, "B8G8R8A8_UNORM"},
    {16, 0xf800, 0x7e0, 0x1f, 0, "R5G6B5_UNORM_PACK16"},
    {8, 0xff, 0, 0, 0, "R8_UNORM"},
};

/// Formats that are read from old headers, but written with the newer header: read as DirectXTex reads older files.
constexpr OldFormat premultiplied_formats[] = {{fourcc("DXT2"), "BC2_UNORM_BLOCK"},
                                               {fourcc("DXT4"), "BC3_UNORM_BLOCK"}};
constexpr MaskedFormat other_masks[] = {
    {32, 0xff0000, 0xff00, 0xff, 0, "B8G8R8A8_UNORM"},
    {32, 0xff, 0xff00, 0xff0000, 0, "R8G8B8A8_UNORM"},
    {32, 0x3ff, 0xffc00, 0x3ff00000, 0xc0000000, "A2B10G10R10_UNORM_PACK32"},
    {32, 0xffff, 0xffff0000, 0, 0, "R16G16_UNORM"},
    {16, 0x7c00, 0x3e0, 0x1f, 0x8000, "A1R5G5B5_UNORM_PACK16"},
    {16, 0xf00, 0xf0, 0xf, 0xf000, "A4R4G4B4_UNORM_PACK16"},
    {16, 0xffff, 0, 0, 0, "R16_UNORM"},
    {16, 0xff, 0, 0, 0xff00, "R8G8_UNORM"},
};

/// The words from word_pixel_flags to word_alpha.
using PixelFormat = std::array<uint32_t, 7>;

/// The pixel format in the older header; none if that header cannot describe the image.
std::optional<PixelFormat> old_pixel_format(const TextureImage& image) {
    if (image.layers > (image.is_cube ? faces_of_cube : 1) || image.type == ImageType::one_d) return {};
    const auto old = std::ranges::find_if(old_formats, [&](const OldFormat& f) { return image.format == f.vulkan; });
    if (old != std::end(old_formats)) return {{pixel_fourcc, old->fourcc}};
    const auto masked =
        std::ranges::find_if(masked_formats, [&](const MaskedFormat& f) { return image.format == f.vulkan; });
    if (masked == std::end(masked_formats)) return {};
    const uint32_t flags = masked->green == 0 ? pixel_luminance : pixel_rgb | (masked->alpha != 0 ? pixel_alpha : 0);
    return {{flags, 0, masked->bits, masked->red, masked->green, masked->blue, masked->alpha}};
}

/// Null for a code that is not known here.
const char* format_of_fourcc(uint32_t code) {
    for (const std::span<const OldFormat> formats : {std::span<const OldFormat>(old_formats), {premultiplied_formats}})
        for (const OldFormat& format : formats)
            if (format.fourcc == code) return format.vulkan;
    return nullptr;
}

/// The format by its masks; `word` returns the words of the header.
template <typename Word>
const char* format_of_masks(const Word& word) {
    for (const std::span<const MaskedFormat> formats : {std::span<const MaskedFormat>(masked_formats), {other_masks}})
        for (const MaskedFormat& f : formats)
            if (f.bits == word(word_bits) && f.red == word(word_red) && f.green == word(word_green) &&
                f.blue == word(word_blue) && f.alpha == word(word_alpha) &&
                (word(word_pixel_flags) & ~pixel_alpha) == (f.green == 0 ? pixel_luminance : pixel_rgb))
                return f.vulkan;
    return nullptr;
}

std::string fourcc_text(uint32_t code) {
    std::string text;
    for (int byte = 0; byte < 4; byte++) text += static_cast<char>(code >> 8 * byte & 0xff);
    const bool is_text = std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
    return is_text ? text : fmt::format("D3DFMT {}", code);
}

uint32_t dxgi_of(const std::string& format) {
    const auto found = std::ranges::find_if(dxgi_formats, [&](const DxgiFormat& f) { return format == f.vulkan; });
    if (found == std::end(dxgi_formats))
        throw Error(fmt::format("DDS has no format like {}; write KTX2 instead", format));
    return found->dxgi;
}

/// Places levels and layers behind a header that ends at `at`.
void place_rows(TextureFile& file, uint64_t at) {
    const auto sum = [](uint64_t a, uint64_t b) {
        uint64_t value = 0;
        if (__builtin_add_overflow(a, b, &value) || value >> 62 != 0) throw Error("the image is larger than any file");
        return value;
    };
    uint64_t layer = 0;
    for (uint32_t level = 0; level < file.image.levels; level++) {
        file.levels.push_back({at + layer, 0});
        layer = sum(layer, level_bytes(file.image, level));
    }
    for (LevelRows& level : file.levels) level.layer_stride_B = layer;
    uint64_t all = 0;
    if (__builtin_mul_overflow(layer, file.image.layers, &all)) throw Error("the image is larger than any file");
    file.bytes = sum(at, all);
}

}  // namespace

TextureFile make_dds(const TextureImage& image) {
    const std::optional<PixelFormat> old = old_pixel_format(image);
    const uint32_t dxgi = old ? 0 : dxgi_of(image.format);
    const bool volume = image.type == ImageType::three_d;
    if (volume && image.layers > 1) throw Error("DDS has no arrays of 3D images");
    TextureFile file;
    file.image = image;
    place_rows(file, old ? header_end : dx10_end);

    const bool compressed = probe::format_named(image.format).kind == probe::FormatKind::compressed;
    const uint64_t level0 = level_bytes(image, 0);
    const uint64_t pitch = compressed ? level0 : level0 / image.extent_px[1] / image.extent_px[2];
    std::array<uint32_t, word_count> words = {};
    words[word_size] = 124;
    words[word_flags] = has_caps_size_format | (compressed ? has_linear_size : has_pitch) |
                        (image.levels > 1 ? has_levels : 0) | (volume ? has_depth : 0);
    words[word_height] = image.extent_px[1];
    words[word_width] = image.extent_px[0];
    words[word_pitch] = static_cast<uint32_t>(std::min<uint64_t>(pitch, ~uint32_t{0}));
    words[word_depth] = volume ? image.extent_px[2] : 0;
    words[word_levels] = image.levels;
    words[word_pixel_size] = 32;
    std::ranges::copy(old.value_or(PixelFormat{pixel_fourcc, fourcc("DX10")}), &words[word_pixel_flags]);
    words[word_caps] = caps_texture | (image.levels > 1 ? caps_levels | caps_complex : 0) |
                       (image.layers > 1 || volume ? caps_complex : 0);
    words[word_caps2] = (image.is_cube ? caps2_cube | caps2_all_faces : 0) | (volume ? caps2_volume : 0);

    file.header = "DDS ";
    for (uint32_t word : words) append(file.header, word);
    if (old) return file;
    const uint32_t dimension = volume ? dimension_3d : image.type == ImageType::one_d ? dimension_1d : dimension_2d;
    for (uint32_t word : {dxgi, dimension, image.is_cube ? dx10_cube : 0U,
                          image.is_cube ? image.layers / faces_of_cube : image.layers, 0U})
        append(file.header, word);
    return file;
}

TextureFile read_dds(std::span<const std::byte> bytes, const std::string& name) {
    const auto fail = [&](const std::string& what) { throw Error(fmt::format("{}: {}", name, what)); };
    if (bytes.size() < header_end || number_at<uint32_t>(bytes, 0) != fourcc("DDS ")) fail("is not a DDS file");
    const auto word = [&](size_t i) { return number_at<uint32_t>(bytes, 4 + 4 * i); };
    if (word(word_size) != 124 || word(word_pixel_size) != 32) fail("is not a DDS file: its header has another size");

    TextureFile file;
    TextureImage& image = file.image;
    image.extent_px = {word(word_width), word(word_height), 1};
    const bool has_fourcc = (word(word_pixel_flags) & pixel_fourcc) != 0;
    const bool dx10 = has_fourcc && word(word_fourcc) == fourcc("DX10");
    const bool says_volume = (word(word_caps2) & caps2_volume) != 0, says_cube = (word(word_caps2) & caps2_cube) != 0;
    bool volume = says_volume;
    if (dx10) {
        if (bytes.size() < dx10_end) fail(fmt::format("has {} bytes, too few for its header", bytes.size()));
        const auto extra = [&](size_t i) { return number_at<uint32_t>(bytes, header_end + 4 * i); };
        const auto format = std::ranges::find(dxgi_formats, extra(0), &DxgiFormat::dxgi);
        if (format == std::end(dxgi_formats))
            fail(fmt::format("has the DXGI format {}, which is not known here", extra(0)));
        image.format = format->vulkan;
        if (extra(1) < dimension_1d || extra(1) > dimension_3d) fail(fmt::format("has the dimension {}", extra(1)));
        volume = extra(1) == dimension_3d;
        image.type = volume ? ImageType::three_d : extra(1) == dimension_1d ? ImageType::one_d : ImageType::two_d;
        if (image.type == ImageType::one_d && word(word_height) > 1)
            fail(fmt::format("is a 1D image of {} rows", word(word_height)));
        image.is_cube = (extra(2) & dx10_cube) != 0;
        if (says_volume && !volume) fail("is a volume by its capabilities, and none by its dimension");
        if (says_cube && !image.is_cube) fail("is a cube by its capabilities, and none by its other flags");
        if (extra(3) == 0 || extra(3) > max_image_layers) fail(fmt::format("has {} layers", extra(3)));
        image.layers = extra(3) * (image.is_cube ? faces_of_cube : 1);
    } else {
        if (const char* format = has_fourcc ? format_of_fourcc(word(word_fourcc)) : format_of_masks(word))
            image.format = format;
        else
            fail(fmt::format(
                "has the pixel format {}, which {}",
                has_fourcc ? fourcc_text(word(word_fourcc))
                           : fmt::format("of {} bits with the masks {:#x}, {:#x}, {:#x} and {:#x}", word(word_bits),
                                         word(word_red), word(word_green), word(word_blue), word(word_alpha)),
                !has_fourcc && word(word_bits) == 24 ? "DXGI has no format for: save it with 32 bits a texel"
                                                     : "is not known here: save it with a DX10 header"));
        image.is_cube = says_cube;
        image.layers = image.is_cube ? faces_of_cube : 1;
        if (volume) image.type = ImageType::three_d;
    }
    if (says_cube && (word(word_caps2) & caps2_all_faces) != caps2_all_faces) fail("is a cube without all its faces");
    const bool says_depth = (word(word_flags) & has_depth) != 0;
    if (volume && !says_depth) fail("is a volume, and its flags do not say that it has a depth");
    if (!volume && says_depth && word(word_depth) > 1)
        fail(fmt::format("has a depth of {}, and is not a volume", word(word_depth)));
    if (volume) image.extent_px[2] = word(word_depth);
    if (volume && image.layers > 1) fail("is a 3D image with layers");
    if (image.is_cube && (image.type != ImageType::two_d || word(word_width) != word(word_height)))
        fail(fmt::format("has cubes with faces of {}, which are not square", sides_text(image.extent_px)));
    for (uint32_t side : image.extent_px)
        if (side == 0 || side > max_image_side_px) fail("has no such extent: " + sides_text(image.extent_px));
    image.levels = std::max(word(word_levels), 1U);  // not all writers set the flag for several levels
    const uint32_t longest = *std::ranges::max_element(image.extent_px);
    if (image.levels > static_cast<uint32_t>(std::bit_width(longest)))
        fail(fmt::format("has {} levels, and such an image at most {}", image.levels, std::bit_width(longest)));
    try {
        place_rows(file, dx10 ? dx10_end : header_end);
    } catch (const Error& error) {
        fail(error.what());
    }
    if (file.bytes != bytes.size()) fail(fmt::format("has {} bytes, and its header says {}", bytes.size(), file.bytes));
    return file;
}

}  // namespace tilewise
