// What `tilewise report` says about a device, about two, or about the whole database. One walk over the database
// collects it in one struct, and text, JSON and the page (HTML) all print that struct, so that they cannot disagree.
//
//   devices -> formats x kinds of image -> patterns     what is known, and what it rests on
//           -> images of the requested size -> image layouts -> patterns
//           -> timings, tune results
//           -> tiles of the usual formats, and what reading them in memory order gains
//   patterns -> remap, code
//
// Devices share patterns and image layouts, and patterns share snippets: they are stored as indices into the report's
// lists.
#pragma once
#include "db/facts/tuning.h"
#include "db/facts/validation.h"
#include "db/names/names.h"
#include "db/query/query.h"
#include "patterns/model/advance.h"
#include "patterns/model/image_layout.h"
#include "patterns/remap/remap.h"
#include "patterns/snippet/snippet.h"
#include "tools/answers/advice/advice.h"
#include "tools/answers/gpu/figures.h"
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

struct ReportCode {
    Language language = Language::glsl;
    SnippetKind kind = SnippetKind::remap;
    std::string text;
};

/// A remap in each language, and as a whole kernel for images of a format; without kernels the format is empty. The
/// texts name no pattern, because many patterns share them.
struct ReportSnippets {
    std::string kernel_format;
    std::vector<ReportCode> code;
};

struct ReportPattern {
    std::string id;
    Layout layout;                    ///< in an image of no particular size (db::bare_layout)
    std::vector<std::string> chips;   ///< all chips in the database that have it
    std::string remap_for;            ///< the device whose lanes the remap follows
    std::optional<Derivation> remap;  ///< none if row order is memory order
    size_t snippets = 0;
    /// Code for address and texel; empty in a report of the whole database, where it would be a third of the report.
    std::vector<ReportCode> code;
};

/// One pattern of a kind of image.
struct CellPattern {
    size_t pattern = 0;
    std::string aspect;
    uint64_t observations = 0;         ///< 0: predicted by a rule only
    std::vector<std::string> extents;  ///< of the observed images, from the smallest to the largest
};

/// What is known about some formats' images of one kind.
struct Cell {
    std::string kind;  ///< one of kinds_of_image
    std::vector<CellPattern> patterns;
    std::vector<std::string> provenance;  ///< each once
    std::string rule;  ///< what the device's rules rest on, and how far they go; empty if no rule covers these images
};

/// Formats about which the same is known.
struct FormatRow {
    std::vector<std::string> formats;
    std::vector<Cell> cells;  ///< in the order of kinds_of_image
};

/// An image layout without format, usage, flags, source and evidence, which belong to the image itself.
struct ReportLayout {
    ImageLayout image;
    std::vector<size_t> patterns;  ///< one for each subresource
};

/// An image of the requested size, for formats that are laid out alike.
struct ReportImage {
    std::vector<std::string> formats;
    std::string kind, usage, flags;
    size_t layout = 0;
    LayoutSource source = LayoutSource::probed;
    std::string evidence;
};

/// What somebody measured for memory order if each invocation reads its own texels: one kernel over images of one
/// format and pattern on one device. The ranges cover all radii and extents that were timed.
struct ReportGain {
    std::string device, driver, format, kernel;
    std::string pattern;                    ///< id
    TimedRange over_row;                    ///< how many times as fast as row order in 16x16
    std::optional<TimedRange> over_morton;  ///< how many times as fast as Morton order in 16x16
};

/// The pattern of a format's largest plain image, as `show` chooses it, and sentences on what memory order gains.
struct ReportTile {
    std::string format;
    size_t pattern = 0;
    AdviceSource source = AdviceSource::predicted;
    std::vector<std::string> gain;
};

/// One device model with one version of its driver.
struct ReportDevice {
    db::DeviceFact device;
    db::DriverFact driver;
    db::Chip chip;                               ///< without a name if no list has it
    std::vector<std::string> products;           ///< with that chip
    std::map<std::string, std::string> pci_ids;  ///< of such products, and the lists' name for each
    std::vector<std::string> provenance;
    uint64_t observations = 0;
    std::string lanes, launch;  ///< in words; empty if not known
    FigureFacts figures;
    std::vector<FormatRow> rows;
    std::vector<ReportTile> tiles;  ///< for the requested format, and the usual ones
    std::vector<ReportImage> images;
    /// The newest for each kernel, method, order, format, radius, shape and extent.
    std::vector<db::ValidationFact> timings;
    std::vector<db::TuningFact> tunings;  ///< the newest for each kernel, format, radius and extent
};

struct Report {
    std::vector<std::string> gpus;     ///< as requested; empty: the whole database
    std::vector<std::string> assumed;  ///< the notes that say why the answer may be another chip's
    std::vector<std::string> notes;    ///< what the answer rests on, if not on the very device that was named
    Extent_px extent_px = {1, 1, 1};
    std::string format;  ///< as requested, Vulkan's name; empty: the first of the usual formats
    std::vector<ReportPattern> patterns;
    std::vector<ReportSnippets> snippets;
    std::vector<ReportLayout> layouts;
    std::vector<ReportDevice> devices;
    std::vector<ReportGain> gains;  ///< for the tiles' patterns, on any device
};

/// The kinds of image in the matrix, from left to right.
inline constexpr const char* kinds_of_image[] = {"1D",         "2D",     "levels",    "layers",    "levels, layers",
                                                 "cube",       "3D",     "2 samples", "4 samples", "8 samples",
                                                 "16 samples", "sparse", "disjoint",  "other"};
/// The kind of an image: "levels", ..
std::string kind_of_image(const ImageKind& image);

/// Bytes from the start of the image's memory to the end of the last element in the subresource's first layer.
uint64_t end_of(const ImageLayout& image, const Subresource& part);

struct ReportRequest {
    std::vector<std::string> gpus;     ///< empty: the whole database
    std::vector<std::string> drivers;  ///< one for all GPUs, or one for each; empty: all that they were probed with
    Extent_px extent_px = {1920, 1080, 1};
    std::string format;  ///< the format whose tile comes first, Vulkan's name; empty: RGBA8
};

/// Reports how far the collection has come: first over devices, then over patterns.
struct ReportAdvance {
    Advance devices = {}, patterns = {};
};

/// Collects the report. Throws Error or UsageError for a GPU that nobody knows, and for a database without
/// observations.
Report collect_report(const db::Database& database, const ReportRequest& request, const ReportAdvance& advance = {});

nlohmann::ordered_json to_json(const Report& report);

}  // namespace tilewise
