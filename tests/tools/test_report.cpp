// `tilewise report` as text, JSON and page; what it says of images is what `tilewise layout` says. In a browser:
// tools/report_page.
#include "db/facts/validation.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/model/text.h"
#include "tests/support/db_sample.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/report_page.h"
#include "tests/support/soak.h"
#include "tools/answers/report/report.h"
#include "tools/cli/terminal/json_text.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace tilewise;
using nlohmann::json;

namespace {

/// Runs the program with the shipped catalog alone.
Ended from_catalog(const Command& arguments) {
    const Folder empty;
    return run(Command{"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=" + empty.path.string(), program_path(), "--quiet"} +
               arguments);
}

std::string answer(const Command& arguments) {
    const Ended ended = from_catalog(arguments);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    return ended.out;
}

json report_of(const Command& arguments) { return json::parse(answer(Command{"report", "--json"} + arguments)); }

json data_of(const std::string& page) { return json::parse(data_of_page(page)); }

size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) found++;
    return found;
}

/// The layout of a subresource: its pattern's, with what its image adds.
json layout_of_part(const json& report, const json& part) {
    json layout = report["patterns"][part["pattern"].get<size_t>()]["layout"];
    if (part.contains("element")) layout["element"] = part["element"];
    const auto stride = part["stride"].get<std::vector<uint64_t>>();
    for (size_t a = 0; a < 4; a++) layout["stride"][std::string(1, "xyzs"[a])] = stride[a];
    layout["constant"] = part["constant"];
    layout["base"] = part["base"];
    return layout;
}

/// The subresources that `layout` prints, with what the report has of each.
json with_all_strides(json subresources) {
    for (json& part : subresources)
        if (!part["layout"]["stride"].contains("s")) part["layout"]["stride"]["s"] = 0;
    return subresources;
}

Command question(const json& image, const json& layout) {
    const auto option = [](const char* name, const json& value) {
        return Command{name, value.is_string() ? value.get<std::string>() : value.dump()};
    };
    Command command = {"layout", "--json"};
    const json& extent = layout["extent"];
    command =
        command + option("--format", image["formats"][0]) + option("--levels", layout["levels"]) +
        option("--layers", layout["layers"]) + option("--samples", layout["samples"]) +
        option("--image-type", layout["image_type"]) + option("--usage", image["usage"]) +
        Command{"--extent", fmt::format("{}x{}x{}", extent[0].get<int>(), extent[1].get<int>(), extent[2].get<int>())};
    if (image["flags"] != "") command = command + option("--flags", image["flags"]);
    return command;
}

}  // namespace

TEST_CASE("the images of a report, some of them asked about, lie as `layout` says, each subresource of them") {
    size_t images = 0, parts = 0, asked = 0;
    const size_t one_of = soaking() ? 1 : 30;  // the program is run for each
    for (const auto& [gpu, extent] : {std::pair("H100", "1920x1080"), std::pair("RX 6800", "333x222"),
                                      std::pair("Turnip Adreno (TM) 740", "100x64x8")}) {
        const json report = report_of({"--gpu", gpu, "--extent", extent});
        REQUIRE(report["devices"].size() == 1);
        for (const json& image : report["devices"][0]["images"]) {
            if (asked++ % one_of != 0) continue;
            const json& layout = report["image_layouts"][image["image_layout"].get<size_t>()];
            const Ended ended = from_catalog(question(image, layout) + Command{"--gpu", gpu});
            CAPTURE(image.dump());
            CAPTURE(ended.err);
            REQUIRE(ended.code == 0);
            const json said = json::parse(ended.out);
            CHECK(said["source"] == image["source"]);
            CHECK(said["bytes"] == layout["bytes"]);
            const json expected = with_all_strides(said["subresources"]);
            REQUIRE(expected.size() == layout["subresources"].size());
            for (size_t i = 0; i < expected.size(); i++) {
                const json& part = layout["subresources"][i];
                for (const char* name : {"aspect", "level", "layer", "layers", "layer_stride", "extent"})
                    CHECK(part[name] == expected[i].value(name, part[name]));
                CHECK(layout_of_part(report, part) == expected[i]["layout"]);
                parts++;
            }
            images++;
        }
    }
    CHECK(images > 120 / one_of);
    CHECK(parts > 800 / one_of);
}

namespace {

struct DeviceAndExtent {
    const char *gpu, *extent;
};

std::string assumed_in(const std::string& evidence) {
    const size_t at = evidence.find("; assumed: ");
    REQUIRE(at != evidence.npos);
    return evidence.substr(at);
}

}  // namespace

TEST_CASE(
    "what `layout` only assumes of an image, or of a chip, the report calls assumed, in the same words, in all its "
    "forms") {
    size_t assumed = 0;
    // Extents that nobody looked at, and one that somebody did, of chips without rules; a chip that another one stands
    // in for.
    for (const DeviceAndExtent& asked :
         {DeviceAndExtent{"Mali-G610", "255x256"}, DeviceAndExtent{"Mali-G610", "256x256"},
          DeviceAndExtent{"Mali-G78", "200x100"}, DeviceAndExtent{"Apple M2", "70x50"}}) {
        CAPTURE(asked.gpu);
        const Folder folder;
        const Command command = {"--gpu", asked.gpu, "--extent", asked.extent};
        const json report =
            json::parse(answer(Command{"report", "--json", "--output", folder / "page.html"} + command));
        const std::string text = answer(Command{"report"} + command);
        CHECK(data_of(read_text(folder / "page.html"))["devices"] == report["devices"]);
        for (const json& image : report["devices"][0]["images"]) {
            const json& layout = report["image_layouts"][image["image_layout"].get<size_t>()];
            const json said = json::parse(answer(question(image, layout) + Command{"--gpu", asked.gpu}));
            CAPTURE(image.dump());
            CHECK(said["source"] == image["source"]);
            if (said["source"] != "assumed") continue;
            // `layout` adds how often chips of the architecture are alike.
            CHECK(assumed_in(said["evidence"]).starts_with(assumed_in(image["evidence"])));
            CHECK(text.find(image["evidence"].get<std::string>()) != text.npos);
            const json expected = with_all_strides(said["subresources"]);
            REQUIRE(expected.size() == layout["subresources"].size());
            for (size_t i = 0; i < expected.size(); i++)
                CHECK(layout_of_part(report, layout["subresources"][i]) == expected[i]["layout"]);
            if (assumed++; assumed % 10 == 0) break;  // each takes a run of the program
        }
    }
    CHECK(assumed > 15);
}

TEST_CASE("the page holds what --json prints, and text names the same devices, patterns and timings") {
    const Folder folder;
    const Command gpu = {"--gpu", "H100"};
    json report = json::parse(answer(Command{"report", "--json", "--output", folder / "page.html"} + gpu));
    const std::string text = answer(Command{"report"} + gpu);
    json page = data_of(read_text(folder / "page.html"));
    CHECK(page["colors"].size() == 256);
    page.erase("colors");
    // The command writes numbers shorter (terminal/json_text.h), by one step of the last bit.
    const bool same = json_text(page) == json_text(report);
    CHECK(same);
    for (const json& pattern : report["patterns"])
        CHECK(text.find("\n" + pattern["id"].get<std::string>()) != text.npos);
    const size_t device_figures =
        json::parse(read_text(source_dir() + "/db/catalog/nvidia-h100.json"))["figures"].size();
    for (const json& device : report["devices"]) {
        CHECK(text.find(device["device"]["name"].get<std::string>()) != text.npos);
        size_t rows = 0;
        for (const char* kernel :
             {"average", "bilateral", "bloom", "box", "brightest", "gaussian", "histogram", "mip-chain"})
            rows += count(text, fmt::format("  {}  ", kernel));
        CHECK(rows == device["timings"].size() + device["tunings"].size());
        for (const json& tuned : device["tunings"])
            CHECK(text.find("  " + tuned["group_order"].get<std::string>() + "  ") != text.npos);
        CHECK(device["figures"].size() == device_figures);
        CHECK(!device["figure_lines"].empty());
        for (const json& line : device["figure_lines"]) CHECK(text.find(line["text"].get<std::string>()) != text.npos);
        for (const json& image : device["images"])
            for (const json& part : report["image_layouts"][image["image_layout"].get<size_t>()]["subresources"])
                CHECK(text.find(fmt::format("  {}  ", part["end"].get<uint64_t>())) != text.npos);
    }
}

TEST_CASE("every way that was timed is told: none hides another of another order of workgroups") {
    const json report = report_of({"--gpu", "H200"});
    std::set<std::string> told, stored;
    for (const json& timing : report["devices"][0]["timings"])
        told.insert(fmt::format("{} {} {} {} {} {} {} {}", timing["kernel"].get<std::string>(),
                                timing["format"].get<std::string>(), timing["radius"].get<uint32_t>(),
                                timing["method"].get<std::string>(), timing["order"].get<std::string>(),
                                timing["shape"].dump(), timing["extent"].dump(), timing["group_order"].dump()));
    const db::Database catalog = db::open_catalog();
    for (const db::ListedDevice& device : db::list_devices(catalog))
        if (device.fact.name == "NVIDIA H200")
            for (const db::ValidationRow& row : db::find_facts<db::ValidationFact>(catalog, {device.row})) {
                const db::ValidationFact& fact = row.fact;
                stored.insert(fmt::format("{} {} {} {} {} {} {} {}", fact.kernel, fact.format, fact.radius, fact.method,
                                          fact.order, json(fact.shape).dump(), json(fact.extent).dump(),
                                          json(fact.group_order).dump()));
            }
    CHECK(stored.size() > 300);
    CHECK(told == stored);
}

TEST_CASE("hostile names end no script of the page, and come back as they were") {
    const sample::Folder folder;
    const std::string name = "</script><script>alert(1)</script><!--\u2028\u202e \" ' \\ &lt;";
    db::DeviceFact device = sample::h100();
    device.name = name;
    db::DriverFact driver = sample::nvidia_580();
    driver.info = "<img src=x onerror=alert(2)>";
    {
        db::Database database = sample::empty_database(folder / "hostile.db");
        db::ObservationFact fact = sample::observed(sample::gob_of_16(), "2026-11-20T10:00:00Z");
        db::add_observation(database, device, driver, fact);
    }
    const std::string database = (folder / "hostile.db").string(), file = (folder / "page.html").string();
    const Ended ended = run(tilewise::tilewise({"--db", database, "--quiet", "report", "--output", file}));
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const std::string page = read_text(file);
    CHECK(count(page, "<script") == 2);
    CHECK(count(page, "</script") == 2);
    CHECK(page.find("<!--") == page.npos);
    CHECK(page.find("<img") == page.npos);
    CHECK(page.find("\u2028") == page.npos);
    CHECK(data_of(page)["devices"][0]["device"]["name"] == printable(name));  // as the database keeps it
    const Ended text = run(tilewise::tilewise({"--db", database, "--quiet", "report"}));
    CHECK(text.code == 0);
    CHECK(text.out.find("\u202e") == text.out.npos);
    CHECK(text.out.find("<U+202E>") != text.out.npos);
}

TEST_CASE("what the page allows itself is its own script and style, by their hashes") {
    const Folder folder;
    answer({"report", "--gpu", "M1", "--output", folder / "page.html"});
    const std::string page = read_text(folder / "page.html");
    for (const auto& [policy, file] : {std::pair("script-src", "page.js"), std::pair("style-src", "page.css")}) {
        const Ended hash = run({"sh", "-c",
                                fmt::format("sha256sum < {}/tools/cli/page/{} | cut -c1-64 | xxd -r -p | base64 -w0",
                                            source_dir(), file)});
        CHECK(page.find(fmt::format("{} 'sha256-{}'", policy, hash.out)) != page.npos);
    }
    CHECK(page.find("default-src 'none'") != page.npos);
}

TEST_CASE("a report that cannot be made is one complaint, and leaves no file") {
    const Folder folder;
    const Ended unknown = from_catalog({"report", "--gpu", "GeForce 9999 XYZ", "--output", folder / "page.html"});
    CHECK(unknown.code == 1);
    CHECK(is_one_complaint(unknown.err));
    const Ended many = from_catalog({"report", "--gpu", "H100", "--gpu", "H200", "--gpu", "M1"});
    CHECK(many.code == 2);
    CHECK(is_one_complaint(many.err));
    const Ended both = from_catalog({"report", "--json", "--output", "-"});
    CHECK(both.code == 2);
    CHECK(is_one_complaint(both.err));
    const Ended size = from_catalog({"report", "--extent", "0x5", "--output", folder / "page.html"});
    CHECK(size.code == 2);
    CHECK(is_one_complaint(size.err));
    const Ended nowhere = from_catalog({"report", "--gpu", "M1", "--output", folder / "no/such/folder/page.html"});
    CHECK(nowhere.code == 1);
    CHECK(is_one_complaint(nowhere.err));
    CHECK(std::filesystem::is_empty(folder.path));
}
