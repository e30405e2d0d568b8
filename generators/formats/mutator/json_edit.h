// Small edits of a file's JSON form. Internal to the structured mutator.
#pragma once

#include "generators/choice_stream.h"
#include "harness/formats/format.h"

namespace anecheck {

// Changes one place of `json`: a number, a string, the elements of an array, or two places of one
// kind exchanged. False where there is no place to change.
bool EditJson(Json& json, ChoiceStream& choices);

// Puts a part of `b` in place of the part of `a` of the same name: mostly an object or an array, or
// a run of an array's elements, else a value. False where they share none that differs.
bool CrossJson(Json& a, const Json& b, ChoiceStream& choices);

}  // namespace anecheck
