// What emitted CuTe layouts need of CuTe, as C++, after its documentation (CUTLASS, media/docs/cpp/cute/01_layout.md
// and the comment at Swizzle): a layout takes a coordinate, one number a mode or one for all, splits each number into
// digits by the mode's shape, the leftmost digit fastest, and adds up digits times strides.
#pragma once
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace cute {

template <int64_t value_>
struct Int {
    static constexpr int64_t value = value_;
};

template <class... Modes>
struct Shape {};
template <class... Modes>
struct Stride {};

template <class T>
struct size_of;
template <int64_t n>
struct size_of<Int<n>> : std::integral_constant<int64_t, n> {};
template <class... Modes>
struct size_of<Shape<Modes...>> : std::integral_constant<int64_t, (size_of<Modes>::value * ...)> {};

/// The place of one number.
template <class S, class D>
struct Place;
template <int64_t n, int64_t d>
struct Place<Int<n>, Int<d>> {
    static constexpr int64_t at(int64_t number) { return number * d; }
};
template <class... S, class... D>
struct Place<Shape<S...>, Stride<D...>> {
    static_assert(sizeof...(S) == sizeof...(D), "shape and stride have the same form");
    static constexpr int64_t at(int64_t number) {
        int64_t sum = 0, left = sizeof...(S);
        // The last digit takes what is left over.
        const auto digit = [&]<class Mode, class Step>(Mode*, Step*) {
            const int64_t size = size_of<Mode>::value;
            sum += Place<Mode, Step>::at(--left > 0 ? number % size : number);
            number /= size;
        };
        (digit(static_cast<S*>(nullptr), static_cast<D*>(nullptr)), ...);
        return sum;
    }
};

template <class S, class D>
struct Layout {
    constexpr int64_t operator()(int64_t number) const { return Place<S, D>::at(number); }

    template <class... Numbers>
    constexpr int64_t operator()(int64_t first, Numbers... rest) const {
        return by_mode(static_cast<S*>(nullptr), static_cast<D*>(nullptr), first, rest...);
    }

private:
    template <class... Modes, class... Steps, class... Numbers>
    static constexpr int64_t by_mode(Shape<Modes...>*, Stride<Steps...>*, Numbers... numbers) {
        static_assert(sizeof...(Modes) == sizeof...(Numbers), "a number for each mode");
        return (Place<Modes, Steps>::at(numbers) + ...);
    }
};

/// The B bits from M on are XORed with the B bits that lie S above them; for S < 0, those -S above with those from M
/// on.
template <int B, int M, int S>
struct Swizzle {
    static_assert((S < 0 ? -S : S) >= B, "what is read is not what is written");
    static constexpr int64_t apply(int64_t offset) {
        const int64_t mask = (int64_t{1} << B) - 1;
        constexpr int read = S < 0 ? M : M + S, written = S < 0 ? M - S : M;
        return offset ^ (offset >> read & mask) << written;
    }
};

/// Outer(offset + inner(coordinate)).
template <class Outer, class Offset, class Inner>
struct ComposedLayout {
    template <class... Numbers>
    constexpr int64_t operator()(Numbers... numbers) const {
        return Outer::apply(Offset::value + Inner{}(numbers...));
    }
};

}  // namespace cute
