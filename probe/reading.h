// What became of a case: its table of offsets, or why there is none.
#pragma once
#include "patterns/model/sparse_blocks.h"
#include "patterns/model/table.h"
#include "probe/case.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tilewise::probe {

enum class Outcome {
    read,             ///< the table is worth solving (it may still have faults: then there is no fit)
    opaque,           ///< something was written, but it is not the texels: compressed or encrypted
    nothing_written,  ///< the sentinel stood everywhere
    unsupported,      ///< the device does not offer it; with the reason
    out_of_memory,    ///< the driver had too little of it: says nothing of what the device offers
    crashed,          ///< the driver failed: its process died, its device was lost
    timed_out,
};

struct Reading {
    Case probed;
    size_t place = 0;  ///< of the case among those of the run
    Outcome outcome = Outcome::unsupported;
    std::string reason;  ///< one line; empty only for a read without remarks
    Table table;         ///< offsets count from the start of the image's memory; empty where nothing was read
    uint64_t found = 0, missing = 0, doubled = 0;  ///< elements
    uint64_t foreign = 0, sentinel = 0;  ///< places that hold no element: something else, or what was pre-filled
    /// VkMemoryRequirements of the image, or of the case's plane of a disjoint one; 0: it never came so far.
    uint64_t image_bytes = 0, alignment = 0;
    std::optional<SparseBlocks> sparse;  ///< of the case's aspect, of an image with sparse residency
    int memory_type = -1;                ///< the one used, or asked for where it never came so far
    /// What the raw copy (host image copy with MEMCPY) showed beside the mapped memory: "" not tried (over 128 KiB),
    /// "agrees", "linear" (the driver ignores the flag: proves nothing), "differs".
    std::string raw_copy;
    double seconds = 0;
};

}  // namespace tilewise::probe
