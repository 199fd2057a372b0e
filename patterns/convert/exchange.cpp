#include "patterns/convert/exchange.h"
#include "patterns/convert/kernels.h"
#include <algorithm>

namespace tilewise {

namespace {

constexpr uint8_t second_register = 64;

/// Assigns elements to these registers. Elements keep their position if they can; those that change their register
/// take, in order, the positions that others left.
void reseat(std::vector<Seat>& seats, const std::vector<unsigned>& registers, unsigned pieces) {
    const size_t positions = seats.size() / pieces;
    std::vector<char> is_taken(seats.size());
    std::vector<unsigned> looked_up_to(pieces);
    for (size_t i = 0; i < seats.size(); i++)
        if (registers[i] == seats[i].piece) is_taken[seats[i].piece * positions + seats[i].position] = 1;
    for (size_t i = 0; i < seats.size(); i++) {
        if (registers[i] == seats[i].piece) continue;
        unsigned& position = looked_up_to[registers[i]];
        while (is_taken[registers[i] * positions + position] != 0) position++;
        seats[i] = {registers[i], position++};
    }
}

}  // namespace

Exchange make_exchange(unsigned stages, const std::vector<Seat>& from, const std::vector<Seat>& to,
                       size_t element_bytes) {
    const unsigned pieces = 1U << stages;
    Exchange exchange;
    exchange.stages = stages;
    exchange.picks.resize(size_t{std::max(stages, 1U)} * pieces);
    Pick* picks = exchange.picks.data();
    std::vector<Seat> seats = from, next = from;
    std::vector<unsigned> registers(seats.size());
    for (unsigned stage = 0; stage < std::max(stages, 1U); stage++, picks += pieces) {
        const unsigned bit = stages == 0 ? 0 : 1U << stage;
        for (size_t i = 0; i < seats.size(); i++) registers[i] = (seats[i].piece & ~bit) | (to[i].piece & bit);
        if (stage + 1 >= stages)
            next = to;
        else
            reseat(next, registers, pieces);
        for (size_t i = 0; i < seats.size(); i++) {
            uint8_t* source = &picks[next[i].piece].source[next[i].position * element_bytes];
            const size_t begin =
                seats[i].position * element_bytes + ((seats[i].piece & bit) != 0 ? second_register : 0);
            for (size_t byte = 0; byte < element_bytes; byte++) source[byte] = static_cast<uint8_t>(begin + byte);
        }
        seats = next;
    }
    return exchange;
}

Isa best_isa() {
#ifdef TILEWISE_HAS_AVX
    static const Isa best = [] {
        if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512vbmi"))
            return Isa::avx512;
        // Highway's functions are compiled for all of these instruction sets, and for others that nothing here uses.
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                       __builtin_cpu_supports("fma")
                   ? Isa::shuffles
                   : Isa::scalar;
    }();
    return best;
#elif defined(TILEWISE_HAS_SHUFFLES)
    return Isa::shuffles;
#else
    return Isa::scalar;
#endif
}

}  // namespace tilewise
