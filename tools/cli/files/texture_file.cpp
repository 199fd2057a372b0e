#include "tools/cli/files/texture_file.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"

namespace tilewise {

Container container_of(const std::string& name, const std::string& path) {
    constexpr EnumNames<Container, 3> names = {"container", {"raw", "ktx2", "dds"}};
    if (!name.empty()) return names.parse(name);
    const std::string lower = to_lower(path);
    return lower.ends_with(".ktx2") ? Container::ktx2 : lower.ends_with(".dds") ? Container::dds : Container::raw;
}

uint64_t level_bytes(const TextureImage& image, uint32_t level) {
    const Element element = probe::format_named(image.format).element;
    const Extent_px texels = level_extent_px(image.extent_px, level);
    return rows_bytes(element, {ceil_div(texels[0], element.width), ceil_div(texels[1], element.height), texels[2], 1});
}

}  // namespace tilewise
