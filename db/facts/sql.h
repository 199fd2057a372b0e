// SQL for a fact's members: its columns, what is bound to them and what is read from them. Facts of a kind have a
// table, named by Fact::table. A JSON object that many facts share is a row of a separate table, TABLE_content, to
// which the fact's column refers.
#pragma once
#include "db/facts/json.h"
#include "db/facts/members.h"
#include "db/facts/rules.h"
#include "db/sqlite/sqlite.h"
#include "patterns/model/error.h"
#include "patterns/model/json_limits.h"
#include "patterns/model/text.h"
#include "patterns/remap/lane_matrix.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewise::db {

template <ListsMembers Fact>
std::vector<std::string> columns_of() {
    std::vector<std::string> columns;
    each_member<Fact>([&](const auto& member) {
        for (std::string& column : split(member.columns)) columns.push_back(std::move(column));
    });
    return columns;
}

/// Returns "validation.kernel, validation.method": two tables of one SELECT may have a column of the same name.
template <ListsMembers Fact>
std::string qualified_columns() {
    std::vector<std::string> columns;
    each_member<Fact>([&]<typename T, typename Rule>(const Member<Fact, T, Rule>& member) {
        for (const std::string& column : split(member.columns))
            columns.push_back(IsKeptOnce<Rule>
                                  ? fmt::format("(SELECT content FROM {0}_content WHERE id = {0}.{1}) AS {2}",
                                                Fact::table, column, member.name)
                                  : fmt::format("{}.{}", Fact::table, column));
    });
    return fmt::format("{}", fmt::join(columns, ", "));
}

/// `others` are columns that are not members; they are bound first.
template <ListsMembers Fact>
std::string insert_sql(std::vector<std::string> others = {}) {
    std::vector<std::string> values(others.size(), "?");
    const std::string of_content = fmt::format("(SELECT id FROM {}_content WHERE content = ?)", Fact::table);
    each_member<Fact>([&]<typename T, typename Rule>(const Member<Fact, T, Rule>& member) {
        for (std::string& column : split(member.columns)) {
            values.push_back(IsKeptOnce<Rule> ? of_content : "?");
            others.push_back(std::move(column));
        }
    });
    return fmt::format("INSERT INTO {} ({}) VALUES ({})", Fact::table, fmt::join(others, ", "),
                       fmt::join(values, ", "));
}

/// The statement finds the row whose members have the bound values.
template <ListsMembers Fact>
std::string find_sql() {
    return fmt::format("SELECT id FROM {} WHERE {} = ?", Fact::table, fmt::join(columns_of<Fact>(), " = ? AND "));
}

template <typename T>
void bind_value(Statement& statement, int& index, const T& value) {
    statement.bind_one(++index, value);
}
template <typename T, size_t count>
void bind_value(Statement& statement, int& index, const std::array<T, count>& values) {
    for (const T& value : values) statement.bind_one(++index, value);
}
inline void bind_value(Statement& statement, int& index, const nlohmann::json& value) {
    statement.bind_one(++index, value.dump());
}
inline void bind_value(Statement& statement, int& index, const SharedJson& object) {
    statement.bind_one(++index, object.text());
}
inline void bind_value(Statement& statement, int& index, ImageType type) {
    statement.bind_one(++index, image_type_name(type));
}
inline void bind_value(Statement& statement, int& index, const std::optional<LaneMatrix>& matrix) {
    std::optional<std::string> text;
    if (matrix) text = nlohmann::json(lane_names(*matrix)).dump();
    statement.bind_one(++index, text);
}
inline void bind_value(Statement& statement, int& index, const std::optional<SparseBlocks>& blocks) {
    std::optional<std::string> text;
    if (blocks) text = tilewise::to_json(*blocks).dump();
    statement.bind_one(++index, text);
}

template <ListsMembers Fact, typename... Others>
Statement& bind_fact(Statement& statement, const Fact& fact, const Others&... others) {
    statement.bind(others...);
    int index = sizeof...(others);
    each_member<Fact>([&](const auto& member) { bind_value(statement, index, fact.*member.pointer); });
    return statement;
}

// All of these throw Error "<name>: ..": a file may contain values that add_fact() could not have written.
inline void read_value(const Statement& row, int& column, const char*, std::string& value) {
    value = row.text(column++);
}
inline void read_value(const Statement& row, int& column, const char*, double& value) { value = row.real(column++); }
template <std::integral T>
void read_value(const Statement& row, int& column, const char* name, T& value) {
    const int64_t number = row.integer(column++);
    if (!std::in_range<T>(number)) throw Error(fmt::format("{}: {} is out of range", name, number));
    value = static_cast<T>(number);
}
template <typename T, size_t count>
void read_value(const Statement& row, int& column, const char* name, std::array<T, count>& values) {
    for (T& value : values) read_value(row, column, name, value);
}
inline void read_value(const Statement& row, int& column, const char* name, nlohmann::json& value) {
    value = parse_json(row.text(column++), name);
}
inline void read_value(const Statement& row, int& column, const char* name, SharedJson& object) {
    object = SharedJson::parsed(row.text_view(column++), name);
}
inline void read_value(const Statement& row, int& column, const char* name, ImageType& type) {
    type = rule::image_type_in(row.text(column++), name);
}
inline void read_value(const Statement& row, int& column, const char* name, LaneMatrix& matrix) {
    const nlohmann::json names = parse_json(row.text(column++), name);
    try {
        matrix = lanes_from_json(names);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", name, error.what()));
    }
}
inline void read_value(const Statement& row, int& column, const char* name, SparseBlocks& blocks) {
    const nlohmann::json json = parse_json(row.text(column++), name);
    try {
        blocks = sparse_blocks_from_json(json);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", name, error.what()));
    }
}
template <typename T>
void read_value(const Statement& row, int& column, const char* name, std::optional<T>& value) {
    if (row.is_null(column))
        ++column;
    else
        read_value(row, column, name, value.emplace());
}

/// Reads the columns from `column` on and advances `column` past them.
template <ListsMembers Fact>
Fact read_fact(const Statement& row, int& column) {
    Fact fact;
    each_member<Fact>([&](const auto& member) { read_value(row, column, member.name, fact.*member.pointer); });
    return fact;
}

}  // namespace tilewise::db
