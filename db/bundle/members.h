// Writing and reading a fact's members in a bundle, from their list.
#pragma once
#include "db/facts/json.h"
#include "db/facts/members.h"
#include "patterns/model/error.h"
#include "patterns/remap/lane_matrix.h"
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::db {

/// Writes an object that many facts share (rule::SharedJsonObject) into an object of a bundle.
using WriteShared = std::function<void(nlohmann::ordered_json& json, const SharedJson& shared)>;

/// Writes the members, except those with their default value. Without `write_shared`, the shared object is a member,
/// too.
template <ListsMembers Fact>
void write_members(nlohmann::ordered_json& json, const Fact& fact, const WriteShared& write_shared = {}) {
    each_member<Fact>([&]<typename T, typename Rule>(const Member<Fact, T, Rule>& member) {
        if constexpr (IsKeptOnce<Rule>)
            if (write_shared) return write_shared(json, fact.*member.pointer);
        if (member.presence == Presence::required || !has_default(fact, member))
            json[member.name] = member_json(fact, member);
    });
}

/// An object of a bundle that is being read; it knows its place in the document and which of its members were read.
struct Object {
    const nlohmann::json& json;
    std::string path;                       ///< instead of the member that facts share
    std::optional<SharedJson> shared = {};  ///< in place of the member that facts share
    std::vector<std::string_view> asked = {};

    [[noreturn]] void fail(const std::string& member, const std::string& what) const;
    /// Returns null if the member is missing, which is allowed only if it is not required.
    const nlohmann::json* find(const char* name, Presence presence);
    /// Throws Error if there is a member that was not read: a misspelt one would otherwise be lost silently.
    void refuse_unknown() const;
};

/// Adds the place in the document to whatever work() throws.
template <typename Work>
auto at(const Object& object, const char* member, Work work) {
    try {
        return work();
    } catch (const Error& error) {
        object.fail(member, error.what());
    } catch (const nlohmann::json::exception& error) {
        object.fail(member, error.what());
    }
}

/// These read the member if it is present; one that is not required may be missing. They throw Error naming its place
/// and what it must be.
void read_value(Object& object, const char* name, std::string& value, Presence presence);
void read_value(Object& object, const char* name, ImageType& value, Presence presence);
void read_value(Object& object, const char* name, uint32_t& value, Presence presence);
void read_value(Object& object, const char* name, uint64_t& value, Presence presence);
void read_value(Object& object, const char* name, int32_t& value, Presence presence);
void read_value(Object& object, const char* name, double& value, Presence presence);
void read_value(Object& object, const char* name, std::array<double, 2>& value, Presence presence);
void read_value(Object& object, const char* name, std::optional<uint64_t>& value, Presence presence);
void read_value(Object& object, const char* name, std::optional<LaneMatrix>& value, Presence presence);
void read_value(Object& object, const char* name, std::optional<SparseBlocks>& value, Presence presence);
void read_value(Object& object, const char* name, nlohmann::json& value, Presence presence);
void read_value(Object& object, const char* name, SharedJson& value, Presence presence);
template <size_t count>
void read_value(Object& object, const char* name, std::array<uint32_t, count>& value, Presence presence) {
    const nlohmann::json* found = object.find(name, presence);
    if (!found) return;
    bool good = found->is_array() && found->size() == count;
    for (size_t i = 0; good && i < count; ++i) {
        const nlohmann::json& number = (*found)[i];
        good = number.is_number_unsigned() && number.get<uint64_t>() <= std::numeric_limits<uint32_t>::max();
        if (good) value[i] = number.get<uint32_t>();
    }
    if (!good) object.fail(name, fmt::format("must be {} integers from 0 to 4294967295", count));
}
void read_hex_id(Object& object, const char* name, uint32_t& value, Presence presence);

template <ListsMembers Fact>
void read_members(Object& object, Fact& fact) {
    each_member<Fact>([&]<typename T, typename Rule>(const Member<Fact, T, Rule>& member) {
        if constexpr (WritesHex<Rule>)
            read_hex_id(object, member.name, fact.*member.pointer, member.presence);
        else
            read_value(object, member.name, fact.*member.pointer, member.presence);
    });
}

}  // namespace tilewise::db
