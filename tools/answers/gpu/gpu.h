// What --gpu means in a database: a product, a chip, a PCI id, an architecture, or a part of a device's name.
#pragma once
#include "db/names/names.h"
#include "db/query/query.h"
#include "tools/answers/question.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

struct FoundGpu {
    std::string asked;
    std::optional<db::NamedGpu> named;  ///< none if the text is known only as part of device names
    std::vector<int64_t> devices;       ///< database rows of the devices that answer
    std::vector<std::string> names;     ///< the names of these devices, each once
    std::string rests_on;               ///< the chip of these devices; empty if none is known
    std::string said;                   ///< "RTX 2080 has the chip TU104 (Turing)"; empty if a device has that name
    bool is_documented = false;         ///< nobody probed these devices: texts describe them
    std::string relative;               ///< why a chip of another architecture stands in; empty if it is of the same
    bool relative_is_chip = false;      ///< `relative` is about that very chip, not about its architecture
    /// Why the facts may be another chip's or driver version's, in one line; empty if everything was observed.
    std::string assumed;
};

enum class GpuAnswer {
    all,       ///< every device that the name means: for an architecture, all of its chips
    one_chip,  ///< one chip's devices; published tables, with a few texels each, count only if there is nothing else
    /// Likewise, or no device if nobody probed a similar chip: for callers that can also use what other GPUs show.
    one_chip_if_any
};

/// Finds the devices with that name; else those with its chip; else, as an assumption, those with the most similar chip
/// of its architecture; else of the architecture's relative (db/names). Throws Error that lists the most similar names,
/// or the chips of its vendor that were probed. If the result has no devices, `said` says that nobody probed any.
FoundGpu find_gpu(const db::Database& database, const AskedGpu& asked, GpuAnswer answer);

/// The members that `query` prints: product, chip, architecture, how that is known, and which chip the answer rests on.
nlohmann::ordered_json to_json(const FoundGpu& gpu);

/// What is asked for, with the devices that --gpu means.
struct Scope {
    db::Filter filter;
    std::optional<FoundGpu> gpu;
    /// If the vendor's own driver was asked for, but was read on other chips only: the chip's own devices. The other
    /// chips' devices are in `gpu`, and answer.
    std::vector<int64_t> stood_in_for = {};
};

/// Whether the version of `a` comes before that of `b`. Numbers are compared as numbers: 580.65.06 is before
/// 580.159.04.
bool has_older_version(const db::DriverFact& a, const db::DriverFact& b);

/// The newest version of the driver that the devices were seen with, as a filter names it. Only drivers with `wanted`
/// in their name or version count. Empty if there is one version only, or if drivers with different names were seen.
std::string newest_driver(const db::Database& database, const std::vector<int64_t>& devices,
                          const std::string& wanted = "");

/// The same scope with the newest version of the devices' driver, if the question allows several versions; else none.
std::optional<Scope> of_newest_driver(const db::Database& database, const Scope& asked);

/// filter_of(), plus find_gpu() if there is a --gpu, or a --device that is no part of any device's name. If nobody
/// probed the asked driver version on that one chip, another version stands in, as an assumption; for NVIDIA's own
/// driver, the chips that it was read on do.
Scope ask(const db::Database& database, const Question& question, GpuAnswer answer = GpuAnswer::one_chip);

/// What an answer rests on, if not on the very device that was named: "RTX 2080 has the chip TU104 (Turing), seen as
/// NVK TU104". Empty if it rests on that device, and if it is an assumption (FoundGpu::assumed).
std::string said_of(const Scope& asked);

/// Says whose driver the answer comes from, if it is not the vendor's own, and the vendor's own was read on other
/// chips: "this is Mesa's driver NVK; NVIDIA's own was read on NVIDIA H100 80GB HBM3 alone". Else empty.
std::string whose_driver(const db::Database& database, const Scope& asked);

}  // namespace tilewise
