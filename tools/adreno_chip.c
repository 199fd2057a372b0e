// An Adreno that the freedreno shim does not list: preloaded before the shim, it answers for the chip's id, of which
// Turnip's own tables tell the rest. ADRENO_CHIP_ID: 0x06040001. tools/with-driver turnip:CHIP sets it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

// drm_msm_param, of msm_drm.h.
struct msm_param {
    uint32_t pipe, param;
    uint64_t value;
    uint32_t len, pad;
};
enum { get_param_number = 0x40, gpu_id = 1, chip_id = 3 };

int ioctl(int file, unsigned long request, ...) {
    static int (*next)(int, unsigned long, ...);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "ioctl");
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    const int result = next(file, request, argument);
    const char *chip = getenv("ADRENO_CHIP_ID");
    if (result == 0 && chip && (request >> 8 & 0xff) == 'd' && (request & 0xff) == get_param_number) {
        struct msm_param *asked = argument;
        if (asked->param == chip_id) asked->value = strtoull(chip, 0, 0);
        if (asked->param == gpu_id) asked->value = 0;
    }
    return result;
}
