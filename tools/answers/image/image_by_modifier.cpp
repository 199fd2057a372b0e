#include "tools/answers/image/image_by_modifier.h"
#include "db/query/query.h"
#include "patterns/model/drm_modifier.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/gpu/origins.h"
#include <fmt/format.h>

namespace tilewise {

namespace {

/// The vendor whose chips use the tiling; empty if other vendors' chips do, too, as with Arm's AFBC.
std::string_view maker_of_tiling(const DrmModifier& modifier) {
    constexpr std::pair<std::string_view, std::string_view> makers[] = {{"AMD", "AMD"},           {"APPLE", "Apple"},
                                                                        {"BROADCOM", "Broadcom"}, {"INTEL", "Intel"},
                                                                        {"NVIDIA", "NVIDIA"},     {"QCOM", "Qualcomm"}};
    for (const auto& [vendor, maker] : makers)
        if (modifier.vendor == vendor) return maker;
    return {};
}

/// The vendor of the chip that was read; empty if it is not known.
std::string maker_of_chip(const Scope& scope, const std::vector<db::ObservationRow>& rows) {
    if (scope.gpu && scope.gpu->named) return scope.gpu->named->chip.vendor;
    const std::optional<db::NamedGpu> named = rows.empty() ? std::nullopt : db::gpu_of_device(rows.front().device);
    return named ? named->chip.vendor : "";
}

}  // namespace

std::optional<FoundImage> image_by_modifier_alone(const db::Database& database, const ImageQuestion& question) {
    const Answer<Scope> scope = answer_of([&] { return ask(database, question.about); });
    if (scope.index() != 0) return {};
    const std::vector<db::ObservationRow> rows =
        db::find_observations(database, of_any_image(std::get<Scope>(scope).filter));
    if (rows.empty() && !std::get<Scope>(scope).gpu) return {};
    const DrmModifier modifier = decode_modifier(*question.about.modifier);
    const std::string_view maker = maker_of_tiling(modifier);
    const std::string of_chip = maker_of_chip(std::get<Scope>(scope), rows);
    if (!maker.empty() && !of_chip.empty() && maker != of_chip)
        throw UsageError(fmt::format(
            "--modifier {}: chips by {} tile like this, and that one is by {}: leave out --gpu and the like to lay out "
            "an image by the modifier's definition",
            modifier.name.empty() ? fmt::format("0x{:016x}", modifier.number) : modifier.name, maker, of_chip));
    const AskedGpu& gpu = question.about.gpu;
    const std::string whose = !gpu.said.empty() ? gpu.shown : "the device that is named";
    Answer<FoundImage> answer = answer_of([&] {
        ImageQuestion defined = question;
        Question& about = defined.about;
        if (*about.modifier == 0) {
            defined.pattern = "linear";
            about.modifier.reset();
        } else {
            defined.said = pattern_of_modifier(*about.modifier);
            defined.said->evidence += fmt::format("; no such image of {} was read", whose);
        }
        about.gpu = about.device = AskedGpu{};
        about.vendor.clear();
        about.driver.clear();
        about.mode.clear();
        return or_throw(find_image(defined, DeviceKnowledge{}));
    });
    if (answer.index() != 0 && !modifier.is_compressed) return {};
    FoundImage found = or_throw(std::move(answer));
    found.said = fmt::format("no such image of {} was read with this modifier; this is by its definition", whose);
    return found;
}

}  // namespace tilewise
