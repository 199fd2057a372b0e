#include "kernels/translate/statements.h"

#include "patterns/model/error.h"
#include <algorithm>
#include <fmt/format.h>
#include <spirv/unified1/GLSL.std.450.h>

namespace tilewise::kernels {

using spv::Op;
using Kind = Expression::Kind;

namespace {

/// What a function does to variables that are not its own.
struct Effects {
    std::set<uint32_t> reads, writes;
    bool has_barrier = false;
    /// By parameter.
    std::vector<bool> writes_parameter;

    bool is_pure() const { return writes.empty() && !has_barrier && std::ranges::count(writes_parameter, true) == 0; }
};

bool is_atomic(Op op) { return op == Op::OpAtomicIAdd || op == Op::OpAtomicUMax || op == Op::OpAtomicUMin; }

/// The pointers that lead into a variable or parameter.
std::map<uint32_t, uint32_t> roots_of(const SpirvFunction& function) {
    std::map<uint32_t, uint32_t> roots;
    for (const SpirvBlock& block : function.blocks)
        for (const Instruction& each : block.instructions)
            if (each.op == Op::OpAccessChain || each.op == Op::OpImage || each.op == Op::OpLoad) {
                const auto known = roots.find(each.operands[0]);
                roots[each.id] = known == roots.end() ? each.operands[0] : known->second;
            }
    return roots;
}

class EffectsOfAll {
public:
    explicit EffectsOfAll(const SpirvModule& module) : module_(module) {
        for (const SpirvFunction& function : module.functions) all_[function.id] = effects_of(function);
    }
    const Effects& of(uint32_t function) const { return all_.at(function); }

private:
    Effects effects_of(const SpirvFunction& function) const {
        Effects effects;
        effects.writes_parameter.resize(function.parameters.size());
        const std::map<uint32_t, uint32_t> roots = roots_of(function);
        const auto root_of = [&](uint32_t pointer) {
            const auto found = roots.find(pointer);
            return found == roots.end() ? pointer : found->second;
        };
        const auto is_global = [&](uint32_t id) {
            return module_.variables.contains(id) && module_.storage_of(id) != spv::StorageClass::Function;
        };
        const auto write = [&](uint32_t pointer) {
            const uint32_t root = root_of(pointer);
            if (is_global(root)) effects.writes.insert(root);
            for (size_t i = 0; i < function.parameters.size(); i++)
                if (function.parameters[i].id == root) effects.writes_parameter[i] = true;
        };
        for (const SpirvBlock& block : function.blocks)
            for (const Instruction& each : block.instructions) {
                for (const uint32_t used : used_values(each))
                    if (is_global(root_of(used))) effects.reads.insert(root_of(used));
                if (each.op == Op::OpStore || each.op == Op::OpImageWrite || is_atomic(each.op))
                    write(each.operands[0]);
                if (each.op == Op::OpControlBarrier || each.op == Op::OpMemoryBarrier) effects.has_barrier = true;
                if (each.op != Op::OpFunctionCall) continue;
                const Effects& called = all_.at(each.operands[0]);
                effects.reads.insert(called.reads.begin(), called.reads.end());
                effects.writes.insert(called.writes.begin(), called.writes.end());
                effects.has_barrier |= called.has_barrier;
                for (size_t i = 0; i < called.writes_parameter.size(); i++)
                    if (called.writes_parameter[i]) write(each.operands[i + 1]);
            }
        return effects;
    }

    const SpirvModule& module_;
    std::map<uint32_t, Effects> all_;
};

/// glslang's copies of arguments: variables that are written at most once, then passed, then read at most once.
std::set<uint32_t> copies_of_arguments(const SpirvModule& module, const SpirvFunction& function) {
    struct Uses {
        size_t stores = 0, calls = 0, loads = 0, others = 0;
    };
    std::map<uint32_t, Uses> all;
    for (const SpirvBlock& block : function.blocks)
        for (const Instruction& each : block.instructions) {
            const std::vector<uint32_t> used = used_values(each);
            for (size_t i = 0; i < used.size(); i++) {
                Uses& uses = all[used[i]];
                if (each.op == Op::OpStore && i == 0)
                    uses.stores++;
                else if (each.op == Op::OpFunctionCall)
                    uses.calls++;
                else if (each.op == Op::OpLoad)
                    uses.loads++;
                else
                    uses.others++;
            }
        }
    std::set<uint32_t> copies;
    for (const auto& [id, uses] : all) {
        const auto name = module.names.find(id);
        if (name == module.names.end() || name->second != "param" || !module.variables.contains(id)) continue;
        if (uses.stores == 1 && uses.calls == 1 && uses.loads <= 1 && uses.others == 0) copies.insert(id);
    }
    return copies;
}

/// Parameters, by function and place, for which a caller reads what the function stored in them.
std::set<std::pair<uint32_t, size_t>> read_after_calls(const SpirvModule& module) {
    std::set<std::pair<uint32_t, size_t>> read;
    for (const SpirvFunction& function : module.functions) {
        const std::set<uint32_t> copies = copies_of_arguments(module, function);
        std::set<uint32_t> loaded;
        for (const SpirvBlock& block : function.blocks)
            for (const Instruction& each : block.instructions)
                if (each.op == Op::OpLoad) loaded.insert(each.operands[0]);
        for (const SpirvBlock& block : function.blocks)
            for (const Instruction& each : block.instructions) {
                if (each.op != Op::OpFunctionCall) continue;
                for (size_t i = 1; i < each.operands.size(); i++) {
                    const uint32_t argument = each.operands[i];
                    if (!copies.contains(argument) || loaded.contains(argument)) read.insert({each.operands[0], i - 1});
                }
            }
    }
    return read;
}

ExpressionPointer made(Expression expression) {
    for (const ExpressionPointer& part : expression.parts)
        expression.reads.insert(part->reads.begin(), part->reads.end());
    return std::make_shared<const Expression>(std::move(expression));
}

class Builder {
public:
    Builder(const SpirvModule& module, const EffectsOfAll& effects,
            const std::set<std::pair<uint32_t, size_t>>& read_after, const SpirvFunction& function)
        : module_(module),
          effects_(effects),
          read_after_(read_after),
          function_(function),
          copies_(copies_of_arguments(module, function)) {
        for (const SpirvBlock& block : function.blocks) blocks_[block.label] = &block;
        count_uses();
        find_constant_arrays();
    }

    StructuredFunction build() {
        StructuredFunction made_of = {function_.id, function_.result_type, function_.line, {}, {}, {}};
        const Effects& effects = effects_.of(function_.id);
        for (size_t i = 0; i < function_.parameters.size(); i++) {
            const Instruction& parameter = function_.parameters[i];
            const bool is_pointer = module_.is_pointer(parameter.type);
            const bool is_changed = is_pointer && effects.writes_parameter[i];
            const bool is_reference = is_changed && read_after_.contains({function_.id, i});
            made_of.parameters.push_back({parameter.id, is_pointer ? module_.pointee(parameter.type) : parameter.type,
                                          is_reference, is_changed});
            if (!is_changed) constant_roots_.insert(parameter.id);
            if (!is_pointer) values_[parameter.id] = {variable(parameter.id, parameter.type), 0, true};
        }
        out_ = &made_of.body;
        walk(function_.blocks.front().label, 0, nullptr);
        if (!made_of.body.empty() && made_of.body.back().kind == Statement::Kind::end && !made_of.body.back().value)
            made_of.body.pop_back();
        made_of.globals = effects.reads;
        made_of.globals.insert(effects.writes.begin(), effects.writes.end());
        return made_of;
    }

private:
    struct Value {
        ExpressionPointer expression;
        size_t uses = 0;
        /// It is a name, which is valid anywhere.
        bool is_settled = false;
    };
    struct Loop {
        uint32_t merge = 0, next = 0;
    };

    [[noreturn]] static void refuse(const std::string& what) {
        throw Error(fmt::format("{} is not translated to this language: take glsl", what));
    }

    const SpirvBlock& block(uint32_t label) const { return *blocks_.at(label); }

    void count_uses() {
        for (const SpirvBlock& each : function_.blocks)
            for (const Instruction& instruction : each.instructions)
                for (const uint32_t used : used_values(instruction)) uses_[used]++;
        // In a short-circuit `a && b`, the phi repeats a, which is the branch's condition, or its negation.
        for (const SpirvBlock& each : function_.blocks) {
            const Instruction* merge = instruction_of(each, Op::OpSelectionMerge);
            if (!merge) continue;
            for (const Instruction& phi : block(merge->operands[0]).instructions)
                if (const auto left = left_of(phi, each)) {
                    uses_[*left]--;
                    short_circuits_.insert(phi.id);
                }
        }
    }

    static const Instruction* instruction_of(const SpirvBlock& in, Op op) {
        const auto found = std::ranges::find(in.instructions, op, &Instruction::op);
        return found == in.instructions.end() ? nullptr : &*found;
    }

    const Instruction* definition_in(const SpirvBlock& in, uint32_t id) const {
        const auto found = std::ranges::find(in.instructions, id, &Instruction::id);
        return found == in.instructions.end() ? nullptr : &*found;
    }

    /// The value that comes from `header`, if the phi is the end of its `&&` or `||`.
    std::optional<uint32_t> left_of(const Instruction& phi, const SpirvBlock& header) const {
        if (phi.op != Op::OpPhi || module_.type(phi.type).op != Op::OpTypeBool || phi.operands.size() != 4)
            return std::nullopt;
        const size_t from_header = phi.operands[1] == header.label ? 0 : 2;
        if (phi.operands[from_header + 1] != header.label) return std::nullopt;
        const uint32_t left = phi.operands[from_header];
        const uint32_t condition = header.instructions.back().operands.at(0);
        if (left == condition) return left;
        const Instruction* negation = definition_in(header, condition);
        const bool is_negated = negation && negation->op == Op::OpLogicalNot && negation->operands[0] == left;
        return is_negated ? std::optional(left) : std::nullopt;
    }

    /// glslang puts an array of constants into a variable before it takes an element.
    void find_constant_arrays() {
        std::map<uint32_t, size_t> stores;
        std::map<uint32_t, uint32_t> stored;
        std::set<uint32_t> others;
        for (const SpirvBlock& each : function_.blocks)
            for (const Instruction& instruction : each.instructions) {
                const std::vector<uint32_t> used = used_values(instruction);
                for (size_t i = 0; i < used.size(); i++)
                    if (instruction.op == Op::OpStore && i == 0) {
                        stores[used[0]]++;
                        stored[used[0]] = used[1];
                    } else if (instruction.op != Op::OpAccessChain || i > 0) {
                        others.insert(used[i]);
                    }
            }
        for (const auto& [variable, count] : stores)
            if (count == 1 && !others.contains(variable) && module_.constants.contains(stored[variable]) &&
                module_.type(module_.constants.at(stored[variable]).type).op == Op::OpTypeArray)
                constant_arrays_[variable] = stored[variable];
    }

    // Expressions.

    static ExpressionPointer variable(uint32_t id, uint32_t type) {
        return made({.kind = Kind::variable, .type = type, .id = id});
    }

    ExpressionPointer constant(uint32_t id) const {
        return made({.kind = Kind::constant, .type = module_.constants.at(id).type, .id = id});
    }

    /// Uses it once.
    ExpressionPointer take(uint32_t id) {
        if (module_.constants.contains(id)) return constant(id);
        const auto known = values_.find(id);
        if (known != values_.end()) {
            Value& value = known->second;
            if (value.uses > 0) value.uses--;
            return value.expression;
        }
        if (const auto array = constant_arrays_.find(id); array != constant_arrays_.end())
            return constant(array->second);
        if (module_.variables.contains(id)) return variable(id, module_.pointee(module_.variables.at(id).type));
        for (const Instruction& parameter : function_.parameters)
            if (parameter.id == id) return variable(id, module_.pointee(parameter.type));
        refuse("a value that does not come before its use");
    }

    static uint32_t root_of(const Expression& place) {
        if (place.kind == Kind::chain || place.kind == Kind::load) return root_of(*place.parts.front());
        return place.kind == Kind::variable ? place.id : 0;
    }

    bool may_change(uint32_t root) const {
        if (root == 0 || constant_roots_.contains(root)) return false;
        if (!module_.variables.contains(root)) return true;
        switch (module_.storage_of(root)) {
            case spv::StorageClass::Input:
            case spv::StorageClass::PushConstant:
                return false;
            case spv::StorageClass::UniformConstant: {
                // Textures do not change; storage images may.
                const uint32_t type = module_.pointee(module_.variables.at(root).type);
                return module_.type(type).op == Op::OpTypeImage;
            }
            default:
                return true;
        }
    }

    void settle(uint32_t id) {
        Value& value = values_.at(id);
        out_->push_back({.kind = Statement::Kind::let, .line = line_, .id = id, .value = value.expression});
        value.expression = made({.kind = Kind::temporary, .type = value.expression->type, .id = id});
        value.is_settled = true;
    }

    static bool is_place(const Expression& expression) {
        return expression.kind == Kind::variable || expression.kind == Kind::chain;
    }

    /// Writing it twice costs nothing.
    static bool is_simple(const Expression& expression) {
        if (expression.kind == Kind::constant || expression.kind == Kind::variable ||
            expression.kind == Kind::temporary)
            return true;
        if (expression.kind == Kind::call || expression.parts.size() > 2) return false;
        return std::ranges::all_of(expression.parts, [](const ExpressionPointer& part) { return is_simple(*part); });
    }

    void define(const Instruction& instruction, const ExpressionPointer& expression) {
        const auto count = uses_.find(instruction.id);
        if (count == uses_.end() || count->second == 0) return;
        values_[instruction.id] = {expression, count->second, false};
        pending_.push_back(instruction.id);
        const bool may_be_repeated = is_place(*expression) || expression->kind == Kind::constant ||
                                     (expression->kind == Kind::load && is_simple(*expression));
        if (count->second > 1 && !may_be_repeated) settle(instruction.id);
    }

    /// Before something changes, values that were read from it get a name.
    template <typename IsAffected>
    void settle_pending(const IsAffected& is_affected) {
        std::erase_if(pending_, [&](uint32_t id) {
            const auto known = values_.find(id);
            return known == values_.end() || known->second.uses == 0 || known->second.is_settled;
        });
        for (const uint32_t id : std::vector<uint32_t>(pending_)) {
            const Expression& expression = *values_.at(id).expression;
            if (is_affected(expression) && !is_place(expression)) settle(id);
        }
    }
    void before_change_of(uint32_t root) {
        settle_pending([&](const Expression& expression) {
            const bool is_affected = expression.reads.contains(root);
            if (is_affected && is_place(expression)) refuse("a place whose index changes before it is used");
            return is_affected;
        });
    }
    void before_unknown_change() {
        settle_pending([&](const Expression& expression) { return !expression.reads.empty(); });
    }

    // Statements.

    void add(Statement statement) {
        statement.line = line_;
        out_->push_back(std::move(statement));
    }

    void statement(const Instruction& instruction) {
        if (instruction.line != 0) line_ = instruction.line;
        const std::vector<uint32_t>& operands = instruction.operands;
        switch (instruction.op) {
            case Op::OpLoad:
                return load(instruction);
            case Op::OpStore:
                return store(operands[0], operands[1]);
            case Op::OpAccessChain:
                return chain(instruction);
            case Op::OpFunctionCall:
                return call(instruction);
            case Op::OpImageWrite: {
                std::vector<ExpressionPointer> parts;
                for (const uint32_t used : used_values(instruction)) parts.push_back(take(used));
                before_change_of(root_of(*parts.front()));
                return add({.kind = Statement::Kind::evaluate,
                            .value = made({.kind = Kind::operation, .op = instruction.op, .parts = parts})});
            }
            case Op::OpControlBarrier:
            case Op::OpMemoryBarrier:
                before_unknown_change();
                return add({.kind = Statement::Kind::evaluate,
                            .value = made({.kind = Kind::operation, .op = instruction.op})});
            case Op::OpAtomicIAdd:
            case Op::OpAtomicUMax:
            case Op::OpAtomicUMin: {
                std::vector<ExpressionPointer> parts;
                for (const uint32_t used : used_values(instruction)) parts.push_back(take(used));
                before_change_of(root_of(*parts.front()));
                return effect(
                    instruction,
                    made({.kind = Kind::operation, .op = instruction.op, .type = instruction.type, .parts = parts}));
            }
            case Op::OpVariable:
            case Op::OpPhi:
            case Op::OpLoopMerge:
            case Op::OpSelectionMerge:
                return;
            default:
                return operation(instruction);
        }
    }

    void operation(const Instruction& instruction) {
        Expression expression = {
            .kind = Kind::operation, .op = instruction.op, .type = instruction.type, .id = instruction.id};
        for (const uint32_t used : used_values(instruction)) expression.parts.push_back(take(used));
        const std::vector<uint32_t>& operands = instruction.operands;
        const auto literals_from = [&](size_t first) {
            expression.literals.assign(operands.begin() + static_cast<std::ptrdiff_t>(first), operands.end());
        };
        switch (instruction.op) {
            case Op::OpExtInst:
                if (operands[0] != module_.glsl_instructions) refuse("a set of instructions other than GLSL's");
                expression.number = operands[1];
                break;
            case Op::OpCompositeExtract:
                literals_from(1);
                break;
            case Op::OpCompositeInsert:
            case Op::OpVectorShuffle:
                literals_from(2);
                break;
            default:
                break;
        }
        define(instruction, made(std::move(expression)));
    }

    /// A value with an effect whose result may be used.
    void effect(const Instruction& instruction, const ExpressionPointer& expression) {
        const auto count = uses_.find(instruction.id);
        if (count == uses_.end() || count->second == 0)
            return add({.kind = Statement::Kind::evaluate, .value = expression});
        values_[instruction.id] = {expression, count->second, false};
        settle(instruction.id);
    }

    void load(const Instruction& instruction) {
        const uint32_t from = instruction.operands[0];
        if (const auto changed = changed_in_place_.find(from); changed != changed_in_place_.end())
            return define(instruction, changed->second);
        Expression expression = {.kind = Kind::load, .type = instruction.type, .parts = {take(from)}};
        const uint32_t root = root_of(*expression.parts.front());
        if (may_change(root)) expression.reads.insert(root);
        define(instruction, made(std::move(expression)));
    }

    void store(uint32_t to, uint32_t from) {
        if (constant_arrays_.contains(to)) return;
        if (copies_.contains(to)) {
            values_[to] = {take(from), 1, false};
            pending_.push_back(to);
            return;
        }
        const ExpressionPointer value = take(from), place = take(to);
        // What a call changed in place need not be copied back.
        if (value->kind == Kind::load && are_equal(*value->parts.front(), *place)) return;
        before_change_of(root_of(*place));
        add({.kind = Statement::Kind::assign, .to = place, .value = value});
    }

    void chain(const Instruction& instruction) {
        Expression expression = {.kind = Kind::chain, .type = module_.pointee(instruction.type)};
        expression.parts.push_back(take(instruction.operands[0]));
        const bool is_used_again = uses_[instruction.id] > 1;
        for (size_t i = 1; i < instruction.operands.size(); i++) {
            const uint32_t index = instruction.operands[i];
            const auto known = values_.find(index);
            if (is_used_again && known != values_.end() && !known->second.is_settled &&
                !is_simple(*known->second.expression))
                settle(index);
            expression.parts.push_back(take(index));
        }
        define(instruction, made(std::move(expression)));
    }

    void call(const Instruction& instruction) {
        const uint32_t callee = instruction.operands[0];
        const Effects& effects = effects_.of(callee);
        Expression expression = {.kind = Kind::call, .type = instruction.type, .id = callee};
        std::set<uint32_t> changed;
        for (size_t i = 1; i < instruction.operands.size(); i++) {
            const uint32_t argument = instruction.operands[i];
            const bool is_pointer = module_.is_pointer(module_.function(callee).parameters.at(i - 1).type);
            const bool is_reference =
                is_pointer && effects.writes_parameter[i - 1] && read_after_.contains({callee, i - 1});
            ExpressionPointer taken = take(argument);
            if (is_reference && copies_.contains(argument)) {
                if (taken->kind != Kind::load) {
                    // A value that belongs to no variable gets one.
                    out_->push_back({.kind = Statement::Kind::assign,
                                     .line = line_,
                                     .to = variable(argument, taken->type),
                                     .value = taken});
                    taken = variable(argument, taken->type);
                    values_.erase(argument);
                } else {
                    changed_in_place_[argument] = taken;
                    taken = taken->parts.front();
                }
            } else if (is_pointer && !is_reference && !copies_.contains(argument)) {
                const uint32_t root = root_of(*taken);
                Expression read = {.kind = Kind::load, .type = taken->type, .parts = {taken}};
                if (may_change(root)) read.reads.insert(root);
                taken = made(std::move(read));
            }
            if (is_reference) changed.insert(root_of(*taken));
            expression.parts.push_back(taken);
        }
        for (const uint32_t read : effects.reads)
            if (may_change(read)) expression.reads.insert(read);
        if (effects.is_pure() || (changed.empty() && effects.writes.empty() && !effects.has_barrier))
            return define(instruction, made(std::move(expression)));
        if (effects.has_barrier) before_unknown_change();
        for (const uint32_t root : changed) before_change_of(root);
        for (const uint32_t root : effects.writes) before_change_of(root);
        effect(instruction, made(std::move(expression)));
    }

    // Blocks.

    void walk(uint32_t label, uint32_t stop, const Loop* loop) {
        while (label != stop) {
            if (loop && label == loop->merge) return add({.kind = Statement::Kind::leave});
            if (loop && label == loop->next) return add({.kind = Statement::Kind::next});
            const SpirvBlock& here = block(label);
            if (const Instruction* merge = instruction_of(here, Op::OpLoopMerge)) {
                walk_loop(here, *merge);
                label = merge->operands[0];
                continue;
            }
            for (const Instruction& each : here.instructions) {
                if (&each == &here.instructions.back()) break;
                statement(each);
            }
            const Instruction& last = here.instructions.back();
            if (last.line != 0) line_ = last.line;
            switch (last.op) {
                case Op::OpBranch:
                    label = last.operands[0];
                    break;
                case Op::OpBranchConditional: {
                    const Instruction* merge = instruction_of(here, Op::OpSelectionMerge);
                    if (!merge) refuse("a branch that no selection has");
                    walk_selection(here, last, merge->operands[0], loop);
                    label = merge->operands[0];
                    break;
                }
                case Op::OpReturn:
                    return add({.kind = Statement::Kind::end});
                case Op::OpReturnValue:
                    return add({.kind = Statement::Kind::end, .value = take(last.operands[0])});
                case Op::OpUnreachable:
                    return;
                default:
                    refuse(last.op == Op::OpSwitch ? "a switch" : op_name(last.op));
            }
        }
    }

    Statements walked(uint32_t label, uint32_t stop, const Loop* loop) {
        Statements body;
        Statements* outer = std::exchange(out_, &body);
        walk(label, stop, loop);
        out_ = outer;
        return body;
    }

    void walk_selection(const SpirvBlock& here, const Instruction& branch, uint32_t merge, const Loop* loop) {
        const ExpressionPointer condition = take(branch.operands[0]);
        before_unknown_change();
        const uint32_t line = line_;
        std::vector<const Instruction*> phis;
        for (const Instruction& each : block(merge).instructions)
            if (each.op == Op::OpPhi) phis.push_back(&each);
        const uint32_t yes = branch.operands[1], no = branch.operands[2];
        Statement made_of = {.kind = Statement::Kind::branch, .line = line, .value = condition};
        made_of.body = walked(yes, merge, loop);
        if (phis.size() == 1 && short_circuits_.contains(phis.front()->id) && no == merge && made_of.body.empty())
            return short_circuit(*phis.front(), here, condition);
        made_of.other = walked(no, merge, loop);
        if (phis.empty()) {
            out_->push_back(std::move(made_of));
            return;
        }
        // Each branch stores its value in a variable.
        for (const Instruction* phi : phis) {
            if (short_circuits_.contains(phi->id)) refuse("a condition with effects");
            const ExpressionPointer place = variable(phi->id, phi->type);
            for (Statements* branch_of : {&made_of.body, &made_of.other}) {
                Statements* outer = std::exchange(out_, branch_of);
                const size_t from = comes_from(*phi, branch_of == &made_of.body ? yes : no, merge) ? 0 : 2;
                add({.kind = Statement::Kind::assign, .to = place, .value = take(phi->operands[from])});
                out_ = outer;
            }
            values_[phi->id] = {made({.kind = Kind::load, .type = phi->type, .parts = {place}, .reads = {phi->id}}),
                                uses_[phi->id], true};
        }
        out_->push_back(std::move(made_of));
    }

    /// Whether the phi's first value is that of the branch that begins at `label`.
    bool comes_from(const Instruction& phi, uint32_t label, uint32_t merge) const {
        std::set<uint32_t> seen;
        std::vector<uint32_t> open = {label};
        while (!open.empty()) {
            const uint32_t at = open.back();
            open.pop_back();
            if (at == merge || !seen.insert(at).second) continue;
            if (at == phi.operands[1]) return true;
            const Instruction& last = block(at).instructions.back();
            if (last.op == Op::OpBranch) open.push_back(last.operands[0]);
            if (last.op == Op::OpBranchConditional) open.insert(open.end(), {last.operands[1], last.operands[2]});
        }
        return false;
    }

    /// `a && b` or, with a negated condition, `a || b`.
    void short_circuit(const Instruction& phi, const SpirvBlock& header, const ExpressionPointer& condition) {
        const size_t from_header = phi.operands[1] == header.label ? 0 : 2;
        const bool is_and = phi.operands[from_header] == header.instructions.back().operands[0];
        const ExpressionPointer right = take(phi.operands[2 - from_header]);
        define(phi, made({.kind = Kind::operation,
                          .op = is_and ? Op::OpLogicalAnd : Op::OpLogicalOr,
                          .type = phi.type,
                          .parts = {is_and ? condition : condition->parts.front(), right}}));
    }

    /// The block that evaluates the condition of a loop before its body.
    std::optional<uint32_t> asking_block(uint32_t label, const Loop& loop) const {
        while (true) {
            const SpirvBlock& here = block(label);
            if (instruction_of(here, Op::OpLoopMerge)) return std::nullopt;
            const Instruction& last = here.instructions.back();
            if (const Instruction* merge = instruction_of(here, Op::OpSelectionMerge)) {
                label = merge->operands[0];
            } else if (last.op == Op::OpBranchConditional) {
                return last.operands[1] == loop.merge || last.operands[2] == loop.merge ? std::optional(label)
                                                                                        : std::nullopt;
            } else {
                return std::nullopt;
            }
        }
    }

    void walk_loop(const SpirvBlock& header, const Instruction& merge) {
        before_unknown_change();
        const Loop loop = {merge.operands[0], merge.operands[1]};
        constexpr auto unroll_bit = static_cast<uint32_t>(spv::LoopControlMask::Unroll);
        Statement made_of = {.kind = Statement::Kind::loop,
                             .line = merge.line != 0 ? merge.line : line_,
                             .unroll = (merge.operands[2] & unroll_bit) != 0};
        const Instruction& to_first = header.instructions.back();
        if (to_first.op != Op::OpBranch) refuse("a loop that begins with a branch");
        uint32_t first = to_first.operands[0];
        const std::optional<uint32_t> asks = asking_block(first, loop);
        Statements before;
        if (asks) {
            Statements* outer = std::exchange(out_, &before);
            walk_until_condition(first, *asks);
            const Instruction& branch = block(*asks).instructions.back();
            ExpressionPointer condition = take(branch.operands[0]);
            const bool leaves_on_yes = branch.operands[1] == loop.merge;
            if (leaves_on_yes)
                condition = made(
                    {.kind = Kind::operation, .op = Op::OpLogicalNot, .type = condition->type, .parts = {condition}});
            first = branch.operands[leaves_on_yes ? 2 : 1];
            before_unknown_change();
            out_ = outer;
            made_of.value = condition;
        }
        made_of.body = walked(first, loop.next, &loop);
        if (!before.empty()) {
            Statement leave = {.kind = Statement::Kind::branch, .line = made_of.line, .value = made_of.value};
            leave.other = {{.kind = Statement::Kind::leave, .line = made_of.line}};
            before.push_back(std::move(leave));
            before.insert(before.end(), made_of.body.begin(), made_of.body.end());
            made_of.body = std::move(before);
            made_of.value = nullptr;
        }
        Statements* outer = std::exchange(out_, &made_of.next);
        walk_next(loop.next, header.label, made_of);
        out_ = outer;
        take_first(made_of);
        out_->push_back(std::move(made_of));
    }

    /// Walks to the block that evaluates the loop's condition, and through all of it but its branch.
    void walk_until_condition(uint32_t label, uint32_t asks) {
        walk(label, asks, nullptr);
        for (const Instruction& each : block(asks).instructions)
            if (each.op != Op::OpBranchConditional) statement(each);
    }

    void walk_next(uint32_t label, uint32_t header, Statement& loop) {
        const SpirvBlock& here = block(label);
        if (here.instructions.back().op != Op::OpBranchConditional) return walk(label, header, nullptr);
        for (const Instruction& each : here.instructions)
            if (each.op != Op::OpBranchConditional) statement(each);
        const Instruction& branch = here.instructions.back();
        loop.value = take(branch.operands[0]);
        if (branch.operands[1] != header || !loop.next.empty()) refuse("such a loop");
        loop.asked_last = true;
    }

    /// Moves `i = 0` before a loop that counts i into the loop.
    void take_first(Statement& loop) {
        if (out_->empty() || !loop.value || loop.next.size() != 1) return;
        const Statement &before = out_->back(), &next = loop.next.front();
        const bool are_assignments = before.kind == Statement::Kind::assign && next.kind == Statement::Kind::assign &&
                                     before.to->kind == Kind::variable && next.to->kind == Kind::variable;
        if (!are_assignments || before.to->id != next.to->id) return;
        loop.first = {before};
        out_->pop_back();
    }

    const SpirvModule& module_;
    const EffectsOfAll& effects_;
    const std::set<std::pair<uint32_t, size_t>>& read_after_;
    const SpirvFunction& function_;
    std::set<uint32_t> copies_, constant_roots_, short_circuits_;
    std::map<uint32_t, const SpirvBlock*> blocks_;
    std::map<uint32_t, size_t> uses_;
    std::map<uint32_t, uint32_t> constant_arrays_;
    std::map<uint32_t, Value> values_;
    std::vector<uint32_t> pending_;
    /// Copies of arguments that represent what a call changed in place.
    std::map<uint32_t, ExpressionPointer> changed_in_place_;
    Statements* out_ = nullptr;
    uint32_t line_ = 0;
};

// Declarations.

void visit_expression(const ExpressionPointer& expression, const std::function<void(const Expression&)>& visit) {
    if (!expression) return;
    visit(*expression);
    for (const ExpressionPointer& part : expression->parts) visit_expression(part, visit);
}

bool uses_variable(const Statement& statement, uint32_t id) {
    bool uses = false;
    const Statements alone = {statement};
    for_each_expression(alone, [&](const Expression& each) { uses |= each.kind == Kind::variable && each.id == id; });
    return uses;
}

bool uses_in(const ExpressionPointer& expression, uint32_t id) {
    bool uses = false;
    visit_expression(expression, [&](const Expression& each) { uses |= each.kind == Kind::variable && each.id == id; });
    return uses;
}

/// Whether it assigns the whole variable, from a value that does not use the variable.
bool sets(const Statement& statement, uint32_t id) {
    return statement.kind == Statement::Kind::assign && statement.to->kind == Kind::variable &&
           statement.to->id == id && !uses_in(statement.value, id);
}

std::vector<size_t> users_in(const Statements& list, uint32_t id) {
    std::vector<size_t> users;
    for (size_t i = 0; i < list.size(); i++)
        if (uses_variable(list[i], id)) users.push_back(i);
    return users;
}

/// Whether the variable is assigned in the list before it is used there: it then need not keep an earlier value.
bool is_set_first(const Statements& list, uint32_t id) {
    const std::vector<size_t> users = users_in(list, id);
    if (users.empty()) return true;
    const Statement& first = list[users.front()];
    if (sets(first, id)) return true;
    if (users.size() > 1) return false;
    if (first.kind == Statement::Kind::branch)
        return !uses_in(first.value, id) && is_set_first(first.body, id) && is_set_first(first.other, id);
    if (first.kind != Statement::Kind::loop) return false;
    if (!first.first.empty() && sets(first.first.front(), id)) return true;
    return !uses_in(first.value, id) && users_in(first.next, id).empty() && is_set_first(first.body, id);
}

/// Declares the variable in `list`, which contains all its uses, as far inside as they allow.
void declare(Statements& list, uint32_t id) {
    const std::vector<size_t> users = users_in(list, id);
    if (users.empty()) return;
    Statement& first = list[users.front()];
    const auto begin = [&](Statement& statement) {
        statement.kind = Statement::Kind::declare;
        statement.id = id;
    };
    if (users.size() == 1 && first.kind == Statement::Kind::loop) {
        // A loop declares in its head the variables that its condition and its end use, too.
        if (!first.first.empty() && sets(first.first.front(), id)) return begin(first.first.front());
        const bool is_of_body =
            users_in(first.first, id).empty() && !uses_in(first.value, id) && users_in(first.next, id).empty();
        if (is_of_body && is_set_first(first.body, id)) return declare(first.body, id);
    }
    if (users.size() == 1 && first.kind == Statement::Kind::branch && !uses_in(first.value, id)) {
        const bool in_body = !users_in(first.body, id).empty(), in_other = !users_in(first.other, id).empty();
        if (in_body != in_other) return declare(in_body ? first.body : first.other, id);
    }
    if (sets(first, id)) return begin(first);
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(users.front()),
                {.kind = Statement::Kind::declare, .line = first.line, .id = id});
}

void declare_variables(const SpirvModule& module, StructuredFunction& function) {
    std::set<uint32_t> ids;
    for_each_expression(function.body, [&](const Expression& each) {
        if (each.kind != Kind::variable) return;
        const auto known = module.variables.find(each.id);
        const bool is_parameter = std::ranges::count(function.parameters, each.id, &Parameter::id) > 0;
        const bool is_local =
            known != module.variables.end() ? module.storage_of(each.id) == spv::StorageClass::Function : !is_parameter;
        if (is_local) ids.insert(each.id);
    });
    for (const uint32_t id : ids) declare(function.body, id);
}

}  // namespace

void for_each_expression(const Statements& statements, const std::function<void(const Expression&)>& visit) {
    for (const Statement& each : statements) {
        visit_expression(each.to, visit);
        visit_expression(each.value, visit);
        for (const Statements* list : {&each.first, &each.body, &each.other, &each.next})
            for_each_expression(*list, visit);
    }
}

bool are_equal(const Expression& a, const Expression& b) {
    if (a.kind != b.kind || a.op != b.op || a.number != b.number || a.type != b.type || a.literals != b.literals ||
        a.parts.size() != b.parts.size() || (a.kind != Kind::operation && a.id != b.id))
        return false;
    return std::ranges::equal(a.parts, b.parts, [](const auto& x, const auto& y) { return are_equal(*x, *y); });
}

std::vector<StructuredFunction> structured_functions(const SpirvModule& module) {
    const EffectsOfAll effects(module);
    const auto read_after = read_after_calls(module);
    std::vector<StructuredFunction> functions;
    for (const SpirvFunction& function : module.functions) {
        functions.push_back(Builder(module, effects, read_after, function).build());
        declare_variables(module, functions.back());
    }
    return functions;
}

}  // namespace tilewise::kernels
