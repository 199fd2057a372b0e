#include "tools/answers/image/agreement.h"
#include "db/names/names.h"
#include "db/query/query.h"
#include "probe/usual_images.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/observed_image.h"
#include "tools/answers/image/predicted_image.h"
#include <map>
#include <optional>
#include <utility>

namespace tilewise {

namespace {

bool are_alike(const ImageLayout& a, const ImageLayout& b) { return a.bytes == b.bytes && lie_alike(a, b); }

}  // namespace

Agreement agreement_within(const db::Database& database, const std::string& vendor, const std::string& architecture,
                           const std::string& driver, const ImageKind& image) {
    std::map<std::pair<std::string, std::string>, std::vector<int64_t>> chips;
    for (const db::ListedDevice& device : db::list_devices(database))
        if (const auto gpu = db::gpu_of_device(device.fact);
            gpu && gpu->chip.vendor == vendor && (architecture.empty() || gpu->chip.architecture == architecture) &&
            !gpu->chip.name.empty())
            chips[{gpu->chip.architecture, gpu->chip.name}].push_back(device.row);
    std::map<std::string, std::vector<ImageLayout>> layouts;  // by architecture
    for (const auto& [chip, devices] : chips) {
        db::Filter filter;
        filter.devices = devices;
        filter.driver = driver.empty() ? newest_driver(database, devices) : driver;
        if (std::optional<ImageLayout> layout = only_prediction(find_rules(database, filter), image))
            layouts[chip.first].push_back(std::move(*layout));
    }
    Agreement agreement;
    for (const auto& [of, alike] : layouts)
        for (size_t i = 0; i < alike.size(); i++)
            for (size_t k = 0; k < i; k++) {
                agreement.compared++;
                agreement.alike += are_alike(alike[i], alike[k]);
            }
    return agreement;
}

Agreement agreement_of(const std::vector<db::ImageRuleRow>& a, const std::vector<db::ImageRuleRow>& b,
                       const ImageKind& like) {
    Agreement agreement;
    for (const ImageShape& shape : probe::usual_images(like.type)) {
        if ((shape.levels > 1) != (like.levels > 1) || (shape.layers > 1) != (like.layers > 1)) continue;
        ImageKind image;
        static_cast<ImageShape&>(image) = shape;
        image.format = like.format;
        const std::optional<ImageLayout> by_a = only_prediction(a, image), by_b = only_prediction(b, image);
        if (!by_a || !by_b) continue;
        agreement.compared++;
        agreement.alike += are_alike(*by_a, *by_b);
    }
    return agreement;
}

}  // namespace tilewise
