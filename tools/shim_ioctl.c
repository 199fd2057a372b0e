// Included by libraries that are preloaded before a DRM shim: an ioctl() that changes some of the shim's answers. Each
// library defines change_answer().
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>

/// Called after the shim has answered the DRM ioctl with that number, whose argument has `bytes` bytes.
static void change_answer(unsigned number, unsigned bytes, void* argument);

int ioctl(int file, unsigned long request, ...) {
    static int (*next)(int, unsigned long, ...);
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, "ioctl");
    va_list rest;
    va_start(rest, request);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    const int result = next(file, request, argument);
    if (result == 0 && (request >> 8 & 0xff) == 'd') change_answer(request & 0xff, request >> 16 & 0x3fff, argument);
    return result;
}
