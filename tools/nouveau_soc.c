// Makes the nouveau shim present a Tegra; by itself, it presents every chip as a card. Preloaded before the shim, it
// says that the chip is part of a system on a chip. Only there does NVK offer ASTC and ETC2. NVK has no memory there,
// so images can be created and their sizes asked for, and no more. tools/with-driver nvk-tegra:CHIPSET loads it.
#include "shim_ioctl.c"

// nvif_ioctl_v0, nvif_ioctl_mthd_v0 and the beginning of nv_device_info_v0, from Linux's nvif/ioctl.h and
// nvif/cl0080.h.
struct method_call {
    uint8_t version, type, pad[4], owner, route;
    uint64_t token, object;
    uint8_t method_version, method, method_pad[6];
    uint8_t info_version, platform;
};
enum { nvif_number = 0x47, call_a_method = 4, device_info = 0, system_on_a_chip = 4 };

static void change_answer(unsigned number, unsigned bytes, void* argument) {
    struct method_call* call = argument;
    if (number == nvif_number && bytes >= sizeof *call && call->type == call_a_method && call->method == device_info)
        call->platform = system_on_a_chip;
}
