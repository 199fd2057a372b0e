// A format that nobody has probed on some device is answered by a format with alike elements: B8G8R8A8_UNORM lies as
// R8G8B8A8_UNORM does.
#pragma once
#include "patterns/model/image_kind.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/question.h"
#include <string>
#include <vector>

namespace tilewise {

/// Whether the format has known elements and a single aspect, was never observed in that scope, and is named by no rule
/// there, for images of that type and with those flags.
bool is_unknown_there(const db::Database& database, const Scope& asked, const AskedFormat& format,
                      const ImageKind& image);

/// The formats known in that scope whose elements are like those of the asked format, most similar names first.
/// `any_rule`: whether a rule covers any of them. `of_one_rule`: whether one rule covers several such formats, and no
/// driver has a different rule for such elements, so that the rule depends on the elements rather than on the format.
struct AlikeFormats {
    std::vector<std::string> names;
    bool any_rule = false, of_one_rule = false;
};
AlikeFormats formats_alike(const db::Database& database, const Scope& asked, const AskedFormat& format,
                           const ImageKind& image);

/// Whether a device that offers one format likely offers the other: BC1 and BC7, but not BC7 and ASTC.
bool is_of_one_family(const std::string& format, const std::string& other);

/// Says that `name` answers for the format, without a capital letter and a full stop.
std::string alike_text(const AskedFormat& format, const std::string& name);

/// If no pattern is named and the asked format was not observed there, sets the scope's format to the first alike
/// format that was; without an extent, to one with an image as large as the largest read there. Returns alike_text(),
/// or an empty text if it sets nothing. Throws Error if only an extent is missing: with an extent, a rule for the
/// format answers.
std::string take_alike_format(const db::Database& database, Scope& asked, const AskedFormat& format);

/// Why nothing was found: db::why_nothing(); for a depth or stencil format that nobody read there, which such formats
/// were read.
std::string why_not_observed(const db::Database& database, const db::Filter& filter);

}  // namespace tilewise
