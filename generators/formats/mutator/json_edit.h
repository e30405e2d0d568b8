// Small edits of a file's JSON form. Internal to the structured mutator.
#pragma once

#include "generators/choice_stream.h"
#include "harness/formats/format.h"

namespace anecheck {

// Changes a number, a string or the elements of an array in `json`, or copies a value to another
// place of the same kind. Returns false if there is no place to change.
bool EditJson(Json& json, ChoiceStream& choices);

// Replaces a part of `a` by a part of `b` that has the same name. The part is usually an object, an
// array or a run of an array's elements, and otherwise a scalar. Returns false if no part of the
// same name differs.
bool CrossJson(Json& a, const Json& b, ChoiceStream& choices);

}  // namespace anecheck
