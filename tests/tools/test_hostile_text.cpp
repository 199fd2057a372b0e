// Names and words in files, databases and replies of drivers come from strangers: nothing of them reaches a terminal
// but text.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/raw_database.h"
#include "tests/support/soak.h"
#include "tools/cli/files/files.h"
#include <cstring>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

using namespace tilewise;

namespace {

/// Terminal commands, line ends, reversed and unseen characters, bytes that are no UTF-8, and ends of comments.
const std::string hostile =
    "x\x1b]0;owned\x07\x1b[2J\r\n\tfault\x7f\xc2\x9b"
    "31m\u0085\u2028\u2029\u202e\u2066\u200b\ufeff\U000e0041 */ /* ?\?/ \\";
const std::string no_utf8 = hostile + "\x9b\xff\xc0\x8a";

/// Whether a terminal would do anything but show the text.
bool is_plain(const std::string& text) {
    if (nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::ignore) !=
        nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace))
        return false;  // no UTF-8
    for (const char c : text)
        if (const auto byte = static_cast<unsigned char>(c); (byte < 0x20 && c != '\n') || byte == 0x7f) return false;
    for (const char* bad :
         {"\u0080", "\u0085", "\u009b", "\u2028", "\u2029", "\u202e", "\u2066", "\u200b", "\ufeff", "\U000e0041"})
        if (text.find(bad) != text.npos) return false;
    return true;
}

/// A run whose every output is plain.
Ended plain_run(const Command& command, const std::string& input = "") {
    Ended ended = run(command, input);
    CAPTURE(fmt::format("{}", fmt::join(command, " ")));
    CAPTURE(ended.out);
    CAPTURE(ended.err);
    CHECK(is_plain(ended.out));
    CHECK(is_plain(ended.err));
    // That the catalog answers, and what is assumed, may stand before the complaint.
    size_t complaint = 0;
    for (const char* note : {"There is no database ", "Assumed: "})
        if (ended.err.compare(complaint, std::strlen(note), note) == 0) complaint = ended.err.find('\n', complaint) + 1;
    CHECK((ended.code == 0 || is_one_complaint(ended.err.substr(complaint))));
    return ended;
}

Ended plain(const Command& arguments, const std::string& input = "") {
    return plain_run(tilewise::tilewise(arguments), input);
}

/// On a lavapipe with hostile names for its device and, where the fault ends it, hostile last words.
Ended plain_on_hostile_driver(const std::string& fault, const Command& arguments) {
    Command command = {
        "env",
        "VK_LAYER_PATH=" + (std::filesystem::path(program_path()).parent_path() / "tests/faults").string(),
        "VK_INSTANCE_LAYERS=VK_LAYER_TILEWISE_faults",
        "TILEWISE_FAULT=" + fault,
        "TILEWISE_FAULT_NAME=" + no_utf8,
        "TILEWISE_FAULT_WORDS=dies:" + no_utf8.substr(no_utf8.find('\t'))};
    for (const std::string& part : tilewise_on("system", arguments)) command.push_back(part);
    return plain_run(command);
}

const std::string shown = "x<U+001B>]0;owned<U+0007>";  // how `hostile` begins where it is printed

/// The catalog's facts of an H100, under other names.
nlohmann::json hostile_bundle() {
    nlohmann::json bundle = nlohmann::json::parse(read_text(source_dir() + "/db/catalog/nvidia-h100.json"));
    bundle["devices"][0]["name"] = "GPU " + hostile;
    bundle["devices"][0]["uuid"] = hostile;
    for (const char* member : {"name", "info", "id", "version", "api_version", "uuid"})
        bundle["drivers"][0][member] = hostile;
    for (nlohmann::json& observation : bundle["observations"]) {
        observation["reason"] = hostile;
        observation["memory_flags"] = hostile;
        observation["tool_version"] = hostile;
    }
    for (const char* list : {"lane_orders", "start_orders"})
        for (nlohmann::json& fact : bundle[list]) fact["note"] = hostile;
    return bundle;
}

/// Asks one of every three questions, counted from `number` on; under tools/soak all.
void reading_commands_are_plain(const std::string& file, size_t number) {
    for (const Command& command :
         {Command{"query"},
          {"query", "--device", "GPU"},
          {"show", "--format", "R8G8B8A8_UNORM", "--extent", "300x200"},
          {"show", "--format", "R8G8B8A8_UNORM"},
          {"snippet", "--gpu", "GPU", "--format", "R8G8B8A8_UNORM", "--lang", "wgsl"},
          {"snippet", "--gpu", "GPU", "--format", "R8G8B8A8_UNORM", "--lang", "rust", "--kind", "address", "--explain"},
          {"db", "check"},
          {"db", "stats"},
          {"db", "export", "-"}})
        for (const bool as_json : {false, true}) {
            if (!is_drawn(number++, 3)) continue;
            Command arguments = {"--db", file};
            if (as_json) arguments.push_back("--json");
            arguments.insert(arguments.end(), command.begin(), command.end());
            plain(arguments);
        }
}

}  // namespace

TEST_CASE("a bundle of hostile names is imported, and every command stays plain") {
    const Folder folder;
    const std::string file = folder / "t.db";
    CHECK(plain({"--db", file, "db", "import", "-"}, hostile_bundle().dump()).code == 0);
    const Ended queried = plain({"--db", file, "query"});
    CHECK(queried.code == 0);
    CHECK(queried.out.find("GPU " + shown) != std::string::npos);
    reading_commands_are_plain(file, 0);
}

TEST_CASE("a database into which hostile names were written is read, and every command stays plain") {
    const Folder folder;
    const std::string file = folder / "t.db";
    REQUIRE(plain({"--db", file, "db", "import", "-"}, hostile_bundle().dump()).code == 0);
    std::string text;
    for (const char c : no_utf8) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    const std::string value = fmt::format("CAST(x'{}' AS TEXT)", text);
    damage(file, fmt::format("UPDATE device SET name = 'GPU ' || {} || id", value));
    damage(file, fmt::format("UPDATE driver SET name = {0}, info = {0}, version = {0}", value));
    damage(file,
           fmt::format("UPDATE observation SET route = {0}, reason = {0}, time = {0}, tool_version = {0}", value));
    reading_commands_are_plain(file, 1);
}

TEST_CASE("what is refused is named in one plain line") {
    const Folder folder;
    const std::string file = folder / "t.db";
    nlohmann::json wrong = hostile_bundle();
    for (const char* member : {"time", "result", "provenance", "image_type"}) {
        wrong["observations"][0][member] = hostile;
        CHECK(plain({"--db", file, "db", "import", "-"}, wrong.dump()).code == 1);
    }
    wrong = hostile_bundle();
    wrong["devices"][0]["type"] = hostile;
    CHECK(plain({"--db", file, "db", "import", "-"}, wrong.dump()).code == 1);
    wrong = hostile_bundle();
    wrong["start_orders"][0]["statistics"][hostile] = hostile;
    CHECK(plain({"--db", file, "db", "import", "-"}, wrong.dump()).code == 1);
    CHECK(plain({"--db", file, "db", "import", "-"}, "{\"" + hostile + "\": 1}").code == 1);
    CHECK(plain({"--db", file, "db", "import", "-"}, no_utf8).code == 1);
    CHECK(plain({"--db", file, "db", "import", folder / no_utf8}).code == 1);
    CHECK(plain({"solve", "-"}, "x,y,byte_offset\n0,0," + no_utf8 + "\n").code == 1);
    CHECK(plain({no_utf8}).code == 2);
    CHECK(plain({"query", "--device", no_utf8, "--db", folder / "none.db"}).code == 1);
}

TEST_CASE("what a driver calls its device, and its last words, are plain in devices, probe and tune") {
    if (!program_is_of_this_system()) return;
    const Folder folder;
    const std::string file = folder / "t.db";
    for (const Command& command : {Command{"--db", file, "devices"}, {"--db", file, "--json", "devices"}})
        CHECK(plain_on_hostile_driver("record", command).code == 0);
    CHECK(plain_on_hostile_driver("record", {"--db", file, "devices"}).out.find(shown) != std::string::npos);
    const Command probe = {"--db",     file,        "--quiet", "probe",   "--no-lanes", "--formats",
                           "R8_UNORM", "--extents", "16x16",   "--route", "alias-map"};
    const Ended crashed = plain_on_hostile_driver("abort vkAllocateMemory 2 1", probe);
    CHECK(crashed.code == 1);
    CHECK(crashed.out.find("SIGABRT: dies: fault<U+007F>") != std::string::npos);
    CHECK(plain_on_hostile_driver("record", probe).out.find(shown) != std::string::npos);
    const Ended unknown = plain_on_hostile_driver("record", {"--db", file, "tune", "--extent", "64x64"});
    CHECK(unknown.code == 1);
    CHECK(unknown.err.find(shown) != std::string::npos);
}

TEST_CASE("a device whose limits are any bytes is listed, and said not to be probed where it offers nothing") {
    if (!program_is_of_this_system()) return;
    const Folder folder;
    for (const std::string byte : {"255", "0", "127"}) {
        CAPTURE(byte);
        setenv("TILEWISE_FAULT_LIMITS", byte.c_str(), 1);
        const Ended listed = plain_on_hostile_driver("record", {"--db", folder / "t.db", "--json", "devices"});
        CAPTURE(listed.err);
        REQUIRE(listed.code == 0);
        const auto device = nlohmann::json::parse(listed.out).at("devices").at(0);
        CHECK(device.at("timestamp_period_ns").is_number());
        CHECK(device.at("max_dimension_2d").get<uint64_t>() <= 1 << 24);
        const bool believed = byte != "0";
        CHECK((device.at("routes").at(0).at("reason").get<std::string>().find("less than Vulkan requires") ==
               std::string::npos) == believed);
        const Ended probed = plain_on_hostile_driver(
            "record",
            {"--db", folder / "t.db", "--quiet", "probe", "--no-lanes", "--formats", "R8_UNORM", "--extents", "16x16"});
        CHECK(probed.err.find("json") == std::string::npos);
    }
    unsetenv("TILEWISE_FAULT_LIMITS");
}

TEST_CASE("identify is plain about patterns of devices with hostile names") {
    const Folder folder;
    const std::string file = folder / "t.db";
    REQUIRE(plain({"--db", file, "db", "import", "-"}, hostile_bundle().dump()).code == 0);
    write_text(folder / "dump", std::string(1 << 19, 'a'));
    const Command identify = {"--db",    file,       "identify",       folder / "dump", "--extent",
                              "300x200", "--format", "R8G8B8A8_UNORM", "--top",         "1000"};
    CHECK(plain(identify).out.find(shown) != std::string::npos);
    Command as_json = identify;
    as_json.insert(as_json.begin(), "--json");
    plain(as_json);
}

TEST_CASE("a line of progress is plain between the two commands that rewrite it") {
    const Folder folder;
    const std::string filter = folder / "x\x1b]0;owned\x07\x1b[2J\u202e.glsl";
    write_text(filter,
               "struct State { vec4 sum; };\n"
               "State filter_center(vec4 texel) { return State(texel); }\n"
               "void filter_iteration(inout State state, vec4 texel, int offset) { state.sum += texel; }\n"
               "vec4 filter_result(State state) { return state.sum; }\n");
    std::string command = "TILEWISE_PROGRESS=now ";
    for (const std::string& part :
         tilewise_on("system", {"--db", folder / "t.db", "validate", "--filter", filter, "--format", "R8G8B8A8_UNORM",
                                "--radius", "1", "--extent", "20x9", "--time", "0", "--order", "row"}))
        command += "'" + part + "' ";
    std::string seen = run({"script", "-qec", command, "/dev/null"}).out;
    CAPTURE(seen);
    CHECK(seen.find("\r\x1b[K") != std::string::npos);  // a terminal, and so progress
    for (const std::string rewriting : {"\r\x1b[K", "\r"})
        for (size_t at; (at = seen.find(rewriting)) != seen.npos;) seen.erase(at, rewriting.size());
    CHECK(is_plain(seen));
    CHECK(seen.find(" cells, ") != std::string::npos);
    CHECK(seen.find(shown) != std::string::npos);
}

TEST_CASE("a moment has digits only between its point and its Z") {
    const Folder folder;
    nlohmann::json wrong = hostile_bundle();
    wrong["observations"][0]["time"] = "2026-11-22T00:00:00.\u202eZ";
    CHECK(plain({"--db", folder / "t.db", "db", "import", "-"}, wrong.dump()).code == 1);
}

TEST_CASE("a pipe that never ends is refused with the limit that it exceeds") {
    const Folder folder;
    const std::string pipe = folder / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const Running endless = start({"sh", "-c", "cat /dev/zero >" + pipe});
    CHECK_THROWS_WITH(read_whole_file(pipe, 1 << 20),
                      (pipe + " has more than 1048576 bytes: too many for such a file").c_str());
    CHECK(wait_for(endless).code != 0);
    if (!soaking()) return;  // a gigabyte each
    for (const char* command : {"solve -", "db import -"}) {
        const Ended ended =
            run({"sh", "-c", "cat /dev/zero | " + program_path() + " --db " + (folder / "t.db") + " " + command});
        CHECK(ended.code == 1);
        CHECK(ended.err == "tilewise: standard input has more than 1073741824 bytes: too many for such a file\n");
    }
}

TEST_CASE("files that never end, and folders, are refused by name") {
    const Folder folder;
    for (const Command& command :
         {Command{"solve", "/dev/zero"},
          {"--db", folder / "t.db", "db", "import", "/dev/zero"},
          {"detile", "/dev/zero", "-", "--pattern", "linear", "--extent", "4x4", "--format", "R8_UNORM"},
          {"validate", "--filter", "/dev/zero"}}) {
        const Ended ended = plain(command);
        CHECK(ended.code == 1);
        CHECK(ended.err.find("/dev/zero") != std::string::npos);
    }
    for (const Command& command : {Command{"solve", folder.path}, {"validate", "--filter", folder.path}}) {
        const Ended ended = plain(command);
        CHECK(ended.code == 1);
        CHECK(ended.err.find(folder.path.string()) != std::string::npos);
    }
    write_text(folder / "large.glsl", std::string((1 << 20) + 1, ' '));
    CHECK(plain({"validate", "--filter", folder / "large.glsl"}).err.find("large.glsl has more than 1048576 bytes") !=
          std::string::npos);
}
