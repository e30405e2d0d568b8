// The JSON form of a hardware container. Used by the hwx format.
#pragma once

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// Every typed value by its name. A value that follows from others stands under "derived" and is not
// read back. A value that differs from the derived one stands beside the other members instead.
Json ToJson(const Container& container);

// The inverse. Errors: kInvalid, with the path of the member that is missing or wrong.
Result<Container> FromJson(const Json& json);

}  // namespace anecheck::hwx
