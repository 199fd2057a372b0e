// Adds an Adreno chip that the freedreno shim does not list. Preloaded before the shim, it returns the chip's id;
// Turnip has the rest in its own tables. ADRENO_CHIP_ID: 0x06040001. tools/with-driver turnip:CHIP sets it.
#include "shim_ioctl.c"
#include <stdlib.h>

// drm_msm_param, from msm_drm.h.
struct msm_param {
    uint32_t pipe, param;
    uint64_t value;
    uint32_t len, pad;
};
enum { get_param_number = 0x40, gpu_id = 1, chip_id = 3 };

static void change_answer(unsigned number, unsigned bytes, void* argument) {
    const char* chip = getenv("ADRENO_CHIP_ID");
    if (!chip || number != get_param_number || bytes < sizeof(struct msm_param)) return;
    struct msm_param* asked = argument;
    if (asked->param == chip_id) asked->value = strtoull(chip, 0, 0);
    if (asked->param == gpu_id) asked->value = 0;
}
