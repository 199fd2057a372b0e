// What a database cannot check about an observation: how large a format's elements are, and how many an image has.
#pragma once
#include "db/facts/observation.h"
#include <string>

namespace tilewise {

/// Why no image can be as the observation says, in one line; empty if nothing speaks against it, as for a format that
/// only another version knows. Throws Error if the image's end is beyond 64 bits.
std::string why_implausible(const db::ObservationFact& fact);

}  // namespace tilewise
