#include "probe/worker/child.h"
#include "probe/device_info.h"
#include "probe/invocations/order_shaders.h"
#include "probe/routes/routes.h"
#include "probe/worker/protocol.h"
#include <memory>

namespace tilewise::probe {

namespace {

struct Session {
    vulkan::Instance instance;
    std::unique_ptr<Bench> bench;  ///< goes before the instance
    uint32_t bench_device = 0;

    void open() {
        if (!instance.handle) open_instance(instance);
    }

    Bench& bench_of(uint32_t device) {
        open();
        if (device >= instance.devices.size()) throw Error(fmt::format("there is no device {} any more", device));
        if (!bench || bench_device != device) {
            bench.reset();
            auto opened = std::make_unique<Bench>();
            open_bench(*opened, instance.devices[device]);
            bench = std::move(opened);
            bench_device = device;
        }
        return *bench;
    }
};

Message list(Session& session) {
    session.open();
    Message answer;
    auto& devices = answer.header["devices"] = nlohmann::json::array();
    for (uint32_t i = 0; i < session.instance.devices.size(); ++i)
        devices.push_back(describe_device(session.instance.devices[i], i));
    return answer;
}

ImageAnswer image_answer(Session& session, const Case& probed) {
    const Bench& bench = session.bench_of(probed.device);
    ImageAnswer answer;
    answer.why_unsupported = why_unsupported(bench.device, probed.image);
    if (answer.why_unsupported.empty()) {
        const vulkan::OwnedImage image = create_image(bench.device, probed.image);
        answer.memory_types = image_needs(bench.device, image.handle).memory.memoryTypeBits;
    }
    return answer;
}

Message answer(Session& session, const Message& question) {
    const std::string op = question.header.at("op");
    if (op == "devices") return list(session);
    if (op == "lanes") return run_lane_shader(session.bench_of(question.header.at("device")), question.header);
    if (op == "starts") return run_start_shader(session.bench_of(question.header.at("device")), question.header);
    const Case probed = question.header.at("case");
    if (op == "image") return {image_answer(session, probed), {}};
    return to_message(probe_case(session.bench_of(probed.device), probed));
}

}  // namespace

void serve_vulkan(int channel) {
    Session session;
    for (Message question; receive_message(channel, question) && !question.header.is_null();) {
        Message reply;
        try {
            reply = answer(session, question);
        } catch (const vulkan::VulkanError& error) {
            const char* kind = error.result == VK_ERROR_DEVICE_LOST ? "lost" : "error";
            reply = {{{kind, error.what()}}, {}};
        } catch (const std::exception& error) {
            reply = {{{"error", error.what()}}, {}};
        }
        if (!send_message(channel, reply)) return;
    }
}

}  // namespace tilewise::probe
