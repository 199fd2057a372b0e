#include "patterns/model/image_layout_json.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace tilewise {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr size_t max_subresources = 1 << 16;  // entries: layers at a constant distance are one

/// An object and its name in error messages.
struct Object {
    const json& value;
    std::string path;

    [[noreturn]] void fail(const char* name, const std::string& what) const {
        throw Error(fmt::format("image layout: \"{}{}\" {}", path, name, what));
    }
    const json& at(const char* name) const {
        if (!value.is_object() || !value.contains(name)) fail(name, "is missing");
        return value[name];
    }
    std::string text(const char* name) const {
        if (!at(name).is_string()) fail(name, "must be a string");
        return at(name).get<std::string>();
    }
    template <class Number>
    Number number(const char* name, const json& from, Number min) const {
        constexpr uint64_t max = std::numeric_limits<Number>::max();
        const bool is_number = from.is_number_unsigned() || (from.is_number_integer() && from.get<int64_t>() >= 0);
        if (!is_number || from.get<uint64_t>() < min || from.get<uint64_t>() > max)
            fail(name, fmt::format("must be a whole number from {} to {}", min, max));
        return static_cast<Number>(from.get<uint64_t>());
    }
    ImageType image_type(const char* name) const {
        try {
            return image_type_from_name(text(name));
        } catch (const UsageError&) {
            fail(name, "must be 1D, 2D or 3D");
        }
    }
    uint32_t count(const char* name) const { return number<uint32_t>(name, at(name), 1); }
    uint32_t index(const char* name) const { return number<uint32_t>(name, at(name), 0); }
    uint64_t bytes(const char* name) const { return number<uint64_t>(name, at(name), 0); }
    Extent_px extent(const char* name) const {
        const json& sides = at(name);
        if (!sides.is_array() || sides.size() != 3) fail(name, "must be three numbers");
        Extent_px extent = {};
        for (size_t i = 0; i < extent.size(); i++) extent[i] = number<uint32_t>(name, sides[i], 1);
        return extent;
    }
};

ordered_json part_json(const Subresource& part, bool disjoint) {
    ordered_json json = {{"aspect", aspect_name(part.aspect)},
                         {"level", part.level},
                         {"layer", part.layer},
                         {"layers", part.layers},
                         {"layer_stride", part.layer_stride_B},
                         {"extent", part.extent_px}};
    if (disjoint) {
        json["bytes"] = part.bytes;
        json["alignment"] = part.alignment;
    }
    json["layout"] = to_json(part.layout);
    return json;
}

Aspect aspect_from_json(const Object& from) {
    try {
        return aspect_from_name(from.text("aspect"));
    } catch (const UsageError& error) {
        from.fail("aspect", fmt::format("is wrong: {}", error.what()));
    }
}

SparseAspect sparse_from_json(const Object& from) {
    SparseAspect sparse = {aspect_from_json(from), {}};
    try {
        sparse.blocks = sparse_blocks_from_json(from.value);
    } catch (const Error& error) {
        throw Error(fmt::format("image layout: \"{}\": {}", from.path, error.what()));
    }
    return sparse;
}

Subresource part_from_json(const Object& from) {
    Subresource part;
    part.aspect = aspect_from_json(from);
    part.level = from.index("level");
    part.layer = from.index("layer");
    part.layers = from.count("layers");
    part.layer_stride_B = from.bytes("layer_stride");
    part.extent_px = from.extent("extent");
    if (from.value.contains("bytes")) part.bytes = from.bytes("bytes");
    if (from.value.contains("alignment")) part.alignment = from.bytes("alignment");
    try {
        part.layout = layout_from_json(from.at("layout"));
    } catch (const Error& error) {
        from.fail("layout", fmt::format("is wrong: {}", error.what()));
    }
    return part;
}

}  // namespace

ordered_json to_json(const ImageLayout& image) {
    ordered_json object = {{"format", image.format},
                           {"usage", image.usage},
                           {"image_type", image.type},
                           {"extent", image.extent_px},
                           {"levels", image.levels},
                           {"layers", image.layers},
                           {"samples", image.samples},
                           {"flags", image.flags},
                           {"bytes", image.bytes},
                           {"alignment", image.alignment},
                           {"source", layout_source_name(image.source)},
                           {"evidence", image.evidence}};
    for (const auto& [aspect, blocks] : image.sparse) {
        ordered_json sparse = {{"aspect", aspect_name(aspect)}};
        sparse.update(to_json(blocks));
        object["sparse"].push_back(std::move(sparse));
    }
    object["subresources"] = ordered_json::array();
    for (const Subresource& part : image.subresources)
        object["subresources"].push_back(part_json(part, is_disjoint(image)));
    return object;
}

ImageLayout image_layout_from_json(const json& object) {
    const Object from = {object, ""};
    ImageLayout image;
    image.format = from.text("format");
    image.usage = from.text("usage");
    image.type = from.image_type("image_type");
    image.extent_px = from.extent("extent");
    image.levels = from.count("levels");
    image.layers = from.count("layers");
    image.samples = from.count("samples");
    image.flags = from.text("flags");
    image.bytes = from.bytes("bytes");
    image.alignment = from.bytes("alignment");
    try {
        image.source = layout_source_from_name(from.text("source"));
    } catch (const UsageError& error) {
        from.fail("source", fmt::format("is wrong: {}", error.what()));
    }
    image.evidence = from.text("evidence");
    if (object.contains("sparse")) {
        const json& sparse = object["sparse"];
        if (!sparse.is_array() || sparse.size() > aspect_count) from.fail("sparse", "must be a list of aspects");
        for (size_t i = 0; i < sparse.size(); i++)
            image.sparse.push_back(sparse_from_json({sparse[i], fmt::format("sparse[{}].", i)}));
    }
    const json& parts = from.at("subresources");
    if (!parts.is_array() || parts.size() > max_subresources) from.fail("subresources", "must be a list of them");
    for (size_t i = 0; i < parts.size(); i++)
        image.subresources.push_back(part_from_json({parts[i], fmt::format("subresources[{}].", i)}));
    require_consistent(image);
    return image;
}

}  // namespace tilewise
