#include "tools/answers/gpu/gpu.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "tools/answers/add_once.h"
#include "tools/answers/gpu/version_difference.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <tuple>
#include <utility>

namespace tilewise {

namespace {

struct NamedDevice : db::ListedDevice {
    std::string words;
    std::optional<db::NamedGpu> gpu;
};

std::vector<NamedDevice> known_devices(const db::Database& database) {
    std::vector<NamedDevice> devices;
    for (db::ListedDevice& listed : db::list_devices(database)) {
        std::string words = db::words_of_name(listed.fact.name);
        std::optional<db::NamedGpu> gpu = db::gpu_of_device(listed.fact);
        devices.push_back({std::move(listed), std::move(words), std::move(gpu)});
    }
    return devices;
}

using Devices = std::vector<const NamedDevice*>;

template <typename Is>
Devices those(const std::vector<NamedDevice>& all, const Is& is) {
    Devices found;
    for (const NamedDevice& device : all)
        if (is(device)) found.push_back(&device);
    return found;
}

bool all_published(const Devices& devices) {
    return std::ranges::all_of(devices, [](const NamedDevice* device) { return device->published_only; });
}

long last_number(const std::string& name) {
    const size_t end = name.find_last_of("0123456789");
    if (end == name.npos) return 0;
    const size_t before = name.find_last_not_of("0123456789", end);
    long number = 0;
    std::from_chars(name.data() + (before == name.npos ? 0 : before + 1), name.data() + end + 1, number);
    return number;
}

/// Smaller is nearer: chips of one kind have similar names and numbers.
auto unlikeness(const std::string& chip, const db::Chip& other) {
    return std::tuple(edit_distance(to_lower(chip), to_lower(other.name)),
                      std::labs(last_number(chip) - last_number(other.name)), other.name);
}

/// The devices of that architecture whose chip is most like the wanted one.
Devices most_like(const std::vector<NamedDevice>& all, const db::Chip& wanted, const std::string& architecture) {
    Devices same = those(all, [&](const NamedDevice& device) {
        return device.gpu && device.gpu->chip.architecture == architecture && !device.gpu->chip.name.empty();
    });
    // Published tables say little: they count only if there is nothing else.
    if (!all_published(same)) std::erase_if(same, [](const NamedDevice* device) { return device->published_only; });
    if (same.empty()) return same;
    const auto nearest = std::ranges::min_element(
        same, {}, [&](const NamedDevice* device) { return unlikeness(wanted.name, device->gpu->chip); });
    const db::Chip chip = (*nearest)->gpu->chip;
    std::erase_if(same, [&](const NamedDevice* device) { return device->gpu->chip != chip; });
    return same;
}

/// The devices with the chip that relatives.txt names; else those with the most similar chip of the chip's own
/// architecture, or of that architecture's relative.
Devices stand_ins(const std::vector<NamedDevice>& all, const db::Chip& wanted, FoundGpu& found) {
    const std::optional<db::Relative> relative = db::relative_of(wanted);
    if (relative && !relative->chip.empty()) {
        Devices of_chip = those(
            all, [&](const NamedDevice& device) { return device.gpu && device.gpu->chip.name == relative->chip; });
        if (!of_chip.empty()) {
            found.relative = relative->why;
            found.relative_is_chip = true;
            return of_chip;
        }
    }
    Devices devices = most_like(all, wanted, wanted.architecture);
    if (devices.empty() && relative && relative->chip.empty()) {
        devices = most_like(all, wanted, relative->architecture);
        found.relative = relative->why;
    }
    return devices;
}

bool may_mean(const db::NamedGpu& named, const db::Chip& chip) {
    return chip == named.chip || std::ranges::find(named.other_chips, chip.name) != named.other_chips.end();
}

/// Whether the words, such as "RTX", "Mali" or "740", are no full name, even if only one device here has them in its
/// name.
bool says_too_little(const std::string& words, const Devices& devices) {
    const auto has = [&](auto is) { return std::ranges::any_of(words, [&](unsigned char c) { return is(c) != 0; }); };
    return !devices.empty() && devices.front()->gpu && !(has(isalpha) && has(isdigit)) &&
           std::ranges::all_of(devices, [&](const NamedDevice* device) { return device->words != words; });
}

std::string with_architecture(const db::Chip& chip) {
    return chip.name.empty() ? chip.architecture : fmt::format("{} ({})", chip.name, chip.architecture);
}

/// "RTX 4090 has the chip AD102 (Ada)"
std::string told(const FoundGpu& found) {
    const db::Chip& chip = found.named->chip;
    if (chip.name.empty()) return fmt::format("{} is an architecture", found.asked);
    if (db::words_of_name(found.asked) == db::words_of_name(chip.name))
        return fmt::format("{} is of the architecture {}", found.asked, chip.architecture);
    return fmt::format("{} has the chip {}", found.asked, with_architecture(chip));
}

/// It matters which of several chips a name means.
bool is_undecided(const db::NamedGpu& named) { return !named.other_chips.empty() && !named.others_are_alike; }

/// Empty if it is no assumption that the name means the chip of these devices.
std::string why_assumed(const FoundGpu& found, const db::Chip& chip) {
    const db::NamedGpu& named = *found.named;
    if (chip == named.chip && !is_undecided(named) && !named.nearly && !found.is_documented) return "";
    std::string others = named.other_chips.empty() ? "" : fmt::format(", or {}", fmt::join(named.other_chips, ", "));
    if (named.nearly)
        others += fmt::format(", if it has that of the {}", named.product.empty() ? named.chip.name : named.product);
    const std::string seen =
        fmt::format("{}, as {} {}", with_architecture(chip), found.is_documented ? "texts describe it:" : "seen on",
                    fmt::join(found.names, ", "));
    if (!found.relative.empty())
        return fmt::format("{}{}, and nobody has probed {}; this is that of {}, because {}", told(found), others,
                           found.relative_is_chip ? "that chip" : "a chip of that architecture", seen, found.relative);
    if (found.is_documented && chip == named.chip)
        return fmt::format("{}{}; nobody has read it: this is how public texts describe {}", told(found), others,
                           fmt::join(found.names, ", "));
    const bool unknown = found.is_documented || (chip != named.chip && !named.chip.name.empty());
    return fmt::format("{}{}{}; this is that of {}", told(found), others,
                       !unknown                ? ""
                       : named.product.empty() ? ", and nobody has probed it"
                                               : ", which nobody has probed",
                       seen);
}

/// Empty if the chip was read on hardware, or if nothing about it had to be guessed.
std::string why_guessed(const db::Database& database, const FoundGpu& found) {
    const db::Chip& chip = found.named->chip;
    const std::optional<db::Relative> relative = db::relative_of(chip);
    if (!relative || relative->chip != chip.name) return "";
    const auto is_without_hardware = [](const db::ObservationRow& row) {
        return row.fact.provenance == "driver without hardware";
    };
    if (!std::ranges::all_of(db::find_observations(database, {.devices = found.devices}), is_without_hardware))
        return "";
    return fmt::format("{}, seen as {}; {}", told(found), fmt::join(found.names, ", "), relative->why);
}

[[noreturn]] void nobody_has(const std::vector<NamedDevice>& all, const FoundGpu& found, const AskedGpu& asked) {
    if (found.named) {
        std::vector<std::string> chips;
        for (const NamedDevice& device : all)
            if (device.gpu && device.gpu->chip.vendor == found.named->chip.vendor)
                add_once(chips, with_architecture(device.gpu->chip));
        throw Error(
            fmt::format("{}, and nobody has probed a chip of that architecture; {}; run tilewise probe on a machine "
                        "that has one",
                        told(found),
                        chips.empty() ? fmt::format("no {} chip was probed", found.named->chip.vendor)
                                      : fmt::format("the {} chips that were probed are: {}", found.named->chip.vendor,
                                                    fmt::join(chips, ", "))));
    }
    std::vector<std::string> meanings;
    for (const db::Chip& chip : asked.meanings) add_once(meanings, with_architecture(chip));
    const std::string maker = db::vendor_said(asked.said);
    const bool is_anothers =
        !maker.empty() && std::ranges::none_of(asked.meanings, [&](const db::Chip& c) { return c.vendor == maker; });
    if (!meanings.empty() && (meanings.size() == 1 || is_anothers))
        throw Error(fmt::format("\"{}\" is not the name of a GPU; without the vendor it is that of {} by {}",
                                found.asked, fmt::join(meanings, ", "), asked.meanings.front().vendor));
    if (!meanings.empty())
        throw Error(
            fmt::format("\"{}\" may have chips of several architectures: {}; name the chip, or be more specific",
                        found.asked, fmt::join(meanings, ", ")));
    const std::vector<std::string> like = db::names_like(asked.said, 5);
    throw Error(fmt::format("no GPU is known by the name \"{}\"{}", found.asked,
                            like.empty() ? ", nor by a similar one; name the GPU or its chip as the driver or the "
                                           "system reports it: one model of a computer may have several"
                                         : fmt::format("; the most similar names: {}", fmt::join(like, ", "))));
}

/// "UHD Graphics" may be of several architectures, so a device with these words in its name is not necessarily meant.
bool means_several(const AskedGpu& asked) {
    return std::ranges::any_of(
        asked.meanings, [&](const db::Chip& chip) { return chip.architecture != asked.meanings.front().architecture; });
}

bool has_digit(const std::string& text) { return text.find_first_of("0123456789") != std::string::npos; }

/// The version as the driver writes it; else its number.
const std::string& version_of(const db::DriverFact& driver) {
    return has_digit(driver.info) ? driver.info : driver.version;
}

/// Whether version `a` comes before `b`. Numbers are compared as numbers: 580.65.06 is before 580.159.04.
bool is_older(std::string_view a, std::string_view b) {
    const auto take_number = [](std::string_view& text) {
        const std::string_view digits = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
        text.remove_prefix(digits.size());
        return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
    };
    while (!a.empty() && !b.empty()) {
        const std::string_view x = take_number(a), y = take_number(b);
        if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
        if (a.empty() || b.empty()) break;
        if (a.front() != b.front()) return a.front() < b.front();
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return a.empty() && !b.empty();
}

const char* const nvidias_own = "NVIDIA";

std::string text_of(const db::DriverFact& driver) {
    return to_lower(fmt::format("{} {} {}", driver.name, driver.info, driver.version));
}

/// The devices that NVIDIA's own driver was read on.
Devices with_own_driver(const db::Database& database, const std::vector<NamedDevice>& all) {
    return those(all, [&](const NamedDevice& device) {
        return std::ranges::any_of(db::drivers_of(database, {device.row}),
                                   [](const db::DriverFact& driver) { return driver.name == nvidias_own; });
    });
}

/// Since Turing, NVIDIA's chips lay out images in the same blocks, except for small texels on Blackwell.
bool has_those_blocks(const db::Chip& chip) {
    constexpr std::array<const char*, 5> architectures = {"Turing", "Ampere", "Ada", "Hopper", "Blackwell"};
    return chip.vendor == "NVIDIA" && std::ranges::find(architectures, chip.architecture) != architectures.end();
}

/// "580.159.04" or "535": NVIDIA's version numbers are in the hundreds, Mesa's begin with the year.
bool is_own_version(const std::string& text) {
    constexpr int first = 100;
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && number >= first && (end == text.data() + text.size() || *end == '.');
}

/// NVIDIA's own driver was read on few chips: these answer for others, as an assumption.
void assume_own_driver(const db::Database& database, Scope& asked) {
    const std::string wanted = to_lower(asked.filter.driver);
    FoundGpu& gpu = *asked.gpu;
    if (!gpu.named || !has_those_blocks(gpu.named->chip)) return;
    const bool by_version = is_own_version(wanted);
    if (!by_version && wanted.find("nvidia") == std::string::npos && wanted.find("proprietary") == std::string::npos)
        return;
    for (const db::DriverFact& driver : db::drivers_of(database, gpu.devices))
        if (driver.name == nvidias_own) return;
    const std::vector<NamedDevice> all = known_devices(database);
    const Devices own = with_own_driver(database, all);
    if (own.empty()) return;
    asked.stood_in_for = std::exchange(gpu.devices, {});
    gpu.names.clear();
    for (const NamedDevice* device : own) {
        gpu.devices.push_back(device->row);
        add_once(gpu.names, device->fact.name);
    }
    gpu.rests_on = own.front()->gpu ? own.front()->gpu->chip.name : "";
    gpu.assumed = fmt::format("{}; NVIDIA's own driver was read on {} only, and this answer is from there", told(gpu),
                              fmt::join(gpu.names, ", "));
    asked.filter.devices = gpu.devices;
    asked.filter.driver = nvidias_own;
}

/// For a version that nobody probed ("Mesa 27.0"), the newest probed version before it answers, or else the oldest, as
/// an assumption; where the two are known to differ, nothing answers for an image. A text that names no version of these
/// devices' drivers stays unchanged, and finds nothing.
void assume_driver(const db::Database& database, Scope& asked, GpuAnswer answer) {
    const std::string wanted = to_lower(asked.filter.driver);
    std::vector<db::DriverFact> known = db::drivers_of(database, asked.gpu->devices);
    std::vector<std::string> names = split(wanted, ' ');
    const auto number = std::ranges::find_if(names, has_digit);
    if (number == names.end() || std::ranges::any_of(known, [&](const db::DriverFact& driver) {
            return text_of(driver).find(wanted) != std::string::npos;
        }))
        return;
    const std::string version = *number;
    std::erase_if(names, has_digit);
    std::erase_if(known, [&](const db::DriverFact& driver) {
        return !has_digit(driver.version) || std::ranges::any_of(names, [&](const std::string& name) {
            return text_of(driver).find(name) == std::string::npos;
        });
    });
    if (known.empty()) return;
    std::ranges::stable_sort(known, is_older, &db::DriverFact::version);
    const auto newer = std::ranges::upper_bound(known, version, is_older, &db::DriverFact::version);
    const bool is_before = newer != known.begin();
    const db::DriverFact& driver = is_before ? *std::prev(newer) : known.front();
    FoundGpu& gpu = *asked.gpu;
    const std::string unread = fmt::format("nobody has probed {} with the driver \"{}\"", fmt::join(gpu.names, ", "),
                                           printable(asked.filter.driver, 60));
    const std::string& answering = driver.info.empty() ? driver.version : driver.info;
    const std::optional<VersionDifference> difference =
        version_difference(gpu.rests_on, driver.name, version, answering);
    if (difference && difference->is_certain && answer == GpuAnswer::one_chip)
        throw Error(
            fmt::format("{}, and {} {} lays images out differently: {}; ask without --driver, or run tilewise "
                        "probe on a machine with that driver",
                        unread, driver.name, answering, difference->how));
    gpu.assumed +=
        fmt::format("{}{}; this is how it is with {} {}, the {}", gpu.assumed.empty() ? "" : "; and ", unread,
                    driver.name, answering, is_before ? "newest before it that was probed" : "oldest that was probed");
    if (difference) gpu.assumed += fmt::format(", and it may differ: {}", difference->how);
    asked.filter.driver = driver.name + " " + driver.info;
}

/// A number as drivers give to their devices: many device names contain it.
bool is_number_of_device(const std::string& words) {
    constexpr size_t most_digits = 2;
    return words.size() <= most_digits && std::ranges::all_of(words, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

FoundGpu find_gpu(const db::Database& database, const AskedGpu& asked, GpuAnswer answer) {
    const bool one_chip = answer != GpuAnswer::all;
    const std::vector<NamedDevice> all = known_devices(database);
    FoundGpu found;
    found.asked = asked.shown;
    found.named = asked.named;
    const std::string& words = asked.words;
    if (!found.named && is_number_of_device(words))
        throw UsageError(
            fmt::format("{} is not a GPU's name: name a product, a chip or a PCI id (the numbers that tilewise devices "
                        "prints are for --device of probe and similar commands)",
                        found.asked));
    if (one_chip && means_several(asked)) nobody_has(all, found, asked);
    const bool sure =
        found.named && !is_undecided(*found.named) && !found.named->nearly && !found.named->chip.name.empty();

    // Devices are found by their own names first: "H100" is not an H200, although they have the same chip; "RTX 4060"
    // is not an "RTX 4060 Ti", which has another chip.
    Devices devices = those(all, [&](const NamedDevice& device) {
        if (!db::has_words(device.words, words)) return false;
        if (!sure || !device.gpu || device.gpu->chip == found.named->chip) return true;
        // A board with another of its chips: the "RTX 3060" that has a GA104, but not an "RTX 3060 Ti".
        return device.words.ends_with(words) &&
               std::ranges::find(found.named->other_chips, device.gpu->chip.name) != found.named->other_chips.end();
    });
    const bool architecture = found.named && found.named->chip.name.empty();
    if (found.named && (devices.empty() || all_published(devices)) && !(architecture && one_chip)) {
        const Devices of_chip = those(all, [&](const NamedDevice& device) {
            return device.gpu && (architecture ? device.gpu->chip.architecture == found.named->chip.architecture
                                               : device.gpu->chip == found.named->chip);
        });
        if (!of_chip.empty()) devices = of_chip;
    }
    bool has_every_chip = false;
    if (!one_chip && found.named && is_undecided(*found.named)) {
        // One chip's devices may have the name, but it means the others, too.
        const Devices of_any = those(
            all, [&](const NamedDevice& device) { return device.gpu && may_mean(*found.named, device.gpu->chip); });
        if (!of_any.empty()) devices = of_any;
        std::stable_partition(devices.begin(), devices.end(), [&](const NamedDevice* device) {
            return device->gpu && device->gpu->chip == found.named->chip;
        });
        has_every_chip = std::ranges::all_of(found.named->other_chips, [&](const std::string& chip) {
            return std::ranges::any_of(
                devices, [&](const NamedDevice* device) { return device->gpu && device->gpu->chip.name == chip; });
        });
    }
    if (one_chip && !all_published(devices))
        std::erase_if(devices, [](const NamedDevice* device) { return device->published_only; });
    const bool by_name =
        !devices.empty() &&
        (!found.named || (!devices.front()->documented_only && db::has_words(devices.front()->words, words)));
    if (devices.empty() && found.named) devices = stand_ins(all, found.named->chip, found);
    if (devices.empty() && found.named && answer == GpuAnswer::one_chip_if_any) {
        found.said = fmt::format("{}, and nobody has probed a chip of that architecture", told(found));
        return found;
    }
    if (devices.empty()) nobody_has(all, found, asked);
    for (const NamedDevice* device : devices) {
        found.devices.push_back(device->row);
        add_once(found.names, device->fact.name);
    }
    found.is_documented = devices.front()->documented_only;
    if (devices.front()->gpu) found.rests_on = devices.front()->gpu->chip.name;
    if (found.named && !db::has_words(devices.front()->words, words)) found.said = told(found);
    if (has_every_chip)
        found.said = fmt::format("{} or {}; the answer has those of each", told(found),
                                 fmt::join(found.named->other_chips, " or "));
    if (found.named && found.named->others_are_alike)
        found.said = fmt::format("{}, or {}, which lays images out alike", told(found),
                                 fmt::join(found.named->other_chips, " or "));
    if (one_chip && by_name && found.named && is_undecided(*found.named) && found.assumed.empty())
        found.assumed =
            fmt::format("{} has the chip {} or {}: this is how it is on {}", found.asked, found.named->chip.name,
                        fmt::join(found.named->other_chips, " or "), fmt::join(found.names, ", "));
    if (one_chip && !found.named && says_too_little(words, devices)) {
        const bool is_one = std::ranges::all_of(devices, [&](const NamedDevice* device) {
            return device->gpu && device->gpu->chip == devices.front()->gpu->chip;
        });
        if (!is_one) {
            constexpr size_t most_names = 4;
            const std::span names(found.names.data(), std::min(found.names.size(), most_names));
            throw Error(fmt::format("\"{}\" is only part of the names of {} GPUs: {}{}; name one of them, or its chip",
                                    found.asked, found.names.size(), fmt::join(names, ", "),
                                    found.names.size() > most_names ? ", .." : ""));
        }
        found.assumed =
            fmt::format("{} is only part of a GPU's name: this is {}", found.asked, fmt::join(found.names, ", "));
    }
    if (!by_name && !has_every_chip && !(architecture && !one_chip) && devices.front()->gpu)
        found.assumed = why_assumed(found, devices.front()->gpu->chip);
    if (sure && found.assumed.empty()) found.assumed = why_guessed(database, found);
    return found;
}

nlohmann::ordered_json to_json(const FoundGpu& gpu) {
    nlohmann::ordered_json json = {{"asked", gpu.asked}};
    if (gpu.named) {
        json["vendor"] = gpu.named->chip.vendor;
        json["chip"] = gpu.named->chip.name;
        json["architecture"] = gpu.named->chip.architecture;
        json["product"] = gpu.named->product;
        json["named_by"] = gpu.named->list;
        json["other_chips"] = gpu.named->other_chips;
    }
    json["source"] = gpu.assumed.empty() ? "probed" : "assumed";
    json["rests_on"] = gpu.rests_on;
    json["devices"] = gpu.names;
    if (!gpu.assumed.empty()) json["assumed"] = gpu.assumed;
    return json;
}

Scope ask(const db::Database& database, const Question& question, GpuAnswer answer) {
    Scope asked = {filter_of(question), {}};
    AskedGpu gpu = question.gpu;
    const std::string& device = question.device.said;
    if (gpu.said.empty() && !device.empty() && !db::is_part_of_a_device_name(database, device)) {
        gpu = question.device;
        asked.filter.device.clear();
    }
    if (gpu.said.empty()) return asked;
    asked.gpu = find_gpu(database, gpu, answer);
    asked.filter.devices = asked.gpu->devices;
    asked.filter.gpu = asked.gpu->asked;
    if (answer != GpuAnswer::all && !asked.gpu->devices.empty() && !asked.filter.driver.empty()) {
        assume_own_driver(database, asked);
        if (asked.stood_in_for.empty()) assume_driver(database, asked, answer);
    }
    return asked;
}

bool has_older_version(const db::DriverFact& a, const db::DriverFact& b) {
    return is_older(version_of(a), version_of(b));
}

std::string newest_driver(const db::Database& database, const std::vector<int64_t>& devices,
                          const std::string& wanted) {
    std::vector<db::DriverFact> known = db::drivers_of(database, devices);
    std::erase_if(known, [&](const db::DriverFact& driver) {
        return !has_digit(version_of(driver)) || text_of(driver).find(to_lower(wanted)) == std::string::npos;
    });
    const auto differs = [&](const db::DriverFact& driver) { return driver.name != known.front().name; };
    if (known.size() < 2 || std::ranges::any_of(known, differs)) return "";
    const db::DriverFact& newest = *std::ranges::max_element(known, has_older_version);
    return newest.name + " " + newest.info;
}

std::optional<Scope> of_newest_driver(const db::Database& database, const Scope& asked) {
    if (!asked.gpu) return {};
    const std::string newest = newest_driver(database, asked.gpu->devices, asked.filter.driver);
    if (newest.empty()) return {};
    Scope narrowed = asked;
    narrowed.filter.driver = newest;
    return narrowed;
}

std::string whose_driver(const db::Database& database, const Scope& asked) {
    if (!asked.gpu || !asked.gpu->named || asked.gpu->named->chip.vendor != "NVIDIA") return "";
    const std::vector<db::DriverFact> drivers = db::drivers_of(database, asked.gpu->devices);
    if (drivers.empty() || drivers.front().name != "NVK") return "";
    const std::vector<NamedDevice> all = known_devices(database);
    std::vector<std::string> names;
    for (const NamedDevice* device : with_own_driver(database, all)) add_once(names, device->fact.name);
    if (names.empty()) return "";
    return fmt::format("this is from Mesa's driver {}; NVIDIA's own was read on {} only (--driver nvidia)",
                       drivers.front().name, fmt::join(names, ", "));
}

std::string said_of(const Scope& asked) {
    if (!asked.gpu || !asked.gpu->assumed.empty() || asked.gpu->said.empty()) return "";
    if (asked.gpu->devices.empty()) return asked.gpu->said;
    return fmt::format("{}, seen as {}", asked.gpu->said, fmt::join(asked.gpu->names, ", "));
}

}  // namespace tilewise
