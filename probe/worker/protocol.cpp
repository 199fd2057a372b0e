#include "probe/worker/protocol.h"
#include "patterns/model/error.h"
#include "probe/large_pages.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace tilewise {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Element, bytes, width, height)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ImageShape, type, extent_px, levels, layers, samples)

namespace probe {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryType, flags, heap, heap_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(QueueFamily, flags, count, timestamp_bits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RouteSupport, route, offered, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModifierSupport, modifier, planes, features, max_extent_px, max_levels, max_layers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FormatSupport, format, features, modifiers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Image, format, type, extent_px, levels, layers, samples, usage, flags, compression,
                                   modifier)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Case, device, image, aspect, level, layer, route, memory_type)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceInfo, index, name, vendor_id, device_id, type, api_version, driver_id,
                                   driver_name, driver_info, driver_version, device_uuid, driver_uuid,
                                   pipeline_cache_uuid, pci_address, tiling_layout_uuid,
                                   identical_memory_type_requirements, max_dimension_2d, max_dimension_3d, max_layers,
                                   timestamp_period, subgroup_size, max_invocations, max_group_size, routes,
                                   memory_types, queues, extensions, formats)

// The case and the time are the program's; the element and the extent follow from the case.
void to_json(nlohmann::json& json, const Reading& reading) {
    json = {
        {"outcome", reading.outcome},     {"reason", reading.reason},           {"faults", reading.table.faults},
        {"found", reading.found},         {"missing", reading.missing},         {"doubled", reading.doubled},
        {"foreign", reading.foreign},     {"sentinel", reading.sentinel},       {"image_bytes", reading.image_bytes},
        {"alignment", reading.alignment}, {"memory_type", reading.memory_type}, {"raw_copy", reading.raw_copy}};
    if (reading.sparse) json["sparse"] = tilewise::to_json(*reading.sparse);
}

void from_json(const nlohmann::json& json, Reading& reading) {
    json.at("outcome").get_to(reading.outcome);
    json.at("reason").get_to(reading.reason);
    json.at("faults").get_to(reading.table.faults);
    json.at("found").get_to(reading.found);
    json.at("missing").get_to(reading.missing);
    json.at("doubled").get_to(reading.doubled);
    json.at("foreign").get_to(reading.foreign);
    json.at("sentinel").get_to(reading.sentinel);
    json.at("image_bytes").get_to(reading.image_bytes);
    json.at("alignment").get_to(reading.alignment);
    json.at("memory_type").get_to(reading.memory_type);
    json.at("raw_copy").get_to(reading.raw_copy);
    if (json.contains("sparse")) reading.sparse = sparse_blocks_from_json(json["sparse"]);
}

namespace worker {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceList, devices)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ImageMemory, why_unsupported, memory_types)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FindMemory, probed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AskSizes, device, format, usages, images)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReadCase, probed, with_siblings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaneRun, device, shape, builtin, groups, runs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunLanes, run)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunPeers, run)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunLaunches, device, grid, rounds, runs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Failure, kind, reason)
void to_json(Json& json, const ListDevices&) { json = Json::object(); }
void from_json(const Json&, ListDevices&) {}
void to_json(Json& json, const SizeTable&) { json = Json::object(); }
void from_json(const Json&, SizeTable&) {}
void to_json(Json& json, const LaneTable&) { json = Json::object(); }
void from_json(const Json&, LaneTable&) {}
void to_json(Json& json, const PeerTable&) { json = Json::object(); }
void from_json(const Json&, PeerTable&) {}
void to_json(Json& json, const LaunchTable& table) {
    json = {{"has_clock", table.has_clock}, {"has_sm", table.has_sm}};
}
void from_json(const Json& json, LaunchTable& table) {
    json.at("has_clock").get_to(table.has_clock);
    json.at("has_sm").get_to(table.has_sm);
}

namespace {

struct Prefix {
    uint32_t magic;  ///< distinguishes a message from anything that a driver wrote to the channel
    Operation operation;
    uint32_t failed;  ///< 1: a Failure, whatever was requested
    uint32_t header_bytes;
    uint64_t records;
    /// The address of the records in the sender's memory, if they are read from there; 0: they follow the header.
    uint64_t address;
};
constexpr uint32_t magic = 0x776b7254;  // "Trkw"

// ---------------------------------------------------------------------------------------------------------- records

// One overload for each reply with records.
auto& records_of(Reading& reading) { return reading.table.offsets; }
auto& records_of(SizeTable& table) { return table.sizes; }
auto& records_of(LaneTable& table) { return table.invocations; }
auto& records_of(PeerTable& table) { return table.invocations; }
auto& records_of(LaunchTable& table) { return table.groups; }

template <typename Body>
concept HasRecords = requires(Body& body) {
    records_of(body);
};

uint64_t expected_records(const ReadCase& request) { return element_count(elements_of(request.probed)); }
uint64_t expected_records(const AskSizes& request) { return request.usages.size() * request.images.size(); }
uint64_t expected_records(const RunLanes& request) { return request.run.records(); }
uint64_t expected_records(const RunPeers& request) { return request.run.records(); }
uint64_t expected_records(const RunLaunches& request) { return uint64_t{request.runs} * element_count(request.grid); }

/// A longer header does not belong to any of our replies.
uint32_t max_header_bytes(Operation operation) { return operation == Operation::list_devices ? 4 << 20 : 64 << 10; }

// -------------------------------------------------------------------------------------------- what a reply must
// satisfy

std::string why_malformed(const ListDevices&, const DeviceList& reply) {
    for (size_t i = 0; i < reply.devices.size(); ++i) {
        const DeviceInfo& device = reply.devices[i];
        if (device.index != i) return fmt::format("device {} in place {}", device.index, i);
        // A device described like this by its driver is listed, but describe_device() offers no route to it.
        const bool is_unbelievable =
            device.name.empty() || device.max_dimension_2d < 4096 || device.max_dimension_3d < 256;
        if (is_unbelievable && std::ranges::any_of(device.routes, &RouteSupport::offered))
            return fmt::format("device {} has no name, or limits below those that Vulkan requires", i);
        if (!std::isfinite(device.timestamp_period)) return fmt::format("device {} has ticks of no length", i);
        if (!std::ranges::equal(device.routes, all_routes, {}, &RouteSupport::route))
            return fmt::format("device {} has other routes than there are", i);
        constexpr size_t max_memory_types = 32, max_heaps = 16;  // Vulkan's own
        if (device.memory_types.size() > max_memory_types ||
            std::ranges::any_of(device.memory_types, [](const MemoryType& type) { return type.heap >= max_heaps; }))
            return fmt::format("device {} has more memory types or heaps than Vulkan allows", i);
        for (const FormatSupport& support : device.formats)
            if (!find_format(support.format)) return fmt::format("device {} has a format {}", i, support.format);
    }
    return {};
}

std::string why_malformed(const FindMemory&, const ImageMemory&) { return {}; }

std::string why_malformed(const ReadCase& request, const Reading& reply) {
    const uint64_t elements = expected_records(request);
    if (reply.outcome < Outcome::read || reply.outcome > Outcome::unsupported)
        return fmt::format("outcome {}", static_cast<int>(reply.outcome));
    constexpr uint64_t most_bytes = std::numeric_limits<int64_t>::max();
    if (reply.image_bytes > most_bytes) return fmt::format("an image of {} bytes", reply.image_bytes);
    if (reply.alignment > most_bytes || std::popcount(reply.alignment) > 1)
        return fmt::format("an alignment of {} bytes", reply.alignment);
    const bool has_table = reply.outcome == Outcome::read || reply.outcome == Outcome::opaque;
    if (reply.table.offsets.size() != (has_table ? elements : 0))
        return fmt::format("{} offsets for {} elements, {}", reply.table.offsets.size(), elements,
                           outcome_name(reply.outcome));
    return {};
}

template <typename Run>
std::string why_malformed(const Run& request,
                          const typename Run::Reply& reply) requires HasRecords<typename Run::Reply> {
    const uint64_t asked = expected_records(request);
    const uint64_t came = records_of(const_cast<typename Run::Reply&>(reply)).size();
    return came == asked ? "" : fmt::format("{} records of {}", came, asked);
}

// ------------------------------------------------------------------------------------------------------------ bytes

/// The sender, and how long to wait for it. A dead process's channel may still be open: its children have it, too.
struct Sender {
    const Process* process = nullptr;
    Clock::time_point deadline = Clock::time_point::max();
};

ReplyState receive_all(Stream& channel, const Sender& sender, void* data, size_t size) {
    auto* at = static_cast<char*>(data);
    while (size > 0) {
        const bool ended = sender.process && sender.process->has_ended();
        const std::optional<size_t> received = channel.receive(at, size);
        if (!received || (*received == 0 && ended)) return ReplyState::closed;
        at += *received;
        size -= *received;
        if (*received > 0) continue;
        if (Clock::now() >= sender.deadline) return ReplyState::late;
        constexpr std::chrono::milliseconds heartbeat(20), for_ever(-1);
        const Stream* const stream = &channel;
        wait_for_streams({&stream, 1}, sender.process ? heartbeat : for_ever);
    }
    return ReplyState::whole;
}

/// Sending this many bytes of records through the channel takes longer than the two processes need to wait for each
/// other.
constexpr size_t large_bytes = 1 << 20;

/// The answer from the reader of large records.
enum class Taken : char { yes, send_them };

template <typename Body>
bool send_message(Stream& channel, Operation operation, bool failed, const Body& body) {
    // Drivers' names are not always UTF-8.
    const std::string header = Json(body).dump(-1, ' ', false, Json::error_handler_t::replace);
    Prefix prefix = {magic, operation, failed, static_cast<uint32_t>(header.size()), 0, 0};
    std::span<const std::byte> bytes;
    if constexpr (HasRecords<Body>) {
        const auto& records = records_of(const_cast<Body&>(body));
        prefix.records = records.size();
        bytes = std::as_bytes(std::span(records));
        if (bytes.size() >= large_bytes) prefix.address = reinterpret_cast<uint64_t>(bytes.data());
    }
    if (!channel.send(&prefix, sizeof prefix) || !channel.send(header.data(), header.size())) return false;
    Taken taken = Taken::send_them;
    if (prefix.address && receive_all(channel, {}, &taken, sizeof taken) != ReplyState::whole) return false;
    return taken == Taken::yes || channel.send(bytes.data(), bytes.size());
}

/// The header and the records that the prefix announces.
template <typename Body>
ReplyState receive_body(Stream& channel, const Sender& sender, const Prefix& prefix, Body& body) {
    std::string header(prefix.header_bytes, '\0');
    if (const ReplyState got = receive_all(channel, sender, header.data(), header.size()); got != ReplyState::whole)
        return got;
    Json::parse(header).get_to(body);
    if constexpr (HasRecords<Body>) {
        auto& records = records_of(body);
        reserve_large(records, prefix.records);
        records.resize(prefix.records);
        const auto bytes = std::as_writable_bytes(std::span(records));
        if (prefix.address) {
            const bool has_read = sender.process && sender.process->read_memory(prefix.address, bytes);
            const Taken taken = has_read ? Taken::yes : Taken::send_them;
            if (!channel.send(&taken, sizeof taken)) return ReplyState::closed;
            if (taken == Taken::yes) return ReplyState::whole;
        }
        return receive_all(channel, sender, bytes.data(), bytes.size());
    }
    return ReplyState::whole;
}

template <typename Asked>
ReplyState receive_reply_to(const Asked& asked, Stream& channel, const Sender& sender, Reply& reply, std::string& why) {
    Prefix prefix;
    if (const ReplyState got = receive_all(channel, sender, &prefix, sizeof prefix); got != ReplyState::whole)
        return got;
    uint64_t max_records = 0;
    if constexpr (HasRecords<typename Asked::Reply>) max_records = prefix.failed ? 0 : expected_records(asked);
    if (prefix.magic != magic || prefix.operation != Asked::operation || prefix.failed > 1)
        why = "something else was written to the channel";
    else if (prefix.header_bytes > max_header_bytes(Asked::operation))
        why = fmt::format("a header of {} bytes", prefix.header_bytes);
    else if (prefix.records > max_records)
        why = fmt::format("{} records where at most {} were asked for", prefix.records, max_records);
    if (!why.empty()) return ReplyState::malformed;
    try {
        if (prefix.failed) return receive_body(channel, sender, prefix, reply.emplace<Failure>());
        auto& body = reply.emplace<typename Asked::Reply>();
        const ReplyState got = receive_body(channel, sender, prefix, body);
        if (got == ReplyState::whole) why = why_malformed(asked, body);
        return why.empty() ? got : ReplyState::malformed;
    } catch (const Json::exception&) {
        why = "a header that is not of this program's form";
    } catch (const Error& error) {
        why = error.what();
    }
    return ReplyState::malformed;
}

/// Receives the variant's alternative for the operation.
template <size_t index = 0>
bool receive_request_of(Stream& channel, const Prefix& prefix, Request& request) {
    if constexpr (index < std::variant_size_v<Request>) {
        if (std::variant_alternative_t<index, Request>::operation != prefix.operation)
            return receive_request_of<index + 1>(channel, prefix, request);
        return receive_body(channel, {}, prefix, request.emplace<index>()) == ReplyState::whole;
    }
    return false;
}

}  // namespace

bool send_request(Stream& channel, const Request& request) {
    return std::visit([&](const auto& body) { return send_message(channel, body.operation, false, body); }, request);
}

bool receive_request(Stream& channel, Request& request) {
    Prefix prefix;
    return receive_all(channel, {}, &prefix, sizeof prefix) == ReplyState::whole &&
           receive_request_of(channel, prefix, request);
}

bool send_reply(Stream& channel, Operation operation, const Reply& reply) {
    const bool failed = std::holds_alternative<Failure>(reply);
    return std::visit([&](const auto& body) { return send_message(channel, operation, failed, body); }, reply);
}

ReplyState receive_reply(Stream& channel, const Process* worker, Clock::time_point deadline, const Request& request,
                         Reply& reply, std::string& why) {
    const Sender sender = {worker, deadline};
    return std::visit([&](const auto& asked) { return receive_reply_to(asked, channel, sender, reply, why); }, request);
}

}  // namespace worker

}  // namespace probe

}  // namespace tilewise
