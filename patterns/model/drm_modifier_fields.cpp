#include "patterns/model/drm_modifier_fields.h"
#include <algorithm>

namespace tilewise::drm {

uint64_t get(const FieldForm& form, uint64_t number) {
    return (number >> form.first & ones(form.bits)) | (number >> form.upper_first & ones(form.upper_bits)) << form.bits;
}

std::optional<uint64_t> with(const FieldForm& form, uint64_t value, uint64_t number) {
    if (value > ones(form.bits + form.upper_bits)) return std::nullopt;
    return (number & ~all_of(form)) | (value & ones(form.bits)) << form.first |
           (value >> form.bits) << form.upper_first;
}

std::string_view name_of(std::span<const FieldValue> values, uint64_t value) {
    const auto found = std::ranges::find(values, value, &FieldValue::value);
    return found == values.end() ? std::string_view() : found->name;
}

std::string libdrm_name(const Named& name) {
    std::string_view text = name.name;
    if (name.number == 0 || name.number == code(none, ones(vendor_shift))) return std::string(text);
    constexpr std::string_view intel_prefix = "I915_FORMAT_MOD_";
    if (text.starts_with(intel_prefix)) return std::string(text.substr(intel_prefix.size()));
    return std::string(text.substr(text.find('_') + 1));
}

}  // namespace tilewise::drm
