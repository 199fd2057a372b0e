// What `tilewise report` tells of a device, of two, or of the whole database. One walk over the database collects it;
// text, JSON and the page (HTML) print this one struct, so that they cannot disagree.
//
//   devices -> formats x kinds of image -> patterns     what is known, and on what it rests
//           -> images of the size that is asked for -> image layouts -> patterns
//           -> timings, tune results
//           -> tiles of the usual formats, and what reading them in memory order gains
//   patterns -> remap, code
//
// Devices share patterns and image layouts, patterns share snippets: they are indices into the report's lists.
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

/// A remap in each language, and as a whole kernel over images of a format; without kernels the format is empty. What
/// is said of it names no pattern: many share it.
struct ReportSnippets {
    std::string kernel_format;
    std::vector<ReportCode> code;
};

struct ReportPattern {
    std::string id;
    Layout layout;                    ///< in an image of no particular size (db::bare_layout)
    std::vector<std::string> chips;   ///< of the whole database that have it
    std::string remap_for;            ///< the device whose lanes the remap follows
    std::optional<Derivation> remap;  ///< none where rows are memory order
    size_t snippets = 0;
    /// Address and texel; empty in a report of the whole database, where it would be a third of it.
    std::vector<ReportCode> code;
};

/// A pattern of one kind of image.
struct CellPattern {
    size_t pattern = 0;
    std::string aspect;
    uint64_t observations = 0;         ///< 0: a rule alone predicts it
    std::vector<std::string> extents;  ///< of the images observed, from the smallest to the largest
};

/// Images of one kind, of some formats.
struct Cell {
    std::string kind;  ///< of kinds_of_image
    std::vector<CellPattern> patterns;
    std::vector<std::string> provenance;  ///< each once
    std::string rule;  ///< what the device's rules rest on, and how far they go; empty where none is of it
};

/// Formats of which the same is known.
struct FormatRow {
    std::vector<std::string> formats;
    std::vector<Cell> cells;  ///< in the order of kinds_of_image
};

/// Without format, usage, flags, source and evidence, which are an image's own.
struct ReportLayout {
    ImageLayout image;
    std::vector<size_t> patterns;  ///< of each subresource
};

/// An image of the size that was asked for, of some formats that lie alike.
struct ReportImage {
    std::vector<std::string> formats;
    std::string kind, usage, flags;
    size_t layout = 0;
    LayoutSource source = LayoutSource::probed;
    std::string evidence;
};

/// What somebody measured of memory order where each invocation reads its own texels: one kernel over images of one
/// format and pattern on one device. The ranges are those of all radii and extents that were timed.
struct ReportGain {
    std::string device, driver, format, kernel;
    std::string pattern;                    ///< id
    TimedRange over_row;                    ///< so many times as fast as row order in 16x16
    std::optional<TimedRange> over_morton;  ///< as Morton order in 16x16
};

/// The pattern of the largest plain image of a format, as `show` chooses it, and in sentences what memory order gains.
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
    db::Chip chip;                               ///< without a name where no list has it
    std::vector<std::string> products;           ///< with that chip
    std::map<std::string, std::string> pci_ids;  ///< of such products, and what the lists call each
    std::vector<std::string> provenance;
    uint64_t observations = 0;
    std::string lanes, launch;  ///< in words; empty where not known
    FigureFacts figures;
    std::vector<FormatRow> rows;
    std::vector<ReportTile> tiles;  ///< of the format that was asked for, and the usual ones
    std::vector<ReportImage> images;
    /// The newest of each kernel, method, order, format, radius, shape and extent.
    std::vector<db::ValidationFact> timings;
    std::vector<db::TuningFact> tunings;  ///< of each kernel, format, radius and extent the newest
};

struct Report {
    std::vector<std::string> gpus;     ///< as asked for; empty: the whole database
    std::vector<std::string> assumed;  ///< those of the notes that say why what answers may be another chip's
    std::vector<std::string> notes;    ///< what the answer rests on where it is not the very device that was named
    Extent_px extent_px = {1, 1, 1};
    std::string format;  ///< as asked for, Vulkan's name; empty: the first of the usual ones
    std::vector<ReportPattern> patterns;
    std::vector<ReportSnippets> snippets;
    std::vector<ReportLayout> layouts;
    std::vector<ReportDevice> devices;
    std::vector<ReportGain> gains;  ///< of the tiles' patterns, on whatever device
};

/// From the left to the right of the matrix.
inline constexpr const char* kinds_of_image[] = {"1D",         "2D",     "levels",    "layers",    "levels, layers",
                                                 "cube",       "3D",     "2 samples", "4 samples", "8 samples",
                                                 "16 samples", "sparse", "disjoint",  "other"};
/// "levels".
std::string kind_of_image(const ImageKind& image);

/// Bytes from the start of the image's memory up to the last one of any element of the subresource's first layer.
uint64_t end_of(const ImageLayout& image, const Subresource& part);

struct ReportRequest {
    std::vector<std::string> gpus;     ///< empty: the whole database
    std::vector<std::string> drivers;  ///< one for all of them, or one for each; empty: whatever they were probed with
    Extent_px extent_px = {1920, 1080, 1};
    std::string format;  ///< whose tile comes first, Vulkan's name; empty: RGBA8
};

/// How far collecting is: first of devices, then of patterns.
struct ReportAdvance {
    Advance devices = {}, patterns = {};
};

/// Throws Error or UsageError: a GPU that nobody knows, a database without observations.
Report collect_report(const db::Database& database, const ReportRequest& request, const ReportAdvance& advance = {});

nlohmann::ordered_json to_json(const Report& report);

}  // namespace tilewise
