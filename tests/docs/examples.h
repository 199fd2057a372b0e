// The code blocks of a page, and the marks that say how each is kept correct (CONTRIBUTING.md, "Examples").
#pragma once
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewise {

enum class BlockKind {
    console,      ///< `$ command` lines and what they print
    file,         ///< becomes a file that the page's later commands read
    quoted,       ///< lines of a file that is compiled, run or checked elsewhere
    recorded_in,  ///< printed on hardware; a file of the repository has its figures
    recorded_on,  ///< printed on hardware; recorded on the page only
    not_run,      ///< no output, or not to be run by a test; the mark says why
};

struct Block {
    size_t line = 0;  ///< of the opening fence, from 1
    BlockKind kind = BlockKind::console;
    std::string subject;              ///< of the mark: a file, a device, a reason
    std::vector<std::string> before;  ///< commands that prepare the example; the reader does not see them
    bool figures_vary = false;
    std::vector<std::string> lines;
};

/// Throws Error that names the line for a block that nothing would check: indented, without a language, or with an
/// unknown mark.
std::vector<Block> blocks_of(const std::string& page);

/// A command with the lines it prints.
struct Example {
    std::string command;
    std::vector<std::string> output;
};

/// The commands of a console block. Throws Error if it does not begin with "$ ".
std::vector<Example> examples_of(const Block& block);

/// Whether `shown` stands for `printed`: equal line by line, except that a line `...` stands for one or more lines,
/// `...` within a line for any text, and, if figures vary, any figure for any other.
bool stands_for(const std::vector<std::string>& shown, const std::vector<std::string>& printed, bool figures_vary);

/// Whether each paragraph of the block is found in the file, line by line, ignoring indentation.
bool is_quoted(const std::vector<std::string>& lines, const std::string& file);

/// The first line with a figure for which no record (object) of the JSON has all of the line's words and figures; empty
/// if there is none. A figure stands for every number that rounds to it.
std::string unrecorded_line(const std::vector<std::string>& lines, const nlohmann::json& records);

/// The files that a page links to, without anchors; web addresses are left out.
std::vector<std::string> file_links(const std::string& page);

/// Paths of this repository that a page names in backquotes: `db/facts/`, `patterns/model/bits.h`. Paths with a
/// placeholder in capitals or a `*` are left out.
std::vector<std::string> named_paths(const std::string& page);

std::vector<std::string> lines_of(const std::string& text);

}  // namespace tilewise
