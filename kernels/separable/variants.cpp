#include "kernels/separable/separable.h"

namespace tilewise::kernels {

namespace {

Variant filter_variant(const char* source, const FilterText& filter, uint32_t radius) {
    // The driver unrolls the loops, too, and a hundred times faster.
    return {source, filter_defines(radius, filter.sigma), filter.name, filter.text, false};
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

}  // namespace

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
