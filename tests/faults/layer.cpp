// A Vulkan layer that makes the driver below it misbehave, once, as fault.h says. One instance and one device at a
// time.
#include "tests/faults/fault.h"
#include "tests/faults/texels.h"
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

namespace tilewise::faults {

namespace {

// All that Tilewise calls, but for what the loader answers itself.
#define CALLS(CALL)                                 \
    CALL(vkAllocateCommandBuffers)                  \
    CALL(vkAllocateDescriptorSets)                  \
    CALL(vkAllocateMemory)                          \
    CALL(vkBeginCommandBuffer)                      \
    CALL(vkBindBufferMemory)                        \
    CALL(vkBindImageMemory)                         \
    CALL(vkCmdBindDescriptorSets)                   \
    CALL(vkCmdBindPipeline)                         \
    CALL(vkCmdCopyBuffer)                           \
    CALL(vkCmdCopyBufferToImage)                    \
    CALL(vkCmdDispatch)                             \
    CALL(vkCmdFillBuffer)                           \
    CALL(vkCmdPipelineBarrier)                      \
    CALL(vkCmdPushConstants)                        \
    CALL(vkCopyImageToMemory)                       \
    CALL(vkCopyImageToMemoryEXT)                    \
    CALL(vkCopyMemoryToImage)                       \
    CALL(vkCopyMemoryToImageEXT)                    \
    CALL(vkCreateBuffer)                            \
    CALL(vkCreateCommandPool)                       \
    CALL(vkCreateComputePipelines)                  \
    CALL(vkCreateDescriptorPool)                    \
    CALL(vkCreateDescriptorSetLayout)               \
    CALL(vkCreateDevice)                            \
    CALL(vkCreateFence)                             \
    CALL(vkCreateImage)                             \
    CALL(vkCreateImageView)                         \
    CALL(vkCreateInstance)                          \
    CALL(vkCreatePipelineLayout)                    \
    CALL(vkCreateShaderModule)                      \
    CALL(vkDestroyBuffer)                           \
    CALL(vkDestroyCommandPool)                      \
    CALL(vkDestroyDescriptorPool)                   \
    CALL(vkDestroyDescriptorSetLayout)              \
    CALL(vkDestroyDevice)                           \
    CALL(vkDestroyFence)                            \
    CALL(vkDestroyImage)                            \
    CALL(vkDestroyImageView)                        \
    CALL(vkDestroyInstance)                         \
    CALL(vkDestroyPipeline)                         \
    CALL(vkDestroyPipelineLayout)                   \
    CALL(vkDestroyShaderModule)                     \
    CALL(vkDeviceWaitIdle)                          \
    CALL(vkEndCommandBuffer)                        \
    CALL(vkEnumerateDeviceExtensionProperties)      \
    CALL(vkEnumeratePhysicalDevices)                \
    CALL(vkFlushMappedMemoryRanges)                 \
    CALL(vkFreeMemory)                              \
    CALL(vkGetBufferMemoryRequirements)             \
    CALL(vkGetDeviceQueue)                          \
    CALL(vkGetImageMemoryRequirements2)             \
    CALL(vkGetImageSubresourceLayout2)              \
    CALL(vkGetImageSubresourceLayout2EXT)           \
    CALL(vkGetPhysicalDeviceFeatures2)              \
    CALL(vkGetPhysicalDeviceFormatProperties2)      \
    CALL(vkGetPhysicalDeviceImageFormatProperties2) \
    CALL(vkGetPhysicalDeviceMemoryProperties)       \
    CALL(vkGetPhysicalDeviceProperties)             \
    CALL(vkGetPhysicalDeviceProperties2)            \
    CALL(vkGetPhysicalDeviceQueueFamilyProperties)  \
    CALL(vkGetPipelineExecutablePropertiesKHR)      \
    CALL(vkGetPipelineExecutableStatisticsKHR)      \
    CALL(vkInvalidateMappedMemoryRanges)            \
    CALL(vkMapMemory)                               \
    CALL(vkQueueSubmit)                             \
    CALL(vkResetCommandPool)                        \
    CALL(vkResetFences)                             \
    CALL(vkTransitionImageLayout)                   \
    CALL(vkTransitionImageLayoutEXT)                \
    CALL(vkUpdateDescriptorSets)                    \
    CALL(vkWaitForFences)

enum class Call {
#define CALL(name) name,
    CALLS(CALL)
#undef CALL
};

constexpr const char* call_names[] = {
#define CALL(name) #name,
    CALLS(CALL)
#undef CALL
};

/// The driver's own; null where it has none.
PFN_vkVoidFunction below[std::size(call_names)] = {};
PFN_vkGetInstanceProcAddr get_instance_proc_below = nullptr;
PFN_vkGetDeviceProcAddr get_device_proc_below = nullptr;

template <Call call>
struct TypeOf;
#define CALL(name)               \
    template <>                  \
    struct TypeOf<Call::name> {  \
        using Type = PFN_##name; \
    };
CALLS(CALL)
#undef CALL

template <Call call>
auto driver() {
    return reinterpret_cast<typename TypeOf<call>::Type>(below[static_cast<size_t>(call)]);
}

bool failing = false;

// ---------------------------------------------------------------------- what the driver does, with or without a fault

// The loader hands down how to go on in the create info's chain.
template <typename Info>
const Info* link_info(const void* chain, VkStructureType type) {
    const auto* info = static_cast<const Info*>(chain);
    while (info && (info->sType != type || info->function != VK_LAYER_LINK_INFO))
        info = static_cast<const Info*>(info->pNext);
    return info;
}

VkResult create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                         VkInstance* instance) {
    const auto* link = link_info<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    get_instance_proc_below = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const_cast<VkLayerInstanceCreateInfo*>(link)->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create =
        reinterpret_cast<PFN_vkCreateInstance>(get_instance_proc_below(VK_NULL_HANDLE, "vkCreateInstance"));
    const VkResult result = create(info, allocator, instance);
    if (result == VK_SUCCESS)
        for (size_t i = 0; i < std::size(call_names); ++i) below[i] = get_instance_proc_below(*instance, call_names[i]);
    return result;
}

VkResult create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                       const VkAllocationCallbacks* allocator, VkDevice* device) {
    const auto* link = link_info<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    get_device_proc_below = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    const_cast<VkLayerDeviceCreateInfo*>(link)->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const VkResult result = driver<Call::vkCreateDevice>()(physical, info, allocator, device);
    if (result == VK_SUCCESS)
        for (size_t i = 0; i < std::size(call_names); ++i)
            if (const auto function = get_device_proc_below(*device, call_names[i])) below[i] = function;
    return result;
}

template <Call call>
VkResult copy_in(bool struck, VkDevice device, const VkCopyMemoryToImageInfo* info) {
    remember_memory();
    const VkResult result = driver<call>()(device, info);
    if (struck && fault().kind == Kind::twice) {
        VkMemoryToImageCopy region = info->pRegions[0];
        region.imageOffset = another_place(region.imageExtent);
        region.imageExtent.width -= static_cast<uint32_t>(region.imageOffset.x);
        region.imageExtent.height -= static_cast<uint32_t>(region.imageOffset.y);
        VkCopyMemoryToImageInfo again = *info;
        again.pRegions = &region;
        driver<call>()(device, &again);
    } else if (struck) {
        spoil_memory();
    }
    saw_end_of_pass();
    return result;
}

VkResult wait(bool struck, VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all, uint64_t timeout) {
    const VkResult result = driver<Call::vkWaitForFences>()(device, count, fences, all, timeout);
    if (struck) spoil_memory();
    saw_end_of_pass();
    return result;
}

VkResult submit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
    remember_memory();
    return driver<Call::vkQueueSubmit>()(queue, count, submits, fence);
}

void copy_to_image(bool struck, VkCommandBuffer commands, VkBuffer buffer, VkImage image, VkImageLayout layout,
                   uint32_t count, const VkBufferImageCopy* regions) {
    const auto copy = driver<Call::vkCmdCopyBufferToImage>();
    copy(commands, buffer, image, layout, count, regions);
    if (!struck) return;
    VkBufferImageCopy region = regions[0];
    region.imageOffset = another_place(region.imageExtent);
    region.imageExtent.width -= static_cast<uint32_t>(region.imageOffset.x);
    region.imageExtent.height -= static_cast<uint32_t>(region.imageOffset.y);
    copy(commands, buffer, image, layout, 1, &region);
}

void copy_buffer(bool struck, VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count,
                 const VkBufferCopy* regions) {
    const auto copy = driver<Call::vkCmdCopyBuffer>();
    copy(commands, from, to, count, regions);
    saw_read_back(to, regions[0].dstOffset);
    if (!struck) return;
    VkBufferCopy region = regions[0];
    const VkDeviceSize step = VkDeviceSize{4} << draw(8);
    region.size -= step;
    (draw(2) ? region.srcOffset : region.dstOffset) += step;
    copy(commands, from, to, 1, &region);
}

VkResult create_image(bool struck, VkDevice device, const VkImageCreateInfo* info,
                      const VkAllocationCallbacks* allocator, VkImage* image) {
    VkImageCreateInfo other = *info;
    if (struck && draw(2))
        other.tiling = VK_IMAGE_TILING_LINEAR;
    else if (struck)
        other.extent.width += 64U << draw(3);
    return driver<Call::vkCreateImage>()(device, &other, allocator, image);
}

template <Call call, typename... Arguments>
auto perform(bool struck, Arguments... arguments) {
    if constexpr (call == Call::vkCreateInstance)
        return create_instance(arguments...);
    else if constexpr (call == Call::vkCreateDevice)
        return create_device(arguments...);
    else if constexpr (call == Call::vkCopyMemoryToImage || call == Call::vkCopyMemoryToImageEXT)
        return copy_in<call>(struck, arguments...);
    else if constexpr (call == Call::vkWaitForFences)
        return wait(struck, arguments...);
    else if constexpr (call == Call::vkQueueSubmit)
        return submit(arguments...);
    else if constexpr (call == Call::vkCmdCopyBufferToImage)
        return copy_to_image(struck, arguments...);
    else if constexpr (call == Call::vkCmdCopyBuffer)
        return copy_buffer(struck, arguments...);
    else if constexpr (call == Call::vkCreateImage)
        return create_image(struck, arguments...);
    else
        return driver<call>()(arguments...);
}

void saw_image(VkDevice, const VkImageMemoryRequirementsInfo2* info, const VkMemoryRequirements2* needs) {
    saw_size(info->image, needs->memoryRequirements.size);
}
void saw_bound_image(VkDevice, VkImage image, VkDeviceMemory memory, VkDeviceSize) { saw_binding(image, memory); }
void saw_bound_buffer(VkDevice, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize) { saw_binding(buffer, memory); }
void saw_mapped(VkDevice, VkDeviceMemory memory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags, void** map) {
    saw_map(memory, *map);
}

void give_name(VkPhysicalDevice, VkPhysicalDeviceProperties* about) {
    if (const char* name = std::getenv("TILEWISE_FAULT_NAME"))
        std::snprintf(about->deviceName, sizeof about->deviceName, "%s", name);
}

/// Writes the byte over what a driver says of its device.
template <typename Answer>
void overwrite(Answer& answer) {
    if (const char* byte = std::getenv("TILEWISE_FAULT_LIMITS")) std::memset(&answer, std::atoi(byte), sizeof answer);
}

void give_limits(VkPhysicalDevice, VkPhysicalDeviceProperties* about) { overwrite(about->limits); }
void give_memory(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* memory) { overwrite(*memory); }

template <Call call, typename... Arguments>
void observe(Arguments... arguments) {
    if constexpr (call == Call::vkGetPhysicalDeviceProperties) give_limits(arguments...);
    if constexpr (call == Call::vkGetPhysicalDeviceMemoryProperties) give_memory(arguments...);
    if constexpr (call == Call::vkGetPhysicalDeviceProperties) give_name(arguments...);
    if constexpr (call == Call::vkGetImageMemoryRequirements2) saw_image(arguments...);
    if constexpr (call == Call::vkBindImageMemory) saw_bound_image(arguments...);
    if constexpr (call == Call::vkBindBufferMemory) saw_bound_buffer(arguments...);
    if constexpr (call == Call::vkMapMemory) saw_mapped(arguments...);
}

template <Call call, typename Function>
struct Hook;

template <Call call, typename Result, typename... Arguments>
struct Hook<call, Result(VKAPI_PTR*)(Arguments...)> {
    static VKAPI_ATTR Result VKAPI_CALL run(Arguments... arguments) {
        static uint64_t occurrences = 0;
        const bool struck = strikes(call_names[static_cast<size_t>(call)], ++occurrences);
        const Kind kind = fault().kind;
        failing |= struck && kind == Kind::failing;
        if constexpr (std::is_same_v<Result, VkResult>) {
            if (failing || (struck && kind == Kind::error)) return static_cast<VkResult>(fault().value);
            if (struck && kind == Kind::drop) return VK_SUCCESS;
            const VkResult result = perform<call>(struck, arguments...);
            if (result == VK_SUCCESS) observe<call>(arguments...);
            return result;
        } else {
            if (struck && kind == Kind::drop) return;
            perform<call>(struck, arguments...);
            observe<call>(arguments...);
        }
    }
};

struct Entry {
    const char* name;
    PFN_vkVoidFunction hook;
};
const Entry entries[] = {
#define CALL(name) {#name, reinterpret_cast<PFN_vkVoidFunction>(&Hook<Call::name, PFN_##name>::run)},
    CALLS(CALL)
#undef CALL
};

PFN_vkVoidFunction hook_named(const char* name) {
    for (const Entry& entry : entries)
        if (std::strcmp(entry.name, name) == 0) return entry.hook;
    return nullptr;
}

PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice device, const char* name) {
    if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&get_device_proc);
    const PFN_vkVoidFunction function = get_device_proc_below(device, name);
    const PFN_vkVoidFunction hook = hook_named(name);
    return function && hook ? hook : function;
}

PFN_vkVoidFunction VKAPI_CALL get_instance_proc(VkInstance instance, const char* name) {
    if (std::strcmp(name, "vkGetInstanceProcAddr") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(&get_instance_proc);
    if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&get_device_proc);
    if (std::strcmp(name, "vkCreateInstance") == 0 || std::strcmp(name, "vkCreateDevice") == 0) return hook_named(name);
    if (!instance || !get_instance_proc_below) return nullptr;
    const PFN_vkVoidFunction function = get_instance_proc_below(instance, name);
    const PFN_vkVoidFunction hook = hook_named(name);
    return function && hook ? hook : function;
}

}  // namespace

}  // namespace tilewise::faults

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* version) {
    version->loaderLayerInterfaceVersion = 2;
    version->pfnGetInstanceProcAddr = tilewise::faults::get_instance_proc;
    version->pfnGetDeviceProcAddr = tilewise::faults::get_device_proc;
    version->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
