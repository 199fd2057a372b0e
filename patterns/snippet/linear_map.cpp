// A map is computed by several methods, and the one with the fewest operations is kept.
//
// By distance: bits that move by the same distance move together, with one mask and one shift. NVIDIA's RGBA8:
//
//   bit                           12  11  10   9   8   7   6   5   4   3   2   1   0
//   from                          y6  y5  y4  y3  x3  y2  x2  y1  y0  x1  x0   .   .
//   (x & 3) << 2                   .   .   .   .   .   .   .   .   .  x1  x0   .   .
//   ((x & 4) | (y & 3)) << 4       .   .   .   .   .   .  x2  y1  y0   .   .   .   .
//   ((x & 8) | (y & 4)) << 5       .   .   .   .  x3  y2   .   .   .   .   .   .   .
//   (y & 0x78) << 6               y6  y5  y4  y3   .   .   .   .   .   .   .   .   .
//
// By stages: all bits of one input that go to one result (bit_moves.cpp). For this, two results of one input can be
// packed into one word, and two inputs can be merged. Morton order in 4x4, in both directions:
//
//   bit                     7  6  5  4  3  2  1  0
//   index                   .  .  .  . i3 i2 i1 i0
//   packed, 4 bits apart    .  . i3 i1  .  . i2 i0     x = packed & 3, y = packed >> 4
//
//   merged, x | y << 4      .  . y1 y0  .  . x1 x0
//   address                 .  .  .  . y1 x1 y0 x0
//
// By deposit and extract, if the machine has them: bits of one input that keep their order move together, however far
// they move. NVIDIA's RGBA8 again is pdep(x, 0x14c) ^ pdep(y, 0x1eb0) of 13 bits: one operation per axis.
//
// XORs that rows have in common are searched for first (shared_xors.cpp).
#include "patterns/snippet/linear_map.h"
#include "patterns/snippet/bit_moves.h"
#include "patterns/snippet/shared_xors.h"
#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <tuple>

namespace tilewise::ir {

namespace {

int distance(const Move& move) { return static_cast<int>(move.out_bit) - static_cast<int>(move.in_bit); }

/// The values to be joined into one result.
using Terms = std::vector<Value>;

/// Joins with one kind of operation, so that the result reads as one chain.
Value join_all(Program& program, const Terms& terms) {
    if (terms.empty()) return constant(program, 0);
    uint64_t seen = 0;
    bool disjoint = true;
    for (Value term : terms) {
        disjoint = disjoint && (seen & program.nodes[term].possible) == 0;
        seen |= program.nodes[term].possible;
    }
    Value sum = terms[0];
    for (size_t i = 1; i < terms.size(); i++) sum = apply(program, disjoint ? Op::bit_or : Op::bit_xor, sum, terms[i]);
    return sum;
}

/// The bits of one input that move to one result by the same distance.
struct MovedMask {
    unsigned output = 0;
    int by = 0;
    unsigned input = 0;
    uint64_t mask = 0;
};
using MovedMasks = std::vector<MovedMask>;

/// Sorted by output, distance and input.
MovedMasks masks_by_distance(const std::vector<Move>& moves) {
    MovedMasks masks;
    masks.reserve(moves.size());
    const auto key = [](const MovedMask& of) { return std::tuple(of.output, of.by, of.input); };
    for (const Move& move : moves) {
        const MovedMask one = {move.output, distance(move), move.input, bit(move.in_bit)};
        const auto place = std::ranges::lower_bound(masks, key(one), {}, key);
        if (place != masks.end() && key(*place) == key(one))
            place->mask |= one.mask;
        else
            masks.insert(place, one);
    }
    return masks;
}

/// The bits of several inputs that move by the same distance, each at its old position.
Value gather(Program& program, const std::vector<Value>& inputs, std::span<MovedMask> masks) {
    std::ranges::stable_sort(masks, {}, &MovedMask::mask);  // equal masks need one operation
    Terms sum;
    for (auto first = masks.begin(); first != masks.end();) {
        const auto last =
            std::find_if(first, masks.end(), [&](const MovedMask& other) { return other.mask != first->mask; });
        Terms values;
        for (auto of = first; of != last; ++of) values.push_back(inputs[of->input]);
        sum.push_back(apply_number(program, Op::bit_and, join_all(program, values), first->mask));
        first = last;
    }
    return join_all(program, sum);
}

/// Bits that move by the same distance move together: one mask and one shift.
void add_by_distance(Program& program, const LinearMapTask& task, const std::vector<Move>& moves,
                     std::vector<Terms>& results) {
    MovedMasks masks = masks_by_distance(moves);
    for (auto first = masks.begin(); first != masks.end();) {
        const auto last = std::find_if(first, masks.end(), [&](const MovedMask& other) {
            return other.output != first->output || other.by != first->by;
        });
        const auto [output, by, input, mask] = *first;
        results[output].push_back(last - first == 1
                                      ? move_bits(program, task.inputs[input], mask, by)
                                      : shift_by(program, gather(program, task.inputs, {first, last}), by));
        first = last;
    }
}

/// Bits of one input that move to one result and keep their order.
struct Chain {
    unsigned input = 0, output = 0, last_out_bit = 0;
    uint64_t from = 0, to = 0;  ///< masks with equally many bits
};

/// As few chains as possible: each move joins the chain whose last bit is the next below its own.
std::vector<Chain> ordered_chains(std::vector<Move> moves) {
    std::ranges::sort(moves, [](const Move& a, const Move& b) {
        return std::tuple(a.output, a.input, a.in_bit, b.out_bit) < std::tuple(b.output, b.input, b.in_bit, a.out_bit);
    });
    std::vector<Chain> chains;
    for (const Move& move : moves) {
        Chain* best = nullptr;
        for (Chain& chain : chains)
            if (chain.input == move.input && chain.output == move.output && chain.last_out_bit < move.out_bit &&
                (!best || best->last_out_bit < chain.last_out_bit))
                best = &chain;
        if (!best) best = &chains.emplace_back(Chain{move.input, move.output});
        best->last_out_bit = move.out_bit;
        best->from |= bit(move.in_bit);
        best->to |= bit(move.out_bit);
    }
    return chains;
}

bool is_run(uint64_t mask) { return std::has_single_bit((mask >> std::countr_zero(mask)) + 1); }

Value move_chain(Program& program, Value input, const Chain& chain) {
    const int from = std::countr_zero(chain.from), to = std::countr_zero(chain.to);
    if (is_run(chain.from) && is_run(chain.to)) return move_bits(program, input, chain.from, to - from);
    const bool extracts = !is_run(chain.from), deposits = !is_run(chain.to);
    Value bits = extracts ? apply_number(program, Op::extract, input, chain.from)
                          : apply_number(program, Op::shift_right, input, static_cast<uint64_t>(from));
    return deposits ? apply_number(program, Op::deposit, bits, chain.to)
                    : apply_number(program, Op::shift_left, bits, static_cast<uint64_t>(to));
}

std::vector<Value> finish(Program& program, const LinearMapTask& task, std::vector<Terms> terms) {
    std::vector<Value> results;
    for (size_t o = 0; o < terms.size(); o++) {
        if (task.constants[o] != 0) terms[o].push_back(constant(program, task.constants[o]));
        results.push_back(join_all(program, terms[o]));
    }
    for (auto add = task.added.rbegin(); add != task.added.rend(); ++add) {
        const Value part = move_bits(program, results[add->from], add->mask, add->distance);
        results[add->output] = apply(program, Op::bit_xor, results[add->output], part);
    }
    return results;
}

/// Where the bit of a move lies before and after, in the words that are moved in stages; none for moves that are not
/// part of this.
struct BitPlaces {
    bool takes_part = false;
    unsigned from = 0, to = 0;
};

/// Moves that use each place only once: those with the most common distances. The others go to `rest`.
template <typename PlaceOf>
std::vector<BitMove> pick_staged(const std::vector<Move>& moves, const PlaceOf& place_of, std::vector<Move>& rest) {
    std::array<uint8_t, 2 * word_bits> common = {};  // by distance, from the lowest
    const auto how_common = [&](const BitMove& move) -> uint8_t& {
        return common[static_cast<size_t>(move.distance() + static_cast<int>(word_bits))];
    };
    std::vector<std::pair<BitMove, Move>> possible;
    possible.reserve(moves.size());
    rest.reserve(moves.size());
    for (const Move& move : moves) {
        const BitPlaces place = place_of(move);
        if (!place.takes_part || place.from >= word_bits || place.to >= word_bits) {
            rest.push_back(move);
            continue;
        }
        possible.push_back({{place.from, place.to}, move});
        how_common(possible.back().first)++;
    }
    std::ranges::stable_sort(possible,
                             [&](const auto& a, const auto& b) { return how_common(a.first) > how_common(b.first); });
    std::vector<BitMove> staged;
    staged.reserve(possible.size());
    uint64_t from = 0, to = 0;
    for (const auto& [bits, move] : possible) {
        if (from & bit(bits.from) || to & bit(bits.to)) {
            rest.push_back(move);
            continue;
        }
        from |= bit(bits.from);
        to |= bit(bits.to);
        staged.push_back(bits);
    }
    return staged;
}

/// The methods of computing a map; the best one is kept.
struct Search {
    /// Each method begins with the program as it was before the search; its additions are discarded afterwards.
    Program program;
    std::vector<Node> start = program.nodes;
    std::vector<Node> best_nodes = {};
    std::vector<Value> best = {};
    unsigned min_operations = ~0u;

    explicit Search(const Program& before) : program(before) {}

    /// Called before each method.
    void begin() {
        forget_from(program, start.size());
        std::ranges::copy(start, program.nodes.begin());
    }

    void offer(const LinearMapTask& task, const std::vector<Terms>& terms) {
        std::vector<Value> results = finish(program, task, terms);
        const unsigned operations = count_operations(program, results);
        if (operations >= min_operations) return;
        min_operations = operations;
        best = std::move(results);
        best_nodes = program.nodes;
    }

    /// How many operations may lead to a word by stages if the whole is to beat the best known method; 0 for none. The
    /// word is joined to `terms` of results, and split by `splits` operations.
    unsigned budget(Value word, const std::vector<Terms>& terms, unsigned splits) const {
        std::vector<Value> values = {word};
        unsigned more = splits;
        for (const Terms& others : terms) {
            values.insert(values.end(), others.begin(), others.end());
            more += others.empty() ? 0 : static_cast<unsigned>(others.size()) - 1;
        }
        const unsigned known = count_operations(program, values) + more;
        return known < min_operations ? min_operations - known + count_operations(program, {&word, 1}) : 0;
    }

    void by_distance(const LinearMapTask& task) {
        begin();
        std::vector<Terms> terms(task.constants.size());
        add_by_distance(program, task, task.moves, terms);
        offer(task, terms);
    }

    void by_deposit(const LinearMapTask& task) {
        begin();
        std::vector<Terms> terms(task.constants.size());
        for (const Chain& chain : ordered_chains(task.moves))
            terms[chain.output].push_back(move_chain(program, task.inputs[chain.input], chain));
        offer(task, terms);
    }

    /// Moves each of some inputs separately.
    void staged(const LinearMapTask& task, uint64_t inputs) {
        std::vector<std::pair<unsigned, unsigned>> ways;  // output, input
        std::vector<std::vector<BitMove>> moves;
        std::vector<Move> left = task.moves;
        for (unsigned o = 0; o < task.constants.size(); o++)
            for (unsigned i = 0; i < task.inputs.size(); i++) {
                if (!(inputs & bit(i))) continue;
                std::vector<Move> rest;
                const auto place = [&](const Move& move) {
                    return BitPlaces{move.input == i && move.output == o, move.in_bit, move.out_bit};
                };
                moves.push_back(pick_staged(left, place, rest));
                ways.emplace_back(o, i);
                left = std::move(rest);
            }
        begin();
        std::vector<Terms> terms(task.constants.size());
        add_by_distance(program, task, left, terms);
        for (size_t w = 0; w < ways.size(); w++) {
            const auto [o, i] = ways[w];
            if (moves[w].empty()) continue;
            const unsigned limit = budget(task.inputs[i], terms, 0);
            if (limit == 0) return;
            terms[o].push_back(move_in_stages(program, task.inputs[i], moves[w], limit));
        }
        offer(task, terms);
    }

    /// Packs two results of one input into one word, `above` bits apart.
    void packed(const LinearMapTask& task, unsigned input, unsigned low, unsigned high, unsigned above) {
        std::vector<Move> rest;
        const auto place = [&](const Move& move) {
            const bool mine =
                move.input == input && (move.output == high || (move.output == low && move.out_bit < above));
            return BitPlaces{mine, move.in_bit, move.out_bit + (move.output == high ? above : 0)};
        };
        const std::vector<BitMove> moves = pick_staged(task.moves, place, rest);
        uint64_t low_bits = 0, high_bits = 0;
        for (const BitMove& move : moves) (move.to < above ? low_bits : high_bits) |= bit(move.to);
        if (low_bits == 0 || high_bits == 0) return;
        begin();
        std::vector<Terms> terms(task.constants.size());
        add_by_distance(program, task, rest, terms);
        const unsigned limit = budget(task.inputs[input], terms, 2);
        if (limit == 0) return;
        const Value both = move_in_stages(program, task.inputs[input], moves, limit);
        terms[low].push_back(apply_number(program, Op::bit_and, both, low_bits));
        terms[high].push_back(apply_number(program, Op::shift_right, both, above));
        offer(task, terms);
    }

    /// Merges two inputs into one word, `above` bits apart.
    void merged(const LinearMapTask& task, unsigned output, unsigned low, unsigned high, unsigned above, bool masked) {
        std::vector<Move> rest;
        uint64_t low_bits = 0, high_bits = 0;
        const auto place = [&](const Move& move) {
            const bool mine = move.output == output && (move.input == low || move.input == high);
            return BitPlaces{mine, move.in_bit + (move.input == high ? above : 0), move.out_bit};
        };
        for (const Move& move : task.moves)
            if (place(move).takes_part && place(move).from < word_bits)
                (move.input == low ? low_bits : high_bits) |= bit(place(move).from);
        if (low_bits == 0 || high_bits == 0 || low_bits & high_bits) return;
        begin();
        const Value below = apply_number(program, Op::bit_and, task.inputs[low], low_bits);
        const Value over = masked ? move_bits(program, task.inputs[high], high_bits >> above, static_cast<int>(above))
                                  : apply_number(program, Op::shift_left, task.inputs[high], above);
        // If the mask removes nothing, this is the same as the method without it.
        if (masked && program.nodes[over].op == Op::shift_left && program.nodes[over].a == task.inputs[high]) return;
        if (program.nodes[below].possible & program.nodes[over].possible) return;
        const Value both = apply(program, Op::bit_or, below, over);
        const std::vector<BitMove> moves = pick_staged(task.moves, place, rest);
        std::vector<Terms> terms(task.constants.size());
        add_by_distance(program, task, rest, terms);
        const unsigned limit = budget(both, terms, 0);
        if (limit == 0) return;
        terms[output].push_back(move_in_stages(program, both, moves, limit));
        offer(task, terms);
    }

    void by_stages(const LinearMapTask& task) {
        const auto inputs = static_cast<unsigned>(task.inputs.size());
        const auto outputs = static_cast<unsigned>(task.constants.size());
        for (uint64_t subset = 1; subset < bit(inputs); subset++) staged(task, subset);
        for (unsigned above = 1; above < word_bits; above++) {
            for (unsigned i = 0; i < inputs; i++)
                for (unsigned a = 0; a < outputs; a++)
                    for (unsigned b = 0; b < outputs; b++)
                        if (a != b) packed(task, i, a, b, above);
            for (unsigned o = 0; o < outputs; o++)
                for (unsigned a = 0; a < inputs; a++)
                    for (unsigned b = 0; b < inputs; b++)
                        for (bool masked : {false, true})
                            if (a != b) merged(task, o, a, b, above, masked);
        }
    }
};

}  // namespace

void add_moves(std::vector<Move>& moves, unsigned input, unsigned in_bit, unsigned output, uint64_t column) {
    for (unsigned bit = 0; column >> bit != 0; bit++)
        if (column >> bit & 1) moves.push_back({input, in_bit, output, bit});
}

void cancel_pairs(std::vector<Move>& moves) {
    std::ranges::sort(moves);
    std::vector<Move> left;
    left.reserve(moves.size());
    for (const Move& move : moves)
        if (!left.empty() && left.back() == move)
            left.pop_back();
        else
            left.push_back(move);
    moves = left;
}

std::vector<Value> emit_linear_map(Program& program, const LinearMapTask& task) {
    const std::vector<LinearMapTask> variants = with_shared_xors(program, task);
    Search search(program);
    if (program.has_pdep) {
        for (const LinearMapTask& variant : variants) search.by_deposit(variant);
    } else {
        for (const LinearMapTask& variant : variants) search.by_distance(variant);
        // Stages are harder to read, and each waits for the one before: they must save an eighth.
        search.min_operations = search.min_operations * 7 / 8 + 1;
        for (const LinearMapTask& variant : variants) search.by_stages(variant);
    }
    const size_t shared = program.nodes.size();
    for (Value& value : search.best) value = transplant(program, search.best_nodes, value, shared);
    return search.best;
}

}  // namespace tilewise::ir
