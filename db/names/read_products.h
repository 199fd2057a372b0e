// Parses the lists of products. This takes milliseconds, so the build does it (db/names/product_index.h).
#pragma once
#include "db/names/product_index.h"
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewise::db {

struct Products {
    std::unordered_map<std::string, std::vector<Candidate>> by_words;
    std::unordered_map<std::string, Candidate> devices;  ///< "10de:2684", "1002:73bf:c1"
};

Products read_products();

}  // namespace tilewise::db
