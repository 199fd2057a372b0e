// What a search for the fastest order found, for people.
#pragma once
#include "tools/runs/tune/result.h"

namespace tilewise {

void print_ranking(const Search& search, const Ranking& ranking);

}  // namespace tilewise
