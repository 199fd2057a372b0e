#include "tools/answers/image/plausible.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// A usage or a flag that is not spelled as the database stores it would never be found.
std::string why_no_names(std::string (*as_stored)(std::string_view), const std::string& names) {
    try {
        const std::string stored = as_stored(names);
        return stored == names ? "" : fmt::format("\"{}\" is written {}", names, stored);
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

std::string why_implausible(const db::ObservationFact& fact) {
    const std::string image = fmt::format("{} {}", fact.format, extent_text(fact.extent_px));
    for (const std::string& why :
         {why_no_names(probe::usage_as_stored, fact.usage), why_no_names(probe::flags_as_stored, fact.flags)})
        if (!why.empty()) return fmt::format("{}: {}", image, why);
    const probe::Format* format = probe::find_format(fact.format);
    if (!fact.layout || !format) return "";
    if (format->name != fact.format) return fmt::format("{}: Vulkan calls that format {}", image, format->name);
    const Element& element = fact.layout->pattern.element;
    if (fact.aspect == "color" && element != format->element)
        return fmt::format("{}: has elements of {} bytes and {}x{} texels, but the format's have {} and {}x{}", image,
                           element.bytes, element.width, element.height, format->element.bytes, format->element.width,
                           format->element.height);
    // A plane has fewer texels than the image.
    if (fact.aspect.starts_with("plane")) return "";
    const Coord extent = elements_of(level_extent_px(fact.extent_px, fact.level), element, fact.samples);
    // A published table may cover a part of the image only.
    const bool is_read = fact.provenance == "hardware" || fact.provenance == "driver without hardware";
    if (const uint64_t count = element_count(extent); is_read ? fact.elements != count : fact.elements > count)
        return fmt::format("{}: says that {} elements were read, and has {}", image, fact.elements, count);
    // In NVIDIA's stencil images of a single GOB, elements lie behind the bytes that the driver asks for.
    const uint64_t end = round_up(fact.bytes, std::max<uint64_t>(fact.alignment, 1));
    if (fact.bytes > 0 && tiled_bytes(*fact.layout, {{}, extent}) > end)
        return fmt::format("{}: its last element lies behind its {} bytes", image, fact.bytes);
    return "";
}

}  // namespace tilewise
