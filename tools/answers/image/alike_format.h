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
/// names. `any_rule` is whether rules are of any of them; `of_one_rule` whether one is of several such formats, and a
/// driver has no other for such elements, so that it is a rule of elements rather than of a format.
struct AlikeFormats {
    std::vector<std::string> names;
    bool any_rule = false, of_one_rule = false;
};
AlikeFormats formats_alike(const db::Database& database, const Scope& asked, const AskedFormat& format,
                           const ImageKind& image);

/// Whether a device that offers the one likely offers the other: BC1 and BC7, but not BC7 and ASTC.
bool is_of_one_family(const std::string& format, const std::string& other);

/// That `name` answers for the format, without a capital and a full stop.
std::string alike_text(const AskedFormat& format, const std::string& name);

/// Sets the scope's format to the first of those that was observed there, where the asked one was not and no pattern is
/// named; without an extent, one of which an image was read that is as large as any. Returns alike_text(); empty where
/// it sets nothing. Throws Error where only an extent is missing; with one, a rule of the format answers.
std::string take_alike_format(const db::Database& database, Scope& asked, const AskedFormat& format);

/// Why nothing was found: db::why_nothing; of a depth or stencil format that nobody read there, which of those were.
std::string why_not_observed(const db::Database& database, const db::Filter& filter);

}  // namespace tilewise
