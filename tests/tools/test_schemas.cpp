// Whatever a command prints with --json is what its schema in docs/schemas says, as another program's validator judges.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <sstream>

using namespace tilewise;

namespace {

bool has_validator() {
    if (run({"/usr/bin/python3", "-c", "from jsonschema import Draft202012Validator"}).code == 0) return true;
    MESSAGE("SKIPPED: no JSON Schema validator (Debian: python3-jsonschema, 4.0 or newer)");
    return false;
}

/// What commands printed, each with the name of its schema.
class PrintedDocuments {
public:
    const Folder folder;

    /// `driver` as in tilewise_on(); "" for what asks no device. `code`: how it must end.
    void add(const std::string& schema, const Command& arguments, const std::string& driver = "", int code = 0) {
        const Command command = Command{"--db", folder / "lab.db", "--quiet", "--json"} + arguments;
        const Ended ended = run(driver.empty() ? tilewise::tilewise(command) : tilewise_on(driver, command));
        if (!driver.empty() && ended.code == 77) return;  // no such driver here
        CAPTURE(schema);
        CAPTURE(ended.err);
        CHECK(ended.code == code);
        keep(schema, ended.out);
    }

    void keep(const std::string& schema, const std::string& json) {
        const std::string file = folder / (std::to_string(count_++) + ".json");
        write_text(file, json);
        list_ += schema + " " + file + "\n";
        schemas_.insert(schema);
    }

    /// What the validator complains of.
    std::string complaints(const std::string& schemas, const Command& options = {}) const {
        const Ended ended =
            run(Command{"/usr/bin/python3", source_dir() + "/tests/tools/json_schema.py", schemas} + options, list_);
        return ended.out + ended.err;
    }

    const std::set<std::string>& schemas() const { return schemas_; }

private:
    size_t count_ = 0;
    std::string list_;
    std::set<std::string> schemas_;
};

const std::string schemas = source_dir() + "/docs/schemas";

/// A picture that is no noise, 200x150 of RGBA8.
std::string picture() {
    std::string bytes;
    for (unsigned y = 0; y < 150; y++)
        for (unsigned x = 0; x < 200; x++)
            for (unsigned value : {x * y / 117, x, y, 255U}) bytes += static_cast<char>(value);
    return bytes;
}

void ask_devices(PrintedDocuments& printed) {
    const std::string here = "system";
    printed.add("devices", {"devices"}, here);
    printed.add("devices", {"devices", "--measure"}, here);
    const Command small = {"probe",     "--formats", "R8G8B8A8_UNORM,D24_UNORM_S8_UINT",
                           "--extents", "16x16",     "--no-lanes"};
    printed.add("probe", small + Command{"--levels", "2", "--layers", "2"}, here);
    printed.add("probe", {"probe", "--formats", "R8G8B8A8_UNORM", "--extents", "16x16", "--samples", "4", "--no-lanes"},
                here);
    printed.add("probe", small + Command{"--dry-run"}, here);
    Command learn = {"probe", "--learn", "--formats", "R8G8B8A8_UNORM"};
    if (!soaking()) learn.insert(learn.end(), {"--image-type", "2D"});
    printed.add("probe", learn, "nvk:0x172");
    printed.add("probe", {"probe", "--modifiers", "--formats", "R8G8B8A8_UNORM"}, "nvk:0x172");
    printed.add("layout", {"layout", "--verify", "3", "--format", "R8G8B8A8_UNORM"}, "nvk:0x172");
    const Command blur = {"--kernel", "box",      "--format", "R8G8B8A8_UNORM", "--extent",
                          "32x32",    "--radius", "1",        "--time",         "0.2"};
    printed.add("validate", Command{"validate"} + blur, here);
    printed.add("validate", Command{"validate", "--device", "all"} + blur, here);
    printed.add(
        "measure",
        {"measure", "--kernel", "box", "--format", "R8G8B8A8_UNORM", "--radius", "1", "--extent", "32x32,64x64"}, here);
    printed.add("share", {"share", "--output", printed.folder / "share.txt"}, here);
    printed.add("tune", Command{"tune", "--candidates", "3"} + blur, here);
    printed.add(
        "try",
        {"try", source_dir() + "/tests/shaders/gather.comp", "--size", "40x30", "--candidates", "3", "--time", "0"},
        here);
    // The shader's hash, as that document says it.
    const std::string hash = parse(run(tilewise_on(here, {"--db", printed.folder / "lab.db", "--json", "--quiet", "try",
                                                          source_dir() + "/tests/shaders/gather.comp", "--size",
                                                          "40x30", "--candidates", "2", "--time", "0"})))
                                 .at("hash");
    printed.add("advise", {"advise", "--shader", hash});
    // A newer one, which has sparse images.
    const Command sparse = {"--flags", "sparse-binding,sparse-residency", "--levels", "7"};
    printed.add("probe", Command{"probe", "--formats", "R8G8B8A8_UNORM", "--extents", "64x64", "--no-lanes"} + sparse,
                "lavapipe");
    printed.add("layout",
                Command{"layout", "--device", "llvmpipe", "--format", "R8G8B8A8_UNORM", "--extent", "64x64"} + sparse,
                "lavapipe");
}

void ask_the_catalog(PrintedDocuments& printed) {
    printed.add("query", {"query", "--gpu", "RTX 4090", "--format", "RGBA8"});
    printed.add("show", {"show", "--gpu", "H100", "--format", "RGBA8", "--extent", "256x256"});
    printed.add("show", {"show", "--rule", "--gpu", "RX 6800 XT"});
    const Command image = {"layout", "--gpu", "navi21", "--format", "RGBA8", "--extent", "300x200"};
    printed.add("layout", image + Command{"--levels", "9", "--layers", "2"});
    printed.add("layout", image + Command{"--at", "77,49"});
    const Command tile4 = {"--modifier", "INTEL_4_TILED", "--format", "RGBA8"};
    printed.add("layout", Command{"layout", "--extent", "300x200"} + tile4);
    printed.add("query", Command{"query"} + tile4);
    printed.add("show", Command{"show"} + tile4);
    printed.add("show", {"show", "--modifier", "ARM_AFBC(BLOCK_SIZE=16x16,YTR)"});
    printed.add("layout",
                {"layout", "--equation", "x0 y0 x1^y1 y1", "--element-bytes", "2", "--extent", "31x17", "--at", "3,3"});
    printed.add("advise", {"advise", "--gpu", "H100", "--format", "RGBA32F", "--radius", "8", "--code", "glsl"});
    printed.add("advise", {"advise", "--gpu", "RX 6800 XT", "--format", "RGBA8", "--radius", "4"});
    printed.add("advise", {"advise", "--gpu", "Adreno 740", "--kernel", "average", "--format", "RGBA8"});
    printed.add("advise", {"advise", "--gpu", "Adreno 740", "--kernel", "average", "--format", "RGBA8", "--extent",
                           "640x360", "--code", "wgsl"});
    printed.add("snippet", {"snippet", "--gpu", "RTX 2080", "--format", "RGBA8", "--lang", "msl", "--kind", "kernel",
                            "--kernel", "gaussian", "--radius", "3"});
    printed.add("snippet", {"snippet", "--gpu", "RTX 2080", "--format", "RGBA8", "--lang", "hlsl", "--explain"});
    printed.add("snippet", {"snippet", "--gpu", "RTX 2080", "--format", "RGBA8", "--lang", "glsl", "--kind", "kernel"});
    printed.add("report", {"report", "--gpu", "TU104", "--gpu", "AD102"});
    printed.add("gpus", {"gpus"});
    printed.add("gpus", {"gpus", "Xbox Series X"});
    printed.add("formats", {"formats"});
    printed.add("formats", {"formats", "--gpu", "Xbox Series X"});
    printed.add("modes", {"modes"});
    printed.add("modes", {"modes", "--gpu", "TU104"});
    printed.keep("error", run(tilewise::tilewise({"--json", "advise", "--gpu", "H100"})).err);
    printed.add("db-diff", {"db", "diff", "--gpu", "TU104", "--gpu", "AD102", "--format", "R8G8B8A8_UNORM"});
    printed.add("db-diff", {"db", "diff", "--gpu", "navi21", "--gpu", "navi31"});
}

void convert_and_identify(PrintedDocuments& printed) {
    const Folder& folder = printed.folder;
    const std::string rows = folder / "rows", tiled = folder / "tiled";
    write_text(rows, picture());
    const Command of = {"--gpu", "H200", "--format", "RGBA8", "--extent", "200x150"};
    printed.add("tile", Command{"tile", rows, tiled} + of);
    printed.add("detile", Command{"detile", tiled, folder / "again"} + of);
    printed.add("identify", {"identify", tiled, "--format", "RGBA8", "--extent", "200x150"});
    write_text(tiled, std::string(picture().size(), 'a'));
    printed.add("identify", {"identify", tiled, "--format", "RGBA8", "--extent", "200x150"}, "", 1);

    const std::string good = folder / "good.csv", bad = folder / "bad.csv";
    write_text(good, "x,y,byte_offset\n0,0,0\n1,0,4\n0,1,8\n1,1,12\n");
    write_text(bad, "x,y,byte_offset\n0,0,0\n1,0,4\n0,1,8\n1,1,8\n");
    printed.add("solve", {"solve", good});
    printed.add("solve", {"solve", bad}, "", 1);
}

/// The names of all members, those of members among them.
std::string form_of(const nlohmann::json& value) {
    std::string form;
    if (value.is_object())
        for (const auto& [name, member] : value.items()) form += name + "(" + form_of(member) + ")";
    if (value.is_array() && !value.empty()) form = form_of(value.front());
    return form;
}

/// A whole bundle takes the validator minutes: of each list one fact of each form.
std::string one_of_each_form(nlohmann::json bundle) {
    for (nlohmann::json& list : bundle) {
        if (!list.is_array()) continue;
        std::set<std::string> seen;
        nlohmann::json kept = nlohmann::json::array();
        for (const nlohmann::json& fact : list)
            if (seen.insert(form_of(fact)).second) kept.push_back(fact);
        list = std::move(kept);
    }
    return bundle.dump();
}

void ask_the_database(PrintedDocuments& printed) {
    printed.add("db-import", {"db", "import", source_dir() + "/tests/data/bundle_version_1.json"});
    printed.add("db-merge", {"db", "merge", source_dir() + "/docs/results/nvidia-h100/validate-1.json"});
    // What two machines say of one image, and of one workgroup, that cannot both be so.
    const std::string file = printed.folder / "lab.db", other = printed.folder / "other.json";
    nlohmann::json bundle = parse(run(tilewise::tilewise({"--db", file, "db", "export", "-"})));
    const auto turn = [](nlohmann::json& facts, const auto& change) {
        for (nlohmann::json& fact : facts)
            if (change(fact)) return true;
        return false;
    };
    const bool turned = turn(bundle.at("lane_orders"), [](nlohmann::json& lanes) {
        if (!lanes.at("matrix").is_array() || lanes["matrix"].size() < 2) return false;
        std::swap(lanes["matrix"][0], lanes["matrix"][1]);
        return true;
    });
    CHECK(turned);
    write_text(other, bundle.dump());
    printed.add("db-import", {"db", "import", other});
    printed.add("db-init", {"db", "init"});
    printed.add("db-check", {"db", "check"});
    printed.add("db-stats", {"db", "stats"});
    printed.keep("db-export", one_of_each_form(bundle));
    printed.add("db-export", {"db", "export", "--own", printed.folder / "own.json"});
}

/// The commands below `command` that its help lists.
std::vector<std::string> subcommands(const Command& command) {
    std::istringstream help(run(tilewise::tilewise(command + Command{"--help"})).out);
    std::vector<std::string> names;
    bool listed = false;
    for (std::string line; std::getline(help, line); listed = listed || line == "Subcommands:")
        if (listed && line.starts_with("  ") && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
    return names;
}

}  // namespace

TEST_CASE("what every command prints with --json is what its schema says, and the schema knows every member of it") {
    if (!has_validator()) return;
    PrintedDocuments printed;
    ask_devices(printed);  // makes the database
    ask_the_catalog(printed);
    convert_and_identify(printed);
    ask_the_database(printed);
    CHECK(printed.complaints(schemas) == "\n");
    CHECK(printed.complaints(schemas, {"--strangers"}) == "\n");

    std::set<std::string> commands;
    for (const std::string& command : subcommands({}))
        if (command != "db" && command != "help" && command != "man" && command != "completion")
            commands.insert(command);  // these are no results
    for (const std::string& command : subcommands({"db"})) commands.insert("db-" + command);
    commands.insert("error");  // of all of them
    CHECK(printed.schemas() == commands);

    SUBCASE("a schema that lacks a member, or asks for one more, finds the fault") {
        const Folder broken;
        std::filesystem::copy(schemas, broken.path);
        for (const auto& [from, to] :
             {std::pair{R"("byte_offset": {)", R"("byte_offsets": {)"},
              std::pair{R"("required": ["language",)", R"("required": ["tongue", "language",)"}})
            for (const std::string file : {"layout.json", "snippet.json"}) {
                std::string text = read_text(broken / file);
                if (const size_t at = text.find(from); at != std::string::npos)
                    write_text(broken / file, text.replace(at, std::string(from).size(), to));
            }
        const std::string complaints = printed.complaints(broken.path.string());
        CHECK(complaints.find("layout.json") != std::string::npos);
        CHECK(complaints.find("byte_offset") != std::string::npos);
        CHECK(complaints.find("'tongue' is a required property") != std::string::npos);
    }
}
