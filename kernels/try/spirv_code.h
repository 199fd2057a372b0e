// Foreign SPIR-V as a list of instructions that can be inspected, changed and written again.
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
    /// Everything after the first word, including type and result if there are any.
    std::vector<uint32_t> operands = {};
    /// 0 if there is none.
    uint32_t type = 0, result = 0;
    /// How many of the operands are type and result.
    size_t first_operand = 0;

    /// The operand at a position after type and result; 0 if there is none.
    uint32_t at(size_t place) const {
        return first_operand + place < operands.size() ? operands[first_operand + place] : 0;
    }
};

struct SpirvCode {
    /// 0x00010300 is SPIR-V 1.3.
    uint32_t version = 0;
    uint32_t generator = 0;
    /// All ids are below it.
    uint32_t bound = 0;
    std::vector<CodeInstruction> instructions;

    uint32_t new_id() { return bound++; }
};

/// `operands` as in CodeInstruction.
CodeInstruction make_instruction(spv::Op op, std::vector<uint32_t> operands);

/// Throws Error if the words are not SPIR-V.
SpirvCode parse_spirv(std::span<const uint32_t> words);
std::vector<uint32_t> words_of(const SpirvCode& code);

/// The string that begins at the first word, and its length in words; an unterminated string ends with the words.
std::string string_at(std::span<const uint32_t> words, size_t& length);
std::vector<uint32_t> string_words(std::string_view text);

/// Whether the operand at a position after type and result may be an id. Numbers among the operands (of an extended
/// instruction, of components, of image operands and of the like) may look like ids. Only for instructions of functions.
bool is_id(const CodeInstruction& instruction, size_t place);

/// "OpGroupNonUniformFAdd".
std::string opcode_name(spv::Op op);

/// "GroupNonUniformArithmetic".
std::string capability_name(spv::Capability capability);

/// What SPIRV-Tools' validator finds wrong by the rules of Vulkan 1.3, in one line; empty if nothing.
std::string why_invalid(std::span<const uint32_t> words);
/// The same for foreign words, in a process with validate_role.
std::string why_invalid_confined(std::string_view subject, std::span<const uint32_t> words);
int validate_for_program(probe::worker::Playing& playing);
/// The role that main() passes to play_role.
inline const probe::worker::Role validate_role = {"validate", validate_for_program};

/// 16 hexadecimal digits that identify the words.
std::string shader_hash(std::span<const uint32_t> words);

/// A compute entry point.
struct ComputeEntry {
    std::string name;
    uint32_t function = 0;
    std::vector<uint32_t> interface = {};
    /// Its position among the instructions.
    size_t place = 0;
};
/// The entry point with that name; for "", the only one. Throws Error naming the existing ones.
ComputeEntry entry_named(const SpirvCode& code, const std::string& name);

}  // namespace tilewise::kernels
