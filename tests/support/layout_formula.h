// Evaluates the address formula directly from the JSON layout object, term by term, as documented: a second way to
// every offset that shares no code with patterns/.
#pragma once
#include "patterns/model/layout.h"
#include <nlohmann/json.hpp>
#include <string>

namespace tilewise {

class LayoutFormula {
public:
    explicit LayoutFormula(nlohmann::json layout) : layout_(std::move(layout)) {
        for (const auto& row : layout_["equation"]) equation_.push_back(terms(row));
        for (const auto& [bit, row] : layout_["outer_xor"].items()) outer_.emplace_back(std::stoi(bit), terms(row));
        for (const auto& [bit, row] : layout_["stride"]["xor"].items()) index_.emplace_back(std::stoi(bit), terms(row));
        bytes_ = layout_["element"]["bytes"];
        const char* names[] = {"width", "height", "depth"};
        for (int a = 0; a < 3; a++) tile_[a] = layout_["tile"][names[a]];
        const char* axes[] = {"x", "y", "z"};
        for (int a = 0; a < 3; a++) stride_[a] = layout_["stride"][axes[a]];
        tile_bytes_ = layout_["tile"]["bytes"];
        constant_ = layout_["constant"];
        base_ = layout_["base"];
    }

    uint64_t operator()(const Coord& at) const {
        uint64_t t[3], l[3], shift = 0, within = 0, index = 0;
        for (int a = 0; a < 3; a++) {
            t[a] = at[static_cast<size_t>(a)] / tile_[a];
            l[a] = at[static_cast<size_t>(a)] % tile_[a];
            shift += t[a] * stride_[a];
        }
        for (size_t bit = 0; bit < equation_.size(); bit++) within |= parity(equation_[bit], l) << bit;
        for (const auto& [bit, row] : outer_) within ^= parity(row, t) << bit;
        for (const auto& [bit, row] : index_) index |= parity(row, t) << bit;
        within ^= constant_;
        if (bytes_ & (bytes_ - 1)) within *= bytes_;
        if (index != 0) shift = ((shift / tile_bytes_) ^ index) * tile_bytes_;
        return base_ + shift + within;
    }

private:
    using Row = std::vector<std::pair<int, int>>;  // (axis, bit)

    static Row terms(const std::string& row) {
        Row result;
        for (size_t i = 0; row != "0" && i < row.size(); i++) {
            if (row[i] == 't' || row[i] == '^') continue;
            size_t digits = 0;
            int bit = std::stoi(row.substr(i + 1), &digits);
            result.emplace_back(row[i] - 'x', bit);
            i += digits;
        }
        return result;
    }

    static uint64_t parity(const Row& row, const uint64_t* coordinate) {
        uint64_t result = 0;
        for (auto [axis, bit] : row) result ^= coordinate[axis] >> bit & 1;
        return result;
    }

    nlohmann::json layout_;
    std::vector<Row> equation_;
    std::vector<std::pair<int, Row>> outer_, index_;
    uint64_t bytes_ = 0, tile_[3] = {}, stride_[3] = {}, tile_bytes_ = 0, constant_ = 0, base_ = 0;
};

}  // namespace tilewise
