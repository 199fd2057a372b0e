// What is asked about: whose images, and which of them.
#pragma once
#include "db/names/names.h"
#include "db/query/filter.h"
#include "patterns/model/image_layout.h"
#include "patterns/modes/defined_modes.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

/// A GPU's name is parsed once, where the question is read: everything after that compares values.
struct AskedGpu {
    std::string said;                   ///< as people write it; empty if the question names none
    std::string shown;                  ///< the same as messages show it
    std::string words;                  ///< the words that names are compared by (db/names)
    std::optional<db::NamedGpu> named;  ///< none if no list has it
    std::vector<db::Chip> meanings;     ///< then: the chips that the name may mean
};

AskedGpu asked_gpu(const std::string& said);

/// A format, likewise parsed once.
struct AskedFormat {
    std::string said;             ///< as people write it; empty if the question names none
    std::string name;             ///< Vulkan's; if not known here, the name as written: a database may have it
    Element element;              ///< of 0 bytes if the format is not known
    std::vector<Aspect> aspects;  ///< none if the format is not known
    std::string why_unknown;      ///< names similar formats; empty if the format is known
};

/// Reads Vulkan's or DXGI's name for a format, or a common short name.
AskedFormat asked_format(const std::string& said);

/// Throws UsageError for a format that is not known here.
void require_known(const AskedFormat& format);
/// Throws UsageError for a format with several planes or aspects: one pattern cannot describe them all.
void require_one_aspect(const AskedFormat& format);

/// A member is empty if the question does not say. Whatever is said must hold for the answer. Texts are as people write
/// them.
struct Question {
    AskedGpu gpu;        ///< a product, a chip, a PCI id or an architecture
    std::string vendor;  ///< "NVIDIA", "0x10de"
    AskedGpu device;     ///< part of a device's name; else a GPU
    std::string driver;  ///< part of a driver's name or version
    AskedFormat format;
    std::string usage;                 ///< "sampled,storage": at least these
    std::string mode;                  ///< part of a mode's name or DRM modifier
    ModeParameters mode_parameters;    ///< for a mode by its definition
    std::optional<uint64_t> modifier;  ///< a DRM modifier's number
    std::optional<Extent_px> extent;
};

/// The words that modes with that modifier are found by: its name, with all fields.
std::string words_of_modifier(uint64_t modifier);

/// Whether the question names whose images they are.
bool names_origin(const Question& question);

/// The question as a database filter. The GPU is not part of it: ask() (answers/gpu) finds its devices.
db::Filter filter_of(const Question& question);

}  // namespace tilewise
