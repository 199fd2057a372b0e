// An input can be replaced by its XOR with another one. Mali's u-interleaved tile, 16x16 bytes, h = x ^ y:
//
//   bit         7      6   5      4   3      2   1      0
//   from       y3  x3^y3  y2  x2^y2  y1  x1^y1  y0  x0^y0      12 bit moves of x and y
//              y3     h3  y2     h2  y1     h1  y0     h0       8 bit moves of h and y, and one XOR
//
// The other input may be shifted: x1^y0, x2^y1, ... are x ^ y << 1. If two results have XORs in common, as x and y have
// when computed from an address, one is computed without them, and the other is XORed into it at the end:
//
//   y3 y2 y1 y0 = a7 a5 a3 a1
//   x3 x2 x1 x0 = a6^a7 a4^a5 a2^a3 a0^a1 = (a6 a4 a2 a0) ^ y      12 bit moves become 8, and one XOR
#include "patterns/snippet/shared_xors.h"
#include "patterns/snippet/bit_moves.h"
#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace tilewise::ir {

namespace {

constexpr int max_distance = 12;  ///< by which the other input is shifted
constexpr size_t max_variants = 8;

using Places = std::set<std::pair<unsigned, unsigned>>;
using Goals = Places;    ///< output, bit
using Sources = Places;  ///< input, bit

using GoalsOfBits = std::map<unsigned, Goals>;
using SourcesOfBits = std::map<unsigned, Sources>;

GoalsOfBits goals_of(const LinearMapTask& task, unsigned input) {
    GoalsOfBits goals;
    for (const Move& move : task.moves)
        if (move.input == input) goals[move.in_bit].emplace(move.output, move.out_bit);
    return goals;
}

/// How many moves are saved if all places of one are XORed into those of the other.
int saving(const Places& bit, const Places& from) {
    int common = 0;
    for (const auto& goal : bit) common += static_cast<int>(from.contains(goal));
    return 2 * common - static_cast<int>(bit.size());
}

/// Input a becomes h = a ^ (b moved by the distance), for the bits of the mask: a is h ^ that, so where bit i of a
/// went, bit i of h goes, and bit i - distance of b once more.
LinearMapTask substituted(Program& program, const LinearMapTask& task, unsigned a, unsigned b, int distance,
                          uint64_t mask, bool masked) {
    LinearMapTask result = task;
    const Value other =
        masked ? move_bits(program, task.inputs[b], distance < 0 ? mask << -distance : mask >> distance, distance)
               : shift_by(program, task.inputs[b], distance);
    result.inputs[a] = apply(program, Op::bit_xor, task.inputs[a], other);
    for (const Move& move : task.moves)
        if (move.input == a && mask >> move.in_bit & 1)
            result.moves.push_back(
                {b, static_cast<unsigned>(static_cast<int>(move.in_bit) - distance), move.output, move.out_bit});
    cancel_pairs(result.moves);
    return result;
}

SourcesOfBits sources_of(const LinearMapTask& task, unsigned output) {
    SourcesOfBits sources;
    for (const Move& move : task.moves)
        if (move.output == output) sources[move.out_bit].emplace(move.input, move.in_bit);
    return sources;
}

/// Computes result a without what it has in common with result b, moved by the distance; b is added at the end.
std::optional<LinearMapTask> without_common(const LinearMapTask& task, unsigned a, unsigned b, int distance,
                                            const SourcesOfBits& goals, const SourcesOfBits& others) {
    AddedResult added{.output = a, .from = b, .mask = 0, .distance = distance};
    LinearMapTask result = task;
    int gain = 0;
    for (const auto& [out_bit, sources] : goals) {
        const int from = static_cast<int>(out_bit) - distance;
        const auto found = from < 0 ? others.end() : others.find(static_cast<unsigned>(from));
        const int saved = found == others.end() ? 0 : saving(found->second, sources);
        if (saved <= 0) continue;
        gain += saved;
        added.mask |= uint64_t{1} << from;
        if (task.constants[b] >> from & 1) result.constants[a] ^= uint64_t{1} << out_bit;
        for (const auto& [input, in_bit] : found->second) result.moves.push_back({input, in_bit, a, out_bit});
    }
    if (gain < 2) return std::nullopt;
    cancel_pairs(result.moves);
    result.added.push_back(added);
    return result;
}

std::vector<LinearMapTask> one_xor_more(Program& program, const LinearMapTask& task) {
    std::vector<LinearMapTask> variants;
    std::vector<SourcesOfBits> sources;  // by output
    std::vector<GoalsOfBits> goals_by_input;
    for (unsigned a = 0; a < task.constants.size(); a++) sources.push_back(sources_of(task, a));
    for (unsigned a = 0; a < task.inputs.size(); a++) goals_by_input.push_back(goals_of(task, a));
    for (unsigned a = 0; a < task.constants.size(); a++)
        for (unsigned b = 0; b < task.constants.size(); b++)
            for (int distance = -max_distance; distance <= max_distance; distance++)
                if (a != b)
                    if (auto variant = without_common(task, a, b, distance, sources[a], sources[b]))
                        variants.push_back(std::move(*variant));
    for (unsigned a = 0; a < task.inputs.size(); a++)
        for (unsigned b = 0; b < task.inputs.size(); b++)
            for (int distance = -max_distance; distance <= max_distance; distance++) {
                if (a == b) continue;
                const GoalsOfBits &goals = goals_by_input[a], &others = goals_by_input[b];
                uint64_t whole = 0, worthwhile = 0;
                int all = 0, gain = 0;
                for (const auto& [in_bit, bit_goals] : goals) {
                    const int from = static_cast<int>(in_bit) - distance;
                    if (from < 0 || from > 31) continue;  // nothing is XORed into this bit
                    const auto found = others.find(static_cast<unsigned>(from));
                    const int saved = saving(bit_goals, found == others.end() ? Goals{} : found->second);
                    const bool can_be_set = program.nodes[task.inputs[b]].possible >> from & 1;
                    if (can_be_set) whole |= uint64_t{1} << in_bit;
                    if (can_be_set) all += saved;
                    if (saved > 0) worthwhile |= uint64_t{1} << in_bit;
                    gain += std::max(saved, 0);
                }
                if (all > 0) variants.push_back(substituted(program, task, a, b, distance, whole, false));
                if (gain > 1 && worthwhile != whole)
                    variants.push_back(substituted(program, task, a, b, distance, worthwhile, true));
            }
    return variants;
}

}  // namespace

std::vector<LinearMapTask> with_shared_xors(Program& program, const LinearMapTask& task) {
    std::vector<LinearMapTask> all = {task};
    for (size_t i = 0; i < all.size() && all.size() < max_variants; i++) {
        std::vector<LinearMapTask> more = one_xor_more(program, all[i]);
        std::ranges::stable_sort(more, {}, [](const LinearMapTask& variant) { return variant.moves.size(); });
        for (const LinearMapTask& variant : more)
            if (all.size() < max_variants) all.push_back(variant);
    }
    return all;
}

}  // namespace tilewise::ir
