/* tilewise::patterns for C and for every language that can call C: layouts from JSON, addresses in both directions,
 * whole images, and the order of invocations. For C++ see patterns/model/layout.h and its neighbours.
 *
 * A layout's coordinates are {x, y, z} in elements: texels, or blocks of a compressed format. An image's coordinates
 * are in texels. Offsets are in bytes; extents are 1 or more along each axis. Functions that can fail return
 * TILEWISE_OK or one of the values after it; tilewise_error() then says why, in one line. A NULL pointer where none is
 * allowed is such a failure, and so is a lack of memory. Nothing is printed and nothing is thrown. A layout never
 * changes, so threads may share it.
 *
 * Each function has an example, which the test builds/header_examples compiles and runs. In the examples, `image` is an
 * image of an RX 6800 (RGBA8, 256x256), `layout` is its only level, `text` is what `tilewise layout --json` prints for
 * it, and `solved` is what `tilewise solve --json` prints for a table of it. */
#pragma once
/* NOLINTBEGIN(modernize-*): C */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* all that the shared library exports */
#endif

typedef enum {
    TILEWISE_OK = 0,
    TILEWISE_ERROR = 1,
    TILEWISE_NOTHING = 2 /* the question has an answer, and it is: none */
} tilewise_result;

/* Why the last call that failed on this thread did so; "" if none has failed. Valid until the next failure.
 * Example:
 *     assert(!tilewise_layout_from_json("{}", 2));
 *     assert(strcmp(tilewise_error(), "layout: \"element\" is missing") == 0);
 */
const char* tilewise_error(void);

/* A pattern, and where its tiles lie in one image. */
typedef struct tilewise_layout tilewise_layout;

/* Reads the layout object that `tilewise solve --json` and `tilewise query --json` print. Returns NULL if the text is
 * not one. The caller frees the layout.
 * Example:
 *     tilewise_layout* of_table = tilewise_layout_from_json(solved, strlen(solved));
 *     assert(of_table);
 *     tilewise_layout_free(of_table);
 */
tilewise_layout* tilewise_layout_from_json(const char* text, size_t length);

/* The same pattern, with the same constant, in an image of that extent, its tiles one after another without gaps.
 * Returns NULL if that is not possible. Some drivers leave gaps, or vary the constant from image to image: an image of
 * `tilewise layout --json` has the layout of that very image. The caller frees the layout.
 * Example:
 *     const tilewise_box whole = {{0, 0, 0}, {512, 512, 1}};
 *     tilewise_layout* dense = tilewise_layout_dense(layout, whole.extent);
 *     uint64_t bytes = 0;
 *     assert(tilewise_tiled_bytes(dense, &whole, &bytes) == TILEWISE_OK && bytes == 512 * 512 * 4);
 *     tilewise_layout_free(dense);
 */
tilewise_layout* tilewise_layout_dense(const tilewise_layout* layout, const uint32_t extent[3]);

/* Frees a layout; NULL is allowed.
 * Example:
 *     tilewise_layout_free(NULL);
 */
void tilewise_layout_free(tilewise_layout* layout);

/* Writes the pattern's id, 16 hexadecimal digits and a terminating zero: equal for equal patterns, whatever the image.
 * Example:
 *     char id[17], of_table_id[17];
 *     tilewise_layout* of_table = tilewise_layout_from_json(solved, strlen(solved));
 *     tilewise_pattern_id(layout, id);
 *     tilewise_pattern_id(of_table, of_table_id);
 *     assert(strcmp(id, of_table_id) == 0);
 *     tilewise_layout_free(of_table);
 */
tilewise_result tilewise_pattern_id(const tilewise_layout* layout, char id[17]);

typedef struct {
    uint32_t element_bytes, element_width, element_height; /* width and height in texels: 1x1 but of a block */
    uint32_t tile[3];                                      /* elements */
    uint64_t tile_bytes;
    uint64_t stride[3]; /* bytes from tile to tile; 0 along an axis with one tile */
    uint64_t base;      /* bytes before tile 0 */
    uint64_t constant;  /* XORed with the offsets within the tiles; drivers may vary it from image to image */
} tilewise_layout_info;

/* Describes the layout.
 * Example:
 *     tilewise_layout_info info;
 *     tilewise_layout_describe(layout, &info);
 *     assert(info.element_bytes == 4 && info.tile[0] == 128 && info.tile[1] == 128 && info.tile_bytes == 65536);
 */
tilewise_result tilewise_layout_describe(const tilewise_layout* layout, tilewise_layout_info* info);

/* The byte offset of an element. A layout has no extent, so coordinates beyond the image are not detected.
 * Example:
 *     uint64_t offset = 0;
 *     tilewise_offset_of(layout, (const uint32_t[]){77, 133, 0}, &offset);
 *     assert(offset == 170196);
 */
tilewise_result tilewise_offset_of(const tilewise_layout* layout, const uint32_t element[3], uint64_t* offset);

/* Finds the element whose bytes include the offset; TILEWISE_NOTHING if the offset is padding or belongs to another
 * image.
 * Example:
 *     const uint32_t extent[3] = {256, 256, 1};
 *     uint32_t element[3];
 *     assert(tilewise_element_of(layout, extent, 170199, element) == TILEWISE_OK);
 *     assert(element[0] == 77 && element[1] == 133);
 *     assert(tilewise_element_of(layout, extent, 256 * 256 * 4, element) == TILEWISE_NOTHING);
 */
tilewise_result tilewise_element_of(const tilewise_layout* layout, const uint32_t extent[3], uint64_t offset,
                                    uint32_t element[3]);

/* The same two for `count` elements at once: `elements` holds 3 * count numbers, the x, y and z of each element in
 * turn. With a count of 0 the arrays may be NULL. An offset at which nothing lies gives three times TILEWISE_NOWHERE; that is not a failure.
 * Example:
 *     const uint32_t extent[3] = {256, 256, 1};
 *     uint32_t elements[6] = {77, 133, 0, 78, 133, 0};
 *     uint64_t offsets[2];
 *     tilewise_offsets_of(layout, elements, 2, offsets);
 *     assert(offsets[0] == 170196 && offsets[1] == 170200);
 *     offsets[1] = 256 * 256 * 4;
 *     tilewise_elements_of(layout, extent, offsets, 2, elements);
 *     assert(elements[0] == 77 && elements[3] == TILEWISE_NOWHERE);
 */
#define TILEWISE_NOWHERE 0xffffffffU
tilewise_result tilewise_offsets_of(const tilewise_layout* layout, const uint32_t* elements, size_t count,
                                    uint64_t* offsets);
tilewise_result tilewise_elements_of(const tilewise_layout* layout, const uint32_t extent[3], const uint64_t* offsets,
                                     size_t count, uint32_t* elements);

/* A part of an image, in elements. */
typedef struct {
    uint32_t from[3], extent[3];
} tilewise_box;

/* Bytes from one row or slice to the next in the rows; 0: no gap. */
typedef struct {
    uint64_t row, slice;
} tilewise_pitch;

/* How many bytes of the tiled memory the box reaches into, and how many bytes it takes as rows. `pitch` may be NULL: no
 * gaps.
 * Example:
 *     const tilewise_box box = {{0, 0, 0}, {100, 50, 1}};
 *     uint64_t bytes = 0;
 *     tilewise_rows_bytes(layout, &box, NULL, &bytes);
 *     assert(bytes == 100 * 50 * 4);
 *     tilewise_tiled_bytes(layout, &box, &bytes);
 *     assert(bytes <= 65536);
 */
tilewise_result tilewise_tiled_bytes(const tilewise_layout* layout, const tilewise_box* box, uint64_t* bytes);
tilewise_result tilewise_rows_bytes(const tilewise_layout* layout, const tilewise_box* box, const tilewise_pitch* pitch,
                                    uint64_t* bytes);

/* Copies the box from tiled memory into rows that hold only the box, and back. If either side is too short, nothing is
 * written.
 * Example:
 *     enum { side = 256, bytes = side * side * 4 };
 *     const tilewise_box whole = {{0, 0, 0}, {side, side, 1}};
 *     uint32_t* rows = calloc(bytes, 1);
 *     uint32_t* tiled = calloc(bytes, 1);
 *     rows[133 * side + 77] = 5;
 *     tilewise_tile(layout, &whole, rows, bytes, NULL, tiled, bytes);
 *     assert(tiled[170196 / 4] == 5);
 *     rows[133 * side + 77] = 0;
 *     tilewise_detile(layout, &whole, tiled, bytes, rows, bytes, NULL);
 *     assert(rows[133 * side + 77] == 5);
 *     free(rows);
 *     free(tiled);
 */
tilewise_result tilewise_detile(const tilewise_layout* layout, const tilewise_box* box, const void* tiled,
                                uint64_t tiled_bytes, void* rows, uint64_t rows_bytes, const tilewise_pitch* pitch);
tilewise_result tilewise_tile(const tilewise_layout* layout, const tilewise_box* box, const void* rows,
                              uint64_t rows_bytes, const tilewise_pitch* pitch, void* tiled, uint64_t tiled_bytes);

/* The layouts of all subresources of one image: every aspect, level and layer. */
typedef struct tilewise_image tilewise_image;

/* A caller may pass any number as one of these enumerators, in C++ as in C. */
#ifdef __cplusplus
#define TILEWISE_ANY_NUMBER : unsigned
#else
#define TILEWISE_ANY_NUMBER
#endif

typedef enum TILEWISE_ANY_NUMBER {
    TILEWISE_COLOR = 0,
    TILEWISE_DEPTH = 1,
    TILEWISE_STENCIL = 2,
    TILEWISE_PLANE0 = 3,
    TILEWISE_PLANE1 = 4,
    TILEWISE_PLANE2 = 5
} tilewise_aspect;

/* Reads the image layout that `tilewise layout --json` prints. Returns NULL if the text is not one. The caller frees
 * it.
 * Example:
 *     tilewise_image* asked = tilewise_image_from_json(text, strlen(text));
 *     assert(asked);
 *     tilewise_image_free(asked);
 */
tilewise_image* tilewise_image_from_json(const char* text, size_t length);

/* The inverse: returns zero-terminated text, which the caller frees with tilewise_text_free.
 * Example:
 *     char* json = tilewise_image_to_json(image);
 *     assert(strstr(json, "\"format\":\"R8G8B8A8_UNORM\""));
 *     tilewise_text_free(json);
 */
char* tilewise_image_to_json(const tilewise_image* image);
void tilewise_text_free(char* text);

/* Frees an image; NULL is allowed.
 * Example:
 *     tilewise_image_free(NULL);
 */
void tilewise_image_free(tilewise_image* image);

typedef struct {
    uint32_t extent[3]; /* texels of level 0 */
    uint32_t levels, layers, samples;
    uint32_t aspects;          /* bit 1 << aspect for each that there is */
    uint64_t bytes, alignment; /* of the image's memory; 0: not known */
} tilewise_image_info;

/* Describes the image layout.
 * Example:
 *     tilewise_image_info info;
 *     tilewise_image_describe(image, &info);
 *     assert(info.extent[0] == 256 && info.levels == 1 && info.bytes == 262144);
 *     assert(info.aspects == 1U << TILEWISE_COLOR);
 */
tilewise_result tilewise_image_describe(const tilewise_image* image, tilewise_image_info* info);

typedef struct {
    tilewise_aspect aspect;
    uint32_t level, layer;
    uint32_t at[3]; /* texels of the level */
    uint32_t sample;
} tilewise_texel;

/* The offset of the texel, or of the block that contains it, in the image's memory. TILEWISE_ERROR for a texel outside
 * the image.
 * Example:
 *     const tilewise_texel texel = {.aspect = TILEWISE_COLOR, .at = {77, 133, 0}};
 *     uint64_t offset = 0;
 *     assert(tilewise_image_address(image, &texel, &offset) == TILEWISE_OK && offset == 170196);
 */
tilewise_result tilewise_image_address(const tilewise_image* image, const tilewise_texel* texel, uint64_t* offset);

/* The same for `count` texels at once; with a count of 0 the arrays may be NULL. If one is refused, its offset and those after it are left unchanged.
 * Example:
 *     const tilewise_texel texels[2] = {{.at = {77, 133, 0}}, {.at = {256, 0, 0}}};
 *     uint64_t offsets[2] = {0, 0};
 *     assert(tilewise_image_addresses(image, texels, 2, offsets) == TILEWISE_ERROR);
 *     assert(offsets[0] == 170196 && offsets[1] == 0);
 */
tilewise_result tilewise_image_addresses(const tilewise_image* image, const tilewise_texel* texels, size_t count,
                                         uint64_t* offsets);

/* One subresource as a layout whose base counts from the start of the image's memory, and its extent in elements. It is
 * meant for tilewise_detile and the like, if the image has one sample. Returns NULL if the image has no such
 * subresource. The caller frees the layout.
 * Example:
 *     uint32_t extent[3];
 *     tilewise_layout* level = tilewise_image_layout(image, TILEWISE_COLOR, 0, 0, extent);
 *     assert(extent[0] == 256 && extent[1] == 256 && extent[2] == 1);
 *     tilewise_layout_free(level);
 *     assert(!tilewise_image_layout(image, TILEWISE_DEPTH, 0, 0, extent));
 */
tilewise_layout* tilewise_image_layout(const tilewise_image* image, tilewise_aspect aspect, uint32_t level,
                                       uint32_t layer, uint32_t extent[3]);

/* The shape of a workgroup, and which of its texels each invocation processes. */
typedef struct {
    uint32_t shape[3];      /* texels, powers of two */
    uint32_t bits;          /* of the invocation's index; at most 12 */
    uint32_t column[12][3]; /* what bit i of the index contributes to the texel, by XOR */
} tilewise_workgroup;

/* Derives a workgroup for kernels that read `radius` texels beyond their own. `invocations` is a power of two up to
 * 4096, `subgroup_size` a power of two; anything else is TILEWISE_ERROR. So is a linear pattern: its rows are memory
 * order already.
 * Example:
 *     tilewise_workgroup group;
 *     tilewise_derive_workgroup(layout, 64, 32, 0, &group);
 *     assert(group.shape[0] == 8 && group.shape[1] == 8 && group.bits == 6);
 */
tilewise_result tilewise_derive_workgroup(const tilewise_layout* layout, uint32_t invocations, uint32_t subgroup_size,
                                          uint32_t radius, tilewise_workgroup* workgroup);
/* The texel of an invocation. If `workgroup` is NULL or has more than 12 bits, it is {0, 0, 0} and tilewise_error()
 * says why.
 * Example:
 *     tilewise_workgroup group;
 *     uint32_t texel[3];
 *     tilewise_derive_workgroup(layout, 64, 32, 0, &group);
 *     tilewise_workgroup_texel(&group, 5, texel);
 *     assert(texel[0] == 1 && texel[1] == 1);
 */
void tilewise_workgroup_texel(const tilewise_workgroup* workgroup, uint32_t invocation, uint32_t texel[3]);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*) */
