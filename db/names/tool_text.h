// GPU descriptions that people copy from tools and APIs: lines of lspci, hardware ids from Windows' Device Manager, ids
// from vulkaninfo, renderers of ANGLE.
//
//   PCI\VEN_10DE&DEV_2684&SUBSYS_16F110DE&REV_A1                          10de:2684:a1
//   0x1002 0x744c                                                         1002:744c
//   01:00.0 VGA compatible controller: NVIDIA Corporation AD102 [GeForce RTX 4090] (rev a1)
//                                                                         GeForce RTX 4090, or NVIDIA Corporation AD102
//   ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 Direct3D11 vs_5_0 ps_5_0, D3D11)
//                                                                         NVIDIA, NVIDIA GeForce RTX 3060
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::db {

/// Returns the PCI ids in the text, the most certain first: each "10de:2684" or, with its revision, "10de:2684:a1".
std::vector<std::string> pci_ids_in(std::string_view text);

/// Returns the device id if the whole text is one: "744c" for "0x744C" and for "744c"; empty if it may be a plain
/// number.
std::string device_id_in(std::string_view text);

/// Returns the names in a line of lspci, a renderer of ANGLE or a software driver's device name, the most certain
/// first; none for any other text.
std::vector<std::string> names_in_tool_text(std::string_view text);

}  // namespace tilewise::db
