#include "db/names/names.h"
#include "db/names/chips.h"
#include "db/names/product_index.h"
#include "db/names/tool_text.h"
#include "db/names/words.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>

namespace tilewise::db {

namespace {

/// All of the chips have the given name.
NamedGpu of_chips(const std::vector<size_t>& with_name) {
    NamedGpu named = {chips().all[with_name.front()], "", "chips.txt"};
    for (size_t i = 1; i < with_name.size(); i++) named.other_chips.push_back(chips().all[with_name[i]].name);
    return named;
}

/// Our own list gives a product with a "+" to its name without the sign, for when no list has that one.
bool lacks_its_plus(const Candidate& candidate) {
    return candidate.weight < our_weight && candidate.list.starts_with("products.txt");
}

/// The likeliest chip (of that vendor, if one is named) and the others; none if their architectures differ. Our own
/// list decides between architectures, and says which chip is the maker's main one: boards with another chip of its
/// architecture are sold under the same name, and the lists of others have them.
std::optional<NamedGpu> choose(std::vector<Candidate> candidates, std::string_view vendor = "") {
    if (!vendor.empty())
        std::erase_if(candidates, [&](const Candidate& c) { return chips().all[c.chip].vendor != vendor; });
    if (candidates.empty()) return {};
    std::ranges::stable_sort(candidates, std::greater(), &Candidate::weight);
    const Candidate& best = candidates.front();
    NamedGpu named = {chips().all[best.chip], best.product, best.list};
    for (const Candidate& other : candidates) {
        const Chip& chip = chips().all[other.chip];
        const bool is_ours_to_say = best.weight >= our_weight && other.weight < our_weight;
        if (is_ours_to_say && (lacks_its_plus(other) || chip.architecture != named.chip.architecture)) continue;
        if (chip.architecture != named.chip.architecture) return {};
        if (chip == named.chip || std::ranges::find(named.other_chips, chip.name) != named.other_chips.end()) continue;
        named.others_are_alike = are_alike(named.chip, chip) && (named.other_chips.empty() || named.others_are_alike);
        named.other_chips.push_back(chip.name);
    }
    return named;
}

/// Finds a GPU by the ids of a vendor and a device, in any form in which tools print them.
std::optional<NamedGpu> by_pci_id(std::string_view text) {
    for (const std::string& id : pci_ids_in(text))
        if (const auto found = candidate_of_id(id)) return choose({*found});
    return {};
}

/// Finds a GPU by a device id alone, if all chips with that id, whoever made them, are of one architecture.
std::optional<NamedGpu> by_device_id(std::string_view text) {
    const std::string device = device_id_in(text);
    if (device.empty()) return {};
    std::vector<Candidate> found;
    each_id([&](std::string_view id, std::string_view lines) {
        if (id.size() == device.size() * 2 + 1 && id.ends_with(device))
            std::ranges::move(candidates_in(lines), std::back_inserter(found));
    });
    return choose(std::move(found));
}

std::optional<NamedGpu> by_product(const std::vector<std::string>& words, std::string_view vendor) {
    for (const std::vector<std::string>& of : {words, without_memory(words)})
        if (std::vector<Candidate> found = candidates_of_words(joined(of, 0, of.size())); !found.empty())
            return choose(std::move(found), vendor);
    return {};
}

/// Whether the words identify a product even among other words: "4090" and "max" do not.
bool tells_enough(const std::vector<std::string>& words, size_t first, size_t count) {
    const std::string text = joined(words, first, count);
    return has_letter(text) && (has_digit(text) || text.size() >= 8);
}

/// Whether the word says how much memory or how many cores a GPU has, or how it is mounted: "80GB", "SXM5", "MC4".
bool is_form(const std::vector<std::string>& words, size_t at) {
    static constexpr std::string_view of_numbers[] = {"gb", "hbm",  "sxm",   "gddr", "mc", "mp",
                                                      "eu", "core", "cores", "sse",  "sp", "cu"};
    const auto counts = [&](size_t i) {
        return i < words.size() && std::ranges::find(of_numbers, words[i]) != std::end(of_numbers);
    };
    if (is_digit(words[at][0])) return counts(at - 1) || counts(at + 1);
    return counts(at) || words[at] == "pcie";
}

/// Whether the word is part of the names that Intel uses for a platform's parts and graphics: "Raptor Lake-S UHD
/// Graphics".
bool is_of_a_lake(const std::vector<std::string>& words, size_t at) {
    static constexpr std::string_view parts[] = {"uhd", "iris", "xe", "s", "h", "hx", "p", "u"};
    return std::ranges::find(words, "lake") != words.end() && std::ranges::find(parts, words[at]) != std::end(parts);
}

/// Whether the word may stand beside a GPU's name without changing its meaning: the maker, the memory size.
bool is_neutral(const std::vector<std::string>& words, size_t at) {
    static constexpr std::string_view neutral[] = {
        "edition",  "founders", "oc",     "gaming",    "desktop",    "board", "chip",   "soc",    "processor",
        "bionic",   "device",   "asus",   "msi",       "evga",       "zotac", "xfx",    "pny",    "gigabyte",
        "palit",    "sapphire", "asrock", "tuf",       "dual",       "eagle", "ventus", "aorus",  "nitro",
        "pulse",    "trio",     "arm",    "samsung",   "lenovo",     "valve", "sony",   "xiaomi", "meta",
        "nintendo", "mesa",     "turnip", "microsoft", "radv",       "nvk",   "nvgpu",  "vulkan", "powervr",
        "rogue",    "img",      "moore",  "threads",   "immortalis", "dri",   "igpu",   "apu",    "integrated"};
    // Words that card makers use. "Strix" alone is AMD's chip, and "Ultra" distinguishes phones.
    static constexpr std::string_view of_cards[] = {
        "rog",       "strix",  "powercolor", "red",     "devil",     "hellhound", "ultra",   "inno3d",   "gainward",
        "phantom",   "master", "elite",      "x",       "twin",      "edge",      "lhr",     "suprim",   "merc",
        "speedster", "taichi", "challenger", "steel",   "legend",    "windforce", "ftw",     "xc",       "g",
        "solid",     "aero",   "verto",      "fighter", "gamingpro", "amp",       "holo",    "trinity",  "gamerock",
        "astral",    "prime",  "jetstream",  "ichill",  "vision",    "stormx",    "qick",    "swft",     "mercury",
        "pure",      "armor",  "mech",       "expert",  "vanguard",  "shadow",    "inspire", "colorful", "igame",
        "vulcan",    "maxsun", "galax",      "kfa",     "manli",     "limited",   "black",   "white",    "extreme",
        "ice",       "noctua"};
    const std::string& word = words[at];
    const auto is_card = [](const std::string& each) {
        return each == "rtx" || each == "gtx" || each == "rx" || each == "arc";
    };
    if (std::ranges::any_of(words, is_card)) {
        if (std::ranges::find(of_cards, word) != std::end(of_cards)) return true;
        // "VENTUS 2X", "12G", "MERC 310".
        const bool is_number = std::ranges::all_of(word, is_digit);
        if (is_number && word.size() <= 2 && at + 1 < words.size() && (words[at + 1] == "x" || words[at + 1] == "g"))
            return true;
        if (is_number && at > 0 && words[at - 1] == "merc") return true;
    }
    if (word == "3" && at > 0 && (words[at - 1] == "ftw" || words[at - 1] == "xc")) return true;  // EVGA's "FTW3"
    if (word == "plus") return at > 0 && words[at - 1] == "nitro";                                // Sapphire's "Nitro+"
    // "RTX 4090 FE" is an RTX 4090, but "Galaxy S24 FE" is not a Galaxy S24.
    if (word == "fe") return words[0] == "rtx" || words[0] == "gtx";
    return is_form(words, at) || is_silent(word) || std::ranges::find(neutral, word) != std::end(neutral) ||
           is_of_a_lake(words, at);
}

/// "Galaxy A14" is not an A14, and "MacBook Pro M3 Max" is not an M3.
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

/// Removes computers that are named together with their chip: "MacBook Pro 14 M3 Max", "iPad Pro 11 inch M4".
std::vector<std::string> without_computer(const std::vector<std::string>& words) {
    static constexpr std::string_view computers[] = {"macbook", "mac", "imac", "ipad"};
    static constexpr std::string_view models[] = {"pro", "air", "mini", "studio", "inch", "gen"};
    if (words.empty() || std::ranges::find(computers, words[0]) == std::end(computers)) return words;
    size_t at = 1;
    while (at < words.size() && (is_digit(words[at][0]) || std::ranges::find(models, words[at]) != std::end(models)))
        at++;
    return at < words.size() ? std::vector(words.begin() + static_cast<std::ptrdiff_t>(at), words.end()) : words;
}

enum class Surroundings {
    typed,   ///< all other words must be neutral
    device,  ///< drivers add whatever they like; only chips are searched
    any
};

/// "Intel M3" is not a chip of Apple's. Licensees of a GPU's design, such as Samsung for AMD's, do not count as other
/// makers.
bool is_another_makers(const std::optional<NamedGpu>& named, std::string_view vendor) {
    static constexpr std::string_view makers[] = {"NVIDIA", "AMD", "Intel", "Apple", "Qualcomm"};
    const auto is_maker = [](std::string_view name) { return std::ranges::find(makers, name) != std::end(makers); };
    return named && !vendor.empty() && named->chip.vendor != vendor && is_maker(named->chip.vendor);
}

/// Finds the longest name of a chip within the words, or of a product if that is longer.
std::optional<NamedGpu> by_part(const std::vector<std::string>& words, Surroundings within, std::string_view vendor) {
    constexpr size_t max_words = 8;
    for (size_t count = std::min(words.size(), max_words); count > 0; count--)
        for (size_t first = 0; first + count <= words.size(); first++) {
            if (!tells_enough(words, first, count)) continue;
            if (within == Surroundings::typed && !are_neutral(words, first, count)) continue;
            const std::string part = joined(words, first, count);
            if (const auto chip = chips().by_name.find(part); chip != chips().by_name.end())
                if (auto named = of_chips(chip->second); !is_another_makers(named, vendor)) return named;
            if (within == Surroundings::device) continue;
            if (auto named = choose(candidates_of_words(part), vendor)) return named;
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
                    return of_chips(chip->second);
    }
    return {};
}

/// Finds the products and chips with the fewest words whose names end with these words: "RX 6800 XT" for "6800 XT", and
/// for "740" both GeForce GT 740 and Adreno 740. What follows must be its form ("H100" in "H100 SXM5 80GB") or the
/// chip's architecture ("RTX PRO 5000" in "RTX PRO 5000 Blackwell"): "Ryzen Z2" does not mean Ryzen Z2 Go.
std::optional<NamedGpu> by_end(const std::vector<std::string>& words, std::string_view vendor) {
    const std::string wanted = joined(words, 0, words.size());
    constexpr size_t enough = 3, enough_without_digits = 8;
    if (wanted.size() < (has_digit(wanted) ? enough : enough_without_digits)) return {};
    std::vector<Candidate> shortest;
    size_t fewest = SIZE_MAX;
    const auto offer = [&](std::string_view key, const auto& candidates) {
        if (!has_words(key, wanted)) return;
        const std::vector<std::string> all = split(key, ' ');
        if (all.size() > fewest) return;
        const auto found = std::search(all.begin(), all.end(), words.begin(), words.end());
        const size_t end = static_cast<size_t>(found - all.begin()) + words.size();
        std::vector<Candidate> fitting = candidates();
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
    each_product(
        [&](std::string_view key, std::string_view lines) { offer(key, [&] { return candidates_in(lines); }); });
    for (const auto& known : chips().by_name)
        offer(known.first, [&] {
            std::vector<Candidate> with_name;
            for (const size_t chip : known.second) with_name.push_back({chip, our_weight, "", "chips.txt"});
            return with_name;
        });
    // Sorted, so that the result does not depend on a hash table's order.
    std::ranges::sort(shortest, {}, [](const Candidate& c) { return std::tie(c.chip, c.product); });
    for (Candidate& candidate : shortest) candidate.weight = std::min(candidate.weight, our_weight - 1);
    return choose(std::move(shortest), vendor);
}

/// Laptop parts and later steppings are sold under the names of other parts, mostly with the same chip: "Quadro P5200
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
    if (auto named = by_part(words, Surroundings::typed, vendor)) return named;
    const std::vector<std::string> bare = without_neutral(words);
    if (bare.empty()) return {};
    if (auto named = by_product(bare, vendor)) return named;
    // "NVIDIA Thor": only with its maker, since a code name alone may be a word of any product's.
    if (const auto chip = chips().by_name.find(joined(bare, 0, bare.size()));
        chip != chips().by_name.end() && chips().all[chip->second.front()].vendor == vendor)
        return of_chips(chip->second);
    // "Xiaomi 17 Pro Max" is not an iPhone 17 Pro Max.
    static constexpr std::string_view not_apple[] = {"samsung",   "xiaomi", "lenovo", "sony",
                                                     "microsoft", "asus",   "meta"};
    auto named = by_end(bare, vendor);
    if (named && named->chip.vendor == "Apple" && std::ranges::any_of(words, [](const std::string& word) {
            return std::ranges::find(not_apple, word) != std::end(not_apple);
        }))
        return {};
    return named;
}

}  // namespace

bool has_words(std::string_view whole, std::string_view part) {
    for (size_t at = whole.find(part); at != whole.npos && !part.empty(); at = whole.find(part, at + 1)) {
        const size_t end = at + part.size();
        if ((at == 0 || whole[at - 1] == ' ') && (end == whole.size() || whole[end] == ' ')) return true;
    }
    return false;
}

bool are_alike(const Chip& one, const Chip& other) {
    bool alike = false;
    each_line("alike.txt", [&](std::string_view line) {
        const std::vector<std::string> fields = split_fields(line, '|');
        if (fields.size() != 3) return;
        const std::vector<std::string> names = split(fields[1]);
        const auto is_named = [&](const Chip& chip) {
            return chip.vendor == trimmed(fields[0]) && std::ranges::any_of(names, [&](const std::string& name) {
                       return trimmed(name) == chip.name || trimmed(name) == chip.architecture;
                   });
        };
        alike = alike || (is_named(one) && is_named(other));
    });
    return alike;
}

std::optional<Relative> relative_of(const Chip& chip) {
    std::optional<Relative> of_chip, of_architecture;
    each_line("relatives.txt", [&](std::string_view line) {
        const std::vector<std::string> fields = split_fields(line, '|');
        if (fields.size() != 4 || trimmed(fields[0]) != chip.vendor) return;
        const std::string name = trimmed(fields[1]), relative = trimmed(fields[2]), why = trimmed(fields[3]);
        if (name == chip.name) of_chip = Relative{"", relative, why};
        if (name == chip.architecture) of_architecture = Relative{relative, "", why};
    });
    return of_chip ? of_chip : of_architecture;
}

namespace {

/// Our own list has the chip's name for another maker's product, too: "Sun" is AMD's Hainan, and Qualcomm's platform of
/// the Snapdragon 8 Elite.
bool is_another_makers_product(const std::string& name, const std::vector<size_t>& with_name) {
    return std::ranges::any_of(candidates_of_words(name), [&](const Candidate& candidate) {
        return candidate.weight >= our_weight &&
               chips().all[candidate.chip].vendor != chips().all[with_name.front()].vendor;
    });
}

std::optional<NamedGpu> gpu_with_or_without_plus(std::string_view text) {
    if (auto named = by_pci_id(text)) return named;
    const std::string name = words_of_name(text);
    if (const auto chip = chips().by_name.find(name); chip != chips().by_name.end())
        return is_another_makers_product(name, chip->second) ? std::nullopt : std::optional(of_chips(chip->second));
    if (const auto first = chips().architectures.find(name); first != chips().architectures.end()) {
        Chip of = chips().all[first->second];
        of.name.clear();
        return NamedGpu{of, "", "chips.txt"};
    }
    constexpr size_t too_little = 4;  // "Arc" is not enough for "Arc Graphics"; "zuma" is all of a platform's name
    if (name.size() <= too_little && !has_digit(name) &&
        std::ranges::none_of(candidates_of_words(name),
                             [&](const Candidate& candidate) { return words_of_name(candidate.product) == name; }))
        return {};
    const std::vector<std::string> words = telling_words(text);
    const std::string vendor = vendor_said(text);
    if (auto named = by_product(words, vendor)) return named;
    for (const std::string& inner : names_in_tool_text(text))
        if (auto named = gpu_named(inner)) return named;
    if (auto named = in_parentheses(text)) return named;
    if (auto named = by_words(words, vendor)) return named;
    if (const auto chip = without_computer(words); chip != words && (vendor.empty() || vendor == "Apple"))
        if (auto named = by_words(chip, "Apple")) return named;
    // A chip's name may come with words that only name the maker: "Apple A16 GPU".
    if (auto named = by_part(split_words(text), Surroundings::typed, vendor)) return named;
    for (const std::vector<std::string>& near : near_variants(words))
        if (auto named = by_words(near, vendor)) {
            named->nearly = true;
            return named;
        }
    return by_device_id(text);
}

}  // namespace

std::optional<NamedGpu> gpu_named(std::string_view text) {
    std::optional<NamedGpu> named = gpu_with_or_without_plus(text);
    // If no list has "Snapdragon 7 Gen 2", it may mean the 7+ Gen 2.
    if (named && named->product.find('+') != std::string::npos) {
        const std::vector<std::string> words = split_words(text);
        if (std::ranges::count(words, "plus") == 0 && std::ranges::count(split_words(named->product), "plus") > 0)
            named->nearly = true;
    }
    return named;
}

std::string vendor_said(std::string_view text) {
    static constexpr std::pair<std::string_view, std::string_view> brands[] = {
        {"geforce", "NVIDIA"}, {"nvidia", "NVIDIA"}, {"radeon", "AMD"},  {"amd", "AMD"},
        {"intel", "Intel"},    {"apple", "Apple"},   {"bionic", "Apple"}};
    for (const std::string& word : split_words(text))
        for (const auto& [brand, vendor] : brands)
            if (word == brand) return std::string(vendor);
    return "";
}

std::vector<Chip> meanings_of(std::string_view text) {
    const std::vector<std::string> words = telling_words(text);
    const std::string vendor = vendor_said(text);
    std::vector<Chip> meant;
    std::vector<std::vector<std::string>> near = near_variants(without_neutral(words));
    near.insert(near.begin(), {words, without_neutral(words)});
    for (const std::vector<std::string>& of : near) {
        std::vector<Candidate> candidates = candidates_of_words(joined(of, 0, of.size()));
        if (candidates.empty()) continue;
        const auto of_maker = [&](const Candidate& c) { return chips().all[c.chip].vendor == vendor; };
        if (std::ranges::any_of(candidates, of_maker)) std::erase_if(candidates, std::not_fn(of_maker));
        std::ranges::stable_sort(candidates, std::greater(), &Candidate::weight);
        for (const Candidate& candidate : candidates) meant.push_back(chips().all[candidate.chip]);
        if (const auto chip = chips().by_name.find(joined(of, 0, of.size())); chip != chips().by_name.end())
            for (const size_t with_name : chip->second)
                if (std::ranges::find(meant, chips().all[with_name]) == meant.end())
                    meant.push_back(chips().all[with_name]);
        break;
    }
    return meant;
}

std::optional<NamedGpu> gpu_of_device(const DeviceFact& device) {
    const std::string& name = device.name;
    std::optional<NamedGpu> with_id = device.device_id != 0 && trimmed(name) != "NVK"
                                          ? by_pci_id(fmt::format("{:04x}:{:04x}", device.vendor_id, device.device_id))
                                          : std::nullopt;
    std::optional<NamedGpu> named = in_parentheses(name);
    if (!named) named = by_part(split_words(name), Surroundings::device, "");
    // If several chips share a name, the id decides.
    if (named && with_id && std::ranges::find(named->other_chips, with_id->chip.name) != named->other_chips.end())
        return with_id;
    if (named && with_id && with_id->chip == named->chip) {
        named->other_chips.clear();
        named->others_are_alike = false;
    }
    if (named) return named;
    if (with_id) return with_id;
    const std::vector<std::string> words = telling_words(name);
    const std::string vendor = vendor_said(name);
    if (auto product = by_product(words, vendor)) return product;
    return by_part(words, Surroundings::any, vendor);
}

std::vector<std::string> products_with(const Chip& chip) {
    std::set<std::pair<bool, std::string>> ours_first;
    each_product([&](std::string_view, std::string_view lines) {
        for (const Candidate& candidate : candidates_in(lines))
            if (chips().all[candidate.chip] == chip)
                ours_first.emplace(candidate.weight < our_weight, candidate.product);
    });
    std::vector<std::string> products;
    for (const auto& [theirs, product] : ours_first)
        if (std::ranges::find(products, product) == products.end()) products.push_back(product);
    return products;
}

std::map<std::string, std::string> pci_ids_with(const Chip& chip) {
    std::map<std::string, std::string> ids;
    each_id([&](std::string_view id, std::string_view lines) {
        const Candidate candidate = candidates_in(lines).front();
        if (chips().all[candidate.chip] == chip) ids.emplace(id, candidate.product);
    });
    return ids;
}

namespace {

/// Whether a word with letters is in both, or nearly: "s 5 e 9945" has nothing in common with "r 5 m 445".
bool share_a_word(const std::vector<std::string>& wanted, const std::string& key) {
    if (std::ranges::none_of(wanted, has_letter)) return true;
    const std::vector<std::string> words = split(key, ' ');
    return std::ranges::any_of(wanted, [&](const std::string& one) {
        return has_letter(one) && std::ranges::any_of(words, [&](const std::string& other) {
                   return 3 * edit_distance(one, other) <= one.size();
               });
    });
}

}  // namespace

std::vector<std::string> names_like(std::string_view text, size_t max_count) {
    const std::string wanted = to_lower(text.substr(0, max_name_length));
    std::vector<std::string> wanted_words = telling_words(wanted);
    const std::string wanted_key = joined(wanted_words, 0, wanted_words.size());
    std::multimap<size_t, std::string> nearest;
    const auto offer = [&](const std::string& key, const std::string& name) {
        const bool goes_on = !wanted_key.empty() && key.starts_with(wanted_key + " ");
        // "4090 RTX": the same words in another order.
        const bool has_all = !wanted_words.empty() && std::ranges::all_of(wanted_words, [&](const std::string& word) {
            return has_words(key, word);
        });
        // "GForce RTX 4090": the name is there, among words that no name has.
        const bool is_within = key.size() > 3 && has_words(wanted_key, key);
        const size_t distance = goes_on || has_all ? 0 : is_within ? 1 : edit_distance(key, wanted_key);
        // With more letters changed it is a different name: "Dell XPS 15" does not mean "Helio P35".
        if (5 * distance > std::max<size_t>(5, 2 * wanted_key.size())) return;
        if (!goes_on && !has_all && !is_within && !share_a_word(wanted_words, key)) return;
        nearest.emplace(distance, name);
        if (nearest.size() > 4 * max_count) nearest.erase(std::prev(nearest.end()));
    };
    each_product([&](std::string_view key, std::string_view lines) {
        const std::vector<Candidate> candidates = candidates_in(lines);
        offer(std::string(key), std::ranges::max_element(candidates, {}, &Candidate::weight)->product);
    });
    for (const Chip& chip : chips().all) offer(words_of_name(chip.name), chip.name);
    std::vector<std::string> names;
    for (const auto& [distance, name] : nearest)
        if (names.size() < max_count && std::ranges::find(names, name) == names.end()) names.push_back(name);
    return names;
}

}  // namespace tilewise::db
