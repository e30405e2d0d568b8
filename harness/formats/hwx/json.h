// The JSON form of a hardware container. Used by the hwx format.
#pragma once

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// Every typed value by its name; values that follow from others stand under "derived" and are not
// read back, those that differ from the derived value stand beside their neighbours.
Json ToJson(const Container& container);

// The inverse. kInvalid with the path of the member that is missing or wrong.
Result<Container> FromJson(const Json& json);

}  // namespace anecheck::hwx
