// Compiling what strangers wrote, in a process of its own.
#pragma once
#include "probe/worker/process.h"
#include <string>
#include <string_view>

namespace tilewise::kernels {

/// What the role makes of `task`, in a process that has a gigabyte of memory more than it starts with, 30 s of one core
/// and nothing to print to; its end is not the program's. Throws Error: what the role threw, or that `subject` took too
/// much.
std::string run_confined(const probe::worker::Role& role, std::string_view subject, std::string_view task);

/// Answers one task by `work`, which may throw: what a role of run_confined's is made of. The exit code.
int answer_task(probe::worker::Playing& playing, std::string (*work)(std::string_view task));

/// What compiles strangers' shaders.
int compile_for_program(probe::worker::Playing& playing);
/// main() gives it to play_role.
inline const probe::worker::Role compile_role = {"compile", compile_for_program};

}  // namespace tilewise::kernels
