# What the database and the search of `identify` need in addition to the library: SQLite, half precision, the Vulkan
# headers.
find_package(SQLite3 REQUIRED)
# Only half.h, without the library's table.
find_path(IMATH_INCLUDE Imath/half.h REQUIRED)
add_library(imath_half INTERFACE)
target_include_directories(imath_half SYSTEM INTERFACE ${IMATH_INCLUDE})
target_compile_definitions(imath_half INTERFACE IMATH_HALF_NO_LOOKUP_TABLE)

# Vulkan 1.4 headers, Khronos' helpers for them, and volk: those that tools/deps unpacked come before the system's.
find_path(VOLK_INCLUDE volk.c HINTS ${PROJECT_SOURCE_DIR}/build/deps/usr/include REQUIRED)
find_path(VULKAN_UTILITY_INCLUDE vulkan/utility/vk_format_utils.h HINTS ${VOLK_INCLUDE} REQUIRED)
add_library(vulkan_headers INTERFACE)
target_include_directories(vulkan_headers SYSTEM INTERFACE ${VOLK_INCLUDE} ${VULKAN_UTILITY_INCLUDE})
# As volk.h requires, whichever header comes first.
target_compile_definitions(vulkan_headers INTERFACE VK_NO_PROTOTYPES)
