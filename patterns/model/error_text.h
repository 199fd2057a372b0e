// What a person is told of an exception: the words of this program's errors, and none of a library's.
#pragma once
#include "patterns/model/error.h"
#include <exception>
#include <new>
#include <string>
#include <system_error>

namespace tilewise {

inline std::string error_text(const std::exception& error) {
    if (dynamic_cast<const Error*>(&error)) return error.what();
    // What is longer than any memory is refused by another exception than what does not fit into this one.
    if (dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const std::length_error*>(&error))
        return "out of memory; try a smaller table or image";
    if (const auto* system = dynamic_cast<const std::system_error*>(&error)) return system->code().message();
    return "unexpected error: please report it with the command and its files";
}

}  // namespace tilewise
