// SPIR-V functions as statements and expressions, the way a person would write them: values used once stand where they
// are used, variables are declared where they are first needed, and arguments are passed without copies.
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
        chain,      ///< a part of parts[0], selected by the other parts, one per level
        load,       ///< the value of parts[0]
        operation,  ///< `op` (with `number` if that is OpExtInst) applied to the parts
        call,       ///< of the function `id`
        temporary,  ///< `id`: the value that a statement `let` defined
    };
    Kind kind = Kind::constant;
    spv::Op op = spv::Op::OpNop;
    uint32_t number = 0;
    /// The type of the value; for a variable and a chain, the type of what they hold.
    uint32_t type = 0;
    uint32_t id = 0;
    std::vector<ExpressionPointer> parts = {};
    /// Indices of components or members.
    std::vector<uint32_t> literals = {};
    /// The variables on which the value depends.
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
        branch,    ///< `body` if `value` holds, otherwise `other`
        loop,      ///< `first`; `body` and `next` as long as `value`, if there is one, holds
        leave,     ///< the loop
        next,      ///< go on with the loop
        end,       ///< end the function, with `value` if it has a result
    };
    Kind kind = Kind::end;
    uint32_t line = 0, id = 0;
    ExpressionPointer to = {}, value = {};
    Statements body = {}, other = {}, first = {}, next = {};
    bool unroll = false;
    /// `value` is evaluated after the body.
    bool asked_last = false;
};

struct Parameter {
    uint32_t id = 0;
    /// The type of the value, or of what is referred to.
    uint32_t type = 0;
    /// The function changes the caller's variable.
    bool is_reference = false;
    /// The function changes its parameter.
    bool is_changed = false;
};

struct StructuredFunction {
    uint32_t id = 0, result_type = 0, line = 0;
    std::vector<Parameter> parameters;
    Statements body;
    /// Global variables that the function, or a function that it calls, uses.
    std::set<uint32_t> globals;
};

/// Returns the functions in the module's order. Throws Error for constructs that the target languages do not have.
std::vector<StructuredFunction> structured_functions(const SpirvModule& module);

/// Calls `visit` for each expression in the statements and for its parts.
void for_each_expression(const Statements& statements, const std::function<void(const Expression&)>& visit);

}  // namespace tilewise::kernels
