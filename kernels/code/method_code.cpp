#include "kernels/code/method_code.h"
#include "kernels/code/code.h"
#include "kernels/code/comment.h"
#include "kernels/translate/translate.h"
#include "patterns/model/error.h"
#include "patterns/snippet/comment.h"
#include "patterns/snippet/kernel_format.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise::kernels {

namespace {

/// Some of WebGPU's storable formats exist only with four channels.
std::string written_name(const std::string& name, Language language) {
    if (language != Language::wgsl || is_written(kernel_format(name, Language::glsl), language)) return name;
    const KernelFormat& format = kernel_format(name, Language::glsl);
    return format.channel == Channel::half ? "R16G16B16A16_SFLOAT" : name;
}

Chosen code_for(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    if (timed.kernel == "box") return box_code(request, may_depart);
    if (timed.kernel == "average") return average_code(request, may_depart);
    if (timed.kernel == "brightest") return brightest_code(request, may_depart);
    if (timed.kernel == "mip-chain") return mip_chain_code(request, may_depart);
    if (timed.kernel == "bloom") return bloom_code(request, may_depart);
    if (timed.kernel == "histogram") return histogram_code(request, may_depart);
    if (timed.filter) return filter_code(request, may_depart);
    throw not_given(timed);
}

/// Sets the images' formats, if these differ from those that the method was made for.
void take_formats(Code& code, const CodeRequest& request) {
    for (size_t i = 0; i < code.writes.size(); i++) {
        code.writes[i] = written_name(code.writes[i], request.language);
        const KernelFormat& format = kernel_format(code.writes[i], request.language);
        for (auto& [name, value] : code.passes[i].defines)
            if (name == "FORMAT") value = format.glsl;
    }
}

/// The kernels' own text, in the language.
std::string body_text(const Code& code, const CodeRequest& request) {
    std::string glsl = whole_text(code.passes, code.instead);
    if (request.language == Language::glsl) return glsl;
    const std::string text = "#version 450\n" + glsl;
    const Variant& first = code.passes.front();
    std::vector<ShaderPass> passes;
    for (size_t i = 0; i < code.passes.size(); i++) {
        ShaderPass pass;
        pass.glsl = text;
        pass.spirv = compile_for_translation(text, i + 1, is_foreign(first) ? first.filter_name : "");
        pass.entry = entry_name(request.language, i, code.passes.size());
        if (i < code.writes.size()) pass.format = code.writes[i];
        if (i + 1 < code.writes.size() && code.has_intermediate) pass.renamed = {{"result", "intermediate"}};
        passes.push_back(std::move(pass));
    }
    return translated(passes, request.language, name_space(request.method));
}

/// A comment with the original names of the numbers in a translated text.
std::string numbers_text(const Code& code, Language language) {
    if (language == Language::glsl) return "";
    std::vector<std::string> numbers;
    for (const auto& [name, value] : code.passes.front().defines)
        if (!value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; }))
            numbers.push_back(fmt::format("{} {}", name, value));
    return numbers.empty() ? "" : fmt::format("in numbers: {}\n", fmt::join(numbers, ", "));
}

/// WebGPU has fewer formats for storage textures than kernels write.
std::string stored_text(const Code& code, const CodeRequest& request) {
    const std::string asked = format_name(request);
    if (request.language != Language::wgsl || code.writes.empty() || code.writes.back() == asked) return "";
    return fmt::format("the result is an image of {}: WebGPU has no storage textures of {}\n", code.writes.back(),
                       asked);
}

/// Each pass reads what the one before it wrote; the first one reads the source.
double moved_bytes(const Code& code, const CodeRequest& request) {
    double bytes = source_bytes(request);
    for (size_t i = 0; i < code.writes.size(); i++)
        bytes += texel_bytes(code.writes[i]) * (i + 1 < code.writes.size() ? 2 : 1);
    return bytes;
}

MethodCode made_code(const CodeRequest& request, const std::string& comment, bool may_depart) {
    if (request.language >= Language::cpp)
        throw UsageError(
            fmt::format("no kernel in {}; there are glsl, hlsl, wgsl, msl and cuda", language_name(request.language)));
    Chosen made = code_for(request, may_depart);
    Code& code = made.code;
    take_formats(code, request);
    const std::string about = code.about.empty() ? images_text(code, request) : code.about;
    const std::string head = comment_lines(comment + made.departures + about + stored_text(code, request) +
                                           numbers_text(code, request.language));
    MethodCode result = {(request.language == Language::glsl ? "#version 450\n" : "") + head + body_text(code, request),
                         {},
                         made.method,
                         made.departures,
                         code.work};
    if (result.work.bytes == 0) result.work.bytes = moved_bytes(code, request);
    for (size_t i = 0; i < code.passes.size(); i++) {
        const bool is_several = code.passes.size() > 1, is_image = !code.writes.empty();
        CodePass pass = {entry_name(request.language, i, code.passes.size()),
                         request.language == Language::glsl && is_several ? fmt::format("PASS={}", i + 1) : "",
                         code.invocations,
                         is_image && i > 0 ? code.writes[i - 1]
                         : i == 0          ? format_name(request)
                                           : "",
                         is_image ? code.writes[i] : "",
                         code.groups(i, request.size)};
        result.passes.push_back(std::move(pass));
    }
    return result;
}

}  // namespace

MethodCode method_code(const CodeRequest& request, const std::string& comment) {
    CodeRequest asked = request;
    TimedMethod& timed = asked.method;
    if (!timed.remap) {
        timed.remap = order_that_fits(asked);
        timed.groups = {};
    }
    return made_code(asked, comment, true);
}

std::string method_code(const TimedMethod& timed, const std::string& comment) {
    CodeRequest request;
    request.method = timed;
    return made_code(request, comment, false).text;
}

}  // namespace tilewise::kernels
