// The lists of products are sorted lines of text, made by the build (make_product_index.cpp) and compiled into the
// program: a name is found without reading the others. One list is by the words of names, "rtx 4090", with a line for
// each chip that they may mean; the other is by PCI id, "10de:2684" or "1002:73bf:c1".
//
//   WORDS <tab> chip <tab> weight <tab> product <tab> list
//   ID <tab> chip <tab> weight <tab> product <tab> list
#pragma once
#include "db/names/lists.h"
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::db {

struct Candidate {
    size_t chip = 0;      ///< position in chips().all
    unsigned weight = 0;  ///< number of lines that say so; ours come before all others
    std::string product, list;
};

constexpr unsigned our_weight = 1000;

/// The lists "by_words.txt" and "by_id.txt".
std::span<const NameList> embedded_product_index();

/// Returns the candidates in the order of the lists; none if no product has this name.
std::vector<Candidate> candidates_of_words(const std::string& words);
std::optional<Candidate> candidate_of_id(const std::string& id);

/// Returns every product's words, and its candidates' lines for candidates_in().
void each_id(const std::function<void(std::string_view id, std::string_view lines)>& use);
void each_product(const std::function<void(std::string_view words, std::string_view lines)>& use);
std::vector<Candidate> candidates_in(std::string_view lines);

}  // namespace tilewise::db
