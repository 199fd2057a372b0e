#include "db/names/chips.h"
#include "db/names/words.h"
#include "patterns/model/text.h"

namespace tilewise::db {

namespace {

Chips read_chips() {
    Chips chips;
    each_line("chips.txt", [&](std::string_view line) {
        const std::vector<std::string> fields = split_fields(line, '|');
        if (fields.size() != 4) return;
        const size_t chip = chips.all.size();
        chips.all.push_back({trimmed(fields[0]), trimmed(fields[2]), trimmed(fields[1])});
        chips.architectures.emplace(words_of_name(fields[1]), chip);
        std::vector<std::string> names = split(fields[3]);
        names.push_back(fields[2]);
        for (const std::string& name : names) chips.by_name[words_of_name(name)].push_back(chip);
    });
    return chips;
}

}  // namespace

// Never freed: destroying the lists takes time, and nobody needs it.
const Chips& chips() {
    static const Chips& all = *new Chips(read_chips());
    return all;
}

const size_t* chip_at_head(std::string_view text) {
    const std::vector<std::string> words = split_words(text);
    for (size_t count = std::min<size_t>(words.size(), 5); count > 0; count--)
        if (const auto found = chips().by_name.find(joined(words, 0, count)); found != chips().by_name.end())
            return &found->second.front();
    return nullptr;
}

}  // namespace tilewise::db
