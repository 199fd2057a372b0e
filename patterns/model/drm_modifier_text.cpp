// Modifiers as people and tools write them: the names of drm_fourcc.h, libdrm, drm_info and drmdb, and numbers.
#include "patterns/model/drm_modifier.h"
#include "patterns/model/drm_modifier_fields.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

using namespace drm;

namespace {

/// "0x06" or "4".
std::optional<uint64_t> whole_number(std::string_view text) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (hexadecimal) text.remove_prefix(2);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool is_same(std::string_view a, std::string_view b) { return to_upper(a) == to_upper(b); }

/// Takes a word off the front of `text`, in any case.
bool take(std::string_view& text, std::string_view word) {
    if (text.size() < word.size() || !is_same(text.substr(0, word.size()), word)) return false;
    text.remove_prefix(word.size());
    return true;
}

/// A part of a modifier's text: "TILE=64KB_R_X", or a word alone.
struct Item {
    std::string key, value;
};

/// The words between brackets, commas and bars.
std::vector<Item> items_of(std::string_view text) {
    std::vector<Item> items;
    std::string word;
    bool is_value = false;
    const auto end = [&] {
        if (word.empty()) return;
        if (is_value && !items.empty())
            items.back().value += (items.back().value.empty() ? "" : "=") + word;  // no value has an "="
        else
            items.push_back({word, ""});
        word.clear();
        is_value = false;
    };
    for (const char c : text) {
        if (c == '=') {
            end();
            is_value = true;
        } else if (c == '(' || c == ')' || c == ',' || c == '|' || c == ' ' || c == '\t') {
            const bool waits = is_value && word.empty();
            end();
            is_value = waits && c == ' ';
        } else {
            word += c;
        }
    }
    end();
    return items;
}

/// The prefixes of the header's macros before a field's name and its value: "AMD_FMT_MOD_TILE_GFX9_64K_S".
std::string_view without_macro(std::string_view word) {
    for (const std::string_view start : {"AMD_FMT_MOD_", "AFBC_FORMAT_MOD_", "AFRC_FORMAT_MOD_", "VIVANTE_MOD_",
                                         "MTK_FMT_MOD_", "AMLOGIC_FBC_", "OPTION_"})
        take(word, start);
    return word;
}

/// "GFX9_64K_R_X", "TILE_GFX11_256K_R_X" and "64KB_R_X" become equal.
std::string plain_tile(std::string_view text) {
    std::string word = to_upper(text);
    if (word.starts_with("TILE_")) word.erase(0, 5);
    if (word.starts_with("GFX"))
        if (const size_t end = word.find('_'); end != std::string::npos)
            if (const char first = word[end + 1]; first == '2' || first == '4' || first == '6') word.erase(0, end + 1);
    for (const std::string_view size : {"4K_", "64K_", "256K_"})
        if (word.starts_with(size)) word.insert(size.size() - 1, "B");
    return word;
}

/// The value that the word gives the field: by name or as a number.
std::optional<uint64_t> value_of(const FieldForm& form, std::string_view word) {
    word = without_macro(word);
    std::string plain = form.name == "TILE" && form.first == 8 ? plain_tile(word) : to_upper(word);
    for (std::string_view start :
         {std::string_view("VER_"), std::string_view("TILE_VER_"), std::string_view("CU_SIZE_"),
          std::string_view("CU_"), std::string_view("LAYOUT_"), std::string_view("DCC_BLOCK_"),
          std::string_view("BLOCK_SIZE_"), std::string_view("TS_"), std::string_view("COMP_"),
          std::string_view("TILE_"), std::string_view("COMPRESS_"), std::string_view("10BIT_LAYOUT_")})
        if (plain.starts_with(start)) {
            plain.erase(0, start.size());
            break;
        }
    for (const FieldValue& each : form.values)
        if (to_upper(each.name) == plain ||
            (form.name == "TS" &&
             to_upper(each.name) == plain.substr(0, plain.find('_')) + "B_" + plain.substr(plain.find('_') + 1)))
            return each.value;
    return whole_number(word);
}

bool is_called(const FieldForm& form, std::string_view word) {
    return is_same(form.name, word) || std::ranges::any_of(form.others, [&](std::string_view other) {
               return !other.empty() && is_same(other, word);
           });
}

/// A modifier's number as far as it has been read, and the bits of the fields that were given.
struct ReadNumber {
    uint64_t number = 0, said = 0;

    /// Returns false if the value does not fit the field, or if another value was given before.
    bool say(const FieldForm& form, uint64_t value) {
        const std::optional<uint64_t> changed = with(form, value, number);
        if (!changed || ((said & all_of(form)) != 0 && *changed != number)) return false;
        number = *changed;
        said |= all_of(form);
        return true;
    }
};

/// Applies an item to the number; returns false if the item is unknown.
bool apply_item(const Family& family, const Item& item, ReadNumber& read) {
    const std::string_view key = without_macro(item.key);
    if (!item.value.empty()) {
        if (is_same(key, "MODE") || is_same(key, "OPTIONS")) {  // libdrm's word before flags
            if (item.value == "0") return true;
            return apply_item(family, {item.value, ""}, read);
        }
        for (const FieldForm& form : family.fields) {
            if (!is_called(form, key)) continue;
            const std::optional<uint64_t> value = value_of(form, item.value);
            return value && read.say(form, *value);
        }
        return false;
    }
    for (const FieldForm& form : family.fields) {
        if (form.is_flag() && is_called(form, key)) return read.say(form, 1);
        if (form.values.empty()) continue;
        const std::optional<uint64_t> value = whole_number(key) ? std::nullopt : value_of(form, key);
        if (value) return read.say(form, *value);
    }
    return false;
}

/// "(0,1,2,0x06,4)": c, s, g, k and h.
std::optional<uint64_t> by_position(const Family& family, const std::vector<Item>& items) {
    uint64_t number = family.base;
    for (size_t i = 0; i < items.size(); i++) {
        const std::optional<uint64_t> value = items[i].value.empty() ? whole_number(items[i].key) : std::nullopt;
        const std::optional<uint64_t> changed =
            value ? with(family.fields[items.size() - 1 - i], *value, number) : std::nullopt;
        if (!changed) return std::nullopt;
        number = *changed;
    }
    return number;
}

bool is_of_columns(const Family& family) { return family.head.find("SAND") != std::string_view::npos; }

std::optional<uint64_t> by_items(const Family& family, std::vector<Item> items) {
    if (items.size() == family.fields.size() && family.head.starts_with("NVIDIA"))
        if (const auto number = by_position(family, items)) return number;
    if (is_of_columns(family) && !items.empty() && is_same(items.front().key, "_COL_HEIGHT"))
        items.erase(items.begin());
    if (is_of_columns(family) && items.size() == 1 && items.front().value.empty()) return by_position(family, items);
    ReadNumber read = {family.base};
    for (size_t i = 0; i < items.size(); i++) {
        const std::string_view key = without_macro(items[i].key);
        const bool is_no_option = i > 0 && i + 1 == items.size() && items[i].value.empty() && key == "0";
        if (is_no_option && family.head == "AMLOGIC_FBC") continue;  // the macro's second argument
        const auto takes_value = [&](const FieldForm& form) { return !form.is_flag() && is_called(form, key); };
        if (items[i].value.empty() && i + 1 < items.size() && std::ranges::any_of(family.fields, takes_value)) {
            // AFRC_FORMAT_MOD_CU_SIZE_P0(AFRC_FORMAT_MOD_CU_SIZE_16)
            if (!apply_item(family, {items[i].key, items[i + 1].key}, read)) return std::nullopt;
            i++;
        } else if (is_same(key, "SET") && i + 2 < items.size()) {  // AMD_FMT_MOD_SET(TILE, AMD_FMT_MOD_TILE_GFX9_64K_S)
            if (!apply_item(family, {items[i + 1].key, items[i + 2].key}, read)) return std::nullopt;
            i += 2;
        } else if (!apply_item(family, items[i], read)) {
            return std::nullopt;
        }
    }
    return (read.number & family.mask) == family.base ? std::optional(read.number) : std::nullopt;
}

/// The text after the family's name, using the longest matching spelling; none if the text begins otherwise.
std::optional<std::string_view> behind_head(const Family& family, std::string_view text) {
    std::optional<std::string_view> best;
    const auto try_head = [&](std::string_view head) {
        std::string_view rest = text;
        if (!head.empty() && take(rest, head) && (!best || rest.size() < best->size())) best = rest;
    };
    try_head(family.head);
    for (const std::string_view other : family.others) try_head(other);
    return best;
}

/// Reads by the family that begins the text. libdrm leaves the family's name out, and tools write the vendor's name
/// before it.
std::optional<uint64_t> by_family(std::string_view text) {
    for (const Family& family : modifier_families)
        if (std::optional<std::string_view> rest = behind_head(family, text)) {
            if (rest->starts_with('_') && !is_of_columns(family)) rest->remove_prefix(1);
            const std::vector<Item> items = items_of(*rest);
            if (items.empty() && !is_of_columns(family)) continue;
            if (const auto number = by_items(family, items)) return number;
        }
    for (const std::string_view vendor : vendor_names) {
        std::string_view rest = text;
        if (take(rest, vendor) && take(rest, "_"))
            if (const auto number = by_family(rest)) return number;
    }
    for (const Family& family : modifier_families) {
        const std::vector<Item> items = items_of(text);
        // A single word such as TILED is not enough to identify a vendor.
        if (is_of_columns(family) || items.empty() || (items.size() < 2 && items.front().value.empty())) continue;
        if (const auto number = by_items(family, items)) return number;
    }
    return std::nullopt;
}

std::optional<uint64_t> by_name(std::string_view text) {
    for (const Named& each : named) {
        if (is_same(text, each.name)) return each.number;
        const std::string_view vendor = vendor_names[each.number >> vendor_shift];
        if (is_same(text, fmt::format("{}_{}", vendor, libdrm_name(each)))) return each.number;
    }
    // libdrm's names without a vendor, if only one modifier has the name.
    std::vector<uint64_t> numbers;
    for (const FieldValue& each : vivante_tilings)
        if (each.value != 0 && is_same(text, each.name)) numbers.push_back(code(vivante, each.value));
    for (const Named& each : named)
        if (is_same(text, libdrm_name(each))) numbers.push_back(each.number);
    if (numbers.size() == 1) return numbers.front();
    if (is_same(text, "GENERIC_16_16_TILE")) return code(samsung, 2);
    if (is_same(text, "MTK_16L_32S_TILE")) return code(mtk, 1);
    if (is_same(text, "NONE")) return 0;
    return std::nullopt;
}

/// "16BX2_BLOCK(4)", "16BX2_BLOCK_SIXTEEN_GOB".
std::optional<uint64_t> by_16bx2(std::string_view text) {
    take(text, "NVIDIA_");
    if (!take(text, "16BX2_BLOCK")) return std::nullopt;
    constexpr std::string_view counts[] = {"ONE", "TWO", "FOUR", "EIGHT", "SIXTEEN", "THIRTYTWO"};
    for (uint64_t i = 0; i < std::size(counts); i++)
        if (is_same(text, fmt::format("_{}_GOB", counts[i]))) return code(nvidia, nvidia_bit | i);
    const std::vector<Item> items = items_of(text);
    const std::optional<uint64_t> log2_high = items.size() == 1 ? whole_number(items.front().key) : std::nullopt;
    if (!log2_high || *log2_high >= std::size(counts)) return std::nullopt;
    return code(nvidia, nvidia_bit | *log2_high);
}

/// "fourcc_mod_code(NVIDIA, 0x606014)"
std::optional<uint64_t> by_code(std::string_view text) {
    if (!take(text, "fourcc_mod_code")) return std::nullopt;
    const std::vector<Item> items = items_of(text);
    if (items.size() != 2) return std::nullopt;
    for (uint64_t vendor = 0; vendor < std::size(vendor_names); vendor++)
        if (is_same(items[0].key, vendor_names[vendor]))
            if (const auto value = whole_number(items[1].key); value && *value <= ones(vendor_shift))
                return code(vendor, *value);
    return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

/// The number after a name, as drm_info writes it: "LINEAR (0x0)".
std::optional<uint64_t> number_behind(std::string_view text) {
    const size_t open = text.rfind("(0x");
    if (open == std::string_view::npos || open == 0 || text[open - 1] != ' ' || !text.ends_with(')'))
        return std::nullopt;
    const auto number = whole_number(text.substr(open + 1, text.size() - open - 2));
    const auto named_before = drm_modifier_number(text.substr(0, open));
    return number == named_before ? number : std::nullopt;
}

}  // namespace

std::optional<uint64_t> drm_modifier_number(std::string_view modifier) {
    constexpr size_t longest = 600;  // all fields, written with their macros
    std::string_view text = trimmed(modifier);
    if (text.empty() || text.size() > longest) return std::nullopt;
    // A number printed with 16 digits is hexadecimal, even without a prefix.
    const bool is_padded = text.size() == 16 && text.starts_with('0') && text[1] != 'x' && text[1] != 'X';
    if (const auto number = whole_number(is_padded ? fmt::format("0x{}", text) : std::string(text))) return number;
    if (const auto number = number_behind(text)) return number;
    if (const auto number = by_code(text)) return number;
    take(text, "DRM_FORMAT_MOD_");
    for (const auto& way : {by_name, by_16bx2, by_family})
        if (const auto number = way(text)) return number;
    return std::nullopt;
}

uint64_t parse_modifier(std::string_view text) {
    if (const auto number = drm_modifier_number(text)) return *number;
    std::string_view said = trimmed(text);
    take(said, "DRM_FORMAT_MOD_");
    for (const Family& family : modifier_families)
        if (const auto rest = behind_head(family, said); rest && rest->starts_with('(')) {
            std::vector<std::string_view> fields;
            for (const FieldForm& form : family.fields) fields.push_back(form.name);
            throw UsageError(fmt::format(
                "--modifier {}: not a valid {}; its fields are {}, each given once, with a name or a number that fits",
                printable(text, 60), family.head, fmt::join(fields, ", ")));
        }
    std::vector<std::string> names;
    for (const Named& each : named) names.emplace_back(each.name);
    for (const Family& each : modifier_families)
        if (const std::string name = fmt::format("{}(..)", each.head); names.back() != name) names.push_back(name);
    const std::string wanted = to_upper(trimmed(text).substr(0, 60));
    std::ranges::stable_sort(names, {}, [&](const std::string& name) { return edit_distance(to_upper(name), wanted); });
    names.resize(4);
    throw UsageError(
        fmt::format("--modifier {}: not a DRM format modifier; write its number, 0x0300000000606014, or its name as in "
                    "drm_fourcc.h, libdrm or drm_info: {}, ..",
                    printable(text, 60), fmt::join(names, ", ")));
}

std::string drm_modifier_text(std::string_view modifier) {
    const std::optional<uint64_t> value = drm_modifier_number(modifier);
    return value ? drm_modifier_text(*value) : "";
}

}  // namespace tilewise
