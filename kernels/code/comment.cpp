#include "kernels/code/comment.h"
#include "patterns/snippet/kernel.h"
#include "patterns/snippet/kernel_format.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise::kernels {

namespace {

std::string words_text(const Code& code, Language language) {
    if (!code.of_words) return "";
    switch (language) {
        case Language::hlsl:
            return "the source is seen as R32_UINT: a view of a resource of type R8G8B8A8_TYPELESS\n"
                   "(in Vulkan of an image with VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT)\n";
        case Language::msl:
            return "the source is seen as r32Uint: a view of a texture with MTLTextureUsagePixelFormatView\n";
        case Language::cuda:
            return "the source is read as words: it is a surface object, too\n";
        default:
            return "the source is seen as R32_UINT: a view of an image with VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT\n";
    }
}

}  // namespace

const char* places_text(Language language) {
    switch (language) {
        case Language::hlsl:
            return "u0 (in Vulkan binding 0): result, t0 (binding 1): source";
        case Language::msl:
            return "texture(0): result, texture(1): source";
        case Language::cuda:
            return "result: a surface object, source: a texture object";
        default:
            return "binding 0: result, binding 1: source";
    }
}

std::string push_place(Language language, uint32_t bindings, uint32_t buffers) {
    switch (language) {
        case Language::hlsl:
            return "b0, root constants (in Vulkan push constants)";
        case Language::wgsl:
            return fmt::format("binding {}, a uniform buffer", bindings);
        case Language::msl:
            return fmt::format("buffer({})", buffers);
        case Language::cuda:
            return "the argument `push`";
        default:
            return "push constants";
    }
}

std::string sampler_text(const Code& code, Language language) {
    if (code.sampling == Sampling::exact) return "";
    switch (language) {
        case Language::hlsl:
            return "s0 (in Vulkan binding 2): a sampler, bilinear, clamps to the edge\n";
        case Language::wgsl:
            return "binding 3: a sampler, bilinear, clamps to the edge\n";
        case Language::msl:
            return "";
        default:
            return "the source's sampler is bilinear and clamps to the edge\n";
    }
}

std::string read_mode_text(const Code& code, const CodeRequest& request) {
    if (request.language != Language::cuda || code.of_words) return "";
    const Channel channel = kernel_format(format_name(request), Language::glsl).channel;
    const bool is_float = channel == Channel::half || channel == Channel::single;
    if (code.writes.empty())
        return fmt::format("texture object: unnormalized coordinates, point filter{}\n",
                           is_float ? "" : ", cudaReadModeNormalizedFloat");
    return fmt::format(
        "texture objects: unnormalized coordinates, point filter{}; arrays: cudaArraySurfaceLoadStore\n",
        is_float ? "" : ", cudaReadModeNormalizedFloat (of the intermediate image: cudaReadModeElementType)");
}

std::string entry_name(Language language, size_t pass, size_t passes) {
    if (language == Language::glsl) return "main";
    const bool is_alone = passes == 1;
    switch (language) {
        case Language::msl:
            return is_alone ? "tilewise_kernel" : fmt::format("tilewise_pass{}", pass + 1);
        case Language::cuda:
            return is_alone ? "kernel" : fmt::format("pass{}", pass + 1);
        default:
            return is_alone ? "main" : fmt::format("pass{}", pass + 1);
    }
}

std::string buffers_text(Language language, const std::vector<std::string>& buffers, const std::string& source) {
    std::vector<std::string> parts;
    for (size_t i = 0; i < buffers.size(); i++) switch (language) {
            case Language::hlsl:
                parts.push_back(fmt::format("u{0} (in Vulkan binding {0}): {1}", i, buffers[i]));
                break;
            case Language::msl:
                parts.push_back(fmt::format("buffer({}): {}", i, buffers[i]));
                break;
            case Language::cuda:
                parts.push_back(buffers[i]);
                break;
            default:
                parts.push_back(fmt::format("binding {}: {}", i, buffers[i]));
        }
    if (!source.empty()) switch (language) {
            case Language::hlsl:
                parts.push_back(fmt::format("t0 (binding {}): {}", buffers.size(), source));
                break;
            case Language::msl:
                parts.push_back("texture(0): " + source);
                break;
            case Language::cuda:
                parts.push_back("a texture object: " + source);
                break;
            default:
                parts.push_back(fmt::format("binding {}: {}", buffers.size(), source));
        }
    return fmt::format("{}\n", fmt::join(parts, ", "));
}

std::string name_space(const TimedMethod& method) {
    const bool is_own = method.kernel == "box" || method.kernel == "gaussian" || method.kernel == "bilateral" ||
                        method.kernel == "average" || method.kernel == "brightest" || method.kernel == "bloom" ||
                        method.kernel == "histogram";
    if (method.kernel == "mip-chain") return "tilewise_mip_chain";
    return is_own ? "tilewise_" + method.kernel : "tilewise_filter";
}

std::string compile_text(const Code& code, const CodeRequest& request, const std::vector<std::string>& what) {
    const size_t passes = code.passes.size();
    std::string text;
    for (size_t i = 0; i < passes; i++) {
        const std::string entry = entry_name(request.language, i, passes), about = passes > 1 ? ": " + what[i] : "";
        switch (request.language) {
            case Language::glsl:
                if (passes > 1)
                    text += fmt::format("  glslc --target-env=vulkan1.1 -fshader-stage=compute -DPASS={}{}\n", i + 1,
                                        about);
                break;
            case Language::hlsl:
                text += fmt::format("  dxc -T cs_6_0 -E {}{}\n", entry, about);
                if (i + 1 == passes) text += "    (for Vulkan: with -spirv -fspv-target-env=vulkan1.1)\n";
                break;
            case Language::wgsl:
                if (passes > 1) text += fmt::format("  entry point {}{}\n", entry, about);
                break;
            case Language::msl:
                text += fmt::format("  {}{}; threads per threadgroup: MTLSizeMake({}, 1, 1)\n", entry,
                                    passes > 1 ? ", " + what[i] : "", code.invocations);
                break;
            default: {
                const bool is_first = passes > 1 && i == 0 && code.has_intermediate;
                const std::string images =
                    fmt::format("{}, {}, push", is_first ? "intermediate" : "result",
                                passes > 1 && i > 0 && code.has_intermediate ? "intermediate_texture" : "source");
                text += fmt::format("  {}::{}<<<dim3(groups[0], groups[1], groups[2]), {}>>>({}){}\n",
                                    name_space(request.method), entry, code.invocations,
                                    code.arguments.empty() ? images : code.arguments[i], about);
            }
        }
    }
    return text;
}

const char* barrier_text(Language language) {
    switch (language) {
        case Language::hlsl:
            return ": what the first one\nwrites goes from UNORDERED_ACCESS to NON_PIXEL_SHADER_RESOURCE";
        case Language::wgsl:
            return ", which is WebGPU's own";
        case Language::msl:
            return ", which is Metal's own in\nan encoder of MTLDispatchTypeSerial";
        case Language::cuda:
            return ": launches in one stream";
        default:
            return "";
    }
}

const char* buffer_barrier_text(Language language) {
    return language == Language::hlsl ? ", of type\nD3D12_RESOURCE_BARRIER_TYPE_UAV" : barrier_text(language);
}

std::string images_text(const Code& code, const CodeRequest& request) {
    const Language language = request.language;
    std::string text;
    const std::vector<std::string> what = {"down the columns", "along the rows"};
    const std::string format = format_name(request);
    if (code.passes.size() > 1) {
        text += fmt::format("two dispatches, with a barrier between them{}{}:\n", barrier_text(language),
                            language == Language::glsl ? "; the text is compiled for each" : "");
        text += compile_text(code, request, what);
        text += fmt::format(
            "{}, both of width x height texels; the first pass reads {} and\n"
            "writes {}, which the second one reads to write {}\n",
            places_text(language), format, code.writes.front(), format);
    } else {
        text += fmt::format("{}, two images of width x height texels, {}\n", places_text(language), format);
        text += compile_text(code, request, {""});
    }
    text += sampler_text(code, language) + words_text(code, language) + read_mode_text(code, request);
    if (language == Language::cuda)
        text += "nvcc -use_fast_math: powers and quotients are as exact as in Vulkan then, and as fast\n";
    std::string fields;
    for (const std::string& field : code.fields) fields += ", " + field;
    text += fmt::format("{}: int32_t width, height{}\n", push_place(language, 2, 0), fields);
    return text + code.host;
}

std::string groups_text(Size shape) { return groups_function({}, {shape.width, shape.height, 1, 1}); }

std::string groups_text(const TimedMethod& timed) { return groups_function(timed.groups, order_of(timed).shape); }

std::string turned_host(const std::string& groups) {
    return fmt::format(
        "workgroups to dispatch, on the host:\n"
        "  void tilewise_groups(uint32_t pass, uint32_t width, uint32_t height, uint32_t groups[3]) {{\n"
        "{}"
        "  }}\n",
        groups);
}

std::string too_large(const std::string& what, Language language) {
    return fmt::format("{} needs more than {} promises on every device: it is smaller here\n", what,
                       language_name(language));
}

}  // namespace tilewise::kernels
