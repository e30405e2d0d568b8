// The JSON form of a hardware container. Used by the hwx format.
#pragma once

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// Returns every typed value under its name. A value that equals the value derived from other values
// is under "derived", which FromJson does not read. A value that differs from the derived value is
// among the other members.
Json ToJson(const Container& container);

// The inverse of ToJson. Errors: kInvalid, with the path of the missing or wrong member.
Result<Container> FromJson(const Json& json);

}  // namespace anecheck::hwx
