// A compute shader's bindings and dependencies, found from its SPIR-V.
#pragma once
#include "kernels/try/spirv_code.h"
#include <map>
#include <set>
#include <volk.h>

namespace tilewise::kernels {

enum class ResourceKind { storage_image, sampled_image, combined_image, sampler, uniform_buffer, storage_buffer };
/// "storage image", ..
const char* resource_kind_name(ResourceKind kind);
constexpr bool is_image(ResourceKind kind) {
    return kind == ResourceKind::storage_image || kind == ResourceKind::sampled_image ||
           kind == ResourceKind::combined_image;
}
constexpr bool is_buffer(ResourceKind kind) {
    return kind == ResourceKind::uniform_buffer || kind == ResourceKind::storage_buffer;
}

/// A number in a block of memory, or the number in a specialization constant.
struct ScalarPlace {
    /// "size.x"; in arrays "weights[2]".
    std::string name;
    uint32_t offset = 0;
    /// f, i or u (b: a specialization constant that is a bool); the size is `bytes`.
    char kind = 'u';
    uint32_t bytes = 4;
};

struct ShaderResource {
    /// As in the source; "set0_binding3" if the SPIR-V has no name.
    std::string name;
    uint32_t set = 0, binding = 0;
    ResourceKind kind = ResourceKind::storage_image;
    /// More than one: an array of resources.
    uint32_t count = 1;
    bool is_read = false, is_written = false;
    /// For images.
    spv::Dim dim = spv::Dim::Dim2D;
    bool is_arrayed = false;
    VkFormat format = VK_FORMAT_UNDEFINED;
    /// f, i or u: the type of the numbers that shaders read from it.
    char numbers = 'f';
    /// For buffers: the least number of bytes, and the bytes added by each element of the array at its end (0: no such
    /// array).
    uint64_t bytes = 0, stride = 0;
    /// For buffers, the numbers before that array; at most the first 4096.
    std::vector<ScalarPlace> scalars = {};
};

struct SpecConstant {
    uint32_t id = 0;
    std::string name;
    ScalarPlace place;
    /// Its default bits, used without --spec.
    uint64_t bits = 0;
};

struct ShaderReflection {
    /// The SPIR-V version, as in SpirvCode.
    uint32_t version = 0;
    ComputeEntry entry;
    std::vector<ShaderResource> resources;
    uint32_t push_bytes = 0;
    std::vector<ScalarPlace> push;
    std::vector<SpecConstant> constants;
    /// Without specialization.
    std::array<uint32_t, 3> local_size = {1, 1, 1};
    /// The ids of the specialization constants that give the sides of a workgroup; none for a side that is a plain
    /// number.
    std::array<std::optional<uint32_t>, 3> local_size_constants = {};
    std::vector<spv::Capability> capabilities;
    std::vector<std::string> extensions;
    /// Atomics add to or compare floating-point numbers in memory: their order changes the rounding.
    bool has_float_atomics = false;
};

/// The code must be valid. Throws Error for anything that this program cannot bind.
ShaderReflection reflect(const SpirvCode& code, const std::string& entry);

/// The functions that an entry point reaches, by id.
std::set<uint32_t> reached_functions(const SpirvCode& code, uint32_t from);

/// The size of a workgroup with these specialization constants, given by id.
std::array<uint32_t, 3> local_size_of(const ShaderReflection& shader, const std::map<uint32_t, uint64_t>& constants);

}  // namespace tilewise::kernels
