// SPIR-V as tables: the types, constants, variables, names and functions of one compute shader.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <utility>
#include <vector>

namespace tilewise::kernels {

/// Members are named as the specification names the operands.
struct SpirvType {
    spv::Op op = spv::Op::OpTypeVoid;
    /// The type that a vector, an array or an image consists of, or that a pointer leads to.
    uint32_t element = 0;
    /// A vector's components, or an array's elements; 0 for an array without a fixed size.
    uint32_t count = 0;
    bool is_signed = false;
    spv::StorageClass storage = spv::StorageClass::Function;
    /// For an image that shaders write, or read without a sampler.
    bool is_storage_image = false;
    std::vector<uint32_t> members = {};
};

struct Instruction {
    spv::Op op = spv::Op::OpNop;
    /// 0 if the instruction has no result.
    uint32_t type = 0, id = 0;
    std::vector<uint32_t> operands = {};
    /// In the source, from 1 on; 0: unknown.
    uint32_t line = 0;
};

struct SpirvBlock {
    uint32_t label = 0;
    std::vector<Instruction> instructions = {};
};

struct SpirvFunction {
    uint32_t id = 0, result_type = 0, line = 0;
    /// Pointers to variables of their own, or values.
    std::vector<Instruction> parameters = {};
    std::vector<SpirvBlock> blocks = {};
};

struct SpirvModule {
    std::map<uint32_t, SpirvType> types;
    std::map<uint32_t, Instruction> constants;
    /// Global variables, and those of functions.
    std::map<uint32_t, Instruction> variables;
    std::map<uint32_t, std::string> names;
    std::map<std::pair<uint32_t, uint32_t>, std::string> member_names;
    /// By decorated id: the decoration's first number, or 0 if it has none.
    std::map<uint32_t, std::map<spv::Decoration, uint32_t>> decorations;
    /// Callees precede their callers.
    std::vector<SpirvFunction> functions;
    uint32_t entry = 0, glsl_instructions = 0;
    std::array<uint32_t, 3> local_size = {1, 1, 1};

    const SpirvType& type(uint32_t id) const { return types.at(id); }
    /// The type that a pointer leads to.
    uint32_t pointee(uint32_t pointer_type) const { return types.at(pointer_type).element; }
    spv::StorageClass storage_of(uint32_t variable) const { return types.at(variables.at(variable).type).storage; }
    const SpirvFunction& function(uint32_t id) const;
    bool is_pointer(uint32_t type_id) const { return types.at(type_id).op == spv::Op::OpTypePointer; }
    std::optional<uint32_t> decoration(uint32_t id, spv::Decoration decoration) const;
};

/// Reads SPIR-V that shaderc made from GLSL, without optimization, with debug information. Throws Error for anything
/// unknown.
SpirvModule read_spirv(std::span<const uint32_t> words);

/// The operands that are results of other instructions, in order; types, labels, scopes and numbers are left out.
std::vector<uint32_t> used_values(const Instruction& instruction);

/// "OpPhi" and the like, for messages.
std::string op_name(spv::Op op);

}  // namespace tilewise::kernels
