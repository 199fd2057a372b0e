// Windows: the console belongs to whoever started this program, too. For the files of this folder.
#pragma once

namespace tilewise::system {

/// Code page and modes become what they were before prepare_standard_streams(). From any thread.
void restore_console();

}  // namespace tilewise::system
