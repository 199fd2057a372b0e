// The image formats that emitted kernels can write.
#pragma once
#include "patterns/snippet/snippet.h"
#include <optional>
#include <string>

namespace tilewise {

/// The meaning of a channel's bits.
enum class Channel { unorm8, snorm8, unorm16, snorm16, half, single, packed };

/// A format that shaders can write, and its names.
struct KernelFormat {
    const char* name;  ///< Vulkan's, without VK_FORMAT_
    unsigned channels;
    Channel channel;
    const char* glsl;  ///< of an image format; HLSL's attribute for SPIR-V has the same names
    const char* wgsl;  ///< null: WebGPU cannot write such a texture
};

/// Throws UsageError, naming the available formats, if the language cannot write such an image.
const KernelFormat& kernel_format(const std::string& name, Language language);
bool is_written(const KernelFormat& format, Language language);
bool is_written(const std::string& name);  ///< by GLSL, which can write each of these formats
/// For a format `name` that shaders cannot write: the format that they can write and as which such an image can be
/// viewed. None if they can write `name` itself, or if there is no such format.
std::optional<std::string> storable_view(const std::string& name);

/// Bytes of a channel in memory.
unsigned channel_bytes(Channel channel);
/// HLSL's element type for an RWTexture2D.
std::string hlsl_element(const KernelFormat& format);
/// CUDA's name for the type of a channel, as it appears in the names of vector types.
const char* cuda_channel(Channel channel);
/// CUDA's function tilewise_channel(value), which converts a channel to its stored form; empty if the value is stored
/// as it is.
std::string cuda_channel_function(const KernelFormat& format);

}  // namespace tilewise
