// Adds an AMD chip that the amdgpu shim does not list. Preloaded before the shim, it returns the chip's ids and address
// configuration in place of those of a listed chip of the same generation. AMDGPU_CHIP: PCI device id, revision of the
// chip within its family, GB_ADDR_CONFIG: 0x7340,0x15,0x43. tools/with-driver radv:CHIP sets it.
#include "shim_ioctl.c"
#include <stdio.h>
#include <stdlib.h>

// drm_amdgpu_info and the beginning of drm_amdgpu_info_device, from amdgpu_drm.h.
struct info {
    uint64_t answer;
    uint32_t answer_bytes, query, register_dword, register_count;
};
struct device {
    uint32_t device_id, chip_rev, external_rev;
};
enum { info_number = 0x45, read_registers = 0x15, device_info = 0x16, gb_addr_config_dword = 0x263e };

static void change_answer(unsigned number, unsigned bytes, void* argument) {
    const char* chip = getenv("AMDGPU_CHIP");
    unsigned id, revision, config;
    if (!chip || number != info_number || bytes < sizeof(struct info) ||
        sscanf(chip, "%x,%x,%x", &id, &revision, &config) != 3)
        return;
    const struct info* asked = argument;
    if (asked->query == device_info && asked->answer_bytes >= sizeof(struct device)) {
        struct device* device = (struct device*)(uintptr_t)asked->answer;
        device->device_id = id;
        device->external_rev = revision;
    }
    if (asked->query == read_registers && asked->register_dword == gb_addr_config_dword &&
        asked->answer_bytes >= sizeof(uint32_t))
        *(uint32_t*)(uintptr_t)asked->answer = config;
}
