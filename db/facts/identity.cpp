#include "db/facts/identity.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tilewise::db {

void Identity::append(std::string_view text, bool is_number) {
    if (is_begun_) text_ += is_number && ends_in_number_ ? ' ' : '\x1f';
    text_ += text;
    is_begun_ = true;
    ends_in_number_ = is_number;
}

std::string Identity::hash() const {
    const XXH128_hash_t hash = XXH3_128bits(text_.data(), text_.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace tilewise::db
