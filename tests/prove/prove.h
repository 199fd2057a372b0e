// Compares emitted code with patterns/ itself: the known layouts, the calls that each snippet must answer, and the
// expected answers.
#pragma once
#include "patterns/snippet/snippet.h"
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tilewise::prove {

/// What a snippet must do, in any language.
struct Claim {
    std::string name;  ///< "navi21 R-X address"
    SnippetRequest request;
    unsigned dimensions = 2;  ///< members of the snippet's vectors

    struct Call {
        Coord extent = unit_extent;  ///< elements of an image, or workgroups of a grid, or texels of a workgroup
        std::array<uint64_t, axis_count> parameters = {};  ///< strides in bytes; the grid's workgroups
        bool scattered = false;  ///< random places in an image of that extent, not all of them
    };
    std::vector<Call> calls;

    uint32_t element_bytes() const {
        const Layout& layout = request.image ? request.image->subresources.front().layout : request.layout;
        return layout.pattern.element.bytes;
    }

    /// Parameters p0, p1, .. of a call: strides of 64 bits, workgroups, or level and layer if the image has several.
    unsigned parameters() const {
        if (const auto& image = request.image) return (image->levels > 1) + (image->layers > 1);
        return request.kind == SnippetKind::remap ? 0 : dimensions;
    }
    bool wide_parameters() const {
        return !request.image && (request.kind == SnippetKind::address || request.kind == SnippetKind::texel);
    }
    /// How many values one invocation gets and returns.
    unsigned in_width() const { return request.kind == SnippetKind::address ? dimensions : 1; }
    unsigned out_width() const { return request.kind == SnippetKind::address ? 1 : dimensions; }
};

struct KnownLayout {
    std::string name;
    Layout layout;
};

/// The patterns of tests/data/layouts and of the catalog: each once, under its first name.
std::vector<KnownLayout> known_layouts();

/// Strides for an image of that extent: tiles closely packed, or with gaps if `gap` is not 0.
std::array<uint64_t, axis_count> strides(const Pattern& pattern, const Coord& extent, uint64_t gap);

/// One in `one_in` of the catalog's patterns, beginning with index `first`. Every language prints the same operations,
/// and C++, GLSL, HLSL and WGSL together have all patterns. With TILEWISE_PROVE=all in the environment, every language
/// has all.
struct Share {
    unsigned one_in = 1, first = 0;
};

/// One claim for each different snippet: address and texel for every pattern in the catalog and in tests/data/layouts,
/// the remaps and group orders that are derived from it, and the orders that need no pattern. `offset_bits`: the images
/// have offsets of up to 32 or 64 bits.
std::vector<Claim> all_claims(unsigned offset_bits, Share of_catalog = {});

/// The arguments of all invocations of a call, one after another, and their results.
struct Question {
    std::vector<uint64_t> in, expected;
    uint64_t invocations = 0;
};
Question question(const Claim& claim, const Claim::Call& call);

/// A hash that scatters places: almost random, and easy to write in any language. Coordinate `axis` of scattered place
/// i is mix(4 * i + axis + 1) % extent.
uint64_t mix(uint64_t value);

std::string emit(const Claim& claim, Language language);

/// Writes a vector of these values in the language; with 64-bit numbers if `wide`, in languages that have them.
using MakeVector = std::function<std::string(const std::vector<std::string>& values, bool wide)>;
/// The call for an invocation's arguments a0, a1, .. and the parameters p0, p1, ..
std::string call_text(const Claim& claim, const MakeVector& vector);

/// Counts the results of one language's proof, and reports the first wrong value of each snippet to doctest.
struct Proof {
    std::string language;
    uint64_t snippets = 0, values = 0, wrong_snippets = 0;

    /// Returns whether all are right; a snippet is counted with its last call.
    bool compare(const Claim& claim, const Claim::Call& call, const Question& asked, std::span<const uint64_t> got);
    void does_not_compile(const Claim& claim, const std::string& why);
    /// Prints "GLSL: 412 snippets, 61,234,567 values, 0 wrong (how)"; checks that none is wrong and that all claims
    /// were tested.
    void summary(const std::string& how, size_t claims) const;
};

}  // namespace tilewise::prove
