// KTX 2.0 (registry.khronos.org/KTX/specs/2.0), without supercompression:
//
//     0  identifier, 12 bytes
//    12  vkFormat, typeSize, pixelWidth, pixelHeight, pixelDepth, layerCount, faceCount, levelCount,
//        supercompressionScheme
//    48  offset and length of the data format descriptor, of the key/value data, and (64 bits each) of the global data
//    80  for each level: offset, length, uncompressed length, 64 bits each
//        the descriptor, the key/value data, and the levels, the smallest first, each at a multiple of lcm(element, 4)
//        bytes; each level layer by layer, face by face, slice by slice
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include "tools/cli/files/little_endian.h"
#include "tools/cli/files/texture_file.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <string_view>

namespace tilewise {

namespace {

constexpr std::string_view identifier("\xABKTX 20\xBB\r\n\x1A\n", 12);
constexpr size_t index_at = 80, index_bytes = 24;

// The data format descriptor: registry.khronos.org/DataFormat/specs/1.3.
constexpr uint8_t model_rgbsda = 1, transfer_linear = 1, transfer_srgb = 2, primaries_bt709 = 1;
constexpr uint8_t is_linear = 0x10, is_exponent = 0x20, is_signed = 0x40, is_float = 0x80;
constexpr uint8_t channel_stencil = 13, channel_depth = 14, channel_alpha = 15;

/// How to read a range of an element's bits.
struct Sample {
    uint32_t bit = 0, bits = 0;
    uint8_t channel = 0;  ///< with qualifiers
    uint32_t lower = 0, upper = 0;
};

struct Description {
    uint8_t model = model_rgbsda;
    std::vector<Sample> samples;
};

/// A sample with its qualifiers, and the values that stand for the ends of its range.
Sample with_range(uint32_t bit, uint32_t bits, uint8_t channel, std::string_view numeric) {
    const uint32_t all = bits >= 32 ? ~0U : (1U << bits) - 1;
    constexpr uint32_t one = std::bit_cast<uint32_t>(1.0F), minus_one = std::bit_cast<uint32_t>(-1.0F);
    if (numeric == "SFLOAT") return {bit, bits, static_cast<uint8_t>(channel | is_float | is_signed), minus_one, one};
    if (numeric == "UFLOAT") return {bit, bits, static_cast<uint8_t>(channel | is_float), 0, one};
    if (numeric == "UINT") return {bit, bits, channel, 0, 1};
    if (numeric == "SINT") return {bit, bits, static_cast<uint8_t>(channel | is_signed), ~0U, 1};
    if (numeric == "SNORM") {
        const bool block = bits > 32;
        const uint32_t upper = all >> 1;
        return {bit, bits, static_cast<uint8_t>(channel | is_signed), ~upper + (block ? 0 : 1), upper};
    }
    if (numeric == "SRGB" && channel == channel_alpha) channel |= is_linear;
    return {bit, bits, channel, 0, all};
}

/// Mantissas with a shared exponent.
Description describe_e5b9g9r9() {
    Description description;
    for (uint8_t channel = 0; channel < 3; channel++) {
        description.samples.push_back({9U * channel, 9, channel, 0, 8448});
        description.samples.push_back({27, 5, static_cast<uint8_t>(channel | is_exponent), 15, 31});
    }
    return description;
}

uint8_t channel_of(char component) {
    switch (component) {
        case 'R':
            return 0;
        case 'G':
            return 1;
        case 'B':
            return 2;
        case 'A':
            return channel_alpha;
        case 'D':
            return channel_depth;
        case 'S':
            return channel_stencil;
        default:
            throw Error(fmt::format("KTX2 has no channel for a component {}", component));
    }
}

/// Block formats by the first words of their names, with the color model and the channel of each 64 or 128 bits.
struct BlockModel {
    std::string_view name;
    uint8_t model;
    uint32_t bits;
    std::vector<uint8_t> channels;
    bool overlap = false;  ///< the second channel is in the bits of the first
};

const BlockModel* block_model(std::string_view format) {
    static const std::vector<BlockModel> models = {
        {"BC1_RGBA_", 128, 64, {1}},
        {"BC1_RGB_", 128, 64, {0}},
        {"BC2_", 129, 64, {channel_alpha, 0}},
        {"BC3_", 130, 64, {channel_alpha, 0}},
        {"BC4_", 131, 64, {0}},
        {"BC5_", 132, 64, {0, 1}},
        {"BC6H_", 133, 128, {0}},
        {"BC7_", 134, 128, {0}},
        {"ETC2_R8G8B8_", 161, 64, {2}},
        {"ETC2_R8G8B8A1_", 161, 64, {2, channel_alpha}, true},
        {"ETC2_R8G8B8A8_", 161, 64, {channel_alpha, 2}},
        {"EAC_R11_", 161, 64, {0}},
        {"EAC_R11G11_", 161, 64, {0, 1}},
        {"ASTC_", 162, 128, {0}},
    };
    const auto found =
        std::ranges::find_if(models, [&](const BlockModel& model) { return format.starts_with(model.name); });
    return found == models.end() ? nullptr : &*found;
}

std::string_view numeric_of_block(std::string_view format) {
    for (std::string_view numeric : {"SRGB", "SNORM", "SFLOAT", "UFLOAT"})
        if (format.find(fmt::format("_{}_", numeric)) != std::string_view::npos) return numeric;
    return "UNORM";
}

Description describe(const probe::Format& format) {
    const std::string_view name = format.name;
    if (name == "E5B9G9R9_UFLOAT_PACK32") return describe_e5b9g9r9();
    Description description;
    if (format.kind == probe::FormatKind::compressed) {
        const BlockModel* model = block_model(name);
        if (!model) throw Error(fmt::format("KTX2 does not describe {}", name));
        description.model = model->model;
        uint32_t bit = 0;
        for (uint8_t channel : model->channels) {
            description.samples.push_back(with_range(bit, model->bits, channel, numeric_of_block(name)));
            if (!model->overlap) bit += model->bits;
        }
        return description;
    }
    for (const probe::Component& component : probe::components_of(format))
        description.samples.push_back(
            with_range(component.bit, component.bits, channel_of(component.name), component.numeric));
    std::ranges::sort(description.samples, {}, &Sample::bit);
    return description;
}

std::string descriptor_of(const probe::Format& format) {
    const Description description = describe(format);
    constexpr uint16_t version = 2;
    const auto block_bytes = static_cast<uint16_t>(24 + 16 * description.samples.size());
    const bool srgb = std::string_view(format.name).find("_SRGB") != std::string_view::npos;
    std::string bytes;
    append(bytes, uint32_t{block_bytes} + 4);
    append(bytes, uint32_t{0});  // vendor and type: Khronos, basic
    append(bytes, version);
    append(bytes, block_bytes);
    for (uint8_t byte : {description.model, primaries_bt709, srgb ? transfer_srgb : transfer_linear, uint8_t{0}})
        append(bytes, byte);
    append(bytes, (format.element.width - 1) | (format.element.height - 1) << 8);
    append(bytes, uint64_t{format.element.bytes});  // bytesPlane0 to 7
    for (const Sample& sample : description.samples) {
        append(bytes, static_cast<uint16_t>(sample.bit));
        append(bytes, static_cast<uint8_t>(sample.bits - 1));
        append(bytes, sample.channel);
        append(bytes, uint32_t{0});
        append(bytes, sample.lower);
        append(bytes, sample.upper);
    }
    return bytes;
}

/// The size of the units that a machine of the other byte order would swap, in bytes.
uint32_t type_size(const probe::Format& format) {
    if (format.kind == probe::FormatKind::compressed) return 1;
    const std::string_view name = format.name;
    if (const size_t pack = name.find("PACK"); pack != std::string_view::npos)
        return static_cast<uint32_t>(std::stoul(std::string(name.substr(pack + 4)))) / 8;
    uint32_t bits = 8;
    for (const probe::Component& component : probe::components_of(format)) bits = std::max(bits, component.bits);
    return std::bit_ceil(bits) / 8;
}

/// Whether the format, one of those known here, is on the specification's list of prohibited formats.
bool is_prohibited(const probe::Format& format) {
    return format.kind == probe::FormatKind::ycbcr || std::string_view(format.name).find("SCALED") != std::string::npos;
}

uint64_t level_alignment(const probe::Format& format) { return std::lcm(uint64_t{format.element.bytes}, uint64_t{4}); }

uint32_t layers_of_array(const TextureImage& image) {
    return image.is_cube ? image.layers / faces_of_cube : image.layers;
}

uint64_t product(uint64_t a, uint64_t b, const char* what) {
    uint64_t value = 0;
    if (__builtin_mul_overflow(a, b, &value) || value >> 62 != 0)
        throw Error(fmt::format("{} is larger than any file", what));
    return value;
}

}  // namespace

TextureFile make_ktx2(const TextureImage& image) {
    const probe::Format& format = probe::format_named(image.format);
    if (image.layers > 1 && image.extent_px[2] > 1) throw Error("KTX2 has no arrays of 3D images");
    if (is_prohibited(format)) throw Error(fmt::format("KTX2 prohibits {}; write raw rows instead", image.format));
    const std::string descriptor = descriptor_of(format);
    const std::string_view written_by("KTXwriter\0tilewise " TILEWISE_VERSION "\0",
                                      10 + sizeof("tilewise " TILEWISE_VERSION));
    std::string key_values;
    append(key_values, static_cast<uint32_t>(written_by.size()));
    key_values += written_by;
    key_values.resize(round_up(key_values.size(), 4), '\0');

    TextureFile file;
    file.image = image;
    file.levels.resize(image.levels);
    const uint64_t descriptor_at = index_at + index_bytes * image.levels;
    uint64_t end = descriptor_at + descriptor.size() + key_values.size();
    for (uint32_t level = image.levels; level-- > 0;) {
        const uint64_t layer = level_bytes(image, level);
        file.levels[level] = {round_up(end, level_alignment(format)), layer};
        end = file.levels[level].at_B + product(layer, image.layers, "the image");
    }
    file.bytes = end;

    std::string& bytes = file.header;
    bytes = identifier;
    const uint32_t arrays = layers_of_array(image);
    for (uint32_t value :
         {format.id, type_size(format), image.extent_px[0], image.type == ImageType::one_d ? 0 : image.extent_px[1],
          image.type == ImageType::three_d ? image.extent_px[2] : 0, arrays == 1 ? 0 : arrays,
          image.is_cube ? faces_of_cube : 1, image.levels, 0U, static_cast<uint32_t>(descriptor_at),
          static_cast<uint32_t>(descriptor.size()), static_cast<uint32_t>(descriptor_at + descriptor.size()),
          static_cast<uint32_t>(key_values.size())})
        append(bytes, value);
    append(bytes, uint64_t{0});
    append(bytes, uint64_t{0});
    for (uint32_t level = 0; level < image.levels; level++) {
        append(bytes, file.levels[level].at_B);
        for (int i = 0; i < 2; i++) append(bytes, file.levels[level].layer_stride_B * image.layers);
    }
    bytes += descriptor + key_values;
    return file;
}

namespace {

/// Why these bytes do not describe the format's blocks; empty if they do. Ranges and color spaces do not affect the
/// blocks' bytes.
std::string why_no_descriptor(std::span<const std::byte> descriptor, const probe::Format& format) {
    constexpr size_t block_at = 4, block_header_bytes = 24, sample_bytes = 16;
    if (descriptor.size() < block_at + block_header_bytes) return "it is too short";
    if (number_at<uint32_t>(descriptor, 0) != descriptor.size()) return "it says another length";
    if (number_at<uint32_t>(descriptor, 4) != 0) return "its first block is not the basic one";
    const size_t block_bytes = number_at<uint16_t>(descriptor, 10);
    if (block_bytes < block_header_bytes || (block_bytes - block_header_bytes) % sample_bytes != 0 ||
        block_bytes > descriptor.size() - block_at)
        return fmt::format("its block of {} bytes is no number of samples", block_bytes);
    const Element& element = format.element;
    if (number_at<uint32_t>(descriptor, 16) != ((element.width - 1) | (element.height - 1) << 8))
        return "its texel blocks have other sides";
    if (number_at<uint64_t>(descriptor, 20) != element.bytes)
        return fmt::format("its planes have other bytes than {}", element.bytes);
    const bool is_srgb = std::string_view(format.name).find("_SRGB") != std::string_view::npos;
    if (is_srgb && number_at<uint8_t>(descriptor, 14) != transfer_srgb) return "its transfer function is not sRGB's";
    const BlockModel* model = format.kind == probe::FormatKind::compressed ? block_model(format.name) : nullptr;
    if (model && number_at<uint8_t>(descriptor, 12) != model->model) return "its color model is another one's";
    for (size_t at = block_at + block_header_bytes; at < block_at + block_bytes; at += sample_bytes)
        if (number_at<uint16_t>(descriptor, at) + number_at<uint8_t>(descriptor, at + 2) >= 8 * element.bytes)
            return "a sample lies outside of the texel block";
    return {};
}

/// Why these bytes are no list of keys with values; empty if they are.
std::string why_no_key_values(std::span<const std::byte> bytes) {
    std::set<std::string_view> keys;
    while (!bytes.empty()) {
        if (bytes.size() < 4) return "ends within the length of a pair";
        const uint32_t length = number_at<uint32_t>(bytes, 0);
        bytes = bytes.subspan(4);
        const uint64_t padded = round_up(uint64_t{length}, 4);
        if (length < 2 || padded > bytes.size()) return fmt::format("has a pair of {} bytes", length);
        const std::string_view pair(reinterpret_cast<const char*>(bytes.data()), length);
        const size_t end = pair.find('\0');
        if (end == 0 || end == pair.npos) return "has a key that is empty, or that no zero byte ends";
        if (!keys.insert(pair.substr(0, end)).second)
            return fmt::format("has the key {} twice", printable(pair.substr(0, end), 100));
        bytes = bytes.subspan(padded);
    }
    return {};
}

}  // namespace

TextureFile read_ktx2(std::span<const std::byte> bytes, const std::string& name) {
    const auto fail = [&](const std::string& what) { throw Error(fmt::format("{}: {}", name, what)); };
    if (bytes.size() < index_at || std::string_view(reinterpret_cast<const char*>(bytes.data()), 12) != identifier)
        fail("is not a KTX2 file");
    const auto field = [&](size_t i) { return number_at<uint32_t>(bytes, 12 + 4 * i); };
    const probe::Format* format = probe::find_format(field(0));
    if (field(0) == 0)
        fail(
            "has the VkFormat 0: what it holds, such as Basis Universal's blocks, is to be transcoded first (ktx "
            "transcode)");
    if (!format) fail(fmt::format("has the VkFormat {}, which is not known here", field(0)));
    if (is_prohibited(*format)) fail(fmt::format("has the format {}, which KTX2 prohibits", format->name));
    constexpr std::string_view schemes[] = {"none", "BasisLZ", "Zstandard", "ZLIB"};
    if (const uint32_t scheme = field(8); scheme != 0)
        fail(fmt::format("is supercompressed ({}): unpack it first",
                         scheme < std::size(schemes) ? schemes[scheme] : "unknown"));

    TextureFile file;
    TextureImage& image = file.image;
    image.format = format->name;
    image.type = field(3) == 0 ? ImageType::one_d : field(4) == 0 ? ImageType::two_d : ImageType::three_d;
    image.extent_px = {field(2), std::max(field(3), 1U), std::max(field(4), 1U)};
    image.is_cube = field(6) == faces_of_cube;
    if (field(6) != 1 && !image.is_cube) fail(fmt::format("has {} faces", field(6)));
    if (field(5) > max_image_layers) fail(fmt::format("has {} layers", field(5)));
    image.layers = std::max(field(5), 1U) * field(6);
    image.levels = std::max(field(7), 1U);
    const uint32_t longest = *std::ranges::max_element(image.extent_px);
    if (field(2) == 0 || longest > max_image_side_px || (field(3) == 0 && field(4) != 0))
        fail("has no such extent: " + sides_text({field(2), field(3), field(4)}));
    if (image.levels > static_cast<uint32_t>(std::bit_width(longest)))
        fail(fmt::format("has {} levels, and such an image at most {}", image.levels, std::bit_width(longest)));
    // The conditions of "Field Descriptions" on combinations of fields; tests/tools/test_cli_textures.cpp lists them
    // all.
    const bool is_compressed = format->kind == probe::FormatKind::compressed;
    if (is_compressed && field(3) == 0) fail(fmt::format("is 1D, and {} has blocks of two dimensions", image.format));
    if (is_compressed && field(7) == 0) fail("has no levels, which are made of texels that are not compressed alone");
    if (format->kind == probe::FormatKind::depth_stencil && field(4) != 0)
        fail(fmt::format("has a depth of {}, and {} has none", field(4), image.format));
    if (field(1) != type_size(*format))
        fail(fmt::format("has a typeSize of {}, and {} has one of {}", field(1), image.format, type_size(*format)));
    if (image.is_cube && (field(4) != 0 || field(2) != field(3)))
        fail(fmt::format("has cubes with faces of {}, which are not square", sides_text(image.extent_px)));
    if (image.type == ImageType::three_d && image.layers > 1) fail("is an array of 3D images, which no GPU has");
    if ((field(11) == 0) != (field(12) == 0)) fail("has key/value data of no length, or at byte 0");

    const uint64_t index_end = index_at + index_bytes * image.levels;
    if (bytes.size() < index_end) fail(fmt::format("has {} bytes, too few for its header", bytes.size()));
    uint64_t end = index_end;
    const auto section = [&](const char* what, uint64_t at, uint64_t size) {
        if (size == 0) return;
        if (at < end || at > bytes.size() || size > bytes.size() - at) fail(fmt::format("has {} outside of it", what));
        end = at + size;
    };
    section("a data format descriptor", field(9), field(10));
    if (field(10) == 0) fail("has no data format descriptor");
    if (const std::string why = why_no_descriptor(bytes.subspan(field(9), field(10)), *format); !why.empty())
        fail(fmt::format("has no data format descriptor of {}: {}", image.format, why));
    section("key/value data", field(11), field(12));
    if (field(12) != 0 && field(11) != field(9) + field(10))
        fail("has key/value data that do not follow the data format descriptor");
    if (const std::string why = why_no_key_values(bytes.subspan(field(11), field(12))); !why.empty())
        fail("the key/value data: " + why);
    if (number_at<uint64_t>(bytes, 64) != 0 || number_at<uint64_t>(bytes, 72) != 0)
        fail("has global data, which only supercompressed files have");

    file.levels.resize(image.levels);
    for (uint32_t level = image.levels; level-- > 0;) {
        const size_t at = index_at + index_bytes * level;
        const uint64_t from = number_at<uint64_t>(bytes, at), length = number_at<uint64_t>(bytes, at + 8);
        uint64_t layer = 0, needed = 0;
        try {
            layer = level_bytes(image, level);
            needed = product(layer, image.layers, "it");
        } catch (const Error& error) {
            fail(error.what());
        }
        if (length != needed) fail(fmt::format("level {} has {} bytes and needs {}", level, length, needed));
        if (const uint64_t unpacked = number_at<uint64_t>(bytes, at + 16); unpacked != length)
            fail(fmt::format("level {} has {} bytes and would have {} unpacked, though nothing is packed", level,
                             length, unpacked));
        // Each level follows the one before, except for padding to its alignment.
        if (from < end || from - end >= level_alignment(*format) || from % level_alignment(*format) != 0)
            fail(fmt::format("level {} begins at byte {}, not behind what stands before it", level, from));
        file.levels[level] = {from, layer};
        end = from + length;
    }
    if (end != bytes.size()) fail(fmt::format("has {} bytes, and its header says {}", bytes.size(), end));
    file.bytes = end;
    return file;
}

}  // namespace tilewise
