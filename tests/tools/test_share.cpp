// tilewise share, db export --own, and what takes a shared text: on Debian 12's lavapipe, on a driver without hardware, and
// on what cards said.
#include "db/bundle/bundle.h"
#include "db/facts/image_rule.h"
#include "db/query/check.h"
#include "db/sqlite/open.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include "tools/answers/image/rule_difference.h"
#include "tools/cli/files/deflate.h"
#include "tools/cli/files/shared_text.h"
#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <set>
#include <sstream>

using namespace tilewise;
using nlohmann::json;

namespace {

Command asked(const std::string& file, const Command& arguments) {
    return tilewise::tilewise(Command{"--db", file, "--quiet"} + arguments);
}

/// What lavapipe's owner shares: read once for all tests here.
struct SharedLavapipe {
    Folder folder;
    std::string home = folder / "home.db", file = folder / "shared.txt";
    json document;

    SharedLavapipe() {
        const Ended ended = run(
            tilewise_on("system", {"--db", home, "--quiet", "--json", "share", "--output", file, "--seconds", "100"}));
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        document = parse(ended);
    }
    std::string text() const { return document.at("text"); }
    std::string bundle() const { return bundle_in(text(), "shared"); }
};

const SharedLavapipe& lavapipe() {
    static const SharedLavapipe shared;
    return shared;
}

/// Puts a person's text through Python's own base64 and zlib.
std::string decoded_by_python(const std::string& file) {
    const Ended ended =
        run({"/usr/bin/python3", "-c",
             "import base64, sys, zlib\n"
             "lines = open(sys.argv[1]).read().split('\\n')\n"
             "body = lines[lines.index('') + 1:lines.index('-----END TILEWISE SHARE-----')]\n"
             "sys.stdout.write(zlib.decompress(base64.b64decode(''.join(body), validate=True)).decode())",
             file});
    CAPTURE(ended.err);
    CHECK(ended.code == 0);
    return ended.out;
}

/// Whether one of what tells a machine or a person is in the text, in any case, with or without dashes.
std::vector<std::string> betrayals_in(const std::string& text, std::vector<std::string> secrets) {
    const std::string lower = to_lower(text);
    std::erase_if(secrets, [&](const std::string& secret) {
        return secret.size() < 4 || lower.find(to_lower(secret)) == std::string::npos;
    });
    return secrets;
}

struct Refused {
    bool is_refused = false;
    std::string why;
};

/// Imports as `db import` does, into a database that has facts, which must stay as they are.
class Importer {
public:
    Refused refused(const std::string& text) {
        Refused found;
        try {
            const std::string bundle = bundle_in(text, "shared.txt");
            db::import_bundle(database_, bundle, "shared.txt");
        } catch (const Error& error) {
            found = {true, error.what()};
            CHECK(found.why.starts_with("shared.txt: "));
            CHECK(found.why.find('\n') == std::string::npos);
        }
        CHECK(db::export_bundle(database_) == before_);
        return found;
    }

private:
    db::Database database_ = db::open_catalog({});
    std::string before_ = [&] {
        db::import_bundle(database_, read_text(source_dir() + "/tests/data/bundle_version_1.json"), "known");
        return db::export_bundle(database_);
    }();
};

/// The frame around what stands for other bytes than it says.
std::string framed(const std::string& stream, const std::string& bytes, const std::string& hash) {
    return fmt::format(
        "-----BEGIN TILEWISE SHARE-----\nVersion: 1\nBytes: {}\nHash: {}\n\n{}\n-----END TILEWISE SHARE-----\n", bytes,
        hash, base64(stream));
}

}  // namespace

TEST_CASE("share needs a bare machine and the time it is given; its text is what Python's zlib and base64 make of it") {
    const SharedLavapipe& shared = lavapipe();
    CHECK(shared.document.at("seconds") < 120);
    CHECK(shared.document.at("left_out").empty());
    CHECK(read_text(shared.file) == shared.text());
    CHECK(decoded_by_python(shared.file) == shared.bundle());
    for (std::stringstream lines(shared.text()); lines.good();) {
        std::string line;
        std::getline(lines, line);
        CHECK(line.size() <= 76);
    }
    const json bundle = json::parse(shared.bundle());
    REQUIRE(bundle.at("devices").size() == 1);
    REQUIRE(bundle.at("drivers").size() == 1);
    const json& contents = shared.document.at("contents");
    CHECK(contents.at("observations") == bundle.at("observations").size());
    CHECK(contents.at("patterns") == bundle.at("patterns").size());
    CHECK(contents.at("lane_orders") == bundle.at("lane_orders").size());
    CHECK(contents.at("start_orders") == 1);
    // Each kind of image of the promise: common formats, levels, layers, depth, 3D.
    std::set<std::string> formats;
    bool levels = false, layers = false, deep = false, depth = false;
    for (const json& fact : bundle.at("observations")) {
        CHECK(fact.at("result") == "exact");
        formats.insert(fact.at("format"));
        levels = levels || fact.value("level", 0) == 7;
        layers = layers || fact.value("layers", 1) == 2;
        deep = deep || fact.at("extent")[2] > 1;
        depth = depth || fact.value("aspect", "color") == "depth";
    }
    CHECK(formats.size() >= 11);
    CHECK(levels);
    CHECK(layers);
    CHECK(deep);
    CHECK(depth);
}

TEST_CASE("nothing in a shared text tells the machine, its user or a board") {
    const SharedLavapipe& shared = lavapipe();
    const json device = parse(run(tilewise_on("system", {"--json", "devices"}))).at("devices").at(0);
    std::vector<std::string> secrets = {device.at("uuid"), device.at("driver").at("uuid"),
                                        device.at("driver").at("pipeline_uuid"), shared.folder.path.string(),
                                        source_dir()};
    for (const char* name : {"HOME", "USER", "LOGNAME", "HOSTNAME"})
        if (const char* value = std::getenv(name)) secrets.emplace_back(value);
    std::string host = run({"uname", "-n"}).out, user = run({"id", "-un"}).out;
    for (std::string* name : {&host, &user}) {
        name->erase(name->find_last_not_of('\n') + 1);
        secrets.push_back(*name);
    }
    CHECK(secrets.front().size() == 32);
    CHECK(betrayals_in(shared.bundle(), secrets) == std::vector<std::string>());
    // The database that it is from has the UUIDs, so that they could have been there.
    const std::string own = run(asked(shared.home, {"db", "export", "--own", "-"})).out;
    CHECK(betrayals_in(own, {secrets.front()}).size() == 1);
    CHECK(shared.bundle().find("uuid") == std::string::npos);
}

TEST_CASE("who imports a shared text has the answers that its owner has, and importing it again changes nothing") {
    const SharedLavapipe& shared = lavapipe();
    const Folder folder;
    const std::string away = folder / "away.db";
    const json first = parse(run(asked(away, {"--json", "db", "import", shared.file})));
    CHECK(first.at("observations") == shared.document.at("contents").at("observations"));
    CHECK(first.at("devices") == 1);
    CHECK(first.at("lane_orders") == shared.document.at("contents").at("lane_orders"));
    for (const Command& question :
         {Command{"layout", "--gpu", "llvmpipe", "--format", "RGBA8", "--extent", "300x200"},
          Command{"layout", "--gpu", "llvmpipe", "--format", "D32_SFLOAT", "--extent", "1000x700"},
          Command{"layout", "--gpu", "llvmpipe", "--format", "RGBA8", "--extent", "200x150", "--levels", "8"},
          Command{"layout", "--gpu", "llvmpipe", "--format", "RGBA8", "--extent", "64x64x32", "--at", "3,5,7"},
          Command{"snippet", "--gpu", "llvmpipe", "--format", "RGBA16F", "--kind", "texel", "--extent", "300x200"},
          Command{"snippet", "--gpu", "llvmpipe", "--format", "R8_UNORM", "--lang", "cuda", "--kind", "address",
                  "--extent", "1920x1080"},
          Command{"advise", "--gpu", "llvmpipe", "--format", "RGBA8", "--kernel", "box", "--radius", "3"},
          Command{"query", "--gpu", "llvmpipe", "--driver", "22.3"}}) {
        const Ended at_home = run(asked(shared.home, question)), here = run(asked(away, question));
        CAPTURE(question.front());
        CAPTURE(here.err);
        CHECK(at_home.code == 0);
        CHECK(here.code == at_home.code);
        CHECK(here.out == at_home.out);
        CHECK(here.err == at_home.err);
    }
    const std::string before = run(asked(away, {"db", "export", "-"})).out;
    const json again = parse(run(asked(away, {"--json", "db", "import", shared.file})));
    CHECK(again.at("observations") == 0);
    CHECK(again.at("known_observations") == first.at("observations"));
    CHECK(run(asked(away, {"db", "export", "-"})).out == before);
    CHECK(run(asked(away, {"db", "check"})).code == 0);
    // As it comes by mail: quoted, indented, with other line ends, among other words.
    std::string mail = "Hello,\r\nhere it is.\r\n\r\n";
    for (const char c : shared.text()) mail += c == '\n' ? std::string("\r\n> > ") : std::string(1, c);
    mail += "\r\nYours\r\n";
    const Ended by_mail = run(asked(away, {"--json", "db", "import", "-"}), mail);
    CHECK(parse(by_mail).at("known_observations") == first.at("observations"));
    // As PowerShell saves it, and as an editor of Windows does.
    std::string wide = "\xff\xfe", marked = "\xef\xbb\xbf" + shared.text();
    for (const char c : "Gr\xfc\xdf\x65\n" + shared.text()) wide += {c, '\0'};
    for (const std::string& saved : {wide, marked}) {
        const Ended ended = run(asked(away, {"--json", "db", "import", "-"}), saved);
        CHECK(parse(ended).at("known_observations") == first.at("observations"));
    }
}

TEST_CASE("a device that was shared is read once: the second text is the first") {
    const SharedLavapipe& shared = lavapipe();
    const Folder folder;
    const std::string file = folder / "again.txt", home = folder / "home.db";
    std::filesystem::copy_file(shared.home, home);
    const json again =
        parse(run(tilewise_on("system", {"--db", home, "--quiet", "--json", "share", "--output", file})));
    CHECK(again.at("text") == shared.text());
    CHECK(again.at("known") >= shared.document.at("contents").at("observations"));
    // Nor does another probe of the same images add a word.
    REQUIRE(run(tilewise_on("system", {"--db", home, "--quiet", "probe", "--formats", "RGBA8", "--no-lanes"})).code ==
            0);
    const json probed =
        parse(run(tilewise_on("system", {"--db", home, "--quiet", "--json", "share", "--output", file})));
    CHECK(probed.at("text") == shared.text());
}

TEST_CASE("own facts are those that the catalog does not have, and come back as they were") {
    const SharedLavapipe& shared = lavapipe();
    const Folder folder;
    const std::string own = run(asked(shared.home, {"db", "export", "--own", "-"})).out;
    const json bundle = json::parse(own), all = json::parse(run(asked(shared.home, {"db", "export", "-"})).out);
    const json catalog = json::parse(run(asked(folder / "none.db", {"db", "export", "-"})).out);
    REQUIRE(bundle.at("devices").size() == 1);
    CHECK(bundle["devices"][0].at("uuid").get<std::string>().size() == 32);
    for (const char* list : {"observations", "lane_orders", "usage_sizes", "rules", "validations"}) {
        CAPTURE(list);
        const auto count = [&](const json& of) { return of.contains(list) ? of[list].size() : 0; };
        CHECK(count(bundle) + count(catalog) == count(all));
    }
    write_text(folder / "own.json", own);
    REQUIRE(run(asked(folder / "other.db", {"db", "import", folder / "own.json"})).code == 0);
    CHECK(run(asked(folder / "other.db", {"db", "export", "--own", "-"})).out == own);
    // Nothing is one's own where nothing was found.
    const json nothing = json::parse(run(asked(folder / "none.db", {"db", "export", "--own", "-"})).out);
    CHECK(nothing.at("devices").empty());
    CHECK(nothing.at("observations").empty());
}

TEST_CASE("of 200 damaged and hostile texts none is imported, and none in part") {
    const SharedLavapipe& shared = lavapipe();
    const std::string text = shared.text(), bundle_text = shared.bundle();
    Importer importer;
    size_t tried = 0;
    const auto must_refuse = [&](const std::string& hostile) {
        const Refused refused = importer.refused(hostile);
        CHECK_MESSAGE(refused.is_refused, hostile.substr(0, 400));
        tried++;
    };
    std::mt19937 random(43);
    const size_t begin = text.find('\n') + 1, end = text.rfind("-----END");
    SUBCASE("damaged on its way") {
        for (int i = 0; i < 90; i++) {
            std::string damaged = text;
            size_t at = 0;
            do at = begin + random() % (end - begin);
            while (damaged[at] == '\n' || damaged[at] == ' ');
            const char was = damaged[at];
            const std::string_view others = "AZaz09+/=-_#";
            while (damaged[at] == was) damaged[at] = others[random() % others.size()];
            must_refuse(damaged);
        }
        for (int i = 0; i < 30; i++) must_refuse(text.substr(0, text.find("SHARE-----") + 10 + random() % (end - 60)));
        std::vector<std::string> lines;
        for (std::stringstream in(text); in.good();) std::getline(in, lines.emplace_back());
        lines.pop_back();
        for (int i = 0; i < 20; i++) {
            std::vector<std::string> changed = lines;
            const size_t line = 5 + random() % (lines.size() - 7);
            if (i % 3 == 0) changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(line));
            if (i % 3 == 1) changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(line), lines[line]);
            if (i % 3 == 2) std::swap(changed[line], changed[line == 5 ? 6 : 5]);
            std::string joined;
            for (const std::string& each : changed) joined += each + "\n";
            must_refuse(joined);
        }
        must_refuse(text + text);
        must_refuse(text.substr(0, end));
        must_refuse(text.substr(begin));
        CHECK(tried == 143);
    }
    SUBCASE("made to harm") {
        const std::string hash = text.substr(text.find("Hash: ") + 6, 32), stream = zlib_compress(bundle_text);
        const std::string bytes = std::to_string(bundle_text.size());
        CHECK_FALSE(importer.refused("").why.empty());
        // Streams that stand for more, for less, or for something else behind it.
        const std::string bomb = zlib_compress(std::string(size_t{100} << 20, ' '));
        for (const char* said : {"104857600", "1", "99999999999999999999", "-1", "0", "1e3", "18446744073709551615"})
            must_refuse(framed(bomb, said, hash));
        must_refuse(framed(stream, std::to_string(bundle_text.size() - 1), hash));
        must_refuse(framed(stream, std::to_string(bundle_text.size() + 1), hash));
        must_refuse(framed(stream + "x", bytes, hash));
        must_refuse(framed(stream + stream, bytes, hash));
        must_refuse(framed(stream.substr(2), bytes, hash));
        must_refuse(framed("", bytes, hash));
        must_refuse(framed("", "0", hash));
        must_refuse(framed(stream, bytes, std::string(32, '0')));
        must_refuse(std::string(text).replace(text.find("Version: 1"), 10, "Version: 2"));
        // Well framed, and no bundle of ours.
        for (const char* other :
             {"", "{}", "[]", "null", "{\"format\": \"tilewise-bundle\"}", "\xff\xfe", "{\"format\": "})
            must_refuse(shared_text(other));
        must_refuse(shared_text(std::string(5000, '[')));
        must_refuse(shared_text(text));
        const json bundle = json::parse(bundle_text);
        // The same without a change is taken: what follows is refused for its change.
        db::Database honest = db::open_catalog({});
        CHECK(db::import_bundle(honest, bundle_in(shared_text(bundle.dump()), "honest"), "honest").observations ==
              bundle.at("observations").size());
        const auto changed = [&](const auto& change) {
            json copy = bundle;
            change(copy);
            must_refuse(shared_text(copy.dump()));
        };
        // Each member that must be there, missing or of another kind, in the last fact of each list: all before it are
        // read by then.
        for (const auto& [list, members] :
             {std::pair<const char*, std::vector<const char*>>{"devices", {"vendor_id", "device_id", "name"}},
              {"drivers", {"name"}},
              {"patterns", {"id", "layout"}},
              {"observations",
               {"device", "driver", "format", "extent", "route", "result", "elements", "time", "provenance", "pattern",
                "layout"}},
              {"lane_orders", {"device", "driver", "shape", "time"}},
              {"start_orders", {"device", "driver", "grid", "visit", "time", "statistics"}},
              {"usage_sizes", {"device", "driver", "formats", "image_type", "provenance", "time"}}})
            for (const char* member : members) {
                CAPTURE(list);
                CAPTURE(member);
                changed([&](json& copy) { copy[list].back().erase(member); });
                changed([&](json& copy) { copy[list].back()[member] = json::array({json::object()}); });
            }
        // What cannot be: places that elements share, that overflow, that nobody has.
        const auto last = [&](const auto& change) {
            changed([&](json& copy) { change(copy["observations"].back()); });
        };
        last([](json& fact) { fact["layout"]["stride"] = {{"y", 0}}; });
        last([](json& fact) { fact["layout"]["stride"] = {{"y", 9223372036854775807}}; });
        last([](json& fact) { fact["layout"]["base"] = -5; });
        last([](json& fact) { fact["extent"] = {4294967295, 4294967295, 1}; });
        last([](json& fact) { fact["extent"] = {0, 1, 1}; });
        last([](json& fact) { fact["device"] = 1; });
        last([](json& fact) { fact["provenance"] = "hearsay"; });
        last([](json& fact) { fact["result"] = "perfect"; });
        last([](json& fact) { fact["mismatches"] = 1; });
        last([](json& fact) { fact["time"] = "yesterday"; });
        last([](json& fact) { fact["owner"] = "me"; });
        last([](json& fact) { fact["level"] = 9; });
        last([](json& fact) { fact["pattern"] = "0123456789abcdef"; });
        changed([](json& copy) { copy["version"] = 99; });
        changed([](json& copy) { copy["observations"] = json::object(); });
        changed([](json& copy) { copy["more"] = 1; });
        changed([](json& copy) { copy["patterns"].push_back(copy["patterns"][0]); });
        changed([](json& copy) { copy["patterns"].back()["layout"]["equation"][0] = "x9"; });
        CHECK(tried >= 100);
    }
}

TEST_CASE("share without a place for its file prints the text all the same; what cannot be is one line") {
    const SharedLavapipe& shared = lavapipe();
    const Folder folder;
    const std::string home = folder / "home.db";
    std::filesystem::copy_file(shared.home, home);
    const auto share = [&](const Command& options) {
        return run(tilewise_on("system", Command{"--db", home, "--quiet", "share"} + options));
    };
    const Ended nowhere = share({"--output", folder / "no/such/folder.txt"});
    CHECK(nowhere.code == 1);
    CHECK(nowhere.out.find("\nfile       none, ") != std::string::npos);
    CHECK(nowhere.out.ends_with(shared.text()));
    CHECK(nowhere.err.find("folder.txt") != std::string::npos);
    const Ended no_file = share({"--output", "-"});
    CHECK(no_file.err.empty());
    CHECK(no_file.out.ends_with(shared.text()));
    const Ended none = share({"--device", "RTX 4090"});
    CHECK(none.code == 1);
    CHECK(none.err.find("there is no device \"RTX 4090\" here; there are: 0 (llvmpipe") != std::string::npos);
    CHECK(share({"--seconds", "0"}).code == 2);
    // A second is too short for a device that nobody read: what was left out is said.
    const Ended brief =
        run(tilewise_on("system", {"--db", folder / "new.db", "--quiet", "share", "--seconds", "1", "--output", "-"}));
    const bool said = brief.out.find("left out") != std::string::npos || brief.code == 1;
    CHECK(said);
}

TEST_CASE("db import refuses a damaged text in one line, and makes no database for it") {
    const SharedLavapipe& shared = lavapipe();
    const Folder folder;
    std::string damaged = shared.text();
    damaged[damaged.size() / 2] = '!';
    const std::string file = folder / "damaged.txt";
    write_text(file, damaged);
    fails({"--db", folder / "new.db", "db", "import", file}, 1, "copy it again");
    CHECK_FALSE(std::filesystem::exists(folder / "new.db"));
    const std::string known = folder / "known.db";
    REQUIRE(run(asked(known, {"db", "import", shared.file})).code == 0);
    const std::string before = run(asked(known, {"db", "export", "-"})).out;
    fails({"--db", known, "db", "merge", shared.file, file}, 1, "damaged.txt");
    CHECK(run(asked(known, {"db", "export", "-"})).out == before);
}

TEST_CASE("a text that an earlier version printed is read") {
    db::Database database = db::open_catalog({});
    const std::string text = read_text(source_dir() + "/tests/data/shared_version_1.txt");
    CHECK(db::import_bundle(database, bundle_in(text, "shared_version_1.txt"), "bundle").observations == 192);
    CHECK(db::check_database(database).faults.empty());
}

TEST_CASE("a driver without hardware is shared as such, and its text taken into a catalog as such") {
    if (!drivers_are_here()) return;
    const Folder folder;
    const std::string file = folder / "navi21.txt";
    const Ended ended = run(tilewise_on(
        "radv:navi21", {"--db", folder / "t.db", "--quiet", "--json", "share", "--output", file, "--seconds", "100"}));
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const json bundle = json::parse(bundle_in(parse(ended).at("text"), "navi21"));
    REQUIRE(bundle.at("observations").size() > 50);
    for (const json& fact : bundle["observations"]) CHECK(fact.at("provenance") == "driver without hardware");
    // The queue of such a driver does nothing.
    CHECK_FALSE(bundle.contains("start_orders"));
}

namespace {

/// A catalog of its own, with these files of the real one.
struct OwnCatalog {
    Folder folder;
    explicit OwnCatalog(const std::vector<std::string>& files) {
        for (const std::string& file : files)
            std::filesystem::copy_file(source_dir() + "/db/catalog/" + file, folder / file);
    }
    Ended intake(const Command& arguments) const {
        const std::string build = std::filesystem::path(program_path()).parent_path().string();
        return run(Command{"env", "TILEWISE_BUILD=" + build, "TILEWISE_CATALOG=" + folder.path.string(),
                           source_dir() + "/tools/intake"} +
                   arguments);
    }
    std::vector<std::string> taken() const {
        std::vector<std::string> names;
        if (std::filesystem::exists(folder / "shared"))
            for (const auto& entry : std::filesystem::directory_iterator(folder / "shared"))
                names.push_back(entry.path().filename().string());
        return names;
    }
};

/// What a card's owner would share of what the catalog has of the card.
json as_its_owner_shares(const std::string& card) {
    json bundle = json::parse(read_text(source_dir() + "/db/catalog/" + card + ".json"));
    for (json& list : bundle)
        if (list.is_array())
            for (json& fact : list)
                if (fact.contains("time"))
                    fact["time"] = fact["time"].get<std::string>().substr(0, 10) + "T01:02:03.004Z";
    for (const char* list : {"rules", "rule_contents", "validations", "tunings", "figures"}) bundle.erase(list);
    return bundle;
}

}  // namespace

TEST_CASE(
    "what an H100's owner shares agrees with the rules of the H200, becomes a file once, and may teach its rules") {
    const OwnCatalog catalog({"nvidia-h200.json"});
    const json bundle = as_its_owner_shares("nvidia-h100");
    const std::string file = catalog.folder / "h100.txt";
    write_text(file, "In an issue:\n\n```\n" + shared_text(bundle.dump()) + "```\n");
    const Ended checked = catalog.intake({"--check", file});
    CAPTURE(checked.err);
    REQUIRE(checked.code == 0);
    CHECK(catalog.taken().empty());
    // Both cards have the chip GH100.
    CHECK(checked.out.find("NVIDIA H200 (NVIDIA 580.159.04): ") != std::string::npos);
    CHECK(checked.out.find("contradiction") == std::string::npos);
    const Ended taken = catalog.intake({"--learn", file});
    CAPTURE(taken.out);
    REQUIRE(taken.code == 0);
    REQUIRE(catalog.taken() == std::vector<std::string>{"nvidia-h100-80gb-hbm3.json"});
    const std::string path = catalog.folder / "shared/nvidia-h100-80gb-hbm3.json";
    const json kept = json::parse(read_text(path));
    CHECK(kept.at("version") == 7);
    CHECK(kept.at("observations").size() > 300);
    for (const json& fact : kept["observations"]) {
        CHECK(fact.at("provenance") == "shared");
        CHECK(fact.at("time").get<std::string>().ends_with("T00:00:00Z"));
    }
    REQUIRE(kept.contains("rules"));
    for (const json& fact : kept["rules"]) CHECK(fact.at("provenance") == "shared");
    // Each rule that these few images taught predicts what the H100's own, learned from thousands, predict.
    const auto rules_in = [](const std::string& bundle_file) {
        db::Database database = db::open_catalog({});
        db::import_bundle(database, read_text(bundle_file), bundle_file);
        return db::find_facts<db::ImageRuleFact>(database);
    };
    const RuleDifference rules =
        rule_difference(rules_in(path), rules_in(source_dir() + "/db/catalog/nvidia-h100.json"), {});
    CHECK(rules.same + rules.pairs.size() > 5);
    for (const RulePair& pair : rules.pairs) CHECK_MESSAGE(pair.differing == 0, pair.first);
    // A second time, from a database: the file says what it said.
    write_text(file, bundle.dump());
    const Ended again = catalog.intake({"--learn", file});
    CHECK(again.code == 0);
    CHECK(again.out.find("changed: ") == std::string::npos);
    CHECK(json::parse(read_text(path)) == kept);
}

TEST_CASE("what cannot be what a device's owner found is not taken in, and nothing with it") {
    const OwnCatalog catalog({"nvidia-h200.json"});
    const json honest = as_its_owner_shares("nvidia-h200");
    const std::string good = catalog.folder / "good.txt", bad = catalog.folder / "bad.txt";
    write_text(good, shared_text(honest.dump()));
    size_t number = 0;
    const auto refused = [&](const char* because, const auto& change) {
        if (!is_drawn(number++, 2)) return;
        json copy = honest;
        change(copy);
        write_text(bad, shared_text(copy.dump()));
        const Ended ended = catalog.intake({good, bad});
        CAPTURE(because);
        CHECK(ended.code == 1);
        CHECK(ended.err.find("bad.txt: ") != std::string::npos);
        CHECK_MESSAGE(ended.err.find(because) != std::string::npos, ended.err);
        CHECK(catalog.taken().empty());
    };
    const auto first_of = [](json& copy, const auto& is) -> json& {
        for (json& fact : copy["observations"])
            if (is(fact)) return fact;
        FAIL("no such fact");
        return copy;
    };
    const auto is_plain = [](const json& fact) {
        return fact.at("format") == "R8G8B8A8_UNORM" && !fact.contains("levels") && !fact.contains("layers") &&
               !fact.contains("samples");
    };
    refused("provenance", [&](json& copy) { first_of(copy, is_plain)["provenance"] = "documented"; });
    refused("elements of 4 bytes", [&](json& copy) { first_of(copy, is_plain)["format"] = "R8_UNORM"; });
    refused("knows no such format", [&](json& copy) { first_of(copy, is_plain)["format"] = "R9G9B9A9_UNORM"; });
    refused("elements were read", [&](json& copy) { first_of(copy, is_plain)["elements"] = 7; });
    refused("lies behind its 64 bytes", [&](json& copy) {
        json& fact = first_of(copy, is_plain);
        fact["bytes"] = 64;
    });
    refused("several devices", [&](json& copy) {
        copy["devices"].push_back({{"vendor_id", "0x1002"}, {"device_id", "0x73bf"}, {"name", "another"}});
        first_of(copy, is_plain)["device"] = copy["devices"].size() - 1;
    });
    refused("contradict one another", [&](json& copy) {
        json other = first_of(copy, is_plain);
        other["layout"]["base"] = 4096;
        other["time"] = "2026-11-28T01:02:03.005Z";
        copy["observations"].push_back(other);
    });
    refused("its rules contradict", [&](json& copy) {
        // The rules of the card itself, and an image whose rows lie farther apart than they say.
        const json card = json::parse(read_text(source_dir() + "/db/catalog/nvidia-h200.json"));
        for (const char* list : {"rules", "rule_contents"}) copy[list] = card.at(list);
        for (json& rule : copy["rules"]) rule["time"] = "2026-11-28T01:02:03.005Z";
        for (json& fact : copy["observations"])
            if (is_plain(fact) && fact.at("extent") == json::array({1000, 700, 1}))
                fact["layout"]["stride"]["y"] = fact["layout"]["stride"].value("y", uint64_t{0}) * 2 + (1 << 20);
        for (json& fact : copy["observations"]) fact.erase("bytes");
    });
    refused("was read", [&](json& copy) {
        for (json& fact : copy["observations"]) fact["time"] = "2026-11-28T00:00:00Z";
        copy["observations"] = json::array();
        copy["patterns"] = json::array();
        copy["disagreements"] = json::array();
    });
    const Ended usage = catalog.intake({"--teach", good});
    CHECK(usage.code == 2);
    CHECK(catalog.intake({catalog.folder / "nothing.txt"}).code == 1);
}

TEST_CASE("images that lie otherwise than their architecture's are shown, not refused: drivers differ") {
    const OwnCatalog catalog({"nvidia-h200.json"});
    json bundle = as_its_owner_shares("nvidia-h100");
    json fact = bundle["observations"][0];
    for (const json& one : bundle["observations"])
        if (one.at("format") == "R8G8B8A8_UNORM" && one.at("extent") == json::array({1000, 700, 1}) &&
            !one.contains("levels"))
            fact = one;
    bundle["observations"] = json::array({fact});
    std::erase_if(bundle["patterns"].get_ref<json::array_t&>(),
                  [&](const json& pattern) { return pattern.at("id") != fact.at("pattern"); });
    for (const char* list : {"lane_orders", "start_orders", "usage_sizes", "usage_sizes_contents"}) bundle.erase(list);
    bundle["disagreements"] = json::array();
    // The same pattern, with rows of tiles farther apart.
    json& stride = bundle["observations"][0]["layout"]["stride"];
    stride["y"] = stride.value("y", uint64_t{0}) * 2;
    bundle["observations"][0].erase("bytes");
    const std::string file = catalog.folder / "other.txt";
    write_text(file, shared_text(bundle.dump()));
    const Ended ended = catalog.intake({file});
    CAPTURE(ended.err);
    CAPTURE(ended.out);
    CHECK(ended.code == 0);
    CHECK(ended.out.find(
              "NVIDIA H200 (NVIDIA 580.159.04): 0 of 1 images lie as its rules say; R8G8B8A8_UNORM 1000x700: ") !=
          std::string::npos);
    // A second owner of the same card says that it lies elsewhere.
    write_text(file, shared_text(as_its_owner_shares("nvidia-h100").dump()));
    const Ended second = catalog.intake({file});
    CHECK(second.code == 0);
    CHECK(second.out.find("0 of 1 images") == std::string::npos);
}
