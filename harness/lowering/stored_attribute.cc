#include "harness/lowering/stored_attribute.h"

#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/lowering/decoded_elements.h"

namespace anecheck {
namespace {

bool WantsOne(ParameterKind kind) {
  return kind == ParameterKind::kInt || kind == ParameterKind::kFloat ||
         kind == ParameterKind::kBool;
}

bool Serves(DType dtype, ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kInt:
    case ParameterKind::kInts:
      return !IsFloat(dtype) && dtype != DType::kBool;
    case ParameterKind::kFloat:
    case ParameterKind::kFloats:
      return dtype != DType::kBool;
    case ParameterKind::kBool:
    case ParameterKind::kBools:
      return dtype == DType::kBool;
    default:
      return false;
  }
}

}  // namespace

Status AddStoredAttribute(const TensorType& type, std::span<const uint8_t> bytes,
                          const OpSchema& schema, int parameter, Graph& graph) {
  const Parameter& wanted = schema.parameters[static_cast<size_t>(parameter)];
  const std::string name = fmt::format("{}.{}", schema.name, wanted.name);
  if (!IsDecoded(type.dtype)) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{} is not read from a weight file as {}", name, type.ToString()));
  }
  if (!Serves(type.dtype, wanted.kind) || (WantsOne(wanted.kind) && type.shape.Elements() != 1)) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} must be {}, its constant is {}", name,
                                 ParameterKindName(wanted.kind), type.ToString()));
  }
  const std::vector<int64_t> words = ElementWords(type.dtype, bytes);
  switch (wanted.kind) {
    case ParameterKind::kInt:
      graph.AddInt(parameter, words.front());
      break;
    case ParameterKind::kInts:
      graph.AddInts(parameter, words);
      break;
    case ParameterKind::kBool:
      graph.AddBool(parameter, words.front() != 0);
      break;
    case ParameterKind::kBools:
      graph.AddBools(parameter, words);
      break;
    case ParameterKind::kFloat:
      graph.AddFloat(parameter, ElementNumbers(type.dtype, bytes).front());
      break;
    default:
      graph.AddFloats(parameter, ElementNumbers(type.dtype, bytes));
      break;
  }
  return {};
}

}  // namespace anecheck
