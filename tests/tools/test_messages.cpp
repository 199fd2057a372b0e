// No text of a library reaches a user: commands, hostile files and options are drawn, and all that is printed is
// searched for the words of those that this program is made with.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/raw_database.h"
#include "tests/support/soak.h"
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <random>
#include <regex>

using namespace tilewise;
using nlohmann::json;

namespace {

/// nlohmann's JSON, SQLite, the standard library, {fmt}, CLI11, as they name their parts and word their errors.
const std::vector<std::string> words_of_libraries = {"json.exception",
                                                     "nlohmann",
                                                     "parse error at",
                                                     "syntax error while",
                                                     "invalid literal",
                                                     "type must be",
                                                     "cannot use operator[]",
                                                     "cannot use at()",
                                                     "last read:",
                                                     "no such table",
                                                     "no such column",
                                                     "SQL logic error",
                                                     "constraint failed",
                                                     "disk image is malformed",
                                                     "file is not a database",
                                                     "unrecognized token",
                                                     "datatype mismatch",
                                                     "API misuse",
                                                     "sqlite3_",
                                                     "std::",
                                                     "basic_string",
                                                     "vector::_M",
                                                     "_M_range_check",
                                                     "map::at",
                                                     "stoi",
                                                     "stoul",
                                                     "bad_alloc",
                                                     "bad_function_call",
                                                     "bad optional access",
                                                     "bad_variant",
                                                     "wrong index for variant",
                                                     "filesystem error",
                                                     "terminate called",
                                                     "what():",
                                                     "argument not found",
                                                     "invalid format",
                                                     "format specifier",
                                                     "CLI::",
                                                     "ConversionError",
                                                     "ValidationError",
                                                     "RequiredError",
                                                     "ExtrasError",
                                                     "ArgumentMismatch",
                                                     "OptionNotFound",
                                                     "runtime_error",
                                                     "unexpected error: please report it"};

class Draw {
public:
    explicit Draw(uint32_t seed) : random_(seed) {}
    size_t below(size_t end) { return random_() % end; }
    template <typename T>
    const T& one_of(const std::vector<T>& all) {
        return all[below(all.size())];
    }

private:
    std::mt19937 random_;
};

const std::vector<json>& odd_values() {
    static const std::vector<json> values = {nullptr,
                                             true,
                                             -1,
                                             0,
                                             1.5,
                                             1e300,
                                             uint64_t{1} << 63,
                                             4294967295U,
                                             "",
                                             "x",
                                             "1e999",
                                             json::array(),
                                             json::object(),
                                             json::array({json::array({1})}),
                                             json::object({{"layout", 5}})};
    return values;
}

/// One of the members, somewhere, is another value, or missing.
std::string changed(json document, Draw& draw) {
    json* at = &document;
    for (;;) {
        if ((!at->is_object() && !at->is_array()) || at->empty()) break;
        auto member = at->begin();
        std::advance(member, static_cast<ptrdiff_t>(draw.below(at->size())));
        const size_t what = draw.below(8);
        if (what == 0) {
            at->erase(member);
            return document.dump();
        }
        at = &*member;
        if (what < 3) break;
    }
    *at = draw.one_of(odd_values());
    return document.dump();
}

struct Material {
    json bundle, layout, image, scene;
    std::string database, texture, shader;
};

/// Files that a stranger may send for one of the good ones.
std::string hostile_bytes(const Material& of, Draw& draw) {
    switch (draw.below(14)) {
        case 0:
            return "";
        case 1: {
            std::string noise(1 + draw.below(300), '\0');
            for (char& c : noise) c = static_cast<char>(draw.below(256));
            return noise;
        }
        case 2:
            return draw.one_of(std::vector<std::string>{"{", "[1,2", "{\"a\":nul}", "[1e999]", "\"\xff\xfe\"", "[] []",
                                                        "x,y,byte_offset\n0,0,one\n", "0,0\n", "null", "5",
                                                        std::string(100'000, '[')});
        case 3:
            return of.database.substr(0, draw.below(of.database.size()));
        case 4: {
            std::string damaged = of.database;
            for (int i = 0; i < 40; i++) damaged[draw.below(damaged.size())] = static_cast<char>(draw.below(256));
            return damaged;
        }
        case 5:
            return of.texture.substr(0, draw.below(of.texture.size()));
        case 6: {
            std::string damaged = of.texture;
            damaged[draw.below(200)] = static_cast<char>(draw.below(256));
            return damaged;
        }
        case 7:
            return of.shader.substr(0, draw.below(of.shader.size()));
        case 8:
        case 9:
            return changed(of.layout, draw);
        case 10:
            return changed(of.image, draw);
        case 11:
            return changed(of.scene, draw);
        default:
            return changed(of.bundle, draw);
    }
}

/// The options of a command that take a value, as its help lists them.
std::vector<std::string> options_of(const std::string& command) {
    static std::map<std::string, std::vector<std::string>> known;
    std::vector<std::string>& options = known[command];
    if (!options.empty()) return options;
    const std::string help = run(tilewise::tilewise({"help", command})).out;
    const std::regex option(R"((--[a-z0-9-]+) [A-Z]+)");
    for (std::sregex_iterator match(help.begin(), help.end(), option), end; match != end; ++match)
        options.push_back((*match)[1]);
    options.emplace_back("--json");
    return options;
}

const std::vector<std::string> odd_arguments = {"",
                                                "abc",
                                                "-1",
                                                "1e99",
                                                "99999999999999999999999",
                                                "0x",
                                                "{}",
                                                "x0 x0",
                                                "\xff",
                                                "R8_UNORM",
                                                "64x64",
                                                "0x0",
                                                "16777216x16777216",
                                                "4294967295",
                                                "1",
                                                "%n{}{0}",
                                                "/dev/null",
                                                "/nowhere/at/all",
                                                "a=b=c",
                                                "'; DROP TABLE device; --"};

const std::vector<Command> commands_with_a_file = {
    {"solve", "FILE"},
    {"--db", "FILE", "query"},
    {"--db", "FILE", "db", "check"},
    {"--db", "FILE", "db", "stats"},
    {"--db", "FILE", "db", "export", "-"},
    {"--db", "FILE", "gpus"},
    {"--db", "FILE", "formats"},
    {"--db", "FILE", "modes"},
    {"--db", "FILE", "show", "--format", "RGBA8", "--gpu", "H100"},
    {"--db", "FILE", "advise", "--gpu", "H100", "--kernel", "box", "--format", "RGBA8"},
    {"--db", "FILE", "report", "--gpu", "H100", "--output", "-"},
    {"--db", "NEW", "db", "import", "FILE"},
    {"--db", "NEW", "db", "diff", "FILE", "FILE"},
    {"--db", "NEW", "db", "merge", "FILE"},
    {"tile", "FILE", "OUT", "--pattern", "linear", "--format", "RGBA8", "--extent", "8x8"},
    {"tile", "FILE.ktx2", "OUT", "--pattern", "linear"},
    {"tile", "FILE.dds", "OUT", "--pattern", "linear"},
    {"detile", "GOOD", "OUT", "--layout", "FILE"},
    {"detile", "GOOD", "OUT", "--layout", "FILE", "--format", "RGBA8", "--extent", "8x8"},
    {"layout", "--layout", "FILE"},
    {"snippet", "--layout", "FILE", "--kind", "address", "--lang", "glsl", "--extent", "8x8", "--format", "RGBA8"},
    {"identify", "FILE", "--format", "RGBA8", "--extent", "8x8"},
    {"probe", "--known", "FILE", "--dry-run"},
    {"try", "FILE", "--size", "8x8", "--time", "0"},
    {"try", "FILE.spv", "--size", "8x8", "--time", "0"},
    {"try", "FILE.hlsl", "--size", "8x8", "--time", "0"},
    {"try", "--scene", "FILE", "--time", "0"},
    {"try", "GATHER", "--size", "8x8", "--time", "0", "--candidates", "1", "--image", "source=FILE"},
    {"try", "GATHER", "--size", "8x8", "--time", "0", "--candidates", "1", "--image", "source=FILE.png"},
    {"advise", "--gpu", "H100", "--format", "RGBA8", "--filter", "FILE", "--code", "glsl", "--radius", "1"},
    {"layout", "--gpu", "H100", "--format", "RGBA8", "--extent", "64x64"},
    {"snippet", "--gpu", "H100", "--format", "RGBA8", "--lang", "glsl", "--kind", "remap"},
    {"advise", "--gpu", "H100", "--format", "RGBA8", "--kernel", "box"},
    {"show", "--gpu", "H100", "--format", "RGBA8", "--extent", "64x64"},
    {"query", "--gpu", "H100"},
};

void no_words_of_libraries(const Ended& ended, const std::string& line) {
    for (const std::string& words : words_of_libraries) {
        // What is printed well may be C++, or name its types.
        const bool in_error = ended.err.find(words) != std::string::npos;
        const bool in_answer = ended.code != 0 && ended.out.find(words) != std::string::npos;
        if (!in_error && !in_answer) continue;
        FAIL_CHECK(line << " prints \"" << words << "\": " << ended.err << (in_answer ? ended.out : ""));
    }
    CHECK_MESSAGE(ended.code < 124, line << " ended with " << ended.code << ": " << ended.err);
}

Material material(const Folder& folder) {
    Material made;
    made.bundle = json::parse(read_text(source_dir() + "/db/catalog/nvidia-h100.json"));
    // A few of its facts: one that is changed is then soon one that is read.
    for (auto& [name, list] : made.bundle.items())
        if (list.is_array() && list.size() > 3 && name != "patterns") list.erase(list.begin() + 3, list.end());
    made.layout = made.bundle["patterns"][0]["layout"];
    made.image = json::parse(read_text(source_dir() + "/tests/data/images/radv-navi21.json"));
    made.scene = json::parse(
        run(tilewise::tilewise({"try", source_dir() + "/tests/shaders/gather.comp", "--size", "8x8", "--print-scene"}))
            .out);
    made.scene["passes"][0]["shader"] = source_dir() + "/tests/shaders/gather.comp";
    made.database = read_text(source_dir() + "/tests/data/db_schema_17.db");
    write_text(folder / "rows", std::string(8 * 8 * 4, 'x'));
    REQUIRE(run(tilewise::tilewise({"detile", folder / "rows", folder / "a.ktx2", "--pattern", "linear", "--format",
                                    "RGBA8", "--extent", "8x8"}))
                .code == 0);
    made.texture = read_text(folder / "a.ktx2");
    REQUIRE(run({"glslc", source_dir() + "/tests/shaders/gather.comp", "-o", folder / "gather.spv"}).code == 0);
    made.shader = read_text(folder / "gather.spv");
    return made;
}

}  // namespace

TEST_CASE("commands, files and options that are drawn: no text of a library is printed") {
    const Folder folder;
    const Material good = material(folder);
    const uint32_t draws = soaking() ? 5000 : 220;
    for (uint32_t seed = 0; seed < draws; seed++) {
        Draw draw(seed);
        // Each template in its turn.
        Command command = commands_with_a_file[seed % commands_with_a_file.size()];
        const std::string name = *std::ranges::find_if(
            command, [](const std::string& part) { return !part.starts_with('-') && part != "FILE" && part != "NEW"; });
        const std::string bytes = hostile_bytes(good, draw);
        for (std::string& part : command) {
            if (const size_t at = part.find("FILE"); at != std::string::npos) {
                const std::string file = "hostile" + part.substr(at + 4);
                write_text(folder / file, bytes);
                part.replace(at, part.size() - at, folder / file);
            }
            if (part == "NEW") part = folder / "new.db";
            if (part == "OUT") part = folder / "out";
            if (part == "GOOD") part = folder / "rows";
            if (part == "GATHER") part = source_dir() + "/tests/shaders/gather.comp";
        }
        const bool has_file = bytes.size() > 0 && draw.below(3) > 0;
        for (size_t i = has_file ? 0 : 1 + draw.below(2); i > 0; i--) {
            command.push_back(draw.one_of(options_of(name)));
            if (command.back() != "--json") command.push_back(draw.one_of(odd_arguments));
        }
        const bool on_device = name == "try" || name == "probe";
        const std::string line = fmt::format("seed {}: {}", seed, fmt::join(command, " "));
        no_words_of_libraries(run(Command{"env", "TILEWISE_DB=" + folder / "own.db", "timeout", "60"} +
                                  (on_device ? tilewise_on("system", command) : tilewise::tilewise(command))),
                              line);
        for (const char* left : {"new.db", "new.db-wal", "new.db-shm", "hostile-wal", "hostile-shm", "hostile-journal"})
            std::filesystem::remove(folder / left);
    }
}

TEST_CASE("rows of a database that anybody changed: no text of a library is printed") {
    const Folder folder;
    const std::string source = source_dir() + "/tests/data/db_schema_17.db";
    std::filesystem::copy_file(source, folder / "a.db");
    REQUIRE(run(tilewise::tilewise({"--db", folder / "a.db", "db", "check"})).code < 2);
    std::vector<std::pair<std::string, std::string>> columns;
    {
        const db::Connection connection = raw_database(folder / "a.db");
        db::Statement rows(
            connection,
            "SELECT m.name, p.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS p WHERE m.type = "
            "'table' AND m.name NOT LIKE 'sqlite%' ORDER BY 1, 2");
        while (rows.step()) columns.emplace_back(rows.text(0), rows.text(1));
    }
    REQUIRE(columns.size() > 50);
    const std::vector<std::string> values = {
        "''",   "'x'",  "-1",   "0",        "4294967296",  "9e999", "1.5",
        "NULL", "'{}'", "'[]'", "'[[[]]]'", "'{\"a\":1}'", "x'ff'", "9223372036854775807"};
    const std::vector<Command> commands = {{"query"},
                                           {"gpus"},
                                           {"formats"},
                                           {"modes"},
                                           {"db", "check"},
                                           {"db", "stats"},
                                           {"db", "export", "-"},
                                           {"report", "--output", "-"},
                                           {"show", "--format", "RGBA8"},
                                           {"advise", "--gpu", "H100", "--kernel", "box", "--format", "RGBA8"},
                                           {"layout", "--gpu", "H100", "--format", "RGBA8", "--extent", "64x64"}};
    const uint32_t draws = soaking() ? 2000 : 60;
    for (uint32_t seed = 0; seed < draws; seed++) {
        Draw draw(seed + 100'000);
        std::filesystem::copy_file(source, folder / "b.db", std::filesystem::copy_options::overwrite_existing);
        const auto& [table, column] = columns[(seed * 7919) % columns.size()];
        const std::string sql = fmt::format("UPDATE OR IGNORE {} SET {} = {}", table, column, draw.one_of(values));
        try {
            damage(folder / "b.db", "PRAGMA foreign_keys = OFF; " + sql);
        } catch (const std::exception&) {
            continue;  // a value that the column's type does not take
        }
        const Command command = Command{"--db", folder / "b.db"} + draw.one_of(commands);
        no_words_of_libraries(
            run(Command{"env", "TILEWISE_DB=" + folder / "own.db", "timeout", "60"} + tilewise::tilewise(command)),
            fmt::format("seed {}: {}, then {}", seed, sql, fmt::join(command, " ")));
    }
}
