#include "tools/answers/report/report_tiles.h"
#include "patterns/model/text.h"
#include "tools/answers/advice/advice.h"
#include "tools/answers/advice/advice_text.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>

namespace tilewise {

void add_tiles(Report& report, std::vector<PlainPatterns> plain, const std::vector<ReportGain>& all) {
    constexpr const char* usual[] = {"R8G8B8A8_UNORM",       "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT",
                                     "BC1_RGBA_UNORM_BLOCK", "BC7_UNORM_BLOCK",     "D32_SFLOAT"};
    std::set<std::string> ids;
    for (size_t i = 0; i < report.devices.size(); i++) {
        ReportDevice& device = report.devices[i];
        const std::string driver = driver_text(device.driver);
        // If no image was read, the image of the requested size.
        for (const ReportImage& image : device.images)
            if (image.kind == "2D" && image.source != LayoutSource::assumed)
                for (const std::string& format : image.formats)
                    plain[i].try_emplace(format, PlainRank(true, true, true, true, true, 0),
                                         report.layouts[image.layout].patterns.front());
        std::vector<std::string> formats(std::begin(usual), std::end(usual));
        if (!report.format.empty()) {
            std::erase(formats, report.format);
            formats.insert(formats.begin(), report.format);
        }
        // If the device has none of the usual formats, its first one stands in.
        if (std::ranges::none_of(formats, [&](const std::string& format) { return plain[i].contains(format); }) &&
            !plain[i].empty())
            formats.push_back(plain[i].begin()->first);
        for (const std::string& format : formats) {
            const auto found = plain[i].find(format);
            if (found == plain[i].end()) continue;
            ReportTile tile = {format, found->second.second, AdviceSource::predicted, {}};
            const ReportPattern& pattern = report.patterns[tile.pattern];
            ids.insert(pattern.id);
            // The nearest timings: of this device and format, of the format elsewhere, of another format with the same
            // tile.
            std::vector<const ReportGain*> own, of_format, of_tile;
            for (const ReportGain& gain : all) {
                if (gain.pattern != pattern.id) continue;
                const bool is_own = gain.device == device.device.name && gain.driver == driver;
                (gain.format != format ? of_tile : is_own ? own : of_format).push_back(&gain);
            }
            // Kernels read the texels of a compressed image, many of which share one element.
            if (is_of_blocks(format)) of_tile.clear();
            const std::vector<const ReportGain*>& others = of_format.empty() ? of_tile : of_format;
            if (!own.empty()) {
                tile.source = AdviceSource::measured;
                tile.gain = measured_sentences(own);
            } else if (!pattern.remap) {
                tile.gain = {"Rows are memory order here: no order of invocations gains anything by the pattern."};
            } else if (!others.empty()) {
                tile.source = AdviceSource::measured_elsewhere;
                tile.gain = measured_sentences(others);
                tile.gain.insert(tile.gain.begin(),
                                 fmt::format("Nobody has timed kernels on images of {} here. {} have the same tile.",
                                             format, whose_images(others)));
            } else {
                tile.gain = {
                    fmt::format("Nobody has timed kernels on images of {} here, nor on others like them.", format)};
            }
            if (pattern.remap) tile.gain.push_back(touched_sentence(pattern, format));
            device.tiles.push_back(std::move(tile));
        }
    }
    std::ranges::copy_if(all, std::back_inserter(report.gains),
                         [&](const ReportGain& gain) { return ids.contains(gain.pattern); });
}

}  // namespace tilewise
