// Reading a table with progress reports, in bytes: millions of rows take seconds.
#pragma once
#include "patterns/model/advance.h"
#include "patterns/model/table.h"

namespace tilewise {

/// As in table.h.
Table parse_table_csv(std::string_view text, uint32_t element_bytes, const Advance& advance);

}  // namespace tilewise
