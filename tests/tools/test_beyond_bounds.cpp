// Images of more layers or texels than a rule was learned from: what is assumed of them, beside what drivers did.
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/rules/learn.h"
#include "tests/support/program.h"
#include "tools/answers/image/find_image.h"
#include "tools/answers/image/observed_image.h"
#include <doctest/doctest.h>

using namespace tilewise;

TEST_CASE("images of more layers than a rule was learned from lie where drivers put them, and that is assumed") {
    if (!drivers_are_here()) return;
    const db::Database catalog = db::open_catalog();
    struct Driver {
        const char *name, *gpu, *version;
    };
    for (const Driver& driver : {Driver{"radv:navi21", "RX 6800", ""},
                                 {"nvk:0x172", "RTX 3080", "Mesa 26.1"},
                                 {"turnip:740", "Adreno 740", ""},
                                 {"apple", "M1", ""}}) {
        CAPTURE(std::string(driver.name));
        const Folder folder;
        const Ended probed = run(tilewise_on(
            driver.name, {"--db", folder / "t.db", "--quiet", "probe", "--no-lanes", "--route", "host-copy",
                          "--formats", "R8G8B8A8_UNORM", "--extents", "40x24", "--levels", "3", "--layers", "70"}));
        CAPTURE(probed.err);
        REQUIRE(probed.code == 0);
        const db::Database fresh = db::open_database(folder / "t.db", db::Access::read_only);
        std::vector<db::ObservationRow> rows = db::find_observations(fresh, {.extent = {{40, 24, 1}}});
        std::vector<const db::ObservationRow*> all;
        for (const db::ObservationRow& row : rows)
            if (row.fact.layers == 70) all.push_back(&row);
        const std::vector<ObservedImage> observed = observed_images(all);
        REQUIRE(observed.size() == 1);
        ImageQuestion question;
        question.about.gpu = asked_gpu(driver.gpu);
        question.about.driver = driver.version;
        question.about.format = asked_format("R8G8B8A8_UNORM");
        question.about.extent = {40, 24, 1};
        question.levels = 3;
        question.layers = 70;
        const Answer<FoundImage> answer = find_image(question, catalog);
        REQUIRE(answer.index() == 0);
        const FoundImage& found = std::get<FoundImage>(answer);
        CHECK(found.image.source == LayoutSource::assumed);
        CHECK(found.image.evidence.find("64 layers were not probed") != std::string::npos);
        CHECK(misplaced_element(found.image, observed.front().image) == "");
        CHECK(found.image.bytes == observed.front().image.bytes);
    }
}
