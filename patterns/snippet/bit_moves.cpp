// Moving each group of bits by its distance costs a mask, a shift and an OR for each of d distances. Moving in stages
// costs three operations for each of log2(d) stages. For the even bits of a byte ("compress", see H. S. Warren,
// "Hacker's Delight", 7-4):
//
//   v                  -d-c-b-a      d goes 3, c 2, b 1, a stays
//   v & 01010101       .d.c.b.a
//   v | v >> 1         .ddccbba
//     & 00110011       ..dc..ba      d and c go 2 more, b and a stay
//   v | v >> 2         ..dcdcba
//     & 00001111       ....dcba
//
// Each stage halves the number of distances. A search finds which shifts do so, and whether the copies that a stage
// leaves behind must be masked.
#include "patterns/snippet/bit_moves.h"
#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <optional>

namespace tilewise::ir {

namespace {

constexpr size_t max_states = 300;  ///< words, with their moves, that stages may reach

uint64_t shifted(uint64_t value, int distance) { return distance < 0 ? value >> -distance : value << distance; }

/// A set of the distances by which bits of a word may move.
struct Distances {
    uint64_t from_the_lowest = 0;

    static constexpr int lowest = 1 - static_cast<int>(word_bits), highest = -lowest;
    static bool may_have(int distance) { return lowest <= distance && distance <= highest; }
    bool has(int distance) const { return may_have(distance) && (from_the_lowest >> (distance - lowest) & 1) != 0; }
    void insert(int distance) { from_the_lowest |= bit(static_cast<unsigned>(distance - lowest)); }
    /// Returns whether it was there.
    bool erase(int distance) {
        if (!has(distance)) return false;
        from_the_lowest &= ~bit(static_cast<unsigned>(distance - lowest));
        return true;
    }
    bool operator==(const Distances&) const = default;
};

/// From the lowest to the highest.
std::vector<int> distances(const std::vector<BitMove>& moves) {
    Distances found;
    for (const BitMove& move : moves) found.insert(move.distance());
    std::vector<int> list;
    for (int d = Distances::lowest; d <= Distances::highest; d++)
        if (found.has(d)) list.push_back(d);
    return list;
}

uint64_t sources(const std::vector<BitMove>& moves) {
    uint64_t mask = 0;
    for (const BitMove& move : moves) mask |= bit(move.from);
    return mask;
}

Value one_distance_each(Program& program, Value word, const std::vector<BitMove>& moves) {
    std::array<uint64_t, Distances::highest - Distances::lowest + 1> masks = {};  // by distance, from the lowest
    for (const BitMove& move : moves) masks[static_cast<size_t>(move.distance() - Distances::lowest)] |= bit(move.from);
    std::optional<Value> sum;
    for (int distance = Distances::lowest; distance <= Distances::highest; distance++) {
        const uint64_t mask = masks[static_cast<size_t>(distance - Distances::lowest)];
        if (mask == 0) continue;
        const Value moved = move_bits(program, word, mask, distance);
        sum = sum ? join(program, *sum, moved) : moved;
    }
    return sum ? *sum : constant(program, 0);
}

/// A stage: bits that move by the distances in `going` move by `shift` now; the others wait.
struct Stage {
    int shift = 0;
    Distances going;
    size_t left = 0;  ///< distances after it
};

/// Pairs distances that differ by the shift, beginning at one end of the list.
Stage pair_up(const std::vector<int>& all, int shift, bool from_the_end) {
    Stage stage{.shift = shift, .going = {}, .left = 0};
    std::vector<int> order = all;
    if (from_the_end) std::ranges::reverse(order);
    Distances open;
    for (int d : all) open.insert(d);
    for (int d : order) {
        if (!open.erase(d)) continue;
        stage.left++;
        if (open.erase(d + shift))
            stage.going.insert(d + shift);
        else if (open.erase(d - shift))
            stage.going.insert(d);
    }
    return stage;
}

/// The least number of operations still needed for a word with that many distances to go.
unsigned lower_bound(size_t distances_left) {
    unsigned operations = 0;
    for (; distances_left > 1; distances_left = (distances_left + 1) / 2) operations += 2;
    return operations;
}

/// The stages that leave the fewest distances.
std::vector<Stage> stages_for(const std::vector<int>& all) {
    std::vector<Stage> stages;
    size_t min_left = all.size() - 1;
    std::bitset<4 * word_bits> tried;  // by shift, from the lowest
    for (size_t i = 0; i < all.size(); i++)
        for (size_t j = 0; j < all.size(); j++) {
            auto shift = tried[static_cast<size_t>(all[i] - all[j] + static_cast<int>(2 * word_bits))];
            if (i == j || shift) continue;
            shift = true;
            for (bool from_the_end : {false, true}) {
                Stage stage = pair_up(all, all[i] - all[j], from_the_end);
                min_left = std::min(min_left, stage.left);
                const bool known = std::ranges::any_of(stages, [&](const Stage& other) {
                    return other.shift == stage.shift && other.going == stage.going;
                });
                if (!known) stages.push_back(std::move(stage));
            }
        }
    std::erase_if(stages, [&](const Stage& stage) { return stage.left > min_left; });
    return stages;
}

struct StageSearch {
    Program& program;
    unsigned budget;
    std::map<std::pair<Value, std::vector<BitMove>>, Value> known = {};

    unsigned cost(Value value) const { return count_operations(program, {&value, 1}); }

    /// word | shifted word, if that spoils no bit that is needed.
    std::optional<Value> copied(Value word, const std::vector<BitMove>& moves, const Stage& stage) {
        const uint64_t possible = program.nodes[word].possible;
        for (const BitMove& move : moves) {
            const auto from = static_cast<int>(move.from);
            const int other = stage.going.has(move.distance()) ? from + stage.shift : from - stage.shift;
            if (other >= 0 && other < 64 && possible & bit(static_cast<unsigned>(other))) return std::nullopt;
        }
        return apply(program, Op::bit_or, word, shift_by(program, word, stage.shift));
    }

    /// A step of one place: add the bits that move left once more, and subtract half of those that move right. There is
    /// no carry if the destinations are free.
    std::optional<Value> by_arithmetic(Value word, uint64_t going, int shift) {
        const uint64_t possible = program.nodes[word].possible, waiting = possible & ~going;
        const uint64_t goal = shifted(going, shift);
        if ((shift != 1 && shift != -1) || (waiting & goal) != 0 || goal >> word_bits != 0) return std::nullopt;
        const Value part = apply_number(program, Op::bit_and, word, going);
        const Value moved = shift == 1 ? apply(program, Op::add, word, part)
                                       : apply(program, Op::subtract, word, shift_by(program, part, -1));
        assume_bits(program, moved, waiting | goal);
        return moved;
    }

    /// The word after a stage, in those versions that may turn out best.
    std::vector<Value> after(Value word, const std::vector<BitMove>& moves, const Stage& stage, uint64_t mask) {
        std::vector<Value> ways;
        const auto add = [&](Value value) {
            if (std::ranges::find(ways, value) == ways.end()) ways.push_back(value);
        };
        const Value clean = apply_number(program, Op::bit_and, word, sources(moves));
        uint64_t going = 0;
        for (const BitMove& move : moves)
            if (stage.going.has(move.distance())) going |= bit(move.from);
        for (Value from : {word, clean})
            if (const std::optional<Value> moved = by_arithmetic(from, going, stage.shift)) add(*moved);
        std::optional<Value> copies = copied(word, moves, stage);
        if (!copies) copies = copied(clean, moves, stage);
        if (copies) {
            add(*copies);
            add(apply_number(program, Op::bit_and, *copies, mask));
            return ways;
        }
        const Value waits = apply_number(program, Op::bit_and, word, sources(moves) & ~going);
        add(join(program, waits, move_bits(program, word, going, stage.shift)));
        return ways;
    }

    Value best(Value word, const std::vector<BitMove>& moves) {
        if (!known.empty())
            if (const auto found = known.find(std::pair(word, moves)); found != known.end()) return found->second;
        Value result = one_distance_each(program, word, moves);
        unsigned min_operations = cost(result);
        const std::vector<int> all = distances(moves);
        if (cost(word) + lower_bound(all.size()) >= std::min(min_operations, budget) || known.size() > max_states)
            return result;
        for (const Stage& stage : all.size() < 2 ? std::vector<Stage>{} : stages_for(all)) {
            std::vector<BitMove> rest = moves;
            uint64_t mask = 0;
            bool fits = true;
            for (BitMove& move : rest) {
                if (!stage.going.has(move.distance())) {
                    fits = fits && !(mask & bit(move.from));
                    mask |= bit(move.from);
                    continue;
                }
                const int at = static_cast<int>(move.from) + stage.shift;
                fits = fits && at >= 0 && at < static_cast<int>(word_bits) && !(mask & bit(static_cast<unsigned>(at)));
                if (!fits) break;
                move.from = static_cast<unsigned>(at);
                mask |= bit(move.from);
            }
            if (!fits) continue;
            std::ranges::sort(rest);
            for (Value next : after(word, moves, stage, mask)) {
                if (cost(next) + lower_bound(stage.left) >= std::min(min_operations, budget)) continue;
                const Value staged = best(next, rest);
                if (const unsigned operations = cost(staged); operations < min_operations) {
                    min_operations = operations;
                    result = staged;
                }
            }
        }
        known.emplace(std::pair(word, moves), result);
        return result;
    }
};

}  // namespace

Value shift_by(Program& program, Value value, int distance) {
    return distance < 0 ? apply_number(program, Op::shift_right, value, static_cast<uint64_t>(-distance))
                        : apply_number(program, Op::shift_left, value, static_cast<uint64_t>(distance));
}

Value move_bits(Program& program, Value word, uint64_t mask, int distance) {
    const Value moved = shift_by(program, word, distance);
    const uint64_t wanted = shifted(mask, distance);
    if (distance < 0 || (program.nodes[moved].possible & ~wanted) == 0)
        return apply_number(program, Op::bit_and, moved, wanted);
    return shift_by(program, apply_number(program, Op::bit_and, word, mask), distance);
}

Value move_in_stages(Program& program, Value word, const std::vector<BitMove>& moves, unsigned budget) {
    StageSearch search{program, budget};
    std::vector<BitMove> sorted = moves;
    std::ranges::sort(sorted);
    return search.best(word, sorted);
}

}  // namespace tilewise::ir
