// How fast a large database answers: 200 devices with the catalog's rules, and images that these rules predict.
//   tilewise_bench_database FOLDER [OBSERVATIONS]
// It leaves behind FOLDER/large.json, the exports of 100 hosts with two devices each (FOLDER/host-*.json), and
// FOLDER/large.db. Times are processor times; for a command, without the program's start. For an import and a check,
// which use two threads, the wall-clock time comes first.
#include "db/bundle/bundle.h"
#include "db/facts/image_rule.h"
#include "db/query/check.h"
#include "db/sqlite/open.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "patterns/rules/rule_json.h"
#include "probe/formats/names.h"
#include "probe/learn/learn_rules.h"
#include "probe/probe.h"
#include "tools/bench/timing.h"
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewise;
namespace fs = std::filesystem;

namespace {

constexpr size_t devices = 200, hosts = 100;

/// What the catalog knows about one device and driver.
struct Chip {
    db::DeviceFact device;
    db::DriverFact driver;
    std::vector<db::ImageRuleFact> facts;
    std::vector<Rule> rules;  ///< of the facts, in their order
};

std::vector<Chip> chips_with_rules() {
    const db::Database catalog = db::open_catalog();
    std::vector<Chip> chips;
    for (db::ImageRuleRow& row : db::find_facts<db::ImageRuleFact>(catalog)) {
        if (chips.empty() || chips.back().device != row.device || chips.back().driver != row.driver)
            chips.push_back({.device = row.device, .driver = row.driver, .facts = {}, .rules = {}});
        chips.back().rules.push_back(rule_from_json(row.fact.rule));
        chips.back().facts.push_back(std::move(row.fact));
    }
    return chips;
}

/// Makes one more device of its kind, with its own name and id; every eighth of the 200 has another version of the
/// driver.
void rename(Chip& chip, size_t number, size_t version) {
    chip.device.name += fmt::format(", example {}", number);
    chip.device.device_id += static_cast<uint32_t>(number) << 16;
    chip.driver.info += fmt::format(", example {}", version);
}

/// An image with one of the default extents of `probe`, or with a random extent.
std::optional<ImageLayout> predicted_image(const Rule& rule, const db::ImageRuleFact& fact, std::mt19937_64& random) {
    const std::vector<std::string> formats = split(fact.formats);
    const ImageType type = rule.image_type;
    WantedImage kind;
    kind.format = formats[random() % formats.size()];
    kind.type = type;
    const WantedImage drawn = draw_image(random, kind, 4096, 16 << 20);
    ImageLayout wanted = image_of(rule, drawn);
    if (const auto defaults = probe::default_extents(type); random() % 2) {
        const Extent_px& extent = defaults[random() % defaults.size()];
        wanted.extent_px = extent;
        wanted.levels = wanted.layers = 1;
    }
    return predict(rule, wanted).image;
}

db::ObservationFact observation_of(const ImageLayout& image, const Subresource& part, const db::ImageRuleFact& rule) {
    db::ObservationFact fact;
    static_cast<ImageKind&>(fact) = image;
    fact.level = part.level;
    fact.layer = part.layer;
    fact.aspect = aspect_name(part.aspect);
    fact.route = "host-copy";
    fact.memory_type = 0;
    fact.memory_flags = "DEVICE_LOCAL,HOST_VISIBLE";
    fact.result = "exact";
    fact.elements = 1;
    for (const uint32_t length : extent_el(image, part)) fact.elements *= length;
    fact.bytes = image.bytes;
    fact.alignment = image.alignment;
    fact.time = rule.time;
    fact.tool_version = rule.tool_version;
    fact.provenance = rule.provenance;
    fact.layout = part.layout;
    return fact;
}

db::Database large_database(size_t observations) {
    const std::vector<Chip> chips = chips_with_rules();
    std::mt19937_64 random(13);
    db::Database made = db::open_catalog({});
    db::Transaction transaction(made.sqlite);
    for (size_t number = 0; number < devices; number++) {
        Chip chip = chips[number % chips.size()];
        rename(chip, number, number / chips.size());
        size_t wanted = observations * (number + 1) / devices - observations * number / devices;
        while (wanted > 0) {
            const size_t of = random() % chip.rules.size();
            const std::optional<ImageLayout> image = predicted_image(chip.rules[of], chip.facts[of], random);
            if (!image) continue;
            db::ImageRuleFact& fact = chip.facts[of];
            for (const Subresource& part : image->subresources)
                if (wanted > 0)
                    wanted -=
                        db::add_observation_within(made, chip.device, chip.driver, observation_of(*image, part, fact))
                            .new_observation;
            // Each image has a day of its own, so that none counts as known already.
            const size_t day = random() % 3360;
            fact.time = fmt::format("{}-{:02}-{:02}T12:00:{:02}Z", 2016 + day / 336, 1 + day / 28 % 12, 1 + day % 28,
                                    random() % 60);
        }
        for (const db::ImageRuleFact& fact : chips[number % chips.size()].facts)
            db::add_fact(made, chip.device, chip.driver, fact);
    }
    transaction.commit();
    return made;
}

std::string host_file(size_t host) { return fmt::format("host-{:02}.json", host); }

void write_bundles(const fs::path& folder, size_t observations) {
    const db::Database made = large_database(observations);
    std::ofstream(folder / "large.json") << db::export_bundle(made);
    for (size_t host = 0; host < hosts; host++) {
        db::Filter filter;
        filter.devices.emplace();
        for (size_t i = host; i < devices; i += hosts) filter.devices->push_back(static_cast<int64_t>(i + 1));
        std::ofstream(folder / host_file(host)) << db::export_bundle(made, filter);
    }
}

std::string text_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void print_time(const std::string& what, double seconds) { fmt::print("{:70} {:9.1f} ms\n", what, 1e3 * seconds); }

/// The wall-clock time, and the processor time.
struct Took {
    double wall = 1e9, processor = 1e9;
};

template <typename Work>
void take_best(Took& best, const Work& work) {
    double wall = 0;
    const double processor =
        seconds_of(BenchClock::process, [&] { wall = seconds_of(BenchClock::wall, [&] { work(); }); });
    best = {std::min(best.wall, wall), std::min(best.processor, processor)};
}

void print_time(const std::string& what, const Took& best) {
    fmt::print("{:70} {:9.1f} ms, {:.1f} ms of the processor\n", what, 1e3 * best.wall, 1e3 * best.processor);
}

constexpr int repetitions = 3;

/// Imports the bundles into a database without the catalog.
void import_all(const fs::path& file, const std::string& what, const std::vector<db::Bundle>& bundles) {
    Took best;
    db::Imported imported;
    for (int i = 0; i < repetitions; i++) {
        for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(file.string() + suffix);
        db::Database database = db::open_database(file, db::Access::read_write, {});
        take_best(best, [&] { imported = db::import_bundles(database, bundles); });
    }
    print_time(what, best);
    fmt::print("  {} observations, {} rules of {} devices, {} patterns, {} contradictions\n", imported.observations,
               imported.rules, imported.devices, imported.patterns, imported.contradictions.size());
}

struct Ran {
    double seconds = 0;  ///< of the processor
    size_t lines = 0;    ///< that the command printed
};

Ran ran(std::vector<std::string> command, const fs::path& output) {
    const int file = ::open(output.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    const pid_t pid = fork();
    if (pid == 0) {
        std::vector<char*> arguments;
        for (std::string& argument : command) arguments.push_back(argument.data());
        arguments.push_back(nullptr);
        dup2(file, STDOUT_FILENO);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    ::close(file);
    int status = 0;
    rusage used{};
    if (pid < 0 || wait4(pid, &status, 0, &used) != pid || status != 0)
        throw Error(fmt::format("{} failed", fmt::join(command, " ")));
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    const std::string text = text_of(output);
    return {seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<size_t>(std::ranges::count(text, '\n'))};
}

/// The best of many runs: the first one reads the file.
Ran best_of_20(const std::vector<std::string>& command, const fs::path& output) {
    Ran best = ran(command, output);
    for (int i = 1; i < 20; i++) best.seconds = std::min(best.seconds, ran(command, output).seconds);
    return best;
}

void time_commands(const fs::path& folder) {
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "tilewise", output = folder / "answer";
    const double start = best_of_20({program, "--version"}, output).seconds;
    print_time("tilewise --version", start);
    const std::vector<std::vector<std::string>> questions = {
        {"query"},
        {"query", "--device", "example 7"},
        {"query", "--vendor", "NVIDIA", "--format", "RGBA8"},
        {"query", "--gpu", "RTX 4090"},
        {"query", "--gpu", "Navi 21"},
        {"query", "--gpu", "Ampere"},
        {"query", "--vendor", "NVIDIA"},
        {"query", "--vendor", "AMD"},
        {"query", "--driver", "turnip"},
        {"query", "--driver", "NVK"},
        {"query", "--format", "RGBA8"},
        {"query", "--format", "RGBA16F"},
        {"query", "--format", "BC7"},
        {"query", "--mode", "64KB_R_X"},
        {"query", "--mode", "BLOCK_LINEAR"},
        {"query", "--extent", "1000x700"},
        {"query", "--usage", "storage", "--vendor", "Qualcomm"},
        {"query", "--gpu", "Navi 21", "--json"},
        {"query", "--format", "RGBA8", "--json"},
    };
    for (const std::vector<std::string>& question : questions) {
        std::vector<std::string> command = {program, "--db", folder / "large.db"};
        command.insert(command.end(), question.begin(), question.end());
        const Ran best = best_of_20(command, output);
        print_time(fmt::format("{} ({} lines)", fmt::join(question, " "), best.lines), best.seconds - start);
    }
    fs::remove(output);
}

void run(const fs::path& folder, size_t observations) {
    const fs::path bundle = folder / "large.json", file = folder / "large.db";
    if (!fs::exists(bundle)) write_bundles(folder, observations);
    std::vector<db::Bundle> of_hosts;
    for (size_t host = 0; host < hosts; host++)
        of_hosts.push_back({host_file(host), [=] { return text_of(folder / host_file(host)); }});
    import_all(file, "merge of 100 bundles", of_hosts);
    import_all(file, "import", {{"large.json", [&] { return text_of(bundle); }}});
    const db::Database database = db::open_database(file, db::Access::read_only, {});
    db::Report report;
    Took best;
    for (int i = 0; i < repetitions; i++) take_best(best, [&] { report = db::check_database(database); });
    print_time("check", best);
    if (!report.faults.empty()) throw Error("check: " + report.faults.front());
    time_commands(folder);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: tilewise_bench_database FOLDER [OBSERVATIONS]\n");
        return 2;
    }
    try {
        run(argv[1], argc > 2 ? static_cast<size_t>(std::atoll(argv[2])) : 100'000);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "tilewise_bench_database: {}\n", error.what());
        return 1;
    }
}
