// Evaluates published records of several operations, one operation after the other, because both
// sources of such records round the result of each operation.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "oracles/testing/vector_model.h"

namespace anecheck::testing::vectors {

// Returns the mapping of an operation by the source's name, or null if there is none.
using FindMapping = std::function<Mapping(const std::string& op)>;

struct EvaluatedOperators {
  std::optional<Estimate> result;
  std::string unmapped;  // if there is no result, the operation that the table cannot express
};

// Evaluates the first output of a record with the attribute `operators`, under the IEEE contract.
EvaluatedOperators EvaluateOperators(const Json& record, const FindMapping& find);

}  // namespace anecheck::testing::vectors
