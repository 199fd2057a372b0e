// One fault: what goes wrong, in which call, at which occurrence of it. The environment specifies it:
//   TILEWISE_FAULT      "KIND CALL NTH SEED [VALUE]": "error vkCreateImage 3 17 -2". The KIND record only counts calls.
//   TILEWISE_FAULT_LOG  file that gets a line when the fault strikes; with record, a line for every call.
//   TILEWISE_FAULT_ONCE file: only the process that creates it first strikes. Without it, every process does.
//   TILEWISE_FAULT_WORDS  what the driver prints to stderr before that.
//   TILEWISE_FAULT_NAME   the name of its devices, with or without a fault.
//   TILEWISE_FAULT_LIMITS the value of every byte in its devices' limits and memory sizes: 255.
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
    drop,     ///< it does nothing and reports success
    abort,
    segfault,
    bus_error,
    realtime_signal,
    exit,  ///< with the status VALUE
    hang,
    fork_abort,  ///< a child process lives on and holds every file open
    scribble,    ///< writes random bytes to every open socket, pipe and file
    // faults in the texels: in the memory that is read after the call, or in what is copied
    flip,         ///< one bit or a few
    swap,         ///< bytes of two texels, or two blocks, are swapped
    stale,        ///< a block holds what the last copy left there
    duplicate,    ///< a block is copied to a second place
    erase,        ///< a block is zero
    relayout,     ///< two bits of every address are swapped
    twice,        ///< the copy is done again, to another place
    other_image,  ///< the image is created wider, or linear
};

struct Fault {
    Kind kind = Kind::none;
    std::string call;
    uint64_t nth = 0;
    uint64_t seed = 0;
    int value = 0;
};
const Fault& fault();

/// Whether the fault strikes in this occurrence of the call; logs it. If the fault is that the process ends or hangs,
/// does that.
bool strikes(const char* call, uint64_t occurrence);

/// The next number of the seed's random sequence, below the limit.
uint64_t draw(uint64_t limit);

}  // namespace tilewise::faults
