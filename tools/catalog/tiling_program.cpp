#include "tools/catalog/tiling_program.h"
#include "patterns/model/error.h"
#include "patterns/solve/solve.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "system/files.h"
#include "tools/cli/files/files.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>

namespace tilewise {

namespace {

static_assert(std::endian::native == std::endian::little, "the numbers are read as they lie in the file");

struct FormatPart {
    Aspect aspect = Aspect::color;
    Element element;
};

FormatPart only_part(const std::string& format) {
    const std::vector<probe::Aspect> aspects = probe::aspects_of(probe::format_named(format));
    if (aspects.size() != 1) throw Error(format + " has several aspects");
    return {probe::aspect_of(aspects.front().bit), aspects.front().element};
}

/// The usage of images that kernels read and, where their format allows, write.
std::string usual_usage(const std::string& format, Aspect aspect) {
    const bool is_written = aspect == Aspect::color && probe::format_named(format).kind == probe::FormatKind::color &&
                            !format.ends_with("_SRGB");
    return is_written ? "sampled,storage,transfer-dst,transfer-src" : "sampled,transfer-dst,transfer-src";
}

std::string request_of(const WantedImage& image, const FormatPart& part) {
    return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}\n", image_type_name(image.type), image.format,
                       aspect_name(part.aspect), part.element.bytes, part.element.width, part.element.height,
                       image.extent_px[0], image.extent_px[1], image.extent_px[2], image.levels, image.layers,
                       image.samples, image.usage);
}

/// What a program printed, from the first number on.
class Numbers {
public:
    explicit Numbers(const std::string& text) : text_(text) {}
    uint64_t next() {
        std::vector<uint64_t> one = next(1);
        return one.front();
    }
    std::vector<uint64_t> next(size_t count) {
        if (count > (text_.size() - at_) / sizeof(uint64_t)) throw Error("it printed too few numbers");
        std::vector<uint64_t> numbers(count);
        std::memcpy(numbers.data(), text_.data() + at_, count * sizeof(uint64_t));
        at_ += count * sizeof(uint64_t);
        return numbers;
    }
    bool at_end() const { return at_ == text_.size(); }

private:
    const std::string& text_;
    size_t at_ = 0;
};

ImageRead read_image(const WantedImage& wanted, const FormatPart& part, Numbers& numbers) {
    ImageLayout image;
    static_cast<ImageKind&>(image) = wanted;
    image.source = LayoutSource::probed;
    image.bytes = numbers.next();
    image.alignment = numbers.next();
    if (image.bytes == 0) return {std::nullopt, "unsupported: the program knows no such image"};
    std::vector<Subresource> parts;
    std::string why_not;
    for (uint32_t level = 0; level < wanted.levels; level++)
        for (uint32_t layer = 0; layer < wanted.layers; layer++) {
            Table table;
            table.element = part.element;
            Subresource read;
            read.aspect = part.aspect;
            read.level = level;
            read.layer = layer;
            read.extent_px = level_extent_px(wanted.extent_px, level);
            table.extent = elements_of(read.extent_px, part.element, wanted.samples);
            table.offsets = numbers.next(element_count(table.extent));
            const Solution solution = solve(table);
            if (solution.fit != Fit::exact) why_not = "no-fit: " + solution.reason;
            read.layout = solution.layout;
            parts.push_back(std::move(read));
        }
    if (!why_not.empty()) return {std::nullopt, why_not};
    image.subresources = join_layers(std::move(parts));
    return {std::move(image), {}};
}

/// Removes its file in the end.
struct TemporaryFile {
    explicit TemporaryFile(const char* name)
        : path((std::filesystem::temp_directory_path() / system::unguessable_name(name)).string()) {}
    ~TemporaryFile() { std::remove(path.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::string path;
};

std::vector<ImageRead> ask(const std::string& command, std::vector<WantedImage> wanted) {
    std::string requests;
    std::vector<FormatPart> parts;
    for (WantedImage& image : wanted) {
        parts.push_back(only_part(image.format));
        if (image.usage.empty()) image.usage = usual_usage(image.format, parts.back().aspect);
        requests += request_of(image, parts.back());
    }
    const TemporaryFile asked("tilewise-images"), told("tilewise-offsets");
    write_whole_file(asked.path, requests);
    if (std::system(fmt::format("{} <'{}' >'{}'", command, asked.path, told.path).c_str()) != 0)
        throw Error(fmt::format("{} failed", command));
    const std::string text = read_whole_file(told.path);
    Numbers numbers(text);
    std::vector<ImageRead> images;
    try {
        for (size_t i = 0; i < wanted.size(); i++) images.push_back(read_image(wanted[i], parts[i], numbers));
        if (!numbers.at_end()) throw Error("it printed too many numbers");
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", command, error.what()));
    }
    return images;
}

}  // namespace

ImageSource images_of_program(const std::string& command) {
    constexpr uint32_t longest_2d = 16384, longest_3d = 2048, most_layers = 2048;
    return {[command](const std::vector<WantedImage>& wanted) {
                constexpr size_t lot = 32;
                std::vector<ImageRead> images;
                for (size_t begin = 0; begin < wanted.size(); begin += lot) {
                    const auto from = wanted.begin() + static_cast<ptrdiff_t>(begin);
                    const auto to = wanted.begin() + static_cast<ptrdiff_t>(std::min(begin + lot, wanted.size()));
                    std::ranges::move(ask(command, {from, to}), std::back_inserter(images));
                }
                return images;
            },
            longest_2d, longest_3d, most_layers};
}

std::vector<CatalogFact> image_facts(const ImageSource& source, std::span<const std::string> formats,
                                     std::span<const Extent_px> extents_px, const CatalogFact& about) {
    std::vector<WantedImage> wanted;
    for (const std::string& format : formats)
        for (const Extent_px& extent : extents_px) {
            WantedImage image;
            image.format = format;
            image.extent_px = extent;
            wanted.push_back(std::move(image));
        }
    std::vector<CatalogFact> facts;
    for (const ImageRead& read : source.read(wanted)) {
        if (!read.image) continue;
        const Subresource& part = read.image->subresources.front();
        CatalogFact row = about;
        static_cast<ImageKind&>(row.fact) = *read.image;
        row.fact.aspect = aspect_name(part.aspect);
        row.fact.result = "exact";
        row.fact.elements = element_count(extent_el(*read.image, part));
        row.fact.bytes = read.image->bytes;
        row.fact.alignment = read.image->alignment;
        row.fact.layout = part.layout;
        facts.push_back(std::move(row));
    }
    return facts;
}

}  // namespace tilewise
