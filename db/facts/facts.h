// What facts must be before they are kept; shared by adding and by importing.
#pragma once
#include "db/database.h"
#include "db/facts/lanes.h"
#include "db/facts/validation.h"
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace tilewise::db {

std::span<const std::string_view> result_names();
std::span<const std::string_view> provenance_names();

/// The fact with its usages sorted, VK_FORMAT_ taken off, control characters of messages replaced: what means the same
/// becomes the same. Throws Error "<member>: <what it must be>".
DeviceFact canonical(DeviceFact fact);
DriverFact canonical(DriverFact fact);
ObservationFact canonical(ObservationFact fact);
LaneOrderFact canonical(LaneOrderFact fact);
StartOrderFact canonical(StartOrderFact fact);
ValidationFact canonical(ValidationFact fact);

/// Hash of everything that the canonical facts say: 32 hexadecimal digits.
std::string identity_of(const DeviceFact& device, const DriverFact& driver, const ObservationFact& fact);

/// The pattern in an image of no particular size: base and constant are 0, an element is one texel, and the strides
/// say in which order the tiles lie (1024 of them along each axis, so that F has room).
Layout bare_layout(const Pattern& pattern);

/// The layout object as text, the same for the same layout.
std::string layout_text(const Layout& layout);
Layout layout_from_text(const std::string& text);

}  // namespace tilewise::db
