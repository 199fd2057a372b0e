// The most frequent uses of each command: shown by help and in the man pages.
#pragma once

namespace CLI {
class App;
}

namespace tilewise {

/// Sets the footers of all commands of the program.
void add_examples(CLI::App& app);

}  // namespace tilewise
