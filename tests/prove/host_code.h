// The dispatch that an emitted kernel describes is C code: it is compiled and called here.
#pragma once
#include "patterns/model/text.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <memory>
#include <string>

namespace tilewise::prove {

inline std::string between(const std::string& text, std::string_view before, std::string_view after) {
    const size_t start = text.find(before);
    REQUIRE(start != std::string::npos);
    return text.substr(start + before.size(), text.find(after, start) - start - before.size());
}

/// The host code in the comment of an emitted kernel.
inline std::string host_code(const std::string& kernel) {
    std::string text;
    for (const std::string& line : split(between(kernel, "on the host:\n", "//   }\n") + "//   }\n", '\n'))
        text += line.substr(2) + "\n";
    return text;
}

inline std::shared_ptr<void> built(const Command& compiler, const std::string& text, const std::string& name) {
    const Folder folder;
    write_text(folder / name, text);
    const Ended compiled = run(compiler + Command{"-shared", "-fPIC", "-o", folder / "built.so", folder / name});
    INFO(compiled.err.substr(0, 4000));
    REQUIRE(compiled.code == 0);
    std::shared_ptr<void> library(dlopen((folder / "built.so").c_str(), RTLD_NOW), dlclose);
    REQUIRE(library != nullptr);
    return library;
}

template <typename Function>
Function* function_in(const std::shared_ptr<void>& library, const std::string& name) {
    auto* function = reinterpret_cast<Function*>(dlsym(library.get(), name.c_str()));
    REQUIRE((function != nullptr));
    return function;
}

}  // namespace tilewise::prove
