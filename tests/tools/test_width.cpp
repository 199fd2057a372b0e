// How wide text is on a terminal, compared with what the C library says of each character.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tools/cli/terminal/width.h"
#include <clocale>
#include <cwchar>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace tilewise;

namespace {

std::string utf8(char32_t character) {
    const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
    if (character < 0x80) return {byte(character)};
    if (character < 0x800) return {byte(0xc0 | character >> 6), byte(0x80 | (character & 0x3f))};
    if (character < 0x10000)
        return {byte(0xe0 | character >> 12), byte(0x80 | (character >> 6 & 0x3f)), byte(0x80 | (character & 0x3f))};
    return {byte(0xf0 | character >> 18), byte(0x80 | (character >> 12 & 0x3f)), byte(0x80 | (character >> 6 & 0x3f)),
            byte(0x80 | (character & 0x3f))};
}

/// The column of the terminal where `word` begins in a line of a table; measured by wcwidth().
size_t column_of(const std::string& line, const std::string& word) {
    const size_t at = line.find(word);
    REQUIRE(at != line.npos);
    std::mbstate_t state = {};
    size_t column = 0;
    for (size_t i = 0; i < at;) {
        wchar_t character = 0;
        const size_t size = std::mbrtowc(&character, &line[i], at - i, &state);
        REQUIRE(size < line.size());
        column += static_cast<size_t>(wcwidth(character));
        i += size;
    }
    return column;
}

struct Locale {
    Locale() { REQUIRE(std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr); }
    ~Locale() { std::setlocale(LC_CTYPE, "C"); }
};

}  // namespace

TEST_CASE("characters of many scripts are as wide as the C library has them") {
    const Locale locale;
    constexpr std::pair<char32_t, char32_t> scripts[] = {
        {' ', '~'},          // ASCII
        {0xa1, 0xac},        // Latin-1
        {0xae, 0x17f},       // Latin
        {0x300, 0x34e},      // combining marks
        {0x391, 0x3a1},      // Greek
        {0x400, 0x45f},      // Cyrillic
        {0x5d0, 0x5ea},      // Hebrew
        {0xe01, 0xe3a},      // Thai, with its marks
        {0x2500, 0x257f},    // lines
        {0x3041, 0x3096},    // Hiragana
        {0x30a1, 0x30fa},    // Katakana
        {0x4e00, 0x9fa5},    // Han
        {0xac00, 0xd7a3},    // Hangul
        {0xff01, 0xff5e},    // fullwidth forms
        {0xff66, 0xff9f},    // halfwidth forms
        {0x1f600, 0x1f64f},  // emoji
        {0x20000, 0x20100},  // Han beyond 16 bits
    };
    size_t widths[3] = {};
    for (const auto& [first, last] : scripts)
        for (char32_t character = first; character <= last; character++) {
            CAPTURE(static_cast<uint32_t>(character));
            const int expected = wcwidth(static_cast<wchar_t>(character));
            REQUIRE(expected >= 0);
            REQUIRE(expected <= 2);
            REQUIRE(display_width(utf8(character)) == static_cast<size_t>(expected));
            widths[expected]++;
        }
    CHECK(widths[0] > 70);
    CHECK(widths[1] > 500);
    CHECK(widths[2] > 30000);
}

TEST_CASE("text is cut by columns, and a mark stays with its letter") {
    CHECK(cut_to_width("Radeon", 6) == "Radeon");
    CHECK(cut_to_width("Radeon", 5) == "Rad..");
    CHECK(cut_to_width("图形处理器", 10) == "图形处理器");
    CHECK(cut_to_width("图形处理器", 9) == "图形处..");
    CHECK(cut_to_width("图形处理器", 7) == "图形..");  // a third character would have half a column too few
    CHECK(cut_to_width("e\u0301e\u0301e\u0301e\u0301", 4) == "e\u0301e\u0301e\u0301e\u0301");
    CHECK(cut_to_width("e\u0301e\u0301e\u0301e\u0301", 3) == "e\u0301..");
    CHECK(cut_to_width("\xff\xfe\xfd", 3) == "\xff\xfe\xfd");
    CHECK(cut_to_width("abc", 1) == "..");
}

TEST_CASE("columns of a table begin one below the other, whatever the names of devices are") {
    const Locale locale;
    const Folder folder;
    const std::string file = folder / "t.db";
    nlohmann::json bundle = nlohmann::json::parse(read_text(source_dir() + "/db/catalog/nvidia-h100.json"));
    for (const char* list : {"disagreements", "lane_orders", "start_orders", "rule_contents", "rules", "validations",
                             "tunings", "figures"})
        bundle[list] = nlohmann::json::array();
    nlohmann::json& observations = bundle["observations"];
    unsigned devices = 0;
    for (const char* name : {"Eigenbau 图形处理器", "Eigenbau Ge\u0301ant", "Eigenbau Übergröße"}) {
        bundle["devices"][0]["name"] = name;
        bundle["devices"][0]["uuid"] = fmt::format("{:032x}", ++devices);
        const Ended imported = run(tilewise::tilewise({"--db", file, "db", "import", "-"}), bundle.dump());
        CAPTURE(imported.err);
        REQUIRE(imported.code == 0);
        // The next device shares fewer patterns, so that the rows list different names.
        observations.erase(observations.begin(), observations.begin() + static_cast<long>(observations.size() / 2));
        const std::string rest = observations.dump();
        nlohmann::json patterns;
        for (const nlohmann::json& pattern : bundle["patterns"])
            if (rest.find(pattern["id"].get<std::string>()) != rest.npos) patterns.push_back(pattern);
        bundle["patterns"] = patterns;
    }
    std::istringstream table(run(tilewise::tilewise({"--db", file, "query", "--device", "Eigenbau"})).out);
    std::string line;
    REQUIRE(std::getline(table, line));
    const size_t column = column_of(line, "drivers");
    size_t rows = 0, with_marks = 0;
    while (std::getline(table, line)) {
        if (line.find("Eigenbau") == line.npos) continue;  // another table follows
        CAPTURE(line);
        CHECK(column_of(line, "NVIDIA 580") == column);
        rows++;
        with_marks += line.find("Ge\u0301ant") != line.npos;
    }
    CHECK(rows > 10);
    CHECK(with_marks > 0);
    CHECK(with_marks < rows);
}
