// One fault: what goes wrong, in which call, at which of its occurrences. Told by the environment:
//   TILEWISE_FAULT      "KIND CALL NTH SEED [VALUE]": "error vkCreateImage 3 17 -2". KIND is record, which only counts.
//   TILEWISE_FAULT_LOG  file to which a line goes when the fault strikes; under record, one for every call.
//   TILEWISE_FAULT_ONCE file: whoever creates it first strikes, no other process does. Without it every process does.
//   TILEWISE_FAULT_WORDS  what the driver says on stderr before that.
//   TILEWISE_FAULT_NAME   what its devices are called, with or without a fault.
//   TILEWISE_FAULT_LIMITS a byte that its devices' limits, and how much memory they have, consist of: 255.
#pragma once
#include <cstdint>
#include <string>

namespace tilewise::faults {

enum class Kind {
    none,
    record,
    // in any call
    error,    ///< it returns VALUE
    failing,  ///< it and all later calls return VALUE
    drop,     ///< it does nothing and says success
    abort,
    segfault,
    bus_error,
    realtime_signal,
    exit,  ///< with the status VALUE
    hang,
    fork_abort,  ///< a child that lives on holds every file open
    scribble,    ///< random bytes into every socket, pipe and file that is open
    // where texels pass: in the memory that is read after the call, or in what is copied
    flip,         ///< one bit or a few
    swap,         ///< two texels' worth of bytes, or two blocks, change places
    stale,        ///< a block holds what the last copy left there
    duplicate,    ///< a block lies at a second place
    erase,        ///< a block is zero
    relayout,     ///< two bits of every address change places
    twice,        ///< the copy is done again, to another place
    other_image,  ///< the image is made wider, or linear
};

struct Fault {
    Kind kind = Kind::none;
    std::string call;
    uint64_t nth = 0;
    uint64_t seed = 0;
    int value = 0;
};
const Fault& fault();

/// Whether the fault strikes in this occurrence of the call; logs it. Where the process is to end or to hang, it does.
bool strikes(const char* call, uint64_t occurrence);

/// The next number of the seed's sequence, below the limit.
uint64_t draw(uint64_t limit);

}  // namespace tilewise::faults
