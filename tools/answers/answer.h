// An answer, or the reason why there is none, so that the caller can go on without one.
#pragma once
#include "patterns/model/error.h"
#include <string>
#include <utility>
#include <variant>

namespace tilewise {

struct Refusal {
    std::string why;                 ///< one line that names the thing and the way out
    bool is_wrong_question = false;  ///< the question says too little or something impossible; else: nobody knows
};

template <typename T>
using Answer = std::variant<T, Refusal>;

/// Runs code that throws: an Error becomes the reason why there is no answer.
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

/// Throws Error or UsageError if there is no answer.
template <typename T>
T or_throw(Answer<T> answer) {
    if (const auto* refusal = std::get_if<Refusal>(&answer)) {
        if (refusal->is_wrong_question) throw UsageError(refusal->why);
        throw Error(refusal->why);
    }
    return std::get<T>(std::move(answer));
}

}  // namespace tilewise
