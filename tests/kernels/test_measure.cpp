#include "kernels/box/box.h"
#include "kernels/buffer.h"
#include "kernels/image/check.h"
#include "kernels/measure/measure.h"
#include "kernels/reference.h"
#include "kernels/shader/compute_pass.h"
#include "tests/support/kernel_bench.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <doctest/doctest.h>
#include <numbers>
#include <random>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

/// Medians of all n^n resamples, sorted.
std::vector<double> all_resampled_medians(const std::vector<double>& values) {
    std::vector<double> medians;
    const auto total = static_cast<size_t>(std::pow(values.size(), values.size()));
    for (size_t code = 0; code < total; ++code) {
        std::vector<double> resample;
        for (size_t i = 0, rest = code; i < values.size(); ++i, rest /= values.size())
            resample.push_back(values[rest % values.size()]);
        std::ranges::sort(resample);
        medians.push_back((resample[(resample.size() - 1) / 2] + resample[resample.size() / 2]) / 2);
    }
    std::ranges::sort(medians);
    return medians;
}

double at_part(const std::vector<double>& sorted, double part) {
    return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size()))];
}

/// By Box and Muller, so that every standard library draws the same.
double normal(std::mt19937_64& random) {
    const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0; };
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
}

Job box(KernelBench& bench, Size size, uint32_t radius) {
    return box_direct(bench.images, bench.references, {Format::rgba8, size, radius},
                      {"row", row_order({16, 16, 1, 1})});
}

Limits short_limits() {
    Limits limits;
    limits.seconds = 0.3;
    limits.warm_up_seconds = 0.02;
    return limits;
}

}  // namespace

TEST_CASE("the median of an even number of values is the mean of the middle two") {
    CHECK(median(std::vector<double>{3, 1, 2}) == 2);
    CHECK(median(std::vector<double>{4, 1, 3, 2}) == 2.5);
    CHECK(std::isnan(median({})));
}

TEST_CASE("the interval is that of all possible resamples") {
    // Six and seven values have uneven gaps; no quantile asked for is at a step of the exact distribution.
    for (const std::vector<double>& samples :
         {std::vector<double>{1, 2, 4, 8, 16, 17, 40}, std::vector<double>{1, 1.5, 2.5, 6, 7, 30}}) {
        const std::vector<double> exact = all_resampled_medians(samples);
        const Estimate estimate = median_estimate(samples);
        CHECK(estimate.low == at_part(exact, 0.025));
        CHECK(estimate.high == at_part(exact, 0.975));
        CHECK(estimate.value == at_part(exact, 0.5));
    }
}

TEST_CASE("95% intervals hold the true median in about 95 of 100 cases") {
    std::mt19937_64 random(7);
    int normal_held = 0, skewed_held = 0;
    constexpr int draws = 500;
    for (int draw = 0; draw < draws; ++draw) {
        std::vector<double> symmetric(25), skewed(25);
        for (double& value : symmetric) value = 10 + normal(random);
        for (double& value : skewed) value = 10 + std::exp(normal(random));  // its median is 11
        const Estimate first = median_estimate(symmetric), second = median_estimate(skewed);
        normal_held += first.low <= 10 && 10 <= first.high;
        skewed_held += second.low <= 11 && 11 <= second.high;
    }
    // Three standard deviations of 500 draws are 3 of 100.
    CHECK(normal_held > draws * 0.92);
    CHECK(normal_held < draws * 0.985);
    CHECK(skewed_held > draws * 0.92);
    CHECK(skewed_held < draws * 0.985);
}

TEST_CASE("a speedup's interval holds the true ratio, and its verdict is seldom wrong where there is no difference") {
    std::mt19937_64 random(11);
    int held = 0, wrong = 0;
    constexpr int draws = 500;
    for (int draw = 0; draw < draws; ++draw) {
        std::vector<double> slow(20), fast(20), same(20);
        for (double& value : slow) value = 3 * (1 + 0.02 * normal(random));
        for (double& value : fast) value = 2 * (1 + 0.02 * normal(random));
        for (double& value : same) value = 2 * (1 + 0.02 * normal(random));
        const Estimate ratio = speedup(slow, fast, static_cast<uint64_t>(draw));
        held += ratio.low <= 1.5 && 1.5 <= ratio.high;
        CHECK(verdict(ratio) == Verdict::faster);
        wrong += verdict(speedup(same, fast, static_cast<uint64_t>(draw))) != Verdict::no_difference;
    }
    CHECK(held > draws * 0.92);
    CHECK(wrong < draws * 0.05);
}

TEST_CASE("a device whose clocks rise in steps is not steady on a step, and noise does not keep it from being so") {
    // The times of a mip chain on an H200 (driver 580.159.04) under full submissions, after two seconds of idling.
    const std::vector<WarmUpWindow> risen = {
        {0.068, 0.09534}, {0.136, 0.09615}, {0.205, 0.09654}, {0.273, 0.09651}, {0.340, 0.07087}, {0.410, 0.07094},
        {0.481, 0.07130}, {0.548, 0.05402}, {0.621, 0.05462}, {0.695, 0.05425}, {0.774, 0.04983}, {0.849, 0.04964},
        {0.925, 0.04863}, {1.001, 0.04799}, {1.078, 0.04797}, {1.154, 0.04845}, {1.227, 0.04823}, {1.307, 0.04832},
        {1.386, 0.04811}, {1.466, 0.04872}, {1.541, 0.04786}, {1.617, 0.04845}, {1.693, 0.04857}, {1.773, 0.04801}};
    size_t first = 0;
    while (first < risen.size() && !is_steady(std::span(risen).first(first))) first++;
    REQUIRE(first > 0);
    REQUIRE(first < risen.size());
    CHECK(risen[first - 1].ms < 1.01 * 0.04824);  // what it takes from then on
    CHECK(risen[first - 1].end < 1.6);
    // The same card with its clocks up: the medians of windows differ by up to 3%.
    const std::vector<WarmUpWindow> up = {{0.080, 0.04473}, {0.162, 0.04439}, {0.240, 0.04407}, {0.320, 0.04370},
                                          {0.397, 0.04383}, {0.471, 0.04447}, {0.547, 0.04438}, {0.622, 0.04353},
                                          {0.698, 0.04442}, {0.777, 0.04371}, {0.854, 0.04387}};
    CHECK(is_steady(std::span(up).first(8)));
    CHECK(is_steady(up));
    CHECK_FALSE(is_steady(std::span(up).first(7)));  // shorter than any step may be
    // A slow device's windows are longer than that.
    CHECK(is_steady(std::vector<WarmUpWindow>{{2, 400}, {4, 399}}));
    CHECK_FALSE(is_steady(std::vector<WarmUpWindow>{{2, 400}, {4, 390}}));
    CHECK_FALSE(is_steady({}));
}

TEST_CASE("a verdict needs the whole interval beyond the threshold") {
    CHECK(verdict({1.2, 1.1, 1.3}) == Verdict::faster);
    CHECK(verdict({1.2, 1.004, 1.4}) == Verdict::no_difference);
    CHECK(verdict({0.9, 0.8, 0.99}) == Verdict::slower);
    CHECK(verdict({0.9, 0.8, 0.997}) == Verdict::no_difference);
    CHECK(verdict({1.2, 1.1, 1.3}, 0.15) == Verdict::no_difference);
    CHECK(verdict(speedup({}, {})) == Verdict::no_difference);
}

TEST_CASE("five samples have no interval of 95%") {
    const std::vector<double> five = {2, 2, 2, 2, 2}, many = {4, 4, 4, 4, 4, 4};
    CHECK(median_estimate(five).value == 2);
    CHECK(std::isinf(relative_half_width(median_estimate(five))));
    CHECK(speedup(many, five).value == 2);
    CHECK(verdict(speedup(many, five)) == Verdict::no_difference);
    CHECK(relative_half_width(median_estimate(many)) == 0);
}

TEST_CASE("the bootstrap draws what another program draws from the same seed") {
    // By a Python program of its own: MT19937-64, index (draw >> 32) * n >> 32, 2,000 medians, ranks round(0.025 *
    // 1999) and round(0.975 * 1999).
    std::vector<double> samples;
    for (int i = 0; i < 40; ++i) samples.push_back(1 + (i * 37 % 101) / 64.0);
    CHECK(median_estimate(samples, 1).low == 1.5390625);
    CHECK(median_estimate(samples, 1).high == 1.9921875);
    CHECK(median_estimate(samples, 2).low == 1.5390625);
    CHECK(median_estimate(samples, 2).high == 2.015625);

    const std::vector<double> baseline = {3.01, 3.07, 2.98, 3.2, 3.11, 2.95, 3.05, 3.4};
    const std::vector<double> faster = {2.0, 2.11, 1.93, 2.05, 2.3, 1.97, 2.02, 2.08, 1.99};
    CHECK(speedup(baseline, faster, 1).value == 1.5148514851485146);
    CHECK(speedup(baseline, faster, 1).low == 1.4471153846153844);
    CHECK(speedup(baseline, faster, 1).high == 1.5841584158415842);
    CHECK(speedup(baseline, faster, 4).low == 1.446341463414634);
    CHECK(speedup(baseline, faster, 4).high == 1.585427135678392);
}

TEST_CASE("single peaks and throttled groups are taken out, and nothing else") {
    // Three jobs in 40 groups, of 1, 2 and 5 ms with 1% of noise. Groups 11 and 12 are 20% slower; one sample of the
    // second job is a peak.
    std::mt19937_64 random(3);
    std::vector<std::vector<Sample>> series(3);
    for (uint32_t group = 0; group < 40; ++group)
        for (size_t job = 0; job < 3; ++job) {
            double ms = std::array{1.0, 2.0, 5.0}[job] * (1 + 0.01 * normal(random));
            if (group == 11 || group == 12) ms *= 1.2;
            if (group == 30 && job == 1) ms *= 4;
            series[job].push_back({ms, group});
        }
    const std::vector<CleanSeries> cleaned = without_disturbed(series);
    CHECK(cleaned[0].discarded == 2);
    CHECK(cleaned[1].discarded == 3);
    CHECK(cleaned[2].discarded == 2);
    CHECK(cleaned[0].ms.size() == 38);
    CHECK(*std::ranges::max_element(cleaned[1].ms) < 2.1);
}

TEST_CASE("a few samples of an even series are all kept") {
    const std::vector<std::vector<Sample>> series = {{{1, 0}, {1.2, 1}, {0.9, 2}}, {}, {{7, 1}}};
    const std::vector<CleanSeries> cleaned = without_disturbed(series);
    CHECK(cleaned[0].ms == std::vector<double>{1, 1.2, 0.9});
    CHECK(cleaned[1].ms.empty());
    CHECK(cleaned[2].ms == std::vector<double>{7});
}

TEST_CASE("more work takes longer by the device's clock, and the samples are as many as the stopping rule asks for") {
    KernelBench bench;
    const std::vector<Job> jobs = {box(bench, {64, 64}, 1), box(bench, {64, 64}, 16)};
    Limits limits = short_limits();
    limits.relative_error = 1;
    limits.min_samples = 12;
    limits.seconds = 30;
    const Measurements measured = measure(bench.context, jobs, limits);
    REQUIRE(measured.failure == "");
    CHECK(measured.warm_up_ms >= 20);
    for (const Measurement& job : measured.jobs) {
        CHECK(job.failure == "");
        CHECK(job.converged);
        CHECK(job.ms.size() >= 12);
        CHECK(job.ms.size() < 100);  // any interval is good enough after the first
        CHECK(job.time.low <= job.time.value);
        CHECK(job.time.value <= job.time.high);
    }
    // 1089 texels are read instead of 9; what a dispatch costs besides is much under a sanitizer.
    CHECK(speedup(measured.jobs[1].ms, measured.jobs[0].ms).value > 2);
}

TEST_CASE("a job that is very short is repeated inside of a sample, and the time is that of one run") {
    KernelBench bench;
    std::vector<Job> jobs = {box(bench, {1, 1}, 1)};
    uint64_t runs = 0;
    jobs[0].record = [&, record = jobs[0].record](VkCommandBuffer commands) { ++runs, record(commands); };
    // By a clock that goes a thousand times too slowly, the job takes less than a microsecond.
    constexpr double slowness = 1000;
    bench.context.timestamp_ns /= slowness;
    const auto start = std::chrono::steady_clock::now();
    Limits limits = short_limits();
    limits.max_samples = 10;
    const Measurements measured = measure(bench.context, jobs, limits);
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
    const Measurement& job = measured.jobs[0];
    REQUIRE(job.failure == "");
    REQUIRE(job.repeats > 1);
    REQUIRE(job.ms.size() > 0);
    CHECK(runs >= job.ms.size() * job.repeats);
    // All runs of all samples together cannot take longer than has passed; times of whole samples would.
    double sum = 0;
    for (const double ms : job.ms) sum += ms * job.repeats;
    CHECK(sum * slowness <= passed.count());
}

TEST_CASE("a job that changes what it reads is prepared before each sample, and runs once in it") {
    KernelBench bench;
    const DeviceBuffer counts = create_device_buffer(bench.context, 8);
    ComputePassInputs inputs;
    inputs.buffers = {counts.handle.handle};
    const ComputePass pass =
        create_compute_pass(bench.context,
                            compile_emitted("count.comp",
                                            "#version 450\nlayout(binding = 0) buffer Counts { uint since, all; };\n"
                                            "void main() { since += 1; all += 1; }\n"),
                            inputs);
    Job job;
    job.kernel = "count";
    job.record = [&](VkCommandBuffer commands) { record(commands, pass); };
    job.prepare = [&](VkCommandBuffer commands) {
        vulkan::full_barrier(commands);
        vkCmdFillBuffer(commands, counts.handle.handle, 0, 4, 0);
        vulkan::full_barrier(commands);
    };
    Limits limits = short_limits();
    limits.check = false;
    const Measurements measured = measure(bench.context, {&job, 1}, limits);
    CHECK(measured.jobs[0].repeats == 1);
    const std::vector<std::byte> bytes = download(bench.context, counts, 8);
    std::array<uint32_t, 2> got = {};
    std::memcpy(got.data(), bytes.data(), sizeof got);
    CHECK(got[0] == 1);
    CHECK(got[1] > measured.jobs[0].ms.size());
}

TEST_CASE("a time limit that has passed leaves each job a sample") {
    KernelBench bench;
    const std::vector<Job> jobs = {box(bench, {32, 32}, 1), box(bench, {32, 32}, 2), box(bench, {32, 32}, 3)};
    Limits limits;
    limits.seconds = 0;
    limits.min_samples = 100000;
    const Measurements measured = measure(bench.context, jobs, limits);
    for (const Measurement& job : measured.jobs) {
        CHECK(job.ms.size() + job.discarded >= 1);
        CHECK(!job.converged);
    }
}

TEST_CASE("a wrong job is named by its first texel and never timed") {
    KernelBench bench;
    std::vector<Job> jobs = {box(bench, {37, 21}, 1), box(bench, {37, 21}, 2)};
    // The second claims a radius of 3.
    int runs = 0;
    const auto record = jobs[1].record;
    jobs[1].record = [&](VkCommandBuffer commands) { ++runs, record(commands); };
    const auto radius_of_3 = [&] { return box_reference(*source_texels(bench.images, Format::rgba8, {37, 21}), 3); };
    const auto result = pooled_image(bench.images, ImageUse::result, Format::rgba8, {37, 21});
    jobs[1] = make_job(bench.images, jobs[1], jobs[1].method, jobs[1], jobs[1].record,
                       image_check(bench.images, bench.references, result, {"box 3", radius_of_3, 49}));
    const Measurements measured = measure(bench.context, jobs, short_limits());
    CHECK(measured.failure == "");
    CHECK(measured.jobs[0].ms.size() > 0);
    CHECK(measured.jobs[1].failure.starts_with("texel (0, 0) "));
    CHECK(measured.jobs[1].ms.empty());
    CHECK(std::isnan(measured.jobs[1].time.value));
    CHECK(runs == 1);
}

TEST_CASE("a device that is lost in a job: the job is named, and what was measured before stays") {
    KernelBench bench;
    std::vector<Job> jobs = {box(bench, {37, 21}, 1), box(bench, {37, 21}, 2)};
    int runs = 0;
    const auto record = jobs[1].record;
    jobs[1].record = [&](VkCommandBuffer commands) {
        // This device loses nothing of itself.
        if (++runs > 3000) throw vulkan::VulkanError(VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
        record(commands);
    };
    Limits limits = short_limits();
    limits.seconds = 300;
    limits.relative_error = 0;
    const Measurements measured = measure(bench.context, jobs, limits);
    CHECK(measured.failure ==
          "vkQueueSubmit: VK_ERROR_DEVICE_LOST, while this ran: box, direct, row 16x16, radius 2, "
          "R8G8B8A8_UNORM 37x21");
    CHECK(!measured.hung);
    for (const Measurement& job : measured.jobs) CHECK(job.ms.size() > 10);
}

TEST_CASE("a device that does not come back: the job is named, whether it was being checked or timed") {
    for (const bool check : {true, false}) {
        KernelBench bench;
        const std::vector<Job> jobs = {box(bench, {512, 512}, 16)};
        Limits limits = short_limits();
        limits.check = check;
        limits.timeout_seconds = 1e-6;
        const Measurements measured = measure(bench.context, jobs, limits);
        CHECK(measured.failure ==
              fmt::format("the device did not come back within 1e-06 s, while this {}: box, direct, "
                          "row 16x16, radius 16, R8G8B8A8_UNORM 512x512",
                          check ? "was checked" : "ran"));
        CHECK(measured.hung);
        vkDeviceWaitIdle(bench.context.device.handle);
    }
}

TEST_CASE("a device without timestamps is refused") {
    KernelBench bench;
    bench.context.timestamp_bits = 0;
    CHECK_THROWS_WITH_AS(measure(bench.context, {}, {}), doctest::Contains("has no timestamps"), Error);
}
