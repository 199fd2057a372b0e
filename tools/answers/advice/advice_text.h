// An advice in words, and as JSON.
#pragma once
#include "tools/answers/advice/advice.h"
#include <nlohmann/json.hpp>

namespace tilewise {

std::string_view advice_source_name(AdviceSource source);  ///< "measured", "measured on another device", ..

/// "direct, memory order in workgroups of 4x64"
std::string way_words(const TimedWay& way);

/// What one invocation reads: "texel", or "block of 4x4 texels" for a compressed format.
std::string element_words(const std::string& format);
bool is_of_blocks(const std::string& format);

/// In which order workgroups take the image, and how that is known or achieved.
std::string groups_text(const Advice& advice);

/// How, where and since when a way of this advice is known.
std::string known_text(const Advice& advice, const TimedWay& way);

/// The advice in a few lines, as `advise` prints it.
std::string advice_text(const Advice& advice);

nlohmann::ordered_json to_json(const Advice& advice);

/// The JSON of a measured way, for the member `use`; null if there is none.
nlohmann::ordered_json way_json(const std::optional<TimedWay>& way);

}  // namespace tilewise
