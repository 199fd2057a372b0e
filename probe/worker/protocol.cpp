#include "probe/worker/protocol.h"
#include <cerrno>
#include <sys/socket.h>

namespace tilewise::probe {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryType, flags, heap, heap_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(QueueFamily, flags, count, timestamp_bits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RouteSupport, route, offered, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FormatSupport, format, features)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Extent, width, height, depth)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Image, format, is_3d, extent, levels, layers, samples, usage)

// The functions that the header declares; the macro's own would be inline.
#define FIELDS(Type, ...)                                                          \
    void to_json(nlohmann::json& nlohmann_json_j, const Type& nlohmann_json_t) {   \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))   \
    }                                                                              \
    void from_json(const nlohmann::json& nlohmann_json_j, Type& nlohmann_json_t) { \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__)) \
    }
FIELDS(Case, device, image, level, layer, route, memory_type)
FIELDS(DeviceInfo, index, name, vendor_id, device_id, type, api_version, driver_id, driver_name, driver_info,
       driver_version, device_uuid, driver_uuid, pipeline_cache_uuid, tiling_layout_uuid,
       identical_memory_type_requirements, max_dimension_2d, max_dimension_3d, max_layers, timestamp_period,
       subgroup_size, max_invocations, max_group_size, routes, memory_types, queues, extensions, formats)
FIELDS(ImageAnswer, why_unsupported, memory_types)
#undef FIELDS

namespace {

bool send_all(int channel, const void* data, size_t size) {
    const auto* at = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t sent = send(channel, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        size -= static_cast<size_t>(sent);
    }
    return true;
}

bool receive_all(int channel, void* data, size_t size) {
    auto* at = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t received = recv(channel, at, size, MSG_WAITALL);
        if (received < 0 && errno == EINTR) continue;
        if (received <= 0) return false;
        at += received;
        size -= static_cast<size_t>(received);
    }
    return true;
}

struct Sizes {
    uint64_t header_bytes, offsets;
};

}  // namespace

bool send_message(int channel, const Message& message) {
    // Drivers' names are not always UTF-8.
    const std::string header = message.header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const Sizes sizes = {header.size(), message.offsets.size()};
    return send_all(channel, &sizes, sizeof sizes) && send_all(channel, header.data(), header.size()) &&
           send_all(channel, message.offsets.data(), message.offsets.size() * sizeof(uint64_t));
}

bool receive_message(int channel, Message& message) {
    Sizes sizes;
    if (!receive_all(channel, &sizes, sizeof sizes)) return false;
    std::string header(sizes.header_bytes, '\0');
    message.offsets.resize(sizes.offsets);
    if (!receive_all(channel, header.data(), header.size()) ||
        !receive_all(channel, message.offsets.data(), message.offsets.size() * sizeof(uint64_t)))
        return false;
    message.header = nlohmann::json::parse(header);
    return true;
}

Message to_message(Reading&& reading) {
    const Table& table = reading.table;
    return {{{"outcome", reading.outcome},
             {"reason", reading.reason},
             {"element", {table.element.bytes, table.element.width, table.element.height}},
             {"extent", table.extent},
             {"faults", table.faults},
             {"counts", {reading.found, reading.missing, reading.doubled, reading.foreign, reading.sentinel}},
             {"image_bytes", reading.image_bytes},
             {"memory_type", reading.memory_type},
             {"raw_copy", reading.raw_copy}},
            std::move(reading.table.offsets)};
}

Reading reading_from(Message&& message) {
    const nlohmann::json& header = message.header;
    Reading reading;
    reading.outcome = header.at("outcome");
    reading.reason = header.at("reason");
    const auto& element = header.at("element");
    reading.table.element = {element.at(0), element.at(1), element.at(2)};
    reading.table.extent = header.at("extent");
    reading.table.faults = header.at("faults");
    reading.table.offsets = std::move(message.offsets);
    const auto& counts = header.at("counts");
    reading.found = counts.at(0);
    reading.missing = counts.at(1);
    reading.doubled = counts.at(2);
    reading.foreign = counts.at(3);
    reading.sentinel = counts.at(4);
    reading.image_bytes = header.at("image_bytes");
    reading.memory_type = header.at("memory_type");
    reading.raw_copy = header.at("raw_copy");
    return reading;
}

}  // namespace tilewise::probe
