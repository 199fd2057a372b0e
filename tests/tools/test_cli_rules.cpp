// probe --learn and layout --verify on real drivers: what is predicted of images that nobody probed is what the driver does.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>
#include <filesystem>

using namespace tilewise;

namespace {

bool drivers_are_here() {
    if (std::filesystem::exists(source_dir() + "/build/drivers/.contents")) return true;
    MESSAGE("SKIPPED: the private drivers are not here; run tools/drivers");
    return false;
}

}  // namespace

TEST_CASE("a rule learned of rows, and of NVIDIA's blocks, predicts images drawn by another seed, element by element") {
    if (!drivers_are_here()) return;
    struct Case {
        const char *driver, *gpu;
    };
    for (const Case& c : {Case{"lavapipe", "llvmpipe"}, {"nvk:0x164", "NVK"}}) {
        CAPTURE(c.driver);
        const Folder folder;
        const std::string db = folder / "t.db";
        const Ended learned = run(tilewise_on(
            c.driver, {"--db", db, "probe", "--learn", "--formats", "R8G8B8A8_UNORM", "--image-type", "2D"}));
        CAPTURE(learned.err);
        REQUIRE(learned.code == 0);
        CHECK(learned.out.find("R8G8B8A8_UNORM 2D: ") != std::string::npos);
        CHECK(learned.out.find("all explained") != std::string::npos);

        const Ended verified = run(tilewise_on(
            c.driver, {"--db", db, "--json", "layout", "--verify", "40", "--seed", "77", "--max-side", "900"}));
        CAPTURE(verified.out);
        REQUIRE(verified.code == 0);
        const nlohmann::json told = parse(verified)[0];
        CHECK(told["exact"] == 40);
        CHECK(told["different"] == 0);

        const Ended asked =
            run(tilewise::tilewise({"--db", db, "--json", "layout", "--gpu", c.gpu, "--format", "R8G8B8A8_UNORM",
                                    "--extent", "1234x777", "--levels", "5", "--layers", "3"}));
        CAPTURE(asked.err);
        REQUIRE(asked.code == 0);
        CHECK(asked.err == "");
        CHECK(parse(asked)["source"] == "predicted");
        CHECK(parse(asked)["subresources"].size() == 5);
    }
}

TEST_CASE("what no rule is of is not verified, and the error says what to run") {
    if (!drivers_are_here()) return;
    const Folder folder;
    const std::string db = folder / "t.db";
    const Ended made = run(tilewise_on("nvk:0x172", {"--db", db, "probe", "--formats", "R8_UNORM", "--extents", "64x64",
                                                     "--route", "host-copy", "--no-lanes"}));
    REQUIRE(made.code == 0);
    const Ended verified = run(tilewise_on("nvk:0x172", {"--db", db, "layout", "--verify", "5"}));
    CHECK(verified.code == 1);
    CHECK(verified.err.find("run tilewise probe --learn") != std::string::npos);
}
