// The evidence for the fields of a container's JSON form. Used by the hwx format.
#pragma once

#include <span>

#include "harness/formats/format.h"

namespace anecheck::hwx {

// The rows of ToJson's fields (see Format::fields). Real files are of H13. For other generations
// the same facts rest on public notes.
std::span<const FieldFact> FieldFacts(const Json& json);

}  // namespace anecheck::hwx
