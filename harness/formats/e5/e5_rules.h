// The rules of a dispatch descriptor. Used by kFormat_e5 and by the generator of files that break
// exactly one of them.
#pragma once

#include <span>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck::e5 {

std::span<const Rule> Rules();

// Returns the violations. Precondition: the bytes passed the shape check against WireSchema().
std::vector<Violation> CheckRules(ByteSpan bytes);

}  // namespace anecheck::e5
