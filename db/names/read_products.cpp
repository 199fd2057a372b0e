#include "db/names/read_products.h"
#include "db/names/chips.h"
#include "db/names/words.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise::db {

namespace {

/// "Radeon RX 6800/6800 XT / 6900 XT" -> each name in full: a part takes what it omits from the one before.
std::vector<std::string> products_of(std::string_view text) {
    std::vector<std::string> products;
    std::vector<std::string> before;  // the previous name's words, as written
    for (const std::string& part : split(text, '/')) {
        std::vector<std::string> words = split(trimmed(part), ' ');
        if (words.empty()) continue;
        const auto number = std::ranges::find_if(before, has_digit);
        if (!has_digit(part) && number != before.end())  // "GeForce RTX 2070 Super Mobile", "Max-Q"
            words.insert(words.begin(), before.begin(), before.end() - (has_digit(before.back()) ? 0 : 1));
        else if (is_digit(words[0][0]))
            words.insert(words.begin(), before.begin(), number);
        products.push_back(joined(words, 0, words.size()));
        before = std::move(words);
    }
    return products;
}

void add_product(Products& products, const std::string& product, size_t chip, unsigned weight,
                 const std::string& list) {
    const std::vector<std::string> words = telling_words(product), without = without_memory(words);
    if (without.empty()) return;  // "GH200 120GB / 480GB": the second part is not a name
    const auto add = [&](const std::vector<std::string>& of, unsigned weight_of) {
        const std::string key = joined(of, 0, of.size());
        if (key.empty() || !has_letter(key)) return;
        std::vector<Candidate>& known = products.by_words[key];
        const auto same = std::ranges::find(known, chip, &Candidate::chip);
        if (same == known.end())
            known.push_back({chip, weight_of, product, list});
        else
            same->weight += weight_of;
    };
    add(words, weight);
    if (without != words) add(without, weight);
    // "Snapdragon 7 Gen 3" is a different chip from "Snapdragon 7+ Gen 3"; if no list has a name without the sign, it
    // means the one with it.
    if (product.find('+') != product.npos) add(without_plus(words), 1);
}

}  // namespace

Products read_products() {
    Products all;
    all.by_words.reserve(8192);
    all.devices.reserve(8192);
    each_line("products.txt", [&](std::string_view line) {
        const std::vector<std::string> fields = split_fields(line, '|');
        if (fields.size() != 3) return;
        const auto chip = chips().by_name.find(words_of_name(fields[0]));
        if (chip == chips().by_name.end()) return;
        for (const std::string& product : split(fields[1]))
            add_product(all, trimmed(product), chip->second.front(), our_weight, "products.txt: " + trimmed(fields[2]));
    });
    each_line("pci.txt", [&](std::string_view line) {
        const std::string id = fmt::format("{}:{}", line.substr(0, 4), line.substr(5, 4));
        const std::string_view text = line.substr(10);
        const size_t open = text.find('['), close = text.rfind(']');
        const bool in_brackets = open != text.npos && close != text.npos && close > open;
        const std::vector<std::string> products =
            products_of(in_brackets ? text.substr(open + 1, close - open - 1) : text);
        const size_t* chip = chip_at_head(text);
        // Intel's older lines have only the product.
        if (chip == nullptr && !products.empty()) {
            const std::vector<std::string> words = telling_words(products.front());
            const auto known = all.by_words.find(joined(words, 0, words.size()));
            if (known != all.by_words.end()) chip = &known->second.front().chip;
        }
        if (chip == nullptr) return;
        all.devices[id] = {*chip, 1, in_brackets ? std::string(text.substr(open + 1, close - open - 1)) : std::string(),
                           "pci.ids " + id};
        if (in_brackets)
            for (const std::string& product : products) add_product(all, product, *chip, 1, "pci.ids " + id);
    });
    each_line("amdgpu.txt", [&](std::string_view line) {
        const std::vector<std::string> fields = split(line, ' ');
        if (fields.size() < 4) return;
        const auto device = all.devices.find(fields[0] + ":" + fields[1]);
        if (device == all.devices.end()) return;
        const std::string id = device->first + ":" + fields[2], name(line.substr(13));
        all.devices[id] = {device->second.chip, 1, name, "amdgpu.ids " + id};
        add_product(all, name, all.devices[id].chip, 1, "amdgpu.ids " + id);
    });
    return all;
}

}  // namespace tilewise::db
