#include "kernels/separable/filter_method.h"
#include "kernels/job.h"
#include <fmt/format.h>
#include <initializer_list>
#include <map>

namespace tilewise::kernels {

namespace {

const char* suffix(Sampling sampling) {
    switch (sampling) {
        case Sampling::exact:
            return "";
        case Sampling::approximate:
            return ", approximate";
        case Sampling::midway:
            return ", approximate, midway";
    }
    return "";
}

std::string name_of(const DirectMethod& method) { return fmt::format("{}{}", direct_name, suffix(method.sampling)); }

std::string name_of(const FragmentMethod& method) { return fmt::format("fragment{}", suffix(method.sampling)); }

std::string name_of(const SharedMethod& method) {
    return fmt::format("shared, {} lines, {} results, {} bit{}", method.shape.lines, method.shape.results,
                       method.shape.precision, suffix(method.sampling));
}

std::string name_of(const FusedShape& shape) {
    return fmt::format("fused, {} rows, {} strips, {} results, {} bit{}{}", shape.rows, shape.strips, shape.results,
                       shape.precision, shape.load ? ", imageLoad" : "", shape.optimize ? ", optimized" : "");
}

std::map<std::string, FilterMethod> methods_by_name() {
    std::map<std::string, FilterMethod> by_name;
    for (const FilterMethod& method : filter_methods()) by_name.emplace(method_name(method), method);
    return by_name;
}

bool has_workgroup(const SharedShape& shape, Size workgroup, uint32_t invocations) {
    return invocations == shape.invocations && workgroup == box_of(shape);
}

bool has_workgroup(const FusedShape& shape, Size workgroup, uint32_t invocations) {
    return invocations > 0 && workgroup.width > 0 && workgroup.width % shape.results == 0 &&
           workgroup.height == box_of(shape).height;
}

}  // namespace

std::string method_name(const FilterMethod& method) {
    return std::visit([](const auto& each) { return name_of(each); }, method);
}

Sampling sampling_of(const FilterMethod& method) {
    if (const auto* direct = std::get_if<DirectMethod>(&method)) return direct->sampling;
    if (const auto* fragment = std::get_if<FragmentMethod>(&method)) return fragment->sampling;
    if (const auto* shared = std::get_if<SharedMethod>(&method)) return shared->sampling;
    return Sampling::exact;
}

uint32_t precision_of(const FilterMethod& method) {
    if (const auto* shared = std::get_if<SharedMethod>(&method)) return shared->shape.precision;
    if (const auto* fused = std::get_if<FusedShape>(&method)) return fused->precision;
    return 32;
}

std::vector<FilterMethod> filter_methods() {
    std::vector<FilterMethod> methods;
    for (const Sampling sampling : {Sampling::exact, Sampling::approximate}) {
        methods.emplace_back(DirectMethod{sampling});
        methods.emplace_back(FragmentMethod{sampling});
    }
    for (const Sampling sampling : {Sampling::exact, Sampling::midway})
        for (const SharedShape& shape : timed_shared_shapes) methods.emplace_back(SharedMethod{shape, sampling});
    const auto add_fused = [&](uint32_t strips, uint32_t most_rows, std::initializer_list<uint32_t> all_results) {
        for (const uint32_t results : all_results)
            for (uint32_t rows = most_rows; rows > 0; rows /= 2) {
                FusedShape shape;
                shape.rows = rows;
                shape.strips = strips;
                shape.results = results;
                methods.emplace_back(shape);
            }
    };
    add_fused(4, 4, {4});
    add_fused(1, 8, {4, 7, 8});
    return methods;
}

std::optional<FilterMethod> filter_method_named(const std::string& name) {
    static const std::map<std::string, FilterMethod> by_name = methods_by_name();
    const auto found = by_name.find(name);
    return found == by_name.end() ? std::nullopt : std::optional(found->second);
}

std::optional<FilterMethod> filter_method_of(const std::string& name, Size workgroup, uint32_t invocations) {
    std::optional<FilterMethod> method = filter_method_named(name);
    if (!method) return std::nullopt;
    if (const auto* shared = std::get_if<SharedMethod>(&*method))
        return has_workgroup(shared->shape, workgroup, invocations) ? method : std::nullopt;
    if (auto* fused = std::get_if<FusedShape>(&*method)) {
        if (!has_workgroup(*fused, workgroup, invocations)) return std::nullopt;
        fused->width = workgroup.width;
        fused->invocations = invocations;
    }
    return method;
}

}  // namespace tilewise::kernels
