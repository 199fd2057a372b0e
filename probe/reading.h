// The result of a case: its table of offsets, or why there is none.
#pragma once
#include "patterns/model/sparse_blocks.h"
#include "patterns/model/table.h"
#include "probe/case.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tilewise::probe {

enum class Outcome {
    read,             ///< the table is worth solving (it may still have faults, and then it has no fit)
    opaque,           ///< something was written, but it is not the texels: compressed or encrypted
    nothing_written,  ///< the sentinel was found everywhere
    unsupported,      ///< the device does not offer it; `reason` says why
    out_of_memory,    ///< the driver lacked memory: this says nothing about what the device offers
    crashed,          ///< the driver failed: its process died, its device was lost
    timed_out,
};

struct Reading {
    Case probed;
    size_t place = 0;  ///< position of the case in the run
    Outcome outcome = Outcome::unsupported;
    std::string reason;  ///< one line; empty only for a read without remarks
    Table table;         ///< offsets count from the start of the image's memory; empty if nothing was read
    uint64_t found = 0, missing = 0, doubled = 0;  ///< elements
    uint64_t foreign = 0, sentinel = 0;  ///< places without an element: other data, or the pre-filled sentinel
    /// VkMemoryRequirements of the image, or of the case's plane in a disjoint image; 0: not determined.
    uint64_t image_bytes = 0, alignment = 0;
    std::optional<SparseBlocks> sparse;  ///< for the case's aspect, if the image has sparse residency
    int memory_type = -1;                ///< the one used, or the one requested if none was used
    /// What the raw copy (host image copy with MEMCPY) showed compared with the mapped memory: "" not tried (over 128
    /// KiB), "agrees", "linear" (the driver ignores the flag, so this proves nothing), "differs".
    std::string raw_copy;
    double seconds = 0;
};

}  // namespace tilewise::probe
