#include "db/bundle/members.h"
#include <algorithm>
#include <charconv>
#include <utility>

namespace tilewise::db {

using Json = nlohmann::json;

void Object::fail(const std::string& member, const std::string& what) const {
    throw Error(fmt::format("{}{}{}: {}", path, path.empty() || member.empty() ? "" : ".", member, what));
}

const Json* Object::find(const char* name, Presence presence) {
    if (asked.empty()) asked.reserve(json.size() + 8);
    asked.emplace_back(name);
    const auto found = json.find(name);
    if (found != json.end()) return &*found;
    if (presence == Presence::required) fail(name, "is missing");
    return nullptr;
}

void Object::refuse_unknown() const {
    for (const auto& [key, value] : json.items())
        if (std::ranges::find(asked, key) == asked.end()) fail(key, "is not a member of this object");
}

namespace {

uint64_t unsigned_number(const Object& object, const char* name, const Json& value, uint64_t max) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > max)
        object.fail(name, fmt::format("must be an integer from 0 to {}", max));
    return value.get<uint64_t>();
}

constexpr uint64_t max_integer = std::numeric_limits<int64_t>::max();  // SQLite's

}  // namespace

void read_value(Object& object, const char* name, std::string& value, Presence presence) {
    const Json* found = object.find(name, presence);
    if (!found) return;
    if (!found->is_string()) object.fail(name, "must be a string");
    value = found->get<std::string>();
}

void read_value(Object& object, const char* name, ImageType& value, Presence presence) {
    std::string text(image_type_name(value));
    read_value(object, name, text, presence);
    value = at(object, "", [&] { return rule::image_type_in(text, name); });
}

void read_value(Object& object, const char* name, uint32_t& value, Presence presence) {
    if (const Json* found = object.find(name, presence))
        value = static_cast<uint32_t>(unsigned_number(object, name, *found, std::numeric_limits<uint32_t>::max()));
}

void read_value(Object& object, const char* name, uint64_t& value, Presence presence) {
    if (const Json* found = object.find(name, presence)) value = unsigned_number(object, name, *found, max_integer);
}

void read_value(Object& object, const char* name, std::optional<uint64_t>& value, Presence presence) {
    const Json* found = object.find(name, presence);
    if (found && !found->is_null()) value = unsigned_number(object, name, *found, max_integer);
}

void read_value(Object& object, const char* name, int32_t& value, Presence presence) {
    const Json* found = object.find(name, presence);
    if (!found) return;
    const bool fits = found->is_number_unsigned()
                          ? std::in_range<int32_t>(found->get<uint64_t>())
                          : found->is_number_integer() && std::in_range<int32_t>(found->get<int64_t>());
    if (!fits) object.fail(name, "must be an integer of 32 bits");
    value = found->get<int32_t>();
}

void read_value(Object& object, const char* name, double& value, Presence presence) {
    const Json* found = object.find(name, presence);
    if (!found) return;
    if (!found->is_number()) object.fail(name, "must be a number");
    value = found->get<double>();
}

void read_value(Object& object, const char* name, std::array<double, 2>& value, Presence presence) {
    const Json* found = object.find(name, presence);
    if (!found) return;
    if (!found->is_array() || found->size() != 2 || !(*found)[0].is_number() || !(*found)[1].is_number())
        object.fail(name, "must be two numbers");
    value = found->get<std::array<double, 2>>();
}

void read_value(Object& object, const char* name, std::optional<LaneMatrix>& value, Presence presence) {
    if (const Json* found = object.find(name, presence))
        value = at(object, name, [&] { return lanes_from_json(*found); });
}

void read_value(Object& object, const char* name, std::optional<SparseBlocks>& value, Presence presence) {
    const Json* found = object.find(name, presence);
    if (found && !found->is_null()) value = at(object, name, [&] { return sparse_blocks_from_json(*found); });
}

void read_value(Object& object, const char* name, Json& value, Presence presence) {
    if (const Json* found = object.find(name, presence)) value = *found;
}

void read_value(Object& object, const char* name, SharedJson& value, Presence presence) {
    if (object.shared)
        value = *object.shared;
    else if (const Json* found = object.find(name, presence))
        value = *found;
}

void read_hex_id(Object& object, const char* name, uint32_t& value, Presence presence) {
    std::string text;
    read_value(object, name, text, presence);
    const char* end = text.data() + text.size();
    const bool has_prefix = text.starts_with("0x");
    const auto [stop, error] = std::from_chars(text.data() + (has_prefix ? 2 : 0), end, value, 16);
    if (!has_prefix || error != std::errc() || stop != end) object.fail(name, "must be a string such as \"0x10de\"");
}

}  // namespace tilewise::db
