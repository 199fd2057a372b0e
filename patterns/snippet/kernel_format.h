// The formats of images that emitted kernels write.
#pragma once
#include "patterns/snippet/snippet.h"
#include <optional>
#include <string>

namespace tilewise {

/// What a channel's bits are.
enum class Channel { unorm8, snorm8, unorm16, snorm16, half, single, packed };

/// A format that shaders write, and by which name.
struct KernelFormat {
    const char* name;  ///< Vulkan's, without VK_FORMAT_
    unsigned channels;
    Channel channel;
    const char* glsl;  ///< of an image; HLSL's attribute for SPIR-V has the same names
    const char* wgsl;  ///< null: WebGPU writes no such texture
};

/// Throws UsageError, naming those that there are, where the language does not write such an image.
const KernelFormat& kernel_format(const std::string& name, Language language);
bool is_written(const KernelFormat& format, Language language);
bool is_written(const std::string& name);  ///< by GLSL, which writes each of them
/// The format that shaders write, as which an image of `name`, which they do not, can be viewed. None where they write
/// it, or there is none.
std::optional<std::string> storable_view(const std::string& name);

/// Bytes of a channel in memory.
unsigned channel_bytes(Channel channel);
/// HLSL's type of an element of an RWTexture2D.
std::string hlsl_element(const KernelFormat& format);
/// What CUDA calls the type of a channel in the names of vectors of it.
const char* cuda_channel(Channel channel);
/// CUDA's function tilewise_channel(value): a channel as it is kept; empty where that is the value itself.
std::string cuda_channel_function(const KernelFormat& format);

}  // namespace tilewise
