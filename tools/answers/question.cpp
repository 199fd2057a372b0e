#include "tools/answers/question.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "tools/answers/add_once.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace tilewise {

std::string words_of_modifier(uint64_t modifier) {
    const DrmModifier decoded = decode_modifier(canonical_modifier(modifier));
    return decoded.name.empty() ? drm_modifier_text(modifier) : decoded.name;
}

AskedGpu asked_gpu(const std::string& said) {
    AskedGpu asked = {said, printable(said, 60), {}, {}, {}};
    if (said.empty()) return asked;
    asked.words = db::words_of_name(said);
    asked.named = db::gpu_named(said);
    if (!asked.named) asked.meanings = db::meanings_of(said);
    return asked;
}

AskedFormat asked_format(const std::string& said) {
    AskedFormat asked = {said, said, {}, {}, {}};
    if (said.empty()) return asked;
    std::string name = said;
    if (!probe::find_format(name)) std::ranges::replace(name, ' ', '_');  // "ASTC 8x8"
    try {
        const probe::Format& format = probe::format_named(name);
        asked.name = format.name;
        asked.element = format.element;
        for (const probe::Aspect& part : probe::aspects_of(format)) asked.aspects.push_back(probe::aspect_of(part.bit));
    } catch (const UsageError& error) {
        asked.why_unknown = error.what();
    }
    return asked;
}

void require_known(const AskedFormat& format) {
    if (!format.why_unknown.empty()) throw UsageError(format.why_unknown);
}

void require_one_aspect(const AskedFormat& asked) {
    if (asked.aspects.size() < 2) return;
    std::vector<std::string> names;
    if (const probe::Format* format = probe::find_format(asked.name))
        for (unsigned i = 0; i < asked.aspects.size(); i++)
            if (const probe::Format* aspect = probe::format_of_aspect(*format, i)) add_once(names, aspect->name);
    throw UsageError(
        fmt::format("{} has several planes or aspects, each with a layout of its own: ask for each as an "
                    "image{}{}",
                    asked.said, names.empty() ? "" : ", of ", fmt::join(names, " or ")));
}

bool names_origin(const Question& question) {
    return !question.gpu.said.empty() || !question.device.said.empty() || !question.vendor.empty() ||
           !question.driver.empty();
}

db::Filter filter_of(const Question& question) {
    db::Filter filter;
    filter.vendor = question.vendor;
    filter.device = question.device.said;
    filter.driver = question.driver;
    filter.format = question.format.name;
    filter.usage = question.usage;
    filter.mode = question.modifier ? words_of_modifier(*question.modifier) : question.mode;
    filter.extent = question.extent;
    return filter;
}

}  // namespace tilewise
