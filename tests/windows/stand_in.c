// A vulkan-1.dll that comes before Windows' own, and misbehaves when an image of the format R32_UINT is created, as the
// variable STAND_IN says: crash, abort, exit, hang, lose (the device), print (to stdout, and continue).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan_core.h>
#include <windows.h>

static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;
static PFN_vkCreateImage next_create;

static VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo* info,
                                                   const VkAllocationCallbacks* callbacks, VkImage* image) {
    const char* fault = getenv("STAND_IN");
    if (fault && info->format == VK_FORMAT_R32_UINT) {
        if (strcmp(fault, "crash") == 0) *(volatile int*)8 = 1;
        if (strcmp(fault, "abort") == 0) abort();
        if (strcmp(fault, "exit") == 0) ExitProcess(7);
        if (strcmp(fault, "hang") == 0) Sleep(INFINITE);
        if (strcmp(fault, "lose") == 0) return VK_ERROR_DEVICE_LOST;
        if (strcmp(fault, "print") == 0) {
            printf("a driver's word\n");
            fflush(stdout);
        }
    }
    return next_create(device, info, callbacks, image);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_address(VkDevice device, const char* name) {
    PFN_vkVoidFunction found = next_device(device, name);
    if (!found || strcmp(name, "vkCreateImage") != 0) return found;
    next_create = (PFN_vkCreateImage)found;
    return (PFN_vkVoidFunction)create_image;
}

__declspec(dllexport) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name) {
    if (!next_instance) {
        char path[MAX_PATH + 20];
        GetSystemDirectoryA(path, MAX_PATH);
        strcat(path, "\\vulkan-1.dll");
        // By its full path: a DLL of that name is already loaded.
        HMODULE real = LoadLibraryExA(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
        if (!real) return NULL;
        next_instance = (PFN_vkGetInstanceProcAddr)(void*)GetProcAddress(real, "vkGetInstanceProcAddr");
    }
    PFN_vkVoidFunction found = next_instance(instance, name);
    if (found && strcmp(name, "vkCreateImage") == 0) {
        next_create = (PFN_vkCreateImage)found;
        return (PFN_vkVoidFunction)create_image;
    }
    if (!found || strcmp(name, "vkGetDeviceProcAddr") != 0) return found;
    next_device = (PFN_vkGetDeviceProcAddr)found;
    return (PFN_vkVoidFunction)device_address;
}
