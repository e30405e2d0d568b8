// The evidence for the fields of a container's JSON form. Used by the hwx format.
#pragma once

#include <span>

#include "harness/formats/format.h"

namespace anecheck::hwx {

// Returns the rows for the fields of ToJson (see Format::fields). The real files are of H13. For
// other generations the evidence is public notes.
std::span<const FieldFact> FieldFacts(const Json& json);

}  // namespace anecheck::hwx
