// The routes `alias` and `alias-map`: the GPU copies texels into the image, and a buffer over the same memory (or its
// mapping) shows where they went.
#include "probe/routes/transfers.h"

namespace tilewise::probe {

using namespace vulkan;

Passes read_by_alias(Bench& bench, const SubjectImage& subject) {
    const uint32_t passes = pass_count(subject.payload.carrier);
    const auto snapshots = bench.snapshots.reserve(passes * subject.span);
    Transfers transfers = open_transfers(bench, subject);
    Passes result;
    for (uint32_t pass = 0; pass < passes; ++pass) {
        full_barrier(transfers.commands());
        vkCmdFillBuffer(transfers.commands(), subject.alias, 0, VK_WHOLE_SIZE, sentinel_word);
        full_barrier(transfers.commands());
        record_texels(transfers, pass);
        full_barrier(transfers.commands());
        record_reading(transfers, snapshots.subspan(pass * subject.span, subject.span));
        result.emplace_back(snapshots.subspan(pass * subject.span, subject.span));
    }
    submit(transfers);
    return result;
}

Passes read_by_alias_map(Bench& bench, const SubjectImage& subject) {
    const uint32_t passes = pass_count(subject.payload.carrier);
    Passes result;
    for (uint32_t pass = 0; pass < passes; ++pass) {
        fill_mapped(bench, subject);
        Transfers transfers = open_transfers(bench, subject);
        full_barrier(transfers.commands());
        record_texels(transfers, pass);
        submit(transfers);
        result.emplace_back(snapshot(bench, subject, pass));
    }
    return result;
}

}  // namespace tilewise::probe
