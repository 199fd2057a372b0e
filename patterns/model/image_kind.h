// What an image is: the subject of a question, a probe, a rule or a layout.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewise {

enum class ImageType : uint8_t { one_d, two_d, three_d };  ///< numbered as VkImageType
constexpr ImageType all_image_types[] = {ImageType::one_d, ImageType::two_d, ImageType::three_d};

/// Example:
///     assert(image_type_name(ImageType::three_d) == "3D");
///     assert(image_type_from_name("3D") == ImageType::three_d);
std::string_view image_type_name(ImageType type);       ///< "1D", "2D", "3D"
ImageType image_type_from_name(std::string_view name);  ///< throws UsageError that lists the names

/// In JSON, a type is its name; nlohmann::json calls both functions by itself.
/// Example:
///     nlohmann::json json;
///     to_json(json, ImageType::two_d);
///     ImageType type = ImageType::one_d;
///     from_json(json, type);
///     assert(json == "2D" && type == ImageType::two_d && json.get<ImageType>() == ImageType::two_d);
template <typename Json>
void to_json(Json& json, const ImageType& type) {
    json = image_type_name(type);
}
template <typename Json>
void from_json(const Json& json, ImageType& type) {
    type = image_type_from_name(json.template get<std::string>());
}

using Extent_px = std::array<uint32_t, 3>;  ///< texels along x, y and z

/// An image's dimensions, independent of its format and usage.
struct ImageShape {
    ImageType type = ImageType::two_d;
    Extent_px extent_px = {1, 1, 1};  ///< of level 0
    uint32_t levels = 1, layers = 1, samples = 1;
    bool operator==(const ImageShape&) const = default;
};

constexpr uint32_t faces_of_cube = 6;

/// The names are Vulkan's. Usages and flags are separated by commas; their order does not matter.
struct ImageKind : ImageShape {
    std::string format;  ///< without VK_FORMAT_: "R8G8B8A8_UNORM"
    std::string usage;   ///< "sampled,storage"
    std::string flags;   ///< creation flags: "cube-compatible,mutable-format"
    bool operator==(const ImageKind&) const = default;
};

/// Example:
///     assert((level_extent_px({300, 200, 1}, 3) == Extent_px{37, 25, 1}));
Extent_px level_extent_px(Extent_px extent_px, uint32_t level);

/// How much two extents differ: the sum over the axes of |log2 of the ratio|.
/// Example:
///     assert(extent_distance({256, 256, 1}, {64, 512, 1}) == 2 + 1);
double extent_distance(const Extent_px& a, const Extent_px& b);

/// Whether a comma-separated list of names, as in ImageKind, contains all the wanted ones.
/// Example:
///     assert(has_names("sampled,storage,transfer-dst", "storage,sampled"));
bool has_names(std::string_view list, std::string_view wanted);

}  // namespace tilewise
