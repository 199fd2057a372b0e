// Where the planes of images lie that were kept back: what is predicted by the others, beside what drivers did.
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/rules/learn.h"
#include "tests/support/program.h"
#include "tools/answers/image/find_image.h"
#include "tools/answers/image/observed_image.h"
#include "tools/answers/image/planes.h"
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

std::vector<db::ObservationRow> planes_in(const db::Database& database, const db::Filter& filter) {
    std::vector<db::ObservationRow> rows = db::find_observations(database, filter);
    std::erase_if(rows, [](const db::ObservationRow& row) {
        return !row.fact.aspect.starts_with("plane") || !row.fact.flags.empty() || !row.fact.layout;
    });
    return rows;
}

}  // namespace

TEST_CASE("planes of images that were kept back lie as the other images and the rules of one plane say") {
    const Folder folder;
    db::Database part = db::open_database(folder / "t.db", db::Access::read_write);
    const db::Database catalog = db::open_catalog();
    // Two sizes of five or fewer are left.
    db::prepared(part, "DELETE FROM observation WHERE aspect LIKE 'plane%' AND width IN (1920, 3840, 1280, 1000)")
        .run();
    size_t predicted = 0, refused = 0;
    for (const db::ListedDevice& device : db::list_devices(catalog)) {
        db::Filter filter;
        filter.devices = {device.row};
        std::vector<db::ObservationRow> rows = planes_in(catalog, filter);
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
            const std::optional<FoundImage> found = predicted_planes(part, of_part, seen);
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
