// Images with a usage that nobody probed: which other usage may answer for it, and what has to be assumed then.
#pragma once
#include "db/sqlite/database.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/image_answer.h"
#include "tools/answers/image/image_question.h"

namespace tilewise {

/// What is known about the asked usage answers first; then a usage with the same sizes; then any usage.
FoundImage find_image_of_usage(const db::Database& database, const ImageQuestion& question, const Scope& asked);

}  // namespace tilewise
