// Small edits of a file's JSON form. Internal to the structured mutator.
#pragma once

#include "generators/choice_stream.h"
#include "harness/formats/format.h"

namespace anecheck {

// Changes one place of `json`: a number, a string, the elements of an array, or two places of one
// kind exchanged. False where there is no place to change.
bool EditJson(Json& json, ChoiceStream& choices);

// Replaces a member of `a` by a member of `b` of the same name. False where they share none.
bool CrossJson(Json& a, const Json& b, ChoiceStream& choices);

}  // namespace anecheck
