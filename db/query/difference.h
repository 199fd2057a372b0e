// A difference is what two chips, two drivers or two databases say of the same images.
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

/// This says which images of the two sides are the same one: with the same device, or driver, or whatever these are.
struct SameOrigin {
    bool device = true, driver = true;
    /// By a device and driver, as what its driver counts: two versions that are compared have one name.
    std::map<std::pair<std::string, std::string>, std::string> versions = {};

    /// "" where they may differ.
    std::string driver_as(const std::string& device, const std::string& driver) const;
};

/// Two versions of a device's driver, each known to one side alone: the newest of each.
struct VersionPair {
    std::string device, a, b;
};
std::vector<VersionPair> versions_to_compare(const Side& a, const Side& b);
/// The same as SameOrigin has them.
std::map<std::pair<std::string, std::string>, std::string> compared_as_one(const std::vector<VersionPair>& versions);

struct Subresource {
    std::string device, driver;  ///< "" where they may differ
    std::string format, usage, flags;
    ImageType image_type = ImageType::two_d;
    Extent_px extent = {};
    uint32_t levels = 0, layers = 0, samples = 0, level = 0, layer = 0;
    std::string aspect;
    auto operator<=>(const Subresource&) const = default;
};

/// The sides have of one subresource patterns' ids, and results of those that have none. There are several where routes
/// or drivers differ.
struct SubresourcePair {
    Subresource of;
    std::set<std::string> a, b;
};

struct Difference {
    uint64_t subresources_a = 0, subresources_b = 0, same = 0;
    std::vector<SubresourcePair> other_pattern;
    std::vector<SubresourcePair> other_placement;  ///< of one pattern, with other strides, another base or other bytes
    std::vector<SubresourcePair> only_a, only_b;
};

/// The constant of a layout is not compared: AMD's drivers give each image another.
Difference difference_between(const Side& a, const Side& b, const SameOrigin& same);

nlohmann::ordered_json to_json(const Difference& difference);

/// The newest facts of both sides about one thing are compared.
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

/// Compares figures of one name and format; `other` counts those whose intervals do not meet or, without one, whose
/// values differ.
using FigureDifference = FactDifference<FigureFact>;
FigureDifference figure_difference(const Side& a, const Side& b, const SameOrigin& same);
nlohmann::ordered_json to_json(const FigureDifference& difference);

}  // namespace tilewise::db
