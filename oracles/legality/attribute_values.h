// Whether a statement about an operation can be true of any: values of its attributes, and shapes
// of its operands. The compiler's answer to the rest is the rules' business (legality.h).
#pragma once

#include "harness/graph/schema.h"
#include "oracles/legality/instance.h"

namespace anecheck::legality {

// Refuses a value that no attribute of its name can have: of another kind than the argument's (a
// text for a number), none of its spellings, below the least extent of a window, or a list of
// another length than a window's axes. Likewise operands of operations with a window that have no
// axis for it. `schema` may be null: a native layer by its own name.
Status CheckValues(const Instance& instance, const OpSchema* schema);

}  // namespace anecheck::legality
