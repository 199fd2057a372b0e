// Moves texels into an image and memory out of it on the queue, through two host buffers. The buffers are smaller than
// large images because the system pins their pages, slowly (on an H100: 0.4 s per GiB), and whoever opens the device
// meanwhile has to wait. Commands that need more room than there is are submitted in pieces.
#pragma once
#include "probe/routes/routes.h"

namespace tilewise::probe {

struct Transfers {
    Bench& bench;
    const SubjectImage& subject;
    std::vector<Band> bands = {};
    VkDeviceSize staged = 0, landed = 0;  ///< bytes in use in the bench's buffers
    struct Landing {
        VkDeviceSize from = 0;
        std::span<std::byte> to;
    };
    std::vector<Landing> landings = {};

    VkCommandBuffer commands() const { return bench.commands.buffer; }
};

/// Commands may be recorded from here on; submit() runs the last of them.
Transfers open_transfers(Bench& bench, const SubjectImage& subject);

/// Records one pass of all texels. It leaves the image in the layout GENERAL, in which drivers disguise texels least.
void record_texels(Transfers& transfers, uint32_t pass);

/// Records reading the first bytes of the subject's alias buffer, which are available after submit(). Bytes that the
/// queue does not write become the sentinel.
void record_reading(Transfers& transfers, std::span<std::byte> to);

/// Runs the recorded commands.
void submit(Transfers& transfers);

}  // namespace tilewise::probe
