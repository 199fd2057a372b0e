// The words of a name: implements the comparison described in db/names/names.h.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::db {

inline constexpr size_t max_name_length = 200;  ///< a longer text is not a name

constexpr bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool has_digit(std::string_view text) { return std::ranges::any_of(text, is_digit); }
constexpr bool has_letter(std::string_view text) { return std::ranges::any_of(text, is_letter); }

/// Returns runs of letters and runs of digits, in lower case; a "+" after a run is the word "plus", and "(TM)" and
/// "(R)" are skipped.
std::vector<std::string> split_words(std::string_view text);

std::string joined(const std::vector<std::string>& words, size_t first, size_t count);

/// Returns whether the word only says who made the GPU.
bool is_silent(std::string_view word);

/// Returns the words without those that only name the maker, with abbreviations spelled out, and with one word for
/// laptops, which comes last: "RTX 4000 Ada Laptop" is "RTX 4000 Mobile Ada". The size of a cloud instance is dropped:
/// "g5.xlarge".
std::vector<std::string> telling_words(std::string_view text);

/// Returns "rtx 3080 12 gb" without its memory size.
std::vector<std::string> without_memory(std::vector<std::string> words);

/// Returns "snapdragon 865 plus" as written by people who leave out the sign.
std::vector<std::string> without_plus(std::vector<std::string> words);

std::string trimmed(std::string_view text);

}  // namespace tilewise::db
