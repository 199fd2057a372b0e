#include "patterns/rules/learn/learner.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>

namespace tilewise {

/// The rule together with what it does not explain.
Learned Learner::checked() const {
    Learned out = {.rule = rule, .unexplained = {}, .why = {}, .gaps = {}, .fraction_gaps = {}};
    for (size_t i = 0; i < images.size(); i++) {
        const Prediction p = predict(rule, images[i]);
        const std::string why = p.image ? difference(*p.image, images[i]) : p.why_not;
        if (why.empty()) continue;
        if (out.unexplained.empty())
            out.why =
                fmt::format("{} {}x{}x{} levels {} layers {}: {}", images[i].format, images[i].extent_px[0],
                            images[i].extent_px[1], images[i].extent_px[2], images[i].levels, images[i].layers, why);
        out.unexplained.push_back(i);
    }
    return out;
}

void Learner::prepare(const Rule* before) {
    take_levels();
    const std::optional<std::vector<Pattern>> kept = before ? blocks_kept(*before) : std::nullopt;
    for (const Pattern& block : kept ? *kept : fewest_blocks()) rule.modes.emplace_back().pattern = block;
    std::ranges::stable_sort(rule.modes, std::greater(), [](const BlockMode& m) { return m.pattern.tile_bytes; });
    place_in_modes();
    const MemoryOrder order = memory_order();
    rule.smallest_first = order.smallest_first;
    rule.layers_inside = order.layers_inside;
    if (rule.layers_inside)
        for (SeenLevel& level : levels) level.shape.inner_layers = images[level.image].layers;
}

/// The rule with the unit for the last level's rows that gives the right bytes for the most images.
Rule Learner::with_last_rows() const {
    constexpr uint64_t most = 32;
    size_t best = 0;
    Rule chosen = rule, tried = rule;
    tried.whole_chain = hypothesis.chain;
    tried.bare_end = hypothesis.bare_end;
    for (uint64_t rows = 1; rows <= most && best < images.size(); rows *= 2) {
        tried.last_rows = rows;
        tried = with_units(std::move(tried));
        const auto count = static_cast<size_t>(std::ranges::count_if(
            images, [&](const ImageLayout& image) { return place(tried, image).bytes == image.bytes; }));
        if (count > best) {
            best = count;
            chosen = tried;
        }
    }
    return chosen;
}

Learned Learner::run() {
    constexpr unsigned rounds = 3;
    std::vector<BlockMode>& modes = rule.modes;
    const std::vector<uint64_t> constant = constants();
    for (size_t m = 0; m < modes.size(); m++) modes[m].constant = constant[m];
    if (hypothesis.tail) mark_tails();
    measure_levels();
    rule.quarter_slices = hypothesis.quarter_slices;
    if (hypothesis.quarter_slices) keep_slices();
    for (unsigned round = 0; round < rounds; round++) {
        if (!fit_lengths(hypothesis.split && round == 0)) return checked();
        drop_by_bytes();
    }
    drop_needless_modes();
    const std::vector<uint64_t> alignment = alignments();
    for (size_t m = 0; m < modes.size(); m++) modes[m].alignment = alignment[m];
    FoundTails found;
    if (hypothesis.tail) {
        found = tails();
        for (size_t m = 0; m < modes.size(); m++) modes[m].tail = found.of_mode[m];
    }
    ModeChoice choice = mode_choice();
    rule.choices = std::move(choice.choices);
    rule.budget = std::move(choice.budget);
    if (hypothesis.tail) {
        const std::vector<std::vector<uint64_t>> layer_xor = layer_xors();
        for (size_t m = 0; m < modes.size(); m++) modes[m].layer_xor = layer_xor[m];
    }
    if (hypothesis.turned_layers)
        for (size_t m = 0; m < modes.size(); m++) turn_layers(modes[m], m);
    rule = with_last_rows();
    Learned out = checked();
    out.gaps = std::move(found.gaps);
    std::ranges::move(choice.gaps, std::back_inserter(out.gaps));
    out.fraction_gaps = std::move(choice.fraction_gaps);
    return out;
}

void rest_on(Rule& rule, std::span<const ImageLayout> images) {
    rule.max_extent_px = {1, 1, 1};
    rule.max_levels = rule.max_layers = 1;
    for (const ImageLayout& image : images) {
        for (unsigned a = 0; a < 3; a++) rule.max_extent_px[a] = std::max(rule.max_extent_px[a], image.extent_px[a]);
        rule.max_levels = std::max(rule.max_levels, image.levels);
        rule.max_layers = std::max(rule.max_layers, image.layers);
    }
    rule.probes = static_cast<uint32_t>(images.size());
}

namespace {

/// The hypotheses in the order in which to try them: one that explained fewer of the images before is likely to explain
/// all.
std::vector<Hypothesis> hypotheses_for(const Learner& prepared, const Rule* before) {
    const bool is_deep = prepared.rule.image_type == ImageType::three_d;
    std::vector<Hypothesis> order = {hypotheses::plain,
                                     hypotheses::tails,
                                     hypotheses::split_modes,
                                     hypotheses::split_modes_with_whole_chain,
                                     hypotheses::paired_blocks_with_whole_chain,
                                     is_deep ? hypotheses::tails_beside_wide_rows : hypotheses::tails_beside_bare_rows};
    Learner measured = prepared;
    measured.measure_levels();
    if (measured.may_keep_slices())
        order.insert(order.begin(), {hypotheses::kept_slices, hypotheses::kept_slices_in_split_modes});
    const bool had_tails = before && std::ranges::any_of(before->modes, [](const BlockMode& m) {
                               return m.tail.has_value() || !m.layer_xor.empty();
                           });
    if (had_tails) std::swap(order[0], order[1]);
    if (before && before->bare_end) std::swap(order.front(), order.back());
    if (measured.layers_turn()) order.push_back(hypotheses::turned_layers);
    return order;
}

Learner prepared_for(std::span<const ImageLayout> images, const Hypothesis& hypothesis, const Rule* before) {
    Learner learner = {.images = images, .hypothesis = hypothesis};
    learner.prepare(before);
    return learner;
}

Learned learn_from(std::span<const ImageLayout> images, const Rule* before) {
    const Learner prepared = prepared_for(images, hypotheses::plain, before);
    const auto try_out = [&](const Hypothesis& hypothesis) {
        Learner learner = hypothesis.tail ? prepared_for(images, hypothesis, before) : prepared;
        learner.hypothesis = hypothesis;
        if (const std::optional<Pattern> pair = hypothesis.pairs ? learner.pair_of_largest() : std::nullopt) {
            learner.rule.modes.emplace(learner.rule.modes.begin())->pattern = *pair;
            learner.place_in_modes();
        }
        return learner.run();
    };
    std::optional<Learned> best;
    Hypothesis taken;
    for (const Hypothesis& hypothesis : hypotheses_for(prepared, before)) {
        Learned found = try_out(hypothesis);
        if (!best || found.unexplained.size() < best->unexplained.size()) {
            best = std::move(found);
            taken = hypothesis;
        }
        if (best->unexplained.empty()) break;
    }
    // With an estimate, the depth of a tail's levels is a bound only if an image shows one. Otherwise, as on RDNA, it
    // is one, and few images show it.
    const bool is_deep = prepared.rule.image_type == ImageType::three_d;
    if (is_deep && taken.tail && (best->rule.budget.halved || !best->unexplained.empty())) {
        Learned flat = try_out(taken.wide_spans ? hypotheses::flat_tails_beside_wide_rows : hypotheses::flat_tails);
        if (flat.rule.budget.halved && flat.unexplained.size() <= best->unexplained.size()) best = std::move(flat);
    }
    return std::move(*best);
}

}  // namespace

Learned learn(std::span<const ImageLayout> images, const Rule* before) {
    Learned best = learn_from(images, before);
    if (!before || best.unexplained.empty()) return best;
    // The fewer images may have shown other blocks.
    Learned anew = learn_from(images, nullptr);
    return anew.unexplained.size() < best.unexplained.size() ? anew : best;
}

std::string misplaced_element(const ImageLayout& predicted, const ImageLayout& probed) {
    for (const Subresource& part : probed.subresources)
        for (uint32_t layer = part.layer; layer < part.layer + part.layers; layer++) {
            const Subresource* other = find_subresource(predicted, part.aspect, part.level, layer);
            if (!other) return fmt::format("level {} layer {} is missing", part.level, layer);
            const Coord extent = extent_el(probed, part);
            const AxisTables a(layout_of_layer(*other, layer), extent), b(layout_of_layer(part, layer), extent);
            std::vector<uint64_t> row_a(extent[axis_x]), row_b(extent[axis_x]);
            for (uint32_t s = 0; s < extent[axis_s]; s++)
                for (uint32_t z = 0; z < extent[axis_z]; z++)
                    for (uint32_t y = 0; y < extent[axis_y]; y++) {
                        a.row(y, z, s, row_a.data());
                        b.row(y, z, s, row_b.data());
                        if (row_a == row_b) continue;
                        const auto at = std::ranges::mismatch(row_a, row_b);
                        return fmt::format("level {} layer {} element {},{},{} at {}, not {}", part.level, layer,
                                           at.in1 - row_a.begin(), y, z, *at.in1, *at.in2);
                    }
        }
    return {};
}

std::string difference(const ImageLayout& predicted, const ImageLayout& probed) {
    if (predicted.bytes != probed.bytes) return fmt::format("{} bytes, not {}", predicted.bytes, probed.bytes);
    if (predicted.alignment != probed.alignment)
        return fmt::format("alignment {}, not {}", predicted.alignment, probed.alignment);
    return misplaced_element(predicted, probed);
}

}  // namespace tilewise
