// Chooses one pattern for a device and a format among all that were seen there.
#pragma once
#include "db/query/query.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/find_image.h"
#include <tuple>

namespace tilewise {

struct ChosenPattern {
    std::string id;
    db::ObservationRow image;             ///< the largest image, in texels, that has the pattern
    std::vector<std::string> extents;     ///< of the matching images that have it, from the smallest to the largest
    std::vector<std::string> devices;     ///< "NVIDIA H200 (NVIDIA 580.159.04)", each once
    std::vector<std::string> provenance;  ///< each once
    uint64_t observations = 0;
    size_t others = 0;  ///< patterns that other images have: smaller ones, or images with depth, levels or samples
};

/// The scope in which a question about a pattern is answered: the newest driver version with images there, and an alike
/// format if nobody has probed the asked one. Throws Error as ask() and take_alike_format() do.
struct PatternScope {
    Scope scope;
    std::string alike;  ///< take_alike_format()'s text
};
PatternScope ask_pattern(const db::Database& database, const ImageQuestion& question);
/// Likewise, for what ask() found.
PatternScope pattern_scope(const db::Database& database, Scope scope, const ImageQuestion& question);

/// If the filter names devices but no format, extent, mode or pattern, and R8G8B8A8_UNORM images were read there, sets
/// the format to that one: it is what people look at first. Returns whether it did.
bool take_usual_format(const db::Database& database, db::Filter& filter);
std::string usual_format_text(const db::Filter& filter);  ///< says that it did, in one line

/// Says in one line that other images have other patterns, and how to ask for them; empty if no others do.
std::string others_text(const ChosenPattern& chosen, bool has_extent);

/// The rank of an image; the plainer, the greater. One sample comes before several; no flags before flags; color, depth
/// or the first plane before other aspects; the first level and layer before others; a 2D image with one level and
/// layer before others; then larger images before smaller ones.
using PlainRank = std::tuple<bool, bool, bool, bool, bool, uint64_t>;
PlainRank plain_rank(const db::ObservationFact& fact);

/// The image that shows most of a pattern, because a pattern has no image size: among the rows that have it, the
/// plainest image of one aspect, and of equally plain ones the largest. Null if none has it.
const db::ObservationRow* plainest_image(const std::vector<db::ObservationRow>& rows, std::string_view pattern);

/// The format's name; with the aspect if the format has several: "D32_SFLOAT_S8_UINT (depth)".
std::string format_text(const db::ObservationFact& fact);

/// The rows that a reader means who does not mention samples, flags, levels, layers or depth: one sample rather than
/// several, and so on in this order.
std::vector<db::ObservationRow> plainest(std::vector<db::ObservationRow> rows);

/// The pattern of the largest image that matches; images without depth, levels, layers and several samples come first.
/// Throws Error if nothing matches, with what is there instead, or if the first aspect of such images has no pattern.
/// Throws UsageError if the largest images of several devices, drivers, formats or usages have different patterns, and
/// lists these.
ChosenPattern choose_pattern(const db::Database& database, const db::Filter& filter);

/// find_image()'s answer for an extent, if nobody observed an image of that extent with the question's flags there.
/// None if somebody did, if find_image() has no answer and other images were observed, or if the question names no
/// image.
std::optional<FoundImage> find_unobserved(const db::Database& database, const db::Filter& filter,
                                          const ImageQuestion& question);

/// The pattern of level 0 of that image, presented as that of an image of the device that the filter names.
ChosenPattern pattern_of(const FoundImage& found, const db::Database& database, db::Filter filter);

}  // namespace tilewise
