// The chips of chips.txt, by all their names; and the lines of the lists.
#pragma once
#include "db/names/lists.h"
#include "db/names/names.h"
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilewise::db {

/// Calls `use` for the lines that are not comments.
template <typename Use>
void each_line(std::string_view list, const Use& use) {
    for (const NameList& file : embedded_names()) {
        if (file.name != list) continue;
        for (size_t at = 0; at < file.text.size();) {
            const size_t end = std::min(file.text.find('\n', at), file.text.size());
            const std::string_view line = file.text.substr(at, end - at);
            if (!line.empty() && line[0] != '#') use(line);
            at = end + 1;
        }
    }
}

struct Chips {
    std::vector<Chip> all;
    /// All of their names; a driver may use one name for two chips, such as RADV's "RAPHAEL_MENDOCINO".
    std::unordered_map<std::string, std::vector<size_t>> by_name;
    std::map<std::string, size_t> architectures;  ///< the first chip of each
};

/// The lists are read on the first call.
const Chips& chips();

/// Returns the chip with the longest name that is a prefix of the text.
const size_t* chip_at_head(std::string_view text);

}  // namespace tilewise::db
