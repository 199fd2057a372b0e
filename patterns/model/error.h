// Errors that a person reads: one line that names the thing and the way out. Whatever the library throws itself is one
// of these; std::bad_alloc can come on top.
#pragma once
#include <stdexcept>

namespace tilewise {

/// The work could not be done (exit code 1). what() is one line without a prefix, and says what to try.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The request itself is wrong (exit code 2): an unknown format, an extent of zero, an option that does not exist.
struct UsageError : Error {
    using Error::Error;
};

}  // namespace tilewise
