#include "tools/cli/commands/layout_check.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "patterns/rules/rule_json.h"
#include "probe/learn/image_prober.h"
#include "probe/learn/verify_rules.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/predicted_image.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// The device's own rules; or those for the chip that --gpu names, because not every driver reports its chip's name.
std::vector<db::ImageRuleRow> rules_to_check(const db::Database& database, const probe::DeviceInfo& device,
                                             const Question& about) {
    if (about.gpu.said.empty())
        return newest_rules(db::find_facts<db::ImageRuleFact>(database, device_fact(device), driver_fact(device)));
    Question chip = about;
    chip.device = {};
    Scope asked = ask(database, chip);
    // The rules for the very version that is installed here, if the chip was seen with it.
    const db::DriverFact here = driver_fact(device);
    Scope of_version = asked;
    if (asked.filter.driver.empty()) of_version.filter.driver = here.name + " " + here.info;
    std::vector<db::ImageRuleRow> rules = find_rules(database, of_version.filter);
    if (!rules.empty()) return rules;
    return find_rules(database, of_newest_driver(database, asked).value_or(asked).filter);
}

}  // namespace

void check_layouts(const LayoutCheck& check, const ImageQuestion& images, const Globals& globals) {
    require_known(images.about.format);
    probe::Workers workers;
    const db::Database database = open_to_read(globals);
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    bool failed = false, read_none = false;
    for (const probe::DeviceInfo& device : choose_devices(probe::list_devices(workers), images.about.device.said)) {
        std::vector<Rule> rules;
        std::vector<std::string> whose;  // with --gpu: whose rules these are
        for (const db::ImageRuleRow& row : rules_to_check(database, device, images.about)) {
            const std::string& wanted = images.about.format.name;
            Rule rule = rule_from_json(row.fact.rule);
            if (images.type && rule.image_type != *images.type) continue;
            if (images.samples && rule.samples != *images.samples) continue;
            if (!has_names(rule.usage, images.about.usage)) continue;
            if (!has_names(row.fact.formats, wanted)) continue;
            rule.formats = wanted.empty() ? split(row.fact.formats) : std::vector{wanted};
            rules.push_back(std::move(rule));
            const std::string origin = fmt::format("{} ({})", row.device.name, driver_text(row.driver));
            if (!images.about.gpu.said.empty() && std::ranges::count(whose, origin) == 0) whose.push_back(origin);
        }
        if (rules.empty() && !images.about.gpu.said.empty())
            throw Error(
                fmt::format("no rule for such images is known for {}: leave out --gpu to use those of {} itself",
                            images.about.gpu.shown, device.name));
        if (rules.empty())
            throw Error(
                fmt::format("no rule for {} is known here: run tilewise probe --learn, or name with --gpu the chip "
                            "whose rules it should follow",
                            device.name));
        ImageProber prober = {workers, device, std::nullopt, check.jobs};
        if (!check.route.empty()) prober.route = probe::route_named(check.route);
        Progress progress("images", check.count);
        const Verification v = verify_rules(images_of(prober), rules, check.count, check.seed, check.max_side,
                                            [&](size_t done) { progress.show(done, device.name); });
        const size_t told = v.exact + v.different + v.refused;
        constexpr double max_refused = 0.02;
        read_none = read_none || v.exact + v.different == 0;
        failed = failed || v.different > 0 || v.exact == 0 ||
                 static_cast<double>(v.refused) > max_refused * static_cast<double>(told);
        json.push_back({{"device", device.name},
                        {"driver", driver_text(driver_fact(device))},
                        {"rules_of", whose},
                        {"seed", check.seed},
                        {"drawn", v.drawn},
                        {"exact", v.exact},
                        {"different", v.different},
                        {"refused", v.refused},
                        {"unread", v.unread},
                        {"differences", v.differences}});
        if (globals.json) continue;
        print_line(fmt::format("{}, {}{}: {} images, seed {}: {} exact, {} different, {} refused, {} not read",
                               device.name, driver_text(driver_fact(device)),
                               whose.empty() ? "" : fmt::format(", by the rules of {}", fmt::join(whose, " and ")),
                               v.drawn, check.seed, v.exact, v.different, v.refused, v.unread));
        for (const std::string& line : v.differences) print_line("  " + printable(line));
    }
    if (globals.json) print_json(json);
    flush_stdout();
    if (read_none) throw Error("no image could be read, or none was predicted: see the lines above");
    if (failed) throw Error("predictions and probes differ, or too many images were refused: see the lines above");
}

}  // namespace tilewise
