// Makes the header tell which instructions have a result.
#define SPV_ENABLE_UTILITY_CODE
#include "kernels/try/spirv_code.h"
#include "kernels/shader/confined.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spirv-tools/libspirv.hpp>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tilewise::kernels {

namespace {

constexpr size_t header_words = 5;

}  // namespace

CodeInstruction make_instruction(spv::Op op, std::vector<uint32_t> operands) {
    CodeInstruction made = {op, std::move(operands)};
    bool has_result = false, has_type = false;
    spv::HasResultAndType(op, &has_result, &has_type);
    made.first_operand = (has_type ? 1 : 0) + (has_result ? 1 : 0);
    if (made.operands.size() < made.first_operand) throw Error("SPIR-V with an instruction that is too short");
    if (has_type) made.type = made.operands[0];
    if (has_result) made.result = made.operands[has_type ? 1 : 0];
    return made;
}

SpirvCode parse_spirv(std::span<const uint32_t> words) {
    if (words.size() < header_words || words[0] != spv::MagicNumber) throw Error("this is not SPIR-V");
    SpirvCode code = {words[1], words[2], words[3], {}};
    for (size_t at = header_words; at < words.size();) {
        const uint32_t count = words[at] >> spv::WordCountShift;
        if (count == 0 || count > words.size() - at) throw Error("SPIR-V that ends within an instruction");
        const auto operands = words.subspan(at + 1, count - 1);
        code.instructions.push_back(make_instruction(static_cast<spv::Op>(words[at] & spv::OpCodeMask),
                                                     std::vector<uint32_t>(operands.begin(), operands.end())));
        at += count;
    }
    return code;
}

std::vector<uint32_t> words_of(const SpirvCode& code) {
    std::vector<uint32_t> words = {spv::MagicNumber, code.version, code.generator, code.bound, 0};
    for (const CodeInstruction& each : code.instructions) {
        words.push_back(static_cast<uint32_t>(each.operands.size() + 1) << spv::WordCountShift |
                        static_cast<uint32_t>(each.op));
        words.insert(words.end(), each.operands.begin(), each.operands.end());
    }
    return words;
}

std::string string_at(std::span<const uint32_t> words, size_t& length) {
    std::string text;
    for (length = 0; length < words.size();) {
        const uint32_t word = words[length++];
        for (unsigned byte = 0; byte < 4; ++byte) {
            const auto character = static_cast<char>(word >> (8 * byte) & 0xff);
            if (character == 0) return text;
            text += character;
        }
    }
    return text;
}

std::vector<uint32_t> string_words(std::string_view text) {
    std::vector<uint32_t> words(text.size() / 4 + 1);
    for (size_t i = 0; i < text.size(); ++i)
        words[i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(text[i])) << (8 * (i % 4));
    return words;
}

bool is_id(const CodeInstruction& instruction, size_t place) {
    switch (instruction.op) {
        case spv::Op::OpLine:
        case spv::Op::OpSelectionMerge:
        case spv::Op::OpLoad:
        case spv::Op::OpArrayLength:
        case spv::Op::OpCompositeExtract:
            return place < 1;
        case spv::Op::OpLoopMerge:
        case spv::Op::OpSwitch:
        case spv::Op::OpStore:
        case spv::Op::OpCopyMemory:
        case spv::Op::OpCompositeInsert:
        case spv::Op::OpVectorShuffle:
            return place < 2;
        case spv::Op::OpBranchConditional:
            return place < 3;
        // A storage class, or what may be assumed of a function, comes first.
        case spv::Op::OpVariable:
        case spv::Op::OpFunction:
            return place > 0;
        case spv::Op::OpExtInst:
        case spv::Op::OpGroupNonUniformBallotBitCount:
            return place != 1;
        case spv::Op::OpImageSampleImplicitLod:
        case spv::Op::OpImageSampleExplicitLod:
        case spv::Op::OpImageSampleProjImplicitLod:
        case spv::Op::OpImageSampleProjExplicitLod:
        case spv::Op::OpImageFetch:
        case spv::Op::OpImageRead:
        case spv::Op::OpImageSparseSampleImplicitLod:
        case spv::Op::OpImageSparseSampleExplicitLod:
        case spv::Op::OpImageSparseFetch:
        case spv::Op::OpImageSparseRead:
            return place != 2;
        case spv::Op::OpImageSampleDrefImplicitLod:
        case spv::Op::OpImageSampleDrefExplicitLod:
        case spv::Op::OpImageSampleProjDrefImplicitLod:
        case spv::Op::OpImageSampleProjDrefExplicitLod:
        case spv::Op::OpImageGather:
        case spv::Op::OpImageDrefGather:
        case spv::Op::OpImageWrite:
        case spv::Op::OpImageSparseGather:
        case spv::Op::OpImageSparseDrefGather:
            return place != 3;
        default:
            // The arithmetic of subgroups names its group operation behind the scope.
            return !(instruction.op >= spv::Op::OpGroupNonUniformIAdd &&
                     instruction.op <= spv::Op::OpGroupNonUniformLogicalXor) ||
                   place != 1;
    }
}

std::string opcode_name(spv::Op op) { return fmt::format("Op{}", spvOpcodeString(static_cast<uint32_t>(op))); }

std::string capability_name(spv::Capability capability) {
    const SpirvCode code = {
        0x00010600, 0, 1, {make_instruction(spv::Op::OpCapability, {static_cast<uint32_t>(capability)})}};
    std::string text;
    if (spvtools::SpirvTools(SPV_ENV_VULKAN_1_3)
            .Disassemble(words_of(code), &text, SPV_BINARY_TO_TEXT_OPTION_NO_HEADER))
        if (const size_t space = text.find(' '); space != text.npos)
            return text.substr(space + 1, text.find('\n') - space - 1);
    return fmt::format("{}", static_cast<uint32_t>(capability));
}

std::string why_invalid(std::span<const uint32_t> words) {
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_3);
    std::string complaint;
    tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&, const char* message) {
        if (complaint.empty()) complaint = message;
    });
    spvtools::ValidatorOptions options;
    options.SetScalarBlockLayout(true);
    options.SetWorkgroupScalarBlockLayout(true);
    if (tools.Validate(words.data(), words.size(), options)) return {};
    if (complaint.empty()) return "SPIRV-Tools refuses it";
    return complaint.substr(0, complaint.find('\n'));
}

namespace {

std::string validate_task(std::string_view bytes) {
    std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
    return why_invalid(words);
}

}  // namespace

std::string why_invalid_confined(std::string_view subject, std::span<const uint32_t> words) {
    return run_confined(validate_role, subject, {reinterpret_cast<const char*>(words.data()), words.size_bytes()});
}

int validate_for_program(probe::worker::Playing& playing) { return answer_task(playing, validate_task); }

std::string shader_hash(std::span<const uint32_t> words) {
    return fmt::format("{:016x}", XXH3_64bits(words.data(), words.size_bytes()));
}

ComputeEntry entry_named(const SpirvCode& code, const std::string& name) {
    std::vector<ComputeEntry> entries;
    for (size_t place = 0; place < code.instructions.size(); ++place) {
        const CodeInstruction& each = code.instructions[place];
        if (each.op != spv::Op::OpEntryPoint || each.operands.size() < 3 ||
            each.operands[0] != static_cast<uint32_t>(spv::ExecutionModel::GLCompute))
            continue;
        size_t length = 0;
        const std::string found = string_at(std::span(each.operands).subspan(2), length);
        const auto interface = std::span(each.operands).subspan(2 + length);
        entries.push_back({found, each.operands[1], {interface.begin(), interface.end()}, place});
    }
    std::vector<std::string> names;
    for (const ComputeEntry& entry : entries) {
        if (entry.name == name || (name.empty() && entries.size() == 1)) return entry;
        names.push_back(printable(entry.name, 100));
    }
    if (entries.empty()) throw Error("has no entry point that computes");
    if (name.empty()) throw Error(fmt::format("which entry point? --entry {}", fmt::join(names, ", or --entry ")));
    throw Error(fmt::format("has no entry point {}; it has: {}", printable(name, 100), fmt::join(names, ", ")));
}

}  // namespace tilewise::kernels
