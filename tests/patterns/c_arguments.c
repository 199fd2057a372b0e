/* Calls each function of c_api.h with one argument after another wrong: NULL, 0, numbers beyond all limits, truncated
 * texts, buffers that are one byte too short. Built with sanitizers, it proves that nothing beside the arguments is
 * read or written (tools/soak c-api). It prints the number of calls; the exit code is 1 if one did not behave as it
 * must. */
#include "patterns/c_api.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned calls, wrong;

static void count(int good, const char* what, int line) {
    calls++;
    if (good) return;
    wrong++;
    printf("line %d: %s: not as it must be; the last error is \"%s\"\n", line, what, tilewise_error());
}

/* Whether the error is one line that says why. */
static int is_said(void) {
    const char* why = tilewise_error();
    return why != NULL && *why != '\0' && strchr(why, '\n') == NULL;
}
#define REFUSED(call) count((call) == TILEWISE_ERROR && is_said(), #call, __LINE__)
#define NO_OBJECT(call) count((call) == NULL && is_said(), #call, __LINE__)
/* It returns, whatever the result. */
#define RETURNS(call) count(((void)(call), 1), #call, __LINE__)

static const char layout_text[] =
    "{\"element\":{\"bytes\":4,\"width\":1,\"height\":1},\"tile\":{\"width\":4,\"height\":4,\"depth\":1,\"bytes\":64},"
    "\"equation\":[\"0\",\"0\",\"x0\",\"y0\",\"x1\",\"y1\"],\"outer_xor\":{},\"stride\":{\"x\":64,\"y\":128,\"z\":0,"
    "\"xor\":{}},\"constant\":0,\"base\":0}";
static const char image_text_begin[] =
    "{\"format\":\"R8G8B8A8_UNORM\",\"usage\":\"sampled\",\"image_type\":\"2D\",\"extent\":[8,8,1],\"levels\":1,"
    "\"layers\":2,\"samples\":1,\"flags\":\"\",\"bytes\":512,\"alignment\":1,\"source\":\"given\",\"evidence\":\"\","
    "\"subresources\":[{\"aspect\":\"color\",\"level\":0,\"layer\":0,\"layers\":2,\"layer_stride\":256,\"extent\":[8,8,"
    "1],"
    "\"layout\":";

static const uint32_t numbers[] = {0,
                                   1,
                                   2,
                                   3,
                                   4,
                                   5,
                                   7,
                                   8,
                                   11,
                                   12,
                                   13,
                                   31,
                                   32,
                                   33,
                                   63,
                                   64,
                                   255,
                                   256,
                                   4095,
                                   4096,
                                   4097,
                                   65535,
                                   1u << 24,
                                   1u << 30,
                                   (1u << 31) - 1,
                                   1u << 31,
                                   (1u << 31) + 1,
                                   0xfffffffeu,
                                   0xffffffffu};
enum { number_count = sizeof numbers / sizeof *numbers };
static const uint64_t offsets[] = {0,          1,          63,         64,         255,       256,
                                   1ull << 31, 1ull << 32, 1ull << 62, 1ull << 63, ~0ull - 1, ~0ull};
enum { offset_count = sizeof offsets / sizeof *offsets };

/* A copy of exactly that many bytes, so that a sanitizer sees any read behind it. */
static char* exact_copy(const char* text, size_t length) {
    char* copy = malloc(length == 0 ? 1 : length);
    if (copy == NULL) exit(2);
    memcpy(copy, text, length);
    return copy;
}

static void texts(const char* text, int is_image) {
    const size_t whole = strlen(text);
    for (size_t length = 0; length < whole; length++) {
        char* cut = exact_copy(text, length);
        if (is_image)
            NO_OBJECT(tilewise_image_from_json(cut, length));
        else
            NO_OBJECT(tilewise_layout_from_json(cut, length));
        free(cut);
    }
    NO_OBJECT(tilewise_layout_from_json(NULL, 0));
    NO_OBJECT(tilewise_layout_from_json(NULL, whole));
    NO_OBJECT(tilewise_image_from_json(NULL, 0));
    NO_OBJECT(tilewise_image_from_json(NULL, whole));
    static const char* const others[] = {"",
                                         "null",
                                         "[]",
                                         "5",
                                         "\"x\"",
                                         "{}",
                                         "[[[[",
                                         "{\"layout\":5}",
                                         "{\"subresources\":[{}]}",
                                         "{\"subresources\":5}",
                                         "\xff\xfe"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        NO_OBJECT(tilewise_layout_from_json(others[i], strlen(others[i])));
        NO_OBJECT(tilewise_image_from_json(others[i], strlen(others[i])));
    }
}

static void pointers(const tilewise_layout* layout, const tilewise_image* image) {
    uint32_t three[3] = {1, 1, 1};
    uint64_t number = 0;
    char id[17];
    tilewise_layout_info info;
    tilewise_image_info image_info;
    tilewise_workgroup workgroup;
    const tilewise_box box = {{0, 0, 0}, {8, 8, 1}};
    const tilewise_texel texel = {TILEWISE_COLOR, 0, 0, {0, 0, 0}, 0};
    char tiled[256], rows[256];
    NO_OBJECT(tilewise_layout_dense(NULL, three));
    NO_OBJECT(tilewise_layout_dense(layout, NULL));
    REFUSED(tilewise_pattern_id(NULL, id));
    REFUSED(tilewise_pattern_id(layout, NULL));
    REFUSED(tilewise_layout_describe(NULL, &info));
    REFUSED(tilewise_layout_describe(layout, NULL));
    REFUSED(tilewise_offset_of(NULL, three, &number));
    REFUSED(tilewise_offset_of(layout, NULL, &number));
    REFUSED(tilewise_offset_of(layout, three, NULL));
    REFUSED(tilewise_element_of(NULL, three, 0, three));
    REFUSED(tilewise_element_of(layout, NULL, 0, three));
    REFUSED(tilewise_element_of(layout, three, 0, NULL));
    REFUSED(tilewise_offsets_of(NULL, three, 1, &number));
    REFUSED(tilewise_offsets_of(layout, NULL, 1, &number));
    REFUSED(tilewise_offsets_of(layout, three, 1, NULL));
    REFUSED(tilewise_offsets_of(layout, NULL, SIZE_MAX, NULL));
    RETURNS(tilewise_offsets_of(layout, NULL, 0, NULL));
    RETURNS(tilewise_elements_of(layout, three, NULL, 0, NULL));
    RETURNS(tilewise_image_addresses(image, NULL, 0, NULL));
    REFUSED(tilewise_elements_of(NULL, three, &number, 1, three));
    REFUSED(tilewise_elements_of(layout, NULL, &number, 1, three));
    REFUSED(tilewise_elements_of(layout, three, NULL, 1, three));
    REFUSED(tilewise_elements_of(layout, three, &number, 1, NULL));
    REFUSED(tilewise_tiled_bytes(NULL, &box, &number));
    REFUSED(tilewise_tiled_bytes(layout, NULL, &number));
    REFUSED(tilewise_tiled_bytes(layout, &box, NULL));
    REFUSED(tilewise_rows_bytes(NULL, &box, NULL, &number));
    REFUSED(tilewise_rows_bytes(layout, NULL, NULL, &number));
    REFUSED(tilewise_rows_bytes(layout, &box, NULL, NULL));
    REFUSED(tilewise_detile(NULL, &box, tiled, sizeof tiled, rows, sizeof rows, NULL));
    REFUSED(tilewise_detile(layout, NULL, tiled, sizeof tiled, rows, sizeof rows, NULL));
    REFUSED(tilewise_detile(layout, &box, NULL, sizeof tiled, rows, sizeof rows, NULL));
    REFUSED(tilewise_detile(layout, &box, tiled, sizeof tiled, NULL, sizeof rows, NULL));
    REFUSED(tilewise_tile(NULL, &box, rows, sizeof rows, NULL, tiled, sizeof tiled));
    REFUSED(tilewise_tile(layout, NULL, rows, sizeof rows, NULL, tiled, sizeof tiled));
    REFUSED(tilewise_tile(layout, &box, NULL, sizeof rows, NULL, tiled, sizeof tiled));
    REFUSED(tilewise_tile(layout, &box, rows, sizeof rows, NULL, NULL, sizeof tiled));
    NO_OBJECT(tilewise_image_to_json(NULL));
    REFUSED(tilewise_image_describe(NULL, &image_info));
    REFUSED(tilewise_image_describe(image, NULL));
    REFUSED(tilewise_image_address(NULL, &texel, &number));
    REFUSED(tilewise_image_address(image, NULL, &number));
    REFUSED(tilewise_image_address(image, &texel, NULL));
    REFUSED(tilewise_image_addresses(NULL, &texel, 1, &number));
    REFUSED(tilewise_image_addresses(image, NULL, 1, &number));
    REFUSED(tilewise_image_addresses(image, &texel, 1, NULL));
    NO_OBJECT(tilewise_image_layout(NULL, TILEWISE_COLOR, 0, 0, three));
    NO_OBJECT(tilewise_image_layout(image, TILEWISE_COLOR, 0, 0, NULL));
    REFUSED(tilewise_derive_workgroup(NULL, 64, 32, 1, &workgroup));
    REFUSED(tilewise_derive_workgroup(layout, 64, 32, 1, NULL));
    tilewise_workgroup_texel(NULL, 0, three);
    tilewise_workgroup_texel(&workgroup, 0, NULL);
    tilewise_workgroup_texel(NULL, 0, NULL);
    tilewise_layout_free(NULL);
    tilewise_image_free(NULL);
    tilewise_text_free(NULL);
    calls += 6;
}

static void numbers_of_layouts(const tilewise_layout* layout) {
    for (unsigned side = 0; side < 3; side++)
        for (unsigned i = 0; i < number_count; i++) {
            uint32_t extent[3] = {8, 8, 1}, found[3], element[3] = {1, 1, 0};
            uint64_t number = 0;
            extent[side] = numbers[i];
            element[side] = numbers[i];
            if (numbers[i] == 0) {
                NO_OBJECT(tilewise_layout_dense(layout, extent));
                REFUSED(tilewise_element_of(layout, extent, 0, found));
            } else {
                tilewise_layout* dense = tilewise_layout_dense(layout, extent);
                count(dense != NULL || is_said(), "tilewise_layout_dense", __LINE__);
                if (dense != NULL) RETURNS(tilewise_offset_of(dense, element, &number));
                tilewise_layout_free(dense);
            }
            RETURNS(tilewise_offset_of(layout, element, &number));
            for (unsigned o = 0; o < offset_count; o++) {
                RETURNS(tilewise_element_of(layout, extent, offsets[o], found));
                RETURNS(tilewise_elements_of(layout, extent, &offsets[o], 1, found));
            }
            for (unsigned j = 0; j < number_count; j++) {
                tilewise_box box = {{0, 0, 0}, {8, 8, 1}};
                box.from[side] = numbers[j];
                box.extent[side] = numbers[i];
                const int is_beyond = numbers[i] == 0 || numbers[i] > 0xffffffffu - numbers[j];
                if (is_beyond) {
                    REFUSED(tilewise_tiled_bytes(layout, &box, &number));
                    REFUSED(tilewise_rows_bytes(layout, &box, NULL, &number));
                } else {
                    RETURNS(tilewise_tiled_bytes(layout, &box, &number));
                    RETURNS(tilewise_rows_bytes(layout, &box, NULL, &number));
                }
                for (unsigned o = 0; o < offset_count; o++) {
                    const tilewise_pitch row = {offsets[o], 0}, slice = {0, offsets[o]};
                    RETURNS(tilewise_rows_bytes(layout, &box, &row, &number));
                    RETURNS(tilewise_rows_bytes(layout, &box, &slice, &number));
                }
                /* With buffers of 16 bytes, all but the smallest boxes are refused, and nothing is touched. */
                char* tiled = exact_copy("0123456789abcdef", 16);
                char* rows = exact_copy("0123456789abcdef", 16);
                if (is_beyond || numbers[i] > 4) {
                    REFUSED(tilewise_detile(layout, &box, tiled, 16, rows, 16, NULL));
                    REFUSED(tilewise_tile(layout, &box, rows, 16, NULL, tiled, 16));
                    count(memcmp(tiled, "0123456789abcdef", 16) == 0 && memcmp(rows, "0123456789abcdef", 16) == 0,
                          "what is refused is untouched", __LINE__);
                }
                free(tiled);
                free(rows);
            }
        }
}

/* Both buffers with each length from 0 to the right one: all but the last are refused. */
static void lengths(const tilewise_layout* layout) {
    static const char zeros[256];
    const tilewise_box box = {{1, 2, 0}, {5, 3, 1}};
    uint64_t tiled_bytes = 0, rows_bytes = 0;
    count(tilewise_tiled_bytes(layout, &box, &tiled_bytes) == TILEWISE_OK && tiled_bytes <= sizeof zeros, "tiled_bytes",
          __LINE__);
    count(tilewise_rows_bytes(layout, &box, NULL, &rows_bytes) == TILEWISE_OK && rows_bytes == 60, "rows_bytes",
          __LINE__);
    char* whole_rows = exact_copy(zeros, rows_bytes);
    char* whole_tiled = exact_copy(zeros, tiled_bytes);
    for (uint64_t length = 0; length < tiled_bytes; length++) {
        char* tiled = exact_copy(zeros, length);
        REFUSED(tilewise_detile(layout, &box, tiled, length, whole_rows, rows_bytes, NULL));
        REFUSED(tilewise_tile(layout, &box, whole_rows, rows_bytes, NULL, tiled, length));
        free(tiled);
    }
    for (uint64_t length = 0; length < rows_bytes; length++) {
        char* rows = exact_copy(zeros, length);
        REFUSED(tilewise_detile(layout, &box, whole_tiled, tiled_bytes, rows, length, NULL));
        REFUSED(tilewise_tile(layout, &box, rows, length, NULL, whole_tiled, tiled_bytes));
        free(rows);
    }
    for (unsigned o = 0; o < offset_count; o++) {
        const tilewise_pitch pitch = {offsets[o], 0}, slice = {0, offsets[o]};
        if (offsets[o] == 0) continue;
        REFUSED(tilewise_detile(layout, &box, whole_tiled, tiled_bytes, whole_rows, rows_bytes, &pitch));
        if (offsets[o] > 64) continue; /* one slice: a pitch between slices is never stepped over */
        REFUSED(tilewise_tile(layout, &box, whole_rows, rows_bytes, &slice, whole_tiled, tiled_bytes - 1));
    }
    count(tilewise_detile(layout, &box, whole_tiled, tiled_bytes, whole_rows, rows_bytes, NULL) == TILEWISE_OK,
          "detile", __LINE__);
    count(tilewise_tile(layout, &box, whole_rows, rows_bytes, NULL, whole_tiled, tiled_bytes) == TILEWISE_OK, "tile",
          __LINE__);
    free(whole_rows);
    free(whole_tiled);
}

static void numbers_of_images(const tilewise_image* image) {
    for (unsigned i = 0; i < number_count; i++) {
        uint64_t number = 0;
        uint32_t extent[3];
        const uint32_t n = numbers[i];
        const tilewise_texel texels[] = {{(tilewise_aspect)n, 0, 0, {0, 0, 0}, 0}, {TILEWISE_COLOR, n, 0, {0, 0, 0}, 0},
                                         {TILEWISE_COLOR, 0, n, {0, 0, 0}, 0},     {TILEWISE_COLOR, 0, 0, {n, 0, 0}, 0},
                                         {TILEWISE_COLOR, 0, 0, {0, n, 0}, 0},     {TILEWISE_COLOR, 0, 0, {0, 0, n}, 0},
                                         {TILEWISE_COLOR, 0, 0, {0, 0, 0}, n}};
        const uint32_t ends[] = {1, 1, 2, 8, 8, 1, 1};
        for (unsigned j = 0; j < sizeof texels / sizeof *texels; j++) {
            if (n >= ends[j])
                REFUSED(tilewise_image_address(image, &texels[j], &number));
            else
                count(tilewise_image_address(image, &texels[j], &number) == TILEWISE_OK, "image_address", __LINE__);
        }
        if (n > 0) {
            NO_OBJECT(tilewise_image_layout(image, (tilewise_aspect)n, 0, 0, extent));
            NO_OBJECT(tilewise_image_layout(image, TILEWISE_COLOR, n, 0, extent));
        }
        if (n > 1) NO_OBJECT(tilewise_image_layout(image, TILEWISE_COLOR, 0, n, extent));
    }
}

static void workgroups(const tilewise_layout* layout) {
    for (unsigned i = 0; i < number_count; i++)
        for (unsigned j = 0; j < number_count; j++) {
            tilewise_workgroup workgroup;
            const uint32_t n = numbers[i], m = numbers[j];
            const int is_power = n != 0 && (n & (n - 1)) == 0 && n <= 4096;
            if (!is_power) REFUSED(tilewise_derive_workgroup(layout, n, m, 1, &workgroup));
            if (m == 0 || (m & (m - 1)) != 0) REFUSED(tilewise_derive_workgroup(layout, 64, m, n, &workgroup));
            memset(&workgroup, 0xff, sizeof workgroup);
            workgroup.bits = n;
            uint32_t texel[3] = {9, 9, 9};
            RETURNS((tilewise_workgroup_texel(&workgroup, m, texel), 0));
            if (n > 12) count(texel[0] == 0 && texel[1] == 0 && texel[2] == 0, "workgroup_texel", __LINE__);
        }
}

int main(void) {
    char image_text[2048];
    snprintf(image_text, sizeof image_text, "%s%s}]}", image_text_begin, layout_text);
    tilewise_layout* layout = tilewise_layout_from_json(layout_text, strlen(layout_text));
    tilewise_image* image = tilewise_image_from_json(image_text, strlen(image_text));
    if (layout == NULL || image == NULL) {
        printf("the good ones are refused: %s\n", tilewise_error());
        return 1;
    }
    texts(layout_text, 0);
    texts(image_text, 1);
    pointers(layout, image);
    numbers_of_layouts(layout);
    lengths(layout);
    numbers_of_images(image);
    workgroups(layout);
    tilewise_layout_free(layout);
    tilewise_image_free(image);
    printf("%u calls with a wrong argument, %u not refused as they must be\n", calls, wrong);
    return wrong != 0;
}
