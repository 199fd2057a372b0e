#include "patterns/rules/learn/learner.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

void Learner::check() {
    for (size_t i = 0; i < images.size(); i++) {
        const Prediction p = predict(out.rule, images[i]);
        const std::string why = p.image ? difference(*p.image, images[i]) : p.why_not;
        if (why.empty()) continue;
        if (out.unexplained.empty())
            out.why =
                fmt::format("{} {}x{}x{} levels {} layers {}: {}", images[i].format, images[i].extent_px[0],
                            images[i].extent_px[1], images[i].extent_px[2], images[i].levels, images[i].layers, why);
        out.unexplained.push_back(i);
    }
}

void Learner::prepare(const Rule* before) {
    take_levels();
    if (!before || !keep_modes(*before)) find_modes();
    std::ranges::stable_sort(out.rule.modes, std::greater(), [](const BlockMode& m) { return m.pattern.tile_bytes; });
    place_in_modes();
    find_order();
}

void Learner::run() {
    find_constants();
    find_tails();
    measure_levels();
    keep_slices();
    for (unsigned round = 0; round < 3; round++) {
        fit_lengths(hypothesis.split && round == 0);
        if (hopeless) return check();
        drop_by_bytes();
    }
    drop_needless_modes();
    fit_alignments();
    fit_tails();
    choose();
    find_layers();
    size_t best = 0;
    Rule chosen = out.rule;
    out.rule.whole_chain = hypothesis.chain;
    out.rule.bare_end = hypothesis.bare_end;
    for (uint64_t rows = 1; rows <= 32 && best < images.size(); rows *= 2) {
        out.rule.last_rows = rows;
        fit_units();
        size_t count = 0;
        for (const ImageLayout& image : images) count += place(out.rule, image).bytes == image.bytes;
        if (count > best) {
            best = count;
            chosen = out.rule;
        }
    }
    out.rule = chosen;
    check();
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

Learned learn_from(std::span<const ImageLayout> images, const Rule* before) {
    const auto prepared_for = [&](const Hypothesis& hypothesis) {
        Learner learner = {.images = images, .hypothesis = hypothesis};
        learner.prepare(before);
        return learner;
    };
    const Learner prepared = prepared_for({});
    Learned best;
    bool first = true;
    std::vector<Hypothesis> hypotheses = {{},
                                          {.tail = true},
                                          {.split = true},
                                          {.split = true, .chain = true},
                                          {.chain = true, .pairs = true},
                                          {.tail = true, .wide_spans = true}};
    const bool is_deep = prepared.out.rule.image_type == ImageType::three_d;
    hypotheses.back().bare_end = !is_deep;
    Learner measured = prepared;
    measured.measure_levels();
    if (measured.may_keep_slices())
        hypotheses.insert(hypotheses.begin(), {{.quarter_slices = true}, {.split = true, .quarter_slices = true}});
    if (before) {  // what explained fewer of them is likely to explain all
        const bool tail = std::ranges::any_of(
            before->modes, [](const BlockMode& m) { return m.tail.has_value() || !m.layer_xor.empty(); });
        if (tail) std::swap(hypotheses[0], hypotheses[1]);
        if (before->bare_end) std::swap(hypotheses.front(), hypotheses.back());
    }
    const auto try_out = [&](const Hypothesis& hypothesis) {
        Learner learner = hypothesis.tail ? prepared_for(hypothesis) : prepared;
        learner.hypothesis = hypothesis;
        if (hypothesis.pairs) learner.join_pairs();
        learner.run();
        return std::move(learner.out);
    };
    Hypothesis taken;
    for (const Hypothesis& hypothesis : hypotheses) {
        Learned found = try_out(hypothesis);
        if (first || found.unexplained.size() < best.unexplained.size()) {
            best = std::move(found);
            taken = hypothesis;
        }
        first = false;
        if (best.unexplained.empty()) break;
    }
    // Where an estimate chooses, how deep the levels of a tail may be is a bound only if an image shows one. Elsewhere, as on RDNA, it is one,
    // and few images show it.
    if (is_deep && taken.tail && (best.rule.budget.halved || !best.unexplained.empty())) {
        taken.flat_tails = true;
        Learned flat = try_out(taken);
        if (flat.rule.budget.halved && flat.unexplained.size() <= best.unexplained.size()) best = std::move(flat);
    }
    return best;
}

}  // namespace

Learned learn(std::span<const ImageLayout> images, const Rule* before) {
    Learned best = learn_from(images, before);
    if (!before || best.unexplained.empty()) return best;
    Learned anew = learn_from(images, nullptr);  // few images may have shown other blocks
    return anew.unexplained.size() < best.unexplained.size() ? anew : best;
}

std::string difference(const ImageLayout& predicted, const ImageLayout& probed) {
    if (predicted.bytes != probed.bytes) return fmt::format("{} bytes, not {}", predicted.bytes, probed.bytes);
    if (predicted.alignment != probed.alignment)
        return fmt::format("alignment {}, not {}", predicted.alignment, probed.alignment);
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

}  // namespace tilewise
