#include "kernels/try/reflection.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace tilewise::kernels {

using spv::Decoration;
using spv::Op;
using spv::StorageClass;

const char* resource_kind_name(ResourceKind kind) {
    switch (kind) {
        case ResourceKind::storage_image:
            return "storage image";
        case ResourceKind::sampled_image:
            return "sampled image";
        case ResourceKind::combined_image:
            return "image with sampler";
        case ResourceKind::sampler:
            return "sampler";
        case ResourceKind::uniform_buffer:
            return "uniform buffer";
        case ResourceKind::storage_buffer:
            return "storage buffer";
    }
    return "";
}

std::set<uint32_t> reached_functions(const SpirvCode& code, uint32_t from) {
    std::map<uint32_t, std::vector<uint32_t>> calls;
    uint32_t in = 0;
    for (const CodeInstruction& each : code.instructions) {
        if (each.op == Op::OpFunction) in = each.result;
        if (each.op == Op::OpFunctionCall) calls[in].push_back(each.at(0));
    }
    std::set<uint32_t> reached = {from};
    std::vector<uint32_t> open = {from};
    while (!open.empty()) {
        const uint32_t function = open.back();
        open.pop_back();
        for (const uint32_t callee : calls[function])
            if (reached.insert(callee).second) open.push_back(callee);
    }
    return reached;
}

namespace {

/// In the specification's order; formats without a storage image in Vulkan are left out.
VkFormat format_of(spv::ImageFormat format) {
    using F = spv::ImageFormat;
    switch (format) {
        case F::Rgba32f:
            return VK_FORMAT_R32G32B32A32_SFLOAT;
        case F::Rgba16f:
            return VK_FORMAT_R16G16B16A16_SFLOAT;
        case F::R32f:
            return VK_FORMAT_R32_SFLOAT;
        case F::Rgba8:
            return VK_FORMAT_R8G8B8A8_UNORM;
        case F::Rgba8Snorm:
            return VK_FORMAT_R8G8B8A8_SNORM;
        case F::Rg32f:
            return VK_FORMAT_R32G32_SFLOAT;
        case F::Rg16f:
            return VK_FORMAT_R16G16_SFLOAT;
        case F::R11fG11fB10f:
            return VK_FORMAT_B10G11R11_UFLOAT_PACK32;
        case F::R16f:
            return VK_FORMAT_R16_SFLOAT;
        case F::Rgba16:
            return VK_FORMAT_R16G16B16A16_UNORM;
        case F::Rgb10A2:
            return VK_FORMAT_A2B10G10R10_UNORM_PACK32;
        case F::Rg16:
            return VK_FORMAT_R16G16_UNORM;
        case F::Rg8:
            return VK_FORMAT_R8G8_UNORM;
        case F::R16:
            return VK_FORMAT_R16_UNORM;
        case F::R8:
            return VK_FORMAT_R8_UNORM;
        case F::Rgba16Snorm:
            return VK_FORMAT_R16G16B16A16_SNORM;
        case F::Rg16Snorm:
            return VK_FORMAT_R16G16_SNORM;
        case F::Rg8Snorm:
            return VK_FORMAT_R8G8_SNORM;
        case F::R16Snorm:
            return VK_FORMAT_R16_SNORM;
        case F::R8Snorm:
            return VK_FORMAT_R8_SNORM;
        case F::Rgba32i:
            return VK_FORMAT_R32G32B32A32_SINT;
        case F::Rgba16i:
            return VK_FORMAT_R16G16B16A16_SINT;
        case F::Rgba8i:
            return VK_FORMAT_R8G8B8A8_SINT;
        case F::R32i:
            return VK_FORMAT_R32_SINT;
        case F::Rg32i:
            return VK_FORMAT_R32G32_SINT;
        case F::Rg16i:
            return VK_FORMAT_R16G16_SINT;
        case F::Rg8i:
            return VK_FORMAT_R8G8_SINT;
        case F::R16i:
            return VK_FORMAT_R16_SINT;
        case F::R8i:
            return VK_FORMAT_R8_SINT;
        case F::Rgba32ui:
            return VK_FORMAT_R32G32B32A32_UINT;
        case F::Rgba16ui:
            return VK_FORMAT_R16G16B16A16_UINT;
        case F::Rgba8ui:
            return VK_FORMAT_R8G8B8A8_UINT;
        case F::R32ui:
            return VK_FORMAT_R32_UINT;
        case F::Rgb10a2ui:
            return VK_FORMAT_A2B10G10R10_UINT_PACK32;
        case F::Rg32ui:
            return VK_FORMAT_R32G32_UINT;
        case F::Rg16ui:
            return VK_FORMAT_R16G16_UINT;
        case F::Rg8ui:
            return VK_FORMAT_R8G8_UINT;
        case F::R16ui:
            return VK_FORMAT_R16_UINT;
        case F::R8ui:
            return VK_FORMAT_R8_UINT;
        default:
            return VK_FORMAT_UNDEFINED;
    }
}

constexpr size_t max_scalars = 4096;
constexpr uint32_t max_resources = 1024;
/// Limits on the parts of blocks that are examined and on the steps from pointers to variables: hostile modules have no
/// end of them.
constexpr uint64_t max_parts = uint64_t{1} << 18, max_steps = uint64_t{1} << 24;
constexpr uint64_t max_block_bytes = uint64_t{1} << 40;
/// Names are for people, so their length is limited.
constexpr size_t max_name_bytes = 1000;

std::string name_in(std::span<const uint32_t> words) {
    size_t length = 0;
    return string_at(words.first(std::min(words.size(), max_name_bytes / sizeof(uint32_t))), length);
}

/// How the columns of a struct's member lie, if it is a matrix or an array of matrices; or its rows, as usual in HLSL.
struct MatrixPlaces {
    uint32_t stride = 16;  ///< bytes
    bool is_row_major = false;
};

class Reflector {
public:
    Reflector(const SpirvCode& code, const std::string& entry) : code_(code) {
        shader_.version = code.version;
        shader_.entry = entry_named(code, entry);
    }

    ShaderReflection reflect() {
        read_tables();
        follow_variables();
        read_local_size();
        for (const CodeInstruction* variable : variables_) describe(*variable);
        std::ranges::sort(shader_.resources, {},
                          [](const ShaderResource& each) { return std::pair(each.set, each.binding); });
        if (shader_.resources.size() > max_resources)
            throw Error(fmt::format("has more than {} resources", max_resources));
        for (size_t i = 1; i < shader_.resources.size(); ++i) {
            const ShaderResource &a = shader_.resources[i - 1], &b = shader_.resources[i];
            if (a.set == b.set && a.binding == b.binding)
                throw Error(fmt::format("{} and {} are both set {}, binding {}: give them bindings of their own",
                                        a.name, b.name, a.set, a.binding));
        }
        // The scene refers to resources by these names.
        std::map<std::string, uint32_t> seen;
        for (ShaderResource& each : shader_.resources)
            if (seen[each.name]++ > 0) each.name = fmt::format("{}_set{}_binding{}", each.name, each.set, each.binding);
        return std::move(shader_);
    }

private:
    void read_tables() {
        const std::set<uint32_t> reached = reached_functions(code_, shader_.entry.function);
        bool is_reached = false;
        for (const CodeInstruction& each : code_.instructions) {
            const auto& words = each.operands;
            if (each.result != 0) defined_[each.result] = &each;
            switch (each.op) {
                case Op::OpCapability:
                    shader_.capabilities.push_back(static_cast<spv::Capability>(words[0]));
                    break;
                case Op::OpExtension: {
                    size_t length = 0;
                    shader_.extensions.push_back(string_at(words, length));
                    break;
                }
                case Op::OpName:
                    names_[words[0]] = name_in(std::span(words).subspan(1));
                    break;
                case Op::OpMemberName:
                    member_names_[{words[0], words[1]}] = name_in(std::span(words).subspan(2));
                    break;
                case Op::OpDecorate:
                    decorations_[words[0]][static_cast<Decoration>(words[1])] = words.size() > 2 ? words[2] : 0;
                    break;
                case Op::OpMemberDecorate:
                    member_decorations_[{words[0], words[1]}][static_cast<Decoration>(words[2])] =
                        words.size() > 3 ? words[3] : 0;
                    break;
                case Op::OpGroupDecorate:
                case Op::OpGroupMemberDecorate:
                    throw Error(fmt::format("has an {}, which is not read: compile it anew", opcode_name(each.op)));
                case Op::OpVariable:
                    if (static_cast<StorageClass>(each.at(0)) != StorageClass::Function) variables_.push_back(&each);
                    break;
                case Op::OpSpecConstant:
                case Op::OpSpecConstantTrue:
                case Op::OpSpecConstantFalse:
                    add_constant(each);
                    break;
                case Op::OpFunction:
                    is_reached = reached.contains(each.result);
                    break;
                default:
                    break;
            }
            if (is_reached) body_.push_back(&each);
        }
    }

    const CodeInstruction& at(uint32_t id) const {
        const auto found = defined_.find(id);
        if (found == defined_.end()) throw Error("SPIR-V that uses what it does not define");
        return *found->second;
    }
    std::optional<uint32_t> decoration(uint32_t id, Decoration wanted) const {
        const auto all = decorations_.find(id);
        if (all == decorations_.end()) return std::nullopt;
        const auto found = all->second.find(wanted);
        return found == all->second.end() ? std::optional<uint32_t>() : found->second;
    }
    std::optional<uint32_t> member_decoration(uint32_t type, uint32_t member, Decoration wanted) const {
        const auto all = member_decorations_.find({type, member});
        if (all == member_decorations_.end()) return std::nullopt;
        const auto found = all->second.find(wanted);
        return found == all->second.end() ? std::optional<uint32_t>() : found->second;
    }
    std::string name_of(uint32_t id) const {
        const auto found = names_.find(id);
        return found == names_.end() ? "" : found->second;
    }

    static char kind_of(const CodeInstruction& type) {
        if (type.op == Op::OpTypeFloat) return 'f';
        if (type.op == Op::OpTypeBool) return 'b';
        return type.op == Op::OpTypeInt && type.at(1) != 0 ? 'i' : 'u';
    }
    static uint32_t bytes_of_scalar(const CodeInstruction& type) {
        return type.op == Op::OpTypeBool ? 4 : type.at(0) / 8;
    }

    void add_constant(const CodeInstruction& each) {
        const auto id = decoration(each.result, Decoration::SpecId);
        if (!id) return;
        const CodeInstruction& type = at(each.type);
        SpecConstant constant = {*id, name_of(each.result), {}, 0};
        if (constant.name.empty()) constant.name = fmt::format("constant{}", *id);
        constant.place = {constant.name, 0, kind_of(type), bytes_of_scalar(type)};
        if (each.op == Op::OpSpecConstant)
            constant.bits = each.at(0) | uint64_t{constant.place.bytes > 4 ? each.at(1) : 0} << 32;
        else
            constant.bits = each.op == Op::OpSpecConstantTrue;
        shader_.constants.push_back(std::move(constant));
    }

    /// Finds the module's variables that each pointer and handle comes from.
    void follow_variables() {
        std::map<uint32_t, std::vector<uint32_t>> parameters;
        std::vector<uint32_t>* of = nullptr;
        for (const CodeInstruction* variable : variables_) roots_[variable->result] = {variable->result};
        for (const CodeInstruction* each : body_) {
            if (each->op == Op::OpFunction) of = &parameters[each->result];
            if (each->op == Op::OpFunctionParameter && of) of->push_back(each->result);
        }
        // Callees may precede their callers: what a parameter leads to is found in several rounds.
        constexpr int max_rounds = 16;
        bool changed = true;
        for (int round = 0; changed && round < max_rounds; ++round) {
            changed = false;
            for (const CodeInstruction* each : body_) {
                if (each->op == Op::OpFunctionCall) {
                    const auto& to = parameters[each->at(0)];
                    for (size_t i = 0; i < to.size(); ++i) changed |= flow(each->at(i + 1), to[i]);
                    continue;
                }
                if (!passes_on(each->op)) continue;
                const size_t operands = each->operands.size() - each->first_operand;
                const size_t sources = each->op == Op::OpSelect || each->op == Op::OpPhi ? operands
                                       : each->op == Op::OpSampledImage                  ? 2
                                                                                         : 1;
                for (size_t i = 0; i < sources; ++i) changed |= flow(each->at(i), each->result);
            }
        }
        for (const CodeInstruction* each : body_) use(*each);
    }

    static bool passes_on(Op op) {
        switch (op) {
            case Op::OpAccessChain:
            case Op::OpInBoundsAccessChain:
            case Op::OpPtrAccessChain:
            case Op::OpInBoundsPtrAccessChain:
            case Op::OpCopyObject:
            case Op::OpLoad:
            case Op::OpImage:
            case Op::OpSampledImage:
            case Op::OpImageTexelPointer:
            case Op::OpSelect:
            case Op::OpPhi:
                return true;
            default:
                return false;
        }
    }

    bool flow(uint32_t from, uint32_t to) {
        const auto found = roots_.find(from);
        if (found == roots_.end()) return false;
        std::set<uint32_t>& into = roots_[to];
        const size_t before = into.size();
        // A copy, because `into` and `found` may be the same.
        const std::set<uint32_t> roots = roots_[from];
        steps_ += roots.size();
        if (steps_ > max_steps) throw Error("its pointers lead to too many variables to be followed");
        into.insert(roots.begin(), roots.end());
        return into.size() != before;
    }

    void mark(uint32_t id, bool reads, bool writes) {
        const auto found = roots_.find(id);
        if (found == roots_.end()) return;
        for (const uint32_t variable : found->second) {
            used_.insert(variable);
            if (reads) read_.insert(variable);
            if (writes) written_.insert(variable);
        }
    }

    /// Whether a load through that pointer loads numbers, not the handle of an image.
    bool is_data(uint32_t type) const {
        switch (at(type).op) {
            case Op::OpTypeImage:
            case Op::OpTypeSampler:
            case Op::OpTypeSampledImage:
                return false;
            default:
                return true;
        }
    }

    static bool compares_depth(Op op) {
        switch (op) {
            case Op::OpImageSampleDrefImplicitLod:
            case Op::OpImageSampleDrefExplicitLod:
            case Op::OpImageSampleProjDrefImplicitLod:
            case Op::OpImageSampleProjDrefExplicitLod:
            case Op::OpImageDrefGather:
                return true;
            default:
                return false;
        }
    }

    void use(const CodeInstruction& each) {
        const auto number = static_cast<uint32_t>(each.op);
        const bool is_atomic =
            number >= static_cast<uint32_t>(Op::OpAtomicLoad) && number <= static_cast<uint32_t>(Op::OpAtomicXor);
        constexpr uint32_t first_float = 5614, last_float = 5615,
                           add_float = 6035;  // OpAtomicFMinEXT .. OpAtomicFAddEXT
        const bool is_float_atomic = (number >= first_float && number <= last_float) || number == add_float;
        shader_.has_float_atomics |= number == add_float;
        const bool samples = number >= static_cast<uint32_t>(Op::OpImageSampleImplicitLod) &&
                             number <= static_cast<uint32_t>(Op::OpImageDrefGather);
        if (compares_depth(each.op))
            throw Error(
                "it compares with a depth while it samples (a shadow sampler): such samplers are not supported; sample "
                "the texel and compare in the shader");
        if (is_atomic || is_float_atomic)
            mark(each.at(0), each.op != Op::OpAtomicStore, each.op != Op::OpAtomicLoad);
        else if (each.op == Op::OpLoad)
            mark(each.at(0), is_data(each.type), false);
        else if (each.op == Op::OpStore || each.op == Op::OpCopyMemory) {
            mark(each.at(0), false, true);
            if (each.op == Op::OpCopyMemory) mark(each.at(1), true, false);
        } else if (each.op == Op::OpImageRead || each.op == Op::OpImageSparseRead || samples)
            mark(each.at(0), true, false);
        else if (each.op == Op::OpImageWrite)
            mark(each.at(0), false, true);
        else if (passes_on(each.op) || each.op == Op::OpFunctionCall || each.op == Op::OpArrayLength ||
                 (number >= static_cast<uint32_t>(Op::OpImageQuerySizeLod) &&
                  number <= static_cast<uint32_t>(Op::OpImageQuerySamples)))
            mark(each.at(0), false, false);
        else
            // An unknown instruction may do anything.
            for (size_t place = 0; each.first_operand + place < each.operands.size(); ++place)
                if (is_id(each, place)) mark(each.at(place), true, true);
    }

    void read_local_size() {
        for (const CodeInstruction& each : code_.instructions) {
            if (each.op == Op::OpExecutionMode && each.operands[0] == shader_.entry.function &&
                static_cast<spv::ExecutionMode>(each.operands[1]) == spv::ExecutionMode::LocalSize)
                for (size_t i = 0; i < 3; ++i) shader_.local_size[i] = each.operands[2 + i];
            if (each.op == Op::OpExecutionModeId && each.operands[0] == shader_.entry.function &&
                static_cast<spv::ExecutionMode>(each.operands[1]) == spv::ExecutionMode::LocalSizeId)
                for (size_t i = 0; i < 3; ++i) set_side(i, each.operands[2 + i]);
        }
        // An object decorated as WorkgroupSize overrides the execution mode.
        for (const auto& [id, all] : decorations_) {
            const auto built_in = all.find(Decoration::BuiltIn);
            if (built_in == all.end() || static_cast<spv::BuiltIn>(built_in->second) != spv::BuiltIn::WorkgroupSize)
                continue;
            const CodeInstruction& composite = at(id);
            for (size_t i = 0; i < 3; ++i) set_side(i, composite.at(i));
        }
    }

    void set_side(size_t side, uint32_t constant) {
        const CodeInstruction& value = at(constant);
        if (value.op != Op::OpConstant && value.op != Op::OpSpecConstant)
            throw Error(fmt::format("the size of its workgroups is computed by {}: give it as numbers or constants",
                                    opcode_name(value.op)));
        shader_.local_size[side] = value.at(0);
        shader_.local_size_constants[side] =
            value.op == Op::OpSpecConstant ? decoration(constant, Decoration::SpecId) : std::nullopt;
    }

    uint32_t array_length(uint32_t constant) const {
        const CodeInstruction& value = at(constant);
        if (value.op != Op::OpConstant && value.op != Op::OpSpecConstant)
            throw Error("an array's length is computed: this is not read");
        return value.at(0);
    }

    /// Finds where a struct's numbers lie. Returns the bytes of all of it except a runtime array, whose stride is
    /// reported.
    uint64_t lay_out(uint32_t type_id, uint64_t offset, const std::string& name, std::vector<ScalarPlace>& places,
                     uint64_t& stride, const MatrixPlaces& matrix = {}) {
        const CodeInstruction& type = at(type_id);
        if (++parts_ > max_parts) throw Error(fmt::format("has blocks of more than {} parts", max_parts));
        if (offset > max_block_bytes) throw Error(fmt::format("has a block of more than {} bytes", max_block_bytes));
        switch (type.op) {
            case Op::OpTypeInt:
            case Op::OpTypeFloat: {
                const uint32_t bytes = bytes_of_scalar(type);
                if (places.size() < max_scalars)
                    places.push_back({name, static_cast<uint32_t>(offset), kind_of(type), bytes});
                return offset + bytes;
            }
            case Op::OpTypeVector: {
                const CodeInstruction& element = at(type.at(0));
                for (uint32_t i = 0; i < type.at(1); ++i)
                    lay_out(type.at(0), offset + i * bytes_of_scalar(element),
                            fmt::format("{}.{}", name, "xyzw"[i & 3]), places, stride);
                return offset + uint64_t{type.at(1)} * bytes_of_scalar(element);
            }
            case Op::OpTypeMatrix: {
                const CodeInstruction& column = at(type.at(0));
                const uint64_t scalar = bytes_of_scalar(at(column.at(0)));
                uint64_t end = offset;
                for (uint32_t i = 0; i < type.at(1); ++i) {
                    const std::string of_column = fmt::format("{}[{}]", name, i);
                    if (!matrix.is_row_major) {
                        end = lay_out(type.at(0), offset + uint64_t{i} * matrix.stride, of_column, places, stride);
                        continue;
                    }
                    for (uint32_t j = 0; j < column.at(1); ++j)
                        end = std::max(end, lay_out(column.at(0), offset + uint64_t{j} * matrix.stride + i * scalar,
                                                    fmt::format("{}.{}", of_column, "xyzw"[j & 3]), places, stride));
                }
                return end;
            }
            case Op::OpTypeArray: {
                const uint32_t length = array_length(type.at(1));
                const uint64_t step = decoration(type_id, Decoration::ArrayStride).value_or(16);
                uint64_t end = offset;
                for (uint32_t i = 0; i < std::min<size_t>(length, max_scalars) && places.size() < max_scalars; ++i)
                    end =
                        lay_out(type.at(0), offset + i * step, fmt::format("{}[{}]", name, i), places, stride, matrix);
                end = std::max(end, offset + length * step);
                if (length != 0 && end > max_block_bytes)
                    throw Error(fmt::format("has a block of more than {} bytes", max_block_bytes));
                return end;
            }
            case Op::OpTypeRuntimeArray:
                stride = decoration(type_id, Decoration::ArrayStride).value_or(4);
                return offset;
            case Op::OpTypeStruct: {
                uint64_t end = offset;
                for (uint32_t i = 0; i < type.operands.size() - 1; ++i) {
                    const auto named = member_names_.find({type_id, i});
                    const std::string member = named == member_names_.end() || name.size() > max_name_bytes
                                                   ? fmt::format("member{}", i)
                                                   : named->second;
                    const uint64_t at_byte = offset + member_decoration(type_id, i, Decoration::Offset).value_or(0);
                    const MatrixPlaces matrix_of_member = {
                        member_decoration(type_id, i, Decoration::MatrixStride).value_or(16),
                        member_decoration(type_id, i, Decoration::RowMajor).has_value()};
                    end = std::max(end, lay_out(type.at(i), at_byte, name.empty() ? member : name + "." + member,
                                                places, stride, matrix_of_member));
                }
                return end;
            }
            default:
                return offset;
        }
    }

    void describe_image(const CodeInstruction& image, ShaderResource& resource) const {
        resource.dim = static_cast<spv::Dim>(image.at(1));
        resource.is_arrayed = image.at(3) != 0;
        if (image.at(4) != 0)
            throw Error(fmt::format("{} has several samples per texel: such images are not supported", resource.name));
        resource.format = format_of(static_cast<spv::ImageFormat>(image.at(6)));
        resource.numbers = kind_of(at(image.at(0)));
        if (resource.dim != spv::Dim::Dim1D && resource.dim != spv::Dim::Dim2D && resource.dim != spv::Dim::Dim3D)
            throw Error(fmt::format(
                "{} is a cube, a buffer of texels or the like: only images of 1, 2 and 3 dimensions are supported",
                resource.name));
    }

    bool has_every_member(uint32_t type_id, Decoration wanted) const {
        const CodeInstruction& type = at(type_id);
        for (uint32_t i = 0; i < type.operands.size() - 1; ++i)
            if (!member_decoration(type_id, i, wanted)) return false;
        return type.operands.size() > 1;
    }

    void describe(const CodeInstruction& variable) {
        const auto storage = static_cast<StorageClass>(variable.at(0));
        uint32_t type_id = at(variable.type).at(1);
        if (storage == StorageClass::PushConstant) {
            if (!used_.contains(variable.result)) return;
            uint64_t stride = 0;
            const uint64_t bytes = lay_out(type_id, 0, "", shader_.push, stride);
            if (bytes > UINT16_MAX) throw Error(fmt::format("has {} bytes of push constants", bytes));
            shader_.push_bytes = static_cast<uint32_t>(bytes);
            return;
        }
        if (storage != StorageClass::UniformConstant && storage != StorageClass::Uniform &&
            storage != StorageClass::StorageBuffer)
            return;
        const auto binding = decoration(variable.result, Decoration::Binding);
        if (!binding || !used_.contains(variable.result)) return;
        ShaderResource resource;
        resource.set = decoration(variable.result, Decoration::DescriptorSet).value_or(0);
        resource.binding = *binding;
        if (at(type_id).op == Op::OpTypeArray) {
            resource.count = array_length(at(type_id).at(1));
            type_id = at(type_id).at(0);
        } else if (at(type_id).op == Op::OpTypeRuntimeArray) {
            throw Error("has an array of resources without a length: give it one");
        }
        const CodeInstruction& type = at(type_id);
        resource.name = name_of(variable.result);
        if (resource.name.empty()) resource.name = name_of(type_id);
        if (resource.name.empty()) resource.name = fmt::format("set{}_binding{}", resource.set, resource.binding);
        if (resource.count == 0 || resource.count > 64)
            throw Error(fmt::format("{} is an array of {} resources: more than 64 are not supported", resource.name,
                                    resource.count));
        if (resource.set > 7)
            throw Error(fmt::format("{} is in set {}: 0 to 7 are bound", resource.name, resource.set));
        resource.is_read = read_.contains(variable.result);
        resource.is_written = written_.contains(variable.result);
        switch (type.op) {
            case Op::OpTypeImage:
                resource.kind = type.at(5) == 2 ? ResourceKind::storage_image : ResourceKind::sampled_image;
                describe_image(type, resource);
                break;
            case Op::OpTypeSampledImage:
                resource.kind = ResourceKind::combined_image;
                describe_image(at(type.at(0)), resource);
                break;
            case Op::OpTypeSampler:
                resource.kind = ResourceKind::sampler;
                break;
            case Op::OpTypeStruct:
                resource.kind = storage == StorageClass::StorageBuffer || decoration(type_id, Decoration::BufferBlock)
                                    ? ResourceKind::storage_buffer
                                    : ResourceKind::uniform_buffer;
                resource.bytes = lay_out(type_id, 0, "", resource.scalars, resource.stride);
                if (resource.kind == ResourceKind::uniform_buffer) resource.is_written = false;
                if (has_every_member(type_id, Decoration::NonWritable)) resource.is_written = false;
                break;
            default:
                throw Error(
                    fmt::format("{} is an {}: such resources are not supported", resource.name, opcode_name(type.op)));
        }
        if (decoration(variable.result, Decoration::NonWritable)) resource.is_written = false;
        shader_.resources.push_back(std::move(resource));
    }

    const SpirvCode& code_;
    ShaderReflection shader_;
    std::map<uint32_t, const CodeInstruction*> defined_;
    std::map<uint32_t, std::string> names_;
    std::map<std::pair<uint32_t, uint32_t>, std::string> member_names_;
    std::map<uint32_t, std::map<Decoration, uint32_t>> decorations_;
    std::map<std::pair<uint32_t, uint32_t>, std::map<Decoration, uint32_t>> member_decorations_;
    std::vector<const CodeInstruction*> variables_, body_;
    std::map<uint32_t, std::set<uint32_t>> roots_;
    std::set<uint32_t> used_, read_, written_;
    uint64_t parts_ = 0, steps_ = 0;
};

}  // namespace

ShaderReflection reflect(const SpirvCode& code, const std::string& entry) { return Reflector(code, entry).reflect(); }

std::array<uint32_t, 3> local_size_of(const ShaderReflection& shader, const std::map<uint32_t, uint64_t>& constants) {
    std::array<uint32_t, 3> size = shader.local_size;
    for (size_t i = 0; i < 3; ++i)
        if (const auto& id = shader.local_size_constants[i]; id && constants.contains(*id))
            size[i] = static_cast<uint32_t>(constants.at(*id));
    return size;
}

}  // namespace tilewise::kernels
