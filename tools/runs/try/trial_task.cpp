#include "tools/runs/try/trial_task.h"
#include <cstdlib>

namespace tilewise {

using namespace kernels;
using namespace probe::worker;
using Json = nlohmann::json;

// The JSON has everything but the contents of images and buffers. These follow as bytes: for each scene its images,
// then its buffers.
namespace kernels {

void to_json(Json& json, const SceneResource& resource) {
    json = {{"kind", resource.kind}, {"place", resource.place}};
    if (resource.level) json["level"] = *resource.level;
}
void from_json(const Json& json, SceneResource& resource) {
    json.at("kind").get_to(resource.kind);
    json.at("place").get_to(resource.place);
    if (json.contains("level")) resource.level = json["level"].get<uint32_t>();
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SceneImage, name, format, type, size, layers, levels, texel_bytes, is_sampled,
                                   is_storage, aspect)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SceneBuffer, name, is_uniform)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SceneBinding, set, binding, kind, is_3d, is_1d, is_arrayed, resources, sampler)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ScenePass, name, entry, spirv, groups, bindings, push, constants)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Scene, images, buffers, passes, written_images, written_buffers, changes_its_input,
                                   float_sum_buffers)

}  // namespace kernels

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DispatchedVariant, spirv, groups, constants)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialVariant, name, in_scenes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Trial, scenes, odd_size, varied_pass, variants, device, device_name, seconds,
                                   timeout_seconds, planned, float_sums_within)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialState, failures, is_right, over_original, is_last)

namespace {

template <typename Scenes, typename Use>
bool each_content(Scenes& scenes, const Use& use) {
    for (auto& scene : scenes) {
        for (auto& image : scene.images)
            if (!use(image.initial)) return false;
        for (auto& buffer : scene.buffers)
            if (!use(buffer.initial)) return false;
    }
    return true;
}

bool receive_all(Stream& channel, void* data, size_t size) {
    for (auto* at = static_cast<char*>(data); size > 0;) {
        const std::optional<size_t> got = channel.receive(at, size);
        if (!got) return false;
        at += *got;
        size -= *got;
        constexpr std::chrono::milliseconds for_ever(-1);
        const Stream* const stream = &channel;
        if (*got == 0) wait_for_streams({&stream, 1}, for_ever);
    }
    return true;
}

/// Sends the size, then that many bytes.
template <typename Bytes>
bool send_sized(Stream& channel, const Bytes& bytes) {
    const uint64_t size = bytes.size();
    return channel.send(&size, sizeof size) && channel.send(bytes.data(), bytes.size());
}
template <typename Bytes>
bool receive_sized(Stream& channel, Bytes& bytes) {
    uint64_t size = 0;
    if (!receive_all(channel, &size, sizeof size)) return false;
    bytes.resize(size);
    return receive_all(channel, bytes.data(), bytes.size());
}

}  // namespace

bool send_trial(Stream& channel, const Trial& trial, const TrialState& state) {
    std::string message;
    Json::to_cbor(Json{{"trial", trial}, {"state", state}}, message);
    return send_sized(channel, message) &&
           each_content(trial.scenes, [&](const std::vector<std::byte>& bytes) { return send_sized(channel, bytes); });
}

int play_trial(Playing& playing) {
    Stream& channel = playing.channel;
    std::string message;
    if (!receive_sized(channel, message)) return 1;
    const Json json = Json::from_cbor(message);
    auto trial = json.at("trial").get<Trial>();
    if (!each_content(trial.scenes, [&](std::vector<std::byte>& bytes) { return receive_sized(channel, bytes); }))
        return 1;
    const auto say = [&](const Json& said) {
        const std::string line = said.dump(-1, ' ', true, Json::error_handler_t::replace) + '\n';
        if (!channel.send(line.data(), line.size())) std::_Exit(1);
    };
    work_on_trial(trial, json.at("state").get<TrialState>(), say);
    // Exits at once: freeing anything that a device still works with would wait for the device.
    channel.close();
    std::_Exit(0);
}

}  // namespace tilewise
