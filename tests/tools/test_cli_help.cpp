// Help, completion and man pages, judged by the shells and by groff; what was meant by what is not there.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sstream>

using namespace tilewise;

namespace {

bool is_installed(const std::string& program) {
    if (run({"sh", "-c", "command -v " + program}).code == 0) return true;
    MESSAGE("SKIPPED: ", program, " is not installed");
    return false;
}

std::vector<std::string> help_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

bool has(const std::vector<std::string>& lines, const std::string& line) {
    return std::ranges::find(lines, line) != lines.end();
}

std::string complaint(const Command& arguments) {
    const Ended ended = run(tilewise::tilewise(arguments));
    CHECK(ended.code == 2);
    CHECK(is_one_complaint(ended.err));
    return ended.err;
}

/// All commands, as the program's help lists them.
std::vector<std::string> commands() {
    std::vector<std::string> names;
    bool listed = false;
    for (const std::string& line : help_lines(run(tilewise::tilewise({"--help"})).out)) {
        if (listed && line.starts_with("  ") && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
        if (line == "Subcommands:") listed = true;
    }
    REQUIRE(names.size() > 10);
    return names;
}

}  // namespace

TEST_CASE("a command or option that does not exist is answered with the one that was meant") {
    CHECK(complaint({"layot"}) == "tilewise: there is no command layot; did you mean layout? See tilewise --help\n");
    CHECK(complaint({"layot", "--gpu", "H100"}).find("did you mean layout?") != std::string::npos);
    CHECK(complaint({"db", "exprot"}).find("did you mean export? See tilewise help db") != std::string::npos);
    CHECK(complaint({"query", "--fromat", "RGBA8"}).find("did you mean --format?") != std::string::npos);
    CHECK(complaint({"query", "--jsno"}).find("did you mean --json?") != std::string::npos);
    CHECK(complaint({"help", "sow"}).find("did you mean show?") != std::string::npos);
    CHECK(complaint({"query", "--gup", "H100"}).find("did you mean --gpu?") != std::string::npos);
    // A required option that is mistyped is there.
    CHECK(complaint({"advise", "--gpu", "H100", "--fromat", "RGBA8"})
              .find("no option --fromat; did you mean --format?") != std::string::npos);
    CHECK(complaint({"snippet", "--quiet", "--gpu", "H100", "--format", "RGBA8", "--lang", "glls"})
              .find("no language \"glls\"; did you mean glsl? There are: glsl, hlsl,") != std::string::npos);
    CHECK(complaint({"layout", "--gpu", "H100", "--format", "RGBA8", "--extent", "8x8", "--aspect", "colour"})
              .find("did you mean color?") != std::string::npos);
    CHECK(complaint({"stats"}) == "tilewise: there is no command stats; did you mean db stats? See tilewise help db\n");
    for (const char* option : {"--gpu", "-g"})
        CHECK(complaint({option, "H100", "advise"}) ==
              fmt::format("tilewise: {0} is an option of advise: give it after the command, tilewise advise {0} ..\n",
                          option));
    CHECK(complaint({"frobnicate"}).find("did you mean") == std::string::npos);
    CHECK(complaint({"query", "--zzzzzzzz"}).find("did you mean") == std::string::npos);
    CHECK(complaint({"layout", "RGBA8"}) == "tilewise: layout does not take \"RGBA8\"; see tilewise help layout\n");
    CHECK(complaint({"layout", "-g", "RTX", "4090", "-f", "RGBA8"}) ==
          "tilewise: layout does not take \"4090\"; if it belongs to --gpu, use quotes: --gpu \"RTX 4090\"\n");
}

TEST_CASE("what is wrong with an option is told in this program's words, not in its parser's") {
    const std::pair<Command, const char*> wrong[] = {
        {{"snippet", "--invocations", "4294967296"}, "--invocations 4294967296: not a valid value"},
        {{"layout", "--extent", "3x3", "--extent", "4x4"}, "--extent is given 2 times; give it once"},
        {{"validate", "--shaders", "foo"}, "--shaders foo: must be one of cached,changed,all"},
        {{"layout", "--verify", "3", "--extent", "3x3"}, "--extent and --verify: leave one out"},
        {{"layout", "--levels", "99"}, "--levels 99: must be from 1 to 32"},
        {{"layout", "--levels", "2.5"}, "--levels 2.5: must be a whole number without sign or unit"},
        {{"layout", "--pitch", "16KB"}, "--pitch 16KB: must be a whole number without sign or unit"},
        {{"identify", "dump.bin", "--base", "-1"}, "--base -1: must be a whole number without sign or unit"},
        {{"advise", "--radius", "8px"}, "--radius 8px: must be a whole number without sign or unit"},
        {{"advise", "--sigma", "nan"}, "--sigma nan: must be a number"},
        {{"share", "--seconds", "nan"}, "--seconds nan: must be a number"},
        {{"measure", "--seconds", "inf"}, "--seconds inf: must be a number"},
        {{"layout", "--at"}, "--at needs a value"},
        {{"layout", "--seed", "3"}, "--seed needs --verify"}};
    for (const auto& each : wrong) {
        const char* const said = each.second;
        CAPTURE(said);
        const std::string told = complaint(each.first);
        CAPTURE(told);
        CHECK(told.find(said) != std::string::npos);
    }
}

TEST_CASE("whole numbers are decimal, whatever zeros they begin with, or hexadecimal") {
    const auto said = [](const char* number, const char* option) {
        Command command = {"layout", "--pattern", "linear", "--format", "RGBA8", "--extent", "1024x1024", "--json"};
        command.insert(command.end(), {option, number});
        return run(tilewise::tilewise(command)).out;
    };
    for (const char* number : {"010", "00010", "0xA"}) CHECK(said(number, "--levels") == said("10", "--levels"));
    CHECK(said("0008192", "--pitch") == said("8192", "--pitch"));
    CHECK(said("0x2000", "--pitch") == said("8192", "--pitch"));
    CHECK(said("8192", "--pitch").find("8192") != std::string::npos);
}

TEST_CASE("help of a command is what its --help says, and every command has examples that the parser takes") {
    CHECK(run(tilewise::tilewise({"help"})).out == run(tilewise::tilewise({"--help"})).out);
    for (const std::string& command : commands()) {
        CAPTURE(command);
        const Ended help = run(tilewise::tilewise({"help", command}));
        CHECK(help.code == 0);
        CHECK(help.out == run(tilewise::tilewise({command, "--help"})).out);
        if (command != "db") CHECK(help.out.find("Examples:\n  tilewise " + command) != std::string::npos);
    }
}

TEST_CASE("the examples that need no device and no file are answered by the shipped catalog") {
    const Folder folder;
    size_t answered = 0;
    for (const std::string command : {"gpus", "formats", "modes", "query", "show", "layout", "snippet", "advise"})
        for (const std::string& line : help_lines(run(tilewise::tilewise({"help", command})).out)) {
            if (!line.starts_with("  tilewise ")) continue;
            CAPTURE(line);
            const std::string program = tilewise::tilewise({}).front();
            const Ended ended = run({"sh", "-c",
                                     "cd '" + folder.path.string() + "' && tilewise() { XDG_DATA_HOME=. '" + program +
                                         "' \"$@\"; } && " + line});
            CHECK(ended.code == 0);
            CHECK((!ended.out.empty() || std::filesystem::file_size(folder / "offsets.csv") > 0));
            answered++;
        }
    CHECK(answered >= 18);
}

TEST_CASE("bash completes commands, options of a command, and files behind an option that takes a value") {
    const std::string script = run(tilewise::tilewise({"completion", "bash"})).out;
    const auto completed = [&](const std::string& words) {
        return help_lines(
            run({"bash", "-c",
                 script + "\nCOMP_WORDS=(" + words +
                     ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_tilewise\nprintf '%s\\n' \"${COMPREPLY[@]}\""})
                .out);
    };
    CHECK(completed("tilewise lay") == std::vector<std::string>{"layout"});
    CHECK(completed("tilewise db exp") == std::vector<std::string>{"export"});
    CHECK(completed("tilewise layout --lev") == std::vector<std::string>{"--levels", "--level"});
    CHECK(completed("tilewise --db x layout --js") == std::vector<std::string>{"--json"});
    const Folder folder;
    write_text(folder / "drawing.svg", "");
    CHECK(completed("tilewise show --svg " + (folder / "dra")) == std::vector<std::string>{folder / "drawing.svg"});
    for (const std::string& command : commands()) CHECK(has(completed("tilewise " + command), command));
}

TEST_CASE("bash completes what GPUs, formats, languages and kernels are called, of names with spaces, too") {
    const std::string script = run(tilewise::tilewise({"completion", "bash"})).out;
    const auto completed = [&](const std::string& words) {
        return help_lines(
            run({"bash", "-c",
                 script + "\nCOMP_WORDS=(" + words +
                     ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_tilewise\nprintf '%s\\n' \"${COMPREPLY[@]}\""})
                .out);
    };
    CHECK(has(completed("tilewise layout --gpu 'RTX\\ 40'"), "RTX 4090"));
    CHECK(has(completed("tilewise layout --gpu '\"Steam D'"), "Steam Deck"));
    CHECK(has(completed("tilewise advise -g AD10"), "AD102"));
    CHECK(completed("tilewise snippet --format R8G8B8A8_UN") == std::vector<std::string>{"R8G8B8A8_UNORM"});
    CHECK(completed("tilewise snippet -f BC7_S") == std::vector<std::string>{"BC7_SRGB_BLOCK"});
    CHECK(completed("tilewise snippet --lang gl") == std::vector<std::string>{"glsl"});
    CHECK(completed("tilewise advise --kernel bi") == std::vector<std::string>{"bilateral"});
    CHECK(completed("tilewise advise --code g") == std::vector<std::string>{"glsl"});
    CHECK_FALSE(has(completed("tilewise advise --code ''"), "rust"));
    CHECK(completed("tilewise snippet --kind con") == std::vector<std::string>{"convert"});
    CHECK(completed("tilewise layout --aspect st") == std::vector<std::string>{"stencil"});
    CHECK(completed("tilewise --color al") == std::vector<std::string>{"always"});
    CHECK(completed("tilewise help lay") == std::vector<std::string>{"layout"});
    CHECK(completed("tilewise completion z") == std::vector<std::string>{"zsh"});
}

TEST_CASE(
    "-h is the usual options, --help all of them; both at the terminal's width, with every word of one without end") {
    const auto help = [](const std::string& columns, const Command& arguments) {
        return help_lines(run(Command{"env", "COLUMNS=" + columns} + tilewise::tilewise(arguments)).out);
    };
    // Where a line is broken is all that differs.
    const auto letters = [](const std::vector<std::string>& lines) {
        std::string all;
        for (const std::string& line : lines) {
            std::istringstream in(line);
            for (std::string word; in >> word;)
                if (word != "\\") all += word;
        }
        return all;
    };
    for (const std::string& command : commands()) {
        CAPTURE(command);
        const std::vector<std::string> narrow = help("80", {command, "--help"});
        for (const std::string& line : narrow) {
            CAPTURE(line);
            CHECK(line.size() <= 80);
        }
        CHECK(letters(narrow) == letters(help("100000", {command, "--help"})));
        CHECK(help("80", {command, "-h"}).size() <= narrow.size());
    }
    CHECK(help("80", {"snippet", "-h"}).size() < help("80", {"snippet", "--help"}).size() / 2);
    CHECK(has(help("80", {"snippet", "-h"}),
              "  -g, --gpu GPU               a product, chip, PCI id or architecture: \"RTX"));
}

TEST_CASE("short options, and names of values in any case, are those that are written out") {
    const auto out = [](const Command& arguments) {
        const Ended ended = run(Command{"env", "XDG_DATA_HOME=/nonexistent"} + tilewise::tilewise(arguments));
        CAPTURE(ended.err);
        CHECK(ended.code == 0);
        return ended.out;
    };
    CHECK(out({"layout", "-g", "H100", "-f", "rgba8", "-e", "64x64", "-j"}) ==
          out({"layout", "--gpu", "H100", "--format", "RGBA8", "--extent", "64x64", "--json"}));
    CHECK(out({"advise", "-g", "h100", "-f", "RGBA16F", "-k", "Gaussian", "-r", "4", "--code", "GLSL"}) ==
          out({"advise", "--gpu", "H100", "--format", "RGBA16F", "--kernel", "gaussian", "--radius", "4", "--code",
               "glsl"}));
    CHECK(out({"snippet", "-g", "H100", "-f", "RGBA8"}) ==
          out({"snippet", "--lang", "glsl", "--gpu", "H100", "--format", "RGBA8", "--kind", "Remap", "--order",
               "LEARNED"}));
    CHECK(out({"layout", "-g", "H100", "-f", "RGBA8", "-e", "64x64", "--aspect", "Color", "--at", "3,4"}) ==
          out({"layout", "-g", "H100", "-f", "RGBA8", "-e", "64x64", "--aspect", "color", "--at", "3,4"}));
}

TEST_CASE("colours are as --color says, whatever stdout is") {
    const auto shown = [](const Command& options) {
        return run(Command{"env", "NO_COLOR=1", "XDG_DATA_HOME=/nonexistent"} +
                   tilewise::tilewise(Command{"show", "86afc4ba55d19eb6"} + options))
            .out;
    };
    CHECK(shown({"--color", "always"}).find("\x1b[") != std::string::npos);
    CHECK(shown({}).find("\x1b[") == std::string::npos);
    CHECK(shown({"--color", "Never"}).find("\x1b[") == std::string::npos);
    CHECK(complaint({"--color", "allways", "query"}).find("did you mean always?") != std::string::npos);
}

TEST_CASE("with --json an error is JSON on stderr, and nothing stands on stdout") {
    for (const Command& arguments :
         {Command{"layout", "--gpu", "H100", "--fromat", "RGBA8", "--json"}, Command{"-j", "no-such-command"},
          Command{"--json", "--quiet", "layout", "--gpu", "RTX 9999", "--format", "RGBA8", "--extent", "8x8"},
          Command{"show", "--json"} + Command{"--svg", "-"}, Command{"db", "import", "/nonexistent/b.json", "-j"}}) {
        const Ended ended = run(tilewise::tilewise(arguments));
        CAPTURE(ended.err);
        CHECK(ended.out == "");
        const auto error = nlohmann::json::parse(ended.err);
        CHECK(error["exit_code"] == ended.code);
        CHECK(ended.code != 0);
        CHECK(!error["error"].get<std::string>().empty());
    }
}

TEST_CASE("fish completes commands and options, with what they do") {
    if (!is_installed("fish")) return;
    const Folder folder;
    write_text(folder / "tilewise.fish", run(tilewise::tilewise({"completion", "fish"})).out);
    const auto completed = [&](const std::string& line) {
        return help_lines(
            run({"fish", "--no-config", "-c", "source " + (folder / "tilewise.fish") + "; complete -C '" + line + "'"})
                .out);
    };
    CHECK(has(completed("tilewise la"),
              "layout\tshow where each texel of a whole image lies: all levels, layers, aspects"));
    CHECK(has(completed("tilewise db ex"), "export\twrite all facts as one JSON bundle"));
    CHECK(has(completed("tilewise layout --lev"), "--levels\tmip levels of the image"));
    CHECK(!has(completed("tilewise query --lev"), "--levels\tmip levels of the image"));
    const auto offers = [&](const std::string& line, const std::string& word) {
        const std::vector<std::string> lines = completed(line);
        return std::ranges::any_of(lines, [&](const std::string& one) { return one.starts_with(word + "\t"); });
    };
    CHECK(offers("tilewise snippet --lang gl", "glsl"));
    CHECK(offers("tilewise snippet --gpu AD10", "AD102"));
    CHECK(offers("tilewise snippet --format BC7_S", "BC7_SRGB_BLOCK"));
    CHECK(!offers("tilewise snippet --format BC7_S", "glsl"));
}

TEST_CASE("zsh completes commands and options, with what they do") {
    if (!is_installed("zsh")) return;
    const std::string script = run(tilewise::tilewise({"completion", "zsh"})).out;
    // What zsh's own functions are given.
    const auto completed = [&](const std::string& words, int current) {
        return help_lines(
            run({"zsh", "-f", "-c",
                 "compdef() { :; }; _files() { :; }; _describe() { print -rl -- \"${(@P)@[-1]}\"; }\n" + script +
                     "\nwords=(" + words + "); CURRENT=" + std::to_string(current) + "; _tilewise"})
                .out);
    };
    CHECK(has(completed("tilewise ''", 2),
              "layout:show where each texel of a whole image lies: all levels, layers, aspects"));
    CHECK(has(completed("tilewise db ''", 3), "export:write all facts as one JSON bundle"));
    CHECK(has(completed("tilewise layout ''", 3), "--levels:mip levels of the image"));
    CHECK(!has(completed("tilewise query ''", 3), "--levels:mip levels of the image"));
    const auto values = [&](const std::string& words, int current) {
        return help_lines(run({"zsh", "-f", "-c",
                               "compdef() { :; }; compadd() { print -rl -- \"${(@P)2}\"; }\n" + script + "\nwords=(" +
                                   words + "); CURRENT=" + std::to_string(current) + "; _tilewise"})
                              .out);
    };
    CHECK(has(values("tilewise layout --gpu ''", 4), "RTX 4090"));
    CHECK(has(values("tilewise layout -f ''", 4), "R8G8B8A8_UNORM"));
    CHECK(has(values("tilewise snippet --lang ''", 4), "wgsl"));
}

TEST_CASE("man pages of all commands are without a complaint of groff, and say what the help says") {
    if (!is_installed("groff")) return;
    const Folder folder;
    REQUIRE(run(tilewise::tilewise({"man", "--all", folder.path.string()})).code == 0);
    size_t pages = 0;
    for (const auto& page : std::filesystem::directory_iterator(folder.path)) {
        CAPTURE(page.path().string());
        const Ended judged = run({"groff", "-man", "-Tascii", "-ww", "-P-cbou", page.path().string()});
        CHECK(judged.code == 0);
        CHECK(judged.err.empty());
        CHECK(judged.out.find("EXIT STATUS") != std::string::npos);
        pages++;
    }
    CHECK(pages == commands().size() + 1 + 7);  // the program, and the commands of db
    const Ended page = run({"groff", "-man", "-Tascii", "-P-cbou", folder / "tilewise-layout.1"});
    CHECK(page.out.find("--levels UINT in [1 - ") != std::string::npos);
    CHECK(page.out.find("-g, --gpu GPU") != std::string::npos);
    CHECK(page.out.find("tilewise layout --gpu \"RTX 4090\" --format RGBA8 --extent 1920x1080") != std::string::npos);
}

TEST_CASE("tables fit the terminal, unless they are asked to be wide; what names a row stays whole") {
    const auto widest = [](const Command& arguments, const std::string& columns) {
        Command command = {"env", "COLUMNS=" + columns, "XDG_DATA_HOME=/nonexistent"};
        for (const std::string& part : tilewise::tilewise(arguments)) command.push_back(part);
        size_t width = 0;
        for (const std::string& line : help_lines(run(command).out)) width = std::max(width, line.size());
        return width;
    };
    const Command query = {"query", "--gpu", "AD102", "--quiet"};
    CHECK(widest(query, "120") <= 120);
    CHECK(widest(query, "120") > 80);
    CHECK(widest({"query", "--gpu", "AD102", "--quiet", "--wide"}, "120") > 150);
    CHECK(widest(query, "nonsense") > 150);
    const Ended narrow = run({"env", "COLUMNS=80", "XDG_DATA_HOME=/nonexistent", tilewise::tilewise({}).front(),
                              "query", "--gpu", "AD102", "--json"});
    const auto patterns = parse(narrow).at("patterns");
    const std::string table = run({"env", "COLUMNS=80", "XDG_DATA_HOME=/nonexistent", tilewise::tilewise({}).front(),
                                   "query", "--gpu", "AD102"})
                                  .out;
    for (const auto& pattern : patterns) CHECK(table.find(pattern.at("id").get<std::string>()) != std::string::npos);
}
