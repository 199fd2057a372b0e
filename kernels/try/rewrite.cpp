#include "kernels/try/rewrite.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <set>
#include <span>

namespace tilewise::kernels {

using spv::Op;
using spv::StorageClass;

std::array<uint32_t, 3> dispatched(const ShaderGrid& grid, const ShaderVariant& variant) {
    std::array<uint32_t, 3> groups = grid.groups;
    for (size_t i = 0; i < 3; ++i) {
        const uint64_t total = uint64_t{grid.groups[i]} * grid.local_size[i];
        groups[i] = static_cast<uint32_t>((total + variant.local_size[i] - 1) / variant.local_size[i]);
    }
    return groups;
}

bool depends_on_grid(const ShaderGrid& grid, const ShaderVariant& variant) {
    return variant.local_size != grid.local_size;
}

namespace {

/// The identity of an invocation.
template <typename Value>
struct Names {
    std::array<Value, 3> group = {}, local = {}, global = {}, groups = {};
    Value index = {};
    /// Whether the invocation is one of the shader's; none if all are.
    std::optional<Value> is_inside = {};
};

/// Builds the computation in `b`, which provides group(axis), local(axis) and groups(axis) as the device has them,
/// index() of the invocation in its workgroup, number(n), and operations on unsigned numbers.
template <typename B>
class Naming {
public:
    using Value = typename B::Value;
    Naming(B& builder, const ShaderGrid& grid, const ShaderVariant& variant)
        : b(builder), grid_(grid), variant_(variant) {}

    Names<Value> names() {
        place_group();
        place_invocation();
        return depends_on_grid(grid_, variant_) ? taken_apart() : as_dispatched();
    }

private:
    /// The workgroup's place along x and y, from its number in the launch order: see group_position().
    void place_group() {
        x_ = b.group(0);
        y_ = b.group(1);
        const GroupOrder& order = variant_.groups;
        if (order.kind == GroupOrderKind::linear) return;
        const Value id = b.add(b.mul(y_, b.groups(0)), x_);
        if (order.kind == GroupOrderKind::strips)
            in_strips(id, order.strip_width);
        else if (goes_by_columns(order))
            // Tiles one below the other, each row by row, form a strip of their width.
            in_strips(id, order.tile_groups[axis_x]);
        else
            in_tiles(id, order.tile_groups[axis_x], order.tile_groups[axis_y]);
    }

    void in_strips(Value id, uint32_t width) {
        const Value in_strip = b.mul(b.groups(1), b.number(width));
        const Value strip = b.div(id, in_strip);
        const Value rest = b.sub(id, b.mul(strip, in_strip));
        const Value first = b.mul(strip, b.number(width));
        const Value wide = b.min(b.number(width), b.sub(b.groups(0), first));
        x_ = b.add(first, b.mod(rest, wide));
        y_ = b.div(rest, wide);
    }

    void in_tiles(Value id, uint32_t width, uint32_t height) {
        const Value in_band = b.mul(b.groups(0), b.number(height));
        const Value band = b.div(id, in_band);
        const Value in_this = b.sub(id, b.mul(band, in_band));
        const Value top = b.mul(band, b.number(height));
        const Value high = b.min(b.number(height), b.sub(b.groups(1), top));
        const Value in_tile = b.mul(high, b.number(width));
        const Value tile = b.div(in_this, in_tile);
        const Value rest = b.sub(in_this, b.mul(tile, in_tile));
        const Value left = b.mul(tile, b.number(width));
        const Value wide = b.min(b.number(width), b.sub(b.groups(0), left));
        x_ = b.add(left, b.mod(rest, wide));
        y_ = b.add(top, b.div(rest, wide));
    }

    /// Bits of the index that move by the same distance are moved together.
    Value coordinate(Value index, Axis axis) {
        std::map<int, uint32_t> masks;
        const auto& columns = variant_.order->columns;
        for (unsigned bit = 0; bit < columns.size(); ++bit)
            for (uint32_t rest = columns[bit][axis]; rest != 0; rest &= rest - 1) {
                const int to = std::countr_zero(rest);
                masks[to - static_cast<int>(bit)] |= uint32_t{1} << to;
            }
        std::optional<Value> sum;
        for (const auto& [distance, mask] : masks) {
            const Value moved = distance > 0   ? b.shl(index, static_cast<uint32_t>(distance))
                                : distance < 0 ? b.shr(index, static_cast<uint32_t>(-distance))
                                               : index;
            const Value part = b.and_(moved, b.number(mask));
            sum = sum ? b.xor_(*sum, part) : part;
        }
        return sum.value_or(b.number(0));
    }

    void place_invocation() {
        if (!variant_.order) {
            for (size_t i = 0; i < 3; ++i) local_[i] = b.local(i);
            return;
        }
        const Value index = b.index();
        local_[0] = coordinate(index, axis_x);
        local_[1] = coordinate(index, axis_y);
        const uint32_t plane = variant_.local_size[0] * variant_.local_size[1];
        local_[2] =
            variant_.local_size[2] == 1 ? b.number(0) : b.shr(index, static_cast<uint32_t>(std::countr_zero(plane)));
    }

    Value index_of(const std::array<Value, 3>& at, const std::array<uint32_t, 3>& size) {
        Value index = at[0];
        if (size[1] > 1) index = b.add(index, b.mul(at[1], b.number(size[0])));
        if (size[2] > 1) index = b.add(index, b.mul(at[2], b.number(size[0] * size[1])));
        return index;
    }

    Names<Value> as_dispatched() {
        Names<Value> names;
        names.group = {x_, y_, b.group(2)};
        names.local = local_;
        for (size_t i = 0; i < 3; ++i) {
            names.groups[i] = b.groups(i);
            names.global[i] = b.add(b.mul(names.group[i], b.number(grid_.local_size[i])), local_[i]);
        }
        names.index = variant_.order ? index_of(local_, grid_.local_size) : b.index();
        return names;
    }

    Names<Value> taken_apart() {
        Names<Value> names;
        const std::array<Value, 3> group = {x_, y_, b.group(2)};
        const std::array<uint32_t, 3> grid = dispatched(grid_, variant_);
        for (size_t i = 0; i < 3; ++i) {
            const uint32_t size = grid_.local_size[i], total = size * grid_.groups[i];
            names.global[i] = b.add(b.mul(group[i], b.number(variant_.local_size[i])), local_[i]);
            names.group[i] = b.div(names.global[i], b.number(size));
            names.local[i] = b.mod(names.global[i], b.number(size));
            names.groups[i] = b.number(grid_.groups[i]);
            if (uint64_t{grid[i]} * variant_.local_size[i] == total) continue;
            const Value inside = b.less(names.global[i], b.number(total));
            names.is_inside = names.is_inside ? b.both(*names.is_inside, inside) : inside;
        }
        names.index = index_of(names.local, grid_.local_size);
        return names;
    }

    B& b;
    const ShaderGrid& grid_;
    const ShaderVariant& variant_;
    Value x_ = {}, y_ = {};
    std::array<Value, 3> local_ = {};
};

bool declares(Op op) {
    return (op >= Op::OpTypeVoid && op <= Op::OpTypeForwardPointer) ||
           (op >= Op::OpConstantTrue && op <= Op::OpSpecConstantOp) || op == Op::OpVariable || op == Op::OpUndef;
}

class Rewriter {
public:
    using Value = uint32_t;

    Rewriter(SpirvCode& code, const ShaderReflection& shader) : code_(code), shader_(shader) {}

    void rewrite(const ShaderGrid& grid, const ShaderVariant& variant) {
        find_declared();
        make_plain();
        const Names<Value> names = Naming(*this, grid, variant).names();
        assemble(names, variant);
    }

    // ------------------------------------------------------------------------------------ the operations that Naming
    // uses
    Value group(size_t axis) { return component(spv::BuiltIn::WorkgroupId, axis); }
    Value groups(size_t axis) { return component(spv::BuiltIn::NumWorkgroups, axis); }
    Value local(size_t axis) { return component(spv::BuiltIn::LocalInvocationId, axis); }
    Value index() { return loaded(spv::BuiltIn::LocalInvocationIndex, uint_); }
    Value number(uint32_t value) {
        uint32_t& id = numbers_[value];
        if (id == 0) id = declare(Op::OpConstant, {uint_, code_.new_id(), value});
        return id;
    }
    Value add(Value a, Value c) { return emit(Op::OpIAdd, uint_, {a, c}); }
    Value sub(Value a, Value c) { return emit(Op::OpISub, uint_, {a, c}); }
    Value mul(Value a, Value c) { return emit(Op::OpIMul, uint_, {a, c}); }
    Value div(Value a, Value c) { return emit(Op::OpUDiv, uint_, {a, c}); }
    Value mod(Value a, Value c) { return emit(Op::OpUMod, uint_, {a, c}); }
    Value shl(Value a, uint32_t bits) { return emit(Op::OpShiftLeftLogical, uint_, {a, number(bits)}); }
    Value shr(Value a, uint32_t bits) { return emit(Op::OpShiftRightLogical, uint_, {a, number(bits)}); }
    Value and_(Value a, Value c) { return emit(Op::OpBitwiseAnd, uint_, {a, c}); }
    Value xor_(Value a, Value c) { return emit(Op::OpBitwiseXor, uint_, {a, c}); }
    Value less(Value a, Value c) { return emit(Op::OpULessThan, bool_, {a, c}); }
    Value both(Value a, Value c) { return emit(Op::OpLogicalAnd, bool_, {a, c}); }
    Value min(Value a, Value c) { return emit(Op::OpSelect, uint_, {less(a, c), a, c}); }

private:
    struct BuiltInVariable {
        uint32_t id = 0, type = 0;
        spv::BuiltIn built_in = spv::BuiltIn::Max;
    };

    void find_declared() {
        std::map<uint32_t, spv::BuiltIn> decorated;
        for (const CodeInstruction& each : code_.instructions) {
            switch (each.op) {
                case Op::OpDecorate:
                    if (static_cast<spv::Decoration>(each.operands[1]) != spv::Decoration::BuiltIn) break;
                    decorated[each.operands[0]] = static_cast<spv::BuiltIn>(each.operands[2]);
                    if (decorated[each.operands[0]] == spv::BuiltIn::WorkgroupSize) size_ = each.operands[0];
                    break;
                case Op::OpTypeInt:
                    if (each.at(0) == 32 && each.at(1) == 0) uint_ = each.result;
                    break;
                case Op::OpTypeBool:
                    bool_ = each.result;
                    break;
                case Op::OpTypePointer:
                    pointers_[{static_cast<StorageClass>(each.at(0)), each.at(1)}] = each.result;
                    pointees_[each.result] = each.at(1);
                    break;
                case Op::OpFunction:
                    if (each.result == shader_.entry.function) {
                        void_ = each.type;
                        function_type_ = each.at(1);
                    }
                    break;
                case Op::OpVariable: {
                    const auto found = decorated.find(each.result);
                    if (static_cast<StorageClass>(each.at(0)) == StorageClass::Input && found != decorated.end() &&
                        std::ranges::count(renamed_built_ins, found->second) > 0)
                        variables_.push_back({each.result, pointees_[each.type], found->second});
                    break;
                }
                default:
                    break;
            }
        }
        constexpr size_t most = 64;  // each is searched for among the operands of each instruction
        if (variables_.size() > most) throw Error(fmt::format("has more than {} built-in variables", most));
        if (uint_ == 0) uint_ = declare(Op::OpTypeInt, {code_.new_id(), 32, 0});
        if (bool_ == 0) bool_ = declare(Op::OpTypeBool, {code_.new_id()});
        for (const CodeInstruction& each : code_.instructions)
            if (each.op == Op::OpTypeVector && each.at(0) == uint_ && each.at(1) == 3) uvec3_ = each.result;
        if (uvec3_ == 0) uvec3_ = declare(Op::OpTypeVector, {code_.new_id(), uint_, 3});
    }

    const BuiltInVariable* variable(uint32_t id) const {
        const auto found = std::ranges::find(variables_, id, &BuiltInVariable::id);
        return found == variables_.end() ? nullptr : &*found;
    }

    uint32_t pointer_to(StorageClass storage, uint32_t type) {
        uint32_t& id = pointers_[{storage, type}];
        if (id == 0) id = declare(Op::OpTypePointer, {code_.new_id(), static_cast<uint32_t>(storage), type});
        return id;
    }

    /// From here on, the variables and the pointers into them are in the invocation's private memory.
    void make_plain() {
        std::set<uint32_t> remarks;  // sets of instructions that do nothing, such as a debugger's
        for (CodeInstruction& each : code_.instructions) {
            switch (each.op) {
                case Op::OpEntryPoint:
                case Op::OpName:
                case Op::OpDecorate:
                case Op::OpVariable:
                case Op::OpLoad:
                    continue;
                case Op::OpExtInstImport: {
                    size_t length = 0;
                    const std::span text = std::span<const uint32_t>(each.operands).subspan(each.first_operand);
                    if (string_at(text, length).starts_with("NonSemantic.")) remarks.insert(each.result);
                    continue;
                }
                case Op::OpAccessChain:
                case Op::OpInBoundsAccessChain:
                    if (variable(each.at(0)) != nullptr) {
                        each.type = pointer_to(StorageClass::Private, pointees_[each.type]);
                        each.operands[0] = each.type;
                    }
                    continue;
                default:
                    break;
            }
            const bool has_pointers = each.op == Op::OpFunctionCall || each.op == Op::OpCopyObject ||
                                      each.op == Op::OpCopyMemory || each.op == Op::OpExtInst ||
                                      each.op == Op::OpSelect || each.op == Op::OpPhi;
            if (!has_pointers || (each.op == Op::OpExtInst && remarks.contains(each.at(0)))) continue;
            for (size_t place = 0; each.first_operand + place < each.operands.size(); ++place)
                if (is_id(each, place) && variable(each.at(place)) != nullptr)
                    throw Error(fmt::format("{} passes a built-in variable on by its address", opcode_name(each.op)));
        }
        for (const BuiltInVariable& each : variables_)
            declare(Op::OpVariable, {pointer_to(StorageClass::Private, each.type), each.id,
                                     static_cast<uint32_t>(StorageClass::Private)});
    }

    uint32_t declare(Op op, std::vector<uint32_t> operands) {
        globals_.push_back(make_instruction(op, std::move(operands)));
        return globals_.back().result;
    }
    uint32_t emit(Op op, uint32_t type, std::vector<uint32_t> operands) {
        operands.insert(operands.begin(), {type, code_.new_id()});
        body_.push_back(make_instruction(op, std::move(operands)));
        return body_.back().result;
    }
    void emit(Op op, std::vector<uint32_t> operands) { body_.push_back(make_instruction(op, std::move(operands))); }

    /// A built-in variable with the device's value.
    Value loaded(spv::BuiltIn built_in, uint32_t type) {
        uint32_t& value = loaded_[built_in];
        if (value != 0) return value;
        const uint32_t input = declare(Op::OpVariable, {pointer_to(StorageClass::Input, type), code_.new_id(),
                                                        static_cast<uint32_t>(StorageClass::Input)});
        inputs_.push_back(input);
        decorations_.push_back(make_instruction(
            Op::OpDecorate, {input, static_cast<uint32_t>(spv::Decoration::BuiltIn), static_cast<uint32_t>(built_in)}));
        return value = emit(Op::OpLoad, type, {input});
    }
    Value component(spv::BuiltIn built_in, size_t axis) {
        uint32_t& value = components_[{built_in, axis}];
        if (value == 0) {
            const uint32_t whole = loaded(built_in, uvec3_);
            value = emit(Op::OpCompositeExtract, uint_, {whole, static_cast<uint32_t>(axis)});
        }
        return value;
    }

    void store(const BuiltInVariable& to, const Names<Value>& names) {
        const auto of_three = [&](const std::array<Value, 3>& value) {
            return emit(Op::OpCompositeConstruct, uvec3_, {value[0], value[1], value[2]});
        };
        Value value = names.index;
        uint32_t type = uvec3_;
        switch (to.built_in) {
            case spv::BuiltIn::NumWorkgroups:
                value = of_three(names.groups);
                break;
            case spv::BuiltIn::WorkgroupId:
                value = of_three(names.group);
                break;
            case spv::BuiltIn::LocalInvocationId:
                value = of_three(names.local);
                break;
            case spv::BuiltIn::GlobalInvocationId:
                value = of_three(names.global);
                break;
            default:
                type = uint_;
        }
        if (to.type != type) value = emit(Op::OpBitcast, to.type, {value});
        emit(Op::OpStore, {to.id, value});
    }

    void assemble(const Names<Value>& names, const ShaderVariant& variant) {
        const uint32_t function = code_.new_id(), label = code_.new_id();
        // The computation is in `body_`; the function is built around it.
        for (const BuiltInVariable& each : variables_) store(each, names);
        if (names.is_inside) {
            const uint32_t inside = code_.new_id(), end = code_.new_id();
            emit(Op::OpSelectionMerge, {end, 0});
            emit(Op::OpBranchConditional, {*names.is_inside, inside, end});
            emit(Op::OpLabel, {inside});
            emit(Op::OpFunctionCall, void_, {shader_.entry.function});
            emit(Op::OpBranch, {end});
            emit(Op::OpLabel, {end});
        } else {
            emit(Op::OpFunctionCall, void_, {shader_.entry.function});
        }
        emit(Op::OpReturn, {});
        emit(Op::OpFunctionEnd, {});

        std::vector<CodeInstruction> whole;
        bool has_decorations = false, has_globals = false;
        for (CodeInstruction& each : code_.instructions) {
            if (is_dropped(each)) continue;
            if (!has_decorations && declares(each.op)) {
                insert_before_lines(whole, decorations_);
                has_decorations = true;
            }
            if (!has_globals && each.op == Op::OpFunction) {
                insert_before_lines(whole, globals_);
                has_globals = true;
            }
            if (each.op == Op::OpEntryPoint) each = entry_point(function);
            if (each.op == Op::OpExecutionMode || each.op == Op::OpExecutionModeId) each.operands[0] = function;
            const bool was_entry = each.op == Op::OpEntryPoint;
            whole.push_back(std::move(each));
            if (was_entry) last_entry_ = whole.size();
        }
        // Execution modes follow the last entry point, and this is the only one left.
        whole.insert(whole.begin() + static_cast<std::ptrdiff_t>(last_entry_),
                     make_instruction(Op::OpExecutionMode,
                                      {function, static_cast<uint32_t>(spv::ExecutionMode::LocalSize),
                                       variant.local_size[0], variant.local_size[1], variant.local_size[2]}));
        whole.push_back(make_instruction(Op::OpFunction, {void_, function, 0, function_type_}));
        whole.push_back(make_instruction(Op::OpLabel, {label}));
        std::ranges::move(body_, std::back_inserter(whole));
        code_.instructions = std::move(whole);
    }

    /// Line instructions of the source belong to what follows them.
    static void insert_before_lines(std::vector<CodeInstruction>& whole, std::vector<CodeInstruction>& inserted) {
        auto place = whole.end();
        while (place != whole.begin() && (std::prev(place)->op == Op::OpLine || std::prev(place)->op == Op::OpNoLine))
            --place;
        whole.insert(place, std::make_move_iterator(inserted.begin()), std::make_move_iterator(inserted.end()));
    }

    bool is_dropped(const CodeInstruction& each) const {
        switch (each.op) {
            case Op::OpEntryPoint:
                return each.operands[1] != shader_.entry.function ||
                       each.operands[0] != static_cast<uint32_t>(spv::ExecutionModel::GLCompute);
            case Op::OpExecutionMode:
            case Op::OpExecutionModeId: {
                const auto mode = static_cast<spv::ExecutionMode>(each.operands[1]);
                return each.operands[0] != shader_.entry.function || mode == spv::ExecutionMode::LocalSize ||
                       mode == spv::ExecutionMode::LocalSizeId;
            }
            case Op::OpDecorate:
                return variable(each.operands[0]) != nullptr ||
                       (each.operands[0] == size_ &&
                        static_cast<spv::Decoration>(each.operands[1]) == spv::Decoration::BuiltIn);
            case Op::OpVariable:
                return variable(each.result) != nullptr;
            default:
                return false;
        }
    }

    CodeInstruction entry_point(uint32_t function) const {
        std::vector<uint32_t> operands = {static_cast<uint32_t>(spv::ExecutionModel::GLCompute), function};
        const std::vector<uint32_t> name = string_words(shader_.entry.name);
        operands.insert(operands.end(), name.begin(), name.end());
        // From 1.4 on, all variables of the module are listed; before, only the stage's inputs.
        constexpr uint32_t version_1_4 = 0x00010400;
        for (const uint32_t id : shader_.entry.interface)
            if (code_.version >= version_1_4 || variable(id) == nullptr) operands.push_back(id);
        operands.insert(operands.end(), inputs_.begin(), inputs_.end());
        return make_instruction(Op::OpEntryPoint, std::move(operands));
    }

    SpirvCode& code_;
    const ShaderReflection& shader_;
    std::vector<BuiltInVariable> variables_;
    std::map<std::pair<StorageClass, uint32_t>, uint32_t> pointers_;
    std::map<uint32_t, uint32_t> pointees_, numbers_;
    std::map<spv::BuiltIn, uint32_t> loaded_;
    std::map<std::pair<spv::BuiltIn, size_t>, uint32_t> components_;
    std::vector<CodeInstruction> decorations_, globals_, body_;
    std::vector<uint32_t> inputs_;
    uint32_t uint_ = 0, bool_ = 0, uvec3_ = 0, void_ = 0, function_type_ = 0, size_ = 0;
    size_t last_entry_ = 0;
};

/// The same as statements; values that are used twice get a name.
class Writer {
public:
    using Value = std::string;

    std::string text;

    Value group(size_t axis) const { return fmt::format("group.{}", "xyz"[axis]); }
    Value groups(size_t axis) const { return fmt::format("groups.{}", "xyz"[axis]); }
    Value local(size_t axis) const { return fmt::format("local.{}", "xyz"[axis]); }
    Value index() const { return "index"; }
    Value number(uint32_t value) const { return fmt::format("{}u", value); }
    Value add(const Value& a, const Value& c) { return named(fmt::format("{} + {}", a, c)); }
    Value sub(const Value& a, const Value& c) { return named(fmt::format("{} - {}", a, c)); }
    Value mul(const Value& a, const Value& c) { return c == "1u" ? a : named(fmt::format("{} * {}", a, c)); }
    Value div(const Value& a, const Value& c) { return named(fmt::format("{} / {}", a, c)); }
    Value mod(const Value& a, const Value& c) { return named(fmt::format("{} % {}", a, c)); }
    Value shl(const Value& a, uint32_t bits) const { return fmt::format("({} << {})", a, bits); }
    Value shr(const Value& a, uint32_t bits) const { return fmt::format("({} >> {})", a, bits); }
    Value and_(const Value& a, const Value& c) const { return fmt::format("({} & {})", a, c); }
    Value xor_(const Value& a, const Value& c) const { return fmt::format("({} ^ {})", a, c); }
    Value less(const Value& a, const Value& c) const { return fmt::format("{} < {}", a, c); }
    Value both(const Value& a, const Value& c) const { return fmt::format("{} && {}", a, c); }
    Value min(const Value& a, const Value& c) { return named(fmt::format("min({}, {})", a, c)); }

private:
    Value named(const std::string& expression) {
        std::string name = fmt::format("n{}", count_++);
        text += fmt::format("    uint {} = {};\n", name, expression);
        return name;
    }
    size_t count_ = 0;
};

}  // namespace

std::vector<uint32_t> rewritten(SpirvCode code, const ShaderReflection& shader, const ShaderGrid& grid,
                                const ShaderVariant& variant) {
    Rewriter(code, shader).rewrite(grid, variant);
    return words_of(code);
}

VariantText variant_text(const ShaderGrid& grid, const ShaderVariant& variant, bool is_hlsl) {
    Writer writer;
    const Names<std::string> names = Naming(writer, grid, variant).names();
    const std::string type = is_hlsl ? "uint3" : "uvec3", global = is_hlsl ? "static " : "";
    const auto three = [&](const std::array<std::string, 3>& value) {
        return fmt::format("{}({}, {}, {})", type, value[0], value[1], value[2]);
    };
    VariantText made;
    made.head = fmt::format(
        "{0}{1} tilewise_NumWorkGroups, tilewise_WorkGroupID, tilewise_LocalInvocationID, "
        "tilewise_GlobalInvocationID;\n"
        "{0}uint tilewise_LocalInvocationIndex;\n"
        "bool tilewise_order({1} groups, {1} group, {1} local, uint index) {{\n{2}",
        global, type, writer.text);
    made.head += fmt::format(
        "    tilewise_NumWorkGroups = {};\n    tilewise_WorkGroupID = {};\n    tilewise_LocalInvocationID = {};\n"
        "    tilewise_GlobalInvocationID = {};\n    tilewise_LocalInvocationIndex = {};\n    return {};\n}}\n",
        three(names.groups), three(names.group), three(names.local), three(names.global), names.index,
        names.is_inside.value_or("true"));
    return made;
}

}  // namespace tilewise::kernels
