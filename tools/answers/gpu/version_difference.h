// Versions of a driver that are known, from its source, to lay images out differently: what one of them was seen to do
// is no answer for the other.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace tilewise {

struct VersionDifference {
    std::string how;
    bool is_certain = false;  ///< false if nobody has looked on which side of the change the asked version is
};

/// How images of the asked version differ from those of the version that answers, on that chip. Returns none if they
/// are not known to.
std::optional<VersionDifference> version_difference(std::string_view chip, std::string_view driver,
                                                    std::string_view asked_version, std::string_view answering_version);

}  // namespace tilewise
