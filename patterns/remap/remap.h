// Which texel each invocation of a workgroup processes, so that neighbours in a subgroup are neighbours in memory.
#pragma once
#include "patterns/model/layout.h"
#include "patterns/remap/lane_matrix.h"
#include "patterns/remap/policy.h"
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// Maps an invocation index to a texel of the workgroup: the XOR of columns[i] over the set bits i of the index.
/// GF(2)-linear and one-to-one onto the box `shape`. For a block-compressed format the coordinates are those of blocks.
struct Remap {
    Coord shape = unit_extent;   ///< texels along x, y, z; powers of two
    std::vector<Coord> columns;  ///< one for each bit of the index: log2(element_count(shape))
    bool operator==(const Remap&) const = default;

    /// Example:
    ///     const Remap transposed = {{2, 2, 1, 1}, {{0, 1, 0, 0}, {1, 0, 0, 0}}};
    ///     assert((transposed(0b01) == Coord{0, 1, 0, 0}) && (transposed(0b11) == Coord{1, 1, 0, 0}));
    Coord operator()(uint32_t invocation) const;  ///< bits of the index beyond the columns are ignored
    /// Example:
    ///     assert(row_order({8, 4, 1, 1}).is_row_order() && !morton_order({8, 4, 1, 1}).is_row_order());
    bool is_row_order() const;  ///< whether it is the identity: x counts fastest, then y, then z
};

/// Shapes are powers of two along each axis.
/// Example:
///     assert((row_order({16, 16, 1, 1})(17) == Coord{1, 1, 0, 0}));
///     assert((morton_order({16, 16, 1, 1})(3) == Coord{1, 1, 0, 0}));
Remap row_order(const Coord& shape);
Remap morton_order(const Coord& shape);  ///< x0 y0 x1 y1 ...; an axis that has no bits left is skipped
/// 8x8 texels in rotated pairs of bits (x0 y0 y1 x1 x2 y2), as on page 28 of AMD's "Optimizing for the Radeon RDNA
/// architecture".
/// Example:
///     assert(columns_text(rdna_order()) == "x0 y0 y1 x1 x2 y2");
Remap rdna_order();

/// Example:
///     assert(coordinate_bits({1, 4, 0, 0}) == "x0^y2" && shape_text({8, 8, 4, 1}) == "8x8x4");
std::string coordinate_bits(const Coord& column);  ///< "x0^y0": the coordinate bits that are set
std::string shape_text(const Coord& shape);        ///< "16x16", "8x8x4"

/// "y0 y1 x0^y2 x1": the coordinate bits that each bit of the invocation's index contributes, from bit 0 up.
/// Example:
///     assert(columns_text(morton_order({4, 4, 1, 1})) == "x0 y0 x1 y1");
///     assert(remap_from_columns("x0 y0 x1 y1") == morton_order({4, 4, 1, 1}));
std::string columns_text(const Remap& remap);
/// Reads the remap along x and y that columns_text() wrote. Throws Error for any other text.
Remap remap_from_columns(std::string_view text);

constexpr uint32_t max_workgroup_invocations = 4096;  ///< of a workgroup

/// What derive_remap() needs to know; patterns/remap/workgroup.h fills it in for a device and a kernel.
struct RemapRequest {
    uint32_t invocations = default_invocations;  ///< of a workgroup; a power of two, up to max_workgroup_invocations
    uint32_t subgroup_size = default_subgroup_size;  ///< a power of two
    uint32_t radius = 0;                             ///< texels that the kernel reads beyond its own, each way; 0: none
    LaneMatrix lane_order;                           ///< empty: invocation i runs in lane slot i
    WorkgroupShape shape = WorkgroupShape::compact;
    Neighbourhood reads = Neighbourhood::square;    ///< within the radius
    uint32_t max_rows = max_workgroup_invocations;  ///< of a tall box
};

/// The memory cost of one order of invocations. Segments are counted over the whole workgroup for one load of one texel
/// by each invocation, subgroup by subgroup: a segment that two subgroups touch counts twice.
struct OrderCost {
    std::string name;  ///< "row", "morton", "rdna", "learned"
    Remap remap;
    uint64_t segments_32 = 0, segments_64 = 0, segments_128 = 0;  ///< aligned segments of this many bytes
    uint64_t quad_segments = 0;  ///< 64-byte segments touched by four lanes at a time, as texture units do
    uint64_t halo_texels = 0;    ///< texels that the workgroup reads with the radius; for lines, in the larger pass
};

/// Whether `a` touches no more segments of any size than `b` does.
/// Example:
///     const std::vector<OrderCost> orders = derive_remap(layout.pattern, {}).orders;
///     assert(touches_no_more(orders.back(), orders.front()) && !touches_no_more(orders.front(), orders.back()));
bool touches_no_more(const OrderCost& a, const OrderCost& b);

/// Whether the last order, which is the choice, touches fewer segments of some size than the first, row order.
/// Example:
///     const std::vector<OrderCost> orders = derive_remap(layout.pattern, {}).orders;
///     assert(saves_segments(orders) && !saves_segments({orders.front()}));
bool saves_segments(const std::vector<OrderCost>& orders);

struct Derivation {
    RemapRequest request;
    Remap remap;
    std::vector<OrderCost> orders;  ///< the choice is the last, named "learned"; the others have the compact shape
    std::string subgroup_bits;      ///< address bits that one subgroup covers: "0-6, 9"
    std::string reason;             ///< why this shape and order were chosen, in a few lines
};

/// The cost of an order for the workgroup at the image's origin. It is the same for every workgroup if the element size
/// is a power of two and tiles have at least 128 bytes. `request` gives lanes, subgroup size and radius. The name stays
/// empty.
/// Example:
///     const OrderCost rows = order_cost(layout.pattern, row_order({16, 16, 1, 1}), {});
///     assert(rows.segments_64 > order_cost(layout.pattern, morton_order({16, 16, 1, 1}), {}).segments_64);
OrderCost order_cost(const Pattern& pattern, const Remap& remap, const RemapRequest& request);

/// Derives the workgroup shape and remap for a pattern: invocations follow memory, a subgroup covers whole sectors, and
/// the workgroup has the kind of shape that is requested. Deterministic. If the tile has depth, z takes part and the
/// shape is compact. If the element size is a power of two, a compact shape never touches more segments of any size
/// than a GF(2)-linear order of the most compact shape does; a tall one may touch more segments of 128 bytes, and more
/// of every size if a square of radius 2 or more is read. Tall and wide shapes read at most most_texels_read() texels
/// per invocation, or no more than the compact one. Throws Error for a linear pattern (rows are memory order),
/// UsageError for a request that describes no valid workgroup.
/// Example:
///     RemapRequest request;
///     request.invocations = 64;
///     const Derivation derived = derive_remap(layout.pattern, request);
///     assert((derived.remap.shape == Coord{8, 8, 1, 1}) && (derived.remap(5) == Coord{1, 1, 0, 0}));
Derivation derive_remap(const Pattern& pattern, const RemapRequest& request);

/// The same in a given box; `request.shape` is ignored.
/// Example:
///     RemapRequest request;
///     request.invocations = 64;
///     const Derivation derived = derive_remap_in(layout.pattern, {4, 16, 1, 1}, request);
///     assert(columns_text(derived.remap) == "x0 x1 y0 y1 y2 y3");
Derivation derive_remap_in(const Pattern& pattern, const Coord& shape, const RemapRequest& request);

/// The order that follows memory within a given box of any shape; row order for a linear pattern. Throws UsageError for
/// a box that is not a valid workgroup.
/// Example:
///     assert((memory_order(layout.pattern, {8, 8, 1, 1})(5) == Coord{1, 1, 0, 0}));
Remap memory_order(const Pattern& pattern, const Coord& shape, const LaneMatrix& lane_order = {});

/// The derivation as several lines of text: shape, order, address bits, a table of the orders' costs, the reason.
/// Example:
///     const std::string lines = explain(derive_remap(layout.pattern, {}));
///     assert(lines.find("covers address bits 0-6\n") != lines.npos);
std::string explain(const Derivation& derivation);

/// The order in which workgroups cover the image.
enum class GroupOrderKind { linear, strips, tiles };
struct GroupOrder {
    GroupOrderKind kind = GroupOrderKind::linear;
    uint32_t strip_width = 0;         ///< strips: workgroups along x per column strip, which is walked row by row
    Coord tile_groups = unit_extent;  ///< tiles: workgroups along each axis in one tile of the pattern
    /// tiles: the axes along which tiles follow one another, innermost first. Within a tile, workgroups go row by row.
    std::array<Axis, axis_count> tile_order = all_axes;
    bool operator==(const GroupOrder&) const = default;
};

/// For tiles: whether they follow one another down the columns; only x and y count.
/// Example:
///     assert(goes_by_columns(group_order_from_text("tiles of 2x4 by columns")));
///     assert(!goes_by_columns(group_order_from_text("tiles of 2x4")));
bool goes_by_columns(const GroupOrder& order);

/// Whether it takes the workgroups of every grid row by row, which is the launch order.
/// Example:
///     assert(is_as_launched(group_order_from_text("tiles of 4x1")));
///     assert(!is_as_launched(group_order_from_text("tiles of 2x4")));
bool is_as_launched(const GroupOrder& order);

/// "linear", "strips of 8", "tiles of 2x4", "tiles of 2x4 by columns": an order of workgroups along x and y.
/// Example:
///     assert(group_order_text(group_order_from_text("tiles of 2x4")) == "tiles of 2x4");
std::string group_order_text(const GroupOrder& order);
/// Reads the order that group_order_text() wrote. Throws Error for any other text.
GroupOrder group_order_from_text(std::string_view text);

/// The position of workgroup `id` (0 .. groups.x*groups.y*groups.z - 1) in a grid of `groups`. One-to-one for any grid:
/// the last strip or tile along an axis may be cut short.
/// Example:
///     const GroupOrder strips = {.kind = GroupOrderKind::strips, .strip_width = 2};
///     assert((group_position(strips, {4, 3, 1, 1}, 2) == Coord{0, 1, 0, 0}));
Coord group_position(const GroupOrder& order, const Coord& groups, uint64_t id);

/// One side of the grid of workgroups to dispatch: a fixed number of them, or as many as it takes to cover the image
/// along an axis in steps of `texels`.
struct GridSide {
    uint64_t groups = 1;  ///< 0: as many as it takes
    Axis axis = axis_x;
    uint64_t texels = 1;
};
/// The grid to dispatch for workgroups of that shape, so that the launch order (along x, then y, then z) takes them in
/// `order`. For linear the grid has x and y as the image does. For strips its sides are the width of a strip, the rows
/// and the strips; for tiles, the workgroups of a tile, the tiles along the inner axis and those along the outer one.
/// So a workgroup's position takes divisions by constants of the order only. If the last strip or tile is cut short,
/// some workgroups lie beyond the image. Only x and y are covered.
/// Example:
///     const std::array<GridSide, 3> grid = dispatched_grid(group_order_from_text("strips of 8"), {16, 16, 1, 1});
///     assert(grid[0].groups == 8 && grid[1].axis == axis_y && grid[1].texels == 16);
///     assert(grid[2].axis == axis_x && grid[2].texels == 8 * 16);
std::array<GridSide, 3> dispatched_grid(const GroupOrder& order, const Coord& shape);
constexpr uint32_t max_dispatched_groups = 65535;  ///< along an axis: supported by every device
/// The number of workgroups on each side of that grid for an image. Throws Error for more than max_dispatched_groups
/// along an axis.
/// Example:
///     assert((dispatched_groups({}, {16, 16, 1, 1}, {1920, 1080}) == std::array<uint32_t, 3>{120, 68, 1}));
std::array<uint32_t, 3> dispatched_groups(const GroupOrder& order, const Coord& shape,
                                          const std::array<uint32_t, 2>& extent);

/// The order for images that are larger than the caches. Throws UsageError for strips of width 0.
/// Example:
///     const Remap remap = derive_remap(layout.pattern, {}).remap;
///     const GroupOrder order = derive_group_order(layout.pattern, remap, GroupOrderKind::tiles);
///     assert((order.tile_groups == Coord{8, 8, 1, 1}));
GroupOrder derive_group_order(const Pattern& pattern, const Remap& remap, GroupOrderKind kind,
                              uint32_t strip_width = 8);

}  // namespace tilewise
