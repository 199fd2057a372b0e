// Which mode a level has: by bounds of its extents, or by the bytes that an image would take.
#include "patterns/rules/learn/learner.h"
#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

namespace tilewise {

namespace {

/// What may part modes: few features before many, since a rule made of few is wrong sooner where it is wrong.
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

/// Modes that differ in their XOR alone: what parts them is how many blocks are in a row.
bool are_variants(const BlockMode& a, const BlockMode& b) {
    return !a.pattern.is_linear() && a.pattern.tile == b.pattern.tile && a.pattern.equation == b.pattern.equation &&
           std::tie(a.row, a.span, a.rows, a.quartered, a.slice_unit, a.level_unit) ==
               std::tie(b.row, b.span, b.rows, b.quartered, b.slice_unit, b.level_unit);
}

/// Conditions for the modes in that order, each against those after it; none where the features do not part them.
struct Parted {
    std::vector<Choice> choices;
    std::vector<Learned::Gap> gaps;
};

std::optional<Parted> part_in_order(const Rule& rule, const std::vector<std::vector<size_t>>& groups,
                                    std::vector<const SeenLevel*> rest, std::span<const Feature> features) {
    constexpr Feature row_alone[] = {Feature::row_multiple};
    Parted out;
    std::vector<char> passed(rule.modes.size());
    const auto can = [&](const std::vector<size_t>& group, const SeenLevel& level) {
        return std::ranges::any_of(group, [&](size_t m) { return level.can(m); });
    };
    const auto label = [&](const std::vector<const SeenLevel*>& of, const std::vector<size_t>& group) {
        std::vector<Labelled> labelled;
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
        const std::vector<Labelled> labelled = label(rest, group);
        std::optional<std::vector<Bound>> bounds;
        if (std::ranges::any_of(labelled, &Labelled::inside)) {
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
                std::optional<Parted> inner;
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

}  // namespace

bool Learner::choose_by_bounds() {
    std::vector<size_t> order;
    for (size_t m = 0; m < out.rule.modes.size(); m++) order.push_back(m);
    const auto try_order = [&](const std::vector<Feature>& features) {
        std::vector<std::vector<size_t>> groups;
        for (const size_t m : order) {
            const auto same = std::ranges::find_if(groups, [&](const std::vector<size_t>& group) {
                return are_variants(out.rule.modes[group.front()], out.rule.modes[m]);
            });
            if (same == groups.end())
                groups.push_back({m});
            else
                same->push_back(m);
        }
        std::vector<const SeenLevel*> all;
        for (const SeenLevel& level : levels)
            if (!level.in_tail) all.push_back(&level);
        std::optional<Parted> parted = part_in_order(out.rule, groups, std::move(all), features);
        if (!parted) return false;
        out.rule.choices = std::move(parted->choices);
        out.gaps.insert(out.gaps.end(), parted->gaps.begin(), parted->gaps.end());
        return true;
    };
    // Large blocks first; of modes that share a block, those found first or last; small blocks first.
    const auto by_size = [&](size_t m) { return out.rule.modes[m].pattern.tile_bytes; };
    for (const std::vector<Feature>& features : feature_families()) {
        std::ranges::sort(order);
        std::ranges::stable_sort(order, std::greater(), by_size);
        if (try_order(features)) return true;
        std::ranges::reverse(order);
        if (try_order(features)) return true;
        std::ranges::stable_sort(order, std::greater(), by_size);
        if (try_order(features)) return true;
    }
    return false;
}

namespace {

constexpr Feature image_features[] = {Feature::height0, Feature::width0, Feature::depth0, Feature::levels};

/// A simple fraction in [low, high), of those that people write into programs; none if there is none.
std::optional<std::pair<uint64_t, uint64_t>> fraction_between(double low, double high) {
    for (const uint64_t denominator : {1U, 2U, 10U, 4U, 3U, 8U, 16U, 6U, 12U, 20U, 100U})
        for (uint64_t numerator = 1; numerator <= denominator * 64; numerator++) {
            const double value = static_cast<double>(numerator) / static_cast<double>(denominator);
            if (value >= low && value < high) return std::pair(numerator, denominator);
        }
    return std::nullopt;
}

}  // namespace

bool Learner::choose_by_budget(bool extended) {
    // By image: the modes that all its levels can have.
    std::vector<std::vector<char>> can(images.size(), std::vector<char>(out.rule.modes.size(), 1));
    for (const SeenLevel& level : levels)
        if (!level.in_tail)
            for (size_t m = 0; m < out.rule.modes.size(); m++) can[level.image][m] &= level.can(m);
    for (size_t i = 0; i < images.size(); i++)
        for (size_t m = 0; m < out.rule.modes.size(); m++)
            can[i][m] &= out.rule.modes[m].alignment == images[i].alignment;
    std::vector<size_t> rest;
    for (size_t i = 0; i < images.size(); i++) rest.push_back(i);
    std::vector<size_t> left;
    out.rule.choices.clear();
    for (size_t m = 0; m < out.rule.modes.size(); m++) left.push_back(m);
    std::ranges::reverse(left);  // small blocks first
    // Modes that bounds of level 0 tell from all others.
    for (size_t k = 0; k < left.size() && left.size() > 1;) {
        const size_t m = left[k];
        std::vector<Labelled> labelled;
        for (size_t i : rest) {
            const bool others = std::ranges::any_of(left, [&](size_t o) { return o != m && can[i][o]; });
            if (!can[i][m])
                labelled.push_back({&levels_of(i)[0].shape, false});
            else if (!others)
                labelled.push_back({&levels_of(i)[0].shape, true});
        }
        if (std::ranges::none_of(labelled, &Labelled::inside)) {
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
            continue;
        }
        const auto bounds = part(labelled, out.rule.modes[m], image_features, 1, &out.gaps);
        if (!bounds) {
            k++;
            continue;
        }
        out.rule.choices.push_back({static_cast<uint32_t>(m), *bounds});
        std::erase_if(rest, [&](size_t i) { return holds(*bounds, levels_of(i)[0].shape, out.rule.modes[m]); });
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
    }
    // The simpler ones first.
    for (const bool of_texels : extended ? std::vector{false, true} : std::vector{false})
        for (const bool halved : of_texels ? std::vector{false, true} : std::vector{false})
            for (const bool bounded : {false, true}) {
                std::optional<Budget> budget = budget_of(rest, left, can, {{}, halved}, {bounded, of_texels});
                if (!budget) continue;
                out.rule.budget = std::move(*budget);
                return true;
            }
    return false;
}

namespace {

/// Bounds of level 0 of all those images, each of which leaves out some of the others.
std::vector<std::vector<Bound>> bounds_that_part(const std::vector<const LevelShape*>& inside,
                                                 const std::vector<const LevelShape*>& all, const BlockMode& mode) {
    std::vector<std::vector<Bound>> found;
    for (const Feature feature : image_features) {
        Bound least = {.feature = feature, .min = UINT64_MAX}, most = {.feature = feature, .max = 0};
        for (const LevelShape* shape : inside) {
            const uint64_t value = feature_of(feature, *shape, mode);
            least.min = std::min(least.min, value);
            most.max = std::max(most.max, value);
        }
        for (const Bound& bound : {most, least})
            if (std::ranges::any_of(all, [&](const LevelShape* shape) { return !holds({bound}, *shape, mode); }))
                found.push_back({bound});
    }
    return found;
}

}  // namespace

/// The candidates in that order, each with the fraction that parts the images which take it from those which do not; with
/// `bounded`, each within one bound of level 0 where there is no fraction otherwise; with `of_texels`, the fraction of its texels
/// where there is none of another mode's bytes. `can`: by image, then mode.
std::optional<Budget> Learner::budget_of(const std::vector<size_t>& of, const std::vector<size_t>& order,
                                         const std::vector<std::vector<char>>& can, const Budget& form,
                                         CandidateForms forms) {
    std::vector<const LevelShape*> shapes;
    shapes.reserve(of.size());
    for (const size_t i : of) shapes.push_back(&levels_of(i)[0].shape);
    const auto options_for = [&](size_t m) {
        std::vector<std::vector<Bound>> bounds = {{}};
        std::vector<const LevelShape*> mine;
        for (const size_t i : of)
            if (can[i][m] && std::ranges::none_of(order, [&](size_t o) { return o != m && can[i][o]; }))
                mine.push_back(&levels_of(i)[0].shape);
        if (forms.bounded && !mine.empty())
            std::ranges::move(bounds_that_part(mine, shapes, out.rule.modes[m]), std::back_inserter(bounds));
        std::vector<Candidate> options;
        for (const bool of_texels : {false, true})
            if (!of_texels || forms.of_texels)
                for (const std::vector<Bound>& b : bounds)
                    options.push_back({static_cast<uint32_t>(m), 1, 1, b, of_texels});
        return options;
    };
    std::vector<Learned::FractionGap> gaps;
    /// The candidate, which is number k, with its fraction; none where its bounds, or all fractions, contradict an image.
    const auto with_fraction = [&](size_t k, Candidate candidate,
                                   const std::vector<Taken>& taken) -> std::optional<Candidate> {
        const size_t m = candidate.mode;
        double low = 0, high = 1e9;
        for (const size_t i : of) {
            const auto among = [&](size_t from, size_t to) {
                return std::any_of(order.begin() + static_cast<std::ptrdiff_t>(from),
                                   order.begin() + static_cast<std::ptrdiff_t>(to),
                                   [&](size_t o) { return can[i][o]; });
            };
            const bool earlier = among(0, k), later = among(k + 1, order.size());
            if (later || (!earlier && !can[i][m])) continue;
            const bool takes = can[i][m] && !earlier,
                       within = holds(candidate.bounds, levels_of(i)[0].shape, out.rule.modes[m]);
            if (!within || !taken[i].mode) {
                if (takes != within && (takes || !can[i][m])) return std::nullopt;
                continue;
            }
            const double ratio = compared(out.rule, form, candidate, images[i], taken[i]).fraction();
            if (takes) low = std::max(low, ratio);
            if (!can[i][m]) high = std::min(high, ratio);
        }
        if (k == 0) return candidate;
        const auto fraction = fraction_between(low, high);
        if (!fraction) return std::nullopt;
        std::tie(candidate.numerator, candidate.denominator) = *fraction;
        gaps.push_back({k, low, high});
        return candidate;
    };
    for (const Candidate& first : options_for(order.front())) {
        Budget found = form;
        gaps.clear();
        std::vector<Taken> taken(images.size());
        for (size_t k = 0; k < order.size(); k++) {
            std::optional<Candidate> candidate;
            for (const Candidate& option : k == 0 ? std::vector{first} : options_for(order[k])) {
                candidate = with_fraction(k, option, taken);
                if (candidate) break;
            }
            if (!candidate) break;
            for (const size_t i : of) take(out.rule, form, *candidate, images[i], taken[i]);
            found.candidates.push_back(std::move(*candidate));
        }
        if (found.candidates.size() != order.size()) continue;
        out.fraction_gaps = std::move(gaps);
        return found;
    }
    return std::nullopt;
}

/// Levels that can have the mode which is chosen for them.
size_t Learner::levels_chosen_right() {
    size_t right = 0;
    for (size_t i = 0; i < images.size(); i++) {
        const auto modes = modes_of(out.rule, images[i]);
        if (!modes) continue;
        const auto of_image = levels_of(i);
        for (size_t l = 0; l < of_image.size(); l++) right += of_image[l].in_tail || of_image[l].can((*modes)[l]);
    }
    return right;
}

/// By bounds or by bytes: what is right of more levels, then what takes fewer numbers.
void Learner::choose() {
    const auto numbers = [](const Rule& rule) {
        size_t count = rule.budget.candidates.size();
        for (const Choice& choice : rule.choices)
            for (const Bound& bound : choice.bounds) count += (bound.min > 0) + (bound.max != UINT64_MAX);
        return count;
    };
    Learner other = *this;
    const bool bounds = choose_by_bounds();
    if (!other.choose_by_budget(!bounds)) return;
    const size_t by_bounds = bounds ? levels_chosen_right() : 0, by_bytes = other.levels_chosen_right();
    if (by_bytes > by_bounds || (by_bytes == by_bounds && (!bounds || numbers(other.out.rule) < numbers(out.rule))))
        out = std::move(other.out);
}

}  // namespace tilewise
