// SPIR-V of strangers as a list of instructions, to be looked at, changed and written again.
#pragma once
#include "probe/worker/process.h"
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::kernels {

struct CodeInstruction {
    spv::Op op = spv::Op::OpNop;
    /// All that follows the first word: the type and the result, too, where it has them.
    std::vector<uint32_t> operands = {};
    /// 0 where it has none.
    uint32_t type = 0, result = 0;
    /// Of the operands, so many are type and result.
    size_t first_operand = 0;

    /// Operands behind type and result; 0 where there is none.
    uint32_t at(size_t place) const {
        return first_operand + place < operands.size() ? operands[first_operand + place] : 0;
    }
};

struct SpirvCode {
    /// 0x00010300 is SPIR-V 1.3.
    uint32_t version = 0;
    uint32_t generator = 0;
    /// Every id is below it.
    uint32_t bound = 0;
    std::vector<CodeInstruction> instructions;

    uint32_t new_id() { return bound++; }
};

/// `operands` as in CodeInstruction.
CodeInstruction make_instruction(spv::Op op, std::vector<uint32_t> operands);

/// Throws Error for what is no SPIR-V.
SpirvCode parse_spirv(std::span<const uint32_t> words);
std::vector<uint32_t> words_of(const SpirvCode& code);

/// The string that begins at a word, and how many words it takes; what has no end ends with the words.
std::string string_at(std::span<const uint32_t> words, size_t& length);
std::vector<uint32_t> string_words(std::string_view text);

/// "OpGroupNonUniformFAdd".
std::string opcode_name(spv::Op op);

/// "GroupNonUniformArithmetic".
std::string capability_name(spv::Capability capability);

/// What SPIRV-Tools' validator finds wrong with it, as Vulkan 1.3 has the rules, in one line; empty: nothing.
std::string why_invalid(std::span<const uint32_t> words);
/// The same of a stranger's words, by validate_role.
std::string why_invalid_confined(std::string_view subject, std::span<const uint32_t> words);
int validate_for_program(probe::worker::Playing& playing);
/// main() gives it to play_role.
inline const probe::worker::Role validate_role = {"validate", validate_for_program};

/// 16 hexadecimal digits, the same for the same words.
std::string shader_hash(std::span<const uint32_t> words);

/// An entry point of the stage that computes.
struct ComputeEntry {
    std::string name;
    uint32_t function = 0;
    std::vector<uint32_t> interface = {};
    /// Its place among the instructions.
    size_t place = 0;
};
/// The one of that name; for "" the only one. Throws Error naming those that there are.
ComputeEntry entry_named(const SpirvCode& code, const std::string& name);

}  // namespace tilewise::kernels
