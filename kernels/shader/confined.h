// Compiling what strangers wrote, in a process of its own.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace tilewise::kernels {

/// What `work` returns. It runs in a copy of this process that has a gigabyte of memory more, 30 s of one core and
/// nothing to print to; its end is not the program's. Throws Error: what `work` threw, or that `subject` took too much.
std::string run_confined(std::string_view subject, const std::function<std::string()>& work);

}  // namespace tilewise::kernels
