// Attributes whose constant is stored in a weight file instead of the text.
#pragma once

#include <cstdint>
#include <span>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/graph/schema.h"

namespace anecheck {

// Adds the constant to the node that `graph` builds, as the schema's parameter. `bytes` are the
// elements, little endian. Errors: kInvalid if the parameter and the elements differ in kind, or if
// the parameter takes one element and there are several; kUnsupported for elements narrower than a
// byte and for 8-bit floats. Precondition: `bytes` has the size of `type`.
Status AddStoredAttribute(const TensorType& type, std::span<const uint8_t> bytes,
                          const OpSchema& schema, int parameter, Graph& graph);

}  // namespace anecheck
