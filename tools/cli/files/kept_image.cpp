#include "tools/cli/files/kept_image.h"
#include "patterns/model/error.h"
#include "patterns/model/json_limits.h"
#include "system/files.h"
#include "tools/cli/files/files.h"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace tilewise {

namespace {

/// Calls visit(name, member of a, member of b) for each member.
template <typename A, typename B, typename Visit>
void each_member(A& a, B& b, const Visit& visit) {
    visit("chip", a.chip, b.chip);
    visit("driver", a.driver, b.driver);
    visit("tiling_layout_uuid", a.tiling_layout_uuid, b.tiling_layout_uuid);
    visit("format", a.format, b.format);
    visit("usage", a.usage, b.usage);
    visit("extent", a.extent_px, b.extent_px);
    visit("levels", a.levels, b.levels);
    visit("layers", a.layers, b.layers);
    visit("bytes", a.bytes, b.bytes);
}

constexpr const char* kept_image_kind = "tilewise-kept-image";

}  // namespace

void write_kept_image(const std::string& path, const KeptFor& kept_for, std::span<const std::byte> memory) {
    nlohmann::ordered_json json = {{"kind", kept_image_kind}, {"version", 1}};
    each_member(kept_for, kept_for, [&](const char* name, const auto& value, const auto&) { json[name] = value; });
    std::string header = json.dump();
    if (header.size() >= kept_header_B)
        throw Error(fmt::format("{}: the names of device and image are too long", path));
    header.resize(kept_header_B, ' ');
    header.back() = '\n';
    write_file(path, [&](const WriteBytes& write) {
        write(header);
        write({reinterpret_cast<const char*>(memory.data()), memory.size()});
    });
}

KeptFor read_kept_header(const std::string& path) {
    std::ifstream file(system::path_of(path), std::ios::binary);
    std::string header(kept_header_B, ' ');
    if (!file.read(header.data(), static_cast<std::streamsize>(header.size())))
        throw Error(fmt::format("{}: is not a kept image: it has no header of {} bytes", path, kept_header_B));
    KeptFor kept_for;
    const nlohmann::json json = parse_json(header, path);
    try {
        if (json.at("kind") != kept_image_kind || json.at("version") != 1) throw Error("");
        each_member(kept_for, kept_for,
                    [&](const char* name, auto& value, const auto&) { json.at(name).get_to(value); });
    } catch (const std::exception&) {
        throw Error(fmt::format("{}: is not a kept image of version 1", path));
    }
    const auto size = static_cast<uint64_t>(file.seekg(0, std::ios::end).tellg());
    if (size != kept_header_B + kept_for.bytes)
        throw Error(
            fmt::format("{}: has {} bytes, but its header says {}", path, size, kept_header_B + kept_for.bytes));
    return kept_for;
}

void require_same(const std::string& path, const KeptFor& kept_for, const KeptFor& here) {
    each_member(kept_for, here, [&](const char* name, const auto& kept, const auto& now) {
        if (kept != now)
            throw Error(fmt::format("{}: was kept for {} {}, and here it is {}: keep the image again on this device",
                                    path, name, nlohmann::json(kept).dump(), nlohmann::json(now).dump()));
    });
}

}  // namespace tilewise
