// tilewise gpus: which GPUs are known.
#include "patterns/model/error.h"
#include "tools/answers/add_once.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/gpu/known_gpus.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/texts/assumptions.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace tilewise {

namespace {

void list_gpus(const std::vector<std::string>& words, const Globals& globals) {
    const db::Database database = open_to_read(globals);
    const std::string wanted = fmt::format("{}", fmt::join(words, " "));
    std::vector<KnownGpu> gpus = known_gpus(database, wanted);
    const AskedGpu said = asked_gpu(wanted);
    const bool names_a_chip = said.named && !said.named->chip.name.empty();
    const auto is_named = [&](const KnownGpu& gpu) { return gpu.chip.name == said.named->chip.name; };
    if (names_a_chip) std::ranges::stable_partition(gpus, is_named);
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (gpus.empty() || (names_a_chip && !is_named(gpus.front()))) {
        // No device here has the name, or the words match another chip only: a chip like the asked one may answer for
        // it.
        Scope asked;
        asked.gpu = find_gpu(database, said, GpuAnswer::one_chip);
        tell_gpu(asked);
        gpus = known_gpus(database, asked.gpu->rests_on);
        std::erase_if(gpus, [&](const KnownGpu& gpu) { return gpu.chip.name != asked.gpu->rests_on; });
        json["gpu"] = to_json(*asked.gpu);
    }
    std::vector<std::string> meanings;
    for (const db::Chip& chip : said.meanings) add_once(meanings, chip.name.empty() ? chip.architecture : chip.name);
    if (!meanings.empty())
        print_note(fmt::format("{} may have any of these chips: {}.", said.shown, fmt::join(meanings, ", ")));
    if (globals.json) {
        json["gpus"] = nlohmann::ordered_json::array();
        for (const KnownGpu& gpu : gpus) json["gpus"].push_back(to_json(gpu));
        return print_json(json);
    }
    std::vector<Row> rows = {{"chip", "vendor", "architecture", "known", "products", "drivers"}};
    for (const KnownGpu& gpu : gpus)
        rows.push_back({gpu.chip.name, gpu.chip.vendor, gpu.chip.architecture, gpu.known, some_of(gpu.products, 3),
                        some_of(gpu.drivers, 2)});
    print_table(rows);
}

}  // namespace

void add_gpus_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("gpus", "list the GPUs that are known, how, and with which drivers");
    auto words = std::make_shared<std::vector<std::string>>();
    command->add_option("words", *words, "words of a vendor, architecture, chip or product: RTX 4090; AMD RDNA3");
    command->callback([words, &globals] { list_gpus(*words, globals); });
}

}  // namespace tilewise
