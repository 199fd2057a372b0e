// What a database cannot know of an observation: how large a format's elements are, and how many an image has.
#pragma once
#include "db/facts/observation.h"
#include <string>

namespace tilewise {

/// Why no image can be as the observation says, in one line; empty where nothing speaks against it. Of a format that
/// only another version knows, nothing does. Throws Error where the image's end is beyond 64 bits.
std::string why_implausible(const db::ObservationFact& fact);

}  // namespace tilewise
