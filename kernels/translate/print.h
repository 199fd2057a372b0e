// Structured functions as text of one language.
#pragma once
#include "kernels/translate/statements.h"
#include "kernels/translate/translate.h"

namespace tilewise::kernels {

/// What a text declares, by section and name; the same thing twice is declared once.
class Declarations {
public:
    enum class Section { before, vectors, types, constants, resources, helpers, functions };

    /// The name that it has: `name`, or that with a number where another thing is called so. `text` makes the
    /// declaration of a name.
    template <typename Text>
    std::string declare(Section section, const std::string& name, const Text& text) {
        for (size_t count = 1;; count++) {
            const std::string called = count == 1 ? name : name + "_" + std::to_string(count);
            const std::string declaration = text(called);
            const auto [known, is_new] = by_name_.try_emplace(called, declaration);
            if (is_new) sections_[static_cast<size_t>(section)].push_back(declaration);
            if (is_new || known->second == declaration) return called;
        }
    }
    bool has(const std::string& name) const { return by_name_.contains(name); }
    std::string text(Section section) const;

private:
    std::map<std::string, std::string> by_name_;
    std::array<std::vector<std::string>, 7> sections_;
};

/// Adds what the pass is made of.
void print_pass(const ShaderPass& pass, const SpirvModule& module, const std::vector<StructuredFunction>& functions,
                Language language, Declarations& to);

}  // namespace tilewise::kernels
