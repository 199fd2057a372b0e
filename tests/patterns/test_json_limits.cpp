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

std::string refusal(const std::string& text) {
    try {
        (void)parse_json(text, "file.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("JSON may be nested 64 deep, and no deeper") {
    CHECK(refusal(repeated("[", 64) + repeated("]", 64)) == "accepted");
    CHECK(refusal(repeated("{\"a\":", 64) + "1" + repeated("}", 64)) == "accepted");
    const std::string too_deep = "file.json: has values nested deeper than 64: that is no file of tilewise";
    CHECK(refusal(repeated("[", 65) + repeated("]", 65)) == too_deep);
    CHECK(refusal(repeated("{\"a\":", 65) + "1" + repeated("}", 65)) == too_deep);
    for (const char* open : {"[", "{\"a\":", "[{\"a\":"}) CHECK(refusal(repeated(open, 200'000)) == too_deep);
}

TEST_CASE("a text of JSON has at most a MiB, be it a value or a name") {
    const std::string most(size_t{1} << 20, 'x');
    CHECK(refusal("[\"" + most + "\"]") == "accepted");
    CHECK(refusal("{\"" + most + "\":0}") == "accepted");
    const std::string too_long = "file.json: has a text of more bytes than 1048576: that is no file of tilewise";
    CHECK(refusal("[\"" + most + "x\"]") == too_long);
    CHECK(refusal("{\"" + most + "x\":0}") == too_long);
}

TEST_CASE("JSON has at most 16 million values") {
    CHECK(refusal("[" + repeated("0,", size_t{1} << 24) + "0]") ==
          "file.json: has more values than 16777216: that is no file of tilewise");
}

TEST_CASE("what is no JSON is said with its place, and without the foreign text itself") {
    CHECK(refusal("").starts_with("file.json: is no JSON: parse error at line 1, column 1: "));
    CHECK(refusal("[1,\n  \x1b[31m]").starts_with("file.json: is no JSON: parse error at line 2, column 3: "));
    for (const char* text :
         {"", "[1,\n \x1b[31m]", "[\"\xc2\x9b\xff\"]", "[1e999]", "nul", "[1] trailing", "\xff\xfe"}) {
        CAPTURE(text);
        const std::string why = refusal(text);
        CHECK(why.starts_with("file.json: is no JSON: "));
        CHECK(std::ranges::all_of(why, [](char c) { return c >= ' ' && c <= '~'; }));
    }
}
