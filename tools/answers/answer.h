// An answer, or the reason why there is none: what whoever asks may go on without.
#pragma once
#include "patterns/model/error.h"
#include <string>
#include <utility>
#include <variant>

namespace tilewise {

struct Refusal {
    std::string why;                 ///< one line that names the thing and the way out
    bool is_wrong_question = false;  ///< it says too little, or what cannot be; else nobody knows
};

template <typename T>
using Answer = std::variant<T, Refusal>;

/// The border to what throws: an Error of the work is the reason.
template <typename Work>
auto answer_of(const Work& work) -> Answer<decltype(work())> {
    try {
        return work();
    } catch (const UsageError& error) {
        return Refusal{error.what(), true};
    } catch (const Error& error) {
        return Refusal{error.what()};
    }
}

/// Throws Error or UsageError where there is none.
template <typename T>
T or_throw(Answer<T> answer) {
    if (const auto* refusal = std::get_if<Refusal>(&answer)) {
        if (refusal->is_wrong_question) throw UsageError(refusal->why);
        throw Error(refusal->why);
    }
    return std::get<T>(std::move(answer));
}

}  // namespace tilewise
