// A difference between two chips, two drivers or two databases: what they say about the same images.
#pragma once
#include "db/facts/figure.h"
#include "db/facts/tuning.h"
#include "db/query/filter.h"
#include <compare>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tilewise::db {

struct Side {
    const Database& db;
    Filter filter;
};

/// Decides which images of the two sides are the same: those with equal device, equal driver, or any.
struct SameOrigin {
    bool device = true, driver = true;
    /// Maps a device and driver to the name that its driver counts as: two versions that are compared share one name.
    std::map<std::pair<std::string, std::string>, std::string> versions = {};

    /// "" if drivers may differ.
    std::string driver_as(const std::string& device, const std::string& driver) const;
};

/// Two versions of a device's driver, each known to one side only: the newest on each side.
struct VersionPair {
    std::string device, a, b;
};
std::vector<VersionPair> versions_to_compare(const Side& a, const Side& b);
/// The same in the form of SameOrigin::versions.
std::map<std::pair<std::string, std::string>, std::string> compared_as_one(const std::vector<VersionPair>& versions);

struct Subresource {
    std::string device, driver;  ///< "" if they may differ
    std::string format, usage, flags;
    ImageType image_type = ImageType::two_d;
    Extent_px extent = {};
    uint32_t levels = 0, layers = 0, samples = 0, level = 0, layer = 0;
    std::string aspect;
    auto operator<=>(const Subresource&) const = default;
};

/// The ids of the patterns that each side has for one subresource, or results for observations without a pattern. There
/// are several if routes or drivers differ.
struct SubresourcePair {
    Subresource of;
    std::set<std::string> a, b;
};

struct Difference {
    uint64_t subresources_a = 0, subresources_b = 0, same = 0;
    std::vector<SubresourcePair> other_pattern;
    std::vector<SubresourcePair> other_placement;  ///< the same pattern, but other strides, another base or other bytes
    std::vector<SubresourcePair> only_a, only_b;
};

/// The constant of a layout is not compared: AMD's drivers give each image a different one.
Difference difference_between(const Side& a, const Side& b, const SameOrigin& same);

nlohmann::ordered_json to_json(const Difference& difference);

/// Compares the newest facts of both sides about the same thing.
template <typename Fact>
struct FactDifference {
    struct Pair {
        Stored<Fact> a, b;
    };
    uint64_t same = 0;
    std::vector<Pair> other;
    std::vector<Stored<Fact>> only_a, only_b;
    bool is_empty() const { return same == 0 && other.empty() && only_a.empty() && only_b.empty(); }
};

/// Compares results of one kernel, format, radius and extent; `other` counts those with another method, order, shape
/// or order of workgroups.
using TuningDifference = FactDifference<TuningFact>;
TuningDifference tuning_difference(const Side& a, const Side& b, const SameOrigin& same);
nlohmann::ordered_json to_json(const TuningDifference& difference);

/// Compares figures of one name and format; `other` counts those whose intervals do not overlap or, without intervals,
/// whose values differ.
using FigureDifference = FactDifference<FigureFact>;
FigureDifference figure_difference(const Side& a, const Side& b, const SameOrigin& same);
nlohmann::ordered_json to_json(const FigureDifference& difference);

}  // namespace tilewise::db
