// What ends a program from outside: Ctrl-C, a request to terminate, a terminal that closes. One that is ignored, as under
// nohup, stays so.
#pragma once

namespace tilewise::system {

/// The first such signal from now on calls `handler`; the next one does what it did before. A handler may do no more
/// than the handler of a signal.
void handle_next_interrupt(void (*handler)());

/// Such a signal calls `handler` before it ends the program.
void handle_end(void (*handler)());

/// A closed pipe, and a file beyond the limit of `ulimit -f`, become errors of the write.
void let_writes_fail();

}  // namespace tilewise::system
