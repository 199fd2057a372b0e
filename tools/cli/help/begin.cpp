#include "tools/cli/help/begin.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/text.h"
#include "tools/cli/help/formatter.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/table.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewise {

namespace {

enum class When { as_terminal, always, never };
constexpr EnumNames<When, 3> color_names = {"color", {"auto", "always", "never"}};

}  // namespace

std::string how_to_begin() {
    const std::string about = wrapped(
        "Tilewise finds out how a GPU lays out the texels of an image in memory, and turns that into shader code that "
        "reads them in memory order.",
        help_width(), 0);
    return about + "\n\nTo begin with:\n" +
           table_text({{"tilewise gpus RTX 4090", "is my GPU known?"},
                       {"tilewise advise -g H100 -f RGBA16F --kernel gaussian", "what to run, and what it gains"},
                       {"tilewise snippet -g H100 -f RGBA8", "shader code: the texel of each invocation"},
                       {"tilewise layout -g H100 -f RGBA8 -e 1920x1080 --at 15,15", "the byte offset of a texel"},
                       {"tilewise probe", "read how the GPU of this machine does it"}},
                      line_width(), 2, false) +
           "\n" +
           wrapped("All commands: tilewise --help. One command: tilewise help advise, or tilewise advise -h.",
                   help_width(), 0) +
           "\n";
}

void add_color_option(CLI::App& app) {
    app.add_option_function<std::string>(
           "--color",
           [](const std::string& text) {
               const When when = color_names.parse(text);
               be_colored(when == When::as_terminal ? std::nullopt : std::optional(when == When::always));
           },
           "colours: auto (if the terminal shows them and NO_COLOR is not set), always or never")
        ->type_name("WHEN");
}

bool asks_for_json(const std::vector<std::string>& arguments) {
    return std::ranges::any_of(
        arguments, [](const std::string_view argument) { return argument == "--json" || argument == "-j"; });
}

std::string error_json(std::string_view message, int code) {
    const nlohmann::ordered_json json = {{"error", printable(message)}, {"exit_code", code}};
    return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace tilewise
