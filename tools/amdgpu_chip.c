// An AMD chip that the amdgpu shim does not list: preloaded before the shim, it answers for the chip's ids and address
// configuration in place of a listed chip of the same generation. AMDGPU_CHIP: PCI device id, revision of the chip
// within its family, GB_ADDR_CONFIG: 0x7340,0x15,0x43. tools/with-driver radv:CHIP sets it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// drm_amdgpu_info and the beginning of drm_amdgpu_info_device, of amdgpu_drm.h.
struct info {
    uint64_t answer;
    uint32_t answer_bytes, query, register_dword, register_count;
};
struct device {
    uint32_t device_id, chip_rev, external_rev;
};
enum { info_number = 0x45, read_registers = 0x15, device_info = 0x16, gb_addr_config_dword = 0x263e };

int ioctl(int file, unsigned long request, ...) {
    static int (*next)(int, unsigned long, ...);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "ioctl");
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    const int result = next(file, request, argument);
    const char *chip = getenv("AMDGPU_CHIP");
    unsigned id, revision, config;
    if (result != 0 || !chip || (request >> 8 & 0xff) != 'd' || (request & 0xff) != info_number ||
        sscanf(chip, "%x,%x,%x", &id, &revision, &config) != 3)
        return result;
    const struct info *asked = argument;
    if (asked->query == device_info && asked->answer_bytes >= sizeof(struct device)) {
        struct device *device = (struct device *)(uintptr_t)asked->answer;
        device->device_id = id;
        device->external_rev = revision;
    }
    if (asked->query == read_registers && asked->register_dword == gb_addr_config_dword &&
        asked->answer_bytes >= sizeof(uint32_t))
        *(uint32_t *)(uintptr_t)asked->answer = config;
    return result;
}
