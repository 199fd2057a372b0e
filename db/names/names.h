// This leads from what people and drivers call GPUs, a product, a chip, a PCI id or a device's name, to the chip and
// its architecture.
//
// The lists travel in the program: pci.txt and amdgpu.txt are kept by others (tools/make-names), chips.txt and
// products.txt by us. Names are compared by their words, without case and punctuation, and without the words that say
// only whose GPU it is; digits are words of their own, and "laptop" and "mobile" are one word, the last:
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
    Chip chip;            ///< without a name: an architecture was named
    std::string product;  ///< as the list has it; empty where the chip or the architecture was named
    std::string list;     ///< "pci.ids 10de:2684", "products.txt", ..: what says so
    /// Other chips that the name may mean as well; all are of one architecture.
    std::vector<std::string> other_chips = {};
    /// Where no list has the variant that was named, for laptops or refreshed, this is the product without that word; or,
    /// where it has none without a "+", the one with it.
    bool nearly = false;
};

/// The layouts of a relative, a chip or any chip of an architecture, may stand in for those of a chip that nobody probed.
struct Relative {
    std::string architecture;  ///< empty where it is a chip
    std::string chip;          ///< empty where it is an architecture
    std::string why;
};
/// Returns what relatives.txt has of the chip, else of its architecture; none where no public text says that another is
/// like it.
std::optional<Relative> relative_of(const Chip& chip);

/// Returns none where no list has it, or it may mean chips of several architectures.
std::optional<NamedGpu> gpu_named(std::string_view text);

/// Returns the chips that a name may mean which gpu_named() does not decide between, as of "Radeon Vega 8 Graphics";
/// none where no list has it. If it names a maker who has such a product, that maker's alone.
std::vector<Chip> meanings_of(std::string_view text);

/// Returns the vendor whose brand is among the words ("AMD" for "Radeon 840M"); "" for none.
std::string vendor_said(std::string_view text);

/// Finds what a driver calls a device: by its chip's name before its PCI id, since drivers without hardware have
/// made-up ids, and by both before the product's.
std::optional<NamedGpu> gpu_of_device(const DeviceFact& device);

/// Returns what has the chip, by name: first what our own list says, then what the kept lists do.
std::vector<std::string> products_with(const Chip& chip);

/// Returns the PCI ids of what has the chip ("10de:2684", some with a revision: "1002:73bf:c1"), and what the lists
/// call it.
std::map<std::string, std::string> pci_ids_with(const Chip& chip);

/// Returns the names of the lists that are most like it; none where all differ in more than two fifths of its letters.
std::vector<std::string> names_like(std::string_view text, size_t max_count);

/// Returns what is compared of a name: its words with one space between them.
std::string words_of_name(std::string_view text);
/// Returns whether all words of `part` follow one another in `whole`; both as words_of_name() gives them.
bool has_words(std::string_view whole, std::string_view part);

}  // namespace tilewise::db
