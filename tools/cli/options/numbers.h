// How numbers on the command line are read.
#pragma once

namespace CLI {
class App;
}

namespace tilewise {

/// Makes all options of the program and its commands that take a number read it as people write it. Whole numbers are
/// decimal, whatever zeros they begin with, or hexadecimal after 0x; CLI11 alone would read 010 as octal, and -1 as
/// 2^64 - 1. Other numbers are finite. What is not such a number is refused by name.
void read_plain_numbers(CLI::App& app);

}  // namespace tilewise
