#include "db/facts/image_rule.h"
#include "db/facts/identity.h"
#include "patterns/rules/rule_json.h"

namespace tilewise::db {

std::string content_id(nlohmann::json rule) {
    rule.erase("probes");
    Identity identity;
    identity.add(rule.dump());
    return identity.hash().substr(0, 16);
}

uint32_t samples_of(const ImageRuleFact& fact) { return fact.rule.as<Rule>(rule_from_json).samples; }

void require_consistent(const ImageRuleFact& fact) {
    if (fact.formats.empty()) throw Error("formats: must name a format");
    const Rule& read = fact.rule.as<Rule>(rule_from_json);
    if (read.image_type != fact.image_type) throw Error("image_type: is not the rule's");
}

}  // namespace tilewise::db
