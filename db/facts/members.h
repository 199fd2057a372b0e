// The members of a fact are listed once, in its members(). From that list are made: columns, placeholders, binding and
// reading (db/facts/sql.h), JSON (db/facts/json.h), writing and reading bundles (db/bundle/members.h), the canonical
// form (db/facts/rules.h) and an observation's identity (db/facts/identity.h).
//
// To add a member:
//   1. declare it in the struct and name it in members(), at the same place:
//          double clock_mhz = 0;  ///< of the GPU while it was measured; 0: not known
//          member("clock_mhz", &ValidationFact::clock_mhz, unknown, rule::number_or_0)
//   2. append a step to db/sqlite/schema.cpp; the steps before it never change:
//          ALTER TABLE validation ADD COLUMN clock_mhz REAL NOT NULL DEFAULT 0
// For a device or a driver, add the column to what makes two of them the same: the step rebuilds the table's UNIQUE.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tilewise::db {

/// What it means that a member has the value which its struct gives it.
enum class Presence {
    required,  ///< a value like any other: bundles always have the member
    optional,  ///< the usual value: bundles leave it out
    unknown,   ///< not known: bundles leave it out, and printed facts have null
    later,     ///< optional, and newer than stored facts: an observation's identity leaves it out, too
};

template <typename Fact, typename T, typename Rule>
struct Member {
    using Type = T;
    const char* name;  ///< in JSON
    T Fact::*pointer;
    Presence presence;
    Rule rule;                 ///< called with the value and the name: makes it canonical, or throws Error
    std::string_view columns;  ///< in SQL: "width,height" for an array of two
};

template <typename Fact, typename T, typename Rule>
constexpr Member<Fact, T, Rule> member(const char* name, T Fact::*pointer, Presence presence, Rule rule,
                                       std::string_view columns = {}) {
    return {name, pointer, presence, rule, columns.empty() ? name : columns};
}

/// For a member that the fact inherits from its base.
template <typename Fact, typename T, typename Base, typename Rule>
requires std::is_base_of_v<Base, Fact>
constexpr Member<Fact, T, Rule> member(const char* name, T Base::*pointer, Presence presence, Rule rule,
                                       std::string_view columns = {}) {
    return {name, pointer, presence, rule, columns.empty() ? name : columns};
}

template <typename Fact>
concept ListsMembers = requires {
    Fact::members();
};

template <ListsMembers Fact, typename Visit>
constexpr void each_member(Visit visit) {
    std::apply([&](const auto&... members) { (visit(members), ...); }, Fact::members());
}

template <ListsMembers Fact, typename M>
bool has_default(const Fact& fact, const M& member) {
    static const Fact unsaid{};
    return fact.*member.pointer == unsaid.*member.pointer;
}

template <typename T>
constexpr size_t column_count = 1;
template <typename T, size_t count>
constexpr size_t column_count<std::array<T, count>> = count;

/// A static_assert below each fact checks that the list has the struct's members, in the struct's order (Unlisted
/// members, which come last or have the widest alignment, are handled by separate code), and each with its number of
/// columns. The check is by size: a forgotten member that fits into padding escapes it.
template <ListsMembers Fact, typename... Unlisted>
constexpr bool members_are_complete() {
    size_t size = 0;
    bool has_columns = true;
    const auto place = [&](size_t bytes, size_t alignment) {
        size = (size + alignment - 1) / alignment * alignment + bytes;
    };
    each_member<Fact>([&]<typename T, typename Rule>(const Member<Fact, T, Rule>& member) {
        place(sizeof(T), alignof(T));
        size_t columns = 1;
        for (const char c : member.columns) columns += c == ',';
        has_columns = has_columns && columns == column_count<T>;
    });
    (place(sizeof(Unlisted), alignof(Unlisted)), ...);
    place(0, alignof(Fact));
    return has_columns && size == sizeof(Fact);
}

}  // namespace tilewise::db
