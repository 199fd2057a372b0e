#include "kernels/separable/separable.h"
#include <cstdio>
#include <fmt/format.h>

namespace tilewise::kernels {

namespace {

Variant filter_variant(const char* source, const FilterText& filter, uint32_t radius) {
    // The driver unrolls the loops as well, and a hundred times faster.
    return {source, filter_defines(radius), filter.name, filter.text, false};
}

void define(Variant& variant, const char* name, uint32_t value) {
    variant.defines.emplace_back(name, std::to_string(value));
}

void define_pass(Variant& variant, Direction direction, Sampling sampling) {
    variant.defines.emplace_back("DIRECTION", direction == Direction::x ? "ivec2(1, 0)" : "ivec2(0, 1)");
    if (sampling != Sampling::exact) variant.defines.emplace_back("APPROXIMATE", "");
    if (sampling == Sampling::midway) variant.defines.emplace_back("MIDWAY", "");
}

void define_format(Variant& variant, Format result) {
    variant.defines.emplace_back("FORMAT", traits_of(result).qualifier);
}

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

}  // namespace

std::string direct_name(Sampling sampling) { return fmt::format("direct{}", suffix(sampling)); }

std::string fragment_name(Sampling sampling) { return fmt::format("fragment{}", suffix(sampling)); }

std::string shared_name(const SharedShape& shape, Sampling sampling) {
    return fmt::format("shared, {} lines, {} results, {} bit{}", shape.lines, shape.results, shape.precision,
                       suffix(sampling));
}

std::string fused_name(const FusedShape& shape) {
    return fmt::format("fused, {} rows, {} strips, {} results, {} bit{}{}", shape.rows, shape.strips, shape.results,
                       shape.precision, shape.load ? ", imageLoad" : "", shape.optimize ? ", optimized" : "");
}

std::optional<NamedShared> shared_of_name(const std::string& name, Size workgroup, uint32_t invocations) {
    NamedShared named;
    SharedShape& shape = named.shape;
    shape.invocations = invocations;
    if (std::sscanf(name.c_str(), "shared, %4u lines, %4u results, %2u bit", &shape.lines, &shape.results,
                    &shape.precision) != 3 ||
        shape.lines == 0)
        return std::nullopt;
    const Size run = {invocations / shape.lines * shape.results, shape.lines};
    for (const Sampling sampling : {Sampling::exact, Sampling::midway}) {
        named.sampling = sampling;
        if (shared_name(shape, sampling) == name && workgroup == run && count(run) > 0) return named;
    }
    return std::nullopt;
}

std::optional<FusedShape> fused_of_name(const std::string& name, Size workgroup, uint32_t invocations) {
    FusedShape shape;
    shape.invocations = invocations;
    shape.width = workgroup.width;
    if (std::sscanf(name.c_str(), "fused, %4u rows, %4u strips, %4u results, %2u bit", &shape.rows, &shape.strips,
                    &shape.results, &shape.precision) != 4)
        return std::nullopt;
    const bool is_shape = invocations > 0 && shape.width > 0 && shape.results > 0 && shape.width % shape.results == 0 &&
                          workgroup.height > 0 && workgroup.height == shape.rows * shape.strips;
    for (const bool load : {false, true})
        for (const bool optimize : {false, true}) {
            shape.load = load;
            shape.optimize = optimize;
            if (is_shape && fused_name(shape) == name) return shape;
        }
    return std::nullopt;
}

Variant direct_variant(const FilterText& filter, Format result, uint32_t radius, Direction direction,
                       Sampling sampling) {
    Variant variant = filter_variant("separable_direct.comp", filter, radius);
    define_format(variant, result);
    define_pass(variant, direction, sampling);
    return variant;
}

Variant fragment_variant(const FilterText& filter, uint32_t radius, Direction direction, Sampling sampling) {
    Variant variant = filter_variant("separable.frag", filter, radius);
    define_pass(variant, direction, sampling);
    return variant;
}

Variant shared_variant(const FilterText& filter, Format result, uint32_t radius, Direction direction,
                       const SharedShape& shape, Sampling sampling) {
    Variant variant = filter_variant("separable_shared.comp", filter, radius);
    define_format(variant, result);
    define_pass(variant, direction, sampling);
    define(variant, "INVOCATIONS", shape.invocations);
    define(variant, "LINES", shape.lines);
    define(variant, "RESULTS", shape.results);
    define(variant, "PRECISION", shape.precision);
    return variant;
}

Variant fused_variant(const FilterText& filter, Format format, uint32_t radius, const FusedShape& shape) {
    Variant variant = filter_variant("separable_fused.comp", filter, radius);
    define_format(variant, format);
    define(variant, "INVOCATIONS", shape.invocations);
    define(variant, "WIDTH", shape.width);
    define(variant, "ROWS", shape.rows);
    define(variant, "STRIPS", shape.strips);
    define(variant, "RESULTS", shape.results);
    define(variant, "PRECISION", shape.precision);
    variant.optimize = shape.optimize;
    if (shape.load) variant.defines.emplace_back("LOAD", "");
    return variant;
}

}  // namespace tilewise::kernels
