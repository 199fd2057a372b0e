// One way to add any kind of fact about a device and driver to the database, and to find it. A fact's struct names its
// table, its name in messages, and the order of its rows.
#pragma once
#include "db/facts/device.h"
#include "db/facts/driver.h"
#include "db/facts/sql.h"
#include "db/sqlite/database.h"
#include "patterns/model/error.h"
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tilewise::db {

template <typename Fact>
struct Stored {
    int64_t row = 0;
    DeviceFact device;
    DriverFact driver;
    Fact fact;
};

struct FactAdded {
    bool is_new = false;  ///< false: by the table's UNIQUE, it was there already
    bool new_device = false, new_driver = false;
};

/// The rows of a device and a driver (canonical ones). They are added, if they are new, within the caller's
/// transaction.
struct Origin {
    int64_t device = 0, driver = 0;
    bool new_device = false, new_driver = false;
};
Origin find_or_add_origin(Database& db, const DeviceFact& device, const DriverFact& driver);

/// Returns SELECT and FROM for the row's id, the device, the driver, the fact and `others`; conditions and an order may
/// follow.
template <ListsMembers Fact>
std::string select_sql(std::string_view others = "") {
    return fmt::format(
        "SELECT {0}.id, {1}, {2}, {3}{4} FROM {0} JOIN device ON device.id = {0}.device "
        "JOIN driver ON driver.id = {0}.driver ",
        Fact::table, qualified_columns<DeviceFact>(), qualified_columns<DriverFact>(), qualified_columns<Fact>(),
        others);
}

inline constexpr std::string_view by_origin =
    "ORDER BY vendor_id, device.name, device_id, device.uuid, driver.name, info, version, driver.uuid, ";

/// Throws Error if a value of the row does not fit into the struct.
template <ListsMembers Fact>
Stored<Fact> read_stored(const Statement& row, int& column) {
    Stored<Fact> stored;
    stored.row = row.integer(column++);
    try {
        stored.device = read_fact<DeviceFact>(row, column);
        stored.driver = read_fact<DriverFact>(row, column);
        stored.fact = read_fact<Fact>(row, column);
    } catch (const Error& error) {
        throw Error(fmt::format("{} {} cannot be read: {}", Fact::title, stored.row, error.what()));
    }
    return stored;
}

/// Throws Error naming the row and the member that import would refuse.
template <ListsMembers Fact>
void require_importable(const Stored<Fact>& stored) {
    try {
        canonical(stored.device);
        canonical(stored.driver);
        canonical(stored.fact);
    } catch (const Error& error) {
        throw Error(fmt::format("{} {}: {}", Fact::title, stored.row, error.what()));
    }
}

/// Called for a row that cannot be used, with the error that names it. If it returns, the row is left out.
using OnDamage = std::function<void(const Error&)>;
[[noreturn]] inline void refuse_damage(const Error&) { throw; }

template <ListsMembers Fact>
std::vector<Stored<Fact>> read_all_stored(Statement& rows, const OnDamage& on_damage = refuse_damage) {
    std::vector<Stored<Fact>> list;
    while (rows.step()) {
        try {
            int column = 0;
            Stored<Fact> stored = read_stored<Fact>(rows, column);
            require_importable(stored);
            list.push_back(std::move(stored));
        } catch (const Error& error) {
            on_damage(error);
        }
    }
    return list;
}

/// Adds the object that the fact shares with others, before the fact refers to it.
template <ListsMembers Fact>
void add_shared(Database& db, const Fact& fact) {
    each_member<Fact>([&]<typename T, typename Rule>(const Member<Fact, T, Rule>& member) {
        if constexpr (IsKeptOnce<Rule>) {
            static const std::string insert =
                fmt::format("INSERT INTO {}_content (content) VALUES (?) ON CONFLICT DO NOTHING", Fact::table);
            int index = 0;
            Statement& statement = prepared(db, insert);
            bind_value(statement, index, fact.*member.pointer);
            statement.run();
        }
    });
}

/// Adds it within the caller's transaction. Returns whether it is new.
template <ListsMembers Fact>
bool add_canonical_fact(Database& db, const Origin& origin, const Fact& fact) {
    static const std::string insert = insert_sql<Fact>({"device", "driver"}) + " ON CONFLICT DO NOTHING";
    add_shared(db, fact);
    bind_fact(prepared(db, insert), fact, origin.device, origin.driver).run();
    return changed_rows(db.sqlite) != 0;
}

/// Adds it in one transaction, with the device and the driver if they are new. Throws Error "<member>: <what it must
/// be>".
template <ListsMembers Fact>
FactAdded add_fact(Database& db, const DeviceFact& device, const DriverFact& driver, const Fact& fact) {
    const Fact kept = canonical(fact);
    Transaction transaction(db.sqlite);
    const Origin origin = find_or_add_origin(db, canonical(device), canonical(driver));
    const bool is_new = add_canonical_fact(db, origin, kept);
    transaction.commit();
    return {is_new, origin.new_device, origin.new_driver};
}

/// Returns all facts, sorted by device and driver, then in their own order.
template <ListsMembers Fact>
std::vector<Stored<Fact>> find_facts(const Database& db) {
    Statement rows(db.sqlite, fmt::format("{}{}{}", select_sql<Fact>(), by_origin, Fact::row_order));
    return read_all_stored<Fact>(rows);
}

/// Returns the facts about these devices (rows), with any driver.
template <ListsMembers Fact>
std::vector<Stored<Fact>> find_facts(const Database& db, const std::vector<int64_t>& devices) {
    Statement rows(db.sqlite, fmt::format("{}WHERE {}.device IN ({}) ORDER BY {}", select_sql<Fact>(), Fact::table,
                                          fmt::join(devices, ","), Fact::row_order));
    return read_all_stored<Fact>(rows);
}

/// Returns the facts about one device model with one driver version: two boards, or two installations, differ only in
/// their UUIDs.
template <ListsMembers Fact>
std::vector<Stored<Fact>> find_facts(const Database& db, const DeviceFact& device, const DriverFact& driver,
                                     const OnDamage& on_damage = refuse_damage) {
    Statement rows(db.sqlite, fmt::format("{}WHERE vendor_id = ? AND device_id = ? AND device.name = ? AND "
                                          "driver.name = ? AND info = ? AND version = ? ORDER BY {}",
                                          select_sql<Fact>(), Fact::row_order));
    const DeviceFact of = canonical(device);
    const DriverFact with = canonical(driver);
    rows.bind(of.vendor_id, of.device_id, of.name, with.name, with.info, with.version);
    return read_all_stored<Fact>(rows, on_damage);
}

}  // namespace tilewise::db
