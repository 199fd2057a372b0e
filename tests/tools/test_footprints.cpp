// Compressed formats whose footprint nobody probed: what the rules of other footprints say, beside what drivers did.
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "patterns/rules/learn.h"
#include "patterns/rules/rule_json.h"
#include "tests/support/driver_sizes.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tools/answers/image/find_image.h"
#include "tools/answers/image/other_footprint.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <bit>
#include <doctest/doctest.h>
#include <random>

using namespace tilewise;

namespace {

ImageKind drawn_image(std::mt19937& random, const db::ImageRuleRow& row) {
    const auto side = [&] { return uint32_t{1} + static_cast<uint32_t>(random()) % (16U << random() % 8); };
    ImageKind kind;
    kind.format = split(row.fact.formats).front();
    kind.type = row.fact.image_type;
    kind.usage = row.fact.usage;
    kind.extent_px = {side(), side(), 1};
    kind.levels = 1 + static_cast<uint32_t>(random()) % std::bit_width(std::ranges::max(kind.extent_px));
    kind.layers = 1 + static_cast<uint32_t>(random()) % 3;
    return kind;
}

/// Those of 2D images of compressed colors, without flags.
std::vector<db::ImageRuleRow> rules_of_blocks(const db::Database& database, const db::Filter& filter) {
    std::vector<db::ImageRuleRow> rows = find_rules(database, filter);
    std::erase_if(rows, [](const db::ImageRuleRow& row) {
        const Rule rule = rule_from_json(row.fact.rule);
        return rule.element.width == 1 || rule.image_type != ImageType::two_d || !row.fact.flags.empty();
    });
    return rows;
}

Ended ask(const std::string& gpu, const std::string& format, const Command& more = {}) {
    return run(Command{program_path(), "--json", "--quiet", "layout", "--gpu", gpu, "--format", format, "--extent",
                       "1000x700"} +
               more);
}

}  // namespace

TEST_CASE("what the rule of one footprint says of another, M1's driver was seen to do") {
    const db::Database catalog = db::open_catalog();
    std::mt19937 random(41);
    size_t compared = 0;
    const std::vector<db::ImageRuleRow> rules = rules_of_blocks(catalog, {.device = "Apple M1"});
    for (const db::ImageRuleRow& from_row : rules)
        for (const db::ImageRuleRow& to_row : rules) {
            const Rule from = rule_from_json(from_row.fact.rule), to = rule_from_json(to_row.fact.rule);
            if (from.element == to.element || from.element.bytes != to.element.bytes ||
                from_row.fact.usage != to_row.fact.usage)
                continue;
            CAPTURE(from_row.fact.formats);
            CAPTURE(to_row.fact.formats);
            db::ImageRuleRow as_other = from_row;
            as_other.fact.rule = to_json(with_footprint(from, to.element));
            as_other.fact.formats = to_row.fact.formats;
            for (int i = 0; i < 10; i++) {
                const ImageKind kind = drawn_image(random, to_row);
                const std::optional<ImageLayout> own = only_prediction({&to_row, 1}, kind);
                const std::optional<ImageLayout> other = only_prediction({&as_other, 1}, kind);
                if (!own || !other) continue;
                compared++;
                CHECK(own->bytes == other->bytes);
                CHECK(lie_alike(*own, *other));
            }
        }
    CHECK(compared > 1000);
}

TEST_CASE("a footprint that nobody probed is assumed to lie as others of as many bytes, and none of another size") {
    const nlohmann::json orin = parse(ask("Jetson Orin", "ASTC_6x6"));
    CHECK(orin.at("source") == "assumed");
    CHECK(orin.at("evidence").get<std::string>().find("nobody has probed ASTC_6x6_UNORM_BLOCK there") !=
          std::string::npos);
    // It is said once, here as of the other derived images.
    for (const nlohmann::json& said :
         {orin,
          parse(run({program_path(), "--json", "--quiet", "layout", "--gpu", "RX 6800", "--format", "D32S8", "--extent",
                     "512x512"})),
          parse(run({program_path(), "--json", "--quiet", "layout", "--gpu", "RX 6800", "--format", "RGBA16F",
                     "--extent", "512x512", "--layers", "6", "--flags", "cube-compatible,mutable-format"}))}) {
        const std::string evidence = said.at("evidence");
        CHECK(said.at("source") == "assumed");
        CHECK(evidence.find("; assumed: ") == evidence.rfind("; assumed: "));
        CHECK(evidence.find("; assumed: ") != std::string::npos);
    }
    // 167x117 blocks: 42 GOBs of 4 blocks along x, and one block of 16 GOBs, 128 rows, along y.
    CHECK(orin.at("bytes") == 42 * 512 * 16);
    CHECK(orin.at("subresources").at(0).at("layout").at("element").at("width") == 6);
    CHECK(parse(ask("Adreno 740", "ASTC_6x6")).at("source") == "predicted");
    CHECK(ask("Mali-G610", "ASTC_6x6").code == 1);
}

TEST_CASE("of an Orin's ASTC and ETC2 images, each assumed or predicted size is the one that its driver asks for") {
    if (!drivers_are_here()) return;
    const db::Database catalog = db::open_catalog();
    std::mt19937 random(43);
    constexpr const char* formats[] = {"ASTC_4x4",   "ASTC_5x4",   "ASTC_5x5",  "ASTC_6x5",  "ASTC_6x6",  "ASTC_8x5",
                                       "ASTC_8x6",   "ASTC_8x8",   "ASTC_10x5", "ASTC_10x6", "ASTC_10x8", "ASTC_10x10",
                                       "ASTC_12x10", "ASTC_12x12", "ETC2_RGB8", "EAC_R11"};
    const auto side = [&] { return uint32_t{1} + static_cast<uint32_t>(random()) % (16U << random() % 8); };
    std::vector<ImageQuestion> questions;
    std::vector<ImageKind> images;
    for (size_t i = 0; i < 160; i++) {
        ImageQuestion question;
        question.about.gpu = asked_gpu("Jetson Orin");
        question.about.driver = "Mesa 26.1";
        question.about.format = asked_format(formats[i % std::size(formats)]);
        question.about.extent = {side(), side(), 1};
        question.levels =
            1 + static_cast<uint32_t>(random()) % std::bit_width(std::ranges::max(*question.about.extent));
        question.layers = 1 + static_cast<uint32_t>(random()) % 3;
        images.push_back(asked_kind(question));
        images.back().usage = "sampled,transfer-dst,transfer-src,host-transfer";
        questions.push_back(question);
    }
    const std::vector<ImageSize> sizes = driver_sizes("nvk-tegra:0x17b", images);
    for (size_t i = 0; i < questions.size(); i++) {
        CAPTURE(images[i].format);
        CAPTURE(extent_text(images[i].extent_px));
        const Answer<FoundImage> answer = find_image(questions[i], catalog);
        REQUIRE(answer.index() == 0);
        CHECK(std::get<FoundImage>(answer).image.bytes == sizes[i].bytes);
        CHECK(std::get<FoundImage>(answer).image.alignment == sizes[i].alignment);
    }
}
