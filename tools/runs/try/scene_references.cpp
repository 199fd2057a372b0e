#include "tools/runs/try/scene_references.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <charconv>
#include <fmt/format.h>

namespace tilewise {

using namespace kernels;

ResourceReference reference_in(const std::string& text) {
    const size_t at = text.rfind('@');
    if (at == std::string::npos) return {text, {}};
    uint32_t level = 0;
    const auto parsed = std::from_chars(text.data() + at + 1, text.data() + text.size(), level);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || level > 15)
        throw UsageError(fmt::format("{}: after @ stands a level, 0 to 15", printable(text, 100)));
    return {text.substr(0, at), level};
}

std::string element_name(const ShaderResource& resource, uint32_t i) {
    return resource.count == 1 ? resource.name : fmt::format("{}_{}", resource.name, i);
}

std::vector<ResourceReference> references_of(const PassText& pass, const ShaderResource& resource) {
    const auto bound = pass.bindings.find(resource.name);
    std::vector<ResourceReference> made;
    if (bound == pass.bindings.end())
        for (uint32_t i = 0; i < resource.count; ++i) made.push_back({element_name(resource, i), {}});
    else
        for (const std::string& each : bound->second) made.push_back(reference_in(each));
    if (made.size() != resource.count)
        throw UsageError(fmt::format("{} is an array of {} resources, and the scene binds {}",
                                     printable(resource.name, 100), resource.count, made.size()));
    return made;
}

}  // namespace tilewise
