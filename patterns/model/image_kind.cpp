#include "patterns/model/image_kind.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <cmath>

namespace tilewise {

namespace {

constexpr EnumNames<ImageType, 3> image_types = {"image type", {"1D", "2D", "3D"}};

}  // namespace

std::string_view image_type_name(ImageType type) { return image_types[type]; }

ImageType image_type_from_name(std::string_view name) { return image_types.parse(name); }

Extent_px level_extent_px(Extent_px extent_px, uint32_t level) {
    for (uint32_t& side : extent_px) side = level < 32 ? std::max(side >> level, 1U) : 1;
    return extent_px;
}

double extent_distance(const Extent_px& a, const Extent_px& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); i++) sum += std::abs(std::log2(double{1} * a[i] / b[i]));
    return sum;
}

bool has_names(std::string_view list, std::string_view wanted) {
    const std::vector<std::string> names = split(list);
    return std::ranges::all_of(split(wanted),
                               [&](const std::string& name) { return std::ranges::count(names, name) > 0; });
}

}  // namespace tilewise
