// Where the planes of images lie that were kept back: what is predicted by the others, beside what drivers did.
#include "db/bundle/bundle.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/model/extent_text.h"
#include "patterns/rules/learn.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include "tools/answers/image/aspects.h"
#include "tools/answers/image/find_image.h"
#include "tools/answers/image/observed_image.h"
#include <doctest/doctest.h>
#include <set>
#include <span>

using namespace tilewise;

namespace {

std::vector<db::ObservationRow> aspects_in(const db::Database& database, const db::Filter& filter) {
    std::vector<db::ObservationRow> rows = db::find_observations(database, filter);
    std::erase_if(rows, [](const db::ObservationRow& row) {
        return aspects_of_format(row.fact.format).size() < 2 || !row.fact.flags.empty() || !row.fact.layout;
    });
    return rows;
}

ImageQuestion aspects_asked(const std::string& gpu, const std::string& format, const Extent_px& extent, uint32_t levels,
                            uint32_t layers) {
    ImageQuestion question;
    question.about.gpu = asked_gpu(gpu);
    question.about.format = asked_format(format);
    question.about.extent = extent;
    question.levels = levels;
    question.layers = layers;
    return question;
}

ImageQuestion depth_and_stencil(const std::string& gpu, const Extent_px& extent, uint32_t levels, uint32_t layers) {
    return aspects_asked(gpu, "D32_SFLOAT_S8_UINT", extent, levels, layers);
}

}  // namespace

TEST_CASE("aspects of images that were kept back lie as the other images and the rules of one aspect say") {
    const Folder folder;
    db::Database part = db::open_database(folder / "t.db", db::Access::read_write);
    const db::Database catalog = db::open_catalog();
    // Two sizes of five or fewer are left.
    db::prepared(part,
                 "DELETE FROM observation WHERE (aspect LIKE 'plane%' OR format LIKE '%S8_UINT') AND width IN (1920, "
                 "3840, 1280, 1000)")
        .run();
    size_t predicted = 0, refused = 0;
    for (const db::ListedDevice& device : db::list_devices(catalog)) {
        db::Filter filter;
        filter.devices = {device.row};
        std::vector<db::ObservationRow> rows = aspects_in(catalog, filter);
        std::erase_if(rows, [](const db::ObservationRow& row) { return row.fact.extent_px[0] < 1000; });
        std::vector<const db::ObservationRow*> all;
        for (const db::ObservationRow& row : rows) all.push_back(&row);
        for (const auto& [seen, name, driver] : observed_images(all)) {
            CAPTURE(name);
            CAPTURE(driver);
            CAPTURE(seen.format);
            CAPTURE(seen.extent_px[0]);
            db::Filter of_part;
            for (const db::ListedDevice& other : db::list_devices(part))
                if (other.fact == device.fact) of_part.devices = {other.row};
            of_part.driver = driver;
            const std::optional<FoundImage> found = predicted_aspects(part, of_part, seen);
            refused += !found;
            if (!found) continue;
            predicted++;
            CHECK(misplaced_element(found->image, seen) == "");
            if (found->image.bytes != 0) CHECK(found->image.bytes == seen.bytes);
            if (found->image.alignment != 0) CHECK(found->image.alignment == seen.alignment);
        }
    }
    MESSAGE(predicted, " predicted, ", refused, " refused");
    CHECK(predicted >= 60);
}

TEST_CASE("planes of NV12 and of three planes lie on an H100 where the card's own copies put them") {
    // 1000x700: read on the card by alias; the bases are told in docs/image-layout.md.
    const db::Database catalog = db::open_catalog();
    ImageQuestion question;
    question.about.gpu = asked_gpu("H100");
    question.about.extent = Extent_px{998, 700, 1};
    const auto bases = [&](const char* format) {
        question.about.format = asked_format(format);
        const Answer<FoundImage> answer = find_image(question, catalog);
        REQUIRE(answer.index() == 0);
        const ImageLayout& image = std::get<FoundImage>(answer).image;
        CHECK(image.source == LayoutSource::predicted);
        std::vector<uint64_t> all;
        for (const Subresource& part : image.subresources) all.push_back(part.layout.base);
        return all;
    };
    CHECK(bases("NV12") == std::vector<uint64_t>{0, 786432});
    CHECK(bases("I420") == std::vector<uint64_t>{0, 786432, 983040});
}

TEST_CASE("no image has an extent that its chroma does not fill") {
    const db::Database catalog = db::open_catalog();
    ImageQuestion question;
    question.about.gpu = asked_gpu("H100");
    question.about.format = asked_format("NV12");
    question.about.extent = Extent_px{1921, 1080, 1};
    const Answer<FoundImage> answer = find_image(question, catalog);
    REQUIRE(answer.index() == 1);
    CHECK(std::get<Refusal>(answer).why.find("multiples of 2x2") != std::string::npos);
}

TEST_CASE("aspects that nobody read take as much as the drivers ask for, of images that they were not asked about") {
    if (!drivers_are_here()) return;
    const db::Database catalog = db::open_catalog();
    const Folder folder;
    struct Image {
        Extent_px extent_px;
        uint32_t levels, layers;
    };
    constexpr Image depth_images[] = {
        {{777, 555, 1}, 1, 1}, {{320, 180, 1}, 9, 1}, {{33, 17, 1}, 1, 6}, {{300, 210, 1}, 4, 2}};
    constexpr Image planes[] = {{{778, 554, 1}, 1, 1}, {{34, 18, 1}, 1, 1}, {{2560, 1080, 1}, 1, 1}};
    struct Chip {
        const char *driver, *gpu;
        bool has_depth_sizes;  ///< whether the catalog knows the driver's sizes of depth with stencil
    };
    size_t asked = 0, expected = 0, number = 0;
    for (const auto& [driver, gpu, has_depth_sizes] : {Chip{"radv:navi21", "RX 6800 XT", true},
                                                       {"radv:vangogh", "Steam Deck", true},
                                                       {"radv:navi33", "RX 7600", true},
                                                       {"radv:gfx1201", "RX 9070 XT", true},
                                                       {"radv:navi23", "RX 6600", true},
                                                       {"radv:vega10", "Vega 64", false},
                                                       {"radv:polaris10", "RX 580", false}}) {
        if (!is_drawn(number++, 3)) continue;
        expected += (has_depth_sizes ? std::size(depth_images) : 0) + 3 * std::size(planes);
        for (const auto& [format, images] : {std::pair{"D32_SFLOAT_S8_UINT", std::span<const Image>(depth_images)},
                                             {"NV12", planes},
                                             {"YUV420P", planes},
                                             {"P010", planes}}) {
            const bool has_depth = images.data() == depth_images;
            if (has_depth && !has_depth_sizes) continue;
            for (const auto& [extent, levels, layers] : images) {
                const Ended probed =
                    run(tilewise_on(driver, {"--db", folder / "t.db", "--json", "--quiet", "probe", "--no-lanes",
                                             "--route", "alias", "--formats", format, "--extents", extent_text(extent),
                                             "--levels", std::to_string(levels), "--layers", std::to_string(layers)}));
                if (probed.code == 77) {
                    MESSAGE("SKIPPED: these drivers do not run in this build");
                    return;
                }
                const std::string name = driver;
                CAPTURE(name);
                CAPTURE(format);
                CAPTURE(extent[0]);
                // The device's queue does nothing, so nothing is read; the size is the driver's all the same.
                const nlohmann::json driver_says = parse(probed)["devices"][0]["observations"][0];
                const auto answer = find_image(aspects_asked(gpu, format, extent, levels, layers), catalog);
                REQUIRE(answer.index() == 0);
                const ImageLayout& image = std::get<FoundImage>(answer).image;
                CHECK(image.source == LayoutSource::assumed);
                CHECK(image.bytes == driver_says["bytes"]);
                CHECK(image.alignment == driver_says["alignment"]);
                CHECK(aspects_of(image) == aspects_of_format(image.format));
                asked++;
            }
        }
    }
    CHECK(asked == expected);
}

TEST_CASE("depth and stencil of an M1 lie where its driver puts each element, and with another usage are refused") {
    if (!drivers_are_here()) return;
    const Folder folder;
    const Ended probed = run(tilewise_on(
        "apple", {"--db", folder / "t.db", "--quiet", "probe", "--no-lanes", "--route", "host-copy", "--formats",
                  "D32_SFLOAT_S8_UINT", "--extents", "333x77,640x480", "--levels", "5", "--layers", "2"}));
    if (probed.code == 77) {
        MESSAGE("SKIPPED: " << probed.err);
        return;
    }
    CAPTURE(probed.err);
    REQUIRE(probed.code == 0);
    const db::Database catalog = db::open_catalog();
    const db::Database fresh = db::open_database(folder / "t.db", db::Access::read_only);
    std::vector<db::ObservationRow> rows = aspects_in(fresh, {.device = "Apple M1"});
    std::erase_if(rows, [](const db::ObservationRow& row) { return row.fact.levels != 5; });
    std::vector<const db::ObservationRow*> all;
    for (const db::ObservationRow& row : rows) all.push_back(&row);
    const std::vector<ObservedImage> observed = observed_images(all);
    CHECK(observed.size() == 2);
    for (const ObservedImage& each : observed) {
        const ImageLayout& seen = each.image;
        const auto answer = find_image(depth_and_stencil("M1", seen.extent_px, 5, 2), catalog);
        REQUIRE(answer.index() == 0);
        const ImageLayout& image = std::get<FoundImage>(answer).image;
        CHECK(image.source == LayoutSource::predicted);
        CHECK(misplaced_element(image, seen) == "");
        CHECK(image.bytes == seen.bytes);
    }
    ImageQuestion compressed = depth_and_stencil("RX 6800", {1920, 1080, 1}, 1, 1);
    compressed.about.usage = "depth-stencil,sampled";
    const auto refused = find_image(compressed, catalog);
    REQUIRE(refused.index() == 1);
    CHECK(std::get<Refusal>(refused).why.find("takes 11730952 bytes") != std::string::npos);
}

TEST_CASE("depth and stencil of an H200 lie in turn in each KiB, where the card put each element of other images") {
    const char* const bundle = "depth-stencil.json";
    db::Database readings = db::open_catalog({});
    db::import_bundle(readings, read_text(source_dir() + "/docs/results/nvidia-h200/" + bundle), bundle);
    const std::vector<db::ObservationRow> rows = db::find_observations(readings, {});
    std::vector<const db::ObservationRow*> all;
    using Shape = std::tuple<Extent_px, uint32_t, uint32_t>;
    const auto shape_of = [](const db::ObservationRow& row) {
        return Shape(row.fact.extent_px, row.fact.levels, row.fact.layers);
    };
    std::set<Shape> without_layout;
    for (const db::ObservationRow& row : rows) {
        all.push_back(&row);
        if (row.fact.result == "no-fit") without_layout.insert(shape_of(row));
    }
    std::erase_if(all, [&](const db::ObservationRow* row) { return without_layout.contains(shape_of(*row)); });
    const db::Database catalog = db::open_catalog();
    const std::vector<ObservedImage> observed = observed_images(all);
    for (const ObservedImage& each : observed) {
        const ImageLayout& seen = each.image;
        CAPTURE(seen.extent_px[0]);
        CAPTURE(seen.extent_px[1]);
        CAPTURE(seen.levels);
        CAPTURE(seen.layers);
        const auto answer = find_image(depth_and_stencil("H200", seen.extent_px, seen.levels, seen.layers), catalog);
        REQUIRE(answer.index() == 0);
        const ImageLayout& image = std::get<FoundImage>(answer).image;
        CHECK(image.source == LayoutSource::predicted);
        CHECK(difference(image, seen) == "");
    }
    CHECK(observed.size() >= 30);
    for (const auto& [extent, levels, layers] : without_layout) {
        const auto answer = find_image(depth_and_stencil("H200", extent, levels, layers), catalog);
        REQUIRE(answer.index() == 1);
        CHECK(std::get<Refusal>(answer).why.starts_with("no layout of whole tiles says where this image lies"));
    }
    CHECK(without_layout.size() >= 2);
    // Only 2D images were read.
    ImageQuestion deep = depth_and_stencil("H200", {64, 64, 64}, 1, 1);
    CHECK(find_image(deep, catalog).index() == 1);
}

TEST_CASE("24-bit depths that NVIDIA stores in parts are refused with what was read of them") {
    const db::Database catalog = db::open_catalog();
    for (const char* gpu : {"H200", "H100"})
        for (const char* format : {"D24_UNORM_S8_UINT", "X8_D24_UNORM_PACK32"})
            for (const char* usage : {"", "depth-stencil,sampled"}) {
                ImageQuestion question = depth_and_stencil(gpu, {1920, 1080, 1}, 1, 1);
                question.about.format = asked_format(format);
                question.about.usage = usage;
                const auto answer = find_image(question, catalog);
                CAPTURE(std::string(gpu));
                CAPTURE(std::string(format));
                CAPTURE(std::string(usage));
                REQUIRE(answer.index() == 1);
                CHECK(std::get<Refusal>(answer).why.find("other places in the memory were written") !=
                      std::string::npos);
            }
    for (const Command& command : {Command{"show"}, {"snippet"}})
        for (const char* format : {"X8_D24_UNORM_PACK32", "D24S8"}) {
            const Ended ended =
                run(tilewise::tilewise(Command{"--db", "none.db"} + command +
                                       Command{"--gpu", "H200", "--format", format, "--extent", "256x256"}));
            CAPTURE(command.front());
            CAPTURE(ended.out);
            CHECK(ended.code == 1);
        }
    ImageQuestion line = depth_and_stencil("H200", {64, 1, 1}, 1, 1);
    line.about.format = asked_format("X8_D24_UNORM_PACK32");
    line.type = ImageType::one_d;
    CHECK(find_image(line, catalog).index() == 1);
}
