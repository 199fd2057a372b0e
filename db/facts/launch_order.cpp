#include "db/facts/launch_order.h"
#include <span>

namespace tilewise::db {

namespace {

using Json = nlohmann::json;

enum class Kind { count, truth, share, correlation, order, clock, multiprocessors };

struct Statistic {
    std::string_view name;
    Kind kind;
};
constexpr Statistic of_all[] = {{"runs", Kind::count},         {"nearest", Kind::order},
                                {"exact", Kind::truth},        {"correlation", Kind::correlation},
                                {"displacement", Kind::count}, {"adjacent", Kind::share},
                                {"clock", Kind::clock},        {"sm", Kind::multiprocessors}};
constexpr Statistic of_clock[] = {
    {"first_wave", Kind::count}, {"first_wave_adjacent", Kind::count}, {"agrees_with_tickets", Kind::correlation}};
constexpr Statistic of_multiprocessors[] = {{"multiprocessors", Kind::count},
                                            {"same_as_left", Kind::share},
                                            {"same_as_above", Kind::share},
                                            {"next_on_same_after", Kind::count},
                                            {"next_on_same_share", Kind::share}};

bool is_between(const Json& value, double low, double high) {
    return value.is_number() && value.get<double>() >= low && value.get<double>() <= high;
}

void require_known(std::span<const Statistic> known, const Json& object, const std::string& path);

void require_kind(Kind kind, const Json& value, const std::string& path) {
    const auto require = [&](bool good, const char* what) {
        if (!good) throw Error(fmt::format("{}: must be {}", path, what));
    };
    switch (kind) {
        case Kind::count:
            return require(value.is_number_integer() && is_between(value, 0, 0xffffffff),
                           "an integer from 0 to 4294967295");
        case Kind::truth:
            return require(value.is_boolean(), "true or false");
        case Kind::share:
            return require(is_between(value, 0, 1), "a number from 0 to 1");
        case Kind::correlation:
            return require(is_between(value, -1, 1), "a number from -1 to 1");
        case Kind::order:
            return require(value == "row" || value == "column" || value == "morton", "row, column or morton");
        case Kind::clock:
            if (value.is_string()) return;  // why it tells nothing
            return require_known(of_clock, value, path);
        case Kind::multiprocessors:
            return require_known(of_multiprocessors, value, path);
    }
}

void require_known(std::span<const Statistic> known, const Json& object, const std::string& path) {
    if (!object.is_object()) throw Error(fmt::format("{}: must be an object", path));
    for (const auto& [name, value] : object.items()) {
        const auto found = std::ranges::find(known, name, &Statistic::name);
        if (found == known.end()) throw Error(fmt::format("{}.{}: is not a member of this object", path, name));
        require_kind(found->kind, value, fmt::format("{}.{}", path, name));
    }
}

}  // namespace

void require_consistent(const LaunchOrderFact& fact) { require_known(of_all, fact.statistics, "statistics"); }

}  // namespace tilewise::db
