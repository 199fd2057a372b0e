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
    std::optional<db::NamedGpu> named;  ///< none where the text is known only as part of devices' names
    std::vector<int64_t> devices;       ///< rows of the table: what answers
    std::vector<std::string> names;     ///< theirs, each once
    std::string rests_on;               ///< the chip of these devices; empty where none is known
    std::string said;                   ///< "RTX 2080 has the chip TU104 (Turing)"; empty where a device is called so
    bool is_documented = false;         ///< nobody probed these devices: texts describe them
    std::string relative;               ///< why a chip of another architecture stands in; empty where it is of the same
    bool relative_is_chip = false;      ///< it is like that very chip, rather than its architecture like that one's
    /// Why they may be another chip's, or driver version's, one line; empty where all was observed.
    std::string assumed;
};

enum class GpuAnswer {
    all,       ///< every device that it means: of an architecture, all of its chips
    one_chip,  ///< one chip's; published tables, which know a few texels each, count only where there is nothing else
    /// Likewise, or none, where nobody probed a chip that is like it: for what other GPUs tell, too.
    one_chip_if_any
};

/// Devices that are called so; else those with its chip; else, as an assumption, those with the chip of its
/// architecture that is most like it; else of the architecture's relative (db/names). Throws Error that lists the names
/// most like it, or the chips of its vendor that were probed. Without devices `said` says that nobody probed any.
FoundGpu find_gpu(const db::Database& database, const AskedGpu& asked, GpuAnswer answer);

/// As `query` prints it: product, chip, architecture, how that is known, and which chip the answer rests on.
nlohmann::ordered_json to_json(const FoundGpu& gpu);

/// What is asked for, with the devices that --gpu means.
struct Scope {
    db::Filter filter;
    std::optional<FoundGpu> gpu;
    /// The chip's own devices, where its vendor's own driver was asked for and read on other chips alone: those answer.
    std::vector<int64_t> stood_in_for = {};
};

/// Whether the version of `a` comes before that of `b`: numbers are compared as numbers, 580.65.06 is before 580.159.04.
bool has_older_version(const db::DriverFact& a, const db::DriverFact& b);

/// Of several versions of one driver that the devices were seen with, the newest, as a filter names it; `wanted` is part
/// of the name or version of those that count. Empty where there is one, and where drivers of several names were seen.
std::string newest_driver(const db::Database& database, const std::vector<int64_t>& devices,
                          const std::string& wanted = "");

/// The same scope with the newest version of the devices' driver, where the question leaves several; else none.
std::optional<Scope> of_newest_driver(const db::Database& database, const Scope& asked);

/// filter_of(), and find_gpu() where there is a --gpu, or a --device that is no part of any device's name. For a driver
/// version that nobody probed on that one chip, another one stands in, as an assumption; and for NVIDIA's own driver,
/// the chips that it was read on.
Scope ask(const db::Database& database, const Question& question, GpuAnswer answer = GpuAnswer::one_chip);

/// What an answer rests on, where that is not the very device that was named: "RTX 2080 has the chip TU104 (Turing),
/// seen as NVK TU104". Empty where it is, and where it is an assumption (FoundGpu::assumed).
std::string said_of(const Scope& asked);

/// Whose driver the answer is by, where that is not the vendor's own and the vendor's own was read on other chips:
/// "this is Mesa's driver NVK; NVIDIA's own was read on NVIDIA H100 80GB HBM3 alone". Empty elsewhere.
std::string whose_driver(const db::Database& database, const Scope& asked);

}  // namespace tilewise
