// Prints structured functions in one language.
#pragma once
#include "kernels/translate/statements.h"
#include "kernels/translate/translate.h"

namespace tilewise::kernels {

/// The declarations of a text, by section and name; a repeated declaration is kept once.
class Declarations {
public:
    enum class Section { before, vectors, types, constants, resources, helpers, functions };

    /// Returns the declared name: `name`, with a number added if something else has that name. `text` makes the
    /// declaration from a name.
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

/// Adds the parts of the pass.
void print_pass(const ShaderPass& pass, const SpirvModule& module, const std::vector<StructuredFunction>& functions,
                Language language, Declarations& to);

}  // namespace tilewise::kernels
