// Where an image's subresources lie, from what the database knows of certain devices: their observations and rules.
#pragma once
#include "db/sqlite/database.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/image_answer.h"
#include "tools/answers/image/image_question.h"

namespace tilewise {

/// The database's answer for the devices in `scope`. Throws Error that says why there is none.
FoundImage find_image_in_scope(const db::Database& database, const ImageQuestion& question, const Scope& scope);

}  // namespace tilewise
