#include "probe/learn/image_prober.h"
#include "patterns/model/error.h"
#include "patterns/solve/solve.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace tilewise {

namespace {

/// The cases of one image, with one route and one memory type.
std::vector<probe::Case> cases_of(const ImageProber& prober, const WantedImage& wanted) {
    probe::Request request;
    request.formats = {wanted.format};
    request.extents = {wanted.extent_px};
    request.type = wanted.type;
    if (!wanted.usage.empty()) request.usage = probe::usage_named(wanted.usage);
    request.levels = wanted.levels;
    request.layers = wanted.layers;
    request.samples = wanted.samples;
    if (!wanted.flags.empty()) request.flags = probe::image_flags_named(wanted.flags);
    request.modifier = wanted.modifier;
    const auto planned_by = [&](std::vector<probe::Route> routes) {
        request.routes = std::move(routes);
        return plan(prober.workers, prober.device, request);
    };
    const auto is_refused = [](const probe::Case& c) { return c.memory_type < 0; };
    const bool host_copy = prober.device.routes[static_cast<size_t>(probe::Route::host_copy)].offered;
    std::vector<probe::Case> cases;
    if (prober.route)
        cases = planned_by({*prober.route});
    else if (host_copy && wanted.samples == 1)
        cases = planned_by({probe::Route::host_copy});
    if (!prober.route && std::ranges::all_of(cases, is_refused))
        cases = planned_by({probe::Route::alias, probe::Route::alias_map});
    if (cases.empty()) return cases;
    const probe::Case first = cases.front();
    std::erase_if(cases, [&](const probe::Case& c) {
        return c.route != first.route || c.memory_type != first.memory_type || c.aspect != first.aspect;
    });
    return cases;
}

/// The readings of one image so far.
struct ImageReadings {
    std::vector<probe::Case> cases;
    ImageLayout image;
    std::vector<Subresource> parts;
    std::string why_not;
};

void collect(ImageReadings& of, const probe::Reading& reading) {
    if (reading.outcome != probe::Outcome::read) {
        of.why_not = std::string(probe::outcome_name(reading.outcome)) + ": " + reading.reason;
        return;
    }
    const Solution solution = solve(reading.table);
    if (solution.fit != Fit::exact) {
        of.why_not = "no-fit: " + solution.reason;
        return;
    }
    const probe::Case& probed = reading.probed;
    Subresource part;
    part.aspect = probe::aspect_of(probed.aspect);
    part.level = probed.level;
    part.layer = probed.layer;
    part.extent_px = probe::texels_of(probed);
    part.layout = solution.layout;
    of.parts.push_back(std::move(part));
    of.image.bytes = reading.image_bytes;
    of.image.alignment = reading.alignment;
}

std::vector<ImageRead> probe_once(const ImageProber& prober, const std::vector<WantedImage>& wanted) {
    constexpr size_t chunk = 64;
    std::vector<ImageRead> out;
    for (size_t begin = 0; begin < wanted.size(); begin += chunk) {
        const size_t end = std::min(begin + chunk, wanted.size());
        std::vector<ImageReadings> images(end - begin);
        std::vector<probe::Case> all;
        using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                               uint32_t, uint64_t>;
        std::map<Key, ImageReadings*> by_image;
        const auto key = [](const probe::Image& i) {
            return Key(i.format, static_cast<uint32_t>(i.type), i.extent_px[0], i.extent_px[1], i.extent_px[2],
                       i.levels, i.layers, i.samples, i.usage, i.flags, i.modifier);
        };
        for (size_t i = 0; i < images.size(); i++) {
            images[i].cases = cases_of(prober, wanted[begin + i]);
            if (images[i].cases.empty()) {
                images[i].why_not = "there is nothing to probe";
                continue;
            }
            const auto [place, fresh] = by_image.try_emplace(key(images[i].cases.front().image), &images[i]);
            if (fresh) std::ranges::copy(images[i].cases, std::back_inserter(all));
        }
        run(prober.workers, all, prober.jobs,
            [&](probe::Reading&& reading) { collect(*by_image.at(key(reading.probed.image)), reading); });
        for (ImageReadings& collected : images) {
            ImageRead probed;
            if (collected.cases.empty()) {
                out.push_back({std::nullopt, collected.why_not});
                continue;
            }
            const ImageReadings& of = *by_image.at(key(collected.cases.front().image));
            if (of.why_not.empty() && of.parts.size() == of.cases.size()) {
                const probe::Image& image = of.cases.front().image;
                ImageLayout layout = of.image;
                static_cast<ImageKind&>(layout) = kind_of(image);
                layout.source = LayoutSource::probed;
                layout.subresources = join_layers(of.parts);
                probed.image = std::move(layout);
            } else {
                probed.why_not = of.why_not.empty() ? "not all of it was read" : of.why_not;
            }
            out.push_back(std::move(probed));
        }
        if (prober.probed) prober.probed(images.size());
    }
    return out;
}

}  // namespace

std::vector<ImageRead> probe_images(const ImageProber& prober, const std::vector<WantedImage>& wanted) {
    std::vector<ImageRead> probed = probe_once(prober, wanted);
    std::vector<WantedImage> again;
    std::vector<size_t> places;
    for (size_t i = 0; i < probed.size(); i++) {
        if (probed[i].image || probed[i].why_not.starts_with("unsupported")) continue;
        again.push_back(wanted[i]);
        places.push_back(i);
    }
    std::vector<ImageRead> second = probe_once(prober, again);
    for (size_t i = 0; i < second.size(); i++) probed[places[i]] = std::move(second[i]);
    return probed;
}

ImageSource images_of(const ImageProber& prober) {
    return {[&prober](const std::vector<WantedImage>& wanted) { return probe_images(prober, wanted); },
            prober.device.max_dimension_2d, prober.device.max_dimension_3d, prober.device.max_layers};
}

}  // namespace tilewise
