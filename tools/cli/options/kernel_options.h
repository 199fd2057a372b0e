// The kernel that options name: one of Tilewise's, or a user's filter from its file.
#pragma once
#include "kernels/separable/filter.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tilewise {

/// A user's filter, read from its file, whose name is the kernel's. Throws Error for a file that cannot be read.
kernels::FilterText filter_in(const std::string& file);

/// Likewise, for code that is printed: nothing else compiles that here. Throws Error with the compiler's first message,
/// which names the file and its line, for one that is no filter of that radius.
kernels::FilterText compiled_filter_in(const std::string& file, uint32_t radius);

/// Statements of a user's, read from their file. Throws Error for a file that cannot be read.
std::string body_in(const std::string& file);

/// All of them, as a list to read.
std::string kernel_names();

/// The names of a list, or those of all kernels for "all". Throws UsageError for a kernel that there is not.
std::vector<std::string> listed_kernels(const std::string& list);

/// Throws UsageError where both --filter and --kernel were given.
void require_one_kernel(const CLI::App& command);
/// Likewise, and where --radius was given to kernels of which none has one.
void require_use_of_radius(const CLI::App& command, const std::string& kernels);

/// Throws UsageError for a radius that one of the kernels has not: a box blur's end before those of other filters.
void require_radii(const std::vector<std::string>& kernels, const std::vector<uint32_t>& radii);

/// The kernel that --kernel and --filter name, and the radius that it has of the one that is given: 0 where it reads no
/// neighbours. The filter, if there is one, is in place of the kernel. Throws UsageError for a kernel that there is
/// not.
struct NamedKernel {
    std::string name;
    uint32_t radius = 0;
    bool reads_neighbours = true;
};
/// Throws UsageError for a radius that is given and of which the kernel has none.
NamedKernel named_kernel(const std::string& kernel, const std::string& filter_file, std::optional<uint32_t> radius,
                         uint32_t usual_radius);

}  // namespace tilewise
