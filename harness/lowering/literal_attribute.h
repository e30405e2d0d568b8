// Attributes whose constant is a literal in the text of a MIL program.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"
#include "harness/graph/graph.h"
#include "harness/graph/schema.h"

namespace anecheck {

// Adds the literal to the node that `graph` builds, as the schema's parameter. Errors contain the
// byte offset. The error is kInvalid if the literal and the parameter differ in kind.
Status AddLiteralAttribute(mil::ValueView literal, const OpSchema& schema, int parameter,
                           Graph& graph);

// Returns the message for an attribute that is not a constant. It also says what to do.
std::string ComputedAttribute(std::string_view op, std::string_view attribute);

// As AddLiteralAttribute, for a tuple of scalars. Each scalar is a literal or the name of a
// constant. Errors: also kUnsupported for a computed scalar.
Status AddTupleAttribute(mil::ValueView tuple, const OpSchema& schema, int parameter, Graph& graph);

}  // namespace anecheck
