#include "tools/answers/advice/find_advice.h"
#include "kernels/separable/filter.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "tools/answers/advice/measured_advice.h"
#include "tools/answers/advice/ranking.h"
#include "tools/answers/gpu/known_device.h"
#include "tools/answers/image/alike_format.h"
#include "tools/answers/pattern/choose_pattern.h"
#include <fmt/format.h>

namespace tilewise {

namespace {

/// The rows of these devices, from drivers with `driver` in their name only.
template <typename Fact>
std::vector<db::Stored<Fact>> facts_of(const db::Database& database, const std::vector<int64_t>& devices,
                                       const std::string& driver) {
    std::vector<db::Stored<Fact>> rows = db::find_facts<Fact>(database, devices);
    std::erase_if(rows, [&](const db::Stored<Fact>& row) {
        return to_lower(driver_text(row.driver)).find(to_lower(driver)) == std::string::npos;
    });
    return rows;
}

std::optional<Advice> measured_on(const db::Database& database, const std::vector<int64_t>& devices,
                                  const std::string& driver, const KernelQuestion& question) {
    std::optional<Advice> advice = measured_advice(database, facts_of<db::ValidationFact>(database, devices, driver),
                                                   facts_of<db::TuningFact>(database, devices, driver), question);
    if (advice || driver.empty()) return advice;
    advice = measured_advice(database, facts_of<db::ValidationFact>(database, devices, ""),
                             facts_of<db::TuningFact>(database, devices, ""), question);
    if (advice)
        advice->assumed.push_back(
            fmt::format("nothing was measured with the driver {}: this is how it is with {}", driver, advice->driver));
    return advice;
}

/// What was measured on the devices that are meant; else on others with the same chip.
std::optional<Advice> measured_on_chip(const db::Database& database, const Scope& asked,
                                       const KernelQuestion& question) {
    const FoundGpu& gpu = *asked.gpu;
    const std::string& driver = asked.filter.driver;
    std::optional<Advice> advice = measured_on(database, gpu.devices, driver, question);
    const bool by_its_name = gpu.said.empty() && gpu.assumed.empty();
    if (advice && by_its_name) return advice;
    if (!advice && !gpu.rests_on.empty())
        advice = measured_on(database, find_gpu(database, asked_gpu(gpu.rests_on), GpuAnswer::one_chip).devices, driver,
                             question);
    // Another chip's rules may answer for a driver; how fast that chip is says nothing about this one.
    if (advice && gpu.named && !gpu.named->chip.name.empty())
        if (const auto timed = db::gpu_of_device(advice->measured_device); timed && timed->chip != gpu.named->chip)
            return std::nullopt;
    if (advice) advice->source = AdviceSource::measured_elsewhere;
    return advice;
}

/// Predicts from the pattern of the largest image, or of one with the extent that is asked for.
void predict(Advice& advice, const db::Database& database, const Scope& scope, const ImageQuestion& image) {
    const auto [asked, alike] = pattern_scope(database, scope, image);
    const std::optional<FoundImage> unobserved = find_unobserved(database, asked.filter, image);
    const ChosenPattern chosen =
        unobserved ? pattern_of(*unobserved, database, asked.filter) : choose_pattern(database, asked.filter);
    if (unobserved)
        advice.assumed = unobserved->assumed;
    else if (!alike.empty())
        advice.assumed.push_back(alike);
    advice.device = chosen.image.device.name;
    advice.driver = driver_text(chosen.image.driver);
    advice.pattern = chosen.id;
    take_prediction(advice, chosen.image.fact.layout->pattern,
                    known_device(database, chosen.image.device, chosen.image.driver));
}

}  // namespace

Advice find_advice(const db::Database& database, const Scope& asked, const Question& about,
                   const KernelQuestion& question, bool assume) {
    // Only the direct method has larger radii, and no timing at a smaller radius says how long it takes.
    const bool can_be_timed = !is_access_alone(question) && question.radius <= kernels::max_filter_radius;
    if (can_be_timed && !asked.gpu->devices.empty())
        if (auto measured = measured_on_chip(database, asked, question)) {
            explain_ranking(*measured, database);
            return *measured;
        }
    Advice advice;
    advice.question = question;
    advice.device = asked.gpu->names.empty() ? asked.gpu->asked : asked.gpu->names.front();
    ImageQuestion image;
    image.about = about;
    image.assume = assume;
    if (asked.gpu->devices.empty()) advice.why_unknown = asked.gpu->said;
    try {
        if (advice.why_unknown.empty()) predict(advice, database, asked, image);
    } catch (const Error& error) {
        advice.why_unknown = error.what();
    }
    if (!is_access_alone(question)) rank_elsewhere(advice, database, asked_device(database, *asked.gpu));
    return advice;
}

}  // namespace tilewise
