#include "tools/answers/gpu/known_gpus.h"
#include "patterns/model/text.h"
#include "tools/answers/add_once.h"
#include <algorithm>
#include <cctype>
#include <optional>
#include <tuple>

namespace tilewise {

namespace {

/// Whether a word of the text begins with `word`; both in lower case.
bool has_word(const std::string& text, const std::string& word) {
    for (size_t at = 0; (at = text.find(word, at)) != text.npos; at++)
        if (at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0) return true;
    return false;
}

/// In lower case; "AMD Radeon(TM) Graphics" and "Intel(R) Graphics" without their marks.
std::string plain_name(std::string_view text) {
    std::string plain = to_lower(text);
    for (const std::string_view mark : {"(tm)", "(r)", "(c)"})
        for (size_t at = plain.find(mark); at != plain.npos; at = plain.find(mark)) plain.erase(at, mark.size());
    return plain;
}

bool has_all(const std::string& text, const std::vector<std::string>& words) {
    const std::string lower = plain_name(text);
    return std::ranges::all_of(words, [&](const std::string& word) { return has_word(lower, word); });
}

bool is_meant(const KnownGpu& gpu, const std::vector<std::string>& words) {
    const std::string whose = gpu.chip.vendor + " " + gpu.chip.name + " " + gpu.chip.architecture + " ";
    const auto is = [&](const std::string& name) { return has_all(whose + name, words); };
    return is("") || std::ranges::any_of(gpu.devices, is) || std::ranges::any_of(gpu.products, is);
}

std::string known_by(const db::ListedDevice& device) {
    return device.published_only ? "published" : device.documented_only ? "documented" : "probed";
}

}  // namespace

std::vector<KnownGpu> known_gpus(const db::Database& database, std::string_view words) {
    using Key = std::tuple<std::string, std::string, std::string>;
    std::map<Key, KnownGpu> chips;
    for (const db::ListedDevice& device : db::list_devices(database)) {
        const std::optional<db::NamedGpu> named = db::gpu_of_device(device.fact);
        db::Chip chip = named ? named->chip : db::Chip{};
        if (chip.name.empty()) chip.name = chip.architecture.empty() ? device.fact.name : chip.architecture;
        KnownGpu& gpu = chips[{chip.vendor, chip.architecture, chip.name}];
        gpu.chip = chip;
        add_once(gpu.devices, device.fact.name);
        for (const db::DriverFact& driver : db::drivers_of(database, {device.row}))
            add_once(gpu.drivers, driver_text(driver));
        const std::string by = known_by(device);
        if (gpu.known.empty() || by == "probed" || (by == "documented" && gpu.known == "published")) gpu.known = by;
    }
    const std::vector<std::string> wanted = split(plain_name(words), ' ');
    std::vector<KnownGpu> found;
    for (auto& [key, gpu] : chips) {
        gpu.products = db::products_with(gpu.chip);
        if (!is_meant(gpu, wanted)) continue;
        std::stable_partition(gpu.products.begin(), gpu.products.end(),
                              [&](const std::string& name) { return has_all(name, wanted); });
        found.push_back(std::move(gpu));
    }
    return found;
}

nlohmann::ordered_json to_json(const KnownGpu& gpu) {
    return {{"vendor", gpu.chip.vendor}, {"chip", gpu.chip.name},    {"architecture", gpu.chip.architecture},
            {"known", gpu.known},        {"products", gpu.products}, {"devices", gpu.devices},
            {"drivers", gpu.drivers}};
}

std::string chip_name(const db::DeviceFact& device) {
    const std::optional<db::NamedGpu> gpu = db::gpu_of_device(device);
    return gpu && !gpu->chip.name.empty() ? gpu->chip.name : device.name;
}

const std::string& ChipNames::of(const db::DeviceUse& use) {
    const auto [known, is_new] = names_.try_emplace(use.device);
    if (is_new) known->second = chip_name(*use.device);
    return known->second;
}

}  // namespace tilewise
