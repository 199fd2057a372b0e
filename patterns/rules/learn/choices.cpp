// Which mode a level has: chosen by bounds on its extents, or by the bytes that an image would take.
#include "patterns/rules/learn/learner.h"
#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

namespace tilewise {

namespace {

/// Features that may separate modes: few features come before many, because a wrong rule with few features is refuted
/// sooner.
std::vector<std::vector<Feature>> feature_families() {
    using enum Feature;
    const std::vector<Feature> own = {width, height, depth}, whole = {width0, height0, depth0},
                               ceil = {ceil_width, ceil_height, ceil_depth}, texels = {width_px, height, depth},
                               other = {row_multiple, levels_below, levels};
    std::vector<std::vector<Feature>> families = {own, whole, ceil, texels};
    const auto add = [&](std::initializer_list<std::vector<Feature>> parts) {
        std::vector<Feature> all;
        for (const auto& p : parts) all.insert(all.end(), p.begin(), p.end());
        families.push_back(all);
    };
    add({own, {row_multiple}});
    add({texels, {row_multiple}});
    add({whole, own});
    add({whole, own, other});
    return families;
}

/// Modes that differ only in their XOR: what separates them is the number of blocks in a row.
bool are_variants(const BlockMode& a, const BlockMode& b) {
    return !a.pattern.is_linear() && a.pattern.tile == b.pattern.tile && a.pattern.equation == b.pattern.equation &&
           std::tie(a.row, a.span, a.rows, a.quartered, a.grown_slice, a.slice_unit, a.level_unit) ==
               std::tie(b.row, b.span, b.rows, b.quartered, b.grown_slice, b.slice_unit, b.level_unit);
}

/// Conditions for the modes in that order, each against those after it; none if the features do not separate them.
struct OrderedChoices {
    std::vector<Choice> choices;
    std::vector<Learned::Gap> gaps;
};

std::optional<OrderedChoices> part_in_order(const Rule& rule, const std::vector<std::vector<size_t>>& groups,
                                            std::vector<const SeenLevel*> rest, std::span<const Feature> features) {
    constexpr Feature row_alone[] = {Feature::row_multiple};
    OrderedChoices out;
    std::vector<char> passed(rule.modes.size());
    const auto can = [&](const std::vector<size_t>& group, const SeenLevel& level) {
        return std::ranges::any_of(group, [&](size_t m) { return level.can(m); });
    };
    const auto label = [&](const std::vector<const SeenLevel*>& of, const std::vector<size_t>& group) {
        std::vector<LabelledLevel> labelled;
        for (const SeenLevel* level : of) {
            bool others = false;
            for (size_t o = 0; o < rule.modes.size(); o++)
                others |= std::ranges::count(group, o) == 0 && !passed[o] && level->can(o);
            if (!can(group, *level))
                labelled.push_back({&level->shape, false});
            else if (!others)
                labelled.push_back({&level->shape, true});
        }
        return labelled;
    };
    for (const std::vector<size_t>& group : groups) {
        const BlockMode& first = rule.modes[group.front()];
        const std::vector<LabelledLevel> labelled = label(rest, group);
        std::optional<std::vector<Bound>> bounds;
        if (std::ranges::any_of(labelled, &LabelledLevel::inside)) {
            bounds = part(labelled, first, features, 6, &out.gaps);
            if (!bounds) return std::nullopt;
            std::vector<const SeenLevel*> mine;
            for (const SeenLevel* level : rest)
                if (holds(*bounds, level->shape, first)) mine.push_back(level);
            std::erase_if(rest, [&](const SeenLevel* level) { return holds(*bounds, level->shape, first); });
            if (group.size() == 1) {
                out.choices.push_back({static_cast<uint32_t>(group.front()), *bounds});
            } else {
                std::vector<std::vector<size_t>> variants;
                variants.reserve(group.size());
                for (const size_t m : group) variants.push_back({m});
                std::optional<OrderedChoices> inner;
                do {
                    inner = part_in_order(rule, variants, mine, row_alone);
                } while (!inner && variants.size() < 5 && std::ranges::next_permutation(variants).found);
                if (!inner) inner = part_in_order(rule, variants, mine, features);
                if (!inner) return std::nullopt;
                for (Choice& choice : inner->choices) {
                    choice.bounds.insert(choice.bounds.begin(), bounds->begin(), bounds->end());
                    out.choices.push_back(std::move(choice));
                }
                out.gaps.insert(out.gaps.end(), inner->gaps.begin(), inner->gaps.end());
            }
        }
        for (const size_t m : group) passed[m] = 1;
        if (rest.empty()) return out;
    }
    return std::nullopt;
}

/// Groups modes that are variants of one another; a group is placed where its first mode is.
std::vector<std::vector<size_t>> groups_of_variants(const std::vector<BlockMode>& modes,
                                                    const std::vector<size_t>& order) {
    std::vector<std::vector<size_t>> groups;
    for (const size_t m : order) {
        const auto same = std::ranges::find_if(
            groups, [&](const std::vector<size_t>& group) { return are_variants(modes[group.front()], modes[m]); });
        if (same == groups.end())
            groups.push_back({m});
        else
            same->push_back(m);
    }
    return groups;
}

}  // namespace

std::optional<ModeChoice> Learner::choice_by_bounds() const {
    std::vector<size_t> order;
    for (size_t m = 0; m < rule.modes.size(); m++) order.push_back(m);
    LevelList outside_tails;
    for (const SeenLevel& level : levels)
        if (!level.in_tail) outside_tails.push_back(&level);
    const auto in_order = [&](const std::vector<Feature>& features) -> std::optional<ModeChoice> {
        std::optional<OrderedChoices> parted =
            part_in_order(rule, groups_of_variants(rule.modes, order), outside_tails, features);
        if (!parted) return std::nullopt;
        return ModeChoice{.choices = std::move(parted->choices), .gaps = std::move(parted->gaps)};
    };
    // Large blocks come first, with the modes that share a block in the order in which they were found, or reversed;
    // then small blocks first.
    const auto by_size = [&](size_t m) { return rule.modes[m].pattern.tile_bytes; };
    for (const std::vector<Feature>& features : feature_families()) {
        std::ranges::sort(order);
        std::ranges::stable_sort(order, std::greater(), by_size);
        if (std::optional<ModeChoice> found = in_order(features)) return found;
        std::ranges::reverse(order);
        if (std::optional<ModeChoice> found = in_order(features)) return found;
        std::ranges::stable_sort(order, std::greater(), by_size);
        if (std::optional<ModeChoice> found = in_order(features)) return found;
    }
    return std::nullopt;
}

namespace {

constexpr Feature image_features[] = {Feature::height0, Feature::width0, Feature::depth0, Feature::levels};

/// A simple fraction in [low, high), one that people would write into programs; none if there is none.
std::optional<std::pair<uint64_t, uint64_t>> fraction_between(double low, double high) {
    for (const uint64_t denominator : {1U, 2U, 10U, 4U, 3U, 8U, 16U, 6U, 12U, 20U, 100U})
        for (uint64_t numerator = 1; numerator <= denominator * 64; numerator++) {
            const double value = static_cast<double>(numerator) / static_cast<double>(denominator);
            if (value >= low && value < high) return std::pair(numerator, denominator);
        }
    return std::nullopt;
}

/// Whether people would write the fraction into a driver; others may be the trace of a comparison of another form.
bool is_simple(const Candidate& candidate) { return candidate.denominator <= 10; }

/// The possible forms of a budget, the simpler ones first.
struct BudgetForm {
    /// Candidates may be a fraction of the texels' bytes.
    bool of_texels;
    /// As Budget::halved.
    bool halved;
    /// Candidates may have a bound.
    bool bounded;
};
constexpr BudgetForm budget_forms[] = {{false, false, false}, {false, false, true}};
constexpr BudgetForm more_budget_forms[] = {
    {true, false, false}, {true, false, true}, {true, true, false}, {true, true, true}};

/// Bounds on level 0 that hold for all the images inside, each of which excludes some of the others; last, all the lower
/// bounds together.
std::vector<std::vector<Bound>> bounds_that_part(const std::vector<const LevelShape*>& inside,
                                                 const std::vector<const LevelShape*>& all, const BlockMode& mode) {
    std::vector<std::vector<Bound>> found;
    std::vector<Bound> lower;
    const auto parts = [&](const Bound& bound) {
        return std::ranges::any_of(all, [&](const LevelShape* shape) { return !holds({bound}, *shape, mode); });
    };
    for (const Feature feature : image_features) {
        Bound least = {.feature = feature, .min = UINT64_MAX}, most = {.feature = feature, .max = 0};
        for (const LevelShape* shape : inside) {
            const uint64_t value = feature_of(feature, *shape, mode);
            least.min = std::min(least.min, value);
            most.max = std::max(most.max, value);
        }
        for (const Bound& bound : {most, least})
            if (parts(bound)) found.push_back({bound});
        if (parts(least)) lower.push_back(least);
    }
    if (lower.size() > 1) found.push_back(std::move(lower));
    return found;
}

/// Finds how one mode is chosen for all levels of an image: first by bounds of level 0, then by a budget.
class BudgetSearch {
public:
    explicit BudgetSearch(const Learner& learner);
    /// Chooses the modes that bounds on level 0 separate from all others, small blocks first.
    void choose_by_level0();
    /// Finds a budget of that form for the rest; returns false if there is none.
    bool find_budget(const BudgetForm& form);
    /// The result.
    ModeChoice choice;

private:
    const LevelShape& level0(size_t image) const { return learner_.levels_of(image)[0].shape; }
    /// Whether the image can have one of the modes order_[from] to order_[to - 1].
    bool can_any(size_t image, size_t from, size_t to) const;
    bool can_other(size_t image, size_t mode) const {
        return std::ranges::any_of(order_, [&](size_t o) { return o != mode && can_[image][o]; });
    }
    std::vector<LabelledLevel> labelled_for(size_t mode) const;
    std::vector<Candidate> candidates_for(size_t mode, const BudgetForm& form) const;
    bool give_fraction(size_t k, Candidate& candidate, const Budget& budget, const std::vector<BudgetState>& states,
                       std::vector<Learned::FractionGap>& gaps) const;
    bool find_from(const Candidate& first, const BudgetForm& form);

    const Learner& learner_;
    /// For each image, whether all its levels can have the mode.
    std::vector<std::vector<char>> can_;
    /// Images for which nothing chooses a mode yet.
    std::vector<size_t> rest_;
    /// Modes that are not chosen yet.
    std::vector<size_t> order_;
};

BudgetSearch::BudgetSearch(const Learner& learner)
    : learner_(learner), can_(learner.images.size(), std::vector<char>(learner.rule.modes.size(), 1)) {
    const std::vector<BlockMode>& modes = learner.rule.modes;
    for (const SeenLevel& level : learner.levels)
        if (!level.in_tail)
            for (size_t m = 0; m < modes.size(); m++) can_[level.image][m] &= level.can(m);
    for (size_t i = 0; i < learner.images.size(); i++) {
        rest_.push_back(i);
        for (size_t m = 0; m < modes.size(); m++) can_[i][m] &= modes[m].alignment == learner.images[i].alignment;
    }
    for (size_t m = modes.size(); m-- > 0;) order_.push_back(m);
}

bool BudgetSearch::can_any(size_t image, size_t from, size_t to) const {
    return std::any_of(order_.begin() + static_cast<std::ptrdiff_t>(from),
                       order_.begin() + static_cast<std::ptrdiff_t>(to), [&](size_t m) { return can_[image][m]; });
}

/// Level 0 of the images that cannot have the mode, and of those that can have no other.
std::vector<LabelledLevel> BudgetSearch::labelled_for(size_t mode) const {
    std::vector<LabelledLevel> labelled;
    for (const size_t i : rest_)
        if (!can_[i][mode] || !can_other(i, mode)) labelled.push_back({&level0(i), can_[i][mode] != 0});
    return labelled;
}

void BudgetSearch::choose_by_level0() {
    for (size_t k = 0; k < order_.size() && order_.size() > 1;) {
        const size_t m = order_[k];
        const BlockMode& mode = learner_.rule.modes[m];
        const std::vector<LabelledLevel> labelled = labelled_for(m);
        const bool is_needed = std::ranges::any_of(labelled, &LabelledLevel::inside);
        const auto bounds = is_needed ? part(labelled, mode, image_features, 1, &choice.gaps) : std::nullopt;
        if (is_needed && !bounds) {
            k++;
            continue;
        }
        if (bounds) {
            choice.choices.push_back({static_cast<uint32_t>(m), *bounds});
            std::erase_if(rest_, [&](size_t i) { return holds(*bounds, level0(i), mode); });
        }
        order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

/// The possible candidates for the mode, except for their fractions.
std::vector<Candidate> BudgetSearch::candidates_for(size_t mode, const BudgetForm& form) const {
    std::vector<std::vector<Bound>> bounds = {{}};
    if (form.bounded) {
        std::vector<const LevelShape*> shapes, mine;
        for (const size_t i : rest_) {
            shapes.push_back(&level0(i));
            if (can_[i][mode] && !can_other(i, mode)) mine.push_back(&level0(i));
        }
        if (!mine.empty())
            std::ranges::move(bounds_that_part(mine, shapes, learner_.rule.modes[mode]), std::back_inserter(bounds));
    }
    std::vector<Candidate> candidates;
    for (const bool of_texels : {false, true})
        if (!of_texels || form.of_texels)
            for (const std::vector<Bound>& b : bounds)
                candidates.push_back({static_cast<uint32_t>(mode), 1, 1, b, of_texels});
    return candidates;
}

/// Gives candidate number k the fraction that separates the images that take it from those that do not. Returns false
/// if its bounds, or all fractions, contradict an image.
bool BudgetSearch::give_fraction(size_t k, Candidate& candidate, const Budget& budget,
                                 const std::vector<BudgetState>& states,
                                 std::vector<Learned::FractionGap>& gaps) const {
    const size_t m = candidate.mode;
    double low = 0, high = 1e9;
    for (const size_t i : rest_) {
        const bool can = can_[i][m] != 0, earlier = can_any(i, 0, k), later = can_any(i, k + 1, order_.size());
        if (later || (!earlier && !can)) continue;
        const bool takes = can && !earlier, within = holds(candidate.bounds, level0(i), learner_.rule.modes[m]);
        if (!within || !states[i].mode) {
            if (takes != within && (takes || !can)) return false;
            continue;
        }
        const double ratio = byte_ratio(learner_.rule, budget, candidate, learner_.images[i], states[i]).fraction();
        if (takes) low = std::max(low, ratio);
        if (!can) high = std::min(high, ratio);
    }
    if (k == 0) return true;
    const auto fraction = fraction_between(low, high);
    if (!fraction) return false;
    std::tie(candidate.numerator, candidate.denominator) = *fraction;
    gaps.push_back({k, low, high});
    return true;
}

/// Finds the budget that begins with that candidate; each further candidate is the first that contradicts no image and
/// has a simple fraction, or else just the first that contradicts none.
bool BudgetSearch::find_from(const Candidate& first, const BudgetForm& form) {
    Budget budget = {.candidates = {}, .halved = form.halved};
    std::vector<Learned::FractionGap> gaps;
    std::vector<BudgetState> states(learner_.images.size());
    for (size_t k = 0; k < order_.size(); k++) {
        std::optional<Candidate> chosen;
        std::vector<Learned::FractionGap> chosen_gaps;
        for (Candidate candidate : k == 0 ? std::vector{first} : candidates_for(order_[k], form)) {
            std::vector<Learned::FractionGap> found = gaps;
            if (!give_fraction(k, candidate, budget, states, found)) continue;
            if (chosen && !is_simple(candidate)) continue;
            chosen = std::move(candidate);
            chosen_gaps = std::move(found);
            if (is_simple(*chosen)) break;
        }
        if (!chosen) return false;
        budget.candidates.push_back(*chosen);
        gaps = std::move(chosen_gaps);
        for (const size_t i : rest_)
            states[i] = after(learner_.rule, budget, budget.candidates.back(), learner_.images[i], states[i]);
    }
    choice.budget = std::move(budget);
    choice.fraction_gaps = std::move(gaps);
    return true;
}

bool BudgetSearch::find_budget(const BudgetForm& form) {
    return std::ranges::any_of(candidates_for(order_.front(), form),
                               [&](const Candidate& first) { return find_from(first, form); });
}

}  // namespace

std::optional<ModeChoice> Learner::choice_by_budget(bool extended) const {
    BudgetSearch search(*this);
    search.choose_by_level0();
    std::vector<BudgetForm> forms(std::begin(budget_forms), std::end(budget_forms));
    if (extended) forms.insert(forms.end(), std::begin(more_budget_forms), std::end(more_budget_forms));
    std::optional<ModeChoice> found;
    for (const BudgetForm& form : forms) {
        if (!search.find_budget(form)) continue;
        const bool are_simple = std::ranges::all_of(search.choice.budget.candidates, is_simple);
        if (!found || are_simple) found = search.choice;
        if (are_simple) break;
    }
    return found;
}

/// The number of levels that can have the mode chosen for them.
size_t Learner::levels_chosen_right(const ModeChoice& choice) const {
    Rule chosen = rule;
    chosen.choices = choice.choices;
    chosen.budget = choice.budget;
    size_t right = 0;
    for (size_t i = 0; i < images.size(); i++) {
        const auto modes = modes_of(chosen, images[i]);
        if (!modes) continue;
        const auto of_image = levels_of(i);
        for (size_t l = 0; l < of_image.size(); l++) right += of_image[l].in_tail || of_image[l].can((*modes)[l]);
    }
    return right;
}

/// Chooses by bounds or by bytes: whichever is right for more levels, then whichever needs fewer numbers.
ModeChoice Learner::mode_choice() const {
    const auto numbers = [](const ModeChoice& choice) {
        size_t count = choice.budget.candidates.size();
        for (const Choice& one : choice.choices)
            for (const Bound& bound : one.bounds) count += (bound.min > 0) + (bound.max != UINT64_MAX);
        return count;
    };
    const std::optional<ModeChoice> by_bounds = choice_by_bounds(), by_bytes = choice_by_budget(!by_bounds);
    if (!by_bytes) return by_bounds.value_or(ModeChoice());
    if (!by_bounds) return *by_bytes;
    const size_t bounds_right = levels_chosen_right(*by_bounds), bytes_right = levels_chosen_right(*by_bytes);
    if (bytes_right != bounds_right) return bytes_right > bounds_right ? *by_bytes : *by_bounds;
    return numbers(*by_bytes) < numbers(*by_bounds) ? *by_bytes : *by_bounds;
}

}  // namespace tilewise
