#include "navi21.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewise/patterns/c_api.h>

static int failed(const char* what) {
    printf("%s: %s\n", what, tilewise_error());
    return 1;
}

int main(void) {
    static uint32_t rows[256 * 256], tiled[256 * 256], again[256 * 256];
    const tilewise_box image = {{0, 0, 0}, {256, 256, 1}};
    tilewise_workgroup workgroup;
    uint64_t bytes = 0;
    size_t i;
    tilewise_layout* layout = tilewise_layout_from_json(navi21_json, strlen(navi21_json));
    if (layout == NULL) return failed("from_json");

    for (i = 0; i < sizeof navi21_rows / sizeof navi21_rows[0]; i++) {
        const uint32_t element[3] = {navi21_rows[i].x, navi21_rows[i].y, 0};
        uint32_t found[3];
        uint64_t offset = 0;
        if (tilewise_offset_of(layout, element, &offset) != TILEWISE_OK) return failed("offset_of");
        if (offset != navi21_rows[i].offset) return failed("another offset");
        if (tilewise_element_of(layout, image.extent, offset + 3, found) != TILEWISE_OK) return failed("element_of");
        if (memcmp(found, element, sizeof found) != 0) return failed("another element");
    }

    for (i = 0; i < 256 * 256; i++) rows[i] = (uint32_t)i;
    if (tilewise_tiled_bytes(layout, &image, &bytes) != TILEWISE_OK || bytes != sizeof tiled) return failed("bytes");
    if (tilewise_tile(layout, &image, rows, sizeof rows, NULL, tiled, sizeof tiled) != TILEWISE_OK)
        return failed("tile");
    if (tiled[navi21_rows[0].offset / 4] != navi21_rows[0].y * 256 + navi21_rows[0].x) return failed("tiled elsewhere");
    if (tilewise_detile(layout, &image, tiled, sizeof tiled, again, sizeof again, NULL) != TILEWISE_OK)
        return failed("detile");
    if (memcmp(rows, again, sizeof rows) != 0) return failed("not the same again");

    if (tilewise_derive_workgroup(layout, 256, 32, 1, &workgroup) != TILEWISE_OK) return failed("derive_workgroup");
    if (workgroup.bits != 8) return failed("another workgroup");

    if (tilewise_detile(layout, &image, tiled, 100, again, sizeof again, NULL) != TILEWISE_ERROR ||
        strstr(tilewise_error(), "100 bytes") == NULL)
        return failed("a short image was not refused");
    if (tilewise_layout_from_json("{}", 2) != NULL || strstr(tilewise_error(), "element") == NULL)
        return failed("an empty layout was not refused");
    tilewise_layout_free(layout);
    puts("C: as the driver's table says");
    return 0;
}
