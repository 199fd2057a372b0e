// Texels into an image and memory out of it by the queue, through two buffers of the host. These are smaller than large
// images: the system pins their pages, slowly (an H100's: 0.4 s a GiB), and whoever opens the device meanwhile waits.
// Commands that need more room than there is are submitted in pieces.
#pragma once
#include "probe/routes/routes.h"

namespace tilewise::probe {

struct Transfers {
    Bench& bench;
    const SubjectImage& subject;
    std::vector<Band> bands = {};
    VkDeviceSize staged = 0, landed = 0;  ///< bytes in use of the bench's buffers
    struct Landing {
        VkDeviceSize from = 0;
        std::span<std::byte> to;
    };
    std::vector<Landing> landings = {};

    VkCommandBuffer commands() const { return bench.commands.buffer; }
};

/// Commands may be recorded from then on; submit() runs the last of them.
Transfers open_transfers(Bench& bench, const SubjectImage& subject);

/// One pass of all texels. The image ends in the layout GENERAL, in which drivers keep texels least disguised.
void record_texels(Transfers& transfers, uint32_t pass);

/// The first bytes of the subject's alias buffer, which are there after submit(). What the queue does not write becomes
/// the sentinel.
void record_reading(Transfers& transfers, std::span<std::byte> to);

/// Runs what was recorded.
void submit(Transfers& transfers);

}  // namespace tilewise::probe
