#include "db/facts/pattern.h"
#include "db/facts/pattern_mode.h"
#include "patterns/model/error.h"
#include "patterns/model/json_limits.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/layout_text.h"
#include "patterns/model/one_to_one.h"
#include "patterns/picture/picture.h"
#include <bit>
#include <fmt/format.h>

namespace tilewise::db {

Layout bare_layout(const Pattern& pattern) {
    Layout layout{.pattern = pattern};
    layout.pattern.element.width = layout.pattern.element.height = 1;
    // An axis with a stride of 0 keeps its own position, which is where z and s nearly always are.
    size_t ordered = axis_count;
    while (ordered > 2 && pattern.order[ordered - 1] == all_axes[ordered - 1]) --ordered;
    // 1024 tiles per row; strides that leave F its bits.
    uint64_t changed = 0;
    for (const std::vector<uint64_t>& columns : pattern.index_xor.columns)
        for (uint64_t column : columns) changed |= column;
    const auto changed_bits = static_cast<size_t>(std::bit_width(changed));
    const auto stride_of = [&](size_t bits) {
        uint64_t stride = 0;
        if (bits > 63 || __builtin_mul_overflow(pattern.tile_bytes, uint64_t{1} << bits, &stride))
            throw Error(fmt::format("a tile of {} bytes: images of many of them are beyond 64 bits of address",
                                    pattern.tile_bytes));
        return stride;
    };
    for (size_t place = 0; place < ordered; ++place)
        layout.stride[pattern.order[place]] = stride_of(place == 0 ? 0 : changed_bits + 10 * place);
    if (!index_xor_is_one_to_one(layout)) layout.stride[pattern.order[0]] = stride_of(changed_bits);
    return layout;
}

Layout layout_from_text(const std::string& text, const std::string& whose) {
    try {
        return layout_from_json(parse_json(text, "layout"));
    } catch (const Error& error) {
        throw Error(fmt::format("{}: its layout cannot be read: {}", whose, error.what()));
    }
}

std::map<std::string, Pattern> patterns_of_bytes(const Database& db, uint32_t element_bytes) {
    Statement statement(db.sqlite, "SELECT id, layout FROM pattern WHERE element_bytes = ?");
    statement.bind(int64_t{element_bytes});
    std::map<std::string, Pattern> patterns;
    while (statement.step())
        patterns.emplace(statement.text(0),
                         layout_from_text(statement.text(1), "pattern " + statement.text(0)).pattern);
    return patterns;
}

bool add_pattern(Database& db, const std::string& id, const Pattern& pattern) {
    if (prepared(db, "SELECT 1 FROM pattern WHERE id = ?").bind(id).only_integer()) return false;
    const Layout bare = bare_layout(pattern);
    const std::string text = layout_text(bare);
    if (const std::string again = pattern_id(layout_from_text(text, "pattern " + id).pattern); again != id)
        throw Error(
            fmt::format("pattern {} becomes {} when it is read back: not stored; please report this", id, again));
    prepared(db, "INSERT INTO pattern VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(id, pattern.element.bytes, pattern.tile[axis_x], pattern.tile[axis_y], pattern.tile[axis_z],
              pattern.tile[axis_s], pattern.tile_bytes, pattern_title(bare.pattern), text)
        .run();
    store_mode(db, id, mode_of(pattern));
    return true;
}

}  // namespace tilewise::db
