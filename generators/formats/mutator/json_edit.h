// Small edits of a file's JSON form. Internal to the structured mutator.
#pragma once

#include "generators/choice_stream.h"
#include "harness/formats/format.h"

namespace anecheck {

// Changes one place of `json`: a number, a string, the elements of an array, or two places of one
// kind exchanged. Returns false if there is no place to change.
bool EditJson(Json& json, ChoiceStream& choices);

// Replaces a part of `a` by the part of `b` of the same name: mostly an object, an array or a run
// of an array's elements, else a scalar. Returns false if no part of the same name differs.
bool CrossJson(Json& a, const Json& b, ChoiceStream& choices);

}  // namespace anecheck
