#include "db/names/tool_text.h"
#include "db/facts/device.h"
#include "db/names/chips.h"
#include "db/names/words.h"
#include "patterns/model/text.h"
#include <fmt/format.h>
#include <regex>

namespace tilewise::db {

namespace {

std::string plain_text(std::string_view text) { return trimmed(text.substr(0, max_name_length)); }

/// "06:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 21 [Radeon RX 6800] (rev c1)". Some
/// lines have no product in brackets, some only a product; several chips may share a product's name, such as "Iris Xe
/// Graphics".
std::vector<std::string> names_of_lspci(const std::string& line) {
    static const std::regex form(
        R"(^(?:.*?: )?(?:Intel Corporation|NVIDIA Corporation|Advanced Micro Devices, Inc\. \[AMD/ATI\]) ([^\[]*?)(?: ?\[([^\]:]*)\])?)"
        R"((?: \[[0-9a-f]{4}:[0-9a-f]{4}\])?(?: \(rev [0-9a-f]{2}\))?$)");
    // Any other maker, with a product.
    static const std::regex with_product(
        R"(^(?:.*?: )?([^\[]*)\[([^\]]*)\](?: \[[0-9a-f]{4}:[0-9a-f]{4}\])?(?: \(rev [0-9a-f]{2}\))?$)");
    std::smatch part;
    if (std::regex_match(line, part, form)) {
        const std::string before = part[1];
        if (const size_t* chip = chip_at_head(before)) return {chips().all[*chip].name, part[2].str()};
        return {part[2].str(), before};
    }
    if (!std::regex_match(line, part, with_product)) return {};
    return {part[2].str(), part[1].str()};
}

/// The last comma that is not in parentheses.
size_t last_outer_comma(std::string_view text) {
    size_t last = text.npos;
    int depth = 0;
    for (size_t at = 0; at < text.size(); at++) {
        if (text[at] == '(') depth++;
        if (text[at] == ')') depth--;
        if (text[at] == ',' && depth == 0) last = at;
    }
    return last;
}

std::vector<std::string> names_of_angle(const std::string& renderer) {
    static const std::regex form(R"(^ANGLE \((.*)\)$)");
    static const std::regex not_names(
        R"(ANGLE Metal Renderer:|Unspecified Version|Direct3D\d+( Ex)?|[vp]s_\d_\d|D3D\d+(-[\d.]+)?|\(0x[0-9A-Fa-f]+\)|)"
        R"((OpenGL|Vulkan)( ES)? [\d.]+)");
    std::smatch part;
    if (!std::regex_match(renderer, part, form)) return {};
    const auto name = [](std::string_view whole) {
        return trimmed(std::regex_replace(std::string(whole), not_names, ""));
    };
    // The driver comes last, and its name may be any text: "ANGLE (Qualcomm, Vulkan 1.3.128 (Adreno (TM) 740
    // (0x43050A01)), Qualcomm proprietary driver)".
    const std::string whole = part[1];
    const size_t last = last_outer_comma(whole);
    if (last == whole.npos) return {name(whole)};
    return {name(whole), name(std::string_view(whole).substr(0, last))};
}

/// "llvmpipe (LLVM 19.1.7, 256 bits)" and "SwiftShader Device (Subzero)" are the same device with any compiler.
std::vector<std::string> names_of_software(const std::string& device) {
    static const std::regex form(R"((llvmpipe|SwiftShader)( Device)? \(.*)", std::regex::icase);
    std::smatch part;
    if (!std::regex_search(device, part, form)) return {};
    return {part[1].str()};
}

/// Layered drivers name the underlying GPU in brackets: Mesa's D3D12 (WSL) and zink, Venus in a virtual machine.
std::vector<std::string> names_of_layers(const std::string& renderer) {
    static const std::regex form(
        R"(^(?:Microsoft Direct3D12|D3D12|virgl|Virtio-GPU Venus|zink Vulkan [\d.]+) ?\((.*?)(?: \([A-Z0-9_]+\))?\)$)",
        std::regex::icase);
    std::smatch part;
    if (!std::regex_match(renderer, part, form)) return {};
    return {part[1].str()};
}

/// Nouveau's OpenGL driver names only the chipset: "NV164".
std::vector<std::string> names_of_nouveau(const std::string& renderer) {
    static const std::regex form("^NV([0-9A-Fa-f]{2,3})$");
    std::smatch part;
    if (!std::regex_match(renderer, part, form)) return {};
    return {"0x" + to_lower(part[1].str())};
}

/// Removes what follows a GPU's name: the kernel driver, Mali's and V3D's revision, the part of a shared card.
std::vector<std::string> names_before_suffix(const std::string& device) {
    static const std::regex suffix(
        R"( \((?:nvgpu|panfrost|panthor|lima)\)$| r\d+p\d+$| MIG \d+g\.\d+gb$|-\d+[QBAC]$|^GRID (?=.*-\d+[QBAC]$))",
        std::regex::icase);
    static const std::regex revision(R"(^(V3D \d+\.\d+)(?:\.\d+)+$)", std::regex::icase);
    const std::string name = std::regex_replace(std::regex_replace(device, suffix, ""), revision, "$1");
    if (name == device) return {};
    return {name};
}

}  // namespace

std::vector<std::string> pci_ids_in(std::string_view text) {
    static const std::regex forms[] = {
        // Windows' hardware id.
        std::regex("ven_([0-9a-f]{4})&dev_([0-9a-f]{4})(?:.*&rev_([0-9a-f]{2}))?.*"),
        // lspci -nn.
        std::regex(R"(\[([0-9a-f]{4}):([0-9a-f]{4})\](?: \(rev ([0-9a-f]{2})\))?)"),
        // 10de:2684, 0x10de 0x2684, 1002:73bf:c1.
        std::regex("^(?:0x)?([0-9a-f]{1,4})(?::|[ ,/]+)(?:0x)?([0-9a-f]{1,4})(?::(?:0x)?([0-9a-f]{1,2}))?$")};
    const std::string lower = to_lower(plain_text(text));
    std::vector<std::string> ids;
    // ANGLE's renderer: "ANGLE (Intel, Intel(R) Iris(R) Xe Graphics (0x000046A6) Direct3D11 vs_5_0 ps_5_0, D3D11)".
    static const std::regex angle(R"(^angle \((intel|amd|nvidia),.*\(0x0000([0-9a-f]{4})\))");
    if (std::smatch part; std::regex_search(lower, part, angle))
        ids.push_back(fmt::format("{:04x}:{}", vendor_id_of(part[1]), part[2].str()));
    for (const std::regex& form : forms)
        if (std::smatch part; std::regex_search(lower, part, form)) {
            const std::string id = fmt::format("{:0>4}:{:0>4}", part[1].str(), part[2].str());
            if (part[3].matched) ids.push_back(fmt::format("{}:{:0>2}", id, part[3].str()));
            ids.push_back(id);
        }
    return ids;
}

std::string device_id_in(std::string_view text) {
    static const std::regex form("(0x)?([0-9a-f]{4})");
    const std::string lower = to_lower(plain_text(text));
    std::smatch part;
    if (!std::regex_match(lower, part, form)) return "";
    const std::string id = part[2];
    return part[1].matched || (has_letter(id) && has_digit(id)) ? id : "";
}

std::vector<std::string> names_in_tool_text(std::string_view text) {
    const std::string plain = plain_text(text);
    for (const auto names_of :
         {names_of_lspci, names_of_software, names_of_angle, names_of_layers, names_of_nouveau, names_before_suffix})
        if (std::vector<std::string> names = names_of(plain); !names.empty()) return names;
    return {};
}

}  // namespace tilewise::db
