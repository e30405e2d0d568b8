#include "harness/graph/schema.h"

#include <fmt/format.h>

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

std::string DefaultText(const Parameter& parameter) {
  const Default& fallback = parameter.fallback;
  if (fallback.form != Default::Form::kNumber) return std::string(fallback.text);
  const ParameterKind kind = parameter.kind;
  const bool flag = kind == ParameterKind::kBool || kind == ParameterKind::kBools;
  const bool list = kind == ParameterKind::kInts || kind == ParameterKind::kFloats ||
                    kind == ParameterKind::kBools;
  std::string text =
      flag ? (fallback.number != 0 ? "true" : "false") : fmt::format("{}", fallback.number);
  if (list) text += " on every axis";
  if (!fallback.text.empty()) text += fmt::format(": {}", fallback.text);
  return text;
}

}  // namespace anecheck
