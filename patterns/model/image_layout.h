// An image layout: the layouts of all subresources of one image, which give the place of every byte of every texel.
//
// A subresource is one aspect of one level of one layer. Its layout (patterns/model/layout.h) says where its elements
// lie; the layout's base counts from the start of the image's memory. So levels may lie in any order, share a tile, or
// have the layers inside or outside of them: all of that is data. Example: RGBA8, 64x64, two levels, three layers; each
// layer holds its levels one after another:
//
//   level 0, layers 0..2   base 0      layer_stride 5000     [0 . . . 4000)            [5000 . . .
//   level 1, layers 0..2   base 4000   layer_stride 5000                  [4000 . 5000)           ...
//
// Layers of one level that have the same layout at a constant distance are one entry; others have an entry each. A
// disjoint image has each of its planes in separate memory: a plane's bases count from the start of that memory.
#pragma once
#include "patterns/model/image_kind.h"
#include "patterns/model/layout.h"
#include "patterns/model/sparse_blocks.h"
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

enum class Aspect : uint8_t { color, depth, stencil, plane0, plane1, plane2 };
constexpr size_t aspect_count = 6;
/// Example:
///     assert(aspect_name(Aspect::depth) == "depth" && aspect_from_name("depth") == Aspect::depth);
std::string_view aspect_name(Aspect aspect);     ///< "color", ..
Aspect aspect_from_name(std::string_view name);  ///< throws UsageError that lists the names

/// What an image layout rests on: `probed`, this very image was read; `predicted`, a learned rule; `assumed`, a similar
/// image; `given`, whoever wrote it down; `documented`, a published text that defines its mode.
enum class LayoutSource : uint8_t { probed, predicted, assumed, given, documented };
/// Example:
///     assert(layout_source_name(LayoutSource::probed) == "probed");
///     assert(layout_source_from_name("probed") == LayoutSource::probed);
std::string_view layout_source_name(LayoutSource source);
LayoutSource layout_source_from_name(std::string_view name);  ///< throws UsageError that lists the names

struct Subresource {
    Aspect aspect = Aspect::color;
    uint32_t level = 0;
    uint32_t layer = 0;   ///< the first of the layers
    uint32_t layers = 1;  ///< number of layers that the entry stands for
    uint64_t layer_stride_B = 0;
    Extent_px extent_px = {1, 1, 1};    ///< of the level; smaller for a plane with fewer texels
    Layout layout;                      ///< of the first layer
    uint64_t bytes = 0, alignment = 0;  ///< of the memory of a disjoint image's plane; 0: not known
};

/// How memory is bound to one aspect of an image with sparse residency.
struct SparseAspect {
    Aspect aspect = Aspect::color;
    SparseBlocks blocks;
};

struct ImageLayout : ImageKind {
    uint64_t bytes = 0, alignment = 0;  ///< VkMemoryRequirements; 0: not known
    LayoutSource source = LayoutSource::given;
    std::string evidence;              ///< what it rests on, in one line
    std::vector<SparseAspect> sparse;  ///< one for each aspect; empty without sparse residency, or if not known
    std::vector<Subresource> subresources;
};

// Values beyond these limits are taken for mistakes.
constexpr uint32_t max_image_side_px = 1 << 24, max_image_layers = 1 << 14, max_image_levels = 32,
                   max_image_samples = 64;

/// The elements along each axis for an extent in texels: a block of a compressed format counts as one.
/// Example:
///     assert((elements_of({300, 200, 1}, {.bytes = 8, .width = 4, .height = 4}, 1) == Coord{75, 50, 1, 1}));
Coord elements_of(const Extent_px& extent_px, const Element& element, uint32_t samples);
/// Example:
///     assert(!is_disjoint(image));
///     ImageLayout planes = image;
///     planes.flags = "disjoint";
///     assert(is_disjoint(planes));
bool is_disjoint(const ImageLayout& image);
/// Example:
///     assert(aspects_of(image) == std::vector{Aspect::color});
std::vector<Aspect> aspects_of(const ImageLayout& image);  ///< those with a subresource, each once, in the enum's order

/// The entry that covers this subresource; null if the image has none.
/// Example:
///     const Subresource* level = find_subresource(image, Aspect::color, 0, 0);
///     assert(level && level->extent_px[0] == 256);
///     assert(!find_subresource(image, Aspect::color, 1, 0));
const Subresource* find_subresource(const ImageLayout& image, Aspect aspect, uint32_t level, uint32_t layer);
/// Example:
///     Subresource part = image.subresources.front();
///     part.layers = 3;
///     part.layer_stride_B = 262144;
///     assert(layout_of_layer(part, 2).base == 2 * 262144);
///     assert((extent_el(image, part) == Coord{256, 256, 1, 1}));
Layout layout_of_layer(const Subresource& part, uint32_t layer);     ///< `layer`: one that the entry stands for
Coord extent_el(const ImageLayout& image, const Subresource& part);  ///< elements of one layer, including samples

struct TexelAt {
    Aspect aspect = Aspect::color;
    uint32_t level = 0, layer = 0;
    Coord at_px = {};  ///< texels of the level, and the sample
};

/// Byte offset of the element that the texel is or belongs to, counted from the start of the image's memory (for a
/// disjoint image, of its plane's memory). Throws UsageError for a subresource or texel that the image does not have.
/// Example:
///     assert(address_of(image, {.at_px = {77, 133, 0, 0}}) == 170196);
uint64_t address_of(const ImageLayout& image, const TexelAt& texel);

/// Merges entries of one layer each, given in any order: layers with the same layout at a constant distance become one
/// entry. The result is sorted by aspect, level and layer.
/// Example:
///     assert(join_layers(image.subresources).size() == 1);
std::vector<Subresource> join_layers(std::vector<Subresource> parts);

/// Whether two images, or two subresources' layouts, are laid out alike; constants, usages and flags may differ.
/// Example:
///     ImageLayout other = image;
///     other.subresources.front().layout.constant = 0x400;
///     assert(lie_alike(other, image) && lie_alike(other.subresources.front().layout, layout));
///     other.subresources.front().layout.base = 65536;
///     assert(!lie_alike(other, image));
bool lie_alike(const ImageLayout& a, const ImageLayout& b);
bool lie_alike(Layout a, const Layout& b);

/// Throws Error if two elements of the given subresources share a byte, as require_consistent() does; subresources may
/// be missing.
/// Example:
///     ImageLayout crowded = image;
///     crowded.levels = 2;
///     crowded.subresources.push_back(image.subresources.front());
///     crowded.subresources.back().level = 1;
///     try { require_apart(crowded), assert(false); } catch (const Error&) {}
void require_apart(const ImageLayout& image);

/// Throws Error if this is not a valid image (no level can have such an extent, a subresource is missing or occurs
/// twice) or if two elements share a byte. Subresources may interleave; a stencil byte may lie in the unused bits of
/// the depth element of its own texel, as in packed D24S8.
/// Example:
///     require_consistent(image);
///     ImageLayout incomplete = image;
///     incomplete.levels = 2;
///     try { require_consistent(incomplete), assert(false); } catch (const Error&) {}
void require_consistent(const ImageLayout& image);

}  // namespace tilewise
