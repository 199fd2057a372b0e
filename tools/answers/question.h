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

/// A GPU is read once, where the question is put: what follows compares values.
struct AskedGpu {
    std::string said;                   ///< as people write it; empty where the question says of none
    std::string shown;                  ///< the same as messages show it
    std::string words;                  ///< what is compared of it (db/names)
    std::optional<db::NamedGpu> named;  ///< none where no list has it
    std::vector<db::Chip> meanings;     ///< then: the chips that the name may mean
};

AskedGpu asked_gpu(const std::string& said);

/// A format is read likewise.
struct AskedFormat {
    std::string said;             ///< as people write it; empty where the question says of none
    std::string name;             ///< Vulkan's; what is not known here may still be in a database, as it was said
    Element element;              ///< of no bytes where the format is not known
    std::vector<Aspect> aspects;  ///< none where the format is not known
    std::string why_unknown;      ///< names those that are near it; empty where the format is known
};

/// Reads Vulkan's, DXGI's or a usual short name.
AskedFormat asked_format(const std::string& said);

/// Throws UsageError for a format that is not known here.
void require_known(const AskedFormat& format);
/// Throws UsageError for a format with several planes or aspects: one pattern does not say of all of them.
void require_one_aspect(const AskedFormat& format);

/// Each member is empty where the question does not say; what is said must hold of an answer. Texts are as people write
/// them.
struct Question {
    AskedGpu gpu;        ///< a product, a chip, a PCI id or an architecture
    std::string vendor;  ///< "NVIDIA", "0x10de"
    AskedGpu device;     ///< part of a device's name; else a GPU
    std::string driver;  ///< part of a driver's name or version
    AskedFormat format;
    std::string usage;                 ///< "sampled,storage": at least these
    std::string mode;                  ///< part of a mode's name or DRM modifier
    ModeParameters mode_parameters;    ///< of a mode by its definition
    std::optional<uint64_t> modifier;  ///< a DRM modifier's number
    std::optional<Extent_px> extent;
};

/// The words by which modes with that modifier are found: its name, with all fields.
std::string words_of_modifier(uint64_t modifier);

/// Whether it names whose images they are.
bool names_origin(const Question& question);

/// The same for the database. The GPU is not part of it: ask() (answers/gpu) finds its devices.
db::Filter filter_of(const Question& question);

}  // namespace tilewise
