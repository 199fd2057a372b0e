// The members of a fact are listed once, in its members(): columns, placeholders, binding and reading (db/facts/sql.h),
// JSON (db/facts/json.h), bundles both ways (db/bundle/members.h), the canonical form (db/facts/rules.h) and an
// observation's identity (db/facts/identity.h) are all made from that list.
//
// To add a member:
//   1. declare it in the struct and name it in members(), at the same place:
//          double clock_mhz = 0;  ///< of the GPU while it was measured; 0: not known
//          member("clock_mhz", &ValidationFact::clock_mhz, unknown, rule::number_or_0)
//   2. append a step to db/sqlite/schema.cpp; the steps before it never change:
//          ALTER TABLE validation ADD COLUMN clock_mhz REAL NOT NULL DEFAULT 0
// In a device or a driver, its column also joins what makes them the same one: the step makes the table's UNIQUE anew.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tilewise::db {

/// This says what it means that a member has the value which its struct gives it.
enum class Presence {
    required,  ///< a value like others: bundles always have it
    optional,  ///< what most facts say: bundles leave it out
    unknown,   ///< nobody knows: bundles leave it out, and printed facts have null
    later,     ///< optional, and younger than stored facts: an observation's identity leaves it out, too
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

/// Of a member that the fact has by its base.
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

/// A static_assert below each fact asks whether the list has the struct's members, in the struct's order (Unlisted,
/// last or of the widest alignment, are left to code of their own), and each its number of columns. The proof is by
/// size: a member that was forgotten and fits into padding escapes it.
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
