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
    db::Chip chip;  ///< of no architecture where no list has the device; its name is the device's then
    std::vector<std::string> devices;   ///< as drivers call them, each once
    std::vector<std::string> drivers;   ///< each once
    std::vector<std::string> products;  ///< that have the chip, those that all words mean first
    std::string known;                  ///< "probed", "documented" or "published": the best of its devices
};

/// All of them, by vendor and chip; with words, those in whose vendor, chip, architecture, devices or products all words
/// are, in any case: "rtx 4090", "amd rdna3".
std::vector<KnownGpu> known_gpus(const db::Database& database, std::string_view words);

nlohmann::ordered_json to_json(const KnownGpu& gpu);

/// "AD102"; where no list has it, the device's name.
std::string chip_name(const db::DeviceFact& device);

/// Likewise; each device is looked up once.
class ChipNames {
public:
    const std::string& of(const db::DeviceUse& use);

private:
    std::map<std::shared_ptr<const db::DeviceFact>, std::string> names_;
};

}  // namespace tilewise
