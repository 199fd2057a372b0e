#include "tests/support/report_page.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>

namespace tilewise {

namespace {

struct DataPlace {
    size_t begin, size;
};

DataPlace place_of_data(const std::string& page) {
    const std::string mark = "id=\"data\">";
    const size_t found = page.find(mark);
    REQUIRE(found != page.npos);
    const size_t begin = found + mark.size();
    return {begin, page.find("</script>", begin) - begin};
}

std::string by_python(const std::string& expression, const std::string& input) {
    const Ended ended =
        run({"/usr/bin/python3", "-c",
             "import base64, sys, zlib; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(" + expression + ")"},
            input);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    return ended.out;
}

}  // namespace

std::string data_of_page(const std::string& page) {
    const DataPlace place = place_of_data(page);
    return by_python("zlib.decompress(base64.b64decode(data, validate=True))", page.substr(place.begin, place.size));
}

std::string with_data(std::string page, const std::string& json) {
    const DataPlace place = place_of_data(page);
    return page.replace(place.begin, place.size, by_python("base64.b64encode(zlib.compress(data))", json));
}

}  // namespace tilewise
