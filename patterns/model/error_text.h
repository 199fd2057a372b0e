// The text that a person gets for an exception: this program's own wording, never that of another library.
#pragma once
#include "patterns/model/error.h"
#include <exception>
#include <new>
#include <string>
#include <system_error>

namespace tilewise {

inline std::string error_text(const std::exception& error) {
    if (dynamic_cast<const Error*>(&error)) return error.what();
    // A length beyond any possible memory throws length_error; one that merely does not fit throws bad_alloc.
    if (dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const std::length_error*>(&error))
        return "out of memory; try a smaller table or image";
    if (const auto* system = dynamic_cast<const std::system_error*>(&error)) return system->code().message();
    return "unexpected error: please report it with the command and its files";
}

}  // namespace tilewise
