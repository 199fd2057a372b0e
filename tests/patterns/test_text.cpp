#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include <doctest/doctest.h>

using namespace tilewise;

TEST_CASE("words of every script are printable as they are") {
    for (const char* text : {"", "NVIDIA H100 80GB HBM3", "Intel® Iris™", "显卡", "Größe < 3", "😀", "\\x1b[31m"})
        CHECK(printable(text) == text);
}

TEST_CASE("white space is a space, so that a line stays one") {
    CHECK(printable("a\tb\nc\vd\fe\rf") == "a b c d e f");
    CHECK(printable("two\r\nlines\n") == "two  lines ");
}

TEST_CASE("what commands a terminal is written out: escapes, other control characters of one byte and of two, delete") {
    CHECK(printable("\x1b]0;title\x07") == "<U+001B>]0;title<U+0007>");
    CHECK(printable(std::string_view("\0\x7f", 2)) == "<U+0000><U+007F>");
    CHECK(printable("\xc2\x9b"
                    "31m") == "<U+009B>31m");
}

TEST_CASE("what ends a line for a compiler or a reader is written out") {
    CHECK(printable("\u0085\u2028\u2029") == "<U+0085><U+2028><U+2029>");
}

TEST_CASE("what turns the order of what is seen, or is not seen, is written out") {
    for (const auto& [text, shown] :
         std::initializer_list<std::pair<const char*, const char*>>{{"\u061c", "<U+061C>"},
                                                                    {"\u200b", "<U+200B>"},
                                                                    {"\u200e", "<U+200E>"},
                                                                    {"\u200f", "<U+200F>"},
                                                                    {"\u202a", "<U+202A>"},
                                                                    {"\u202e", "<U+202E>"},
                                                                    {"\u2060", "<U+2060>"},
                                                                    {"\u2066", "<U+2066>"},
                                                                    {"\u2069", "<U+2069>"},
                                                                    {"\ufeff", "<U+FEFF>"},
                                                                    {"\U000e0041", "<U+E0041>"}})
        CHECK(printable(text) == shown);
}

TEST_CASE("what is no UTF-8 is replaced: stray, cut short, overlong, surrogates, beyond the last character") {
    const std::string bad = "\ufffd";
    CHECK(printable("a\xff") == "a" + bad);
    CHECK(printable("\x9b[31m") == bad + "[31m");  // a control character of one byte
    CHECK(printable("\xe2\x80") == bad + bad);
    CHECK(printable("\xc0\x8a") == bad + bad);  // a line break
    CHECK(printable("\xed\xa0\x80") == bad + bad + bad);
    CHECK(printable("\xf4\x90\x80\x80") == bad + bad + bad + bad);
}

TEST_CASE("what is printable stays as it is when it is made printable again") {
    std::string all;
    for (unsigned byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    for (const std::string& text : {all, std::string("\u202e\u2028"), std::string(300, '\x1b')})
        for (const size_t limit : {std::string::npos, size_t{40}})
            CHECK(printable(printable(text, limit), limit) == printable(text, limit));
}

TEST_CASE("long text ends in an ellipsis, never within a character") {
    CHECK(printable("abcdefgh", 8) == "abcdefgh");
    CHECK(printable("abcdefghi", 8) == "abcde...");
    CHECK(printable("äöüäöüäöü", 8) == "äöüäö...");
    CHECK(printable("abc\u202e", 8) == "abc...");
}

TEST_CASE("the distance of two words is the fewest letters that are put in, left out or changed") {
    CHECK(edit_distance("kitten", "sitting") == 3);  // Levenshtein's own measure, by the usual examples
    CHECK(edit_distance("saturday", "sunday") == 3);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("abc", "") == 3);
    CHECK(edit_distance("navi21", "navi21") == 0);
    CHECK(edit_distance("ab", "ba") == 2);
    CHECK(edit_distance("a", "b") == 1);
}

TEST_CASE("the nearest name is one that was mistyped, and none where nothing is like it") {
    const std::vector<std::string> names = {"show", "tile", "detile"};
    CHECK(nearest_name(names, "Tiel") == "tile");  // neighbours that changed places
    CHECK(nearest_name(names, "detil") == "detile");
    CHECK(nearest_name(names, "sho") == "show");
    CHECK(nearest_name(names, "quit") == "");
    CHECK(nearest_name(names, "a-long-word-like-none") == "");
    CHECK(nearest_name(names, "") == "");
}

TEST_CASE("extents are sides, or the names of frames, which have CTA-861's sizes") {
    for (const char* text : {"1920x1080", "1920X1080", "1920 x 1080", " 1920  x1080 ", "1920× 1080", "1920×1080",
                             "1920*1080", "1080p", "1080P"})
        CHECK(parse_extent(text) == Extent_px{1920, 1080, 1});
    CHECK(parse_extent("720p") == Extent_px{1280, 720, 1});
    CHECK(parse_extent("4k") == Extent_px{3840, 2160, 1});
    CHECK(parse_extent("2160p") == Extent_px{3840, 2160, 1});
    CHECK(parse_extent("8K") == Extent_px{7680, 4320, 1});
    CHECK(parse_extent("64x32x16") == Extent_px{64, 32, 16});
    for (const char* text :
         {"",      " ",      "x",   "5",   "5x", "x5",   "5xx5",    "1x2x3x4",  "1080",      "1080i",       "300 200x5",
          "5x5 5", "1080 p", "5 5", "5 x", "p",  "-1x5", "5x5\xc3", "\xc3\x97", "1920,1080", "4294967296x1"})
        CHECK_THROWS_AS(parse_extent(text), UsageError);
    CHECK_THROWS_WITH_AS(parse_extent("0x5"), "the extent 0x5 has a side of 0; every side must be at least 1",
                         UsageError);
}
