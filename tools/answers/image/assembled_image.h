// An image that nobody observed as a whole, put together from what is known of its subresources.
#pragma once
#include "tools/answers/image/given_layout.h"
#include "tools/answers/image/image_answer.h"
#include "tools/answers/image/known_images.h"
#include <optional>

namespace tilewise {

/// Subresource by subresource: as given, else as observed, else as assumed. One entry a layer; the kind of the image is
/// left to the caller.
FoundImage assembled_image(const KnownImages& known, const std::optional<GivenLayout>& given);

/// Throws Error where the image reaches beyond 64 bits of address.
uint64_t checked_sum(uint64_t a, uint64_t b);

}  // namespace tilewise
