// How often identify is right: a picture is laid out in every pattern that the catalog has for 2D images of 4-byte
// elements, without gaps. Then the same dumps are identified again, with the right layout removed from the possible
// ones.
//   tilewise_bench_identify WIDTH HEIGHT ROWS...      ROWS: files of R8G8B8A8_UNORM without gaps
#include "tools/answers/identify/identify.h"
#include "db/sqlite/open.h"
#include "patterns/convert/convert.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace tilewise;

namespace {

struct Count {
    unsigned right = 0, wrong = 0, rejected = 0;
};

/// Whether both put every element at the same place.
bool same_places(const Layout& a, const Layout& b, const Coord& extent) {
    const AxisTables tables_of_a(a, extent), tables_of_b(b, extent);
    std::vector<uint64_t> row_of_a(extent[axis_x]), row_of_b(extent[axis_x]);
    for (uint32_t y = 0; y < extent[axis_y]; y++) {
        tables_of_a.row(y, 0, 0, row_of_a.data());
        tables_of_b.row(y, 0, 0, row_of_b.data());
        if (row_of_a != row_of_b) return false;
    }
    return true;
}

std::string read_rows(const char* path, size_t bytes) {
    std::ifstream file(path, std::ios::binary);
    std::string rows{std::istreambuf_iterator<char>(file), {}};
    if (rows.size() != bytes) throw Error(fmt::format("{}: has {} bytes, not {}", path, rows.size(), bytes));
    return rows;
}

uint32_t read_extent(const char* text) {
    uint32_t value = 0;
    const std::string_view view = text;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (error != std::errc() || end != view.data() + view.size() || value == 0 || value > 4096)
        throw Error(fmt::format("{}: must be a number from 1 to 4096", text));
    return value;
}

class Trial {
public:
    Trial(const Coord& extent, std::string rows) : extent_(extent), rows_(std::move(rows)) {}

    void add(const PossibleLayout& subject) {
        const std::string dump = tiled_by(subject.layout);
        std::vector<PossibleLayout> choices =
            possible_layouts(catalog_, rgba8_.element, extent_, 0, dump.size()).fitting;
        const auto is_right = [&](const PossibleLayout& choice) {
            return same_places(choice.layout, subject.layout, extent_);
        };
        judge(known_, dump, choices, subject, is_right);
        std::erase_if(choices, is_right);
        judge(unknown_, dump, std::move(choices), subject, is_right);
    }

    void print(const char* picture) const {
        fmt::print("| {} | {} | {} | {} | {} | {} |\n", picture, known_.right, known_.wrong, known_.rejected,
                   unknown_.wrong, unknown_.rejected);
        std::fflush(stdout);
    }

private:
    std::string tiled_by(const Layout& layout) const {
        std::string dump(tiled_bytes(layout, {{}, extent_}), '\0');
        tile(layout, {{}, extent_}, std::as_bytes(std::span(rows_)), std::as_writable_bytes(std::span(dump)));
        return dump;
    }

    template <typename IsRight>
    void judge(Count& count, const std::string& dump, std::vector<PossibleLayout> choices,
               const PossibleLayout& subject, const IsRight& is_right) const {
        const Identified identified = identify_dump({std::as_bytes(std::span(dump)), extent_, channels_of(rgba8_)},
                                                    std::move(choices), [](const char*) { return Advance(); });
        const PossibleLayout& winner = identified.ranking.front().choices.front();
        const bool found = identified.verdict.found, right = found && is_right(winner);
        (right ? count.right : found ? count.wrong : count.rejected) += 1;
        if (found && !right)
            fmt::print(stderr, "{} was taken for {}, {}\n", subject.pattern, winner.pattern, winner.placed);
    }

    Coord extent_;
    std::string rows_;
    db::Database catalog_ = db::open_catalog();
    probe::Format rgba8_ = probe::format_named("R8G8B8A8_UNORM");
    Count known_, unknown_;
};

/// One layout of each pattern; patterns that coincide at this extent count as one.
std::vector<PossibleLayout> subjects_of(const Coord& extent) {
    std::vector<PossibleLayout> subjects;
    for (PossibleLayout& choice : possible_layouts(db::open_catalog(), {4, 1, 1}, extent, 0, uint64_t{1} << 28).fitting)
        if (!choice.pattern.empty() && choice.placed == "without gaps" && choice.layout.constant == 0 &&
            choice.layout.pattern.tile[axis_z] == 1 && std::ranges::none_of(subjects, [&](const PossibleLayout& known) {
                return same_places(known.layout, choice.layout, extent);
            }))
            subjects.push_back(std::move(choice));
    return subjects;
}

void run(const Coord& extent, const std::vector<const char*>& pictures) {
    const std::vector<PossibleLayout> subjects = subjects_of(extent);
    fmt::print("{} layouts of {}x{}\n\n", subjects.size(), extent[axis_x], extent[axis_y]);
    fmt::print(
        "| picture | identified | taken for another | rejected | layout unknown: taken for a known one | rejected |\n");
    fmt::print("|---|---|---|---|---|---|\n");
    for (const char* picture : pictures) {
        Trial trial(extent, read_rows(picture, size_t{4} * extent[axis_x] * extent[axis_y]));
        for (const PossibleLayout& subject : subjects) trial.add(subject);
        trial.print(picture);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc < 4) throw Error("usage: tilewise_bench_identify WIDTH HEIGHT ROWS...");
        run({read_extent(argv[1]), read_extent(argv[2]), 1, 1}, {argv + 3, argv + argc});
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
