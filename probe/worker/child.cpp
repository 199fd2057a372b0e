#include "probe/worker/child.h"
#include "patterns/model/error_text.h"
#include "probe/describe_device.h"
#include "probe/invocations/order_shaders.h"
#include "probe/routes/routes.h"
#include "probe/worker/protocol.h"
#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace tilewise::probe::worker {

namespace {

struct Session {
    vulkan::Instance instance;
    std::unique_ptr<Bench> bench;  ///< must be destroyed before the instance
    uint32_t bench_device = 0;
    std::vector<Reading> siblings;  ///< for the case that was read last

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

DeviceList carry_out(Session& session, const ListDevices&) {
    session.open();
    DeviceList list;
    for (uint32_t i = 0; i < session.instance.devices.size(); ++i)
        list.devices.push_back(describe_device(session.instance.devices[i], i));
    return list;
}

ImageMemory carry_out(Session& session, const FindMemory& request) {
    const Case& probed = request.probed;
    const Bench& bench = session.bench_of(probed.device);
    ImageMemory memory;
    memory.why_unsupported = why_unsupported(bench.device, probed);
    if (memory.why_unsupported.empty()) {
        const vulkan::OwnedImage image = create_image(bench.device, probed.image);
        memory.memory_types =
            image_needs(bench.device, image.handle, probed.image, probed.aspect).memory.memoryTypeBits;
    }
    return memory;
}

SizeTable carry_out(Session& session, const AskSizes& request) {
    const Bench& bench = session.bench_of(request.device);
    SizeTable table;
    for (const uint32_t usage : request.usages)
        for (const ImageShape& shape : request.images) {
            Image image;
            static_cast<ImageShape&>(image) = shape;
            image.format = request.format;
            image.usage = usage;
            ImageSize& size = table.sizes.emplace_back();
            if (!why_invalid(image).empty() || !why_not_offered(bench.device, image).empty()) continue;
            const vulkan::OwnedImage created = create_image(bench.device, image);
            const ImageNeeds needs = image_needs(bench.device, created.handle, image, color_aspect);
            size = {needs.memory.size, needs.memory.alignment};
        }
    return table;
}

Reading carry_out(Session& session, const ReadCase& request) {
    Bench& bench = session.bench_of(request.probed.device);
    const auto kept = std::ranges::find(session.siblings, request.probed, &Reading::probed);
    if (request.with_siblings && kept != session.siblings.end()) return std::exchange(*kept, {});
    session.siblings.clear();
    if (!request.with_siblings) return std::move(probe_cases(bench, {&request.probed, 1}).front());
    session.siblings = probe_cases(bench, subresources_of(request.probed));
    return std::exchange(*std::ranges::find(session.siblings, request.probed, &Reading::probed), {});
}

LaneTable carry_out(Session& session, const RunLanes& request) {
    return {run_lane_shader(session.bench_of(request.run.device), request.run)};
}

PeerTable carry_out(Session& session, const RunPeers& request) {
    return {run_peer_shader(session.bench_of(request.run.device), request.run)};
}

LaunchTable carry_out(Session& session, const RunLaunches& request) {
    return run_launch_shader(session.bench_of(request.device), request);
}

Failure::Kind kind_of(VkResult error) {
    if (vulkan::says_unsupported(error)) return Failure::Kind::refused;
    return vulkan::says_out_of_memory(error) ? Failure::Kind::out_of_memory : Failure::Kind::crashed;
}

}  // namespace

int serve_vulkan(Playing& playing) {
    Session session;
    for (Request request; receive_request(playing.channel, request);) {
        const auto reply_to = [&](const auto& asked) {
            Reply reply;
            try {
                reply = carry_out(session, asked);
            } catch (const vulkan::VulkanError& error) {
                reply = Failure{kind_of(error.result), error.what()};
            } catch (const Error& error) {
                reply = Failure{Failure::Kind::refused, error.what()};
            } catch (const std::bad_alloc&) {
                reply = Failure{Failure::Kind::out_of_memory, "its process had no memory left"};
            } catch (const std::exception& error) {
                reply = Failure{Failure::Kind::crashed, error_text(error)};
            }
            return send_reply(playing.channel, asked.operation, reply);
        };
        if (!std::visit(reply_to, request)) break;
    }
    return 0;
}

}  // namespace tilewise::probe::worker
