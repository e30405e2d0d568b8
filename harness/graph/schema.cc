#include "harness/graph/schema.h"

namespace anecheck {

std::string_view ParameterKindName(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kTensor:
      return "a tensor";
    case ParameterKind::kTensorList:
      return "a list of tensors";
    case ParameterKind::kInt:
      return "an integer";
    case ParameterKind::kFloat:
      return "a number";
    case ParameterKind::kBool:
      return "true or false";
    case ParameterKind::kString:
      return "a string";
    case ParameterKind::kInts:
      return "a list of integers";
    case ParameterKind::kFloats:
      return "a list of numbers";
    case ParameterKind::kBools:
      return "a list of true and false";
  }
  return "unknown";
}

}  // namespace anecheck
