// Many facts may say one JSON object (rule::SharedJsonObject). As the database has it once, facts in memory share it,
// and what follows from it is found once. This is for one thread.
#pragma once
#include "patterns/model/json_limits.h"
#include <any>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tilewise::db {

class SharedJson {
public:
    SharedJson() : SharedJson(nlohmann::json::object()) {}
    SharedJson(nlohmann::json value) : content_(std::make_shared<Content>(std::move(value))) {}
    SharedJson(const nlohmann::ordered_json& value) : SharedJson(nlohmann::json(value)) {}

    /// Equal texts give the same object for as long as any fact holds it. Throws Error where the text is no JSON.
    static SharedJson parsed(std::string_view text, std::string_view name) {
        thread_local std::unordered_map<std::string, std::weak_ptr<Content>> known;
        std::weak_ptr<Content>& place = known[std::string(text)];
        SharedJson shared{place.lock()};
        if (!shared.content_) place = shared.content_ = std::make_shared<Content>(parse_json(text, name));
        return shared;
    }

    const nlohmann::json& value() const { return content_->value; }
    operator const nlohmann::json&() const { return value(); }

    const std::string& text() const {
        if (content_->text.empty()) content_->text = value().dump();
        return content_->text;
    }

    /// Returns what `read` makes of the object; it is called once for all that share it, always with the same T.
    template <typename T>
    const T& as(T (*read)(const nlohmann::json&)) const {
        if (!content_->read.has_value()) content_->read = read(value());
        return std::any_cast<const T&>(content_->read);
    }

    friend bool operator==(const SharedJson& a, const SharedJson& b) {
        return a.content_ == b.content_ || a.value() == b.value();
    }

private:
    struct Content {
        explicit Content(nlohmann::json of) : value(std::move(of)) {}
        nlohmann::json value;
        std::string text = {};
        std::any read = {};
    };
    explicit SharedJson(std::shared_ptr<Content> content) : content_(std::move(content)) {}

    std::shared_ptr<Content> content_;
};

}  // namespace tilewise::db
