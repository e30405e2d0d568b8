// Checks whether attribute values and operand shapes are possible for an operation at all. For
// possible values, the rules then give the compiler's answer (legality.h).
#pragma once

#include "harness/graph/schema.h"
#include "oracles/legality/instance.h"

namespace anecheck::legality {

// Refuses a value that no attribute of its name can have: a value of another kind than the
// argument's (a text for a number), a text that is not one of its spellings, a number below the
// least extent of a window, or a list whose length does not fit the window's axes. Also refuses
// operands of operations with a window that have no axis for it. `schema` is null for a native
// layer under its own name.
Status CheckValues(const Instance& instance, const OpSchema* schema);

// Turns a single value of an argument that is a list (axes=-1) into a list with one element, as
// graphs have it and rules read it.
void MakeLists(const OpSchema& schema, Instance& instance);

}  // namespace anecheck::legality
