#include "tools/cli/files/shared_text.h"
#include "db/facts/identity.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "tools/cli/files/deflate.h"
#include "tools/cli/files/files.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace tilewise {

namespace {

constexpr std::string_view first_line = "-----BEGIN TILEWISE SHARE-----", last_line = "-----END TILEWISE SHARE-----";
constexpr std::string_view frame_words = "TILEWISE SHARE-----";  // of either line, even if it was damaged
constexpr size_t characters_of_line = 76;

std::string hash_of(std::string_view bundle) {
    db::Identity identity;
    identity.add(bundle);
    return identity.hash();
}

/// The line without what mail programs and forums put around it.
std::string_view bare(std::string_view line) {
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    return line.substr(std::min(line.find_first_not_of(" \t>"), line.size()));
}

/// Iterates over the bare lines of a text.
class Lines {
public:
    explicit Lines(std::string_view text) : rest_(text) {}

    std::optional<std::string_view> next() {
        if (is_over_) return {};
        const size_t end = rest_.find('\n');
        const std::string_view line = rest_.substr(0, end);
        is_over_ = end == rest_.npos;
        if (!is_over_) rest_.remove_prefix(end + 1);
        return bare(line);
    }
    /// Skips to the line behind `wanted`; returns whether there was such a line.
    bool pass(std::string_view wanted) {
        for (auto line = next(); line; line = next())
            if (*line == wanted) return true;
        return false;
    }

private:
    std::string_view rest_;
    bool is_over_ = false;
};

[[noreturn]] void fail(const std::string& name, const std::string& what) {
    throw Error(fmt::format("{}: the shared text {}: copy it again, from the line BEGIN to the line END", name, what));
}

/// The text after "KEY: " in the next line.
std::string_view value_of(Lines& lines, std::string_view key, const std::string& name) {
    const std::string_view line = lines.next().value_or("");
    if (!line.starts_with(key) || !line.substr(key.size()).starts_with(": "))
        fail(name, fmt::format("lacks its line \"{}\"", key));
    return line.substr(key.size() + 2);
}

uint64_t number_of(Lines& lines, std::string_view key, const std::string& name) {
    const std::string_view text = value_of(lines, key, name);
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.starts_with('0'))
        fail(name, fmt::format("has no number in its line \"{}\"", key));
    return number;
}

/// Decodes what PowerShell writes for `tilewise share > FILE`: each character has two bytes, the lower one first.
/// Characters that are not ASCII can only be outside the frame.
std::string ascii_of_utf16(std::string_view text) {
    std::string ascii;
    ascii.reserve(text.size() / 2);
    for (size_t i = 2; i + 1 < text.size(); i += 2) ascii += text[i + 1] == 0 ? text[i] : '?';
    return ascii;
}

std::string unframed(std::string_view text, const std::string& name) {
    if (text.size() > max_shared_text_bytes)
        throw Error(fmt::format("{}: has {} bytes, more than the {} of a shared text", name, text.size(),
                                max_shared_text_bytes));
    Lines lines(text);
    if (!lines.pass(first_line)) fail(name, "lacks its first line");
    if (const uint64_t version = number_of(lines, "Version", name); version != 1)
        throw Error(
            fmt::format("{}: was shared by a newer tilewise (version {} of such texts, this one knows 1): "
                        "update tilewise",
                        name, version));
    const uint64_t bytes = number_of(lines, "Bytes", name);
    const std::string_view hash = value_of(lines, "Hash", name);
    std::string coded;
    for (auto line = lines.next(); line != last_line; line = lines.next()) {
        if (!line) fail(name, "lacks its last line");
        coded += *line;
    }
    if (lines.pass(first_line)) throw Error(fmt::format("{}: holds two shared texts: make a file of each", name));
    const std::optional<std::string> stream = from_base64(coded);
    if (!stream) fail(name, "is not base64");
    // No deflate stream has a higher compression ratio.
    constexpr uint64_t most_of_a_byte = 1032;
    if (bytes > max_shared_bundle_bytes || bytes / most_of_a_byte > stream->size())
        fail(name, fmt::format("cannot stand for {} bytes", bytes));
    std::optional<std::string> bundle = zlib_decompress(*stream, bytes);
    if (!bundle || hash_of(*bundle) != hash) fail(name, "was changed on its way");
    return std::move(*bundle);
}

}  // namespace

std::string shared_text(std::string_view bundle) {
    std::string text =
        fmt::format("{}\nVersion: 1\nBytes: {}\nHash: {}\n\n", first_line, bundle.size(), hash_of(bundle));
    const std::string coded = base64(zlib_compress(bundle));
    for (size_t at = 0; at < coded.size(); at += characters_of_line)
        text += fmt::format("{}\n", std::string_view(coded).substr(at, characters_of_line));
    return fmt::format("{}{}\n", text, last_line);
}

std::string bundle_in(std::string text, const std::string& name) {
    constexpr std::string_view utf8_mark = "\xef\xbb\xbf", utf16_mark = "\xff\xfe";
    if (text.starts_with(utf16_mark)) text = ascii_of_utf16(text);
    if (text.starts_with(utf8_mark)) text.erase(0, utf8_mark.size());
    if (text.starts_with(sqlite_head))
        throw Error(
            fmt::format("{}: is a database: make a bundle of it first (tilewise --db FILE db export BUNDLE)", name));
    for (const std::string_view head : {"\x1f\x8b", "\x28\xb5\x2f\xfd", "PK\x03\x04", "\xfd\x37zXZ"})
        if (text.starts_with(head)) throw Error(fmt::format("{}: is compressed: unpack it first", name));
    const size_t first = text.find_first_not_of(" \t\r\n");
    const bool is_json = first != text.npos && text[first] == '{';
    if (is_json || text.find(frame_words) == text.npos) return text;
    return unframed(text, name);
}

std::string file_name_of(std::string_view device) {
    constexpr size_t most = 60;
    std::string name;
    for (const char c : to_lower(device)) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!is_plain && (name.empty() || name.back() == '-')) continue;
        name += is_plain ? c : '-';
    }
    name.resize(std::min(name.size(), most));
    while (name.ends_with('-')) name.pop_back();
    return name.empty() ? "device" : name;
}

}  // namespace tilewise
