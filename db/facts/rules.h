// What members must be before they are stored, whether probed or imported. A rule turns values of the same meaning into
// the same value, or throws Error "<member>: <what it must be>".
#pragma once
#include "db/facts/members.h"
#include "patterns/model/image_kind.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace tilewise::db {

/// Returns the current time: 2025-03-01T12:34:56.789Z.
std::string utc_now();

/// Returns the time reduced to its day, as a catalog has it.
std::string dated_to_the_day(const std::string& time);
/// Returns whether it is such a time. Every database contains a catalog, not always today's; facts found on a device
/// have times to the millisecond.
bool is_dated_to_the_day(std::string_view time);

namespace rule {

struct Anything {
    void operator()(const auto&, const char*) const {}
};
/// An integer id that JSON writes as "0x10de".
struct HexId : Anything {
    static constexpr bool writes_hex = true;
};
/// Text that is printable (patterns/model/text.h), without spaces at its ends.
struct Line {
    void operator()(std::string& value, const char* name) const;
};
struct NonEmptyLine {
    void operator()(std::string& value, const char* name) const;
};
/// The name of a format, without VK_FORMAT_.
struct FormatName {
    void operator()(std::string& value, const char* name) const;
};
/// Names joined by commas; they are sorted, and each is kept once.
struct NameList {
    void operator()(std::string& value, const char* name) const;
};
/// A text that group_order_text() in patterns/remap writes.
struct GroupOrderText {
    void operator()(const std::string& value, const char* name) const;
};
struct UtcTime {
    void operator()(std::string& value, const char* name) const;
};
struct PositiveInteger {
    void operator()(uint32_t value, const char* name) const { require(std::span(&value, 1), name); }
    template <size_t count>
    void operator()(const std::array<uint32_t, count>& values, const char* name) const {
        require(values, name);
    }

private:
    static void require(std::span<const uint32_t> values, const char* name);
};
struct PowerOf2OrZero {
    void operator()(uint64_t value, const char* name) const;
};
/// The index of a memory type, or -1.
struct MemoryIndex {
    void operator()(int32_t value, const char* name) const;
};
struct PositiveNumber {
    void operator()(double value, const char* name) const;
};
struct NumberOrZero {
    void operator()(double value, const char* name) const;
};
struct Interval {
    void operator()(const std::array<double, 2>& ends, const char* name) const;
};
struct JsonObject {
    void operator()(const nlohmann::json& value, const char* name) const;
};
/// An object that many facts share: the database stores it once (db/facts/sql.h).
struct SharedJsonObject : JsonObject {
    static constexpr bool is_kept_once = true;
};

/// Throws Error "<name>: .." if the text is not an image type's name.
ImageType image_type_in(std::string_view text, const char* name);

void require_one_of(std::span<const std::string_view> choices, std::string_view value, const char* name);

template <size_t count>
struct OneOf {
    std::array<std::string_view, count> choices;
    void operator()(const std::string& value, const char* name) const { require_one_of(choices, value, name); }
};

inline constexpr Anything anything;
inline constexpr HexId hex_id;
inline constexpr Line line;
inline constexpr NonEmptyLine non_empty_line;
inline constexpr FormatName format_name;
inline constexpr NameList name_list;
inline constexpr GroupOrderText group_order;
inline constexpr UtcTime utc_time;
inline constexpr PositiveInteger positive_integer;
inline constexpr PowerOf2OrZero power_of_2_or_0;
inline constexpr MemoryIndex memory_index;
inline constexpr PositiveNumber positive_number;
inline constexpr NumberOrZero number_or_0;
inline constexpr Interval interval;
inline constexpr JsonObject json_object;
inline constexpr SharedJsonObject shared_json_object;
template <size_t count>
constexpr OneOf<count> one_of(const std::array<std::string_view, count>& choices) {
    return {choices};
}

}  // namespace rule

/// Whether the rule's member is written in hexadecimal.
template <typename Rule>
concept WritesHex = Rule::writes_hex;

/// Whether the rule's member is stored in a table of its own, once for all facts that have it.
template <typename Rule>
concept IsKeptOnce = Rule::is_kept_once;

/// Applies the rule of each member, then checks them together by require_consistent(fact), if there is one.
template <ListsMembers Fact>
Fact canonical(Fact fact) {
    each_member<Fact>([&](const auto& member) { member.rule(fact.*member.pointer, member.name); });
    if constexpr (requires { require_consistent(fact); }) require_consistent(fact);
    return fact;
}

}  // namespace tilewise::db
