// What goes between the program and its workers: a JSON header and, for a table, its offsets as they are.
#pragma once
#include "probe/probe.h"
#include <nlohmann/json.hpp>

namespace tilewise::probe {

struct Message {
    nlohmann::json header;
    std::vector<uint64_t> offsets;
};

/// Both block, and return false where the other side is gone.
bool send_message(int channel, const Message& message);
bool receive_message(int channel, Message& message);

/// Which memory an image could have.
struct ImageAnswer {
    std::string why_unsupported;  ///< empty: the device offers it
    uint32_t memory_types = 0;    ///< bits
};

void to_json(nlohmann::json& json, const Case& probed);
void from_json(const nlohmann::json& json, Case& probed);
void to_json(nlohmann::json& json, const DeviceInfo& info);
void from_json(const nlohmann::json& json, DeviceInfo& info);
void to_json(nlohmann::json& json, const ImageAnswer& answer);
void from_json(const nlohmann::json& json, ImageAnswer& answer);

Message to_message(Reading&& reading);
Reading reading_from(Message&& message);

}  // namespace tilewise::probe
