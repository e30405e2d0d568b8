// Published records of several operations, evaluated one after the other: both sources of such
// records round the result of each operation.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "oracles/testing/vector_model.h"

namespace anecheck::testing::vectors {

// The mapping of an operation by the source's name, or null if there is none.
using FindMapping = std::function<Mapping(const std::string& op)>;

struct EvaluatedOperators {
  std::optional<Estimate> result;
  std::string unmapped;  // without a result: the operation that the table cannot express
};

// The first output of a record whose attributes contain `operators`, under the IEEE contract.
EvaluatedOperators EvaluateOperators(const Json& record, const FindMapping& find);

}  // namespace anecheck::testing::vectors
