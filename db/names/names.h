// Leads from what people and drivers call GPUs (a product, a chip, a PCI id or a device's name) to the chip and its
// architecture.
//
// The lists are compiled into the program: pci.txt and amdgpu.txt are maintained by others (tools/make-names),
// chips.txt and products.txt by us. Names are compared by their words, ignoring case and punctuation, and without the
// words that only name the maker; digits are separate words, and "laptop" and "mobile" are the same word, which comes
// last:
//
//   "NVIDIA GeForce RTX4090"  rtx 4090          "Adreno (TM) 740"  adreno 740          "RX 6800XT"  rx 6800 xt
#pragma once
#include "db/facts/device.h"
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::db {

struct Chip {
    std::string vendor;        ///< "NVIDIA"
    std::string name;          ///< "AD102"
    std::string architecture;  ///< "Ada"
    bool operator==(const Chip&) const = default;
};

struct NamedGpu {
    Chip chip;            ///< without a name if an architecture was named
    std::string product;  ///< as listed; empty if the chip or the architecture was named
    std::string list;     ///< the source: "pci.ids 10de:2684", "products.txt", ..
    /// Other chips that the name may also mean; all are of one architecture.
    std::vector<std::string> other_chips = {};
    /// True if they all lay images out as `chip` does, so that it does not matter which one it is.
    bool others_are_alike = false;
    /// True if no list has the variant that was named (for laptops, or refreshed) and this is the product without that
    /// word; or if it is the product with a "+" because there is none without.
    bool nearly = false;
};

/// A relative: a chip, or any chip of an architecture, whose layouts may stand in for those of a chip that nobody
/// probed.
struct Relative {
    std::string architecture;  ///< empty for a chip
    std::string chip;          ///< empty for an architecture
    std::string why;
};
/// Returns the entry in relatives.txt for the chip, or else for its architecture; none if no public text says that
/// another one is like it.
std::optional<Relative> relative_of(const Chip& chip);

/// Returns whether a public text says that the two chips lay images out alike (alike.txt).
bool are_alike(const Chip& one, const Chip& other);

/// Returns none if no list has the name, or if it may mean chips of several architectures.
std::optional<NamedGpu> gpu_named(std::string_view text);

/// Returns the chips that a name may mean if gpu_named() does not decide between them, as for "Radeon Vega 8 Graphics";
/// none if no list has the name. If the name contains a maker who has such a product, only that maker's chips are
/// returned.
std::vector<Chip> meanings_of(std::string_view text);

/// Returns the vendor whose brand is among the words ("AMD" for "Radeon 840M"); "" for none.
std::string vendor_said(std::string_view text);

/// Identifies what a driver calls a device: by its chip's name before its PCI id, since drivers without hardware have
/// made-up ids, and by both before the product's name.
std::optional<NamedGpu> gpu_of_device(const DeviceFact& device);

/// Returns the names of the products with this chip: first those in our own list, then those in the lists of others.
std::vector<std::string> products_with(const Chip& chip);

/// Returns the PCI ids of products with this chip ("10de:2684", some with a revision: "1002:73bf:c1"), with their names
/// in the lists.
std::map<std::string, std::string> pci_ids_with(const Chip& chip);

/// Returns the most similar names in the lists; none if all differ in more than two fifths of their letters.
std::vector<std::string> names_like(std::string_view text, size_t max_count);

/// Returns the form in which a name is compared: its words, separated by single spaces.
std::string words_of_name(std::string_view text);
/// Returns whether all words of `part` follow one another in `whole`; both are in the form of words_of_name().
bool has_words(std::string_view whole, std::string_view part);

}  // namespace tilewise::db
