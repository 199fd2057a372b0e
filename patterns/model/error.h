// Errors for people to read: one line that names the problem and the way out. Every exception that the library itself
// throws is one of these; std::bad_alloc is possible, too.
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
