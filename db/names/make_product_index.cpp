// tilewise_make_product_index FOLDER: writes by_words.txt and by_id.txt of db/names/product_index.h, for the build.
#include "db/names/read_products.h"
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <span>
#include <stdexcept>

namespace {

using namespace tilewise::db;

std::string lines_of(const std::string& key, std::span<const Candidate> candidates) {
    std::string lines;
    for (const Candidate& candidate : candidates) {
        for (const std::string& field : {key, candidate.product, candidate.list})
            if (field.find_first_of("\t\n") != std::string::npos)
                throw std::runtime_error(fmt::format("\"{}\" has a tab or a line's end", field));
        lines += fmt::format("{}\t{}\t{}\t{}\t{}\n", key, candidate.chip, candidate.weight, candidate.product,
                             candidate.list);
    }
    return lines;
}

void write(const std::string& name, const std::map<std::string, std::string>& sorted) {
    std::ofstream file(name, std::ios::binary);
    for (const auto& [key, lines] : sorted) file << lines;
    if (!file.flush()) throw std::runtime_error(name + " cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: tilewise_make_product_index FOLDER\n", stderr);
        return 2;
    }
    try {
        const Products products = read_products();
        std::map<std::string, std::string> by_words, by_id;
        for (const auto& [words, candidates] : products.by_words) by_words[words] = lines_of(words, candidates);
        for (const auto& [id, candidate] : products.devices) by_id[id] = lines_of(id, {&candidate, 1});
        write(std::string(argv[1]) + "/by_words.txt", by_words);
        write(std::string(argv[1]) + "/by_id.txt", by_id);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tilewise_make_product_index: %s\n", error.what());
        return 1;
    }
}
