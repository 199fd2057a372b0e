#include "tools/cli/texts/modifier_text.h"
#include "tools/cli/terminal/print.h"
#include <fmt/format.h>

namespace tilewise {

void print_modifier(const DrmModifier& modifier) {
    const auto known = [](const std::string& text) { return text.empty() ? std::string("not known here") : text; };
    print_columns({{"modifier", drm_modifier_text(modifier.number)},
                   {"vendor", modifier.vendor},
                   {"name", known(modifier.name)},
                   {"libdrm", modifier.libdrm_name.empty() ? "-" : modifier.libdrm_name},
                   {"layout", known(modifier.layout) +
                                  (modifier.is_compressed ? "; compressed: a texel has no fixed place" : "")}});
    if (modifier.fields.empty()) return;
    print_text("\n");
    std::vector<Row> rows = {{"field", "bits", "value", "meaning"}};
    for (const ModifierField& field : modifier.fields)
        rows.push_back({field.name, field.bits.empty() ? "-" : field.bits, fmt::format("{:#x}", field.value),
                        field.meaning.empty() ? "-" : field.meaning});
    print_table(rows, 2);
}

}  // namespace tilewise
