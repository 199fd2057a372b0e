#include "kernels/try/legality.h"
#include <fmt/format.h>

namespace tilewise::kernels {

using spv::Op;

namespace {

/// Subgroups, quads and derivatives: results depend on which invocations run side by side.
bool depends_on_lanes(Op op) {
    const auto number = static_cast<uint32_t>(op);
    const auto is_between = [&](Op first, Op last) {
        return number >= static_cast<uint32_t>(first) && number <= static_cast<uint32_t>(last);
    };
    switch (op) {
        case Op::OpImageSampleImplicitLod:
        case Op::OpImageSampleDrefImplicitLod:
        case Op::OpImageSampleProjImplicitLod:
        case Op::OpImageSampleProjDrefImplicitLod:
        case Op::OpImageSparseSampleImplicitLod:
        case Op::OpImageSparseSampleDrefImplicitLod:
        case Op::OpImageQueryLod:
        case Op::OpGroupNonUniformPartitionNV:
            return true;
        default:
            break;
    }
    constexpr uint32_t khr_first = 4421, khr_last = 4432;  // OpSubgroupBallotKHR .. OpSubgroupReadInvocationKHR
    constexpr uint32_t amd_first = 5000, amd_last = 5007;  // OpGroupIAddNonUniformAMD .. OpGroupSMaxNonUniformAMD
    constexpr uint32_t matrix_first = 5358, matrix_last = 5362, matrix_khr_first = 4456, matrix_khr_last = 4460;
    constexpr uint32_t quad_first = 5110, quad_last = 5111;  // OpGroupNonUniformQuadAllKHR, ..AnyKHR
    const auto is_in = [&](uint32_t first, uint32_t last) { return number >= first && number <= last; };
    return is_between(Op::OpDPdx, Op::OpFwidthCoarse) || is_between(Op::OpGroupAll, Op::OpGroupSMax) ||
           is_between(Op::OpGroupNonUniformElect, Op::OpGroupNonUniformQuadSwap) || is_in(khr_first, khr_last) ||
           is_in(amd_first, amd_last) || is_in(matrix_first, matrix_last) || is_in(matrix_khr_first, matrix_khr_last) ||
           is_in(quad_first, quad_last);
}

const char* subgroup_builtin(spv::BuiltIn builtin) {
    switch (builtin) {
        case spv::BuiltIn::SubgroupSize:
            return "SubgroupSize";
        case spv::BuiltIn::SubgroupId:
            return "SubgroupId";
        case spv::BuiltIn::NumSubgroups:
            return "NumSubgroups";
        case spv::BuiltIn::SubgroupLocalInvocationId:
            return "SubgroupLocalInvocationId";
        case spv::BuiltIn::SubgroupEqMask:
        case spv::BuiltIn::SubgroupGeMask:
        case spv::BuiltIn::SubgroupGtMask:
        case spv::BuiltIn::SubgroupLeMask:
        case spv::BuiltIn::SubgroupLtMask:
            return "a mask of the subgroup";
        default:
            return nullptr;
    }
}

/// The function's name in messages.
std::string function_name(const std::map<uint32_t, std::string>& names, uint32_t id) {
    constexpr size_t most = 100;
    const auto found = names.find(id);
    if (found == names.end() || found->second.empty()) return "";
    return " in " + found->second.substr(0, std::min(found->second.find('('), most));
}

}  // namespace

Legality legality_of(const SpirvCode& code, const ShaderReflection& shader) {
    Legality legality;
    const std::set<uint32_t> reached = reached_functions(code, shader.entry.function);
    std::map<uint32_t, std::string> names;
    std::map<uint32_t, spv::BuiltIn> built_ins;
    std::set<uint32_t> shared, subgroup_scopes;
    std::string in;
    bool is_reached = false;
    // A module may have millions of instructions: the message is composed only for the first that forbids something.
    const auto forbid = [](std::string& what, const auto& why) {
        if (what.empty()) what = why();
    };
    for (const CodeInstruction& each : code.instructions) {
        if (each.op == Op::OpName) {
            size_t length = 0;
            names[each.operands[0]] = string_at(std::span(each.operands).subspan(1), length);
        }
        if (each.op == Op::OpDecorate && static_cast<spv::Decoration>(each.operands[1]) == spv::Decoration::BuiltIn)
            built_ins[each.operands[0]] = static_cast<spv::BuiltIn>(each.operands[2]);
        if (each.op == Op::OpVariable && static_cast<spv::StorageClass>(each.at(0)) == spv::StorageClass::Workgroup)
            shared.insert(each.result);
        if (each.op == Op::OpConstant && each.at(0) == static_cast<uint32_t>(spv::Scope::Subgroup))
            subgroup_scopes.insert(each.result);
        if (each.op == Op::OpFunction) {
            is_reached = reached.contains(each.result);
            in = function_name(names, each.result);
        }
        if (!is_reached) continue;
        const auto instruction = [&] { return opcode_name(each.op) + in; };
        if (depends_on_lanes(each.op)) {
            const auto why = [&] { return instruction() + " depends on which invocations run side by side"; };
            forbid(legality.order, why);
            forbid(legality.shape, why);
        }
        for (size_t place = 0; each.first_operand + place < each.operands.size(); ++place) {
            if (!is_id(each, place)) continue;
            const uint32_t used = each.at(place);
            if (shared.contains(used))
                forbid(legality.shape, [&] {
                    return fmt::format("{} uses {}, which the invocations of a workgroup share", instruction(),
                                       names[used].empty() ? "memory" : names[used]);
                });
            const auto built_in = built_ins.find(used);
            if (built_in == built_ins.end()) continue;
            if (const char* name = subgroup_builtin(built_in->second)) {
                const auto why = [&] { return fmt::format("{} reads {}", instruction(), name); };
                forbid(legality.order, why);
                forbid(legality.shape, why);
            }
        }
        if (each.op == Op::OpControlBarrier) {
            forbid(legality.shape, [&] { return instruction() + " waits for the invocations of a workgroup"; });
            if (subgroup_scopes.contains(each.at(0)))
                forbid(legality.order, [&] { return instruction() + " waits for the invocations of a subgroup"; });
        }
    }
    for (const CodeInstruction& each : code.instructions) {
        if (each.op != Op::OpExecutionMode || each.operands[0] != shader.entry.function) continue;
        const auto mode = static_cast<spv::ExecutionMode>(each.operands[1]);
        if (mode == spv::ExecutionMode::LocalSize || mode == spv::ExecutionMode::LocalSizeId) continue;
        if (mode == spv::ExecutionMode::DerivativeGroupQuadsNV || mode == spv::ExecutionMode::DerivativeGroupLinearNV) {
            const auto why = [] { return "OpExecutionMode DerivativeGroup.. says which invocations run side by side"; };
            forbid(legality.order, why);
            forbid(legality.shape, why);
        }
    }
    return legality;
}

}  // namespace tilewise::kernels
