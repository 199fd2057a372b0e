#include "tools/cli/options/kernel_options.h"
#include "kernels/box/box.h"
#include "kernels/kernel_list.h"
#include "kernels/separable/separable.h"
#include "kernels/shader/variant.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "system/files.h"
#include "tools/cli/files/files.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

kernels::FilterText filter_in(const std::string& file) {
    return kernels::user_filter(system::text_of(system::path_of(file).filename()),
                                read_whole_file(file, kernels::max_filter_bytes));
}

kernels::FilterText compiled_filter_in(const std::string& file, uint32_t radius) {
    kernels::FilterText filter = filter_in(file);
    kernels::compile(kernels::direct_variant(filter, kernels::Format::rgba32f, radius, kernels::Direction::x,
                                             kernels::Sampling::exact));
    return filter;
}

std::string body_in(const std::string& file) {
    constexpr size_t max_bytes = size_t{1} << 20;
    std::string body = read_whole_file(file, max_bytes);
    if (body.find_first_not_of(" \t\r\n") == std::string::npos) throw Error(fmt::format("{}: has no code", file));
    return body;
}

std::string kernel_names() {
    std::vector<std::string_view> names;
    for (const KernelFamily& family : kernel_families()) names.emplace_back(family.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> listed_kernels(const std::string& list) {
    std::vector<std::string> names;
    if (list != "all") names = split(list);
    for (const std::string& name : names) family_named(name);
    if (list == "all")
        for (const KernelFamily& family : kernel_families()) names.emplace_back(family.name);
    return names;
}

void require_one_kernel(const CLI::App& command) {
    if (command.get_option("--filter")->count() > 0 && command.get_option("--kernel")->count() > 0)
        throw UsageError("--filter replaces --kernel: leave one of them out");
}

void require_use_of_radius(const CLI::App& command, const std::string& kernels) {
    require_one_kernel(command);
    if (command.get_option("--radius")->count() == 0 || command.get_option("--filter")->count() > 0) return;
    if (std::ranges::none_of(listed_kernels(kernels),
                             [](const std::string& name) { return family_named(name).has_radius; }))
        throw UsageError(fmt::format("--radius: {} has no radius; leave it out", kernels));
}

void require_radii(const std::vector<std::string>& kernels, const std::vector<uint32_t>& radii) {
    if (std::ranges::count(kernels, "box") == 0) return;
    for (const uint32_t radius : radii)
        if (radius > kernels::max_box_radius)
            throw UsageError(
                fmt::format("--radius {}: a box blur has a radius of up to {}; a larger box is a filter of equal "
                            "weights, which takes as long as --kernel gaussian",
                            radius, kernels::max_box_radius));
}

NamedKernel named_kernel(const std::string& kernel, const std::string& filter_file, std::optional<uint32_t> radius,
                         uint32_t usual_radius) {
    if (!filter_file.empty()) return {filter_in(filter_file).kernel, radius.value_or(usual_radius)};
    const KernelFamily& family = family_named(kernel);
    if (radius && !family.has_radius)
        throw UsageError(fmt::format("--radius {}: the kernel {} has no radius; leave it out", *radius, kernel));
    return {kernel, family.has_radius ? radius.value_or(usual_radius) : 0, family.reads_neighbours};
}

}  // namespace tilewise
