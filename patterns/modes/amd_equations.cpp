// Each equation was read from images of 2500x2100 texels that Mesa 26.1.6's RADV
// lays out for the chip; the fields are those of the modifiers that it lists there.
#include "patterns/modes/amd_equations.h"

namespace tilewise {

namespace {

constexpr AmdEquation equations[] = {
    {2, 27, 4, 0, 1, "x0 x1 x2 y1 y0 y2 x3 y4 x3^y3 x4^y4 x6^y5 x5^y6 y6 x6 y7", "Navi 10"},
    {2, 27, 4, 0, 2, "0 x0 x1 x2 y0 y1 y2 x3 x3^y3 x4^y4 x6^y5 x5^y6 y4 x6 y6", "Navi 10"},
    {2, 27, 4, 0, 4, "0 0 x0 x1 y0 y1 y2 x2 x3^y3 x4^y4 x6^y5 x5^y6 y3 x4 y6 x6", "Navi 10"},
    {2, 27, 4, 0, 8, "0 0 0 x0 y0 x1 x2 y1 x3^y3 x4^y4 y5^tx0 x5^ty0 y2 x3 y4", "Navi 10"},
    {2, 27, 4, 0, 16, "0 0 0 0 x0 y0 x1 y1 x3^y3 x4^y4 y5^tx0 x5^ty0 y2 x2 y3 x4", "Navi 10"},
    {3, 27, 2, 0, 1, "x0 x1 x2 x3 y0 y1 y2 y3 x5^y4^y5 x4^y4 x5 y5 x6^ty1 y6^tx1 x7^ty0 y7^tx0", "Raphael"},
    {3, 27, 2, 0, 2, "0 x0 x1 x2 y0 y1 y2 x3 x5^y4^y5 x4^y4 y3 x5 x6^ty1 y5^tx1 x7^ty0 y6^tx0", "Raphael"},
    {3, 27, 2, 0, 4, "0 0 x0 x1 y0 y1 x2 y2 x5^y4^y5 x4^y4 x3 y3 x5^ty1 y5^tx1 x6^ty0 y6^tx0", "Raphael"},
    {3, 27, 2, 0, 8, "0 0 0 x0 y0 x1 x2 y1 x5^y4^y5 x4^y4 y2 x3 y3^tx1 x5^ty1 x6^ty0 y5^tx0", "Raphael"},
    {3, 27, 2, 0, 16, "0 0 0 0 x0 y0 x1 y1 x5^y4^y5 x4^y4 x2 y2 y3^tx1 x3^ty1 x5^ty0 y5^tx0", "Raphael"},
    {3, 27, 2, 1, 1, "x0 x1 x2 x3 y0 y1 y2 y3 x5^y4^y5 x4^y4 x5 y5 x6^ty1 y6^tx1 x7^ty0 y7^tx0", "Van Gogh"},
    {3, 27, 2, 1, 2, "0 x0 x1 x2 y0 y1 y2 x3 x5^y4^y5 x4^y4 y3 x5 x6^ty1 y5^tx1 x7^ty0 y6^tx0", "Van Gogh"},
    {3, 27, 2, 1, 4, "0 0 x0 x1 y0 y1 x2 y2 x5^y4^y5 x4^y4 x3 y3 x5^ty1 y5^tx1 x6^ty0 y6^tx0", "Van Gogh"},
    {3, 27, 2, 1, 8, "0 0 0 x0 y0 x1 x2 y1 x5^y4^y5 x4^y4 y2 x3 y3^tx1 x5^ty1 x6^ty0 y5^tx0", "Van Gogh"},
    {3, 27, 2, 1, 16, "0 0 0 0 x0 y0 x1 y1 x5^y4^y5 x4^y4 x2 y2 y3^tx1 x3^ty1 x5^ty0 y5^tx0", "Van Gogh"},
    {3, 27, 2, 2, 1, "x0 x1 x2 x3 y0 y1 y2 y3 x6^y4^y6 x4^y4 x5 x6 y6^tx1 x7^ty0 y7^tx0 x5^y5", "Rembrandt"},
    {3, 27, 2, 2, 2, "0 x0 x1 x2 y0 y1 y2 x3 x6^y4^y6 x4^y4 y3 x5 x6^ty1 y6^tx0 x7^ty0 x5^y5", "Rembrandt"},
    {3, 27, 2, 2, 4, "0 0 x0 x1 y0 y1 x2 y2 x6^y4^y6 x4^y4 x3 y3 x5^ty1 x6^ty0 y6^tx0 x5^y5", "Rembrandt"},
    {3, 27, 2, 2, 8, "0 0 0 x0 y0 x1 x2 y1 x6^y4^ty0 x4^y4 y2 x3 y3^tx0 x5^ty1 x6^ty0 x5^y5", "Rembrandt"},
    {3, 27, 2, 2, 16, "0 0 0 0 x0 y0 x1 y1 y4^tx0^ty0 x4^y4 x2 y2 x3^ty1 y3^tx0 x5^ty0 x5^y5", "Rembrandt"},
    {3, 27, 4, 4, 1, "x0 x1 x2 x3 y0 y1 y2 y3 y4^tx0^ty0 x4^y4 x7^y5 x5^y7 x6 x7 y7^tx0 x6^y6", "Navi 21"},
    {3, 27, 4, 4, 2, "0 x0 x1 x2 y0 y1 y2 x3 y4^tx0^ty1 x4^y4 x7^y5 x5^ty0 y3 x6 x7^ty0 x6^y6", "Navi 21"},
    {3, 27, 4, 4, 4, "0 0 x0 x1 y0 y1 x2 y2 y4^tx1^ty1 x4^y4 y5^tx0 x5^ty0 x3 y3 x6^ty0 x6^y6", "Navi 21"},
    {3, 27, 4, 4, 8, "0 0 0 x0 y0 x1 x2 y1 y4^tx1^ty2 x4^y4 y5^tx0 x5^ty1 y2 x3 y3^tx0 x6^ty0", "Navi 21"},
    {3, 27, 4, 4, 16, "0 0 0 0 x0 y0 x1 y1 y4^tx2^ty2 x4^y4 y5^tx1 x5^ty1 x2 x3 y3^tx0 y2^tx0^ty0", "Navi 21"},
    {4, 27, 2, 2, 1, "x0 x1 y0 x2 y1 y2 x3 y3 x6^y4^y6 x4^y4 x5 x6 y6^tx1 x7^ty0 y7^tx0 x5^y5", "Phoenix, Strix Point"},
    {4, 27, 2, 2, 2, "0 x0 y0 x1 y1 x2 y2 x3 x6^y4^y6 x4^y4 y3 x5 x6^ty1 y6^tx0 x7^ty0 x5^y5", "Phoenix, Strix Point"},
    {4, 27, 2, 2, 4, "0 0 x0 y0 x1 y1 x2 y2 x6^y4^y6 x4^y4 x3 y3 x5^ty1 x6^ty0 y6^tx0 x5^y5", "Phoenix, Strix Point"},
    {4, 27, 2, 2, 8, "0 0 0 x0 y0 x1 x2 y1 x6^y4^ty0 x4^y4 y2 x3 y3^tx0 x5^ty1 x6^ty0 x5^y5", "Phoenix, Strix Point"},
    {4, 27, 2, 2, 16, "0 0 0 0 x0 y0 x1 y1 y4^tx0^ty0 x4^y4 x2 y2 x3^ty1 y3^tx0 x5^ty0 x5^y5", "Phoenix, Strix Point"},
    {4, 27, 3, 3, 1, "x0 x1 y0 x2 y1 y2 x3 y3 x7^y4^y7 x4^y4 x6^y5 x6 y6 x7^ty0 y7^tx0 x5^y6", "Navi 33"},
    {4, 27, 3, 3, 2, "0 x0 y0 x1 y1 x2 y2 x3 x7^y4^ty0 x4^y4 x6^y5 y3 x6 x7^ty0 y6^tx0 x5^y6", "Navi 33"},
    {4, 27, 3, 3, 4, "0 0 x0 y0 x1 y1 x2 y2 y4^tx0^ty0 x4^y4 x6^y5 x3 y3 x6^ty0 y6^tx0 x5^y6", "Navi 33"},
    {4, 27, 3, 3, 8, "0 0 0 x0 y0 x1 x2 y1 y4^tx0^ty1 x4^y4 x6^y5 y2 x3 y3^tx0 x6^ty0 x5^ty0", "Navi 33"},
    {4, 27, 3, 3, 16, "0 0 0 0 x0 y0 x1 y1 y4^tx1^ty1 x4^y4 y5^tx0 x2 y2 y3^tx0 x3^ty0 x5^ty0", "Navi 33"},
    {4, 27, 5, 5, 1, "x0 x1 y0 x2 y1 y2 x3 y3 y4^tx1^ty1 x4^y4 y5^tx0 x5^ty0 x7^y6 x7 y7 x6^y7", "Navi 31"},
    {4, 27, 5, 5, 2, "0 x0 y0 x1 y1 x2 y2 x3 y4^tx1^ty2 x4^y4 y5^tx0 x5^ty1 x7^y6 y3 x7 x6^ty0", "Navi 31"},
    {4, 27, 5, 5, 4, "0 0 x0 y0 x1 y1 x2 y2 y4^tx2^ty2 x4^y4 y5^tx1 x5^ty1 y6^tx0 x3 y3 x6^ty0", "Navi 31"},
    {4, 27, 5, 5, 8, "0 0 0 x0 y0 x1 x2 y1 y4^tx2^ty3 x4^y4 y5^tx1 x5^ty2 y2^tx0^ty0 x3 y3 x6^ty1", "Navi 31"},
    {4, 27, 5, 5, 16, "0 0 0 0 x0 y0 x1 y1 y4^tx3^ty3 x4^y4 y5^tx2 x5^ty2 y2^tx1^ty0 x3 y3 x2^tx0^ty1", "Navi 31"},
};

}  // namespace

std::span<const AmdEquation> amd_equations() { return equations; }

}  // namespace tilewise
