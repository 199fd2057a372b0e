// Compiles foreign code in a separate process.
#pragma once
#include "probe/worker/process.h"
#include <string>
#include <string_view>

namespace tilewise::kernels {

/// Returns the role's answer to `task`, given by a process that has a gigabyte of memory more than it starts with, 30 s
/// on one core, and no output; if it dies, the program does not. Throws Error with what the role threw, or saying that
/// `subject` took too much.
std::string run_confined(const probe::worker::Role& role, std::string_view subject, std::string_view task);

/// Answers one task by calling `work`, which may throw: the body of a role for run_confined(). Returns the exit code.
int answer_task(probe::worker::Playing& playing, std::string (*work)(std::string_view task));

/// Compiles foreign shaders.
int compile_for_program(probe::worker::Playing& playing);
/// The role that main() passes to play_role.
inline const probe::worker::Role compile_role = {"compile", compile_for_program};

}  // namespace tilewise::kernels
