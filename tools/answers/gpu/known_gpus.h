// Which GPUs a database knows, chip by chip.
#pragma once
#include "db/names/names.h"
#include "db/query/query.h"
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

struct KnownGpu {
    /// The chip's name is its architecture's if only that is known, and the device's if no list has the device.
    db::Chip chip;
    std::vector<std::string> devices;   ///< as drivers name them, each once
    std::vector<std::string> drivers;   ///< each once
    std::vector<std::string> products;  ///< that have the chip; those that match all words come first
    std::string known;                  ///< "probed", "documented" or "published": the best that any device has
};

/// All GPUs, by vendor and chip. If `words` is not empty ("rtx 4090", "amd rdna3"), only those in whose vendor, chip,
/// architecture, devices or products all of the words occur, regardless of case.
std::vector<KnownGpu> known_gpus(const db::Database& database, std::string_view words);

nlohmann::ordered_json to_json(const KnownGpu& gpu);

/// "AD102"; the device's name if no list has it.
std::string chip_name(const db::DeviceFact& device);

/// chip_name() that looks up each device once.
class ChipNames {
public:
    const std::string& of(const db::DeviceUse& use);

private:
    std::map<std::shared_ptr<const db::DeviceFact>, std::string> names_;
};

}  // namespace tilewise
