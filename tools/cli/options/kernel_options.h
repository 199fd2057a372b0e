// The kernel that options name: one of Tilewise's own, or a user's filter from a file.
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

/// A user's filter, read from its file; its name is the kernel's. Throws Error if the file cannot be read.
kernels::FilterText filter_in(const std::string& file);

/// Likewise, for code that is printed, because nothing else compiles it here. If it is no filter of that radius, throws
/// Error with the compiler's first message, which names the file and its line.
kernels::FilterText compiled_filter_in(const std::string& file, uint32_t radius);

/// A user's statements, read from a file. Throws Error if it cannot be read.
std::string body_in(const std::string& file);

/// The names of all kernels, as a list to read.
std::string kernel_names();

/// The names in a list, or those of all kernels for "all". Throws UsageError for a kernel that does not exist.
std::vector<std::string> listed_kernels(const std::string& list);

/// Throws UsageError if both --filter and --kernel were given.
void require_one_kernel(const CLI::App& command);
/// Likewise, and if --radius was given but none of the kernels has a radius.
void require_use_of_radius(const CLI::App& command, const std::string& kernels);

/// Throws UsageError for a radius that one of the kernels does not have: box blurs have a smaller maximum than other
/// filters.
void require_radii(const std::vector<std::string>& kernels, const std::vector<uint32_t>& radii);

/// The kernel that --kernel or --filter names, and its radius: 0 if it reads no neighbours. A filter replaces the
/// kernel.
struct NamedKernel {
    std::string name;
    uint32_t radius = 0;
    bool reads_neighbours = true;
};
/// Throws UsageError for a kernel that does not exist, and for a radius given to a kernel that has none.
NamedKernel named_kernel(const std::string& kernel, const std::string& filter_file, std::optional<uint32_t> radius,
                         uint32_t usual_radius);

}  // namespace tilewise
