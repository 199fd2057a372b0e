// Makes the header tell which instructions have a result.
#define SPV_ENABLE_UTILITY_CODE
#include "kernels/translate/module.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>

namespace tilewise::kernels {

using spv::Op;

namespace {

/// Reads a literal string and advances `words` past it.
std::string take_string(std::span<const uint32_t>& words) {
    std::string text;
    while (!words.empty()) {
        const uint32_t word = words.front();
        words = words.subspan(1);
        for (unsigned byte = 0; byte < 4; byte++) {
            const auto character = static_cast<char>(word >> (8 * byte) & 0xff);
            if (character == 0) return text;
            text += character;
        }
    }
    return text;
}

class Reader {
public:
    explicit Reader(std::span<const uint32_t> words) : words_(words) {}

    SpirvModule read() {
        constexpr size_t header_words = 5;
        if (words_.size() < header_words || words_[0] != spv::MagicNumber) throw Error("this is not SPIR-V");
        for (size_t at = header_words; at < words_.size();) {
            const uint32_t count = words_[at] >> spv::WordCountShift;
            if (count == 0 || at + count > words_.size()) throw Error("SPIR-V that ends within an instruction");
            instruction(static_cast<Op>(words_[at] & spv::OpCodeMask), words_.subspan(at + 1, count - 1));
            at += count;
        }
        order_functions();
        return std::move(module_);
    }

private:
    void instruction(Op op, std::span<const uint32_t> words) {
        switch (op) {
            case Op::OpExtInstImport: {
                const uint32_t id = words[0];
                words = words.subspan(1);
                if (take_string(words) == "GLSL.std.450") module_.glsl_instructions = id;
                return;
            }
            case Op::OpEntryPoint:
                module_.entry = words[1];
                return;
            case Op::OpExecutionMode:
                if (static_cast<spv::ExecutionMode>(words[1]) == spv::ExecutionMode::LocalSize)
                    std::copy_n(words.begin() + 2, 3, module_.local_size.begin());
                return;
            case Op::OpName: {
                const uint32_t id = words[0];
                words = words.subspan(1);
                std::string name = take_string(words);
                // Function names have the form "name(types".
                module_.names[id] = name.substr(0, name.find('('));
                return;
            }
            case Op::OpMemberName: {
                const std::pair member = {words[0], words[1]};
                words = words.subspan(2);
                module_.member_names[member] = take_string(words);
                return;
            }
            case Op::OpDecorate:
                module_.decorations[words[0]][static_cast<spv::Decoration>(words[1])] = words.size() > 2 ? words[2] : 0;
                return;
            case Op::OpLine:
                line_ = words[1];
                return;
            case Op::OpNoLine:
                line_ = 0;
                return;
            case Op::OpFunction:
                module_.functions.push_back({words[1], words[0], line_});
                return;
            case Op::OpFunctionEnd:
                return;
            case Op::OpLabel:
                module_.functions.back().blocks.push_back({words[0]});
                return;
            default:
                break;
        }
        if (is_about_module(op)) return;
        if (op >= Op::OpTypeVoid && op <= Op::OpTypeFunction) return type(op, words);
        Instruction made = {op, 0, 0, {}, line_};
        bool has_result = false, has_type = false;
        spv::HasResultAndType(op, &has_result, &has_type);
        if (has_type) made.type = words[0];
        if (has_result) made.id = words[has_type ? 1 : 0];
        const size_t before = (has_type ? 1 : 0) + (has_result ? 1 : 0);
        made.operands.assign(words.begin() + static_cast<std::ptrdiff_t>(before), words.end());
        if (op >= Op::OpConstantTrue && op <= Op::OpSpecConstantComposite) {
            module_.constants[made.id] = made;
        } else if (op == Op::OpVariable) {
            module_.variables[made.id] = made;
        } else if (op == Op::OpFunctionParameter) {
            module_.functions.back().parameters.push_back(made);
        } else if (module_.functions.empty() || module_.functions.back().blocks.empty()) {
            throw Error(fmt::format("SPIR-V with an {} outside of functions", op_name(op)));
        } else {
            module_.functions.back().blocks.back().instructions.push_back(std::move(made));
        }
    }

    static bool is_about_module(Op op) {
        constexpr Op ignored[] = {
            Op::OpCapability,      Op::OpExtension,       Op::OpMemoryModel, Op::OpSource,
            Op::OpSourceContinued, Op::OpSourceExtension, Op::OpString,      Op::OpModuleProcessed,
            Op::OpMemberDecorate,  Op::OpExecutionModeId, Op::OpNop};
        return std::ranges::find(ignored, op) != std::ranges::end(ignored);
    }

    void type(Op op, std::span<const uint32_t> words) {
        SpirvType made = {op};
        switch (op) {
            case Op::OpTypeInt:
                made.is_signed = words[2] != 0;
                [[fallthrough]];
            case Op::OpTypeFloat:
                if (words[1] != 32) throw Error("only numbers of 32 bits are translated: take glsl");
                break;
            case Op::OpTypeVector:
                made.element = words[1];
                made.count = words[2];
                break;
            case Op::OpTypeArray:
                made.element = words[1];
                made.count = module_.constants.at(words[2]).operands.at(0);
                break;
            case Op::OpTypeImage: {
                constexpr size_t sampled = 6;
                made.is_storage_image = words[sampled] == 2;
                made.element = words[1];
                break;
            }
            case Op::OpTypeRuntimeArray:
            case Op::OpTypeSampledImage:
                made.element = words[1];
                break;
            case Op::OpTypeStruct:
                made.members.assign(words.begin() + 1, words.end());
                break;
            case Op::OpTypePointer:
                made.storage = static_cast<spv::StorageClass>(words[1]);
                made.element = words[2];
                break;
            default:
                break;
        }
        module_.types[words[0]] = made;
    }

    void order_functions() {
        std::vector<SpirvFunction> ordered;
        std::set<uint32_t> done;
        const std::function<void(uint32_t)> add = [&](uint32_t id) {
            if (!done.insert(id).second) return;
            const SpirvFunction& function = module_.function(id);
            for (const SpirvBlock& block : function.blocks)
                for (const Instruction& each : block.instructions)
                    if (each.op == Op::OpFunctionCall) add(each.operands.at(0));
            ordered.push_back(function);
        };
        add(module_.entry);
        module_.functions = std::move(ordered);
    }

    std::span<const uint32_t> words_;
    SpirvModule module_;
    uint32_t line_ = 0;
};

}  // namespace

const SpirvFunction& SpirvModule::function(uint32_t id) const {
    const auto found = std::ranges::find(functions, id, &SpirvFunction::id);
    if (found == functions.end()) throw Error("SPIR-V that calls a function which it does not have");
    return *found;
}

std::optional<uint32_t> SpirvModule::decoration(uint32_t id, spv::Decoration decoration) const {
    const auto all = decorations.find(id);
    if (all == decorations.end()) return std::nullopt;
    const auto found = all->second.find(decoration);
    return found == all->second.end() ? std::optional<uint32_t>() : found->second;
}

SpirvModule read_spirv(std::span<const uint32_t> words) { return Reader(words).read(); }

std::vector<uint32_t> used_values(const Instruction& instruction) {
    const std::vector<uint32_t>& all = instruction.operands;
    const auto some = [&](std::initializer_list<size_t> places) {
        std::vector<uint32_t> used;
        for (const size_t place : places)
            if (place < all.size()) used.push_back(all[place]);
        return used;
    };
    const auto from = [&](size_t first) {
        return std::vector(all.begin() + static_cast<std::ptrdiff_t>(std::min(first, all.size())), all.end());
    };
    switch (instruction.op) {
        case Op::OpLabel:
        case Op::OpBranch:
        case Op::OpLoopMerge:
        case Op::OpSelectionMerge:
        case Op::OpReturn:
        case Op::OpUnreachable:
        case Op::OpControlBarrier:
        case Op::OpMemoryBarrier:
            return {};
        case Op::OpLoad:
        case Op::OpCompositeExtract:
        case Op::OpBranchConditional:
        case Op::OpImage:
            return some({0});
        case Op::OpStore:
        case Op::OpCompositeInsert:
        case Op::OpVectorShuffle:
            return some({0, 1});
        case Op::OpImageFetch:
        case Op::OpImageSampleExplicitLod:
            return some({0, 1, 3});
        case Op::OpImageRead:
            return some({0, 1});
        case Op::OpImageWrite:
            return some({0, 1, 2});
        case Op::OpAtomicIAdd:
        case Op::OpAtomicUMax:
        case Op::OpAtomicUMin:
            return some({0, 3});
        case Op::OpCompositeConstruct: {
            // If all components have the same number, it is used once.
            const bool is_splat = std::ranges::all_of(all, [&](uint32_t each) { return each == all.front(); });
            return is_splat && all.size() > 1 ? some({0}) : all;
        }
        case Op::OpExtInst:
            return from(2);
        case Op::OpFunctionCall:
            return from(1);
        case Op::OpPhi: {
            std::vector<uint32_t> used;
            for (size_t i = 0; i < all.size(); i += 2) used.push_back(all[i]);
            return used;
        }
        default:
            return all;
    }
}

std::string op_name(Op op) { return fmt::format("instruction {}", static_cast<uint32_t>(op)); }

}  // namespace tilewise::kernels
