// A format that nobody has probed somewhere is answered by one whose elements are alike: B8G8R8A8_UNORM lies as
// R8G8B8A8_UNORM does.
#pragma once
#include "patterns/model/image_kind.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/question.h"
#include <string>
#include <vector>

namespace tilewise {

/// Whether a format that is known by its elements was neither observed in that scope nor is named by a rule there, in
/// images of that type and with those flags.
bool is_unknown_there(const db::Database& database, const Scope& asked, const AskedFormat& format,
                      const ImageKind& image);

/// The formats that something is known of in that scope whose elements are like the asked one's, by likeness of their
/// names. `of_rules` is whether a rule is of several such formats, so that it is one of elements rather than of a
/// format.
struct AlikeFormats {
    std::vector<std::string> names;
    bool of_rules = false;
};
AlikeFormats formats_alike(const db::Database& database, const Scope& asked, const AskedFormat& format,
                           const ImageKind& image);

/// Whether a device that offers the one likely offers the other: BC1 and BC7, but not BC7 and ASTC.
bool is_of_one_family(const std::string& format, const std::string& other);

/// That `name` answers for the format, without a capital and a full stop.
std::string alike_text(const AskedFormat& format, const std::string& name);

/// Sets the scope's format to the first of those that was observed there, where the asked one was not and no pattern is
/// named; without an extent, one of which an image was read that is as large as any. Returns alike_text(); empty where
/// it sets nothing. Throws Error where only an extent is missing.
std::string take_alike_format(const db::Database& database, Scope& asked, const AskedFormat& format);

/// Why nothing was found: db::why_nothing; of a depth or stencil format that nobody read there, which of those were.
std::string why_not_observed(const db::Database& database, const db::Filter& filter);

}  // namespace tilewise
