#include "db/names/names.h"
#include "db/names/lists.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>

namespace tilewise::db {

namespace {

constexpr size_t max_name_length = 200;  // what is longer is no name

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Lower case; runs of letters and runs of digits; "(TM)" and "(R)" are no words.
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

/// What says only whose GPU it is.
bool is_silent(std::string_view word) {
    static constexpr std::string_view silent[] = {"nvidia", "geforce", "amd",        "ati",        "radeon",
                                                  "intel",  "apple",   "qualcomm",   "mediatek",   "hisilicon",
                                                  "google", "gpu",     "generation", "graphics",   "series",
                                                  "card",   "with",    "design",     "corporation"};
    return std::ranges::find(silent, word) != std::end(silent);
}

/// Without what says only whose GPU it is, abbreviations in full, and one word for laptops, the last: "RTX 4000 Ada Laptop" is
/// "RTX 4000 Mobile Ada".
std::vector<std::string> telling_words(std::string_view text) {
    std::vector<std::string> words = split_words(text);
    std::erase_if(words, is_silent);
    if (words.size() > 1 && words[0] == "sd" && is_digit(words[1][0])) words[0] = "snapdragon";
    if (words.size() > 1 && words[0] == "rpi") words.insert(words.begin() + 1, "pi"), words[0] = "raspberry";
    const size_t all = words.size();
    std::erase_if(words,
                  [](const std::string& word) { return word == "laptop" || word == "notebook" || word == "mobile"; });
    if (words.size() < all) words.emplace_back("mobile");
    return words;
}

/// "rtx 3080 12 gb" without its memory.
std::vector<std::string> without_memory(std::vector<std::string> words) {
    for (size_t i = 0; i + 1 < words.size(); i++)
        if (is_digit(words[i][0]) && words[i + 1] == "gb") {
            words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                        words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
            break;
        }
    return words;
}

std::string trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
    return begin == text.npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

/// Lines that are no comment.
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

bool has_digit(std::string_view text) { return std::ranges::any_of(text, is_digit); }
bool has_letter(std::string_view text) { return std::ranges::any_of(text, is_letter); }

/// "Radeon RX 6800/6800 XT / 6900 XT" -> each in full: a part takes from the one before what it leaves out.
std::vector<std::string> products_of(std::string_view text) {
    std::vector<std::string> products;
    std::vector<std::string> before;  // the last one's words, as written
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

struct Candidate {
    size_t chip = 0;
    unsigned weight = 0;  ///< lines that say so; ours before all others
    std::string product, list;
};

struct Chips {
    std::vector<Chip> all;
    std::unordered_map<std::string, size_t> by_name;  ///< of all their names
    std::map<std::string, size_t> architectures;      ///< the first chip of each
};

struct Products {
    std::unordered_map<std::string, std::vector<Candidate>> by_words;
    std::unordered_map<std::string, Candidate> devices;  ///< "10de:2684", "1002:73bf:c1"
};

constexpr unsigned our_weight = 1000;

void add_product(Products& products, const std::string& product, size_t chip, unsigned weight,
                 const std::string& list) {
    const std::vector<std::string> words = telling_words(product), without = without_memory(words);
    const auto add = [&](const std::vector<std::string>& of) {
        const std::string key = joined(of, 0, of.size());
        if (key.empty() || !has_letter(key)) return;
        std::vector<Candidate>& known = products.by_words[key];
        const auto same = std::ranges::find(known, chip, &Candidate::chip);
        if (same == known.end())
            known.push_back({chip, weight, product, list});
        else
            same->weight += weight;
    };
    add(words);
    if (without != words) add(without);
}

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
        for (const std::string& name : names) chips.by_name.emplace(words_of_name(name), chip);
    });
    return chips;
}

// To take the lists apart takes time, and nobody waits for it. Products are many, and few questions need them.
const Chips& chips() {
    static const Chips& all = *new Chips(read_chips());
    return all;
}

/// The chip whose name the text begins with, the longest.
const size_t* chip_at_head(std::string_view text) {
    const std::vector<std::string> words = split_words(text);
    for (size_t count = std::min<size_t>(words.size(), 5); count > 0; count--)
        if (const auto found = chips().by_name.find(joined(words, 0, count)); found != chips().by_name.end())
            return &found->second;
    return nullptr;
}

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
            add_product(all, trimmed(product), chip->second, our_weight, "products.txt: " + trimmed(fields[2]));
    });
    each_line("pci.txt", [&](std::string_view line) {
        const std::string id = fmt::format("{}:{}", line.substr(0, 4), line.substr(5, 4));
        const std::string_view text = line.substr(10);
        const size_t open = text.find('['), close = text.rfind(']');
        const bool in_brackets = open != text.npos && close != text.npos && close > open;
        const std::vector<std::string> products =
            products_of(in_brackets ? text.substr(open + 1, close - open - 1) : text);
        const size_t* chip = chip_at_head(text);
        // Intel's older lines have the product alone.
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

const Products& products() {
    static const Products& all = *new Products(read_products());
    return all;
}

NamedGpu of_chip(size_t chip) { return {chips().all[chip], "", "chips.txt"}; }

/// The vendor whose brand is among the words; "" for none. "GeForce 840M" is no "Radeon 840M".
std::string vendor_said(std::string_view text) {
    static constexpr std::pair<std::string_view, std::string_view> brands[] = {
        {"geforce", "NVIDIA"}, {"nvidia", "NVIDIA"}, {"radeon", "AMD"},  {"amd", "AMD"},
        {"intel", "Intel"},    {"apple", "Apple"},   {"bionic", "Apple"}};
    for (const std::string& word : split_words(text))
        for (const auto& [brand, vendor] : brands)
            if (word == brand) return std::string(vendor);
    return "";
}

/// The likeliest chip, of that vendor if one is said, and the others; none where their architectures differ.
std::optional<NamedGpu> choose(std::vector<Candidate> candidates, std::string_view vendor = "") {
    if (!vendor.empty())
        std::erase_if(candidates, [&](const Candidate& c) { return chips().all[c.chip].vendor != vendor; });
    if (candidates.empty()) return {};
    std::ranges::stable_sort(candidates, std::greater(), &Candidate::weight);
    const Candidate& best = candidates.front();
    NamedGpu named = {chips().all[best.chip], best.product, best.list};
    for (const Candidate& other : candidates) {
        const Chip& chip = chips().all[other.chip];
        if (best.weight >= our_weight && other.weight < our_weight) continue;
        if (chip.architecture != named.chip.architecture) return {};
        if (chip != named.chip && std::ranges::find(named.other_chips, chip.name) == named.other_chips.end())
            named.other_chips.push_back(chip.name);
    }
    return named;
}

/// "10de:2684", with or without 0x and a revision.
std::optional<NamedGpu> by_pci_id(std::string_view text) {
    std::vector<std::string> fields = split_fields(to_lower(trimmed(text)), ':');
    if (fields.size() < 2 || fields.size() > 3) return {};
    for (std::string& field : fields) {
        if (field.starts_with("0x")) field.erase(0, 2);
        if (field.empty() || field.size() > 4 || field.find_first_not_of("0123456789abcdef") != field.npos) return {};
    }
    std::string id = fmt::format("{:0>4}:{:0>4}", fields[0], fields[1]);
    const auto& devices = products().devices;
    if (fields.size() == 3)
        if (const auto found = devices.find(fmt::format("{}:{:0>2}", id, fields[2])); found != devices.end())
            return choose({found->second});
    const auto found = devices.find(id);
    return found == devices.end() ? std::nullopt : choose({found->second});
}

std::optional<NamedGpu> by_product(const std::vector<std::string>& words, std::string_view vendor) {
    const auto& known = products().by_words;
    for (const std::vector<std::string>& of : {words, without_memory(words)})
        if (const auto found = known.find(joined(of, 0, of.size())); found != known.end())
            return choose(found->second, vendor);
    return {};
}

/// Of words that say enough within others: "4090" and "max" do not.
bool tells_enough(const std::vector<std::string>& words, size_t first, size_t count) {
    const std::string text = joined(words, first, count);
    return has_letter(text) && (has_digit(text) || text.size() >= 8);
}

/// The memory, how many cores, or how it is built in: "80GB", "SXM5", "MC4".
bool is_form(const std::vector<std::string>& words, size_t at) {
    static constexpr std::string_view of_numbers[] = {"gb", "hbm",  "sxm",   "gddr", "mc", "mp",
                                                      "eu", "core", "cores", "sse",  "sp", "cu"};
    const auto counts = [&](size_t i) {
        return i < words.size() && std::ranges::find(of_numbers, words[i]) != std::end(of_numbers);
    };
    if (is_digit(words[at][0])) return counts(at - 1) || counts(at + 1);
    return counts(at) || words[at] == "pcie";
}

/// Whether the word leaves a name beside it that of the same GPU: its maker, its memory.
bool is_neutral(const std::vector<std::string>& words, size_t at) {
    static constexpr std::string_view neutral[] = {
        "edition",  "founders", "oc",     "gaming",    "desktop",    "board", "chip",   "soc",    "processor",
        "bionic",   "device",   "asus",   "msi",       "evga",       "zotac", "xfx",    "pny",    "gigabyte",
        "palit",    "sapphire", "asrock", "tuf",       "dual",       "eagle", "ventus", "aorus",  "nitro",
        "pulse",    "trio",     "arm",    "samsung",   "lenovo",     "valve", "sony",   "xiaomi", "meta",
        "nintendo", "mesa",     "turnip", "microsoft", "radv",       "nvk",   "nvgpu",  "vulkan", "powervr",
        "rogue",    "img",      "moore",  "threads",   "immortalis", "dri"};
    const std::string& word = words[at];
    // "RTX 4090 FE" is an RTX 4090, "Galaxy S24 FE" no Galaxy S24.
    if (word == "fe") return words[0] == "rtx" || words[0] == "gtx";
    return is_form(words, at) || is_silent(word) || std::ranges::find(neutral, word) != std::end(neutral);
}

/// "Galaxy A14" is no A14, and "MacBook Pro M3 Max" no M3.
bool are_neutral(const std::vector<std::string>& words, size_t first, size_t count) {
    for (size_t i = 0; i < words.size(); i++)
        if ((i < first || i >= first + count) && !is_neutral(words, i)) return false;
    return true;
}

std::vector<std::string> without_neutral(const std::vector<std::string>& words) {
    std::vector<std::string> kept;
    for (size_t i = 0; i < words.size(); i++)
        if (!is_neutral(words, i)) kept.push_back(words[i]);
    return kept;
}

/// Computers that are named with their chip: "MacBook Pro 14 M3 Max", "iPad Pro 11 inch M4".
std::vector<std::string> without_computer(const std::vector<std::string>& words) {
    static constexpr std::string_view computers[] = {"macbook", "mac", "imac", "ipad"};
    static constexpr std::string_view models[] = {"pro", "air", "mini", "studio", "inch", "gen"};
    if (words.empty() || std::ranges::find(computers, words[0]) == std::end(computers)) return words;
    size_t at = 1;
    while (at < words.size() && (is_digit(words[at][0]) || std::ranges::find(models, words[at]) != std::end(models)))
        at++;
    return at < words.size() ? std::vector(words.begin() + static_cast<std::ptrdiff_t>(at), words.end()) : words;
}

enum class Within {
    typed,   ///< what else is there must be neutral
    device,  ///< drivers add what they like; chips alone
    any
};

/// The longest name of a chip within the words, and of a product where that is longer.
std::optional<NamedGpu> by_part(const std::vector<std::string>& words, Within within, std::string_view vendor) {
    constexpr size_t max_words = 8;
    for (size_t count = std::min(words.size(), max_words); count > 0; count--)
        for (size_t first = 0; first + count <= words.size(); first++) {
            if (!tells_enough(words, first, count)) continue;
            if (within == Within::typed && !are_neutral(words, first, count)) continue;
            const std::string part = joined(words, first, count);
            if (const auto chip = chips().by_name.find(part); chip != chips().by_name.end())
                return of_chip(chip->second);
            if (within == Within::device) continue;
            const auto product = products().by_words.find(part);
            if (product == products().by_words.end()) continue;
            if (auto named = choose(product->second, vendor)) return named;
        }
    return {};
}

/// Drivers add the chip in parentheses, by any of its names: "(RADV NAVI21)", "(ADL-S GT1)".
std::optional<NamedGpu> in_parentheses(std::string_view name) {
    name = name.substr(0, max_name_length);
    for (size_t open = name.find('('); open != name.npos; open = name.find('(', open + 1)) {
        const size_t close = std::min(name.find(')', open), name.size() - 1);
        const std::vector<std::string> words = split_words(name.substr(open, close - open + 1));
        for (size_t count = std::min<size_t>(words.size(), 5); count > 0; count--)
            for (size_t first = 0; first + count <= words.size(); first++)
                if (const auto chip = chips().by_name.find(joined(words, first, count)); chip != chips().by_name.end())
                    return of_chip(chip->second);
    }
    return {};
}

/// The products and chips with the fewest words that end with these: "6800 XT" of "RX 6800 XT", and of "740" both GeForce GT
/// 740 and Adreno 740. What follows must be its form ("H100" of "H100 SXM5 80GB") or the chip's architecture ("RTX PRO 5000"
/// of "RTX PRO 5000 Blackwell"): "Ryzen Z2" is no Ryzen Z2 Go.
std::optional<NamedGpu> by_end(const std::vector<std::string>& words, std::string_view vendor) {
    const std::string wanted = joined(words, 0, words.size());
    constexpr size_t enough = 3, enough_without_digits = 8;
    if (wanted.size() < (has_digit(wanted) ? enough : enough_without_digits)) return {};
    std::vector<Candidate> shortest;
    size_t fewest = SIZE_MAX;
    const auto offer = [&](const std::string& key, const std::vector<Candidate>& candidates) {
        if (!has_words(key, wanted)) return;
        const std::vector<std::string> all = split(key, ' ');
        if (all.size() > fewest) return;
        const auto found = std::search(all.begin(), all.end(), words.begin(), words.end());
        const size_t end = static_cast<size_t>(found - all.begin()) + words.size();
        std::vector<Candidate> fitting = candidates;
        std::erase_if(fitting, [&](const Candidate& candidate) {
            const Chip& chip = chips().all[candidate.chip];
            if (!vendor.empty() && chip.vendor != vendor) return true;
            for (size_t i = end; i < all.size(); i++)
                if (!is_form(all, i) && all[i] != words_of_name(chip.architecture)) return true;
            return false;
        });
        if (fitting.empty()) return;
        if (all.size() < fewest) shortest.clear();
        fewest = all.size();
        shortest.insert(shortest.end(), fitting.begin(), fitting.end());
    };
    for (const auto& [key, candidates] : products().by_words) offer(key, candidates);
    for (const auto& [key, chip] : chips().by_name) offer(key, {{chip, our_weight, "", "chips.txt"}});
    // In no order of a hash table.
    std::ranges::sort(shortest, {}, [](const Candidate& c) { return std::tie(c.chip, c.product); });
    for (Candidate& candidate : shortest) candidate.weight = std::min(candidate.weight, our_weight - 1);
    return choose(std::move(shortest), vendor);
}

/// Parts for laptops and later steppings are sold under the names of others, most of them with the same chip: "Quadro P5200
/// Max-Q" is first taken for the Quadro P5200 Mobile, then for the Quadro P5200.
std::vector<std::vector<std::string>> near_variants(const std::vector<std::string>& words) {
    std::vector<std::string> kept;
    for (size_t i = 0; i < words.size(); i++) {
        static constexpr std::string_view variants[] = {"mobile", "refresh", "embedded"};
        if (std::ranges::find(variants, words[i]) != std::end(variants)) continue;
        if (words[i] == "max" && i + 1 < words.size() && words[i + 1] == "q")
            i++;
        else
            kept.push_back(words[i]);
    }
    if (kept == words) return {};
    std::vector<std::string> for_laptops = kept;
    for_laptops.emplace_back("mobile");
    return {for_laptops, kept};
}

std::optional<NamedGpu> by_words(const std::vector<std::string>& words, std::string_view vendor) {
    if (words.empty()) return {};
    if (auto named = by_product(words, vendor)) return named;
    if (auto named = by_part(words, Within::typed, vendor)) return named;
    const std::vector<std::string> bare = without_neutral(words);
    if (bare.empty()) return {};
    if (auto named = by_product(bare, vendor)) return named;
    return by_end(bare, vendor);
}

}  // namespace

std::string words_of_name(std::string_view text) {
    const std::vector<std::string> words = split_words(text);
    return joined(words, 0, words.size());
}

bool has_words(std::string_view whole, std::string_view part) {
    for (size_t at = whole.find(part); at != whole.npos && !part.empty(); at = whole.find(part, at + 1)) {
        const size_t end = at + part.size();
        if ((at == 0 || whole[at - 1] == ' ') && (end == whole.size() || whole[end] == ' ')) return true;
    }
    return false;
}

std::optional<Relative> relative_of(const Chip& chip) {
    std::optional<Relative> found;
    each_line("relatives.txt", [&](std::string_view line) {
        const std::vector<std::string> fields = split_fields(line, '|');
        if (fields.size() == 4 && trimmed(fields[0]) == chip.vendor && trimmed(fields[1]) == chip.architecture)
            found = Relative{trimmed(fields[2]), trimmed(fields[3])};
    });
    return found;
}

std::optional<NamedGpu> gpu_named(std::string_view text) {
    if (auto named = by_pci_id(text)) return named;
    const std::string name = words_of_name(text);
    if (const auto chip = chips().by_name.find(name); chip != chips().by_name.end()) return of_chip(chip->second);
    if (const auto first = chips().architectures.find(name); first != chips().architectures.end()) {
        Chip of = chips().all[first->second];
        of.name.clear();
        return NamedGpu{of, "", "chips.txt"};
    }
    constexpr size_t too_little = 4;  // "Arc" is not yet "Arc Graphics"
    if (name.size() <= too_little && !has_digit(name)) return {};
    const std::vector<std::string> words = telling_words(text);
    const std::string vendor = vendor_said(text);
    if (auto named = by_product(words, vendor)) return named;
    if (auto named = in_parentheses(text)) return named;
    if (auto named = by_words(words, vendor)) return named;
    if (const auto chip = without_computer(words); chip != words)
        if (auto named = by_words(chip, "Apple")) return named;
    // The name of a chip has words that say only whose it is: "Apple A16 GPU".
    if (auto named = by_part(split_words(text), Within::typed, vendor)) return named;
    for (const std::vector<std::string>& near : near_variants(words))
        if (auto named = by_words(near, vendor)) {
            named->nearly = true;
            return named;
        }
    return {};
}

std::vector<Chip> meanings_of(std::string_view text) {
    const std::vector<std::string> words = telling_words(text);
    std::vector<Chip> meant;
    std::vector<std::vector<std::string>> near = near_variants(without_neutral(words));
    near.insert(near.begin(), {words, without_neutral(words)});
    for (const std::vector<std::string>& of : near) {
        const auto found = products().by_words.find(joined(of, 0, of.size()));
        if (found == products().by_words.end()) continue;
        std::vector<Candidate> candidates = found->second;
        std::ranges::stable_sort(candidates, std::greater(), &Candidate::weight);
        for (const Candidate& candidate : candidates) meant.push_back(chips().all[candidate.chip]);
        break;
    }
    return meant;
}

std::optional<NamedGpu> gpu_of_device(const DeviceFact& device) {
    const std::string& name = device.name;
    if (auto named = in_parentheses(name)) return named;
    if (auto named = by_part(split_words(name), Within::device, "")) return named;
    if (device.device_id != 0 && trimmed(name) != "NVK")
        if (auto named = by_pci_id(fmt::format("{:04x}:{:04x}", device.vendor_id, device.device_id))) return named;
    const std::vector<std::string> words = telling_words(name);
    const std::string vendor = vendor_said(name);
    if (auto named = by_product(words, vendor)) return named;
    return by_part(words, Within::any, vendor);
}

std::vector<std::string> products_with(const Chip& chip) {
    std::set<std::pair<bool, std::string>> ours_first;
    for (const auto& [key, candidates] : products().by_words)
        for (const Candidate& candidate : candidates)
            if (chips().all[candidate.chip] == chip)
                ours_first.emplace(candidate.weight < our_weight, candidate.product);
    std::vector<std::string> products;
    for (const auto& [theirs, product] : ours_first)
        if (std::ranges::find(products, product) == products.end()) products.push_back(product);
    return products;
}

std::vector<std::string> names_like(std::string_view text, size_t max_count) {
    const std::string wanted = to_lower(text.substr(0, max_name_length));
    std::vector<std::string> wanted_words = telling_words(wanted);
    const std::string wanted_key = joined(wanted_words, 0, wanted_words.size());
    std::multimap<size_t, std::string> nearest;
    const auto offer = [&](const std::string& key, const std::string& name) {
        const bool goes_on = !wanted_key.empty() && key.starts_with(wanted_key + " ");
        nearest.emplace(goes_on ? 0 : edit_distance(key, wanted_key), name);
        if (nearest.size() > 4 * max_count) nearest.erase(std::prev(nearest.end()));
    };
    std::map<std::string, const std::string*> sorted;
    for (const auto& [key, candidates] : products().by_words) sorted.emplace(key, &candidates.front().product);
    for (const auto& [key, product] : sorted) offer(key, *product);
    for (const Chip& chip : chips().all) offer(words_of_name(chip.name), chip.name);
    std::vector<std::string> names;
    for (const auto& [distance, name] : nearest)
        if (names.size() < max_count && std::ranges::find(names, name) == names.end()) names.push_back(name);
    return names;
}

}  // namespace tilewise::db
