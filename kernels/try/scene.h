// The environment of a foreign compute shader: images, buffers and passes, all created and filled on a device.
#pragma once
#include "kernels/context.h"
#include "kernels/job.h"
#include "kernels/try/reflection.h"
#include <memory>
#include <span>

namespace tilewise::kernels {

struct SceneImage {
    std::string name;
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkImageType type = VK_IMAGE_TYPE_2D;
    std::array<uint32_t, 3> size = {1, 1, 1};
    uint32_t layers = 1, levels = 1;
    uint32_t texel_bytes = 4;
    bool is_sampled = false, is_storage = false;
    VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
    /// Level after level, each with all its layers, in rows without padding.
    std::vector<std::byte> initial;
};

struct SceneBuffer {
    std::string name;
    bool is_uniform = false;
    std::vector<std::byte> initial;
};

/// An image or a buffer, by its position in the scene.
struct SceneResource {
    enum class Kind { image, buffer, nearest_sampler, linear_sampler };
    Kind kind = Kind::image;
    size_t place = 0;
    /// For an image: a single level; none: all levels if it is sampled, the first if it is stored to.
    std::optional<uint32_t> level = {};
};

struct SceneBinding {
    uint32_t set = 0, binding = 0;
    ResourceKind kind = ResourceKind::storage_image;
    bool is_3d = false, is_1d = false, is_arrayed = false;
    /// One resource, or those of an array.
    std::vector<SceneResource> resources;
    SceneResource::Kind sampler = SceneResource::Kind::linear_sampler;
};

struct ScenePass {
    std::string name, entry = "main";
    std::vector<uint32_t> spirv;
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::vector<SceneBinding> bindings;
    std::vector<std::byte> push;
    /// Specialization constants by id: bytes and bits.
    std::map<uint32_t, std::pair<uint32_t, uint64_t>> constants;
};

struct Scene {
    std::vector<SceneImage> images;
    std::vector<SceneBuffer> buffers;
    std::vector<ScenePass> passes;
    /// Positions of the images and of the buffers that a pass writes.
    std::vector<size_t> written_images, written_buffers;
    /// A run changes what the next one reads.
    bool changes_its_input = false;
    /// Buffers to which atomics add floats: compared within a bound; all others must be equal to the bit.
    std::set<size_t> float_sum_buffers;
};

/// All bytes of a scene's images and buffers.
uint64_t bytes_of(const Scene& scene);
constexpr std::byte poison_byte{0xa5};

/// Why the device cannot run a shader with these capabilities and extensions; empty if it can.
std::string why_not_runnable(const Context& context, const ShaderReflection& shader);

/// The results of a run as bytes: written images, then written buffers.
using SceneResults = std::vector<std::vector<std::byte>>;

class SceneOnDevice {
public:
    /// Throws Error naming what the device cannot have. The scene must live as long as this object; its initial bytes
    /// are no longer needed.
    SceneOnDevice(Context& context, const Scene& scene);
    ~SceneOnDevice();
    SceneOnDevice(const SceneOnDevice&) = delete;
    SceneOnDevice& operator=(const SceneOnDevice&) = delete;

    struct Pipeline;
    /// Creates a pass like the scene's, but with other SPIR-V, groups and constants.
    std::shared_ptr<const Pipeline> make_pipeline(size_t pass, std::span<const uint32_t> spirv,
                                                  std::array<uint32_t, 3> groups,
                                                  const std::map<uint32_t, std::pair<uint32_t, uint64_t>>& constants);

    /// Records all passes, with barriers between them; `varied` replaces the pass `varied_pass`.
    void record(VkCommandBuffer commands, size_t varied_pass, const Pipeline& varied) const;
    /// Records restoring everything that passes write to its state before the first run: poisoned if no contents were
    /// given.
    void record_reset(VkCommandBuffer commands) const;

    /// Resets, runs once, and reads the results.
    SceneResults run(size_t varied_pass, const Pipeline& varied);

    /// "result, texel (3, 4)"; empty if the results are equal. `relative` is the allowed difference for floats in
    /// float_sum_buffers.
    std::string difference(const SceneResults& expected, const SceneResults& got, double relative) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tilewise::kernels
