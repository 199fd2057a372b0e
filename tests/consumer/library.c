/* The C example of docs/library.md, on the layout of navi21.h. */
#include "navi21.h"
#include <stdio.h>
#include <string.h>
#include <tilewise/patterns/c_api.h>

int main(void) {
    static unsigned char memory[256 * 256 * 4], rows[256 * 256 * 4];
    const size_t memory_bytes = sizeof memory, rows_bytes = sizeof rows;
    const char* text = navi21_json;
    tilewise_layout* layout = tilewise_layout_from_json(text, strlen(text));
    if (!layout) return fprintf(stderr, "%s\n", tilewise_error()), 1;
    const uint32_t texel[3] = {77, 133, 0};
    const tilewise_box image = {{0, 0, 0}, {256, 256, 1}};
    uint64_t offset;
    tilewise_offset_of(layout, texel, &offset); /* where a texel lies */
    if (offset != 170196) return puts("another offset than the driver's table has"), 1;
    memory[offset] = 1;

    if (tilewise_detile(layout, &image, memory, memory_bytes, rows, rows_bytes, NULL) != TILEWISE_OK)
        puts(tilewise_error()); /* and whole images */
    tilewise_layout_free(layout);
    if (rows[(133 * 256 + 77) * 4] != 1) return puts("the texel is not in its row"), 1;
    puts("C: the example of docs/library.md");
    return 0;
}
