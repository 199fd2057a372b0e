#include "db/facts/rules.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "patterns/remap/remap.h"
#include <bit>
#include <chrono>
#include <cmath>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace tilewise::db {

namespace {

constexpr size_t max_line_bytes = 65'536;
constexpr int32_t memory_types = 32;  // VK_MAX_MEMORY_TYPES

// Drivers write these texts: names with a trailing newline have been seen.
std::string one_line(std::string_view foreign, const char* name) {
    const std::string text = printable(foreign);
    if (text.size() > max_line_bytes)
        throw Error(fmt::format("{}: has {} bytes, which is more than {}", name, text.size(), max_line_bytes));
    const size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool is_measured(double value) { return std::isfinite(value) && value >= 0; }

}  // namespace

namespace {

constexpr std::string_view midnight = "T00:00:00Z";

}  // namespace

std::string dated_to_the_day(const std::string& time) {
    constexpr size_t day_length = 10;
    return time.substr(0, day_length) + std::string(midnight);
}

bool is_dated_to_the_day(std::string_view time) { return time.ends_with(midnight); }

std::string utc_now() {
    using namespace std::chrono;
    const auto now = floor<milliseconds>(system_clock::now());
    const auto whole = floor<seconds>(now);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(system_clock::to_time_t(whole)),
                       (now - whole).count());
}

namespace rule {

void require_one_of(std::span<const std::string_view> choices, std::string_view value, const char* name) {
    if (std::ranges::find(choices, value) == choices.end())
        throw Error(fmt::format("{}: \"{}\" is not one of \"{}\"", name, value, fmt::join(choices, "\", \"")));
}

ImageType image_type_in(std::string_view text, const char* name) {
    std::vector<std::string_view> names;
    for (const ImageType type : all_image_types) names.push_back(image_type_name(type));
    require_one_of(names, text, name);
    return image_type_from_name(text);
}

void Line::operator()(std::string& value, const char* name) const { value = one_line(value, name); }

void NonEmptyLine::operator()(std::string& value, const char* name) const {
    value = one_line(value, name);
    if (value.empty()) throw Error(fmt::format("{}: is missing", name));
}

void FormatName::operator()(std::string& value, const char* name) const {
    if (value.starts_with("VK_FORMAT_")) value.erase(0, 10);
    non_empty_line(value, name);
}

void NameList::operator()(std::string& value, const char* name) const {
    std::vector<std::string> names;
    for (const std::string& part : split(value))
        if (std::string one = one_line(part, name); !one.empty()) names.push_back(std::move(one));
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    value = fmt::format("{}", fmt::join(names, ","));
}

void GroupOrderText::operator()(const std::string& value, const char* name) const {
    try {
        group_order_from_text(value);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", name, error.what()));
    }
}

void UtcTime::operator()(std::string& value, const char* name) const {
    const std::string_view shape = "0000-00-00T00:00:00";
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    bool good = value.size() > shape.size() && value.back() == 'Z';
    for (size_t i = 0; good && i < shape.size(); ++i)
        good = shape[i] == '0' ? is_digit(value[i]) : value[i] == shape[i];
    if (good && value.size() > shape.size() + 1)
        good = value[shape.size()] == '.' && std::all_of(value.begin() + shape.size() + 1, value.end() - 1, is_digit);
    if (!good) throw Error(fmt::format("{}: \"{}\" is not like 2025-03-01T12:34:56.789Z", name, value));
    const auto number = [&](size_t at, size_t digits) {
        unsigned sum = 0;
        for (const char digit : value.substr(at, digits)) sum = 10 * sum + static_cast<unsigned>(digit - '0');
        return sum;
    };
    const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(number(0, 4))),
                                          std::chrono::month(number(5, 2)), std::chrono::day(number(8, 2))};
    if (!day.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 60)  // a leap second has 60
        throw Error(fmt::format("{}: \"{}\" is not a time that exists", name, value));
}

void PositiveInteger::require(std::span<const uint32_t> values, const char* name) {
    constexpr std::array counts = {"a positive integer", "two positive integers", "three positive integers"};
    if (std::ranges::count(values, 0u) != 0)
        throw Error(fmt::format("{}: must be {}", name, counts.at(values.size() - 1)));
}

void PowerOf2OrZero::operator()(uint64_t value, const char* name) const {
    if (std::popcount(value) > 1) throw Error(fmt::format("{}: must be a power of two, or 0", name));
}

void MemoryIndex::operator()(int32_t value, const char* name) const {
    if (value < -1 || value >= memory_types)
        throw Error(fmt::format("{}: must be the index of a memory type, or -1", name));
}

void PositiveNumber::operator()(double value, const char* name) const {
    if (!is_measured(value) || value == 0) throw Error(fmt::format("{}: must be a positive number", name));
}

void NumberOrZero::operator()(double value, const char* name) const {
    if (!is_measured(value)) throw Error(fmt::format("{}: must be a positive number, or 0", name));
}

void Interval::operator()(const std::array<double, 2>& ends, const char* name) const {
    const auto [low, high] = ends;
    if (!is_measured(low) || !is_measured(high) || low > high)
        throw Error(fmt::format("{}: must be two rising numbers", name));
}

void JsonObject::operator()(const nlohmann::json& value, const char* name) const {
    if (!value.is_object()) throw Error(fmt::format("{}: must be an object", name));
}

}  // namespace rule

}  // namespace tilewise::db
