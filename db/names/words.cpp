#include "db/names/words.h"
#include "db/names/names.h"
#include "patterns/model/text.h"

namespace tilewise::db {

std::vector<std::string> split_words(std::string_view text) {
    std::vector<std::string> words;
    const std::string lower = to_lower(text.substr(0, max_name_length));
    for (size_t at = 0; at < lower.size();) {
        if (lower[at] == '(')
            for (const std::string_view mark : {"(tm)", "(r)", "(c)"})
                if (std::string_view(lower).substr(at).starts_with(mark)) at += mark.size();
        size_t end = at;
        const auto run = [&](bool (*is_one)(char)) {
            while (end < lower.size() && is_one(lower[end])) end++;
        };
        run(is_letter);
        if (end == at) run(is_digit);
        if (end == at) {
            if (lower[at] == '+' && at > 0 && (is_letter(lower[at - 1]) || is_digit(lower[at - 1])))
                words.emplace_back("plus");
            at++;
            continue;
        }
        words.push_back(lower.substr(at, end - at));
        at = end;
    }
    return words;
}

std::string joined(const std::vector<std::string>& words, size_t first, size_t count) {
    std::string text;
    for (size_t i = first; i < first + count; i++) {
        if (!text.empty()) text += ' ';
        text += words[i];
    }
    return text;
}

bool is_silent(std::string_view word) {
    static constexpr std::string_view silent[] = {
        "nvidia",   "geforce",  "amd",       "ati",    "radeon",      "intel",      "apple",
        "qualcomm", "mediatek", "hisilicon", "google", "gpu",         "generation", "graphics",
        "series",   "card",     "with",      "design", "corporation", "aws",        "standard"};
    return std::ranges::find(silent, word) != std::end(silent);
}

namespace {

/// Whether a digit stands right before the last "xlarge".
bool has_joined_size(std::string_view lower) {
    const size_t at = lower.rfind("xlarge");
    return at != lower.npos && at > 0 && is_digit(lower[at - 1]);
}

}  // namespace

std::vector<std::string> telling_words(std::string_view text) {
    std::vector<std::string> words = split_words(text);
    std::erase_if(words, is_silent);
    if (words.size() > 1 && words[0] == "sd" && is_digit(words[1][0])) words[0] = "snapdragon";
    if (words.size() > 1 && words[0] == "rpi") words.insert(words.begin() + 1, "pi"), words[0] = "raspberry";
    // "g5.12xlarge": a cloud instance's size says how many GPUs it has, not which ones. In "p6-b200.xlarge" the number is
    // the GPU's.
    if (words.size() > 3 && words.back() == "xlarge" && is_digit(words[words.size() - 2][0]) &&
        has_joined_size(to_lower(text.substr(0, max_name_length))))
        words.erase(words.end() - 2);
    const size_t all = words.size();
    std::erase_if(words,
                  [](const std::string& word) { return word == "laptop" || word == "notebook" || word == "mobile"; });
    if (words.size() < all) words.emplace_back("mobile");
    return words;
}

std::vector<std::string> without_memory(std::vector<std::string> words) {
    for (size_t i = 0; i + 1 < words.size(); i++)
        if (is_digit(words[i][0]) && words[i + 1] == "gb") {
            words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                        words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
            break;
        }
    return words;
}

std::vector<std::string> without_plus(std::vector<std::string> words) {
    std::erase(words, "plus");
    return words;
}

std::string trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
    return begin == text.npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

std::string words_of_name(std::string_view text) {
    const std::vector<std::string> words = split_words(text);
    return joined(words, 0, words.size());
}

}  // namespace tilewise::db
