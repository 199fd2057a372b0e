// The comment above a kernel's code: where its resources are bound, and how to compile and dispatch it, by language.
#pragma once
#include "kernels/code/code.h"
#include <string>
#include <vector>

namespace tilewise::kernels {

/// Returns the bindings of the result and the source: "binding 0: result, binding 1: source".
const char* places_text(Language language);
/// Returns the place of the push constants; WebGPU has them at that binding, Metal in the buffer of that number.
std::string push_place(Language language, uint32_t bindings, uint32_t buffers);
/// Returns one line for each buffer's binding, followed by the source's if there is one.
std::string buffers_text(Language language, const std::vector<std::string>& buffers, const std::string& source);

/// Returns lines about the sampler and about creating CUDA's texture objects, or nothing.
std::string sampler_text(const Code& code, Language language);
std::string read_mode_text(const Code& code, const CodeRequest& request);

/// Returns the name of a pass's function.
std::string entry_name(Language language, size_t pass, size_t passes);
/// Returns a namespace for CUDA's code, from the kernel's name; a user's filter is named after its file.
std::string name_space(const TimedMethod& method);
/// Returns the compiler's command for each pass, or its equivalent; `what` says what each pass does.
std::string compile_text(const Code& code, const CodeRequest& request, const std::vector<std::string>& what);
/// Returns how to make one pass wait for another that writes its image; follows "a barrier between them".
const char* barrier_text(Language language);
/// The same for a pass that writes its buffers.
const char* buffer_barrier_text(Language language);

/// Returns what the host must know about a method that computes one image from another.
std::string images_text(const Code& code, const CodeRequest& request);

/// Returns the host's function that computes the workgroups in launch order.
std::string groups_text(Size shape);
/// Returns the function that gives a workgroup's position, for a method that takes workgroups in any order.
std::string groups_text(const TimedMethod& timed);
/// Returns the function for two passes with different workgroups; `groups` is its body.
std::string turned_host(const std::string& groups);

/// Returns a line that explains why a workgroup is smaller than the one that was timed.
std::string too_large(const std::string& what, Language language);

}  // namespace tilewise::kernels
