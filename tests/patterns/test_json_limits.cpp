#include "patterns/model/error.h"
#include "patterns/model/json_limits.h"
#include <algorithm>
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

std::string repeated(const std::string& text, size_t times) {
    std::string all;
    for (size_t i = 0; i < times; i++) all += text;
    return all;
}

std::string text_refusal(const std::string& text) {
    try {
        (void)parse_json(text, "file.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("JSON may be nested 64 deep, and no deeper") {
    CHECK(text_refusal(repeated("[", 64) + repeated("]", 64)) == "accepted");
    CHECK(text_refusal(repeated("{\"a\":", 64) + "1" + repeated("}", 64)) == "accepted");
    const std::string too_deep = "file.json: has values nested deeper than 64: that is not a file of tilewise";
    CHECK(text_refusal(repeated("[", 65) + repeated("]", 65)) == too_deep);
    CHECK(text_refusal(repeated("{\"a\":", 65) + "1" + repeated("}", 65)) == too_deep);
    for (const char* open : {"[", "{\"a\":", "[{\"a\":"}) CHECK(text_refusal(repeated(open, 200'000)) == too_deep);
}

TEST_CASE("JSON ends where the text ends, not at a zero byte in it") {
    CHECK(text_refusal(std::string("[1]\0[2]", 7)) == "file.json: has a zero byte at 3: that is not JSON");
    CHECK(text_refusal(std::string("[\"a\0b\"]", 7)) == "file.json: has a zero byte at 3: that is not JSON");
    CHECK(text_refusal("[\"a\\u0000b\"]") == "accepted");
}

TEST_CASE("a text of JSON has at most a MiB, be it a value or a name") {
    const std::string most(size_t{1} << 20, 'x');
    CHECK(text_refusal("[\"" + most + "\"]") == "accepted");
    CHECK(text_refusal("{\"" + most + "\":0}") == "accepted");
    const std::string too_long = "file.json: has a text of more bytes than 1048576: that is not a file of tilewise";
    CHECK(text_refusal("[\"" + most + "x\"]") == too_long);
    CHECK(text_refusal("{\"" + most + "x\":0}") == too_long);
}

TEST_CASE("JSON has at most 16 million values") {
    CHECK(text_refusal("[" + repeated("0,", size_t{1} << 24) + "0]") ==
          "file.json: has more values than 16777216: that is not a file of tilewise");
}

TEST_CASE("what is no JSON is said with its place, and without the foreign text itself") {
    CHECK(text_refusal("") == "file.json: is not JSON: line 1, column 1");
    CHECK(text_refusal("[1,\n  \x1b[31m]") == "file.json: is not JSON: line 2, column 3");
    CHECK(text_refusal("[1e999]") == "file.json: is not JSON: one of its numbers is too large");
    for (const char* text :
         {"", "[1,\n \x1b[31m]", "[\"\xc2\x9b\xff\"]", "[1e999]", "nul", "[1] trailing", "\xff\xfe"}) {
        CAPTURE(text);
        const std::string why = text_refusal(text);
        CHECK(why.starts_with("file.json: is not JSON: "));
        CHECK(std::ranges::all_of(why, [](char c) { return c >= ' ' && c <= '~'; }));
    }
}
