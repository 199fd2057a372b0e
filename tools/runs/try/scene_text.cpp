#include "tools/runs/try/scene_text.h"
#include "patterns/model/error.h"
#include "patterns/model/json_limits.h"
#include "patterns/model/layout.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include "tools/runs/try/contents.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <type_traits>

namespace tilewise {

using namespace kernels;
using Json = nlohmann::ordered_json;

namespace {

// ------------------------------------------------------------------------------------------------------------ JSON

/// The member, or its default. Throws Error if it has another type.
template <typename T>
T member(const Json& json, const char* name, T value) {
    const auto found = json.find(name);
    if (found == json.end()) return value;
    const auto refuse = [&] {
        throw Error(fmt::format("the scene's member \"{}\" is not a value of its kind: --print-scene shows one", name));
    };
    // The JSON library would convert 1e99 to some whole number.
    const auto is_whole = [](const Json& number) { return number.is_number_integer(); };
    if constexpr (std::is_same_v<T, int64_t>)
        if (!is_whole(*found)) refuse();
    if constexpr (std::is_same_v<T, uint64_t>)
        if (!found->is_number_unsigned()) refuse();
    if constexpr (std::is_same_v<T, std::vector<int64_t>>)
        if (!found->is_array() || !std::ranges::all_of(*found, is_whole)) refuse();
    try {
        value = found->get<T>();
    } catch (const Json::exception&) {
        refuse();
    }
    return value;
}

void require_members(const Json& json, const char* what, std::initializer_list<std::string_view> known) {
    if (!json.is_object()) throw Error(fmt::format("the scene's {} is not an object: --print-scene shows one", what));
    for (const auto& [name, value] : json.items())
        if (std::ranges::count(known, name) == 0)
            throw Error(fmt::format("the scene's {} has a member \"{}\", which is none of: {}", what,
                                    printable(name, 100), fmt::join(known, ", ")));
}

std::array<uint32_t, 3> three(const Json& json, const char* name) {
    const auto sides = member<std::vector<int64_t>>(json, name, {});
    std::array<uint32_t, 3> made = {0, 0, 0};
    if (sides.empty()) return made;
    made = {1, 1, 1};
    constexpr int64_t most = 1 << 20;
    for (const int64_t side : sides)
        if (side < 0 || side > most || sides.size() > 3)
            throw Error(
                fmt::format("the scene's member \"{}\" is not a list of up to three numbers of up to {}", name, most));
    std::ranges::copy(sides, made.begin());
    return made;
}

uint32_t counted_member(const Json& json, const char* name) {
    const auto value = member<int64_t>(json, name, 1);
    constexpr int64_t most = 2048;
    if (value < 1 || value > most) throw Error(fmt::format("the scene's member \"{}\" is not 1 to {}", name, most));
    return static_cast<uint32_t>(value);
}

Json object_or(const Json& json, const char* name) { return member<Json>(json, name, Json::object()); }

/// The text of a scalar: numbers may be written as JSON numbers.
std::string scalar_text(const Json& json) { return json.is_string() ? json.get<std::string>() : json.dump(); }

PassText pass_from_json(const Json& json) {
    require_members(json, "pass",
                    {"shader", "entry", "groups", "over", "push", "constants", "bindings", "defines", "varied"});
    PassText pass;
    pass.shader = member<std::string>(json, "shader", "");
    pass.entry = member<std::string>(json, "entry", "");
    pass.groups = three(json, "groups");
    pass.over = member<std::string>(json, "over", "");
    const Json push = member<Json>(json, "push", Json::array()), constants = object_or(json, "constants"),
               defines = object_or(json, "defines"), bindings = object_or(json, "bindings");
    for (const Json* part : {&constants, &defines, &bindings})
        if (!part->is_object())
            throw Error("a pass of the scene has constants, defines or bindings that are not an object with names");
    for (const Json& value : push) pass.push.push_back(scalar_text(value));
    for (const auto& [name, value] : constants.items()) pass.constants[name] = scalar_text(value);
    for (const auto& [name, value] : defines.items()) pass.defines.emplace_back(name, scalar_text(value));
    for (const auto& [name, value] : bindings.items()) {
        if (value.is_string()) pass.bindings[name] = {value.get<std::string>()};
        if (value.is_array())
            for (const Json& each : value) pass.bindings[name].push_back(scalar_text(each));
    }
    if (pass.shader.empty()) throw Error("a pass of the scene names no \"shader\"");
    return pass;
}

}  // namespace

SceneText scene_from_json(const std::string& text) {
    require_json_limits(text, "the scene");
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) throw Error("the scene is not JSON");
    require_members(json, "document", {"size", "sampler", "images", "buffers", "passes"});
    SceneText scene;
    const auto size = three(json, "size");
    scene.size = {size[0], size[1]};
    scene.sampler = member<std::string>(json, "sampler", "linear");
    const Json images = object_or(json, "images"), buffers = object_or(json, "buffers");
    if (!images.is_object() || !buffers.is_object())
        throw Error("the scene's \"images\" and \"buffers\" are objects, by name");
    for (const auto& [name, value] : images.items()) {
        require_members(value, "image", {"format", "size", "layers", "levels", "contents"});
        scene.images[name] = {member<std::string>(value, "format", ""), three(value, "size"),
                              counted_member(value, "layers"), counted_member(value, "levels"),
                              member<std::string>(value, "contents", "")};
    }
    for (const auto& [name, value] : buffers.items()) {
        require_members(value, "buffer", {"bytes", "contents"});
        scene.buffers[name] = {member<uint64_t>(value, "bytes", 0), member<std::string>(value, "contents", "")};
    }
    const Json passes = member<Json>(json, "passes", Json::array());
    if (!passes.is_array() || passes.empty()) throw Error("the scene has no \"passes\"");
    for (const Json& pass : passes) {
        if (pass.is_object() && member<bool>(pass, "varied", false)) scene.varied = scene.passes.size();
        scene.passes.push_back(pass_from_json(pass));
    }
    return scene;
}

nlohmann::ordered_json to_json(const SceneText& scene) {
    Json json = {{"size", scene.size},
                 {"sampler", scene.sampler},
                 {"images", Json::object()},
                 {"buffers", Json::object()},
                 {"passes", Json::array()}};
    for (const auto& [name, image] : scene.images) {
        Json one = {{"format", image.format}};
        if (image.size[0] != 0) one["size"] = image.size;
        if (image.layers > 1) one["layers"] = image.layers;
        if (image.levels > 1) one["levels"] = image.levels;
        one["contents"] = image.contents;
        json["images"][name] = one;
    }
    for (const auto& [name, buffer] : scene.buffers)
        json["buffers"][name] = {{"bytes", buffer.bytes}, {"contents", buffer.contents}};
    for (size_t i = 0; i < scene.passes.size(); ++i) {
        const PassText& pass = scene.passes[i];
        Json one = {{"shader", pass.shader}};
        if (!pass.entry.empty()) one["entry"] = pass.entry;
        if (pass.groups[0] != 0) one["groups"] = pass.groups;
        if (!pass.over.empty()) one["over"] = pass.over;
        one["push"] = pass.push;
        one["constants"] = pass.constants;
        if (!pass.defines.empty())
            for (const auto& [name, value] : pass.defines) one["defines"][name] = value;
        one["bindings"] = Json::object();
        for (const auto& [name, to] : pass.bindings) one["bindings"][name] = to;
        one["varied"] = i == scene.varied;
        json["passes"].push_back(one);
    }
    return json;
}

namespace {

// ------------------------------------------------------------------------------------------------ what follows

struct Reference {
    std::string name;
    std::optional<uint32_t> level;
};

Reference reference_in(const std::string& text) {
    const size_t at = text.rfind('@');
    if (at == std::string::npos) return {text, {}};
    uint32_t level = 0;
    const auto parsed = std::from_chars(text.data() + at + 1, text.data() + text.size(), level);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || level > 15)
        throw UsageError(fmt::format("{}: after @ stands a level, 0 to 15", printable(text, 100)));
    return {text.substr(0, at), level};
}

/// An array of images stands for many images, each with a name of its own.
std::string element_name(const ShaderResource& resource, uint32_t i) {
    return resource.count == 1 ? resource.name : fmt::format("{}_{}", resource.name, i);
}

/// What the scene says about an array holds for each element that it does not mention.
template <typename Text>
void spread_over_elements(std::map<std::string, Text>& texts, const ShaderResource& resource) {
    const auto whole = texts.find(resource.name);
    if (resource.count == 1 || whole == texts.end()) return;
    for (uint32_t i = 0; i < resource.count; ++i) texts.emplace(element_name(resource, i), whole->second);
    texts.erase(whole);
}

std::vector<Reference> references_of(const PassText& pass, const ShaderResource& resource) {
    const auto bound = pass.bindings.find(resource.name);
    std::vector<Reference> made;
    if (bound == pass.bindings.end())
        for (uint32_t i = 0; i < resource.count; ++i) made.push_back({element_name(resource, i), {}});
    else
        for (const std::string& each : bound->second) made.push_back(reference_in(each));
    if (made.size() != resource.count)
        throw UsageError(fmt::format("{} is an array of {} resources, and the scene binds {}",
                                     printable(resource.name, 100), resource.count, made.size()));
    return made;
}

/// Visits every resource of every pass, with what it is bound to.
template <typename Visit>
void each_use(const SceneText& scene, const std::vector<TriedShader>& shaders, const Visit& visit) {
    for (size_t pass = 0; pass < shaders.size(); ++pass)
        for (const ShaderResource& resource : shaders[pass].reflection.resources) {
            if (resource.kind == ResourceKind::sampler) continue;
            for (const Reference& reference : references_of(scene.passes[pass], resource))
                visit(pass, resource, reference);
        }
}

std::string names_of(const std::vector<TriedShader>& shaders, bool images) {
    std::vector<std::string> names;
    for (const TriedShader& shader : shaders)
        for (const ShaderResource& resource : shader.reflection.resources)
            if (images ? is_image(resource.kind) : is_buffer(resource.kind))
                names.push_back(printable(resource.name, 100));
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void fill_in(SceneText& scene, const std::vector<TriedShader>& shaders) {
    for (size_t pass = 0; pass < shaders.size(); ++pass)
        for (const ShaderResource& resource : shaders[pass].reflection.resources)
            if (!scene.passes[pass].bindings.contains(resource.name)) {
                if (is_image(resource.kind)) spread_over_elements(scene.images, resource);
                if (is_buffer(resource.kind)) spread_over_elements(scene.buffers, resource);
            }
    std::set<std::string> used, read_first, seen;
    each_use(scene, shaders, [&](size_t pass, const ShaderResource& resource, const Reference& reference) {
        used.insert(reference.name);
        // What a pass reads before any pass has written it must have contents.
        if (seen.insert(reference.name).second && resource.is_read) read_first.insert(reference.name);
        if (is_image(resource.kind)) {
            ImageText& image = scene.images[reference.name];
            if (resource.format != VK_FORMAT_UNDEFINED) {
                const std::string of_shader = probe::format_name(static_cast<uint32_t>(resource.format));
                if (image.format.empty()) image.format = of_shader;
                // A GLSL shader states the format; for HLSL's float4 the compiler chose it.
                if (image.format != of_shader && shaders[pass].language == ShaderLanguage::glsl)
                    throw UsageError(
                        fmt::format("{} is {}: the shader declares {}, and the image must have that format",
                                    printable(reference.name, 100), image.format, of_shader));
            }
            if (reference.level) image.levels = std::max(image.levels, *reference.level + 1);
            return;
        }
        BufferText& buffer = scene.buffers[reference.name];
        if (buffer.bytes == 0 && resource.stride == 0) buffer.bytes = resource.bytes;
    });
    for (const auto& [name, image] : scene.images)
        if (!used.contains(name))
            throw UsageError(
                fmt::format("no shader has an image {}; there are: {}", printable(name, 100), names_of(shaders, true)));
    for (const auto& [name, buffer] : scene.buffers)
        if (!used.contains(name))
            throw UsageError(fmt::format("no shader has a buffer {}; there are: {}", printable(name, 100),
                                         names_of(shaders, false)));
    for (auto& [name, image] : scene.images)
        if (image.contents.empty()) image.contents = read_first.contains(name) ? "noise" : "poison";
    each_use(scene, shaders, [&](size_t, const ShaderResource& resource, const Reference& reference) {
        if (!is_buffer(resource.kind)) return;
        BufferText& buffer = scene.buffers[reference.name];
        if (buffer.contents.empty() && resource.kind == ResourceKind::storage_buffer) {
            if (resource.is_written)
                buffer.contents = read_first.contains(reference.name) ? "zero" : "poison";
            else if (buffer.bytes != 0 && resource.stride != 0)
                buffer.contents = "noise";
        }
    });
}

namespace {

// ----------------------------------------------------------------------------------------------------- numbers

double number_in(const std::string& text, std::array<uint32_t, 2> size) {
    const std::array<std::pair<std::string_view, double>, 4> words = {
        {{"width", size[0]}, {"height", size[1]}, {"1/width", 1.0 / size[0]}, {"1/height", 1.0 / size[1]}}};
    for (const auto& [word, value] : words)
        if (text == word) return value;
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
        each_use(text_, shaders_, [&](size_t, const ShaderResource& resource, const Reference& reference) {
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
        bool needs = text_.images.empty();
        for (const auto& [name, image] : text_.images) needs = needs || image.size[0] == 0;
        for (const PassText& pass : text_.passes) needs = needs || (pass.groups[0] == 0 && pass.over.empty());
        if (needs) throw UsageError("how large is the scene? --size 3840x2160");
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

    void use_image(const ShaderResource& resource, const Reference& reference) {
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
        each_use(text_, shaders_, [&](size_t, const ShaderResource& resource, const Reference& reference) {
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
                throw UsageError(fmt::format("what is in {}? --buffer {}=values:.. ({}), =noise, =zero, or a file",
                                             shown, shown, fmt::join(names, ",")));
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
        const Reference reference = reference_in(text.over);
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
        for (const Reference& reference : references_of(text, resource)) {
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
        each_use(text_, shaders_, [&](size_t pass, const ShaderResource& resource, const Reference& reference) {
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
