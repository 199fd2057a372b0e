// How fast a large database answers: observations of 200 devices, made from those of the catalog.
//   tilewise_bench_database FOLDER [OBSERVATIONS]
// Leaves FOLDER/large.json and FOLDER/large.db behind, so that the command line can be timed, too.
#include "db/bundle/bundle.h"
#include "db/query/check.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/model/error.h"
#include "tools/bench/timing.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

using namespace tilewise;

namespace {

constexpr size_t devices = 200;

/// A bundle whose devices each repeat what the catalog has of one, under a name of their own, day after day.
std::string large_bundle(size_t observations) {
    const db::Database catalog = db::open_catalog();
    std::vector<std::vector<db::ObservationRow>> known;
    for (db::ObservationRow& row : db::find_observations(catalog, {})) {
        const auto same = [&](const std::vector<db::ObservationRow>& rows) {
            return rows.front().device == row.device && rows.front().driver == row.driver;
        };
        const auto of_device = std::ranges::find_if(known, same);
        if (of_device == known.end())
            known.push_back({std::move(row)});
        else
            of_device->push_back(std::move(row));
    }
    db::Database made = db::open_catalog({});
    const db::Transaction transaction(made.sqlite);
    for (size_t i = 0; i < observations; i++) {
        const size_t number = i * devices / observations, place = i - number * observations / devices;
        const std::vector<db::ObservationRow>& rows = known[number % known.size()];
        db::ObservationRow row = rows[place % rows.size()];
        row.device.name += fmt::format(", example {}", number);
        const size_t day = place / rows.size();
        row.fact.time = fmt::format("{}-{:02}-{:02}T12:00:00Z", 2020 + day / 336, 1 + day / 28 % 12, 1 + day % 28);
        db::add_observation(made, row.device, row.driver, row.fact);
    }
    return db::export_bundle(made);
}

void print_time(const std::string& what, double seconds) { fmt::print("{:60} {:9.1f} ms\n", what, 1e3 * seconds); }

/// The best of five: the first one reads the file.
template <typename Work>
double best_of_five(const Work& work) {
    double best = 1e9;
    for (int i = 0; i < 5; i++) best = std::min(best, seconds_of(BenchClock::thread, work));
    return best;
}

void run(const std::filesystem::path& folder, size_t observations) {
    const std::filesystem::path bundle = folder / "large.json", file = folder / "large.db";
    if (!std::filesystem::exists(bundle)) std::ofstream(bundle) << large_bundle(observations);
    std::ifstream stream(bundle, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + suffix);
    {
        db::Database database = db::open_database(file, db::Access::read_write, {});
        db::Imported imported;
        print_time("import",
                   seconds_of(BenchClock::thread, [&] { imported = db::import_bundle(database, text, "large.json"); }));
        fmt::print("  {} observations of {} devices, {} patterns\n", imported.observations, imported.devices,
                   imported.patterns);
    }
    print_time("open", best_of_five([&] { db::open_database(file, db::Access::read_only, {}); }));
    const db::Database database = db::open_database(file, db::Access::read_only, {});
    db::Report report;
    print_time("check", seconds_of(BenchClock::thread, [&] { report = db::check_database(database); }));
    if (!report.faults.empty()) throw Error("check: " + report.faults.front());
    const auto patterns = [&](const std::string& what, const db::Filter& filter) {
        size_t rows = 0;
        const double seconds = best_of_five([&] { rows = db::find_patterns(database, filter).size(); });
        print_time(fmt::format("patterns {} ({} rows)", what, rows), seconds);
    };
    const auto of_device = [](const char* device) {
        db::Filter filter;
        filter.device = device;
        return filter;
    };
    db::Filter format, both = of_device("example 7");
    format.format = both.format = "R8G8B8A8_UNORM";
    const auto with = [](std::string db::Filter::*member, const char* value) {
        db::Filter filter;
        filter.*member = value;
        return filter;
    };
    patterns("of everything", {});
    patterns("of the device example 7", of_device("example 7"));
    patterns("of the format R8G8B8A8_UNORM", format);
    patterns("of the format R16G16_SFLOAT", with(&db::Filter::format, "R16G16_SFLOAT"));
    patterns("of the device example 7 and R8G8B8A8_UNORM", both);
    patterns("of the vendor Apple", with(&db::Filter::vendor, "Apple"));
    patterns("of the driver honeykrisp", with(&db::Filter::driver, "honeykrisp"));
    patterns("of the mode Intel Tile4", with(&db::Filter::mode, "Intel Tile4"));
    db::Filter extent;
    extent.extent = {1000, 700, 1};
    patterns("of the extent 1000x700", extent);
    const auto observed = [&](const std::string& what, const db::Filter& filter) {
        size_t rows = 0;
        const double seconds = best_of_five([&] { rows = db::find_observations(database, filter).size(); });
        print_time(fmt::format("observations {} ({} rows)", what, rows), seconds);
    };
    observed("of one device and format", both);
    db::Filter nobody = of_device("example of nobody");
    print_time("why nothing", best_of_five([&] { db::why_nothing(database, nobody); }));
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
