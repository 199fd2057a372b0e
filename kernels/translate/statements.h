// Functions of SPIR-V as statements and expressions, as a person would write them: what is used once stands where it is
// used, variables are declared where they are first needed, arguments are passed without copies.
#pragma once
#include "kernels/translate/module.h"
#include <functional>
#include <memory>

namespace tilewise::kernels {

struct Expression;
using ExpressionPointer = std::shared_ptr<const Expression>;

struct Expression {
    enum class Kind {
        constant,   ///< `id`
        variable,   ///< `id`: a variable, or a function's parameter
        chain,      ///< a part of parts[0], by the other parts, one a level
        load,       ///< the value of parts[0]
        operation,  ///< `op`, `number` where that is OpExtInst, of the parts
        call,       ///< of the function `id`
        temporary,  ///< `id`: what a statement `let` made
    };
    Kind kind = Kind::constant;
    spv::Op op = spv::Op::OpNop;
    uint32_t number = 0;
    /// Of the value; of a variable and a chain that of what they hold.
    uint32_t type = 0;
    uint32_t id = 0;
    std::vector<ExpressionPointer> parts = {};
    /// Places of components, of members.
    std::vector<uint32_t> literals = {};
    /// The variables whose change changes the value.
    std::set<uint32_t> reads = {};
};

bool are_equal(const Expression& a, const Expression& b);

struct Statement;
using Statements = std::vector<Statement>;

struct Statement {
    enum class Kind {
        declare,   ///< the variable `id`, with `value` or without
        assign,    ///< `value` to `to`
        let,       ///< `value` is called `id` from here on
        evaluate,  ///< `value`, for what it does
        branch,    ///< `body` where `value` holds, else `other`
        loop,      ///< `first`; `body` and `next` as long as `value`, where there is one, holds
        leave,     ///< the loop
        next,      ///< go on with the loop
        end,       ///< the function, with `value` where it has a result
    };
    Kind kind = Kind::end;
    uint32_t line = 0, id = 0;
    ExpressionPointer to = {}, value = {};
    Statements body = {}, other = {}, first = {}, next = {};
    bool unroll = false;
    /// `value` is asked after the body.
    bool asked_last = false;
};

struct Parameter {
    uint32_t id = 0;
    /// Of the value; of what is referred to.
    uint32_t type = 0;
    /// The caller's variable is changed.
    bool is_reference = false;
    /// The function changes it.
    bool is_changed = false;
};

struct StructuredFunction {
    uint32_t id = 0, result_type = 0, line = 0;
    std::vector<Parameter> parameters;
    Statements body;
    /// Global variables that it, or what it calls, uses.
    std::set<uint32_t> globals;
};

/// In the module's order. Throws Error for what the languages that are translated to do not have.
std::vector<StructuredFunction> structured_functions(const SpirvModule& module);

/// Calls `visit` with each expression in them and their parts.
void for_each_expression(const Statements& statements, const std::function<void(const Expression&)>& visit);

}  // namespace tilewise::kernels
