#include "kernels/separable/filter.h"
#include "kernels/shader/variant.h"
#include "tests/fuzz/targets.h"
#include <algorithm>

namespace tilewise::fuzz {

void filters(Input input) {
    accepted([&] {
        const kernels::FilterText filter = kernels::user_filter("filter.glsl", std::string(text_of(input)));
        for (const char* source : {"separable_direct.comp", "separable_fused.comp", "separable.frag"}) {
            const kernels::Variant variant = {source, kernels::filter_defines(2), filter.name, filter.text};
            require(std::ranges::count(kernels::sources_of(variant), std::string_view(variant.filter_text)) > 0,
                    "the filter is compiled as it stands");
        }
    });
}

}  // namespace tilewise::fuzz
