// The readers of strangers' files, each as a function of the file's bytes. A reader may refuse them with an Error; it
// may not crash, hang, throw anything else, or contradict itself. libFuzzer drives one target per program (fuzzer.cpp);
// the inputs that it found are replayed by the normal build (test_regressions.cpp).
#pragma once
#include "patterns/model/error.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

namespace tilewise::fuzz {

using Input = std::span<const uint8_t>;

inline std::string_view text_of(Input input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

/// Ends the process with a message if the condition does not hold.
inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

/// Returns whether the work was done; false if it was refused in one line. Any other exception passes through.
template <typename Work>
bool accepted(const Work& work) {
    try {
        work();
        return true;
    } catch (const Error& error) {
        require(*error.what() != '\0', "an error says what is wrong");
        return false;
    }
}

void tables(Input input);     ///< CSV: parsed and solved
void layouts(Input input);    ///< a layout object, or an image layout: addresses, conversion, snippets, pictures
void bundles(Input input);    ///< imported, checked, exported, imported again
void shared(Input input);     ///< a text of `tilewise share`: unframed, imported, checked
void catalogs(Input input);   ///< a file of db/catalog, loaded into an empty catalog
void filters(Input input);    ///< a user's GLSL, up to its compiler
void images(Input input);     ///< a header of 8 bytes that says how to read it, then the memory of an image
void textures(Input input);   ///< the header of a KTX2 or DDS file
void equations(Input input);  ///< a header of 4 bytes that says for which image, then an equation as typed
void modifiers(Input input);  ///< likewise, then a modifier's number or name, or a mode with its parameters
void scenes(Input input);     ///< the input of `try --scene`, made into a scene for a shader
void spirv(Input input);      ///< a compute shader: reflected and rewritten, if it is valid
void databases(Input input);  ///< an SQLite file, or SQL that changes a sound one: read, checked, exported, written

}  // namespace tilewise::fuzz
