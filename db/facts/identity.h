// An identity is a hash of everything that canonical facts say: equal facts have equal identities.
//
// The hash is of the members' text in the order of their list: a space separates a number from a number before it, and
// the control character 0x1f separates everything else. Files hold such hashes, so neither separator may ever change.
#pragma once
#include "db/facts/json.h"
#include "db/facts/members.h"
#include "db/facts/rules.h"
#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <type_traits>

namespace tilewise::db {

class Identity {
public:
    void add(std::string_view text) { append(text, false); }

    template <ListsMembers Fact>
    void add_members(const Fact& fact) {
        each_member<Fact>([&]<typename T, typename Rule>(const Member<Fact, T, Rule>& member) {
            if (member.presence == Presence::later && has_default(fact, member)) return;
            if constexpr (WritesHex<Rule>)
                append(fmt::format("{:x}", fact.*member.pointer), true);
            else
                add_value(fact.*member.pointer);
        });
    }

    std::string hash() const;  ///< 32 hexadecimal digits

private:
    void add_value(const std::string& text) { append(text, false); }
    void add_value(ImageType type) { append(image_type_name(type), false); }
    template <typename T>
    requires std::is_arithmetic_v<T>
    void add_value(T number) { append(fmt::to_string(number), true); }
    template <typename T, size_t count>
    void add_value(const std::array<T, count>& numbers) {
        for (const T& number : numbers) add_value(number);
    }
    void add_value(const std::optional<SparseBlocks>& blocks) { append(value_json(blocks).dump(), false); }
    void append(std::string_view text, bool is_number);

    std::string text_;
    bool is_begun_ = false, ends_in_number_ = false;
};

}  // namespace tilewise::db
