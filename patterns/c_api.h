/* tilewise::patterns for C, and for whatever else calls C: layouts out of JSON, addresses both ways, whole images, and
 * the order of invocations. For C++ see patterns/model/layout.h and its neighbours.
 *
 * Coordinates of a layout are {x, y, z} in elements: texels, or blocks of a compressed format; those of an image are in
 * texels. Offsets are bytes, extents are 1 or more along each axis. Functions that can fail return TILEWISE_OK or what
 * follows it; tilewise_error() then says why, in one line. A pointer that is NULL where nothing allows it is such a
 * failure, and so is a lack of memory. Nothing is printed and nothing is thrown. A layout is never changed: threads may
 * share it. */
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

/* Why the last call of this thread that failed did; "" before any. Valid until the next one fails. */
const char* tilewise_error(void);

/* A pattern, and where its tiles lie in one image. */
typedef struct tilewise_layout tilewise_layout;

/* The layout object that `tilewise solve --json` and `tilewise query --json` print. NULL where it is none. The caller
 * frees it. */
tilewise_layout* tilewise_layout_from_json(const char* text, size_t length);

/* The same pattern in an image of that extent, its tiles one after another without gaps. NULL where it cannot be. The
 * caller frees it. */
tilewise_layout* tilewise_layout_dense(const tilewise_layout* layout, const uint32_t extent[3]);

void tilewise_layout_free(tilewise_layout* layout); /* NULL is fine */

/* 16 hexadecimal digits and a zero: equal for equal patterns, whatever the image. */
tilewise_result tilewise_pattern_id(const tilewise_layout* layout, char id[17]);

typedef struct {
    uint32_t element_bytes, element_width, element_height; /* width and height in texels: 1x1 but of a block */
    uint32_t tile[3];                                      /* elements */
    uint64_t tile_bytes;
    uint64_t stride[3]; /* bytes from tile to tile; 0 along an axis with one tile */
    uint64_t base;      /* bytes before tile 0 */
} tilewise_layout_info;

tilewise_result tilewise_layout_describe(const tilewise_layout* layout, tilewise_layout_info* info);

/* Where an element lies. The layout has no extent: coordinates beyond the image are not detected. */
tilewise_result tilewise_offset_of(const tilewise_layout* layout, const uint32_t element[3], uint64_t* offset);

/* Which element's bytes include the offset; TILEWISE_NOTHING where padding or another image lies. */
tilewise_result tilewise_element_of(const tilewise_layout* layout, const uint32_t extent[3], uint64_t offset,
                                    uint32_t element[3]);

/* Both for `count` at once: elements are 3 * count numbers, x, y and z of one after those of the other. An offset where
 * nothing lies gives three times TILEWISE_NOWHERE, and is no failure. */
#define TILEWISE_NOWHERE 0xffffffffU
tilewise_result tilewise_offsets_of(const tilewise_layout* layout, const uint32_t* elements, size_t count,
                                    uint64_t* offsets);
tilewise_result tilewise_elements_of(const tilewise_layout* layout, const uint32_t extent[3], const uint64_t* offsets,
                                     size_t count, uint32_t* elements);

/* A part of an image, in elements. */
typedef struct {
    uint32_t from[3], extent[3];
} tilewise_box;

/* Bytes from one row and slice to the next, on the side of the rows; 0: without a gap. */
typedef struct {
    uint64_t row, slice;
} tilewise_pitch;

/* Bytes that the box reaches into the tiled memory, or that it takes as rows. `pitch` may be NULL: no gaps. */
tilewise_result tilewise_tiled_bytes(const tilewise_layout* layout, const tilewise_box* box, uint64_t* bytes);
tilewise_result tilewise_rows_bytes(const tilewise_layout* layout, const tilewise_box* box, const tilewise_pitch* pitch,
                                    uint64_t* bytes);

/* Copies the box out of the tiled memory into rows that hold the box alone, and back. Nothing is written where either
 * side is too short. */
tilewise_result tilewise_detile(const tilewise_layout* layout, const tilewise_box* box, const void* tiled,
                                uint64_t tiled_bytes, void* rows, uint64_t rows_bytes, const tilewise_pitch* pitch);
tilewise_result tilewise_tile(const tilewise_layout* layout, const tilewise_box* box, const void* rows,
                              uint64_t rows_bytes, const tilewise_pitch* pitch, void* tiled, uint64_t tiled_bytes);

/* The layouts of all subresources of one image: every aspect, level and layer. */
typedef struct tilewise_image tilewise_image;

typedef enum {
    TILEWISE_COLOR = 0,
    TILEWISE_DEPTH = 1,
    TILEWISE_STENCIL = 2,
    TILEWISE_PLANE0 = 3,
    TILEWISE_PLANE1 = 4,
    TILEWISE_PLANE2 = 5
} tilewise_aspect;

/* The image layout that `tilewise layout --json` prints. NULL where it is none. The caller frees it. */
tilewise_image* tilewise_image_from_json(const char* text, size_t length);

/* The way back: text that ends in a zero, and that the caller frees by tilewise_text_free. */
char* tilewise_image_to_json(const tilewise_image* image);
void tilewise_text_free(char* text);

void tilewise_image_free(tilewise_image* image); /* NULL is fine */

typedef struct {
    uint32_t extent[3]; /* texels of level 0 */
    uint32_t levels, layers, samples;
    uint32_t aspects;          /* bit 1 << aspect for each that there is */
    uint64_t bytes, alignment; /* of the image's memory; 0: not known */
} tilewise_image_info;

tilewise_result tilewise_image_describe(const tilewise_image* image, tilewise_image_info* info);

typedef struct {
    tilewise_aspect aspect;
    uint32_t level, layer;
    uint32_t at[3]; /* texels of the level */
    uint32_t sample;
} tilewise_texel;

/* Where the texel, or the block that it is in, lies in the image's memory. TILEWISE_ERROR for what is outside of it. */
tilewise_result tilewise_image_address(const tilewise_image* image, const tilewise_texel* texel, uint64_t* offset);

/* The same for `count` at once. Where one is refused, the offsets after it stay as they are. */
tilewise_result tilewise_image_addresses(const tilewise_image* image, const tilewise_texel* texels, size_t count,
                                         uint64_t* offsets);

/* One subresource as a layout, its base counted from the start of the image's memory, and its extent in elements: for
 * tilewise_detile and the like, where the image has one sample. NULL where there is none. The caller frees it. */
tilewise_layout* tilewise_image_layout(const tilewise_image* image, tilewise_aspect aspect, uint32_t level,
                                       uint32_t layer, uint32_t extent[3]);

/* The shape of a workgroup, and which of its texels each invocation takes. */
typedef struct {
    uint32_t shape[3];      /* texels, powers of two */
    uint32_t bits;          /* of the invocation's index; at most 12 */
    uint32_t column[12][3]; /* what bit i of the index contributes to the texel, by XOR */
} tilewise_workgroup;

/* For kernels that read `radius` texels beyond their own. `invocations` is a power of two up to 4096, `subgroup_size` a
 * power of two; anything else is TILEWISE_ERROR, and so is a linear pattern: rows are memory order already. */
tilewise_result tilewise_derive_workgroup(const tilewise_layout* layout, uint32_t invocations, uint32_t subgroup_size,
                                          uint32_t radius, tilewise_workgroup* workgroup);
/* {0, 0, 0}, and tilewise_error() says why, where `workgroup` is NULL or has more bits than 12. */
void tilewise_workgroup_texel(const tilewise_workgroup* workgroup, uint32_t invocation, uint32_t texel[3]);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*) */
