#include "patterns/model/error.h"
#include "patterns/model/table.h"
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

std::string csv_refusal(std::string_view text) {
    try {
        parse_table_csv(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("rows come in any order, in decimal or hexadecimal, under a header and comments") {
    const Table table = parse_table_csv("# source: somebody\nx,y,byte_offset\n1,0,0x8\r\n0,1,16\n 0, 0, 0\n1,1,24\n");
    CHECK(table.extent == Coord{2, 2, 1, 1});
    CHECK(table.element.bytes == 8);
    CHECK(table.offsets == std::vector<uint64_t>{0, 8, 16, 24});
    CHECK(table.faults.empty());
}

TEST_CASE("tables as spreadsheets write them: a byte order mark, semicolons or tabs, quotation marks") {
    const std::string plain = "x,y,byte_offset\n0,0,0\n1,0,4\n0,1,8\n1,1,12\n";
    for (const char separator : {',', ';', '\t'}) {
        std::string text = plain;
        std::ranges::replace(text, ',', separator);
        for (const std::string& of : {text, "\xef\xbb\xbf" + text})
            CHECK(parse_table_csv(of).offsets == std::vector<uint64_t>{0, 4, 8, 12});
    }
    // Python's csv.QUOTE_ALL.
    const Table quoted = parse_table_csv("\"x\",\"y\",\"byte_offset\"\r\n\"0\",\"0\",\"0\"\r\n\"1\",\"0\",\"0x4\"\r\n");
    CHECK(quoted.offsets == std::vector<uint64_t>{0, 4});
    CHECK(parse_table_csv("\"0\",\"0\",\"0\"\n\"1\",\"0\",\"4\"\n").offsets == std::vector<uint64_t>{0, 4});
}

TEST_CASE("the element's size is the option's, else the comment's, else the smallest distance") {
    CHECK(parse_table_csv("# bytes_per_texel: 4\n0,0,0\n1,0,8\n").element.bytes == 4);
    CHECK(parse_table_csv("# bytes_per_texel: 4\n0,0,0\n1,0,8\n", 2).element.bytes == 2);
    CHECK(parse_table_csv("0,0,0\n1,0,12\n").element.bytes == 12);
}

TEST_CASE("three coordinates make a volume") {
    const Table table = parse_table_csv("0,0,0,0\n0,0,1,4\n");
    CHECK(table.extent == Coord{1, 1, 2, 1});
}

TEST_CASE("a header says which column is which: samples are a coordinate") {
    const Table table = parse_table_csv("x,y,s,byte_offset\n0,0,0,0\n0,0,1,4\n1,0,0,8\n1,0,1,12\n");
    CHECK(table.extent == Coord{2, 1, 1, 2});
    CHECK(table.offsets == std::vector<uint64_t>{0, 8, 4, 12});
    CHECK(parse_table_csv("byte_offset,y,x\n0,0,0\n4,0,1\n").extent == Coord{2, 1, 1, 1});
    CHECK(parse_table_csv("0,0,0,0,0\n0,0,0,1,4\n").extent == Coord{1, 1, 1, 2});
    CHECK(csv_refusal("level,x,y,byte_offset\n0,0,0,0\n").find("line 1: the table has a column level") == 0);
    CHECK(csv_refusal("x,x,byte_offset\n0,0,0\n") == "line 1: a header names each of x, y, z, s once, and byte_offset");
    // A row that is hidden would be an element that is missing.
    const std::string no_name = "a header names x, y, z, s and byte_offset";
    CHECK(parse_table_csv("0X99,0,0\n0,0,4\n").faults ==
          std::vector<std::string>{"element (153,0,0) is foreign: the others fill 1x1x1"});
    CHECK(csv_refusal("x,y,offset\n0,0,0\n") == "line 1: no column is called \"offset\": " + no_name);
    CHECK(csv_refusal("row,0,0\n0,0,4\n") == "line 1: no column is called \"row\": " + no_name);
    CHECK(csv_refusal("\"x,y\",byte_offset\n0,0,4\n") == "line 1: no column is called \"\"x\": " + no_name);
    CHECK(csv_refusal("O,0,0\n0,1,4\n") == "line 1: no column is called \"o\": " + no_name);
    CHECK(csv_refusal("x,y\n0,0\n") == "line 1: a header names each of x, y, z, s once, and byte_offset");
}

TEST_CASE("an element given twice is a fault, unless both say the same; one never given is missing") {
    CHECK(parse_table_csv("0,0,0\n1,0,4\n1,0,4\n").faults.empty());
    CHECK(parse_table_csv("0,0,0\n1,0,4\n1,0,8\n").faults ==
          std::vector<std::string>{"element (1,0,0) is there twice, at 0x4 and at 0x8"});
    CHECK(parse_table_csv("0,0,0\n1,0,4\n0,1,8\n").offsets[3] == Table::missing_offset);
}

TEST_CASE("a damaged table is refused in one line that names the line and the way out") {
    CHECK(csv_refusal("") == "the table is empty: rows of x,y,byte_offset are expected");
    CHECK(csv_refusal("# nothing\nx,y,byte_offset\n") == "the table is empty: rows of x,y,byte_offset are expected");
    CHECK(csv_refusal("0,0\n") == "line 1: 2 columns; a row is x,y,byte_offset or x,y,z,byte_offset");
    CHECK(csv_refusal("0,0,0,0,0,0\n") == "line 1: 6 columns; a row is x,y,byte_offset or x,y,z,byte_offset");
    CHECK(csv_refusal("0,0,0\n1,0,0,4\n") == "line 2: 4 columns where the rows before have 3");
    CHECK(csv_refusal("0,0,0\n1,0,-4\n") == "line 2: '-4' is negative; coordinates and offsets count from 0");
    CHECK(csv_refusal("0,0,0\n1,0,four\n") == "line 2: 'four' is not a number");
    CHECK(csv_refusal("0,0,0\n1,0,1.5\n") == "line 2: '1.5' is not a number");
    CHECK(csv_refusal("0,0,0\n1,,4\n") == "line 2: '' is empty where a number should be");
    CHECK(csv_refusal("0,0,18446744073709551616\n") == "line 1: '18446744073709551616' does not fit 64 bits");
    CHECK(csv_refusal("0,0,18446744073709551615\n") == "line 1: offset 18446744073709551615 is beyond any memory");
    CHECK(csv_refusal("4294967295,0,0\n") == "line 1: coordinate 4294967295 is beyond any image");
    CHECK(csv_refusal("0,0,0\n") == "the table does not give the element's size: give --element-bytes");
}

TEST_CASE("a table cannot claim more memory than its rows deserve") {
    CHECK(csv_refusal("# bytes_per_texel: 4\n99999,99999,0\n99998,99998,4\n").find("too few for an image") !=
          std::string::npos);
}

TEST_CASE("rows on a diagonal, whose extents multiply to more than 64 bits, are too few") {
    std::string csv = "# bytes_per_texel: 4\nx,y,z,byte_offset\n";
    // Every other value up to 2^22: half of the values are used, so that no row is a stray one.
    for (uint32_t i = 0; i < uint32_t{1} << 22; i += 2) {
        const std::string n = std::to_string(i + 1);
        csv.append(n)
            .append(",")
            .append(n)
            .append(",")
            .append(n)
            .append(",")
            .append(std::to_string(i * 4))
            .append("\n");
    }
    CHECK_THROWS_WITH_AS(parse_table_csv(csv), doctest::Contains("too few for an image of"), Error);
}
