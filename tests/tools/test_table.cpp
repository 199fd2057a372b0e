// Tables that are narrower than what is in them: nothing exact is cut.
#include "tests/support/program.h"
#include "tools/cli/terminal/json_text.h"
#include "tools/cli/terminal/table.h"
#include "tools/cli/terminal/width.h"
#include <charconv>
#include <cstring>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <sstream>

using namespace tilewise;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

const std::vector<Row> table = {
    {"pattern", "title", "driver", "formats"},
    {"23ed76f96e845e2b", "16x128 tile of 8192 bytes", "NVK Mesa 26.2.6-1", "R8_UNORM, R8_UINT"},
    {"3cc46bbda93abab9", "8x128 tile of 8192 bytes", "NVK Mesa 26.2.6-1", "R32_SFLOAT"}};

}  // namespace

TEST_CASE("a table that fits is in columns") {
    CHECK(table_text({{"a", "bb"}, {"ccc", "d"}}, {}, 1, true) == " a    bb\n ccc  d\n");
    CHECK(table_text({{"a", "bb"}, {"ccc", "d"}}, 8, 1, true) == " a    bb\n ccc  d\n");
}

TEST_CASE("a column in which all rows are alike is said once, above; cells are wrapped between words") {
    CHECK(table_text(table, 60, 0, true) ==
          "driver, of all: NVK Mesa 26.2.6-1\n"
          "pattern           title                    formats\n"
          "23ed76f96e845e2b  16x128 tile of 8192      R8_UNORM, R8_UINT\n"
          "                  bytes\n"
          "3cc46bbda93abab9  8x128 tile of 8192       R32_SFLOAT\n"
          "                  bytes\n");
}

TEST_CASE("where wrapping is not enough a row is lines of a name and a value") {
    CHECK(table_text(table, 30, 0, true) ==
          "driver, of all: NVK Mesa\n"
          "  26.2.6-1\n"
          "23ed76f96e845e2b\n"
          "  title    16x128 tile of 8192\n"
          "           bytes\n"
          "  formats  R8_UNORM, R8_UINT\n"
          "3cc46bbda93abab9\n"
          "  title    8x128 tile of 8192\n"
          "           bytes\n"
          "  formats  R32_SFLOAT\n");
}

TEST_CASE("at any width no word is parted, and no line is wider unless one word is") {
    for (size_t width = 1; width < 120; width++) {
        CAPTURE(width);
        const std::string text = table_text(table, width, 0, true);
        for (const std::string word : {"23ed76f96e845e2b", "3cc46bbda93abab9", "16x128", "26.2.6-1", "R32_SFLOAT"})
            CHECK(text.find(word) != text.npos);
        CHECK(text.find("..") == text.npos);
        if (width >= 30)
            for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= width);
    }
}

TEST_CASE("columns are as wide as what is shown, not as its bytes") {
    const std::string text = table_text({{"名", "x"}, {"é", "y"}}, {}, 0, false);
    CHECK(text == "名  x\né   y\n");
}

TEST_CASE("tables of commands at 80 columns have every id and number that they have without an end of the line") {
    const auto printed = [](const std::string& columns, const Command& arguments) {
        const Ended ended =
            run(Command{"env", "-u", "TILEWISE_DB", "COLUMNS=" + columns, "XDG_DATA_HOME=/nonexistent"} +
                tilewise::tilewise(arguments));
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return ended.out;
    };
    for (const Command& arguments :
         {Command{"query", "--gpu", "AD102"}, Command{"show", "23ed76f96e845e2b", "--gpu", "H100"},
          Command{"layout", "--gpu", "H100", "--format", "RGBA8", "--extent", "1920x1080", "--levels", "11"},
          Command{"layout", "--gpu", "navi21", "--format", "BC7", "--extent", "1024x1024", "--levels", "5"},
          Command{"gpus"}, Command{"modes"}, Command{"formats", "--gpu", "H100"},
          Command{"db", "diff", "--gpu", "TU104", "--driver", "26.1", "--driver", "26.2"}}) {
        CAPTURE(arguments[0]);
        const std::string narrow = printed("80", arguments);
        CHECK(narrow.find("..\n") == narrow.npos);
        std::vector<std::string> there = words_of(narrow);
        std::ranges::sort(there);
        size_t numbers = 0;
        for (const std::string& word : words_of(printed("100000", arguments))) {
            if (word.find_first_of("0123456789") == word.npos) continue;  // names of columns may go
            CAPTURE(word);
            CHECK(std::ranges::binary_search(there, word));
            numbers++;
        }
        CHECK(numbers > 10);
        if (arguments[0] != "show")  // the drawing of a tile is as wide as the tile
            for (const std::string& line : lines_of(narrow)) {
                CAPTURE(line);
                CHECK((display_width(line) <= 80 || line.find("  ", line.find_first_not_of(' ')) == line.npos));
            }
    }
}

TEST_CASE("numbers in JSON are as short as Python writes them, and read back as they were") {
    if (run({"python3", "--version"}).code != 0) {
        MESSAGE("SKIPPED: no python3");
        return;
    }
    std::mt19937_64 random(46);
    std::string lines;
    for (int i = 0; i < 30000; i++) {
        double number = 0;
        switch (i % 3) {
            case 0:  // a time: nanoseconds, in milliseconds
                number = static_cast<double>(random() % 100'000'000) / 1e6;
                break;
            case 1:  // a ratio
                number = static_cast<double>(random() % 1'000'000) / static_cast<double>(1 + random() % 1'000'000);
                break;
            default: {  // any bits
                const uint64_t bits = random();
                std::memcpy(&number, &bits, sizeof number);
                if (!(number == number) || number - number != 0) continue;
            }
        }
        lines += fmt::format("{:a} {}\n", number, number_text(number));
    }
    // Of another text than Python's shortest there are those alone that are one step from a number of 12 digits.
    const std::string python = R"(
import math, sys
steps = 0
for line in sys.stdin:
    exact, text = line.split()
    number, read = float.fromhex(exact), float(text)
    digits = lambda t: t.lower().split('e')[0].replace('.', '').replace('-', '').strip('0')
    if read == number:
        assert digits(text) == digits(repr(number)), line
    else:
        assert read in (math.nextafter(number, math.inf), math.nextafter(number, -math.inf)), line
        assert len(digits(text)) <= 12 < len(digits(repr(number))), line
        steps += 1
print(steps)
)";
    const Ended judged = run({"python3", "-c", python}, lines);
    CHECK(judged.err == "");
    CHECK(judged.code == 0);
    CHECK(number_text(140000 * 1e-6) == "0.14");
    CHECK(number_text(59.732761) == "59.732761");  // nlohmann's dump writes 59.732761000000004
    CHECK(number_text(1) == "1.0");
    CHECK(number_text(0.0 / 0.0) == "null");
}

TEST_CASE("JSON text but for numbers is nlohmann's") {
    const auto parsed =
        nlohmann::ordered_json::parse(R"({"a":[],"b":{},"c":[1,2,{"d":"é\n"}],"e":null,"f":[true,0.5]})");
    CHECK(json_text(parsed) == parsed.dump(2, ' ', true));
    CHECK(json_text(nlohmann::ordered_json::array()) == "[]");
}
