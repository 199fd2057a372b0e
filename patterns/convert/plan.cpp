#include "patterns/convert/plan.h"
#include "patterns/convert/kernels.h"
#include "patterns/model/bits.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>

namespace tilewise {

namespace {

// These were found by measuring: tools/bench/tile.cpp.
constexpr uint64_t min_cell_bytes = 4096;   ///< a page: the processor prefetches reads within one
constexpr uint64_t max_cell_bytes = 32768;  ///< up to this size, a cell grows to become a block of memory
constexpr uint64_t max_steps = 64;          ///< per cell; a block may have a few times as many
// Rows of cells that are written past the caches, and their bytes:
constexpr uint64_t rows_written = 32, row_bytes_written = 192;
constexpr uint64_t rows_read = 4, rows_read_by_quads = 8, row_bytes_read = 1024;
constexpr uint64_t min_exchanged_bytes = 16384;  ///< below this, planning the exchange of pieces takes longer
constexpr uint64_t strip_target = 32768;
constexpr uint64_t streamed_bytes = 2 << 20;  ///< beyond the second-level cache of a core

struct Bit {
    Axis axis = axis_x;
    unsigned index = 0;
    Step step;  ///< the step that it contributes
};
using Bits = std::vector<Bit>;

Step operator+(const Step& a, const Step& b) { return {a.rows + b.rows, a.shift + b.shift, a.inner ^ b.inner}; }

/// Log2 of a box's extent.
using Shape = std::array<unsigned, axis_count>;

struct Compiler {
    const Layout& layout;
    const Pattern& pattern;
    Box box;
    Pitch pitch;
    ConvertDirection direction;

    uint64_t unit() const { return pattern.offset_unit(); }
    uint64_t element_step() const { return pattern.element.bytes / unit(); }  ///< from element to element, in `inner`

    unsigned tile_bits(Axis a) const { return log2_exact(pattern.tile[a]); }

    Bit bit(Axis a, unsigned index) const {
        const std::array<uint64_t, axis_count> of_rows = {pattern.element.bytes, pitch.row, pitch.slice, pitch.sample};
        Bit result = {a, index, {of_rows[a] << index, 0, 0}};
        const bool in_tile = index < tile_bits(a);
        const unsigned column = in_tile ? index : index - tile_bits(a);
        const gf2::Columns& columns = in_tile ? pattern.equation.columns[a] : pattern.outer_xor.columns[a];
        if (column < columns.size()) result.step.inner = columns[column];
        if (!in_tile) result.step.shift = layout.stride[a] << column;
        return result;
    }

    /// Whether cells may have that bit: they are no larger than the box, and F is constant within a cell.
    bool may_have(Axis a, unsigned index) const {
        return index < 31 && uint64_t{2} << index <= box.extent[a] &&
               (index < tile_bits(a) || index_xor_is_above(a, index - tile_bits(a)));
    }

    /// Whether a tile's index, with F, is the sum of what that bit of its coordinate adds and something independent of
    /// the bit: F does not read the bit, and F and the other axes change only higher bits of the index.
    bool index_xor_is_above(Axis a, unsigned column) const {
        if (pattern.index_xor.is_zero()) return true;
        const uint64_t step = layout.stride[a] << column;
        if (step % pattern.tile_bytes != 0 || !std::has_single_bit(step / pattern.tile_bytes)) return false;
        const auto is_above = [&](uint64_t bytes) { return bytes % (2 * step) == 0; };
        for (Axis b : all_axes) {
            const gf2::Columns& columns = pattern.index_xor.columns[b];
            if (b == a && column < columns.size() && columns[column] != 0) return false;
            if (b != a && !is_above(layout.stride[b])) return false;
            for (uint64_t index : columns)
                if (!is_above(index * pattern.tile_bytes)) return false;
        }
        return true;
    }
};

/// The sums of the bits' steps, for every choice of bits: entry i is the sum for the bits set in i.
std::vector<Step> sums(const Bits& bits) {
    std::vector<Step> sums = {{}};
    for (const Bit& bit : bits)
        for (size_t i = 0, count = sums.size(); i < count; i++) sums.push_back(sums[i] + bit.step);
    return sums;
}

/// The bits of a step that exchanges pieces.
struct Exchanged {
    Bits within;        ///< within pieces on either side
    Bits of_rows;       ///< choose the piece in the rows, and are within pieces of memory
    Bits of_memory;     ///< the reverse
    size_t shared = 0;  ///< the last ones of both lists are the same bits: they choose pieces and change places within
};

uint64_t low_inner(const Compiler& compiler, unsigned piece_bits) {
    return (compiler.element_step() << piece_bits) - compiler.element_step();
}

/// None if a piece of memory is not a set of coordinate bits, or depends on bits that no step can have.
std::optional<Exchanged> find_exchange(const Compiler& compiler, unsigned piece_bits) {
    const uint64_t low = low_inner(compiler, piece_bits), step = compiler.element_step();
    Exchanged found;
    Bits shared;
    for (unsigned index = 0; index < piece_bits; index++) {
        if (!compiler.may_have(axis_x, index)) return std::nullopt;
        const Bit bit = compiler.bit(axis_x, index);
        const bool in_piece = bit.step.shift == 0 && bit.step.inner < step << piece_bits;
        (in_piece ? found.within : found.of_memory).push_back(bit);
    }
    for (Axis a : all_axes) {
        const size_t tile_bits = compiler.tile_bits(a);
        const size_t known = a == axis_x ? piece_bits : 0;
        for (size_t index = known; index < tile_bits + compiler.pattern.outer_xor.columns[a].size(); index++) {
            const Bit bit = compiler.bit(a, static_cast<unsigned>(index));
            if ((bit.step.inner & low) == 0) continue;
            if (index >= tile_bits || !compiler.may_have(a, bit.index)) return std::nullopt;
            (bit.step.inner < step << piece_bits ? found.of_rows : shared).push_back(bit);
        }
    }
    if (found.of_rows.size() != found.of_memory.size()) return std::nullopt;
    found.shared = shared.size();
    for (Bits* bits : {&found.of_rows, &found.of_memory}) bits->insert(bits->end(), shared.begin(), shared.end());
    return found;
}

Exchange make_exchange(const Compiler& compiler, const Exchanged& bits, unsigned piece_bits) {
    const uint64_t low = low_inner(compiler, piece_bits), step = compiler.element_step();
    std::vector<Seat> in_rows = {{}}, in_memory = {{0, static_cast<unsigned>((compiler.layout.constant & low) / step)}};
    const auto add = [&](const Bit& bit, Seat row, Seat memory) {
        memory.position = static_cast<unsigned>((bit.step.inner & low) / step);
        for (size_t i = 0, count = in_rows.size(); i < count; i++) {
            in_rows.push_back({in_rows[i].piece ^ row.piece, in_rows[i].position ^ row.position});
            in_memory.push_back({in_memory[i].piece ^ memory.piece, in_memory[i].position ^ memory.position});
        }
    };
    for (const Bit& bit : bits.within) add(bit, {0, 1U << bit.index}, {});
    const size_t exchanged = bits.of_rows.size() - bits.shared;
    for (unsigned i = 0; i < bits.of_rows.size(); i++) {
        add(bits.of_rows[i], {1U << i, 0}, {i < exchanged ? 0 : 1U << i, 0});
        if (i < exchanged) add(bits.of_memory[i], {0, 1U << bits.of_memory[i].index}, {1U << i, 0});
    }
    const bool detile = compiler.direction == ConvertDirection::detile;
    return make_exchange(static_cast<unsigned>(bits.of_rows.size()), detile ? in_memory : in_rows,
                         detile ? in_rows : in_memory, compiler.pattern.element.bytes);
}

/// The properties of a step, before there are cells.
struct StepKind {
    Bits bits;  ///< of the step's elements
    size_t piece_bytes = 0;
    Exchange exchange;
    std::vector<Step> pieces;
    Kernel kernel = nullptr;
    const char* instructions = "";
    uint64_t fixed_inner = 0;
};

std::optional<StepKind> exchange_steps(const Compiler& compiler, Isa isa, unsigned piece_bits) {
    const std::optional<Exchanged> bits = find_exchange(compiler, piece_bits);
    if (!bits) return std::nullopt;
    const auto stages = static_cast<unsigned>(bits->of_rows.size());
    const size_t element = compiler.pattern.element.bytes;
    StepKind kind;
    kind.piece_bytes = element << piece_bits;
    kind.kernel = isa == Isa::avx512
                      ? choose_exchange_avx512(compiler.direction, stages, kind.piece_bytes, element, false)
                      : choose_exchange_shuffles(compiler.direction, stages, kind.piece_bytes);
    if (kind.kernel == nullptr) return std::nullopt;
    kind.instructions = isa == Isa::avx512 ? "AVX-512" : shuffles_name;
    kind.exchange = make_exchange(compiler, *bits, piece_bits);
    kind.fixed_inner = low_inner(compiler, piece_bits);
    const std::vector<Step> in_rows = sums(bits->of_rows), in_memory = sums(bits->of_memory);
    for (size_t i = 0; i < in_rows.size(); i++)
        kind.pieces.push_back({in_rows[i].rows, in_memory[i].shift, in_memory[i].inner & ~kind.fixed_inner});
    kind.bits = bits->within;
    kind.bits.insert(kind.bits.end(), bits->of_rows.begin(), bits->of_rows.end());
    kind.bits.insert(kind.bits.end(), bits->of_memory.begin(),
                     bits->of_memory.end() - static_cast<std::ptrdiff_t>(bits->shared));
    return kind;
}

StepKind run_steps(const Compiler& compiler, unsigned run_bits) {
    StepKind kind;
    kind.piece_bytes = size_t{compiler.pattern.element.bytes} << run_bits;
    kind.pieces = {{}};
    kind.kernel = choose_move(compiler.direction, kind.piece_bytes);
    kind.instructions = "scalar";
    for (unsigned index = 0; index < run_bits; index++) kind.bits.push_back(compiler.bit(axis_x, index));
    return kind;
}

/// The largest pieces for which the processor has instructions.
StepKind best_steps(const Compiler& compiler, Isa isa, unsigned run_bits) {
    const size_t element = compiler.pattern.element.bytes;
    const auto bits_of_piece = [&](size_t bytes) { return static_cast<unsigned>(std::bit_width(bytes / element)) - 1; };
    if (isa == Isa::avx512 && element <= 64)
        if (std::optional<StepKind> kind = exchange_steps(compiler, isa, bits_of_piece(64))) return *kind;
    if (isa != Isa::scalar && element << run_bits < 16)
        if (std::optional<StepKind> kind = exchange_steps(compiler, Isa::shuffles, bits_of_piece(16))) return *kind;
    return run_steps(compiler, run_bits);
}

/// The smallest box of low coordinate bits that contains these bits.
Shape shape_of(const Bits& bits) {
    Shape shape{};
    for (const Bit& bit : bits) shape[bit.axis] = std::max(shape[bit.axis], bit.index + 1);
    return shape;
}

uint64_t shape_bytes(const Compiler& compiler, const Shape& shape) {
    uint64_t bytes = compiler.pattern.element.bytes;
    for (unsigned bits : shape) bytes <<= bits;
    return bytes;
}

Bits bits_of(const Compiler& compiler, const Shape& shape) {
    Bits bits;
    for (Axis a : all_axes)
        for (unsigned index = 0; index < shape[a]; index++) bits.push_back(compiler.bit(a, index));
    return bits;
}

/// How far a bit reaches in memory.
uint64_t reach(const Compiler& compiler, const Bit& bit) { return bit.step.shift + bit.step.inner * compiler.unit(); }

/// Whether the elements would be contiguous in memory if each bit reaches as far as it can.
bool is_block(const Compiler& compiler, const Shape& shape) {
    uint64_t inner = 0, shift = 0;
    for (const Bit& bit : bits_of(compiler, shape)) {
        inner |= bit.step.inner;
        shift += bit.step.shift;
    }
    return shift + inner * compiler.unit() + compiler.pattern.element.bytes == shape_bytes(compiler, shape);
}

/// Adds the bit that reaches the least far in memory; returns false if there is none to add.
bool grow(const Compiler& compiler, Shape& shape) {
    std::optional<Bit> nearest;
    for (Axis a : all_axes) {
        if (!compiler.may_have(a, shape[a])) continue;
        const Bit bit = compiler.bit(a, shape[a]);
        if (!nearest || reach(compiler, bit) < reach(compiler, *nearest)) nearest = bit;
    }
    if (nearest) shape[nearest->axis]++;
    return nearest.has_value();
}

Shape cell_shape(const Compiler& compiler, const StepKind& kind) {
    Shape shape = shape_of(kind.bits);
    const uint64_t step_bytes = kind.piece_bytes * kind.pieces.size();
    const uint64_t target = std::min(min_cell_bytes, max_steps * step_bytes);
    while (shape_bytes(compiler, shape) < target)
        if (!grow(compiler, shape)) return shape;
    for (Shape larger = shape; shape_bytes(compiler, larger) <= std::min(max_cell_bytes, 4 * max_steps * step_bytes);) {
        if (is_block(compiler, larger)) return larger;
        if (!grow(compiler, larger)) break;
    }
    return shape;
}

uint64_t row_bytes(const Compiler& compiler, const Shape& shape) {
    return uint64_t{compiler.pattern.element.bytes} << shape[axis_x];
}

uint64_t row_count(const Shape& shape) { return uint64_t{1} << (shape[axis_y] + shape[axis_z] + shape[axis_s]); }

/// When writing past the caches, reading decides: few rows of many bytes, or data that is contiguous in memory.
Shape streamed_shape(const Compiler& compiler, const StepKind& kind, bool by_quads) {
    const bool detiles = compiler.direction == ConvertDirection::detile;
    const uint64_t rows = detiles ? rows_written : by_quads ? rows_read_by_quads : rows_read;
    const uint64_t bytes = detiles ? row_bytes_written : row_bytes_read;
    Shape shape = shape_of(kind.bits);
    while (row_count(shape) < rows && compiler.may_have(axis_y, shape[axis_y])) shape[axis_y]++;
    while (row_bytes(compiler, shape) < bytes && compiler.may_have(axis_x, shape[axis_x])) shape[axis_x]++;
    // Needed where x goes no further, as in UIF's tiles.
    while (shape_bytes(compiler, shape) < row_bytes_read && compiler.may_have(axis_y, shape[axis_y])) shape[axis_y]++;
    return shape;
}

/// The side on which steps go from low places to high ones.
enum class Order { memory, rows };

Pass make_pass(const Compiler& compiler, const StepKind& kind, const Shape& shape, Order order = Order::memory) {
    Pass pass;
    for (Axis a : all_axes) pass.cell[a] = 1U << shape[a];
    pass.unit = compiler.unit();
    pass.piece_bytes = kind.piece_bytes;
    pass.exchange = kind.exchange;
    pass.pieces = kind.pieces;
    pass.kernel = kind.kernel;
    pass.instructions = kind.instructions;
    pass.fixed_inner = kind.fixed_inner;
    Bits bits = bits_of(compiler, shape);
    std::ranges::sort(bits, {},
                      [&](const Bit& bit) { return order == Order::rows ? bit.step.rows : reach(compiler, bit); });
    if (is_block(compiler, shape)) {
        pass.block_bytes = shape_bytes(compiler, shape);
        for (const Bit& bit : bits) pass.block_inner |= bit.step.inner;
    }
    std::erase_if(bits, [&](const Bit& bit) {
        return std::ranges::any_of(
            kind.bits, [&](const Bit& in_step) { return in_step.axis == bit.axis && in_step.index == bit.index; });
    });
    pass.steps = sums(bits);
    return pass;
}

/// The bits that may be XORed into `inner` of the first four steps.
uint64_t others_inner(const Compiler& compiler, const StepKind& kind, const Pass& pass) {
    uint64_t others = compiler.layout.constant & ~kind.fixed_inner;
    for (Axis a : all_axes)
        for (size_t index = 0; index < compiler.tile_bits(a) + compiler.pattern.outer_xor.columns[a].size(); index++) {
            const Bit bit = compiler.bit(a, static_cast<unsigned>(index));
            const bool is_in_step = std::ranges::any_of(
                kind.bits, [&](const Bit& known) { return known.axis == a && known.index == bit.index; });
            if (!is_in_step && bit.step != pass.steps[1] && bit.step != pass.steps[2]) others |= bit.step.inner;
        }
    return others;
}

/// Makes four steps write quads; returns false if they cannot.
bool make_quads(const Compiler& compiler, const StepKind& kind, Pass& pass) {
    const size_t count = pass.pieces.size();
    const bool detiles = compiler.direction == ConvertDirection::detile;
    if (pass.steps.size() % 4 != 0) return false;
    const uint64_t piece = pass.piece_bytes / compiler.unit();  // in `inner`
    const uint64_t within_quad = 3 * piece;
    if (detiles && (pass.steps[1].rows != pass.piece_bytes || pass.steps[2].rows != 2 * pass.piece_bytes)) return false;
    if (!detiles && (others_inner(compiler, kind, pass) & within_quad) != 0) return false;
    uint64_t taken = 0;
    for (size_t step = 0; step < 4; step++)
        for (size_t i = 0; i < count; i++) {
            const Step written = pass.steps[step] + pass.pieces[i];
            const Step begin = detiles ? pass.pieces[i] : Step{0, written.shift, written.inner & ~within_quad};
            const size_t place = detiles ? step : (written.inner & within_quad) / piece;
            const auto known = std::ranges::find(pass.quads, begin);
            const auto quad = static_cast<size_t>(known - pass.quads.begin());
            if (quad == count) return false;
            if (known == pass.quads.end()) pass.quads.push_back(begin);
            taken |= uint64_t{1} << (4 * quad + place);
            pass.seats.push_back(static_cast<uint16_t>((4 * quad + place) * pass.piece_bytes));
        }
    return static_cast<size_t>(std::popcount(taken)) == 4 * count;
}

/// Writes whole lines past the caches, without a buffer; none if pieces, or quads of them, are not whole lines.
std::optional<Pass> streaming_pass(const Conversion& conversion, const Compiler& compiler, const StepKind& kind) {
    if (!conversion.streams || kind.fixed_inner == 0) return std::nullopt;
    const Layout& layout = conversion.layout;
    const Pitch& pitch = conversion.pitch;
    constexpr uint64_t line = 64;
    const bool detiles = conversion.direction == ConvertDirection::detile;
    uint64_t places = conversion.to;
    if (detiles) {
        places |= uint64_t{conversion.box.from[axis_x]} * layout.pattern.element.bytes;
        places |= pitch.row | pitch.slice | pitch.sample;
    } else {
        places |= layout.base | layout.pattern.tile_bytes;
        for (uint64_t stride : layout.stride) places |= stride;
    }
    if (places % line != 0) return std::nullopt;
    const Kernel kernel = choose_exchange_avx512(conversion.direction, kind.exchange.stages, kind.piece_bytes,
                                                 layout.pattern.element.bytes, true);
    if (kernel == nullptr) return std::nullopt;
    const bool by_quads = kind.piece_bytes != line;
    const Shape shape = streamed_shape(compiler, kind, by_quads);
    // A row is best written to its end, unless a block of memory would then be read in scattered parts.
    const bool in_rows = detiles && (by_quads || !is_block(compiler, shape));
    Pass pass = make_pass(compiler, kind, shape, in_rows ? Order::rows : Order::memory);
    if (by_quads && !make_quads(compiler, kind, pass)) return std::nullopt;
    pass.kernel = kernel;
    return pass;
}

}  // namespace

Conversion conversion_of(const Layout& layout, const Box& box, const Pitch& pitch, ConvertDirection direction,
                         const std::byte* to) {
    return {layout,
            box,
            pitch,
            direction,
            best_isa(),
            element_count(box.extent) >= ceil_div(streamed_bytes, layout.pattern.element.bytes),
            reinterpret_cast<uintptr_t>(to)};
}

Plan make_plan(const Conversion& conversion) {
    const Layout& layout = conversion.layout;
    const Box& box = conversion.box;
    Compiler compiler = {layout, layout.pattern, box, conversion.pitch, conversion.direction};
    Plan plan;
    const uint64_t run = run_elements(layout, box.from[axis_x] + box.extent[axis_x]);
    if (run >= box.from[axis_x] + uint64_t{box.extent[axis_x]}) {
        plan.rows_in_sequence = true;
        return plan;
    }
    const unsigned run_bits = log2_exact(run);
    const bool is_small = element_count(box.extent) * layout.pattern.element.bytes < min_exchanged_bytes;
    const Isa isa = is_small ? Isa::scalar : conversion.isa;
    const StepKind kind = best_steps(compiler, isa, run_bits);
    const Shape cell = cell_shape(compiler, kind);
    if (std::optional<Pass> streaming = streaming_pass(conversion, compiler, kind)) {
        plan.pieces_stream = true;
        plan.passes.push_back(std::move(*streaming));
    } else if (conversion.streams && conversion.direction == ConvertDirection::detile) {
        const uint64_t row = row_bytes(compiler, cell), rows = row_count(cell);
        plan.strip_cells = static_cast<uint32_t>(std::max<uint64_t>(1, strip_target / (row * rows)));
        plan.strip.row = row * plan.strip_cells;
        plan.strip.slice = plan.strip.row << cell[axis_y];
        plan.strip.sample = plan.strip.slice << cell[axis_z];
        plan.strip_bytes = plan.strip.row * rows;
        compiler.pitch = plan.strip;
        StepKind in_strip = best_steps(compiler, isa, run_bits);
        plan.passes.push_back(make_pass(compiler, in_strip, cell));
        compiler.pitch = conversion.pitch;
    } else {
        plan.passes.push_back(make_pass(compiler, kind, cell));
    }
    const auto leave_rest_to = [&](const StepKind& next) {
        const Shape shape = shape_of(next.bits);
        for (Axis a : all_axes)
            if ((box.from[a] | box.extent[a]) % plan.passes.back().cell[a] != 0)
                return plan.passes.push_back(make_pass(compiler, next, shape));
    };
    leave_rest_to(kind);
    leave_rest_to(run_steps(compiler, run_bits));
    leave_rest_to(run_steps(compiler, 0));
    return plan;
}

std::string plan_name(const Plan& plan) {
    if (plan.rows_in_sequence) return "rows";
    const Pass& pass = plan.passes.front();
    std::string name = fmt::format("{} {}x{} B, cells {}x{}", pass.instructions, pass.pieces.size(), pass.piece_bytes,
                                   pass.cell[axis_x], pass.cell[axis_y]);
    if (pass.cell[axis_z] * pass.cell[axis_s] != 1) name += fmt::format("x{}x{}", pass.cell[axis_z], pass.cell[axis_s]);
    if (plan.pieces_stream) name += ", streamed";
    if (plan.strip_cells != 0) name += ", in strips";
    return name;
}

}  // namespace tilewise
