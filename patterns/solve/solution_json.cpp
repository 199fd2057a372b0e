#include "patterns/solve/solution_json.h"
#include "patterns/model/layout_json.h"

namespace tilewise {

using nlohmann::ordered_json;

ordered_json to_json(const Solution& solution) {
    ordered_json result = {{"status", solution.fit == Fit::exact ? "exact" : "no-fit"},
                           {"extent", {solution.extent[axis_x], solution.extent[axis_y], solution.extent[axis_z]}},
                           {"elements", solution.elements},
                           {"mismatches", solution.mismatches}};
    if (solution.extent[axis_s] > 1) result["samples"] = solution.extent[axis_s];
    if (solution.fit == Fit::exact)
        result["layout"] = to_json(solution.layout);
    else
        result["reason"] = solution.reason;
    return result;
}

}  // namespace tilewise
