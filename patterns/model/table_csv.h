// A table of millions of rows is read for seconds: with word of how far it is, in bytes.
#pragma once
#include "patterns/model/advance.h"
#include "patterns/model/table.h"

namespace tilewise {

/// As in table.h.
Table parse_table_csv(std::string_view text, uint32_t element_bytes, const Advance& advance);

}  // namespace tilewise
