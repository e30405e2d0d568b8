// Checks whether an operation can have the given attribute values and operand shapes. If it can,
// the rules give the compiler's answer (legality.h).
#pragma once

#include "harness/graph/schema.h"
#include "oracles/legality/instance.h"

namespace anecheck::legality {

// Refuses a value that the attribute cannot have: a value of another kind (a text for a number), a
// text that is not one of its spellings, a number below the least extent of a window, or a list
// whose length does not fit the window's axes. Also refuses an operand that has no axis for the
// operation's window. `schema` is null for a native layer under its own name.
Status CheckValues(const Instance& instance, const OpSchema* schema);

// Turns a single value of an argument that is a list (axes=-1) into a list with one element, since
// graphs contain lists and rules read lists.
void MakeLists(const OpSchema& schema, Instance& instance);

}  // namespace anecheck::legality
