// The comment above a kernel's code: where its resources are bound, how it is compiled and dispatched, by language.
#pragma once
#include "kernels/code/code.h"
#include <string>
#include <vector>

namespace tilewise::kernels {

/// Returns where the result and the source are bound: "binding 0: result, binding 1: source".
const char* places_text(Language language);
/// Returns where the push constants are; WebGPU has them at the binding, Metal in the buffer of that number.
std::string push_place(Language language, uint32_t bindings, uint32_t buffers);
/// Returns a line of each buffer's place, and the source's behind them where there is one.
std::string buffers_text(Language language, const std::vector<std::string>& buffers, const std::string& source);

/// Returns lines, or nothing: of the sampler, and of how CUDA's texture objects are made.
std::string sampler_text(const Code& code, Language language);
std::string read_mode_text(const Code& code, const CodeRequest& request);

/// Returns how the function of a pass is called.
std::string entry_name(Language language, size_t pass, size_t passes);
/// Returns a name for CUDA's code, by that of the kernel: a user's filter has that of a file.
std::string name_space(const TimedMethod& method);
/// Returns the compiler's command for each pass, or what takes its place; `what` says what each pass does.
std::string compile_text(const Code& code, const CodeRequest& request, const std::vector<std::string>& what);
/// Returns what makes one pass wait for another that writes its image, behind "a barrier between them".
const char* barrier_text(Language language);
/// The same of a pass that writes its buffers.
const char* buffer_barrier_text(Language language);

/// Returns what the host must know of a method that makes an image of an image.
std::string images_text(const Code& code, const CodeRequest& request);

/// Returns the host's function of workgroups as they are launched.
std::string groups_text(Size shape);
/// Returns the function of the workgroup's position, for a method that takes workgroups in any order.
std::string groups_text(const TimedMethod& timed);
/// Returns the function for two passes whose workgroups differ; `groups` is what it does.
std::string turned_host(const std::string& groups);

/// Returns a line that says why a workgroup is smaller than the one that was timed.
std::string too_large(const std::string& what, Language language);

}  // namespace tilewise::kernels
