#include "tools/runs/try/make_scene.h"
#include "patterns/model/error.h"
#include "patterns/model/layout.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include "tools/runs/try/contents.h"
#include "tools/runs/try/scene_references.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace tilewise {

using namespace kernels;

namespace {

constexpr const char* no_size = "how large is the scene? --size 3840x2160";

double number_in(const std::string& text, std::array<uint32_t, 2> size) {
    const std::array<std::pair<std::string_view, double>, 4> words = {
        {{"width", size[0]}, {"height", size[1]}, {"1/width", 1.0 / size[0]}, {"1/height", 1.0 / size[1]}}};
    for (const auto& [word, value] : words) {
        if (text != word) continue;
        if (size[0] == 0) throw UsageError(no_size);
        return value;
    }
    if (text == "true") return 1;
    if (text == "false") return 0;
    double value = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value))
        throw UsageError(
            fmt::format("\"{}\" is not a number; width, height, 1/width and 1/height are those of the scene",
                        printable(text, 100)));
    return value;
}

uint64_t bits_of(const std::string& text, const ScalarPlace& place, std::array<uint32_t, 2> size) {
    const double value = number_in(text, size);
    if (place.kind == 'f') {
        if (place.bytes == 8) return std::bit_cast<uint64_t>(value);
        if (place.bytes == 4) return std::bit_cast<uint32_t>(static_cast<float>(value));
        throw UsageError(fmt::format("{} is a float of {} bits: give its bytes as a file", printable(place.name, 100),
                                     8 * place.bytes));
    }
    if (place.kind == 'b') return value != 0;
    const double most = std::ldexp(1.0, static_cast<int>(std::min(8 * place.bytes, 53u)));
    if (value != std::floor(value) || value < (place.kind == 'i' ? -most / 2 : 0) || value >= most)
        throw UsageError(fmt::format("{}: {} is no {} number of {} bits", printable(place.name, 100),
                                     printable(text, 100), place.kind == 'i' ? "whole" : "unsigned", 8 * place.bytes));
    return value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
}

std::vector<std::byte> block_of(const std::vector<std::string>& values, const std::vector<ScalarPlace>& places,
                                uint64_t bytes, const std::string& what, std::array<uint32_t, 2> size) {
    if (values.size() != places.size()) {
        std::vector<std::string> names;
        for (size_t i = 0; i < std::min<size_t>(places.size(), 24); ++i) names.push_back(printable(places[i].name, 60));
        throw UsageError(fmt::format("{} takes {} ({}{}), and {} came", what, counted(places.size(), "number"),
                                     fmt::join(names, ", "), places.size() > names.size() ? ", .." : "",
                                     values.size()));
    }
    std::vector<std::byte> block(bytes);
    for (size_t i = 0; i < values.size(); ++i) {
        const uint64_t bits = bits_of(values[i], places[i], size);
        if (places[i].offset + uint64_t{places[i].bytes} > bytes) throw Error(what + " lies outside of its block");
        std::memcpy(block.data() + places[i].offset, &bits, places[i].bytes);
    }
    return block;
}

constexpr uint64_t max_resource_bytes = uint64_t{1} << 34;

/// The bytes of all levels and layers; max_resource_bytes + 1 if there are more.
uint64_t bytes_of(const SceneImage& image) {
    uint64_t bytes = 0;
    for (uint32_t level = 0; level < image.levels; ++level) {
        Coord texels = {0, 0, 0, image.layers};
        for (size_t i = 0; i < 3; ++i) texels[i] = std::max(image.size[i] >> level, 1u);
        bytes += std::min(element_count(texels), max_resource_bytes + 1) * image.texel_bytes;
        if (bytes > max_resource_bytes) return max_resource_bytes + 1;
    }
    return bytes;
}

class Maker {
public:
    Maker(const SceneText& text, const std::vector<TriedShader>& shaders, std::array<uint32_t, 2> size,
          const ReadFile& read_file)
        : text_(text), shaders_(shaders), size_(size), read_file_(read_file) {}

    Scene make() {
        if (text_.sampler != "linear" && text_.sampler != "nearest")
            throw UsageError(fmt::format("no sampler \"{}\": linear or nearest", printable(text_.sampler, 100)));
        require_size();
        for (const auto& [name, image] : text_.images) declare_image(name, image);
        each_use(text_, shaders_, [&](size_t, const ShaderResource& resource, const ResourceReference& reference) {
            if (is_image(resource.kind)) use_image(resource, reference);
        });
        require_memory();
        for (const auto& [name, image] : text_.images) fill_image(name, image);
        make_buffers();
        for (size_t i = 0; i < shaders_.size(); ++i) make_pass(i);
        find_written();
        return std::move(scene_);
    }

private:
    void require_size() const {
        if (size_[0] != 0 && size_[1] != 0) return;
        bool needs = false;
        for (const auto& [name, image] : text_.images) needs = needs || image.size[0] == 0;
        for (const PassText& pass : text_.passes) needs = needs || (pass.groups[0] == 0 && pass.over.empty());
        if (needs) throw UsageError(no_size);
    }

    std::array<uint32_t, 3> scaled(std::array<uint32_t, 3> size) const {
        if (size[0] == 0) return {size_[0], size_[1], 1};
        if (text_.size[0] == 0 || size_ == text_.size) return size;
        for (size_t i = 0; i < 2; ++i)
            size[i] = static_cast<uint32_t>((uint64_t{size[i]} * size_[i] + text_.size[i] - 1) / text_.size[i]);
        return size;
    }

    void declare_image(const std::string& name, const ImageText& image) {
        const std::string shown = printable(name, 100);
        if (image.format.empty())
            throw UsageError(fmt::format("which format does {} have? --format {}=RGBA16F", shown, shown));
        const probe::Format& format = probe::format_named(image.format);
        if (format.kind != probe::FormatKind::color && format.kind != probe::FormatKind::depth_stencil)
            throw UsageError(
                fmt::format("{}: images of {} cannot be made; choose a format of plain texels", shown, format.name));
        const std::vector<probe::Aspect> aspects = probe::aspects_of(format);
        if (aspects.size() != 1)
            throw UsageError(fmt::format("{}: {} has depth and stencil; take D32_SFLOAT", shown, format.name));
        SceneImage made;
        made.name = name;
        made.format = static_cast<VkFormat>(format.id);
        made.aspect = aspects.front().bit;
        made.texel_bytes = format.element.bytes;
        made.size = scaled(image.size);
        made.layers = image.layers;
        made.levels = image.levels;
        if (made.size[0] == 0 || made.size[1] == 0 || made.size[2] == 0)
            throw UsageError(fmt::format("{}: an image has no side of zero", shown));
        if (made.levels > static_cast<uint32_t>(std::bit_width(std::max({made.size[0], made.size[1], made.size[2]}))))
            throw UsageError(
                fmt::format("{}: {}x{} texels have no {} levels", shown, made.size[0], made.size[1], made.levels));
        images_[name] = scene_.images.size();
        scene_.images.push_back(std::move(made));
    }

    void use_image(const ShaderResource& resource, const ResourceReference& reference) {
        SceneImage& image = scene_.images.at(images_.at(reference.name));
        image.is_sampled = image.is_sampled || resource.kind != ResourceKind::storage_image;
        image.is_storage = image.is_storage || resource.kind == ResourceKind::storage_image;
        if (resource.dim == spv::Dim::Dim3D) image.type = VK_IMAGE_TYPE_3D;
        if (resource.dim == spv::Dim::Dim1D) {
            image.type = VK_IMAGE_TYPE_1D;
            image.size[1] = 1;
        }
        const std::string shown = printable(image.name, 100);
        const probe::Format& format = *probe::find_format(static_cast<uint32_t>(image.format));
        const std::vector<probe::Component> components = probe::components_of(format);
        const std::string_view numeric = components.empty() ? "" : components.front().numeric;
        const char numbers = numeric == "UINT" ? 'u' : numeric == "SINT" ? 'i' : 'f';
        if (numbers != resource.numbers)
            throw UsageError(
                fmt::format("{}: {} holds other numbers than the shader reads there ({}): give it another --format",
                            shown, format.name,
                            resource.numbers == 'f'   ? "floating point"
                            : resource.numbers == 'i' ? "signed integers"
                                                      : "unsigned integers"));
        if (image.type == VK_IMAGE_TYPE_3D && (resource.dim != spv::Dim::Dim3D || image.layers > 1))
            throw UsageError(fmt::format("{} is used as an image of 3 and of 2 dimensions", shown));
    }

    void require_memory() const {
        uint64_t bytes = 0;
        const auto add = [&](const std::string& name, uint64_t more) {
            bytes += std::min(more, max_resource_bytes + 1);
            if (bytes > max_scene_bytes_)
                throw Error(
                    fmt::format("the scene is too large: with {} it has more than {} MiB; take a smaller --size",
                                printable(name, 100), max_scene_bytes_ >> 20));
        };
        for (const SceneImage& image : scene_.images) add(image.name, bytes_of(image));
        for (const auto& [name, buffer] : text_.buffers) add(name, buffer.bytes);
    }

    void fill_image(const std::string& name, const ImageText& text) {
        SceneImage& image = scene_.images.at(images_.at(name));
        const uint64_t bytes = bytes_of(image);
        const auto format = static_cast<uint32_t>(image.format);
        const bool is_png = text.contents.ends_with(".png") || text.contents.ends_with(".PNG");
        if (!is_made_contents(text.contents) && !is_png) {
            image.initial = file_bytes(name, text.contents, bytes);
            return;
        }
        const std::string file = is_png ? read_file_(text.contents) : "";
        const uint64_t seed = std::hash<std::string>()(name);
        for (uint32_t level = 0; level < image.levels; ++level)
            for (uint32_t layer = 0; layer < image.layers; ++layer) {
                const std::array<uint32_t, 3> size = {std::max(image.size[0] >> level, 1u),
                                                      std::max(image.size[1] >> level, 1u),
                                                      std::max(image.size[2] >> level, 1u)};
                const std::vector<std::byte> texels =
                    is_png ? texels_of_png(text.contents, file, format, size)
                           : made_texels(text.contents, format, size, seed + 64 * layer + level);
                image.initial.insert(image.initial.end(), texels.begin(), texels.end());
            }
        if (image.initial.size() != bytes) throw Error(fmt::format("{} was not filled", printable(name, 100)));
    }

    std::vector<std::byte> file_bytes(const std::string& name, const std::string& path, uint64_t bytes) const {
        const std::string file = read_file_(path);
        if (file.size() < bytes && size_ == text_.size)
            throw Error(fmt::format("{}: has {} bytes, and {} takes {}", printable(path, 200), file.size(),
                                    printable(name, 100), bytes));
        std::vector<std::byte> made(bytes);
        // At the odd size the file's bytes are repeated.
        for (uint64_t i = 0; i < bytes && !file.empty(); i += file.size())
            std::memcpy(made.data() + i, file.data(), std::min<uint64_t>(file.size(), bytes - i));
        return made;
    }

    void make_buffers() {
        std::map<std::string, const ShaderResource*> first;
        std::map<std::string, bool> uniform;
        each_use(text_, shaders_, [&](size_t, const ShaderResource& resource, const ResourceReference& reference) {
            if (!is_buffer(resource.kind)) return;
            first.try_emplace(reference.name, &resource);
            uniform[reference.name] |= resource.kind == ResourceKind::uniform_buffer;
            const BufferText& buffer = text_.buffers.at(reference.name);
            if (buffer.bytes != 0 && buffer.bytes < resource.bytes)
                throw UsageError(fmt::format("{}: has {} bytes, and the shader reads {}",
                                             printable(reference.name, 100), buffer.bytes, resource.bytes));
        });
        for (const auto& [name, resource] : first) {
            const BufferText& text = text_.buffers.at(name);
            const std::string shown = printable(name, 100);
            const bool has_values = text.contents.starts_with("values:");
            const bool is_made = is_made_contents(text.contents) || has_values;
            SceneBuffer buffer = {name, uniform[name], {}};
            uint64_t bytes = text.bytes;
            const std::string file = is_made || text.contents.empty() ? "" : read_file_(text.contents);
            if (bytes == 0 && !file.empty()) bytes = file.size();
            if (bytes == 0 && has_values && resource->stride > 0)
                throw UsageError(fmt::format(
                    "how many bytes does {} have, whose array may have any length? --buffer {}=65536:values:.. takes "
                    "the {} before the array, and the array is zero; else =65536:noise, or a file",
                    shown, shown, counted(resource->scalars.size(), "number")));
            if (bytes == 0)
                throw UsageError(fmt::format("how many bytes does {} have? --buffer {}=65536{}, or a file", shown,
                                             shown, has_values ? ":" + printable(text.contents, 40) : ""));
            if (text.contents.empty()) {
                std::vector<std::string> names;
                for (size_t i = 0; i < std::min<size_t>(resource->scalars.size(), 12); ++i)
                    names.push_back(printable(resource->scalars[i].name, 60));
                const bool has_more = resource->scalars.size() > names.size();
                throw UsageError(
                    fmt::format("what is in {}? --buffer {}=values:.. ({}{}), =noise, =zero, or a file", shown, shown,
                                fmt::join(names, ","),
                                has_more ? fmt::format(",..: {} numbers", resource->scalars.size()) : std::string()));
            }
            if (bytes > max_scene_bytes_)
                throw Error(fmt::format("{}: {} bytes are more than the {} MiB of a scene", shown, bytes,
                                        max_scene_bytes_ >> 20));
            bytes = (bytes + 3) / 4 * 4;
            if (has_values)
                buffer.initial = block_of(split_fields(text.contents.substr(std::string_view("values:").size())),
                                          resource->scalars, bytes, shown, size_);
            else if (is_made)
                buffer.initial = made_bytes(text.contents, bytes, std::hash<std::string>()(name));
            else
                buffer.initial =
                    file_bytes(name, text.contents, std::min<uint64_t>(bytes, std::max<uint64_t>(file.size(), 4)));
            buffer.initial.resize(bytes);
            buffers_[name] = scene_.buffers.size();
            scene_.buffers.push_back(std::move(buffer));
        }
    }

    void make_pass(size_t place) {
        const TriedShader& shader = shaders_[place];
        const PassText& text = text_.passes[place];
        ScenePass pass;
        pass.name = shader.name;
        pass.entry = shader.reflection.entry.name;
        pass.spirv = shader.spirv;
        if (shader.reflection.push_bytes > 0)
            pass.push = block_of(text.push, shader.reflection.push, (shader.reflection.push_bytes + 3) / 4 * 4,
                                 fmt::format("{}: --push", printable(shader.name, 200)), size_);
        else if (!text.push.empty())
            throw UsageError(fmt::format("{}: has no push constants", printable(shader.name, 200)));
        for (const auto& [name, value] : text.constants) {
            const auto& all = shader.reflection.constants;
            const auto found = std::ranges::find_if(all, [&wanted = name](const SpecConstant& each) {
                return each.name == wanted || std::to_string(each.id) == wanted;
            });
            if (found == all.end()) {
                std::vector<std::string> names;
                names.reserve(all.size());
                for (const SpecConstant& each : all) names.push_back(printable(each.name, 100));
                throw UsageError(fmt::format("{}: has no specialization constant {}; it has: {}",
                                             printable(shader.name, 200), printable(name, 100),
                                             names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
            }
            pass.constants[found->id] = {found->place.bytes, bits_of(value, found->place, size_)};
        }
        std::map<uint32_t, uint64_t> values;
        for (const auto& [id, value] : pass.constants) values[id] = value.second;
        const std::array<uint32_t, 3> local = local_size_of(shader.reflection, values);
        for (const uint32_t side : local)
            if (side == 0)
                throw UsageError(fmt::format("{}: its workgroups have a side of zero", printable(shader.name, 200)));
        pass.groups = text.groups;
        if (text.groups[0] == 0) {
            const std::array<uint32_t, 3> over = covered(text);
            for (size_t i = 0; i < 3; ++i) pass.groups[i] = (over[i] + local[i] - 1) / local[i];
        }
        for (const ShaderResource& resource : shader.reflection.resources)
            pass.bindings.push_back(bound(text, resource));
        scene_.passes.push_back(std::move(pass));
    }

    std::array<uint32_t, 3> covered(const PassText& text) const {
        if (text.over.empty()) return {size_[0], size_[1], 1};
        const ResourceReference reference = reference_in(text.over);
        const auto image = images_.find(reference.name);
        if (image == images_.end())
            throw UsageError(fmt::format("--over: the scene has no image {}", printable(reference.name, 100)));
        std::array<uint32_t, 3> size = scene_.images[image->second].size;
        for (uint32_t& side : size) side = std::max(side >> reference.level.value_or(0), 1u);
        return size;
    }

    SceneBinding bound(const PassText& text, const ShaderResource& resource) const {
        SceneBinding binding = {resource.set,
                                resource.binding,
                                resource.kind,
                                resource.dim == spv::Dim::Dim3D,
                                resource.dim == spv::Dim::Dim1D,
                                resource.is_arrayed,
                                {}};
        const auto sampler =
            text_.sampler == "nearest" ? SceneResource::Kind::nearest_sampler : SceneResource::Kind::linear_sampler;
        binding.sampler = sampler;
        if (resource.kind == ResourceKind::sampler) {
            binding.resources.assign(resource.count, {sampler, 0, {}});
            return binding;
        }
        for (const ResourceReference& reference : references_of(text, resource)) {
            if (is_image(resource.kind)) {
                const size_t place = images_.at(reference.name);
                if (reference.level.value_or(0) >= scene_.images[place].levels)
                    throw UsageError(
                        fmt::format("{} has no level {}", printable(reference.name, 100), *reference.level));
                binding.resources.push_back({SceneResource::Kind::image, place, reference.level});
            } else {
                binding.resources.push_back({SceneResource::Kind::buffer, buffers_.at(reference.name), {}});
            }
        }
        return binding;
    }

    void find_written() {
        std::set<size_t> images, buffers;
        std::set<std::string> seen, read_first;
        each_use(text_, shaders_, [&](size_t pass, const ShaderResource& resource, const ResourceReference& reference) {
            // Levels of one image are read and written independently.
            const std::string place = fmt::format("{}@{}", reference.name, reference.level.value_or(0));
            if (seen.insert(place).second && resource.is_read) read_first.insert(place);
            if (!resource.is_written) return;
            if (read_first.contains(place)) scene_.changes_its_input = true;
            if (is_image(resource.kind)) {
                images.insert(images_.at(reference.name));
            } else {
                buffers.insert(buffers_.at(reference.name));
                if (shaders_[pass].reflection.has_float_atomics)
                    scene_.float_sum_buffers.insert(buffers_.at(reference.name));
            }
        });
        scene_.written_images.assign(images.begin(), images.end());
        scene_.written_buffers.assign(buffers.begin(), buffers.end());
        if (images.empty() && buffers.empty()) throw UsageError("the shaders write nothing that could be checked");
    }

    const SceneText& text_;
    const std::vector<TriedShader>& shaders_;
    std::array<uint32_t, 2> size_;
    const ReadFile& read_file_;
    static constexpr uint64_t max_scene_bytes_ = uint64_t{2} << 30;
    std::map<std::string, size_t> images_, buffers_;
    Scene scene_;
};

}  // namespace

Scene make_scene(const SceneText& scene, const std::vector<TriedShader>& shaders, std::array<uint32_t, 2> size,
                 const ReadFile& read_file) {
    return Maker(scene, shaders, size, read_file).make();
}

std::array<uint32_t, 2> odd_size(std::array<uint32_t, 2> size) {
    // Primes: no workgroup size divides them.
    constexpr std::array<uint32_t, 2> small = {211, 109};
    std::array<uint32_t, 2> odd = {};
    for (size_t i = 0; i < 2; ++i) odd[i] = size[i] > small[i] ? small[i] : std::max(1u, (size[i] - 1) | 1u);
    return odd;
}

ShaderGrid grid_of(const Scene& scene, const SceneText& text, const std::vector<TriedShader>& shaders) {
    const ScenePass& pass = scene.passes.at(text.varied);
    std::map<uint32_t, uint64_t> values;
    for (const auto& [id, value] : pass.constants) values[id] = value.second;
    return {local_size_of(shaders.at(text.varied).reflection, values), pass.groups};
}

}  // namespace tilewise
