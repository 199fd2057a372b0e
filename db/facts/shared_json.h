// A JSON object that many facts may have (rule::SharedJsonObject). Like the database, which stores it once, facts in
// memory share it, and whatever is derived from it is computed once, whichever thread asks.
#pragma once
#include "patterns/model/json_limits.h"
#include <any>
#include <memory>
#include <mutex>
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

    /// Equal texts give the same object for as long as any fact holds it. Throws Error if the text is not JSON.
    static SharedJson parsed(std::string_view text, std::string_view name) {
        static std::mutex guarding_known;
        static std::unordered_map<std::string, std::weak_ptr<Content>> known;
        const std::string key(text);
        {
            const std::scoped_lock lock(guarding_known);
            if (SharedJson shared{known[key].lock()}; shared.content_) return shared;
        }
        SharedJson parsed(parse_json(text, name));
        const std::scoped_lock lock(guarding_known);
        std::weak_ptr<Content>& place = known[key];
        if (SharedJson shared{place.lock()}; shared.content_) return shared;  // another thread was faster
        place = parsed.content_;
        return parsed;
    }

    const nlohmann::json& value() const { return content_->value; }
    operator const nlohmann::json&() const { return value(); }

    const std::string& text() const {
        const std::scoped_lock lock(content_->guarding_derived);
        if (content_->text.empty()) content_->text = value().dump();
        return content_->text;
    }

    /// Returns what `read` derives from the object; `read` is called once for all that share the object, always with
    /// the same T.
    template <typename T>
    const T& as(T (*read)(const nlohmann::json&)) const {
        const std::scoped_lock lock(content_->guarding_derived);
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
        std::mutex guarding_derived = {};  ///< text and read
        std::string text = {};
        std::any read = {};
    };
    explicit SharedJson(std::shared_ptr<Content> content) : content_(std::move(content)) {}

    std::shared_ptr<Content> content_;
};

}  // namespace tilewise::db
