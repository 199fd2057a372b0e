#include "tools/runs/try/scene_text.h"
#include "patterns/model/error.h"
#include "patterns/model/json_limits.h"
#include "patterns/model/text.h"
#include <fmt/format.h>
#include <type_traits>

namespace tilewise {

using Json = nlohmann::ordered_json;

namespace {

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

}  // namespace tilewise
