#include "tools/answers/gpu/version_difference.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace tilewise {

namespace {

/// "25.0.7" of "Mesa 25.0.7-2"; what is left out is zero.
using Version = std::array<unsigned, 3>;

Version version_in(std::string_view text) {
    Version version = {};
    text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
    for (unsigned& number : version) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc()) break;
        text.remove_prefix(static_cast<size_t>(end - text.data()));
        if (!text.starts_with('.')) break;
        text.remove_prefix(1);
    }
    return version;
}

struct Change {
    std::string_view driver;
    std::span<const std::string_view> chips;
    Version known_before;  ///< versions before this one are known not to have it
    Version known_since;   ///< versions from this one on are known to have it
    const char* how;
};

/// RDNA3's and RDNA4's cards; their processors with graphics have no memory of their own.
constexpr std::string_view cards_with_own_memory[] = {"Navi 31", "Navi 32", "Navi 33", "Navi 44", "Navi 48"};

/// Before: ac_surface.c of Mesa 24.0, 24.3 and 25.0 forbids blocks of 256 KiB only without dedicated memory. Since: a
/// later one forbids them for all images of one sample, and RADV of Mesa 26.1.6 was read.
constexpr Change changes[] = {
    {"radv",
     cards_with_own_memory,
     {25, 1, 0},
     {26, 1, 6},
     "RADV of Mesa 25.0 and before has blocks of up to 256 KiB on cards with memory of their own, and of Mesa 26.1.6 "
     "none above 64 KiB (src/amd/common/ac_surface.c)"},
};

}  // namespace

std::optional<VersionDifference> version_difference(std::string_view chip, std::string_view driver,
                                                    std::string_view asked_version,
                                                    std::string_view answering_version) {
    const Version asked = version_in(asked_version), answering = version_in(answering_version);
    for (const Change& change : changes) {
        if (change.driver != driver || std::ranges::find(change.chips, chip) == change.chips.end()) continue;
        const auto is_before = [&](const Version& version) { return version < change.known_before; };
        const auto is_since = [&](const Version& version) { return version >= change.known_since; };
        const bool differs = (is_before(asked) && is_since(answering)) || (is_since(asked) && is_before(answering));
        const bool is_known = (is_before(asked) || is_since(asked)) && (is_before(answering) || is_since(answering));
        if (differs || !is_known) return VersionDifference{change.how, differs};
    }
    return {};
}

}  // namespace tilewise
